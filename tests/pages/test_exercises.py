"""Exercises as they are written: marks, and cells that stand alone in a fresh interpreter."""

from __future__ import annotations

import re

import pytest

from bookish.run.cells import from_text, leaning
from bookish.run.solutions import (
    BEGIN,
    BLANK,
    UNFILLED,
    solution_cell,
    split_solution,
    with_try,
)
from bookish.run.solutions.asked import FEWEST_WORDS, SEE, fault_of
from bookish.run.solutions.marks import KINDS, read_mark
from tests.pages.sources import DOCS, pages
from tests.pages.tried import CHANGES, ends, returning

TITLE = re.compile(r"^:{3,4}\{exercise\} (.*)\n:label: (\S+)$", re.MULTILINE)
ASKED = re.compile(r"^```\{exercise-list\}\n:labels: (.*)$", re.MULTILINE)
TRY = re.compile(r"^```\{wrong-try\} ([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FRONT = "---\nfile_format: mystnb\nkernelspec: {name: python3}\n---\n# A\n\n"
CELL = "def twice(n):\n    # begin solution\n    return 2 * n\n    # end solution\n\nassert twice(3) == 6"


def in_code(text: str) -> list[str]:
    return [label for title, label in TITLE.findall(text) if title.startswith("[in code")]


WITH_CODE = [page.relative_to(DOCS).as_posix() for page in pages() if in_code(page.read_text("utf-8"))]


def solution_of(text: str, label: str) -> str:
    start = text.index(f"{{solution-start}} {label}\n")
    return text[start : text.index("{solution-end}", start)]


def test_every_exercise_has_a_mark_that_is_read():
    found = [
        read_mark(title, label, "")
        for page in pages()
        for title, label in TITLE.findall(page.read_text("utf-8"))
    ]
    assert None not in found
    assert len(found) > 90
    assert {one.kind for one in found} == set(KINDS)
    assert {one.level for one in found} == {1, 2, 3}


def test_an_exercise_that_a_list_asks_for_is_there():
    texts = [page.read_text("utf-8") for page in pages()]
    asked = [label for text in texts for labels in ASKED.findall(text) for label in labels.split()]
    assert asked
    assert set(asked) <= {label for text in texts for _, label in TITLE.findall(text)}


@pytest.mark.parametrize(
    "mark",
    ["[by hand]", "[by hand, level 1]", "[by hand, level 0, 5 min]", "[by hand, level 1, 0 min]",
     "[by hand, level 1, 100 min]", "[alone, level 1, 5 min]", ""],
)  # fmt: skip
def test_a_mark_that_lacks_something_is_none(mark):
    assert read_mark(f"{mark} Add", "exr:a:b", "a") is None
    assert read_mark("[by hand, level 2, 15 min] Add", "exr:a:b", "a").mark == "by hand · level 2 · 15 min"


@pytest.mark.parametrize("page", WITH_CODE)
def test_each_cell_and_each_stub_stand_alone_and_each_wrong_try_is_answered(page, tmp_path):
    text = (DOCS / page).read_text(encoding="utf-8")
    variants, expected = {}, {}
    for label in in_code(text):
        code = solution_cell(text, label)
        stub, solution = split_solution(code)
        variants |= {label: solution, f"stub of {label}": stub}
        expected |= {label: "", f"stub of {label}": "NotImplementedError"}
        for title, tried in TRY.findall(solution_of(text, label)):
            variants[f"{label}: {title}"] = with_try(code, tried)
            expected[f"{label}: {title}"] = "AssertionError"
    found = ends(variants, tmp_path)
    assert {name: kind for name, (kind, _) in found.items()} == expected, found
    assert {said for name, (_, said) in found.items() if name.startswith("stub of")} == {UNFILLED}
    for name, (kind, said) in found.items():
        assert kind != "AssertionError" or fault_of(said, variants[name]) == "", name


@pytest.mark.parametrize("page", WITH_CODE)
def test_what_comes_as_another_kind_is_taken_or_told(page, tmp_path):
    text = (DOCS / page).read_text(encoding="utf-8")
    variants = {
        (label, name, change): changed
        for label in in_code(text)
        for change in CHANGES
        for name, changed in returning(solution_cell(text, label), change)
    }
    found = ends(variants, tmp_path)
    for (label, name, change), (kind, said) in found.items():
        if kind or change == "nothing":
            assert kind == "AssertionError", (label, name, change, kind, said)
            assert "expected" in said, (label, name, change, said)
            assert change != "nothing" or f"{name} returns None" in said, (label, said)


def test_the_lines_of_cells_of_exercises_are_short():
    for page in pages():
        text = page.read_text(encoding="utf-8")
        for label in in_code(text):
            long = [line for line in solution_cell(text, label).splitlines() if len(line) > 60]
            assert long == [], label


def test_a_stub_says_that_nothing_is_filled_in(tmp_path):
    stub, solution = split_solution(CELL)
    assert f"    {BLANK}\n" in stub
    assert BEGIN not in solution
    assert ends({"stub": stub}, tmp_path) == {"stub": ("NotImplementedError", UNFILLED)}


def test_a_try_takes_the_place_of_the_solution():
    assert with_try(CELL, "return n + n + 1\n") == (
        "def twice(n):\n    return n + n + 1\n\nassert twice(3) == 6"
    )
    two = CELL.replace(
        "\n\nassert", "\n\ndef half(n):\n    # begin solution\n    return n / 2\n    # end solution\n\nassert"
    )
    assert with_try(two, "return n\n# ...\nif n:\n    return n").startswith(
        "def twice(n):\n    return n\n\ndef half(n):\n    if n:\n        return n\n\nassert"
    )
    with pytest.raises(ValueError, match="1 parts for 2 places"):
        with_try(two, "return n")


def test_what_a_message_lacks_is_said():
    code = "assert x == 2, 'the number that came is not right: see \"Sums\"'"
    good = '3 came where the sum of both is due: see "Sums"'
    assert fault_of(good, code) == ""
    assert SEE.findall(good) == ["Sums"]
    assert f"fewer than {FEWEST_WORDS}" in fault_of('3 came: see "Sums"', code)
    assert "nothing is computed" in fault_of('the number that came is not right: see "Sums"', code)
    assert "names no heading" in fault_of("3 came where the sum of both numbers is due", code)


def test_importing_once_more_in_a_solution_leaves_what_others_use():
    """A name that means the same as before is not bound by the fold; one that means something else is."""
    cell = "```{{code-cell}} python\n{}\n```\n\n"
    fold = ":::{{solution-start}} exr:a:b\n:label: sol:a:b\n:::\n\n" + cell + ":::{{solution-end}}\n:::\n\n"
    for second, leans in (("import numpy as np", []), ("import math as np", [{"np": 2}])):
        text = FRONT + cell.format("import numpy as np") + fold.format(second) + cell.format("np.pi")
        assert [names for _, names in leaning(from_text(text))] == leans
