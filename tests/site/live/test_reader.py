"""What a reader does with cells and answers, and what goes wrong meanwhile: each time one sentence."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.site.conftest import extension
from tests.site.live.conftest import CHEAP, PAGE, begun, differing, misjudged, told


def changed(tab, cell, code):
    """Put this code in a cell, and press Run."""
    tab.evaluate("(n) => live.cells[n - 1].edit()", cell)
    tab.locator("textarea.live-code").first.fill(code)
    tab.get_by_role("button", name=f"Run cell {cell}", exact=True).click()


def test_what_a_reader_changes_is_run_shown_as_text_stopped_and_reset(live, tab, address):
    asked = []
    tab.on("request", lambda request: asked.append(request.url))
    bar = begun(tab, address)
    assert not [url for url in asked if "/live/" in url and not url.endswith((".css", ".js"))]
    assert not [url for url in asked if "pyodide" in url]
    assert differing(live, tab, address, PAGE) == []
    assert list(misjudged(tab, PAGE)) == []
    assert tab.locator(".exercise .live-bar a[href^='#sec-']").count()  # the section that a message names
    out = tab.locator(".live-out pre").first

    changed(tab, 1, "x = 1\nprint('<b>bold</b>')\n1 / 0")
    told(bar, "ZeroDivisionError in line 3: division by zero.")
    raised = 'Traceback (most recent call last):\n  File "<cell 1>", line 3, in <module>\n    1 / 0'
    expect(out).to_contain_text(f"<b>bold</b>\n{raised}")
    assert tab.locator(".live-out b").count() == 0
    tab.get_by_role("button", name="Run cell 2", exact=True).click()
    told(tab.locator(".live-bar").nth(1), "Cell 1 above ended in an error, so this one did not run")

    changed(tab, 1, "import numpy as np\nimport pe_book as pe\nprint(1)")
    told(bar, "Your version.")
    tab.get_by_role("button", name="Run cell 2", exact=True).click()
    told(tab.locator(".live-bar").nth(1), "As printed.")
    tab.locator("textarea.live-code").first.fill("print(2)")
    tab.locator("textarea.live-code").first.press("Control+Enter")
    expect(out).to_have_text("2\n")
    assert not tab.evaluate("live.cells[1].fresh")  # it stood on other values
    changed(tab, 1, "print('x' * 10**8)")
    told(bar, "99,900,001 characters more are not shown.")
    changed(tab, 1, "if True print(1)")
    told(bar, "SyntaxError in line 1: ")
    changed(tab, 1, "x = []\nwhile True:\n    x.append(bytearray(10**9))")
    told(bar, "MemoryError in line 3.")
    changed(tab, 1, "import torch")
    told(bar, "This needs torch, which does not run in a browser")

    changed(tab, 1, "print('before')\nwhile True:\n    pass")
    told(bar, "Running")
    expect(out).to_have_text("before\n")
    tab.get_by_role("button", name="Stop cell 1").press("Enter")
    told(bar, "Stopped.")
    tab.get_by_role("button", name="Run cell 2", exact=True).press("Enter")
    told(tab.locator(".live-bar").nth(1), "Cell 1 above was stopped, so this one did not run.")
    tab.locator(".live-bar").first.get_by_role("button", name="Reset").press("Enter")
    expect(tab.locator(".cell_output").first).to_be_visible()
    expect(tab.locator("div.cell:not(.tag_hide-input)").first.locator(".live-out")).to_have_count(0)
    tab.get_by_role("button", name="Run cell 2", exact=True).press("Enter")
    told(tab.locator(".live-bar").nth(1), "10 of 10 cells agree with what is printed. Python began anew")


def test_what_an_answer_takes_from_the_package_is_said(tab, address):
    begun(tab, address)
    answer = "def own():\n    return pe.table(1, 2)\n"
    taken = tab.evaluate("(text) => live.exercises[0].borrowed(live.exercises[0].given + text)", answer)
    assert taken == ["pe.table"]
    assert tab.evaluate("live.exercises[0].borrowed(live.exercises[0].given)") == []


def test_an_answer_stays_in_the_browser_and_is_saved_in_the_notebook(tab, address, tmp_path):
    begun(tab, address)
    box = tab.locator(".exercise:has(.stub)").first
    box.get_by_role("button", name="Answer here").click()
    answer = box.get_by_role("textbox", name="Your answer")
    answer.press_sequentially("if True:\nreturn 'mine'")
    expect(answer).to_have_value(re.compile(r"    if True:\n        return 'mine'"))  # new lines begin below
    tab.reload()
    begun(tab, address)
    expect(box.get_by_role("textbox", name="Your answer")).to_have_value(re.compile("return 'mine'"))
    with tab.expect_download() as saved:
        box.get_by_role("button", name="Save as notebook").click()
    saved.value.save_as(tmp_path / "saved.ipynb")
    cells = json.loads((tmp_path / "saved.ipynb").read_text(encoding="utf-8"))["cells"]
    (source,) = ("".join(cell["source"]) for cell in cells if "return 'mine'" in "".join(cell["source"]))
    assert tab.evaluate("live.exercises[0].check") in source
    box.get_by_role("button", name="Reset").click()
    expect(answer).to_be_visible()  # it asks
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


FEW = ("runtime", "checksum", "offline")  # the others differ by a file


@pytest.mark.parametrize(
    "luck", [pytest.param(one, marks=() if one in FEW else pytest.mark.thorough) for one in LUCK]
)
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
        tabs = visits.Tabs(browser)
        assert visits.wrong_with(tabs, home, CHEAP, scheme, widths, axe) == []
        (tab,) = tabs.opened.values()
        assert {cell["how"] for cell in tab.page.evaluate(live.visit.ALL)} == {"same"}
        assert list(visits.laid_out(tab.page, widths[0])) == []
        assert visits.broken_rules(tab.page) == []


@pytest.mark.thorough
def test_two_tabs_run_side_by_side(live, reader, address):
    tabs = [reader.new_page() for _ in range(2)]
    for tab, page in zip(tabs, (CHEAP, PAGE), strict=True):
        tab.goto(address + page)
        tab.evaluate(f"window.done = ({live.visit.ALL})(), 0")
    for tab in tabs:
        assert {cell["how"] for cell in tab.evaluate("done")} == {"same"}
        tab.close()


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
