"""What least squares and gradient descent find of a shift, and what the side page says with it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pe_book.sinusoidal.distance.offsets import offset_distance
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.shift import shift_matrix
from pe_book.sinusoidal.shift.fitting import (
    fit_shift,
    gradient_descent,
    relative_residual,
    shift_errors,
    shift_residual,
)
from tests.seeds import examples_drawn

Array = NDArray[np.float64]
few = examples_drawn(40)


def table(first: int, n: int, d_model: int) -> Array:
    return encode(np.arange(first, first + n), d_model)


def test_the_residual_of_wrong_matrices_is_what_they_miss() -> None:
    # the identity leaves a row where it is: it misses the distance of positions k apart, over the length
    for d, k in ((2, 1), (8, 10), (128, 3)):
        rows, moved = table(0, 60, d), table(k, 60, d)
        length = math.sqrt(d / 2)
        for made_for in (0, k + 1, -k):
            expected = float(offset_distance(k - made_for, d)) / length
            found = relative_residual(shift_matrix(made_for, d), rows, moved)
            assert found == pytest.approx(expected, rel=1e-9)
            assert found > 0.3 or d == 128
        assert relative_residual(np.zeros((d, d)), rows, moved) == pytest.approx(1, rel=1e-15)
        assert relative_residual(-shift_matrix(k, d), rows, moved) == pytest.approx(2, rel=1e-12)
        assert relative_residual(2 * shift_matrix(k, d), rows, moved) == pytest.approx(1, rel=1e-12)
        assert relative_residual(shift_matrix(k, d), rows, moved) < 1e-13
    assert relative_residual(np.eye(2), [[3, 0]], [[3, 4]]) == pytest.approx(4 / 5, rel=1e-15)


def test_the_errors_of_a_matrix_position_by_position() -> None:
    p = np.array([[0.0, 3], [-7, 1.5]])
    found = shift_errors(np.eye(8), p, 10)
    assert found.shape == (2, 2)
    np.testing.assert_allclose(found, float(offset_distance(10, 8)) / 2, rtol=1e-12)
    np.testing.assert_allclose(shift_errors(shift_matrix(10, 8), p, 10), 0, atol=1e-14)
    together = np.sqrt(np.mean(shift_errors(np.diag(range(8)), range(50), 10) ** 2))
    assert relative_residual(np.diag(range(8)), table(0, 50, 8), table(10, 50, 8)) == pytest.approx(together)


@few
@given(seed=st.integers(0, 999), n=st.integers(1, 7), steps=st.integers(0, 60), from_zero=st.booleans())
def test_training_in_closed_form_is_the_loop(seed: int, n: int, steps: int, from_zero: bool) -> None:
    rng = np.random.default_rng(seed)
    x, y, start = rng.normal(size=(n, 4)), rng.normal(size=(n, 3)), rng.normal(size=(3, 4))
    matrix = np.zeros((3, 4)) if from_zero else start.copy()
    size = 1 / np.linalg.norm(x, 2) ** 2
    for _ in range(steps):
        matrix -= size * (matrix @ x.T - y.T) @ x
    found = gradient_descent(x, y, steps, start=None if from_zero else start)
    np.testing.assert_allclose(found, matrix, rtol=0, atol=1e-11)


def test_the_limit_of_training_is_least_squares_beside_the_start() -> None:
    x, y = table(0, 20, 32), table(10, 20, 32)
    # rounding over the cut
    np.testing.assert_allclose(gradient_descent(x, y, np.inf), fit_shift(x, y), atol=1e-5)
    start = np.random.default_rng(0).normal(size=(32, 32))
    unseen = np.linalg.svd(x)[2][np.linalg.matrix_rank(x, rtol=1e-10) :]
    moved = gradient_descent(x, y, np.inf, start=start)
    np.testing.assert_allclose(moved @ unseen.T, start @ unseen.T, atol=1e-9)
    np.testing.assert_allclose(moved, fit_shift(x, y) + start @ unseen.T @ unseen, atol=1e-5)
    easy = np.array([[2.0, 0], [0, 1]])
    np.testing.assert_allclose(gradient_descent(easy, easy, 10**4), np.eye(2), atol=1e-15)


def test_errors_are_measured_against_the_row_itself_where_p_plus_k_is_no_float64() -> None:
    assert float(2**53 + 1) == 2**53
    assert shift_errors(shift_matrix(1, 8), [2**53, -(2**53)], 1).max() < 1e-14
    assert shift_errors(shift_matrix(0.3, 8), 2**53 - 1, 0.3) < 1e-14


def test_the_residual_of_a_shift_is_that_of_the_best_matrix() -> None:
    rows = np.random.default_rng(0).normal(size=(40, 5))
    best = np.linalg.lstsq(rows[:-7], rows[7:], rcond=None)[0]
    missed = np.linalg.norm(rows[:-7] @ best - rows[7:]) / np.linalg.norm(rows[7:])
    assert shift_residual(rows, 7) == pytest.approx(missed, rel=1e-12)
    assert shift_residual(table(0, 510, 128), 10) < 1e-9


def test_least_squares_and_training_know_no_scale() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(9, 4)), rng.normal(size=(9, 3))
    fitted, trained = fit_shift(x, y), gradient_descent(x, y, 7)
    for a, b in ((900, 900), (-900, -900), (0, -1000)):
        size, big_x, big_y = 2.0 ** (b - a), np.ldexp(x, a), np.ldexp(y, b)
        assert np.array_equal(fit_shift(big_x, big_y), fitted * size)
        assert np.array_equal(gradient_descent(big_x, big_y, 7), trained * size)
