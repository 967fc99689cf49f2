"""Exercises as they are written, beyond what a build refuses (PE701 to PE713): answers of another kind."""

import re

import pytest

from bookish.run.cells import from_text, leaning
from bookish.run.solutions import BEGIN, BLANK, UNFILLED, solution_cell, split_solution, with_try
from tests.pages.sources import DOCS, pages
from tests.pages.tried import CHANGES, ends, returning

TITLE = re.compile(r"^:{3,4}\{exercise\} (.*)\n:label: (\S+)$", re.MULTILINE)
ASKED = re.compile(r"^```\{exercise-list\}\n:labels: (.*)$", re.MULTILINE)
FRONT = "---\nfile_format: mystnb\nkernelspec: {name: python3}\n---\n# A\n\n"
CELL = "def twice(n):\n    # begin solution\n    return 2 * n\n    # end solution\n\nassert twice(3) == 6"


def in_code(text: str) -> list[str]:
    return [label for title, label in TITLE.findall(text) if title.startswith("[in code")]


WITH_CODE = [page.relative_to(DOCS).as_posix() for page in pages() if in_code(page.read_text("utf-8"))]


def test_an_exercise_that_a_list_asks_for_is_there():
    texts = [page.read_text("utf-8") for page in pages()]
    asked = [label for text in texts for labels in ASKED.findall(text) for label in labels.split()]
    assert asked
    assert set(asked) <= {label for text in texts for _, label in TITLE.findall(text)}


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


def test_importing_once_more_in_a_solution_leaves_what_others_use():
    """A name that means the same as before is not bound by the fold; one that means something else is."""
    cell = "```{{code-cell}} python\n{}\n```\n\n"
    fold = ":::{{solution-start}} exr:a:b\n:label: sol:a:b\n:::\n\n" + cell + ":::{{solution-end}}\n:::\n\n"
    for second, leans in (("import numpy as np", []), ("import math as np", [{"np": 2}])):
        text = FRONT + cell.format("import numpy as np") + fold.format(second) + cell.format("np.pi")
        assert [names for _, names in leaning(from_text(text))] == leans
