"""Holds pe_book.sinusoidal.shift, and what the chapter says with it, to their word."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from numpy.typing import NDArray

from pe_book.evidence.claims import stands
from pe_book.evidence.sinusoidal import shift as verdicts
from pe_book.inputs.pairs import relayout
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.shift import generator, shift, shift_matrix
from pe_book.sinusoidal.shift.fitting import (
    fit_shift,
    gradient_descent,
    relative_residual,
    shift_errors,
    shift_residual,
)
from pe_book.sinusoidal.shift.planes import rotation_planes
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
WIDTHS = st.sampled_from([2, 4, 6, 8, 30, 64, 128])
OFFSETS = st.floats(-1000, 1000) | st.integers(-5000, 5000)
CONVENTIONS = st.fixed_dictionaries(
    {
        "base": st.sampled_from([1.5, 100.0, 10000.0, 500000.0]),
        "layout": st.sampled_from(["interleaved", "halves"]),
        "ladder": st.sampled_from(["paper", "tensor2tensor"]),
    }
)


def slack(*numbers: float) -> float:
    """What rounding the angle of the largest number can do to a sine, with room for a few operations."""
    return float(8 * np.finfo(float).eps * (1 + sum(abs(n) for n in numbers)))


def table(first: int, n: int, d_model: int) -> Array:
    return encode(np.arange(first, first + n), d_model)


# Exact small tables ---------------------------------------------------------------------------------------


def test_two_hours_on_a_clock_of_twelve() -> None:
    hour, root = np.pi / 6, math.sqrt(3) / 2
    two_hours = shift_matrix(2 * hour, 2)
    np.testing.assert_allclose(two_hours, [[1 / 2, root], [-root, 1 / 2]], atol=4e-16)
    np.testing.assert_allclose(encode(hour, 2), [1 / 2, root], atol=4e-16)
    np.testing.assert_allclose(two_hours @ encode(hour, 2), [1, 0], atol=4e-16)


def test_the_signs_of_a_quarter_turn_in_both_layouts() -> None:
    assert shift_matrix(np.pi / 2, 2).round(15).tolist() == [[0, 1], [-1, 0]]
    quarter = shift_matrix(np.pi / 2, 4, base=10000, layout="halves")
    c, s = math.cos(np.pi / 200), math.sin(np.pi / 200)
    np.testing.assert_allclose(
        quarter, [[0, 0, 1, 0], [0, c, 0, s], [-1, 0, 0, 0], [0, -s, 0, c]], atol=2e-16
    )


def test_a_zero_shift_is_the_identity_to_the_last_bit() -> None:
    assert np.array_equal(shift_matrix(0, 8), np.eye(8))
    x = table(3, 5, 8)
    assert np.array_equal(shift(x, 0), x)


def test_the_generator_of_four_dimensions() -> None:
    assert generator(4).tolist() == [[0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 0.01], [0, 0, -0.01, 0]]
    assert generator(4, layout="halves").tolist() == [
        [0, 0, 1, 0],
        [0, 0, 0, 0.01],
        [-1, 0, 0, 0],
        [0, -0.01, 0, 0],
    ]


# Properties -----------------------------------------------------------------------------------------------


@few
@given(p=OFFSETS, k=OFFSETS, d=WIDTHS, conventions=CONVENTIONS)
def test_the_shift_theorem(p: float, k: float, d: int, conventions: dict[str, Any]) -> None:
    here, there = encode(p, d, **conventions), encode(p + k, d, **conventions)
    np.testing.assert_allclose(shift_matrix(k, d, **conventions) @ here, there, rtol=0, atol=slack(p, k))
    np.testing.assert_allclose(shift(here, k, **conventions), there, rtol=0, atol=slack(p, k))


@few
@given(k=OFFSETS, d=WIDTHS, conventions=CONVENTIONS, seed=st.integers(0, 99))
def test_the_action_on_any_rows_is_the_matrix_transposed(
    k: float, d: int, conventions: dict[str, Any], seed: int
) -> None:
    x = np.random.default_rng(seed).normal(size=(2, 3, d))
    by_matrix = x @ shift_matrix(k, d, **conventions).T
    np.testing.assert_allclose(shift(x, k, **conventions), by_matrix, rtol=0, atol=1e-13)


@few
@given(a=OFFSETS, b=OFFSETS, d=WIDTHS, conventions=CONVENTIONS)
def test_the_group_law(a: float, b: float, d: int, conventions: dict[str, Any]) -> None:
    t = shift_matrix(a, d, **conventions)
    both = t @ shift_matrix(b, d, **conventions)
    np.testing.assert_allclose(both, shift_matrix(a + b, d, **conventions), rtol=0, atol=slack(a, b))
    assert np.array_equal(shift_matrix(-a, d, **conventions), t.T)
    np.testing.assert_allclose(t @ t.T, np.eye(d), rtol=0, atol=1e-15)
    assert np.linalg.det(t) == pytest.approx(1, abs=1e-12)


@few
@given(k=OFFSETS, d=WIDTHS)
def test_the_layouts_are_one_map_in_two_orders(k: float, d: int) -> None:
    moved = relayout(shift_matrix(k, d), source="interleaved", to="halves", axis=0)
    moved = relayout(moved, source="interleaved", to="halves", axis=1)
    assert np.array_equal(moved, shift_matrix(k, d, layout="halves"))


def test_an_array_of_offsets_moves_every_row_by_its_own() -> None:
    p, k = np.array([3.0, 4.0, 5.5]), np.array([10.0, -4.0, 0.5])
    np.testing.assert_allclose(shift(encode(p, 6), k), encode(p + k, 6), atol=1e-14)
    grid = shift(encode(p, 6)[:, None, :], k)
    assert grid.shape == (3, 3, 6)
    np.testing.assert_allclose(grid, encode(p[:, None] + k, 6), atol=1e-14)


# Other people's arithmetic --------------------------------------------------------------------------------


def test_the_entries_agree_with_fifty_digits() -> None:
    mp.dps = 50
    for k in (1, -7, 10, 12345):
        exact = [mpf(k) * mpf(10000) ** (mpf(-2 * i) / 6) for i in range(3)]
        matrix = shift_matrix(k, 6)
        for i, angle in enumerate(exact):
            expected = [[mp.cos(angle), mp.sin(angle)], [-mp.sin(angle), mp.cos(angle)]]
            block = matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2]
            np.testing.assert_allclose(block, np.array(expected, dtype=float), rtol=0, atol=slack(k))


def test_a_row_is_a_list_of_complex_numbers_and_a_shift_multiplies_them() -> None:
    row, omega = encode(9, 16), frequencies(16)
    z = row[1::2] + 1j * row[0::2]
    moved = z * np.exp(1j * 13 * omega)
    np.testing.assert_allclose(shift(row, 13), np.column_stack([moved.imag, moved.real]).ravel(), atol=1e-14)


def test_torch_exponentiates_the_generator_to_the_shift() -> None:
    torch = pytest.importorskip("torch")
    for k, layout in ((2.5, "interleaved"), (-7, "halves")):
        a = torch.tensor(generator(8, layout=layout))  # type: ignore[arg-type]
        exponential = torch.linalg.matrix_exp(k * a).numpy()
        np.testing.assert_allclose(exponential, shift_matrix(k, 8, layout=layout), atol=1e-14)  # type: ignore[arg-type]


def test_the_table_of_another_library_obeys_the_matrix() -> None:
    torch = pytest.importorskip("torch")
    encodings = pytest.importorskip("positional_encodings.torch_encodings")
    rows = encodings.PositionalEncoding1D(16)(torch.zeros(1, 60, 16))[0].double().numpy()  # interleaved
    np.testing.assert_allclose(shift(rows[:50], 10), rows[10:], atol=1e-5)  # their table is float32
    assert np.abs(shift(rows[:50], 10, layout="halves") - rows[10:]).max() > 0.5
    assert np.abs(shift(rows[:50], -10) - rows[10:]).max() > 0.5


# The claims of the chapter --------------------------------------------------------------------------------


def test_c065_one_pair_repeats_after_a_turn_and_whole_positions_never_do() -> None:
    assert stands("C065")
    np.testing.assert_allclose(encode(3 + 2 * np.pi, 2), encode(3, 2), atol=1e-14)
    assert np.abs(encode(3 + 2 * np.pi, 4) - encode(3, 4)).max() > 0.01  # a second pair tells them apart
    p = np.arange(2000)
    distance = 2 * np.sin((p[:, None] - p) / 2) + np.where(p[:, None] == p, 1, 0)
    assert np.abs(distance).min() > 1e-5


def test_c066_similarity_depends_on_the_offset_alone_and_stops_falling() -> None:
    assert stands("C066")
    for d, first_rise in ((6, 4), (64, 6), (128, 12), (512, 44)):
        rows = table(0, 60, d)
        gram = rows @ rows.T
        by_offset = np.cos(np.outer(np.arange(60), frequencies(d))).sum(axis=1)
        np.testing.assert_allclose(
            gram, by_offset[np.abs(np.subtract.outer(range(60), range(60)))], atol=1e-11
        )
        assert 1 + int(np.argmax(np.diff(by_offset) > 0)) == first_rise


def test_c067_the_speed_is_constant_and_a_unit_step_is_not_small() -> None:
    assert stands("C067")
    omega = frequencies(512)
    for p in (0, 1.5, 999):
        speed = np.linalg.norm(generator(512) @ encode(p, 512))
        assert speed == pytest.approx(np.sqrt((omega**2).sum()), rel=1e-12)
        step = np.linalg.norm(encode(p + 1, 512) - encode(p, 512))
        assert speed == pytest.approx(3.79518367, abs=5e-9)
        assert step == pytest.approx(3.7142704, abs=5e-8)
        h = 1e-5
        difference = (encode(p + h, 512) - encode(p - h, 512)) / (2 * h)
        np.testing.assert_allclose(difference, generator(512) @ encode(p, 512), atol=1e-7)


def test_no_single_pair_makes_the_step_to_the_neighbour() -> None:
    squares = 2 * (1 - np.cos(frequencies(512)))
    rows = encode([0, 1, 10, 100], 512)
    assert squares.sum() == pytest.approx(((rows[1] - rows[0]) ** 2).sum(), rel=1e-12)
    shares = np.cumsum(squares) / squares.sum()
    assert shares[0] == pytest.approx(0.0666, abs=1e-4)
    assert shares[8] < 0.5 <= shares[9]
    assert shares[31] < 0.9 <= shares[32]
    distances = np.linalg.norm(rows[1:] - rows[0], axis=1)
    assert distances == pytest.approx([3.7143, 12.8227, 16.9735], abs=1e-4)


def test_c068_every_row_has_the_same_length() -> None:
    assert stands("C068")
    rows = encode([0, 1, -3.7, 1e6, 2**40], 512)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 16, rtol=1e-14)
    assert np.abs(rows).max() <= 1
    assert (rows[0] == 0).sum() == 256  # so "never zero" would be wrong


def test_c069_one_matrix_for_every_position_orthogonal_with_determinant_one() -> None:
    assert stands("C069")
    for d in (2, 6, 128, 512):
        for k in (5, 7, 10):
            matrix = shift_matrix(k, d)
            assert np.abs(table(0, 190, d) @ matrix.T - table(k, 190, d)).max() <= 3e-13
            # able to fail: no matrix for a neighbouring offset would pass
            assert np.abs(table(0, 190, d) @ matrix.T - table(k + 1, 190, d)).max() > 0.4


def test_c070_five_and_five_is_ten() -> None:
    assert stands("C070")


@pytest.mark.parametrize("first_position", [0, 1])
def test_c071_all_eight_examples_whichever_number_the_first_vector_has(first_position: int) -> None:
    assert stands("C071")
    jumps = [
        (10, 10, 20),
        (10, 3, 13),
        (10, 4, 14),
        (7, 5, 12),
        (7, 1, 8),
        (7, 21, 28),
        (5, 2, 7),
        (5, 15, 20),
    ]
    for k, a, b in jumps:
        moved = shift_matrix(k, 128) @ encode(a - first_position, 128)
        np.testing.assert_allclose(moved, encode(b - first_position, 128), atol=1e-13)
    hops = [(k, [(a - first_position, b - first_position)]) for k, a, b in jumps]
    assert verdicts.every_jump_lands(lambda k: shift_matrix(k, 128), hops)


def test_c072_rows_need_the_transpose_and_cosine_first_needs_it_too() -> None:
    assert stands("C072")
    rows, matrix = table(20, 50, 128), shift_matrix(10, 128)
    np.testing.assert_allclose(rows @ matrix.T, table(30, 50, 128), atol=1e-13)
    np.testing.assert_allclose(rows @ matrix, table(10, 50, 128), atol=1e-13)
    cosine_first = encode(7, 2)[::-1]
    np.testing.assert_allclose(shift_matrix(3, 2).T @ cosine_first, encode(10, 2)[::-1], atol=1e-14)


def test_c073_block_diagonal_with_eigenvalues_on_the_unit_circle() -> None:
    assert stands("C073")
    matrix = shift_matrix(10, 12)
    outside = ~np.kron(np.eye(6), np.ones((2, 2))).astype(bool)
    assert np.array_equal(matrix[outside], np.zeros(outside.sum()))
    found = np.sort(np.angle(np.linalg.eigvals(matrix)))
    expected = np.sort(np.angle(np.exp(1j * np.concatenate([10 * frequencies(12), -10 * frequencies(12)]))))
    np.testing.assert_allclose(found, expected, atol=1e-13)


def test_c074_without_frequencies_only_the_first_pair_is_right() -> None:
    assert stands("C074")


def test_c077_bilinear_in_position_and_offset_not_linear() -> None:
    assert stands("C077")
    p, k = (a.ravel() for a in np.meshgrid(np.arange(50), np.arange(50), indexing="ij"))
    for d, expected in ((2, 0.99997), (6, 0.61669)):
        x, y, z = encode(p, d), encode(k, d), encode(p + k, d)
        side_by_side = np.hstack([x, y])
        linear = relative_residual(fit_shift(side_by_side, z), side_by_side, z)
        assert linear == pytest.approx(expected, abs=5e-6)
        products = (x[:, :, None] * y[:, None, :]).reshape(len(p), -1)
        assert relative_residual(fit_shift(products, z), products, z) < 1e-9


def test_c078_neither_sines_alone_nor_cosines_alone() -> None:
    assert stands("C078")
    omega = 10000.0 ** (-np.arange(8) / 8)  # eight different frequencies
    for function, expected in ((np.sin, 0.4073), (np.cos, 0.2897)):
        rows = function(np.outer(np.arange(210), omega))
        assert np.linalg.matrix_rank(rows[:200], rtol=1e-10) == 8  # nothing is cut: this is the best matrix
        assert shift_residual(rows, 10) == pytest.approx(expected, abs=5e-5)
    assert not np.sin(0 * omega).any()  # no linear map moves zero
    assert np.array_equal(np.cos(-3 * omega), np.cos(3 * omega))  # one code, two successors
    assert np.abs(np.cos((-3 + 10) * omega) - np.cos((3 + 10) * omega)).max() > 0.4
    pairs = table(0, 210, 16)
    assert relative_residual(fit_shift(pairs[:200], pairs[10:]), pairs[:200], pairs[10:]) < 1e-9


def test_half_a_pair_needs_a_whole_offset() -> None:
    # cosines of frequency pi at whole positions: half a step lands on zero, and the zero matrix does it
    p = np.arange(-20, 21)
    assert math.sin(np.pi / 2) != 0
    np.testing.assert_allclose(0 * np.cos(np.pi * p), np.cos(np.pi * (p + 0.5)), atol=1e-13)


def test_c078_two_sines_in_a_row_would_do() -> None:
    rows = np.sin(np.outer(np.arange(212), frequencies(8)))
    history = np.hstack([rows[1:201], rows[:200]])
    assert relative_residual(fit_shift(history, rows[11:211]), history, rows[11:211]) < 1e-9


def test_c079_the_shift_keeps_every_distance_and_a_shear_does_not() -> None:
    found = stands("C079")
    assert found
    assert found.evidence["longer"] == pytest.approx(math.sqrt(101), rel=1e-15)


# What must be refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: shift_matrix(1, 7), ValueError, "d_model must be even.*7"),
        (lambda: shift_matrix(np.nan, 8), ValueError, "k must be finite"),
        (lambda: shift_matrix([1, 2], 8), TypeError, "k must be one real number"),  # type: ignore[arg-type]
        (lambda: shift_matrix(1j, 8), TypeError, "k must be one real number"),  # type: ignore[arg-type]
        (lambda: shift_matrix(1, 8, base=1), ValueError, "base must be greater than 1"),
        (lambda: shift_matrix(1, 8, layout="half"), ValueError, "layout must be"),  # type: ignore[arg-type]
        (lambda: shift_matrix(1, 8, ladder="t2t"), ValueError, "ladder must be"),  # type: ignore[arg-type]
        (lambda: generator(0), ValueError, "d_model"),
        (lambda: shift(3.0, 1), ValueError, "x must have a last axis"),
        (lambda: shift(np.ones((2, 7)), 1), ValueError, "last axis must be even.*7"),
        (lambda: shift([[np.inf, 0]], 1), ValueError, "x must be finite"),
        (lambda: shift([["a", "b"]], 1), TypeError, "x must hold integers or floats"),
        (lambda: shift([[0, 1]], np.inf), ValueError, "k must be finite"),
        (lambda: shift([[0, 1]], 1, layout="halfs"), ValueError, "layout must be"),  # type: ignore[arg-type]
        (lambda: fit_shift(np.ones((3, 2)), np.ones((4, 2))), ValueError, "equally many rows, got 3 and 4"),
        (lambda: fit_shift(np.ones(3), np.ones(3)), ValueError, "source must be a table"),
        (lambda: fit_shift(np.ones((0, 2)), np.ones((0, 2))), ValueError, "not empty"),
        (lambda: fit_shift([[1.0]], [[1.0]], rcond=2), ValueError, "rcond must be"),
        (lambda: relative_residual(np.eye(3), [[1, 2]], [[1, 2]]), ValueError, r"shape \(2, 2\)"),
        (lambda: relative_residual([[1]], [[1]], [[0]]), ValueError, "target must not be zero"),
        (lambda: gradient_descent([[1]], [[1]], 1.5), ValueError, "steps must be a whole number"),
        (lambda: gradient_descent([[1]], [[1]], -1), ValueError, "steps must be a whole number"),
        (lambda: gradient_descent([[0]], [[1]], 1), ValueError, "source must not be zero"),
        (
            lambda: gradient_descent([[1]], [[1]], 1, start=np.eye(2)),
            ValueError,
            r"start must have shape \(1, 1\)",
        ),
        (lambda: shift_residual([[1], [2]], 2), ValueError, "more than k = 2 rows"),
        (lambda: shift_residual([[1], [2]], -1), ValueError, "k must be a whole number"),
        (lambda: shift_errors(np.ones((2, 4)), 0, 1), ValueError, "matrix must be square"),
        (lambda: shift_errors(np.eye(3), 0, 1), ValueError, "the width of matrix must be even"),
        (lambda: rotation_planes(np.eye(2)), ValueError, "skew-symmetric"),
        (lambda: rotation_planes(np.ones((2, 3))), ValueError, "square"),
    ],
)
def test_bad_input_is_named(call: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        call()


# Far out, and at the ends of float64 ------------------------------------------------------------------------


FAR = (2**50 + 1, -(10**15) - 7, 2**53, 123_456_789_012_345, 2.0**40 + 0.5)


def exact_pairs(k: float, d: int, base: float, ladder: str) -> list[tuple[float, float]]:
    """(sin kω, cos kω) of every pair, with 60 digits and nothing of ours."""
    rungs = d // 2 if ladder == "paper" else max(d // 2 - 1, 1)
    with mp.workdps(60):
        angles = [mpf(k) * mpf(base) ** (mpf(-i) / rungs) for i in range(d // 2)]
        return [(float(mp.sin(a)), float(mp.cos(a))) for a in angles]


@pytest.mark.parametrize("k", FAR)
@pytest.mark.parametrize("ladder", ["paper", "tensor2tensor"])
def test_far_offsets_lose_nothing(k: float, ladder: Any) -> None:
    for d, base in ((64, 10000.0), (6, 500.0)):
        sines, cosines = np.array(exact_pairs(k, d, base, ladder)).T
        matrix = shift_matrix(k, d, base=base, ladder=ladder, layout="halves")
        np.testing.assert_allclose(np.diag(matrix), np.tile(cosines, 2), rtol=0, atol=1e-15)
        np.testing.assert_allclose(np.diag(matrix, d // 2), sines, rtol=0, atol=1e-15)
        x = np.random.default_rng(0).normal(size=(3, d))
        s, c = x[:, 0::2], x[:, 1::2]
        moved = shift(x, k, base=base, ladder=ladder)
        size = 2e-15 * np.hypot(s, c)
        assert (np.abs(moved[:, 0::2] - (s * cosines + c * sines)) <= size).all()
        assert (np.abs(moved[:, 1::2] - (c * cosines - s * sines)) <= size).all()


def test_far_rows_move_to_where_they_belong_and_back() -> None:
    p, k = 2**52 + 3, 2**51 + 11
    np.testing.assert_allclose(shift(encode(p, 128), k), encode(p + k, 128), rtol=0, atol=3e-15)
    np.testing.assert_allclose(shift(encode(p, 128), -k), encode(p - k, 128), rtol=0, atol=3e-15)
    assert np.array_equal(shift_matrix(-k, 16), shift_matrix(k, 16).T)


def test_what_no_float64_can_hold_is_refused_by_name() -> None:
    tiny, large = np.eye(2) * 1e-300, np.eye(2) * 1e300
    for call in (fit_shift, lambda x, y: gradient_descent(x, y, 3)):
        with pytest.raises(
            ValueError, match="target is too large: the matrix from source to it does not fit"
        ):
            call(tiny, large)
        with pytest.raises(
            ValueError, match="target is too small: the matrix from source to it is nothing but"
        ):
            call(large, tiny)
    with pytest.raises(ValueError, match="matrix is too large: what it makes of source"):
        relative_residual(large, large, tiny)
    with pytest.raises(ValueError, match=r"x is too large: a pair turned .* got numbers up to 1\.7e\+308"):
        shift([[1.7e308, 1.7e308]], np.pi / 4)
    with pytest.raises(ValueError, match="matrix is too large: what it misses"):
        shift_errors(np.full((4, 4), 1.7e308), 1, 1)
    with pytest.raises(ValueError, match="matrix is too large: its fastest frequency"):
        rotation_planes((np.tri(50) - np.tri(50).T) * 1.7e308)


def test_errors_and_planes_of_matrices_at_the_ends_of_float64() -> None:
    m = np.random.default_rng(2).normal(size=(8, 8))
    found = shift_errors(np.ldexp(m, 1000), range(5), 3)
    np.testing.assert_allclose(found, shift_errors(np.ldexp(m, 100), range(5), 3) * 2.0**900, rtol=1e-14)
    np.testing.assert_allclose(shift_errors(np.ldexp(m, -1060), [2], 3), 1, rtol=1e-15)  # as the zero matrix
    a = m - m.T
    omega, axes = rotation_planes(a)
    for exponent in (900, -900):
        far, same_axes = rotation_planes(np.ldexp(a, exponent))
        assert np.array_equal(far, np.ldexp(omega, exponent))
        assert np.array_equal(same_axes, axes)
    assert rotation_planes([[0, 1.7e308], [-1.7e308, 0]])[0].tolist() == [1.7e308]
    with pytest.raises(ValueError, match="skew-symmetric"):
        rotation_planes([[0, 1.7e308], [1.7e308, 0]])


def test_sizes_are_refused_with_what_they_would_take() -> None:
    with pytest.raises(ValueError, match=r"d_model must be smaller: 65536 would take 32\.0 GiB"):
        shift_matrix(1, 2**16)
    with pytest.raises(ValueError, match=r"d_model must be smaller: 65536 would take 32\.0 GiB"):
        generator(2**16)
    with pytest.raises(ValueError, match=r"x and k must be smaller: \(100000000, 100000, 2\) would take"):
        shift(np.broadcast_to(0.0, (100_000, 2)), np.broadcast_to(0.0, (100_000_000, 1)))
    wide = np.ones((1, 10**5))
    for call in (fit_shift, lambda x, y: gradient_descent(x, y, 1)):
        with pytest.raises(ValueError, match=r"source to target must be smaller: .* would take 74\.5 GiB"):
            call(wide, wide)


def test_offsets_that_do_not_fit_x_are_refused_in_the_shapes_of_the_caller() -> None:
    with pytest.raises(ValueError, match=r"k must .* x without its last axis, \(3,\), got shape \(2,\)"):
        shift(np.ones((3, 4)), [1, 2])
