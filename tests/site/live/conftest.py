"""A copy of the site whose cells run, and a reader's tab.

Its numpy stands in for the published one: of the same version for the same Python, built by somebody else.
"""

import re
from types import SimpleNamespace

import pytest
from playwright.sync_api import expect

from bookish.run.solutions import solution_cell, split_solution, with_try
from tests.site.conftest import REPO, SITE, extension, page_of, skip_or_fail

PAGE = "sinusoidal/formula.html"
CHEAP = "howto/check-a-config.html"
START = 60_000  # ms for Python to be fetched and begun
TRY = re.compile(r"^(:{3,}|`{3,})\{wrong-try\}[^\n]*\n(.*?)^\1$", re.DOTALL | re.MULTILINE)
LABEL = re.compile(r"^:{3,}\{solution-start\}\s+(exr:\S+)", re.MULTILINE)
CHECK = """async ([id, text]) => {
    const one = live.exercises.find((one) => one.id === id)
    one.start()
    one.reset()
    if (text !== null) one.open(text)
    await one.judge()
    return one.bar.said.textContent
}"""


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


def differing(live, tab, address, page):
    """The cells of a page of which something else comes than is printed."""
    run = live.visit.ran(tab, address, page)
    assert run.cells
    return [cell for cell in run.cells if cell["how"] not in ("same", "width")]


def misjudged(tab, page):
    """The exercises of the page in `tab` that are judged otherwise than the build says."""
    text = (REPO / "docs" / page).with_suffix(".md").read_text(encoding="utf-8")
    shown = set(tab.evaluate("live.exercises.map((one) => one.id)"))
    labels = [label for label in LABEL.findall(text) if label in shown]
    assert set(labels) == shown
    for label in labels:
        code = solution_cell(text, label)
        own = text[text.index(f"{{solution-start}} {label}") :].partition("{solution-end}")[0]
        due = [(None, "Nothing is filled in yet."), (split_solution(code)[1], "Right: it passes all checks.")]
        tries = [tried for _, tried in TRY.findall(own)]
        assert len(tries) == own.count("{wrong-try}")
        due += [(with_try(code, tried), "Not yet: ") for tried in tries]
        for answer, words in due:
            said = tab.evaluate(CHECK, [label, answer])
            if not said.startswith(words) or "from the package" in said:
                yield label, answer, said
