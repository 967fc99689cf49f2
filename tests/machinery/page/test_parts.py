"""Parts of the machinery alone: stubs are cut, numerals are told from names, kernels start."""

from __future__ import annotations

import pytest

from kernel.solutions import split_solution
from lint.numbers import PageLint

CODE = "def f(x):\n    # begin solution\n    y = x\n    return y\n    # end solution\nassert f(1) == 1"


def test_cut():
    stub, solution = split_solution(CODE)
    assert stub == 'def f(x):\n    raise NotImplementedError("nothing is filled in yet")\nassert f(1) == 1'
    assert solution == "def f(x):\n    y = x\n    return y\nassert f(1) == 1"


@pytest.mark.parametrize("missing", ["# begin solution", "# end solution"])
def test_cut_refuses_half_marks(missing):
    with pytest.raises(ValueError, match="stands without"):
        split_solution(CODE.replace(missing, "pass"))


@pytest.mark.parametrize(
    "text",
    [
        "GPT-2 and T5 in float32",
        "d2l, 3-D, bf16",
        "one or two words",
        "x1 and PE_3",
        "2 of 1",
        "v1.2.3",
        "section 3.5",
        "Table 12",
    ],
)
def test_names_are_free(text):
    assert list(PageLint({}).prose(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "0.5",
        "the 7 words",
        "60,611 of them",
        "-3.5",
        "1e-3",
        "12-hour clock",
        "ten tokens",
        "three hundred positions",
        "5 %",
    ],
)
def test_numbers_are_not(text):
    assert list(PageLint({}).prose(text)) != []


@pytest.mark.parametrize("typed", ["x = 12", "x \\approx 0.5", "3 < k", "k \\le 7,", "a = 5 \\\\ b", "n=100"])
def test_lone_numbers_in_maths(typed):
    assert list(PageLint({}).maths(typed)) != []


@pytest.mark.parametrize(
    "typed",
    [
        "x = 10000^{-2i/d}",
        "x = 2\\pi",
        "x = \\val",
        "k = 1",
        "p = 9i",
        "a = 7/8",
        "n_{12} = m",
        "x = 5\\cdot y",
    ],
)
def test_expressions_in_maths(typed):
    assert list(PageLint({}).maths(typed)) == []


def test_given_is_counted_and_allowed():
    page = PageLint({43: "rows of the example"})
    assert list(page.prose("of 43 columns")) == list(page.maths("d = 43")) == []
    assert [use.number for use in page.given.uses] == [43, 43]
