"""Open a page as a reader does, light or dark, wide or narrow, and list what is wrong with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from driver.audit.weights import requests_of, too_heavy, weigh
from driver.look import FIND_OVERFLOWING, GO_ON, ask, collect_errors, measured

NARROW = 600  # px; as the stylesheets have it
TARGET = 24  # px
HEIGHTS = {1300: 900, 390: 844, 360: 780}  # px, of a window by its width
OF_STYLES = ("color-contrast", "link-in-text-block", "target-size")  # rules that most of a look goes to
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SHIFT = 0.1  # what counts as good; a font that comes late moves a page by 0.07
OPENED_BY = (".contents-button", ".search-button")  # tried on the front page; they are the same on every page

WATCH, RUN_AXE, CITED = (
    Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("watch.js", "axe.js", "cited.js")
)
TO_THE_END = "scrollTo({top: document.scrollingElement.scrollHeight, behavior: 'instant'})"
# what scrolls takes the focus, and has a name
UNREACHED = """() => [...document.querySelectorAll('.bd-article *')].filter((e) => {
    const wide = e.scrollWidth > e.clientWidth + 1, high = e.scrollHeight > e.clientHeight + 1
    if (!wide && !high) return false
    const style = getComputedStyle(e), scrolls = /auto|scroll/
    if (!(wide && scrolls.test(style.overflowX)) && !(high && scrolls.test(style.overflowY))) return false
    if (e.matches('textarea') && e.labels.length) return false
    return !(e.tabIndex === 0 && e.role && (e.ariaLabel || e.getAttribute('aria-labelledby')))
}).map((e) => `${e.tagName.toLowerCase()}.${e.className}: ${e.textContent.trim().slice(0, 40)}`)"""
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


class Tab:
    """One in which pages are opened one after the other: a new one for each costs half of a visit."""

    def __init__(self, browser: Browser, home: str, scheme: str, narrow: bool):
        context = browser.new_context(
            color_scheme="dark" if scheme == "dark" else "light",
            has_touch=narrow,
            device_scale_factor=2 if narrow else 1,
        )
        context.add_init_script(WATCH)
        self.page = context.new_page()
        self.errors, self.answered = collect_errors(self.page, home), requests_of(self.page)


class Tabs:
    """The tabs of one browser, by where the pages lie and how they are opened."""

    def __init__(self, browser: Browser):
        self.browser = browser
        self.opened: dict[tuple[Any, ...], Tab] = {}

    @contextmanager
    def one(self, *how: Any) -> Iterator[Tab]:
        """A tab as if nobody had used it; one in which something failed is not used again."""
        tab = self.opened.pop(how, None) or Tab(self.browser, *how)
        tab.errors.clear()
        tab.answered.clear()
        yield tab
        tab.page.evaluate("localStorage.clear(), sessionStorage.clear()")
        self.opened[how] = tab


def wrong_with(
    tabs: Tabs, home: str, name: str, scheme: str, widths: tuple[int, ...], axe: str, styles: bool = True
) -> list[str]:
    """Open a page once, as a reader who comes for the first time; then look at it at each width.

    One that begins narrow is opened as on a phone: by a finger, with two dots for a pixel. Without the
    source of axe its look, which is the dearest, is left out; so are rules on styles, if not asked for.
    """
    with tabs.one(home, scheme, widths[0] < NARROW) as tab:
        return list(seen_in(tab, home, name, widths, axe, styles))


def seen_in(tab: Tab, home: str, name: str, widths: tuple[int, ...], axe: str, styles: bool) -> Iterator[str]:
    page, first = tab.page, widths[0]
    page.set_viewport_size({"width": first, "height": HEIGHTS[first]})
    page.goto(home + name, wait_until="load")
    ask(page, "() => document.fonts.ready.then(() => true)")
    served = home.startswith("http")  # a folder sends nothing, and its fonts come when they come
    if served and name != "search.html":  # it opens with the index, others when somebody searches
        yield from (f"weight: {what}" for what in too_heavy(weigh(page, tab.answered)))
    loaded = ask(page, "audited.heights")
    ask(page, "audited.scroll") if served else page.evaluate(GO_ON)
    seen = page.evaluate("document.scrollingElement.scrollHeight")
    # as a page loads, sections further down are as high as their words make likely
    off = [px for px, most in zip(loaded, (0.1, 0.05), strict=True) if served and abs(px / seen - 1) > most]
    yield from (f"scroll bar: {px} px when loaded, {seen} px when seen" for px in off)
    for shift in page.evaluate("audited.shifts") if served else []:
        if shift["value"] >= SHIFT:
            yield f"layout shift: {shift['value']:.4f}: {', '.join(shift['what'])}"
    page.evaluate(axe or "0")
    for width in widths:
        page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
        yield from (f"{what} ({width} px)" for what in laid_out(page, width))
        page.evaluate(TO_THE_END)  # and nothing is laid out for the sake of axe
        ask(page, NEXT_FRAME)
        again = styles or width == first  # the structure of a page is the same at another width
        yield from (
            f"{broken} ({width} px)" for broken in (broken_rules(page, styles) if axe and again else ())
        )
    if axe and name == "index.html" and first < NARROW:
        page.set_viewport_size({"width": first, "height": HEIGHTS[first]})
        for opened in OPENED_BY:
            page.click(opened)
            page.wait_for_timeout(300)
            if page.url != home + name:
                yield f"error: {opened} led to {page.url} and opened nothing"
                break
            yield from (f"{broken}, opened by {opened}" for broken in broken_rules(page))
            page.keyboard.press("Escape")
    yield from (f"policy: {refused}" for refused in page.evaluate("audited.refused"))
    yield from dict.fromkeys(tab.errors)


def broken_rules(page: Page, styles: bool = True) -> list[str]:
    return [
        f"axe: {broken['rule']} x{broken['nodes']}: {broken['where']} {broken['why']}"
        for broken in ask(page, RUN_AXE, [RULES, [] if styles else OF_STYLES])
    ]


def laid_out(page: Page, width: int) -> Iterator[str]:
    """What is wrong at a width, with all of the page laid out, folds closed, then open."""
    style = page.add_style_tag(
        content="* {transition: none !important; content-visibility: visible !important}"
    )
    page.evaluate("scrollTo({top: 0, behavior: 'instant'})")  # the bar covers nothing there
    if width < NARROW:
        yield from (f"phone: {what}" for what in measured(page))
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    if width >= NARROW:
        yield from (f"phone: page scrolls: {what}" for what in page.evaluate(FIND_OVERFLOWING))
    ask(page, NEXT_FRAME)  # what scrolls now has been told to take the focus
    yield from (f"keyboard: {what}" for what in page.evaluate(UNREACHED))
    yield from (f"cited: {what}" for what in cited(page))
    style.evaluate("(style) => style.remove()")


def cited(page: Page) -> list[str]:
    """The # of what can be cited; with a mouse the last of each kind is hovered over, too."""
    page.keyboard.press("Shift")  # from now on the focus is shown
    found: list[str] = page.evaluate(CITED, TARGET)
    for number in range(page.evaluate("window.cited.length")):
        page.mouse.move(*page.evaluate(MIDDLE, number))
        found += page.evaluate(HOVERED, number)
    page.mouse.move(0, 0)
    return found
