"""What a reader hears, copies, reaches by keyboard and prints: asked of built pages in Chromium."""

import re
from contextlib import contextmanager

import pytest
from docutils import nodes

from tests.site.conftest import extension, skip_or_fail

CHAPTER = "sinusoidal/shift"
SELECT = """([css, index]) => {
    const range = document.createRange()
    range.selectNodeContents(document.querySelectorAll(css)[index])
    getSelection().removeAllRanges()
    getSelection().addRange(range)
    let copied
    const read = (event) => (copied = [event.clipboardData.getData("text/plain"), event.defaultPrevented])
    addEventListener("copy", read, { once: true })
    document.execCommand("copy")
    return copied
}"""


@contextmanager
def visit(look, browser, site, name, **options):
    page = browser.new_page(**{"viewport": look.DESKTOP, **options})
    try:
        look.open_settled(page, (site / f"{name}.html").as_uri())
        page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
        page.wait_for_timeout(200)  # what watches sizes has answered
        yield page
    finally:
        page.close()


@pytest.fixture(scope="module")
def chapter(look, browser, site):
    if not (site / f"{CHAPTER}.html").exists():
        skip_or_fail("there is no site: run `make html` first")
    with visit(look, browser, site, CHAPTER) as page:
        yield page


# ---- heard


def test_a_formula_is_heard_once_and_from_mathml(chapter):
    told = chapter.locator("div.math[id]").first.aria_snapshot()
    assert told.count("- math: ") == 1
    said = "document.querySelector('div.math[id] semantics > :not(annotation)').textContent"
    assert told.count("ω") == chapter.evaluate(said).count("ω") > 0


def test_cells_of_tables_have_headers(chapter):
    said = chapter.evaluate("""() => [...document.querySelectorAll('.bd-article th')].map((th) => {
        const words = th.cloneNode(true)
        for (const formula of words.querySelectorAll('.katex')) formula.remove()
        return [th.scope, words.textContent.trim() !== '']
    })""")
    assert {scope for scope, _ in said} == {"col", "row"}
    assert all(words for _, words in said)


def test_empty_headers_and_foreign_roles_are_mended():
    reading = extension("bookish.write.accessibility")
    cells = [nodes.entry(), nodes.entry("", nodes.paragraph("", "", nodes.math("", "x_i"))), nodes.entry()]
    cells[2] += nodes.paragraph("", "", nodes.math("", "x_i"), nodes.Text(" words"))
    for cell in cells:
        reading.say(cell, "column")
    assert [cell.astext() for cell in cells] == ["column ", "column x_i", "x_i words"]
    assert reading.heard('<th class="head text-left">a</th><th class="stub">b</th>') == (
        '<th scope="col" class="head text-left">a</th><th scope="row" class="stub">b</th>'
    )
    entry = '<div class="citation" id="id2" role="doc-biblioentry">'
    assert reading.heard(entry) == '<div class="citation" id="id2" role="listitem">'
    fold = (
        '<summary aria-label="Toggle hidden content">\n<p class="collapsed admonition-title">How</p>\n'
        '<p class="expanded admonition-title">How</p>\n</summary>'
    )
    assert reading.heard(fold) == "<summary>How</summary>"


# ---- copied


def test_a_formula_is_copied_as_latex(chapter):
    tex = chapter.evaluate("document.querySelector('div.math[id] annotation').textContent")
    assert chapter.evaluate(SELECT, ["div.math[id] .katex-display", 0]) == [f"$${tex.strip()}$$", True]


def test_text_with_formulas_is_copied_with_latex_and_text_without_as_it_is(chapter):
    text, ours = chapter.evaluate(SELECT, [".bd-article section > p:has(.katex)", 0])
    assert ours
    assert re.search(r"for any fixed offset \$k\$, \$PE_\{pos\+k\}\$ can be represented", text), text
    assert chapter.evaluate(SELECT, [".bd-article section > p:not(:has(.katex))", 0])[1] is False


def test_code_is_copied_without_prompts_and_outputs(look, browser, site):
    with visit(look, browser, site, "reference/api/package") as page:
        page.evaluate("navigator.clipboard.writeText = async (text) => (window.copied = text)")
        button = page.locator(".doctest button.copy").first
        button.focus()
        page.keyboard.press("Enter")
        page.wait_for_function("window.copied")
        assert button.get_attribute("aria-label") == "Copied"
        copied = page.evaluate("window.copied")
        assert copied.splitlines() == [
            '[list(part) for part in columns(6, "halves")]',
            '[list(part) for part in columns(6, "interleaved")]',
        ]


# ---- reached by keyboard


def test_code_that_begins_to_scroll_is_reached_by_keyboard(look, browser, site):
    """And whatever scrolls as a page comes is: see test_visits.py."""
    with visit(look, browser, site, "reference/api/why") as page:
        code = page.locator("pre[tabindex='-1'], pre:not([tabindex])").first.element_handle()
        code.evaluate("(e) => { e.style.width = '60px' }")
        page.wait_for_timeout(100)
        assert code.get_attribute("tabindex") == "0"
        assert code.get_attribute("role")


# ---- printed


def test_paper_is_black_on_white_also_from_dark(look, browser, site):
    with visit(look, browser, site, CHAPTER, color_scheme="dark") as page:
        page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = false")
        page.emulate_media(media="print")
        colours = page.evaluate("""() => {
            const of = (css, name) => getComputedStyle(document.querySelector(css))[name]
            return [of('body', 'backgroundColor'), of('.bd-article p', 'color'), of('pre', 'backgroundColor'),
                    of('p > a.reference', 'color')]
        }""")
        assert colours == ["rgb(255, 255, 255)", "rgb(0, 0, 0)", "rgb(255, 255, 255)", "rgb(0, 0, 0)"]
        for css in ("button", "details.data-twin", "nav", ".cell-source", "a.computed"):
            assert not any(found.is_visible() for found in page.locator(css).all()), css
        assert all(cell.bounding_box()["height"] > 20 for cell in page.locator("details .cell_input").all())
