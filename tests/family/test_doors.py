"""Holds pe_book.family.doors, and what the opening page of Part III says with it, to their word."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pe_book.family.doors import DOORS, NOWHERE, STEP, attend, stack
from pe_book.sinusoidal.formula import encode
from tests.seeds import examples_drawn

PLANTED = {
    "scale": [("pe_book/family/doors/__init__.py", "q * np.sqrt(2)", "q * np.sqrt(3)")],
}

Array = NDArray[np.float64]
EQUAL = [[1.0, 0.0]] * 3
few = examples_drawn(40)
PAST_VALUES = ("query and key", "score", NOWHERE)
numbers = st.floats(-3, 3).map(lambda x: round(x, 3))
words = st.integers(1, 6).flatmap(
    lambda n: st.lists(st.tuples(numbers, numbers), min_size=n, max_size=n).map(np.array)
)
ROOT = math.sqrt(3) / 2


def softmax(*scores: float) -> Array:
    raised = np.array([math.exp(s) for s in scores])
    return np.asarray(raised / raised.sum())


# Exact small tables ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "middle", "last"),
    [
        ("nowhere", (1, 1), (1, 1, 1)),
        ("values", (1, 1), (1, 1, 1)),
        ("score", (0.5, 1), (0, 0.5, 1)),
        ("query and key", (ROOT, 1), (0.5, ROOT, 1)),
        (
            "input",
            (1.5 + ROOT, 1.5**2 + 0.75),
            (1.5 + ROOT, 1.5 * (1 + ROOT) + ROOT / 2, (1 + ROOT) ** 2 + 0.25),
        ),
    ],
)
def test_the_four_tables_from_scores_written_by_hand(
    name: str, middle: tuple[float, ...], last: tuple[float, ...]
) -> None:
    found = attend(EQUAL, name).weights
    np.testing.assert_allclose(found[0], [1, 0, 0], atol=0)
    np.testing.assert_allclose(found[1], np.append(softmax(*middle), 0), atol=1e-15)
    np.testing.assert_allclose(found[2], softmax(*last), atol=1e-15)
    without = attend(EQUAL, name, causal=False).weights
    np.testing.assert_allclose(without.sum(axis=1), 1, rtol=1e-14)
    assert (without > 0).all()


def test_the_rows_behind_the_input_door_by_hand() -> None:
    expected = np.array([[1, 1], [1.5, ROOT], [1 + ROOT, 0.5]])
    np.testing.assert_allclose(attend(EQUAL, "input").rows, expected, atol=1e-15)
    for name in DOORS[1:]:
        assert np.array_equal(attend(EQUAL, name).rows, EQUAL)


def test_vectors_of_distances_are_added_to_each_value_inside_the_average() -> None:
    x = np.array([[0.3, -1.0], [1.0, 0.5], [-0.2, 0.8]])
    found, plain = attend(x, "values", "score"), attend(x, "score")
    for i in range(3):
        due = sum(plain.weights[i, j] * (x[j] + encode([STEP * (i - j)], 2)[0]) for j in range(i + 1))
        np.testing.assert_allclose(found.output[i], due, atol=1e-15)


# Properties -----------------------------------------------------------------------------------------------


@few
@given(words, st.sampled_from((*DOORS[1:], NOWHERE)), st.integers(-500, 500), st.booleans())
def test_all_doors_but_the_first_do_not_notice_that_all_positions_move(
    x: Array, name: str, by: int, causal: bool
) -> None:
    here = attend(x, name, causal=causal).weights
    there = attend(x, name, positions=np.arange(len(x)) + by, causal=causal).weights
    np.testing.assert_allclose(there, here, atol=1e-9)


def test_the_first_door_does_notice() -> None:
    here = attend(EQUAL, "input").weights
    there = attend(EQUAL, "input", positions=[100, 101, 102]).weights
    assert np.abs(here - there).max() > 0.2
    # near words are favoured where the page says so, and not further on
    assert (np.diff(here[-1]) > 0).all()
    assert not (np.diff(there[-1]) > 0).all()
    # a whole turn of the one pair is not noticed
    np.testing.assert_allclose(attend(EQUAL, "input", positions=[12, 13, 14]).weights, here, atol=1e-12)


@few
@given(st.tuples(numbers, numbers), st.integers(1, 7), st.sampled_from(PAST_VALUES), st.integers(1, 3))
def test_equal_words_stay_equal_where_no_position_reaches_the_values(
    word: tuple[float, float], n: int, name: str, layers: int
) -> None:
    rows = stack([word] * n, name, layers=layers)
    np.testing.assert_allclose(rows, np.tile(np.array(word) * 2.0**layers, (n, 1)), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("doors", [("input",), ("input", "score", "query and key"), ("values",)])
def test_equal_words_part_where_position_reaches_the_values(doors: tuple[str, ...]) -> None:
    rows = stack(EQUAL, *doors, layers=4)
    assert np.abs(np.diff(rows, axis=0)).min() > 0.1


def test_the_sinusoid_is_added_once_below_the_first_layer() -> None:
    x = np.array([[0.3, -1.0], [1.0, 0.5], [-0.2, 0.8]])
    first = attend(x, "input")
    rows = first.rows + first.output
    np.testing.assert_allclose(stack(x, "input", layers=2), rows + attend(rows).output, atol=1e-14)
    first = attend(x, "score")
    rows = x + first.output
    np.testing.assert_allclose(stack(x, "score", layers=2), rows + attend(rows, "score").output, atol=1e-14)


# Refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "options", "words_of_error"),
    [
        ((EQUAL, "inputs"), {}, "'inputs'"),
        ((EQUAL, "input", "input"), {}, "once"),
        ((EQUAL, "nowhere", "score"), {}, "alone"),
        (([[1, 0, 0]], "input"), {}, r"contents must have shape \(n, 2\)"),
        ((EQUAL, "score"), {"positions": [0, 1]}, r"positions must have shape \(3,\)"),
    ],
)
def test_mistakes_are_refused_by_name(
    arguments: tuple[Any, ...], options: dict[str, Any], words_of_error: str
) -> None:
    with pytest.raises(ValueError, match=words_of_error):
        attend(*arguments, **options)
