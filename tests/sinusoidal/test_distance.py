"""Holds pe_book.sinusoidal.distance, and what the chapter says with it, to their word."""

import math
import re
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from numpy.typing import NDArray

from pe_book.evidence.claims import stands
from pe_book.evidence.claims.quoted import SECTION
from pe_book.evidence.sinusoidal.distance import blend_looks_like_its_ends, points_back
from pe_book.inputs.pairs import relayout
from pe_book.sinusoidal.distance import first_rise, kernel, relative_part, similarity, wide_limit
from pe_book.sinusoidal.distance.blending import blend, blend_pairs
from pe_book.sinusoidal.distance.offsets import margin, offset_distance
from pe_book.sinusoidal.distance.spread import common_component, effective_ranks
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.shift import generator, shift, shift_matrix
from tests.seeds import examples_drawn

# planted in the package: file, what stands there, what is planted; the numbers of the page have to move
PLANTED = {
    "base": [
        ("pe_book/sinusoidal/formula.py", "np.power(base, ", "np.power(1.5 * base, "),
        ("pe_book/numerics/exact.py", "context.log(base)", "context.log(1.5 * base)"),
    ],
}

Array = NDArray[np.float64]
few = examples_drawn(30)
WIDTHS = st.sampled_from([2, 4, 6, 8, 30, 64, 128])
BASES = st.sampled_from([1.5, 100.0, 10000.0, 500000.0])
OFFSETS = st.floats(-1000, 1000) | st.integers(-5000, 5000)
FRACTIONS = st.floats(0, 1) | st.sampled_from([0.0, 0.25, 0.5, 1.0])


# Exact small tables -----------------------------------------------------------------------------------------


def test_the_clock_of_twelve_positions() -> None:
    root = math.sqrt(3) / 2
    expected = [1, root, 0.5, 0, -0.5, -root, -1, -root, -0.5, 0, 0.5, root, 1]
    np.testing.assert_allclose(kernel(range(13), [math.pi / 6]), expected, atol=1e-15)


def test_two_hands_by_hand() -> None:
    by_hand = [math.cos(k) + math.cos(k / 10) for k in range(8)]
    s = similarity(range(8), 4, base=100)
    np.testing.assert_allclose(s, by_hand, rtol=1e-15)
    assert s.round(3).tolist() == [2.0, 1.535, 0.564, -0.035, 0.267, 1.161, 1.786, 1.519]
    assert s[6] > s[1]


def test_a_first_rise_is_a_step_and_not_a_tie() -> None:
    assert first_rise([3, 2, 2, 2.5]) == 2
    assert first_rise([1, 2]) == 0
    assert first_rise([2, 2, 1]) is None
    assert first_rise([5, 4, 3]) is None


def test_the_margin_of_two_rows_is_the_distance_of_neighbours() -> None:
    assert margin(2, 2) == pytest.approx(2 * math.sin(0.5), rel=1e-15)
    # 7 rows have offsets up to 6, nearly a turn; 6 rows do not reach it
    assert margin(7, 2) == pytest.approx(2 * abs(math.sin(3)), rel=1e-14)
    assert margin(6, 2) == margin(2, 2)
    assert margin(2, 4, ladder="tensor2tensor", base=9) == pytest.approx(
        float(offset_distance(1, 4, ladder="tensor2tensor", base=9))
    )
    assert margin(2, 4, ladder="tensor2tensor", base=9) != margin(2, 4, base=9)


def test_the_relative_part_by_hand() -> None:
    m = [[1, 2, 9, 9], [4, 5, 9, 9], [9, 9, 10, 0], [9, 9, 6, 20]]
    assert relative_part(m).tolist() == [[3, -1, 0, 0], [1, 3, 0, 0], [0, 0, 15, -3], [0, 0, 3, 15]]
    halves = [[1, 9, 2, 9], [9, 10, 9, 0], [4, 9, 5, 9], [9, 6, 9, 20]]
    assert relative_part(halves, layout="halves").tolist() == [
        [3, 0, -1, 0], [0, 15, 0, -3], [1, 0, 3, 0], [0, 3, 0, 15],
    ]  # fmt: skip


def test_ranks_of_tables_whose_answers_are_known() -> None:
    for n in (1, 2, 5, 30):
        ranks = effective_ranks(np.eye(n), energy=0.5 if n == 1 else 1 - 0.5 / n)
        assert ranks[:2] == (n, n)
        np.testing.assert_allclose(ranks[2:], n, rtol=1e-12)
    one = effective_ranks(np.outer([1.0, 2.0, 3.0], [4.0, 5.0]))
    assert one[:2] == (1, 1)
    np.testing.assert_allclose(one[2:], 1, rtol=1e-12)
    # singular values 2, 1, 1: energies 4, 1, 1
    two = effective_ranks(np.diag([2.0, 1.0, 1.0]), energy=0.8, threshold=0.6)
    assert two[:2] == (2, 1)
    entropy = math.exp(0.5 * math.log(2) + 2 * 0.25 * math.log(4))
    np.testing.assert_allclose(two[2:], [6 / 4, 36 / 18, entropy], rtol=1e-14)


def test_an_energy_share_is_reached_when_it_is_met() -> None:
    assert effective_ranks(np.eye(4), energy=0.5).energy == 2
    almost = float(np.nextafter(1, 0))
    for seed in range(20):  # rounding leaves the sum of all shares below this for some of them
        x = np.diag(np.random.default_rng(seed).uniform(0.5, 1, size=150))
        assert effective_ranks(x, energy=almost).energy == 150


def test_the_common_component_by_hand() -> None:
    row, share = common_component([[1.0, 1.0], [1.0, 0.0], [1.0, -1.0]])
    assert row.tolist() == [1, 0]
    assert share == pytest.approx(3 / 5, rel=1e-15)
    assert common_component([[1.0], [-1.0]]).share == 0
    assert common_component([[2.0, 3.0]]).share == pytest.approx(1, rel=1e-15)


def test_shares_do_not_overflow() -> None:
    for scale in (1e-300, 1.0, 1e300):
        x = scale * np.array([[1.0, 1.0], [1.0, 0.0]])
        assert common_component(x).share == pytest.approx(5 / 6, rel=1e-14)
        np.testing.assert_allclose(effective_ranks(x), effective_ranks(x / scale), rtol=1e-12)
    assert effective_ranks(np.full((2, 2), 1.5e308))[:2] == (1, 1)
    assert relative_part(np.full((2, 2), 1.5e308)).tolist() == [[1.5e308, 0], [0, 1.5e308]]


def test_a_blend_by_hand() -> None:
    mixed = blend(0, math.pi / 2, 0.5, 2)
    np.testing.assert_allclose(mixed, [0.5, 0.5], atol=1e-16)
    pairs = blend_pairs(math.pi / 2, 0.5, 2)
    assert pairs.length[0] == pytest.approx(math.sqrt(0.5), rel=1e-15)
    assert pairs.turn[0] == pytest.approx(0, abs=1e-16)
    # three quarters of a turn: the middle of the chord lies opposite to the middle of the arc
    assert abs(blend_pairs(3 * math.pi / 2, 0.5, 2).turn[0]) == pytest.approx(math.pi, rel=1e-15)


# Properties -------------------------------------------------------------------------------------------------


@few
@given(p=OFFSETS, k=OFFSETS, d=WIDTHS, base=BASES)
def test_the_kernel_is_the_dot_product_of_any_two_rows_that_far_apart(
    p: float, k: float, d: int, base: float
) -> None:
    product = float(encode(p, d, base=base) @ encode(p + k, d, base=base))
    slack = 1e-12 * d
    assert float(similarity(k, d, base=base)) == pytest.approx(product, abs=slack)
    assert similarity(k, d, base=base) == similarity(-k, d, base=base)
    squared = d - 2 * similarity(k, d, base=base)
    assert float(offset_distance(k, d, base=base)) ** 2 == pytest.approx(float(squared), abs=slack)
    assert abs(float(similarity(k, d, base=base))) <= d / 2


def test_the_kernel_in_forty_digits() -> None:
    with mp.workdps(40):
        for d, k in ((6, 4), (128, 12), (512, 44), (512, 100_000)):
            exact = mp.fsum(mp.cos(k * mpf(10000) ** (mpf(-2 * i) / d)) for i in range(d // 2))
            assert float(similarity(k, d)) == pytest.approx(float(exact), abs=1e-9)


def test_kernels_take_any_shape_and_any_frequencies() -> None:
    assert kernel(3, [1.0]).shape == ()
    assert kernel([[1, 2, 3]], [1.0, 0.5]).shape == (1, 3)
    assert kernel(np.zeros((2, 0)), [1.0]).shape == (2, 0)
    assert kernel(7, [0.0, 0.0]) == 2
    np.testing.assert_array_equal(kernel([1, 2], [-0.5]), kernel([1, 2], [0.5]))
    ladder = frequencies(8, ladder="tensor2tensor")
    rows = encode(range(9), 8, ladder="tensor2tensor")
    np.testing.assert_allclose(kernel(range(9), ladder), rows @ rows[0], rtol=1e-14)


@few
@given(n=st.integers(2, 60), d=WIDTHS, base=BASES)
def test_the_margin_is_the_smallest_distance_of_all_pairs(n: int, d: int, base: float) -> None:
    rows = encode(range(n), d, base=base)
    gaps = np.linalg.norm(rows[:, None] - rows[None], axis=-1)
    smallest = gaps[np.triu_indices(n, 1)].min()
    assert margin(n, d, base=base) == pytest.approx(float(smallest), rel=1e-9)


@few
@given(d=WIDTHS, seed=st.integers(0, 99), layout=st.sampled_from(["interleaved", "halves"]))
def test_the_relative_part_is_a_projection_onto_what_commutes_with_shifts(
    d: int, seed: int, layout: Any
) -> None:
    m, other = np.random.default_rng(seed).normal(size=(2, d, d))
    part = relative_part(m, layout=layout)
    np.testing.assert_allclose(relative_part(part, layout=layout), part, rtol=0, atol=1e-15)
    # orthogonal: what is left has no product with any relative matrix
    assert np.sum((m - part) * relative_part(other, layout=layout)) == pytest.approx(0, abs=1e-12 * d * d)
    t = shift_matrix(2.5, d, layout=layout)
    np.testing.assert_allclose(t.T @ part @ t, part, rtol=0, atol=1e-13)
    a, b = generator(d, layout=layout), np.eye(d)
    np.testing.assert_allclose(relative_part(3 * b - 2 * a, layout=layout), 3 * b - 2 * a, atol=1e-15)
    converted = relayout(relayout(m, source="interleaved", to="halves", axis=0), source="interleaved",
                         to="halves", axis=1)  # fmt: skip
    mine = relayout(relative_part(m), source="interleaved", to="halves", axis=0)
    mine = relayout(mine, source="interleaved", to="halves", axis=1)
    np.testing.assert_array_equal(relative_part(converted, layout="halves"), mine)


def test_the_relative_part_is_the_mean_over_shifts() -> None:
    d, n = 6, 4000
    m = np.random.default_rng(3).normal(size=(d, d))
    turns = [shift_matrix(t, d, base=100) for t in range(n)]
    mean = np.mean([t.T @ m @ t for t in turns], axis=0)
    np.testing.assert_allclose(mean, relative_part(m), atol=0.02)  # the slowest sum is below 25 terms
    assert np.abs(mean - m).max() > 0.5


def test_scores_with_a_relative_matrix_are_the_cosines_of_the_theorem() -> None:
    d, n = 8, 20
    rng = np.random.default_rng(5)
    part = relative_part(rng.normal(size=(d, d)))
    a, b = part[0::2, 0::2].diagonal(), part[0::2, 1::2].diagonal()
    rows, w = encode(range(n), d), frequencies(d)
    k = np.arange(n)[None] - np.arange(n)[:, None]  # key minus query
    angles = k[..., None] * w
    np.testing.assert_allclose(
        rows @ part @ rows.T, (a * np.cos(angles) - b * np.sin(angles)).sum(-1), atol=1e-13
    )
    r, phase = np.hypot(a, b), np.arctan2(b, a)
    np.testing.assert_allclose(rows @ part @ rows.T, (r * np.cos(angles + phase)).sum(-1), atol=1e-13)


@few
@given(n=st.integers(1, 300), d=WIDTHS)
def test_the_common_share_has_the_closed_form_of_the_lemma(n: int, d: int) -> None:
    w = frequencies(d)
    closed = float(np.mean((np.sin(n * w / 2) / (n * np.sin(w / 2))) ** 2))
    assert common_component(encode(range(n), d)).share == pytest.approx(closed, rel=1e-9, abs=1e-13)


@few
@given(n=st.integers(1, 40), d=st.sampled_from([2, 8, 64]))
def test_ranks_lie_between_one_and_the_rank_and_come_from_the_kernel(n: int, d: int) -> None:
    x = encode(range(n), d)
    ranks = effective_ranks(x)
    most = min(n, d) * (1 + 1e-12)
    assert all(1 - 1e-12 <= value <= most for value in ranks)
    assert ranks.stable <= ranks.participation * (1 + 1e-12)
    k = np.arange(1, n)
    fourth = n * (d / 2) ** 2 + 2 * float(((n - k) * similarity(k, d) ** 2).sum())
    assert ranks.participation == pytest.approx((n * d / 2) ** 2 / fourth, rel=1e-9)
    q = np.linalg.qr(np.random.default_rng(n).normal(size=(d, d)))[0]
    np.testing.assert_allclose(effective_ranks(7 * x @ q)[2:], ranks[2:], rtol=1e-6)


@few
@given(p=st.floats(-50, 50), k=st.floats(-50, 50), alpha=FRACTIONS, d=WIDTHS)
def test_blends_are_what_the_lemma_says_pair_by_pair(p: float, k: float, alpha: float, d: int) -> None:
    mixed, exact = blend(p, p + k, alpha, d), encode(p + alpha * k, d)
    length, turn = blend_pairs(k, alpha, d)
    assert (np.abs(turn) <= np.pi).all()
    assert (length <= 1 + 1e-15).all()
    # a pair is (sin, cos): turning by an angle is a shift of that pair
    pairs = exact.reshape(-1, 2)
    turned = np.stack(
        [
            pairs[:, 0] * np.cos(turn) + pairs[:, 1] * np.sin(turn),
            pairs[:, 1] * np.cos(turn) - pairs[:, 0] * np.sin(turn),
        ],
        axis=-1,
    )
    np.testing.assert_allclose((length[:, None] * turned).ravel(), mixed, rtol=0, atol=1e-12)


def test_a_blend_keeps_the_conventions_of_encode() -> None:
    for layout in ("interleaved", "halves"):
        for ladder in ("paper", "tensor2tensor"):
            given_: dict[str, Any] = {"layout": layout, "ladder": ladder, "base": 500.0}
            ends = blend([1, 2], 5.5, 0.25, 8, **given_)
            expected = 0.75 * encode([1, 2], 8, **given_) + 0.25 * encode(5.5, 8, **given_)
            np.testing.assert_array_equal(ends, expected)
    assert np.array_equal(blend(3, 4, 0, 8), encode(3, 8))
    assert np.array_equal(blend(3, 4, 1, 8), encode(4, 8))


# What must be refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: similarity(1, 7), ValueError, "d_model must be even"),
        (lambda: similarity(1, 8, base=1), ValueError, "base must be greater than 1"),
        (lambda: similarity(math.nan, 8), ValueError, "offsets must be finite"),
        (lambda: similarity(True, 8), TypeError, "offsets must hold"),
        (lambda: similarity("3", 8), TypeError, "offsets must hold"),
        (lambda: kernel(1, []), ValueError, "frequencies must be one list"),
        (lambda: kernel(1, 2.0), ValueError, "frequencies must be one list"),
        (lambda: kernel(1, [[1.0, 2.0]]), ValueError, "frequencies must be one list"),
        (lambda: kernel(1, [math.inf]), ValueError, "frequencies must be finite"),
        (lambda: kernel(1e300, [1e300]), ValueError, "within"),
        (lambda: kernel(2, [1e300]), ValueError, "offsets times frequencies must be at most 1e\\+300"),
        (lambda: kernel(0, [1.1e300]), ValueError, "offsets times frequencies must be at most 1e\\+300"),
        (lambda: first_rise([1]), ValueError, "values must be one list of at least 2"),
        (lambda: first_rise([[1, 2], [3, 4]]), ValueError, "values must be one list"),
        (lambda: first_rise([1, math.nan]), ValueError, "values must be finite"),
        (lambda: wide_limit(1, base=1), ValueError, "base must be greater than 1"),
        (lambda: wide_limit(math.nan), ValueError, "offsets must be finite"),
        (lambda: margin(1, 8), ValueError, "n must be a whole number of at least 2"),
        (lambda: margin(2.0, 8), TypeError, "n must be a whole number"),  # type: ignore[arg-type]
        (lambda: relative_part([[1, 2, 3]]), ValueError, "matrix must be square"),
        (lambda: relative_part(np.eye(3)), ValueError, "the width of matrix must be even"),
        (lambda: relative_part(np.zeros((0, 0))), ValueError, "the width of matrix"),
        (lambda: relative_part(np.eye(2), layout="rows"), ValueError, "layout"),  # type: ignore[arg-type]
        (lambda: common_component([1, 2]), ValueError, "x must be a table"),
        (lambda: common_component(np.zeros((0, 4))), ValueError, "x must be a table"),
        (lambda: common_component(np.zeros((3, 4))), ValueError, "x must not be zero"),
        (lambda: effective_ranks(np.zeros((3, 4))), ValueError, "x must not be zero"),
        (lambda: effective_ranks(np.eye(2), energy=1), ValueError, "energy must be above 0 and below 1"),
        (lambda: effective_ranks(np.eye(2), energy=99), ValueError, "energy must be"),
        (lambda: effective_ranks(np.eye(2), threshold=0), ValueError, "threshold must be"),
        (lambda: blend(1, 2, 1.5, 8), ValueError, "fraction must lie between 0 and 1"),
        (lambda: blend(1, 2, -0.1, 8), ValueError, "fraction must lie"),
        (lambda: blend(1, 2, [0.5], 8), TypeError, "fraction"),  # type: ignore[arg-type]
        (lambda: blend_pairs(math.inf, 0.5, 8), ValueError, "offset must be finite"),
        (lambda: blend_pairs([1.0], 0.5, 8), TypeError, "offset must be one"),  # type: ignore[arg-type]
    ],
)
def test_bad_input_is_refused_by_name(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


# The theorems of the chapter --------------------------------------------------------------------------------


@few
@given(d=st.sampled_from([2, 4, 6, 8, 16]), base=st.sampled_from([3.0, 100.0, 10000.0]))
def test_no_kernel_is_monotone_and_every_one_becomes_negative(d: int, base: float) -> None:
    s = similarity(np.arange(20_000), d, base=base)
    assert first_rise(s) is not None
    assert s.min() < 0


def test_far_rows_are_as_alike_as_random_directions() -> None:
    k = np.random.default_rng(1).integers(10**6, 10**8, 20_000)
    for d in (16, 64, 256):
        cosines = similarity(k, d) / (d / 2)
        assert abs(cosines.mean()) < 0.01
        assert np.sqrt(np.mean(cosines**2)) == pytest.approx(1 / math.sqrt(d), rel=0.03)


def limit(k: float, base: float) -> float:
    with mp.workdps(30):
        return float((mp.ci(k) - mp.ci(mpf(k) / base)) / mp.log(base))


def test_wide_kernels_tend_to_the_difference_of_two_cosine_integrals() -> None:
    for base in (50.0, 10000.0):
        for k in (0.3, 1, 7, 100):
            for d in (2, 64, 2**10, 2**14):
                missed = abs(float(similarity(k, d, base=base)) / (d / 2) - limit(k, base))
                assert missed <= 2 * k / d
            assert missed < 1e-3


def test_the_limit_is_its_integral_whatever_the_sign_and_the_shape() -> None:
    for base in (1.5, 50.0, 10000.0):
        k = np.array([[0.3, -1.0, 7.0], [100.0, 1000.0, 0.0]])
        expected = [[limit(abs(v), base) if v else 1.0 for v in line] for line in k.tolist()]
        np.testing.assert_allclose(wide_limit(k, base=base), expected, rtol=0, atol=1e-15)
    assert wide_limit(3).shape == ()
    # by another road: the integral over one ladder, cos(k / B^t) for t from 0 to 1
    t = (np.arange(200_000) + 0.5) / 200_000
    assert float(wide_limit(40)) == pytest.approx(np.cos(40 * 1e4**-t).mean(), abs=1e-9)


def test_twice_as_far_costs_the_same_only_once_the_fast_hands_are_averaged_out() -> None:
    near, far = wide_limit([10, 20]), wide_limit([500, 1000])
    octave = math.log(2) / math.log(10000)
    assert near[0] - near[1] == pytest.approx(0.0654992, abs=1e-6)
    assert far[0] - far[1] == pytest.approx(0.0748631, abs=1e-6)
    assert abs(far[0] - far[1] - octave) < 5e-4
    assert abs(near[0] - near[1] - octave) > 9e-3  # from 10 to 20 it is not yet so
    assert abs(near[0] - near[1] - octave) <= (2 / 10 + 2 / 20 + 1e-5) / math.log(10000)


def test_the_limit_stays_within_the_bound_of_its_logarithm() -> None:
    for base in (100.0, 10000.0, 1e6):
        for k in [*range(1, 60), 1000, int(base)]:
            if k > base:
                continue
            law = 1 - (math.log(k) + np.euler_gamma) / math.log(base)
            bound = (2 / k + k * k / (4 * base * base)) / math.log(base)
            assert abs(limit(k, base) - law) <= bound


def test_the_limit_falls_at_every_step_up_to_a_quarter_of_the_base() -> None:
    assert 1 - 2 * math.sin(0.5) > 1 / 32
    for base in (40.0, 400.0):
        values = [1.0, *(limit(k, base) for k in range(1, int(base / 4) + 1))]
        assert first_rise(values) is None
    late = [limit(k, 40.0) for k in range(1, 80)]
    assert first_rise(late) is not None


def test_at_width_512_the_logarithm_is_missed_by_less_than_six_hundredths() -> None:
    k = np.arange(5, 1001)
    missed = np.abs(similarity(k, 512) / 256 - (1 - (np.log(k) + np.euler_gamma) / math.log(10000)))
    assert k[missed.argmax()] == 934
    assert missed.max() == pytest.approx(0.0548277, abs=1e-7)


def test_evenly_spaced_hands_come_back() -> None:
    even = kernel(np.arange(2001), np.arange(1, 257) / 256) / 256
    assert np.abs(even[10:1001]).max() < 0.1 < even[8]
    assert 1000 + even[1000:].argmax() == round(512 * math.pi) == 1608
    assert even[1608] > 0.95
    assert kernel(512 * math.pi, np.arange(1, 257) / 256) == pytest.approx(256, rel=1e-12)


def test_a_quarter_turn_tells_direction_until_the_fast_hands_have_gone_round() -> None:
    for d, turns_over in ((4, 4), (64, 131), (128, 978), (512, 9769)):
        k = np.arange(1, 10_000)
        sines = np.sin(np.outer(k, frequencies(d))).sum(1)
        assert k[sines < 0][0] == turns_over


def test_ripples_begin_where_the_fastest_two_hands_are_a_radian_apart() -> None:
    for d in (64, 128, 256, 512, 1024, 2048):
        rise = first_rise(similarity(np.arange(400), d))
        w = frequencies(d)
        assert rise is not None
        assert 1 < rise * (w[0] - w[1]) < 2


def test_a_random_score_matrix_sees_the_offset_with_one_part_in_d() -> None:
    rng = np.random.default_rng(7)
    for d in (32, 64):
        shares = [np.square(relative_part(m)).sum() / np.square(m).sum() for m in rng.normal(size=(60, d, d))]
        assert np.mean(shares) == pytest.approx(1 / d, rel=0.1)


def test_a_decay_in_the_absolute_offset_does_not_come_apart_into_positions() -> None:
    q, zeta = np.arange(12), 0.9
    gaps = np.subtract.outer(q, q)
    assert np.linalg.matrix_rank(zeta ** gaps.astype(float)) == 1
    two_sided = zeta ** np.abs(gaps)
    codes = np.linalg.cholesky(two_sided)  # as many columns as positions do it, and fewer cannot
    np.testing.assert_allclose(codes @ codes.T, two_sided, rtol=0, atol=1e-15)
    for n in (3, 30, 100):
        every = zeta ** np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
        assert np.linalg.matrix_rank(every, rtol=1e-9) == n
    left = np.eye(12) - zeta * np.eye(12, k=1)
    triangular = left @ two_sided
    np.testing.assert_allclose(np.triu(triangular, 1), 0, atol=1e-15)
    np.testing.assert_allclose(np.diag(triangular), [1 - zeta**2] * 11 + [1], rtol=1e-13)


# The ledger -------------------------------------------------------------------------------------------------


def test_c062_fifty_rows_fill_few_directions_by_every_definition() -> None:
    assert stands("C062")
    x = encode(range(50), 128)
    sigma = np.linalg.svd(x, compute_uv=False)
    assert np.square(sigma).sum() == pytest.approx(50 * 64, rel=1e-13)
    assert sigma[0] == pytest.approx(46.243036, abs=1e-6)
    ranks = effective_ranks(x)
    assert (ranks.energy, ranks.threshold) == (16, 20)
    assert ranks.stable == pytest.approx(3200 / sigma[0] ** 2, rel=1e-12)
    assert common_component(x).share > 2 / 3
    # a wider table of the same words is not a fuller one; more words are
    assert effective_ranks(encode(range(50), 512)).energy == 16
    assert effective_ranks(encode(range(512), 512)).energy > 100


def test_c063_whole_positions_never_share_a_row() -> None:
    assert stands("C063")
    for d in (2, 4, 128):
        assert margin(3000, d) > 1e-5
        assert len(np.unique(encode(range(3000), d)[:, 0])) == 3000


def test_c064_the_margin_depends_on_width_and_length() -> None:
    assert stands("C064")
    assert margin(710, 2) > margin(711, 2)  # offset 710 needs 711 rows
    assert margin(711, 2) == pytest.approx(6.0289e-5, rel=1e-4)
    for d, expected in ((16, 1.0147253), (64, 1.4718480), (128, 1.9525963), (512, 3.7142704)):
        assert margin(2000, d) == pytest.approx(expected, abs=1e-7)
        assert margin(2000, d) == margin(2, d)


def test_c065_sine_and_cosine_of_one_pair_repeat_together() -> None:
    assert stands("C065")
    turn = 2 * math.pi
    np.testing.assert_allclose(encode(1 + turn, 2), encode(1, 2), atol=1e-15)
    assert similarity(turn, 2) == pytest.approx(1, rel=1e-15)
    assert similarity(turn, 4) < 2 - 1e-3


def test_c066_similarity_falls_at_first_and_then_not_always() -> None:
    assert stands("C066")
    for d, rise in ((6, 3), (64, 5), (128, 11), (512, 43)):
        assert first_rise(similarity(np.arange(200), d)) == rise
    np.testing.assert_allclose(similarity([11, 12], 128), [42.344323, 42.381386], atol=1e-6)
    np.testing.assert_allclose(similarity([43, 44], 512), [134.758700, 134.770351], atol=1e-6)
    cosines = similarity([1, 10, 100, 1000, 5000], 512) / 256
    np.testing.assert_allclose(cosines, [0.973055, 0.678866, 0.437306, 0.175670, -0.024512], atol=1e-6)


def test_c066_no_base_makes_it_monotone_over_a_hundred_tokens() -> None:
    rises = {b: first_rise(similarity(np.arange(101), 512, base=b)) for b in (10, 100, 1e3, 1e4, 1e5, 1e6)}
    assert None not in rises.values()
    assert max(rises[1e5], rises[1e6]) < rises[1e4]  # type: ignore[type-var, operator]
    assert rises[10] < rises[100] < rises[1e3]  # type: ignore[operator]  # and below it, later


def test_c067_continuous_and_not_small() -> None:
    assert stands("C067")
    speed = math.sqrt(np.square(frequencies(512)).sum())
    assert speed == pytest.approx(3.79518367, abs=1e-8)
    assert offset_distance(1, 512) == pytest.approx(3.7142704, abs=1e-7)
    assert offset_distance(1e-6, 512) / 1e-6 == pytest.approx(speed, rel=1e-6)


def test_c068_on_a_sphere_whatever_the_length() -> None:
    assert stands("C068")
    rows = encode([0, 1, 50, 10**6, 10**9], 512)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 16, rtol=1e-14)
    assert np.abs(rows).max() <= 1
    assert similarity(0, 512) == 256
    assert (rows[0] == 0).sum() == 256  # bounded, but not away from zero


def test_c081_dot_products_know_how_far_and_not_which_way() -> None:
    assert stands("C081")
    rows = encode(range(30), 64)
    gram = rows @ rows.T
    for k in range(30):
        assert np.ptp(np.diagonal(gram, k)) < 1e-12
    assert gram[10, 13] == pytest.approx(gram[10, 7], rel=1e-14)
    # another product of the same rows knows it
    quarter = np.kron(np.eye(32), [[0, 1], [-1, 0]])
    turned = rows @ quarter @ rows.T
    assert points_back(turned[:24, :24], 64)
    assert turned[10, 7] > 1 > -1 > turned[10, 13]
    # and a product of rows that sees the offset alone is even, so it cannot
    m = relative_part(np.random.default_rng(0).normal(size=(64, 64)))
    scores = rows @ (m.T @ m) @ rows.T  # the dot product of rows mapped by one and the same matrix
    assert scores[10, 13] == pytest.approx(scores[10, 7], rel=1e-12)


def test_c082_position_one_and_a_half_is_no_blend() -> None:
    assert stands("C082")
    for d, ratio in ((2, 0.8775826), (6, 0.9608350), (512, 0.9932409)):
        mixed, exact = blend(1, 2, 0.5, d), encode(1.5, d)
        assert np.linalg.norm(mixed) / np.linalg.norm(exact) == pytest.approx(ratio, abs=1e-7)
        assert np.abs(mixed - exact).max() == pytest.approx(0.1221108, abs=1e-7)
    mixed, exact = blend(1, 2, 0.5, 512), encode(1.5, 512)
    assert mixed @ exact / np.linalg.norm(mixed) / 16 == pytest.approx(0.9998003, abs=1e-7)
    assert 1.25 + blend_pairs(1, 0.25, 512).turn[0] == pytest.approx(1.2333534, abs=1e-7)
    np.testing.assert_allclose(shift(encode(1, 512), 0.5), exact, atol=1e-14)


def test_c082_between_distant_positions_the_blend_looks_like_its_ends() -> None:
    mixed, exact = blend(0, 50, 0.5, 512), encode(25, 512)
    assert np.linalg.norm(mixed) / 16 == pytest.approx(0.8695, abs=1e-4)
    assert mixed @ exact / np.linalg.norm(mixed) / 16 == pytest.approx(0.6752, abs=1e-4)
    for k in range(2, 101, 2):
        mixed = blend(0, k, 0.5, 512)
        to_end, to_middle = mixed @ encode(k, 512), mixed @ encode(k / 2, 512)
        assert to_end == pytest.approx(float((256 + similarity(k, 512)) / 2), rel=1e-12)
        assert to_middle == pytest.approx(float(similarity(k / 2, 512)), rel=1e-12)
        assert (to_middle < to_end) == (k >= 6)
    found = blend_looks_like_its_ends(similarity(range(101), 512))
    assert found
    assert found.evidence["from"] == 6


def test_c083_the_page_quotes_the_paper_word_for_word() -> None:
    assert stands("C083")
    page = Path(__file__).parents[2] / "docs" / "sinusoidal" / "distance.md"
    quoted = " ".join(
        line[1:].strip() for line in page.read_text(encoding="utf-8").splitlines() if line.startswith(">")
    )
    for mark, plain in ((r"\cdot", "·"), (r"\pi", "π"), ("$", ""), ("_{pos+k}", "pos+k"), ("_{pos}", "pos")):
        quoted = quoted.replace(mark, plain)
    words = re.sub(r"\s+", " ", quoted).strip()
    assert words == SECTION


# Far out, and at the ends of float64 ------------------------------------------------------------------------


FAR = (2**50 + 1, -(10**15) - 7, 2**53, 123_456_789_012_345, 2.0**40 + 0.5)


@pytest.mark.parametrize("ladder", ["paper", "tensor2tensor"])
def test_similarity_and_kernel_lose_nothing_far_out(ladder: Any) -> None:
    for d, base in ((64, 10000.0), (6, 500.0)):
        rungs = d // 2 if ladder == "paper" else d // 2 - 1
        rates = frequencies(d, base=base, ladder=ladder)
        for k in FAR:
            with mp.workdps(60):
                cosines = [mp.cos(mpf(k) * mpf(base) ** (mpf(-i) / rungs)) for i in range(d // 2)]
                given_rates = [mp.cos(mpf(k) * mpf(float(rate))) for rate in rates]
                exact, of_rates = float(mp.fsum(cosines)), float(mp.fsum(given_rates))
            found = similarity(k, d, base=base, ladder=ladder)
            assert float(found) == pytest.approx(exact, rel=0, abs=1e-15 * d / 2)
            assert float(kernel(k, rates)) == pytest.approx(of_rates, rel=0, abs=1e-15 * d / 2)


def test_similarity_takes_both_ladders() -> None:
    rows = encode(range(20), 8, ladder="tensor2tensor", base=50.0)
    found = similarity(range(20), 8, ladder="tensor2tensor", base=50.0)
    np.testing.assert_allclose(found, rows @ rows[0], rtol=0, atol=4e-15)
    assert np.abs(found - similarity(range(20), 8, base=50.0)).max() > 0.1
    with pytest.raises(ValueError, match="ladder must be 'paper' or 'tensor2tensor', got 'rope'"):
        similarity(1, 8, ladder="rope")  # type: ignore[arg-type]


def test_many_offsets_need_little_memory() -> None:
    offsets, rates = np.arange(20_000.0), frequencies(512)
    whole = 8 * offsets.size * 256
    for call in (lambda: similarity(offsets, 512), lambda: kernel(offsets, rates)):
        call()
        tracemalloc.start()
        call()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < whole / 2


def test_the_wide_limit_of_a_base_beside_one_is_the_cosine() -> None:
    base = float(np.nextafter(1, 2))  # the mean of cos x over what is nearly a point
    k = np.array([0.5, 1, 10])
    np.testing.assert_allclose(wide_limit(k, base=base), np.cos(k), rtol=0, atol=2e-15)
    with mp.workdps(80):
        for far in (1000, 2.0**40, 2.0**53):
            exact = (mp.ci(mpf(far)) - mp.ci(mpf(far) / mpf(base))) / mp.log(mpf(base))
            assert float(wide_limit(far, base=base)) == pytest.approx(float(exact), rel=0, abs=1e-15)


def test_a_margin_says_what_it_would_take() -> None:
    with pytest.raises(
        ValueError, match=r"n must be smaller: 1000000000000 and d_model = 512 would take 2559\d+ sines"
    ):
        margin(10**12, 512)
    assert margin(2, 2**16) == pytest.approx(float(offset_distance(1, 2**16)))


def test_means_of_large_tables_fit_where_their_rows_do() -> None:
    row, share = common_component(np.full((3, 2), 1.7e308))
    np.testing.assert_allclose(row, 1.7e308, rtol=1e-15)
    assert share == pytest.approx(1, rel=1e-15)
    assert common_component(np.full((3, 2), 5e-324)).row.tolist() == [5e-324, 5e-324]


def test_blends_of_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"first and second must have shapes that broadcast, got \(2,\) and \(3,\)"
    ):
        blend([1, 2], [1, 2, 3], 0.5, 4)
    with pytest.raises(
        ValueError, match=r"result of first and second must be smaller: \(100000, 1000000, 4\)"
    ):
        blend(np.zeros((100_000, 1)), np.zeros(1_000_000), 0.5, 4)


def test_blends_of_distant_positions_keep_their_turn() -> None:
    k, alpha, d = 2**50 + 2, 0.25, 8  # a quarter of it is no whole number, and a float64
    length, turn = blend_pairs(k, alpha, d)
    with mp.workdps(60):
        for i in range(d // 2):
            theta = mpf(k) * mpf(10000) ** (mpf(-i) / (d // 2))
            point = (1 - alpha) + alpha * mp.expj(theta)
            assert float(length[i]) == pytest.approx(float(abs(point)), rel=0, abs=2e-15)
            exact = mp.arg(point * mp.expj(-alpha * theta))
            assert float(mp.cos(exact - mpf(float(turn[i])))) == pytest.approx(1, abs=1e-15)
            assert abs(float(mp.sin(exact - mpf(float(turn[i]))))) < 1e-14
    assert blend_pairs(3 * math.pi / 2, 0.5, 2).turn[0] == math.pi  # of ±π the one in (-π, π]
    assert blend_pairs(-3 * math.pi / 2, 0.5, 2).turn[0] == math.pi
