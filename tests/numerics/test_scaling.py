"""Holds pe_book.numerics.scaling to its word."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_book.numerics.scaling import scaled, unscaled


@given(values=st.lists(st.floats(-1e300, 1e300), max_size=5))
def test_what_is_taken_out_can_be_put_back(values: list[float]) -> None:
    array = np.array(values)
    small, exponent = scaled(array)
    assert np.abs(small).max(initial=0.5) < 1
    if array.any():
        assert np.abs(small).max() >= 0.5
        near = np.abs(array) > 1e-280 * np.abs(array).max()
        near &= np.abs(array) > 1e-290
        np.testing.assert_array_equal(np.ldexp(small, exponent)[near], array[near])
    else:
        assert exponent == 0


@pytest.mark.parametrize("largest", [1.7976931348623157e308, 5e-324, 1e-310, 0.5, 1.0])
def test_the_ends_of_float64_fit(largest: float) -> None:
    small, exponent = scaled(np.array([largest, -largest / 2]))
    assert 0.5 <= small[0] < 1
    assert unscaled(small[:1], exponent, "x", "it")[0] == largest


def test_what_does_not_fit_is_refused_by_name() -> None:
    with pytest.raises(
        ValueError, match=r"x is too large: its square does not fit .*, got 0\.5 \* 2\*\*1025"
    ):
        unscaled(np.array([0.5]), 1025, "x", "its square")
    with pytest.raises(ValueError, match="x is too small: its square is nothing but zeros"):
        unscaled(np.array([0.5, 0.0]), -1100, "x", "its square")
    assert unscaled(np.array([0.5, 1e-200]), -500, "x", "it").tolist() == [np.ldexp(0.5, -500), 0]
    assert unscaled(np.zeros(2), -2000, "x", "it").tolist() == [0, 0]
