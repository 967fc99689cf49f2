"""Holds the reading of a printout to its word: three rows say by which conventions they were made."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.readings import Reading, every_reading, readings, table_of
from tests.seeds import examples_drawn

READINGS = every_reading()


@pytest.mark.parametrize("reading", READINGS)
def test_three_printed_rows_say_how_they_were_made(reading):
    assert readings(table_of(3, 6, reading).round(4)) == [reading]


@pytest.mark.parametrize("wrong_base", [100.0, 1e8])
def test_a_slip_in_the_exponent_is_not_taken_for_a_convention(wrong_base):
    assert readings(encode(range(3), 6, base=wrong_base).round(4)) == []


@examples_drawn(30)
@given(st.floats(2, 1e5), st.integers(2, 20))
def test_without_the_base_no_printout_tells_the_ladder(base, pairs):
    d_model = 2 * pairs
    released = encode(range(3), d_model, base=base, ladder="tensor2tensor")
    other = base ** (pairs / (pairs - 1))
    np.testing.assert_allclose(encode(range(3), d_model, base=other), released, rtol=0, atol=1e-12)
    assert Reading(0, False, "interleaved", "tensor2tensor") in readings(released.round(4), base=base)
    assert Reading(0, False, "interleaved", "paper") in readings(released.round(4), base=other)


def test_the_base_is_that_of_the_call():
    row = encode(range(3), 6, base=100)
    assert readings(row.round(4)) == []
    assert readings(row.round(4), base=100) == [Reading(0, False, "interleaved", "paper")]
    with pytest.raises(ValueError, match="base must be"):
        readings(row, base=1)


def test_one_wrong_digit_is_not_taken_for_a_convention():
    printout = encode(range(3), 6).round(4)
    printout[1, 2] += 0.0001
    assert readings(printout) == []


@pytest.mark.parametrize(
    ("printout", "said"),
    [
        ([0.0, 1.0], "printout must be a matrix"),
        ([[0.0, np.nan]], "printout must be finite"),
        ([[0.0, 1.0, 0.0]], "d_model must be even"),
        (np.zeros((0, 4)), "at least one row"),
    ],
)
def test_a_printout_that_cannot_be_read_is_refused(printout, said):
    with pytest.raises(ValueError, match=said):
        readings(printout)
