"""Rounding to a format, spacing, and equal rows: held to numpy and to the integers."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_book.numerics.rounding import FORMATS, closest_pair, collisions, round_to, spacing
from tests.seeds import examples_drawn

few = examples_drawn(60)
doubles = st.floats(allow_nan=False, allow_infinity=False)


@few
@given(st.lists(doubles, min_size=1, max_size=40), st.sampled_from(["float16", "float32"]))
def test_rounding_is_numpys(values, dtype):
    with np.errstate(over="ignore"):
        expected = np.array(values).astype(dtype).astype(np.float64)
    np.testing.assert_array_equal(round_to(values, dtype), expected)


def test_every_bfloat16_is_kept_and_every_tie_goes_to_the_even_one():
    bits = np.arange(0x7F80, dtype=np.uint32) << 16  # a finite bfloat16 is the upper half of a float32
    held = bits.view(np.float32).astype(np.float64)
    np.testing.assert_array_equal(round_to(held, "bfloat16"), held)
    ties = (held[:-1] + held[1:]) / 2
    even = np.where(np.arange(len(ties)) % 2 == 0, held[:-1], held[1:])
    np.testing.assert_array_equal(round_to(ties, "bfloat16"), even)


def test_one_rounding_not_two():
    x = 1 + 2.0**-8 + 2.0**-40  # above the tie between 1 and its neighbour, by less than float32 sees
    assert round_to(x, "bfloat16") == 1 + 2.0**-7


ENDS = [("float16", 65519, 65520), ("bfloat16", 3e38, 4e38)]


@pytest.mark.parametrize(("dtype", "held", "first_past"), ENDS)
def test_past_the_end_is_infinity(dtype, held, first_past):
    assert np.isfinite(round_to(held, dtype))
    assert round_to([first_past, -first_past], dtype).tolist() == [np.inf, -np.inf]
    assert FORMATS["float16"].largest == np.finfo(np.float16).max
    assert FORMATS["float32"].largest == np.finfo(np.float32).max


@few
@given(st.floats(-70000, 70000), st.sampled_from(["float16", "float32"]))
def test_spacing_is_numpys(x, dtype):
    near = abs(float(round_to(x, dtype)))
    if near <= abs(x) and np.isfinite(near) and near < FORMATS[dtype].largest:
        assert spacing(x, dtype) == float(np.spacing(np.array(near, dtype)))


def test_the_spacing_of_the_smallest_numbers():
    assert spacing([0, 1e-45], "float32").tolist() == [2.0**-149, 2.0**-149]


def first_repeat(rows):
    seen = {}
    for later, row in enumerate(rows):
        if row in seen:
            return seen[row], later
        seen[row] = later
    return None


@few
@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2)), min_size=1, max_size=30))
def test_collisions_are_those_of_a_dictionary(rows):
    found = collisions(np.array(rows, dtype=float))
    assert found == (first_repeat(rows), len(set(rows)), len(rows))
    column = [a for a, _ in rows]
    assert collisions(column) == (first_repeat(column), len(set(column)), len(rows))


def test_equal_is_equal_whatever_its_sign_or_size():
    assert collisions([0.0, -0.0]).first == (0, 1)
    assert collisions(np.array([np.inf, 1.0, np.inf])).first == (0, 2)
    assert collisions(np.array([np.inf, -np.inf])).first is None
    with pytest.raises(ValueError, match="NaN"):
        collisions(np.array([1.0, np.nan]))
    with pytest.raises(ValueError, match="shape"):
        collisions(np.zeros((2, 2, 2)))


@few
@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=2, max_size=20))
def test_the_closest_pair_is_that_of_all_pairs(rows):
    pairs = [(i, j) for i in range(len(rows)) for j in range(i + 1, len(rows))]

    def square(i, j):
        return sum(Fraction(a - b) ** 2 for a, b in zip(rows[i], rows[j], strict=True))

    least = min(square(i, j) for i, j in pairs)
    i, j, gap = closest_pair(np.array(rows, dtype=float))
    assert i < j
    assert square(i, j) == least
    assert gap == pytest.approx(float(least) ** 0.5, rel=1e-15)
    column = [a for a, _ in rows]
    i, j, gap = closest_pair(column)
    assert i < j
    assert gap == abs(column[i] - column[j]) == min(abs(column[a] - column[b]) for a, b in pairs)


def test_one_row_has_no_pair():
    with pytest.raises(ValueError, match="at least two rows"):
        closest_pair([1.0])
