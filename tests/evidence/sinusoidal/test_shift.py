"""Each decision of the chapter on the shift theorem: true for the real thing, false for a mistake."""

import numpy as np
import pytest

from pe_book.evidence.sinusoidal.shift import (
    HOPS,
    every_jump_lands,
    fails_beyond,
    is_the_shift,
    right_on_the_span_only,
    turns_in_planes,
)
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.shift import shift_matrix
from pe_book.sinusoidal.shift.fitting import fit_shift


def test_jumps_land_with_the_matrix_and_with_no_near_relation_of_it() -> None:
    assert every_jump_lands(lambda k: shift_matrix(k, 128), HOPS)
    assert every_jump_lands(lambda k: shift_matrix(k, 128), HOPS).evidence["jumps"] == 9
    assert not every_jump_lands(lambda k: shift_matrix(k, 128).T, HOPS)  # back instead of ahead
    assert not every_jump_lands(lambda k: shift_matrix(k, 128).astype(np.float32).astype(float), HOPS)
    assert not every_jump_lands(lambda k: shift_matrix(k, 128), [(10, [(10, 20), (3, 14)])])
    assert not every_jump_lands(lambda k: shift_matrix(k, 128), [])


@pytest.mark.parametrize(("n", "d"), [(4, 8), (50, 128), (400, 128)])
def test_least_squares_is_right_on_the_span_and_the_closed_form_is_more(n: int, d: int) -> None:
    seen, moved = encode(np.arange(n), d), encode(np.arange(10, n + 10), d)
    exact, found = shift_matrix(10, d), fit_shift(seen, moved)
    assert right_on_the_span_only(found, exact, seen)
    assert not right_on_the_span_only(exact, exact, seen)  # right everywhere
    assert not right_on_the_span_only(found, exact, encode(np.arange(2 * n), d))  # more rows than were seen


def test_a_fit_to_few_rows_is_right_on_them_and_fails_beyond() -> None:
    assert fails_beyond(10, 6, (3, 4, 5), 100)
    assert not fails_beyond(10, 6, (3, 4, 5), 60)  # five rows carry that far
    assert not fails_beyond(10, 6, (3, 4, 5, 6), 100)  # six fill the space
    assert not fails_beyond(10, 6, (), 100)
    assert not fails_beyond(10, 6, (3, 4, 5), 100, right=1e-18)
    assert is_the_shift(10, 6, rows=6)
    assert not is_the_shift(10, 6, rows=5)


def test_turns_need_their_own_planes_and_frequencies() -> None:
    rows, omega = encode(range(60), 8), frequencies(8)
    axes = np.linalg.qr(np.random.default_rng(0).normal(size=(8, 8)))[0]
    assert turns_in_planes(rows, np.eye(8), omega)
    assert turns_in_planes(rows @ axes.T, axes, omega)
    assert turns_in_planes(np.column_stack([rows, np.ones(60)]), np.eye(9), omega)  # one entry stands still
    assert not turns_in_planes(rows @ axes.T, np.eye(8), omega)
    assert not turns_in_planes(rows, np.eye(8), -omega)
    assert not turns_in_planes(np.column_stack([rows, np.arange(60)]), np.eye(9), omega)
    assert not turns_in_planes(np.zeros((60, 8)), np.eye(8), omega)  # nothing turns
