"""Cells that run in the page: they print what is printed, exercises are judged, bad luck is told.

The site is a copy with a numpy that stands in for the one that is published: of the same version for the same
Python, built by somebody else. What holds of every page is asked of a few; `make thorough` asks all.
"""

import json
import re
from types import SimpleNamespace

import pytest
from playwright.sync_api import expect

from bookish.live import pages_of
from bookish.run.solutions import solution_cell, split_solution, with_try
from tests.site.conftest import REPO, SITE, extension, page_of, skip_or_fail

PAGE = "sinusoidal/formula.html"
FEW = ["sinusoidal/shift.html", "why/order-blindness.html", "howto/check-a-config.html"]
START = 60_000  # ms for Python to be fetched and begun
TRY = re.compile(r"^:{3,}\{wrong-try\}[^\n]*\n(.*?)^:{3,}$", re.DOTALL | re.MULTILINE)
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


# ---------------------------------------------------------------- without a browser


def test_the_site_itself_is_as_it_was_and_pages_that_need_torch_run_nothing(live):
    for name in ("index.html", PAGE, "sinusoidal/production.html"):
        assert "_static/live" not in (SITE / name).read_text(encoding="utf-8")
    assert not (SITE / "_static" / "live").exists()
    assert PAGE in live.pages
    assert "sinusoidal/production.html" not in live.pages
    assert "_static/live" not in (live.folder / "sinusoidal/production.html").read_text(encoding="utf-8")


def test_what_is_shipped_is_listed_with_version_licence_and_checksum(live):
    lock = json.loads((live.folder / "_static/live/lock.json").read_text(encoding="utf-8"))
    sha256 = extension("bookish.live.runtime").sha256
    assert not lock["published"]  # of the one that stands in
    for one in lock["files"]:
        data = (live.folder / "_static/live" / one["file"]).read_bytes()
        assert (len(data), sha256(data)) == (one["bytes"], one["sha256"])
        assert one["version"]
        assert one["licence"]


def test_a_numpy_that_is_not_the_pinned_one_is_refused(tmp_path):
    runtime, refusal = extension("bookish.live.runtime"), extension("book").Refusal
    (tmp_path / runtime.SHIPPED["numpy"]["file"]).write_bytes(b"another")
    with pytest.raises(refusal, match="is not the one that"):
        runtime.numpy_wheel(str(tmp_path), tmp_path)
    with pytest.raises(refusal, match="cannot be had there"):
        runtime.numpy_wheel(str(tmp_path / "nowhere"), tmp_path)


# ---------------------------------------------------------------- pages


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
        due += [(with_try(code, tried), "Not yet: ") for tried in TRY.findall(own)]
        for answer, words in due:
            said = tab.evaluate(CHECK, [label, answer])
            if not said.startswith(words) or "from the package" in said:
                yield label, answer, said


OTHERS = [
    pytest.param(page, marks=pytest.mark.thorough)
    for page in pages_of(SITE, REPO / "docs")
    if page not in FEW
]


@pytest.mark.parametrize("page", FEW + OTHERS)
def test_a_page_computes_what_it_prints_and_judges_its_exercises(live, tab, address, page):
    assert differing(live, tab, address, page) == []
    assert list(misjudged(tab, page)) == []


# ---------------------------------------------------------------- one page, by hand


def changed(tab, cell, code):
    """Put this code in a cell, and press Run."""
    tab.evaluate("(n) => live.cells[n - 1].edit()", cell)
    tab.locator("textarea.live-code").first.fill(code)
    tab.get_by_role("button", name=f"Run cell {cell}", exact=True).click()


def test_what_a_reader_changes_is_run_shown_as_text_stopped_and_reset(tab, address):
    asked = []
    tab.on("request", lambda request: asked.append(request.url))
    bar = begun(tab, address)
    assert not [url for url in asked if "/live/" in url and not url.endswith((".css", ".js"))]
    assert not [url for url in asked if "pyodide" in url]
    out = tab.locator(".live-out pre").first

    changed(tab, 1, "x = 1\nprint('<b>bold</b>')\n1 / 0")
    told(bar, "ZeroDivisionError in line 3.")
    raised = 'Traceback (most recent call last):\n  File "<cell 1>", line 3, in <module>\n    1 / 0'
    expect(out).to_contain_text(f"<b>bold</b>\n{raised}")
    assert tab.locator(".live-out b").count() == 0
    tab.get_by_role("button", name="Run cell 2", exact=True).click()
    told(tab.locator(".live-bar").nth(1), "Cell 1 above ended in an error, so this one did not run")

    changed(tab, 1, "print('x' * 10**8)")
    told(bar, "99,900,001 characters more are not shown.")
    changed(tab, 1, "if True print(1)")
    told(bar, "SyntaxError in line 1.")
    changed(tab, 1, "import torch")
    told(bar, "This needs torch, which does not run in a browser")

    changed(tab, 1, "print('before')\nwhile True:\n    pass")
    told(bar, "Running")
    expect(out).to_have_text("before\n")
    tab.get_by_role("button", name="Stop cell 1").press("Enter")
    told(bar, "Stopped.")
    tab.locator(".live-bar").first.get_by_role("button", name="Reset").press("Enter")
    expect(tab.locator(".cell_output").first).to_be_visible()
    expect(tab.locator(".live-out")).to_have_count(0)
    tab.get_by_role("button", name="Run cell 2", exact=True).press("Enter")
    told(tab.locator(".live-bar").nth(1), "2 of 10 cells agree with what is printed. Python began anew")


def test_an_answer_stays_in_the_browser_and_is_saved_in_the_notebook(tab, address, tmp_path):
    begun(tab, address)
    box = tab.locator(".exercise:has(.stub)").first
    box.get_by_role("button", name="Answer here").click()
    box.get_by_role("textbox", name="Your answer").press_sequentially("return 'mine'")
    tab.reload()
    begun(tab, address)
    expect(box.get_by_role("textbox", name="Your answer")).to_have_value(re.compile("return 'mine'"))
    with tab.expect_download() as saved:
        box.get_by_role("button", name="Save as notebook").click()
    saved.value.save_as(tmp_path / "saved.ipynb")
    cells = json.loads((tmp_path / "saved.ipynb").read_text(encoding="utf-8"))["cells"]
    assert sum("return 'mine'" in "".join(cell["source"]) for cell in cells) == 1
    box.get_by_role("button", name="Reset").click()
    tab.reload()
    begun(tab, address)
    expect(box.get_by_role("button", name="Answer here")).to_be_visible()


# ---------------------------------------------------------------- bad luck: a sentence, the page as it was

MISSING = {"status": 404}
LUCK = {
    "runtime": ("lock.json", MISSING, "The files that run cells are missing on this site."),
    "worker": ("worker.js", MISSING, "The files that run cells are missing on this site."),
    "a file": ("numpy-*", MISSING, "is missing on this site (404)."),
    "cut off": ("mpmath-*", {"body": b"short"}, "has 5 bytes, and this site lists"),
    "checksum": ("pe_book.zip*", {}, "pe_book.zip is not the file that is listed"),
    "offline": ("python_stdlib.zip*", None, "python_stdlib.zip cannot be fetched: is this machine offline?"),
}


@pytest.mark.parametrize("luck", LUCK)
def test_bad_luck_is_told_in_a_sentence(live, look, browser, address, luck):
    files, answer, words = LUCK[luck]
    if answer == {}:  # of the right length
        answer = {"body": bytes((live.folder / "_static/live/pe_book.zip").stat().st_size)}
    tab = browser.new_page(viewport=look.DESKTOP)
    abort, fulfil = (lambda route: route.abort()), (lambda route: route.fulfill(**answer))
    tab.route(f"**/_static/live/{files}", abort if answer is None else fulfil)
    bar = begun(tab, address)
    bar.get_by_role("button", name="Run cell 1", exact=True).click()
    told(bar, words)
    expect(tab.locator(".cell_output").first).to_be_visible()
    tab.close()


@pytest.mark.parametrize(("scheme", "widths"), [("light", (1300,)), ("dark", (360,))])
def test_nothing_is_wrong_with_a_page_that_runs(live, browser, axe, audit, scheme, widths):
    """As of every page: what axe says, what a phone cuts, what the policy refuses, what scripts weigh."""
    visits = extension("tests.site.visits")
    with audit.server.served(live.folder, "/", audit.server.LIVE_POLICY) as home:
        assert visits.wrong_with(visits.Tabs(browser), home, FEW[-1], scheme, widths, axe) == []


def test_a_page_from_a_folder_and_an_old_browser_say_what_would_do(live, browser, look, address):
    tab = browser.new_page(viewport=look.DESKTOP)
    bar = begun(tab, live.folder.as_uri() + "/")
    bar.get_by_role("button", name="Run cell 1", exact=True).click()
    told(bar, "Serve the folder: run python -m http.server in it")
    tab.add_init_script("delete window.WebAssembly")
    bar = begun(tab, address)
    bar.get_by_role("button", name="Run cell 1", exact=True).click()
    told(bar, "This browser cannot run Python")
    tab.close()
