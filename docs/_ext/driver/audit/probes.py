"""What is asked of a page, at the width at which it is open: a line for each thing that is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

from driver import phone
from driver.look import FIND_OVERFLOWING, ask

NARROW = 600  # px; as the stylesheets have it
TARGET = 24  # px

# what scrolls takes the focus, and has a name
UNREACHED = """() => [...document.querySelectorAll('.bd-article *')].filter((e) => {
    const wide = e.scrollWidth > e.clientWidth + 1, high = e.scrollHeight > e.clientHeight + 1
    if (!wide && !high) return false
    const style = getComputedStyle(e), scrolls = /auto|scroll/
    if (!(wide && scrolls.test(style.overflowX)) && !(high && scrolls.test(style.overflowY))) return false
    if (e.matches('textarea') && e.labels.length) return false
    return !(e.tabIndex === 0 && e.role && (e.ariaLabel || e.getAttribute('aria-labelledby')))
}).map((e) => `${e.tagName.toLowerCase()}.${e.className}: ${e.textContent.trim().slice(0, 40)}`)"""
CITED = Path(__file__).with_name("cited.js").read_text(encoding="utf-8")
MIDDLE = """(number) => {
    const link = window.cited[number]
    link.scrollIntoView({block: 'center', behavior: 'instant'})
    const box = link.getBoundingClientRect()
    return [box.x + box.width / 2, box.y + box.height / 2]
}"""
HOVERED = """(number) => {
    const link = window.cited[number]
    const seen = link.matches(':hover') && getComputedStyle(link).opacity === '1'
    return seen ? [] : [`${link.hash}: # not seen`]
}"""
NEXT_FRAME = """() => new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))"""


def asked(page: Page, width: int) -> Iterator[tuple[str, str]]:
    """The kind of what is wrong, and what: with all of the page laid out, folds closed, then open."""
    style = page.add_style_tag(
        content="* {transition: none !important; content-visibility: visible !important}"
    )
    page.evaluate("scrollTo({top: 0, behavior: 'instant'})")  # the bar covers nothing there
    if width < NARROW:
        for what in measured(page):
            yield "phone", what
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    if width >= NARROW:
        for what in page.evaluate(FIND_OVERFLOWING):
            yield "phone", f"page scrolls: {what}"
    ask(page, NEXT_FRAME)  # what scrolls now has been told to take the focus
    for what in page.evaluate(UNREACHED):
        yield "keyboard", what
    for what in cited(page):
        yield "cited", what
    style.evaluate("(style) => style.remove()")


def measured(page: Page) -> list[str]:
    """What the measure of phones finds, folds closed and open; the ink of figures once."""
    looks = [phone.measure(page, folds_open=opened, ink=opened)["found"] for opened in (False, True)]
    return list(
        dict.fromkeys(f"{one['where']}: {one['kind']}: {one['text']}" for look in looks for one in look)
    )


def cited(page: Page) -> list[str]:
    """The # of what can be cited; with a mouse the last of each kind is hovered over, too."""
    page.keyboard.press("Shift")  # from now on the focus is shown
    found: list[str] = page.evaluate(CITED, TARGET)
    for number in range(page.evaluate("window.cited.length")):
        page.mouse.move(*page.evaluate(MIDDLE, number))
        found += page.evaluate(HOVERED, number)
    page.mouse.move(0, 0)
    return found
