"""A copy of the site whose cells run, and a reader's tab.

Its numpy stands in for the published one: of the same version for the same Python, built by somebody else.
"""

from types import SimpleNamespace

import pytest
from playwright.sync_api import expect

from tests.site.conftest import SITE, extension, page_of, skip_or_fail

PAGE = "sinusoidal/formula.html"
CHEAP = "howto/check-a-config.html"
START = 60_000  # ms for Python to be fetched and begun


@pytest.fixture(scope="session")
def live(tmp_path_factory):
    """A copy of the site whose cells run, the pages on which they do, and its driver."""
    page_of(SITE, PAGE)
    made, visit = extension("driver.live.run"), extension("driver.live.visit")
    folder = tmp_path_factory.mktemp("live") / "site"
    try:
        pages, _ = made.made(folder, "stand-in")
    except extension("book").Refusal as refusal:
        skip_or_fail(str(refusal))
    return SimpleNamespace(folder=folder, pages=pages, visit=visit)


@pytest.fixture(scope="session")
def address(live, audit):
    with audit.server.served(live.folder, "/a/prefix/", audit.server.LIVE_POLICY) as home:
        yield home


@pytest.fixture(scope="session")
def reader(browser, look):
    """What keeps the runtime from one page to the next."""
    context = browser.new_context(viewport=look.DESKTOP)
    yield context
    context.close()


@pytest.fixture
def tab(reader):
    opened = reader.new_page()
    opened.set_default_timeout(START)
    yield opened
    opened.close()


def begun(tab, address, page=PAGE):
    """A page with its buttons; the first bar."""
    tab.goto(address + page)
    tab.evaluate("for (const one of [...live.cells, ...live.exercises]) one.start()")
    return tab.locator(".live-bar").first


def told(bar, words):
    expect(bar.get_by_role("status")).to_contain_text(words, timeout=START)
