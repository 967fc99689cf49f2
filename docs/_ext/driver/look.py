"""Look at one built page: `python docs/_ext/driver look docs/_build/html/sinusoidal/shift.html /tmp/shift`.

Writes PREFIX-light.png, PREFIX-dark.png and PREFIX-phone.png, and lists what is wrong: requests to other
hosts, files that are missing, errors on the console, and what is wrong at 360 and 390 px, folds closed, then
open. Needs Playwright and a Chromium: the system's, or what `python -m playwright install chromium` fetches.

On a phone no page, box, heading, figure or formula is cut or scrolls sideways, and no number of a formula
lies over it. Text in a figure is at least 11 px high as it is displayed; no two texts of a panel overlap;
none leaves its panel. A table may scroll if its first column stays, the second is seen at once, it shows that
it scrolls and a keyboard can do it. No word of code or of a table is broken, no punctuation starts a line.
Controls have 44 px; other targets outside running text have 24, or as much room around them. No line of code
is cut: it goes on below.
"""

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Page, sync_playwright

from book import option

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--force-color-profile=srgb",
)
NO_CHROMIUM = "no Chromium: install the system's chromium, or run `python -m playwright install chromium`"


def chromium_path() -> str:
    """PE_CHROMIUM, the system's, or the one that Playwright fetched; an empty string when there is none."""
    found = [option("PE_CHROMIUM"), *(shutil.which(name) for name in NAMES)]
    if path := next(filter(None, found), ""):
        return path
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else ""


LIMITS = {
    "text": 11,  # px, as displayed
    "script": 7.5,  # px: subscripts and exponents are 0.7 of their line
    "overlap": 1,  # px by which the ink of two texts may meet, and a text may leave its panel
    "control": 44,  # px
    "target": 24,  # px
}
PARTS = ("common", "figures", "widths", "tables", "words", "targets", "page")
MEASURE = "async (limits) => {\n%s\nreturn measurePage(limits)}" % "\n".join(
    Path(__file__).with_name("phone").joinpath(f"{part}.js").read_text(encoding="utf-8") for part in PARTS
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


PATIENCE = 60  # seconds for what a page is asked

PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1300, "height": 900}


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without background requests; LookupError if none is installed."""
    path = chromium_path()
    if not path:
        raise LookupError(NO_CHROMIUM)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(OPTIONS))
        try:
            yield browser
        finally:
            browser.close()


def collect_errors(page: Page, home: str) -> list[str]:
    """Collect what goes wrong on a page whose files all lie under `home`."""
    errors: list[str] = []

    def requested(request: Any) -> None:
        if not request.url.startswith((home, "data:", "blob:")):
            errors.append(f"asked elsewhere: {request.url}")

    def failed(request: Any) -> None:
        # the browser aborts requests that are under way, often the icon, when it opens the next page
        if request.failure != "net::ERR_ABORTED":
            errors.append(f"failed: {request.url} ({request.failure})")

    def answered(response: Any) -> None:
        if response.status >= 400:
            errors.append(f"{response.status}: {response.url}")

    def logged(message: Any) -> None:
        if message.type in ("error", "warning"):
            errors.append(f"console: {message.text}")

    page.on("request", requested)
    page.on("requestfailed", failed)
    page.on("response", answered)
    page.on("pageerror", lambda error: errors.append(f"page error: {error}"))
    page.on("console", logged)
    return errors


def list_overflowing(page: Page) -> list[str]:
    return list(page.evaluate(FIND_OVERFLOWING))


# a browser leaves sections for later that are out of sight (shell.css): they would be missing in a picture
LAID_OUT = ".bd-article section { content-visibility: visible !important; }"
# and what takes part in a page is built as a reader comes near, or goes on by Tab (near.js)
GO_ON = "() => dispatchEvent(new KeyboardEvent('keydown', { key: 'Tab' }))"


def open_settled(page: Page, url: str) -> None:
    """Open a page and wait until all of it is laid out and its fonts are there, so that widths are final."""
    page.goto(url, wait_until="load")
    page.add_style_tag(content=LAID_OUT)
    page.evaluate(GO_ON)
    ask(page, "() => document.fonts.ready.then(() => true)")


def ask(page: Page, script: str, argument: Any = None) -> Any:
    """What an async function of the page comes to; `evaluate` itself would wait for it for ever."""
    kept = "(value) => { window.answered = {value} }, (error) => { window.answered = {error: `${error}`} }"
    page.evaluate(f"(given) => {{ window.answered = null; ({script})(given).then({kept}) }}", argument)
    until, pause = time.monotonic() + PATIENCE, 2.0  # ms
    while (answered := page.evaluate("window.answered")) is None:
        if time.monotonic() > until:
            raise TimeoutError(f"{page.url} did not answer within {PATIENCE} seconds: {script[:60]}")
        page.wait_for_timeout(pause)
        pause = min(2 * pause, 50)
    if "error" in answered:
        raise RuntimeError(f"{page.url}: {answered['error']}")
    return answered.get("value")


def look(file: Path, prefix: Path) -> list[str]:
    prefix.parent.mkdir(parents=True, exist_ok=True)
    errors: list[str] = []
    with chromium() as browser:
        for name in ("light", "dark", "phone"):
            size = PHONE if name == "phone" else DESKTOP
            page = browser.new_page(viewport=size, color_scheme="dark" if name == "dark" else "light")
            logged = collect_errors(page, "file:")
            open_settled(page, file.resolve().as_uri())
            page.screenshot(path=f"{prefix}-{name}.png", full_page=True)
            if name == "phone":
                for width in (360, 390):
                    page.set_viewport_size({"width": width, "height": PHONE["height"]})
                    logged += measured(page)
            errors += [f"{name}: {line}" for line in logged]
            page.close()
    return list(dict.fromkeys(errors))


if __name__ == "__main__":
    if len(sys.argv) != 3 or not Path(sys.argv[1]).is_file():
        sys.exit(__doc__)
    try:
        found = look(Path(sys.argv[1]), Path(sys.argv[2]))
    except (LookupError, Error) as error:
        sys.exit(str(error))
    print("\n".join(found) or "nothing to complain about")
