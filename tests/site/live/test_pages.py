"""Cells print in the page what is printed there, and exercises are judged; what is shipped is what is pinned.

What holds of every page is asked of a few; `make thorough` asks all.
"""

import json
import re

import pytest

from bookish.live import pages_of
from bookish.run.solutions import solution_cell, split_solution, with_try
from tests.site.conftest import REPO, SITE, extension
from tests.site.live.conftest import CHEAP, PAGE

FEW = ["sinusoidal/shift.html", "why/order-blindness.html", CHEAP]
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
