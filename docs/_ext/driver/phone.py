"""What is wrong on a page at the width of a phone, folds closed and open.

No page, box, heading, figure or formula is cut or scrolls sideways, and no number of a formula lies over it.
Text in a figure is at least 11 px high as it is displayed; no two texts of a panel overlap; none leaves its
panel. A table may scroll if its first column stays, the second is seen at once, it shows that it scrolls and
a keyboard can do it. No word of code or of a table is broken, no punctuation starts a line. Controls have
44 px; other targets outside running text have 24, or as much room around them. No line of code is cut: it
goes on below.
"""

from pathlib import Path

from playwright.sync_api import Page

LIMITS = {
    "text": 11,  # px, as displayed
    "script": 7.5,  # px: subscripts and exponents are 0.7 of their line
    "overlap": 1,  # px by which the ink of two texts may meet, and a text may leave its panel
    "control": 44,  # px
    "target": 24,  # px
}
PARTS = ("common", "figures", "widths", "tables", "words", "targets", "page")
MEASURE = "async (limits) => {\n%s\nreturn measurePage(limits)}" % "\n".join(
    Path(__file__).with_suffix("").joinpath(f"{part}.js").read_text(encoding="utf-8") for part in PARTS
)
# what makes the page, or the article that the theme lets scroll inside it, wider than the window
FIND_OVERFLOWING = """() => {
    const tight = (e) => e && e.scrollWidth > e.clientWidth + 1
    const article = document.querySelector('.bd-article-container')
    const wide = [document.scrollingElement, article].filter(tight)
    if (!wide.length) return []
    const edge = article ? article.getBoundingClientRect().right : innerWidth
    const boxed = (e) => {
        for (let up = e.parentElement; up && up !== article && up !== document.body; up = up.parentElement)
            if (getComputedStyle(up).overflowX !== 'visible') return true
        return false
    }
    const found = wide.map((e) => `${e.scrollWidth} px of content in ${e.clientWidth}`)
    for (const e of (article ?? document.body).querySelectorAll('*')) {
        const box = e.getBoundingClientRect()
        if (box.right > edge + 1 && box.width > 0 && !boxed(e))
            found.push(`<${e.tagName.toLowerCase()} class="${e.getAttribute('class') ?? ''}"> `
                + `ends at ${Math.round(box.right)}: ${(e.textContent || '').trim().slice(0, 60)}`)
    }
    return found.slice(0, 6)
}"""


def measured(page: Page) -> list[str]:
    """What is wrong on the page that is open, all of it laid out: a line each. Ink is measured once."""
    found: dict[str, None] = {}
    for opened in (False, True):
        for wrong in page.evaluate(MEASURE, {**LIMITS, "open": opened, "ink": opened}):
            found[f"{wrong['where']}: {wrong['kind']}: {wrong['text']}"] = None
        found |= {f"page: page scrolls: {line}": None for line in page.evaluate(FIND_OVERFLOWING)}
    return list(found)
