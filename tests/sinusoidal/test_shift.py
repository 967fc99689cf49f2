"""Holds pe_book.sinusoidal.shift, and what the chapter says with it, to their word."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.shift import generator, shift, shift_matrix
from pe_book.sinusoidal.shift.fitting import (
    gradient_descent,
    relative_residual,
    shift_errors,
    shift_residual,
)
from pe_book.sinusoidal.shift.planes import rotation_planes
from tests import exactly
from tests.seeds import CONVENTIONS, examples_drawn

Array = NDArray[np.float64]
few = examples_drawn(40)
WIDTHS = st.sampled_from([2, 4, 6, 8, 30, 64, 128])
OFFSETS = st.floats(-1000, 1000) | st.integers(-5000, 5000)


def slack(*numbers: float) -> float:
    """What rounding the angle of the largest number can do to a sine, with room for a few operations."""
    return float(8 * np.finfo(float).eps * (1 + sum(abs(n) for n in numbers)))


def table(first: int, n: int, d_model: int) -> Array:
    return encode(np.arange(first, first + n), d_model)


# Exact small tables ---------------------------------------------------------------------------------------


def test_a_zero_shift_is_the_identity_to_the_last_bit() -> None:
    assert np.array_equal(shift_matrix(0, 8), np.eye(8))
    x = table(3, 5, 8)
    assert np.array_equal(shift(x, 0), x)


# Properties -----------------------------------------------------------------------------------------------


@few
@given(p=OFFSETS, k=OFFSETS, d=WIDTHS, conventions=CONVENTIONS)
def test_the_shift_theorem(p: float, k: float, d: int, conventions: dict[str, Any]) -> None:
    here, there = encode(p, d, **conventions), encode(p + k, d, **conventions)
    np.testing.assert_allclose(shift_matrix(k, d, **conventions) @ here, there, rtol=0, atol=slack(p, k))
    np.testing.assert_allclose(shift(here, k, **conventions), there, rtol=0, atol=slack(p, k))
    assert np.array_equal(shift_matrix(-k, d, **conventions), shift_matrix(k, d, **conventions).T)


@few
@given(k=OFFSETS, d=WIDTHS, conventions=CONVENTIONS, seed=st.integers(0, 99))
def test_the_action_on_any_rows_is_the_matrix_transposed(
    k: float, d: int, conventions: dict[str, Any], seed: int
) -> None:
    x = np.random.default_rng(seed).normal(size=(2, 3, d))
    by_matrix = x @ shift_matrix(k, d, **conventions).T
    np.testing.assert_allclose(shift(x, k, **conventions), by_matrix, rtol=0, atol=1e-13)


def test_an_array_of_offsets_moves_every_row_by_its_own() -> None:
    p, k = np.array([3.0, 4.0, 5.5]), np.array([10.0, -4.0, 0.5])
    np.testing.assert_allclose(shift(encode(p, 6), k), encode(p + k, 6), atol=1e-14)
    grid = shift(encode(p, 6)[:, None, :], k)
    assert grid.shape == (3, 3, 6)
    np.testing.assert_allclose(grid, encode(p[:, None] + k, 6), atol=1e-14)


# Other people's arithmetic --------------------------------------------------------------------------------


def test_torch_exponentiates_the_generator_to_the_shift() -> None:
    torch = pytest.importorskip("torch")
    for k, layout in ((2.5, "interleaved"), (-7, "halves")):
        a = torch.tensor(generator(8, layout=layout))
        exponential = torch.linalg.matrix_exp(k * a).numpy()
        np.testing.assert_allclose(exponential, shift_matrix(k, 8, layout=layout), atol=1e-14)


# What must be refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: relative_residual([[1]], [[1]], [[0]]), "target must not be zero"),
        (lambda: gradient_descent([[1]], [[1]], 1, start=np.eye(2)), r"start must have shape \(1, 1\)"),
        (lambda: shift_residual([[1], [2]], 2), "more than k = 2 rows"),
        (lambda: shift_errors(np.eye(3), 0, 1), "the width of matrix must be even"),
        (lambda: rotation_planes(np.eye(2)), "skew-symmetric"),
    ],
)
def test_bad_input_is_named(call: Any, says: str) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        call()


# Far out, and at the ends of float64 ------------------------------------------------------------------------


FAR = (2**50 + 1, -(10**15) - 7, 2**53, 123_456_789_012_345, 2.0**40 + 0.5)


@pytest.mark.parametrize("k", FAR)
@pytest.mark.parametrize("ladder", ["paper", "tensor2tensor"])
def test_far_offsets_lose_nothing(k: float, ladder: Any) -> None:
    for d, base in ((64, 10000.0), (6, 500.0)):
        sines, cosines = np.array(exactly.waves(k, d, base, ladder), float).T
        matrix = shift_matrix(k, d, base=base, ladder=ladder, layout="halves")
        np.testing.assert_allclose(np.diag(matrix), np.tile(cosines, 2), rtol=0, atol=1e-15)
        np.testing.assert_allclose(np.diag(matrix, d // 2), sines, rtol=0, atol=1e-15)
        x = np.random.default_rng(0).normal(size=(3, d))
        s, c = x[:, 0::2], x[:, 1::2]
        moved = shift(x, k, base=base, ladder=ladder)
        size = 2e-15 * np.hypot(s, c)
        assert (np.abs(moved[:, 0::2] - (s * cosines + c * sines)) <= size).all()
        assert (np.abs(moved[:, 1::2] - (c * cosines - s * sines)) <= size).all()
