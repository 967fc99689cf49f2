"""What least squares and gradient descent find of a shift, and what the side page says with it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pe_book.evidence.claims import stands
from pe_book.evidence.sinusoidal import shift as verdicts
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

# planted in the package: file, what stands there, what is planted; the numbers of the page have to move
PLANTED = {
    "base": [
        ("pe_book/sinusoidal/formula.py", "np.power(base, ", "np.power(1.5 * base, "),
        ("pe_book/numerics/exact.py", "context.log(base)", "context.log(1.5 * base)"),
    ],
    "exchanged": [
        (
            "pe_book/sinusoidal/formula.py",
            "sines, cosines = sines_and_cosines(",
            "cosines, sines = sines_and_cosines(",
        )
    ],
}

Array = NDArray[np.float64]
few = examples_drawn(40)


def table(first: int, n: int, d_model: int) -> Array:
    return encode(np.arange(first, first + n), d_model)


def test_least_squares_by_hand() -> None:
    assert fit_shift([[1.0], [1.0]], [[2.0], [4.0]]).round(12).tolist() == [[3]]
    assert relative_residual([[3]], [[1], [1]], [[2], [4]]) == pytest.approx(math.sqrt(2 / 20), rel=1e-12)
    # one row in two dimensions: the answer to the direction nobody showed is zero
    np.testing.assert_allclose(fit_shift([[2.0, 0.0]], [[0.0, 6.0]]), [[0, 0], [3, 0]], atol=1e-15)


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
    np.testing.assert_allclose(
        gradient_descent(x, y, np.inf), fit_shift(x, y), atol=1e-5
    )  # rounding over the cut
    start = np.random.default_rng(0).normal(size=(32, 32))
    unseen = np.linalg.svd(x)[2][np.linalg.matrix_rank(x, rtol=1e-10) :]
    moved = gradient_descent(x, y, np.inf, start=start)
    np.testing.assert_allclose(moved @ unseen.T, start @ unseen.T, atol=1e-9)
    np.testing.assert_allclose(moved, fit_shift(x, y) + start @ unseen.T @ unseen, atol=1e-5)
    easy = np.array([[2.0, 0], [0, 1]])
    np.testing.assert_allclose(gradient_descent(easy, easy, 10**4), np.eye(2), atol=1e-15)


def test_finitely_many_steps_are_far_from_the_limit_just_past_the_end() -> None:
    x, y = table(0, 64, 128), table(10, 64, 128)
    at_70 = [float(shift_errors(gradient_descent(x, y, s), 70, 10)) for s in (10**4, 10**6, np.inf)]
    assert at_70 == pytest.approx([0.547, 0.348, 0.0002], abs=1e-3)
    assert shift_errors(gradient_descent(x, y, 10**6), range(64), 10).max() < 1e-3


def test_c075_nothing_is_learned_and_fifty_rows_do_not_determine_the_matrix() -> None:
    assert stands("C075")
    enough = fit_shift(table(0, 2000, 8), table(10, 2000, 8))
    assert np.abs(enough - shift_matrix(10, 8)).max() < 1e-12
    x, y = table(0, 50, 128), table(10, 50, 128)
    found = fit_shift(x, y)
    assert relative_residual(found, x, y) < 1e-9
    assert np.linalg.norm(found - shift_matrix(10, 128)) > 8


def test_c075_what_is_found_is_the_shift_on_the_span_of_the_rows() -> None:
    for n, d in ((3, 8), (50, 128), (400, 128)):
        x, y = table(0, n, d), table(10, n, d)
        _, sizes, directions = np.linalg.svd(x)
        rank = int((sizes > 1e-10 * sizes[0]).sum())
        seen = directions[:rank].T @ directions[:rank]
        found = fit_shift(x, y)
        np.testing.assert_allclose(found, shift_matrix(10, d) @ seen, atol=1e-4)
        verdict = verdicts.right_on_the_span_only(found, shift_matrix(10, d), x)
        assert verdict
        assert verdict.evidence["rank"] == rank


def test_c076_at_most_as_many_rows_as_dimensions_prove_nothing() -> None:
    assert stands("C076")
    rng = np.random.default_rng(0)
    assert shift_residual(rng.normal(size=(60, 128)), 10) < 1e-13
    assert shift_residual(rng.normal(size=(60, 64)), 10) < 1e-12
    many = shift_residual(rng.normal(size=(510, 128)), 10)
    assert many == pytest.approx(math.sqrt(1 - 128 / 500), abs=0.02)
    assert shift_residual(encode(np.arange(510), 128), 10) < 1e-9
    rows = rng.normal(size=(40, 5))
    best = np.linalg.lstsq(rows[:-7], rows[7:], rcond=None)[0]
    missed = np.linalg.norm(rows[:-7] @ best - rows[7:]) / np.linalg.norm(rows[7:])
    assert shift_residual(rows, 7) == pytest.approx(missed, rel=1e-12)


def test_dependent_rows_can_fail_where_independent_ones_cannot() -> None:
    x, y = np.random.default_rng(3).normal(size=(2, 6, 16))
    assert relative_residual(fit_shift(x, y), x, y) < 1e-13
    zero, twice = x.copy(), x.copy()
    zero[0] = 0
    twice[1] = twice[0]  # one row, two answers
    for rows, least in ((zero, y[0]), (twice, (y[0] - y[1]) / np.sqrt(2))):
        expected = np.linalg.norm(least) / np.linalg.norm(y)
        assert relative_residual(fit_shift(rows, y), rows, y) == pytest.approx(expected, rel=1e-9)


def test_rows_that_span_extrapolate_and_rows_that_do_not_need_not() -> None:
    far = encode(10**6 + 10, 8)
    enough = fit_shift(table(0, 20, 8), table(10, 20, 8))
    assert np.abs(enough @ encode(10**6, 8) - far).max() < 1e-6
    too_few = fit_shift(table(0, 6, 8), table(10, 6, 8))
    assert np.abs(too_few @ encode(10**6, 8) - far).max() > 0.1


def test_gradient_descent_never_touches_a_direction_no_row_has() -> None:
    x, y = table(0, 4, 8), table(10, 4, 8)
    directions = np.linalg.svd(x)[2]
    unseen = directions[4:].T @ directions[4:]
    start = np.random.default_rng(1).normal(size=(8, 8))
    matrix = start.copy()
    for _ in range(200):
        matrix -= 0.05 * (matrix @ x.T - y.T) @ x
    assert np.abs((matrix - start) @ unseen).max() < 1e-12
    assert np.abs(matrix - start).max() > 0.1


def test_the_figure_of_fits_follows_the_theory() -> None:
    from pe_book.show.sinusoidal import fitting as show

    for row in show.residuals(d_model=16).frame.rows():
        n, noise = row["rows fitted"], row["noise"]
        assert noise == pytest.approx(math.sqrt(max(1 - 16 / n, 0)), abs=0.1)
        assert noise < 1e-4 or n > 16  # perfect up to as many rows as columns
        assert row["sinusoid"] < 1e-4  # always
        assert row["noise, row 0 zero"] > 0.15  # no matrix moves zero, however few the rows
    assert list(show.residuals(d_model=4, most=16).frame["noise"][:2]) == [0, 0]  # n = 2 and 4


def test_errors_are_measured_against_the_row_itself_where_p_plus_k_is_no_float64() -> None:
    assert float(2**53 + 1) == 2**53
    assert shift_errors(shift_matrix(1, 8), [2**53, -(2**53)], 1).max() < 1e-14
    assert shift_errors(shift_matrix(0.3, 8), 2**53 - 1, 0.3) < 1e-14


def test_least_squares_and_training_know_no_scale() -> None:
    rng = np.random.default_rng(1)
    x, y, start = rng.normal(size=(9, 4)), rng.normal(size=(9, 3)), rng.normal(size=(3, 4))
    fitted, trained = fit_shift(x, y), gradient_descent(x, y, 7, start=start)
    limit = gradient_descent(x, y, np.inf)
    for a, b in ((900, 900), (-900, -900), (1000, 100), (-500, 400), (0, -1000)):
        size = 2.0 ** (b - a)
        big_x, big_y = np.ldexp(x, a), np.ldexp(y, b)
        assert np.array_equal(fit_shift(big_x, big_y), fitted * size)
        assert np.array_equal(gradient_descent(big_x, big_y, 7, start=start * size), trained * size)
        assert np.array_equal(gradient_descent(big_x, big_y, np.inf), limit * size)
        residual = relative_residual(fitted * size, big_x, big_y)
        assert residual == pytest.approx(relative_residual(fitted, x, y), rel=1e-14)
    assert relative_residual(fitted * 2.0**1000, np.ldexp(x, -1000), y) == relative_residual(fitted, x, y)
    assert relative_residual(np.ldexp(fitted, -1000), np.ldexp(x, -1000), y) == 1
    for zero, other in ((0 * y, 0 * start), (0 * y, start), (y, 0 * start)):
        found = gradient_descent(np.ldexp(x, -1000), zero * 2.0**-1000, 7, start=other)
        np.testing.assert_allclose(found, gradient_descent(x, zero, 7, start=other), rtol=1e-14)


def test_steps_are_a_count_however_long_or_endless() -> None:
    x = np.eye(2)
    assert np.array_equal(gradient_descent(x, 3 * x, 10**30), 3 * x)
    assert np.array_equal(gradient_descent(x, 3 * x, np.float32(np.inf)), 3 * x)
    for bad in (np.array([np.inf]), np.array([1, 2]), -1, 0.5, -np.inf, np.nan):
        with pytest.raises((ValueError, TypeError), match="steps"):
            gradient_descent(x, x, bad)  # type: ignore[arg-type]  # wrong on purpose


def test_a_table_of_zeros_is_refused_by_its_own_name() -> None:
    with pytest.raises(ValueError, match="table must not be zero from row k on, got k = 1"):
        shift_residual([[1.0], [0.0], [0.0]], 1)
