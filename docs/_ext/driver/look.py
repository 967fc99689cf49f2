"""Look at one built page: `python docs/_ext/driver look docs/_build/html/sinusoidal/shift.html /tmp/shift`.

Writes PREFIX-light.png, PREFIX-dark.png and PREFIX-phone.png, and lists what is wrong: requests to other
hosts, files that are missing, errors on the console, and what `driver.phone` finds at 360 and 390 px.
Needs Playwright and a Chromium: the system's, or what `python -m playwright install chromium` fetches.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Page, sync_playwright

from driver.browser import NO_CHROMIUM, OPTIONS, chromium_path
from driver.phone import FIND_OVERFLOWING, measured

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
    """What makes the page wider than a phone."""
    return list(page.evaluate(FIND_OVERFLOWING))


# a browser leaves sections for later that are out of sight (shell.css): they would be missing in a picture
LAID_OUT = ".bd-article section { content-visibility: visible !important; }"
# and what takes part in a page is built as a reader comes near, or goes on by Tab (near.js)
GO_ON = "() => dispatchEvent(new KeyboardEvent('keydown', { key: 'Tab' }))"


def open_settled(page: Page, url: str) -> None:
    """Open a page and wait until all of it is laid out and its fonts are there, so that widths are final."""
    page.goto(url, wait_until="load")
    lay_out(page)


class Unanswered(RuntimeError):
    """A page did not do what it was asked."""


def ask(page: Page, script: str, argument: Any = None, *, patience: float = PATIENCE) -> Any:
    """What an async function of the page comes to; `evaluate` itself would wait for it for ever."""
    kept = "(value) => { window.answered = {value} }, (error) => { window.answered = {error: `${error}`} }"
    page.evaluate(f"(given) => {{ window.answered = null; ({script})(given).then({kept}) }}", argument)
    until, pause = time.monotonic() + patience, 2.0  # ms
    while (answered := page.evaluate("window.answered")) is None:
        if time.monotonic() > until:
            raise Unanswered(f"{page.url} did not answer within {patience:g} seconds: {script[:60]}")
        page.wait_for_timeout(pause)
        pause = min(2 * pause, 50)
    if "error" in answered:
        raise RuntimeError(f"{page.url}: {answered['error']}")
    return answered.get("value")


def lay_out(page: Page) -> None:
    """Lay out what the browser would only lay out as a reader comes near."""
    page.add_style_tag(content=LAID_OUT)
    page.evaluate(GO_ON)
    ask(page, "() => document.fonts.ready.then(() => true)")


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
