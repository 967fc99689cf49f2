"""Holds pe_book.sinusoidal.distance, and what the chapter says with it, to their word."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from numpy.typing import NDArray

from pe_book.sinusoidal.distance import first_rise, kernel, relative_part, similarity, wide_limit
from pe_book.sinusoidal.distance.blending import blend, blend_pairs
from pe_book.sinusoidal.distance.offsets import margin
from pe_book.sinusoidal.distance.spread import common_component, effective_ranks
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.shift import generator, shift_matrix
from tests import exactly
from tests.seeds import examples_drawn

Array = NDArray[np.float64]
few = examples_drawn(30)
WIDTHS = st.sampled_from([2, 4, 6, 8, 30, 64, 128])
BASES = st.sampled_from([1.5, 100.0, 10000.0, 500000.0])
OFFSETS = st.floats(-1000, 1000) | st.integers(-5000, 5000)
FRACTIONS = st.floats(0, 1) | st.sampled_from([0.0, 0.25, 0.5, 1.0])


# Exact small tables -----------------------------------------------------------------------------------------


def test_a_first_rise_is_a_step_and_not_a_tie() -> None:
    assert first_rise([3, 2, 2, 2.5]) == 2
    assert first_rise([1, 2]) == 0
    assert first_rise([2, 2, 1]) is None
    assert first_rise([5, 4, 3]) is None


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


def test_shares_do_not_overflow() -> None:
    for scale in (1e-300, 1.0, 1e300):
        x = scale * np.array([[1.0, 1.0], [1.0, 0.0]])
        assert common_component(x).share == pytest.approx(5 / 6, rel=1e-14)
        np.testing.assert_allclose(effective_ranks(x), effective_ranks(x / scale), rtol=1e-12)
    assert effective_ranks(np.full((2, 2), 1.5e308))[:2] == (1, 1)
    assert relative_part(np.full((2, 2), 1.5e308)).tolist() == [[1.5e308, 0], [0, 1.5e308]]


# Properties -------------------------------------------------------------------------------------------------


@few
@given(p=OFFSETS, k=OFFSETS, d=WIDTHS, base=BASES)
def test_the_kernel_is_the_dot_product_of_any_two_rows_that_far_apart(
    p: float, k: float, d: int, base: float
) -> None:
    product = float(encode(p, d, base=base) @ encode(p + k, d, base=base))
    assert float(similarity(k, d, base=base)) == pytest.approx(product, abs=1e-12 * d)
    assert similarity(k, d, base=base) == similarity(-k, d, base=base)


def test_kernels_take_any_frequencies() -> None:
    assert kernel(7, [0.0, 0.0]) == 2
    np.testing.assert_array_equal(kernel([1, 2], [-0.5]), kernel([1, 2], [0.5]))
    ladder = frequencies(8, ladder="tensor2tensor")
    rows = encode(range(9), 8, ladder="tensor2tensor")
    np.testing.assert_allclose(kernel(range(9), ladder), rows @ rows[0], rtol=1e-14)


@few
@given(n=st.integers(2, 60), d=WIDTHS, base=BASES, ladder=st.sampled_from(["paper", "tensor2tensor"]))
def test_the_margin_is_the_smallest_distance_of_all_pairs(n: int, d: int, base: float, ladder: Any) -> None:
    rows = encode(range(n), d, base=base, ladder=ladder)
    gaps = np.linalg.norm(rows[:, None] - rows[None], axis=-1)
    smallest = gaps[np.triu_indices(n, 1)].min()
    assert margin(n, d, base=base, ladder=ladder) == pytest.approx(float(smallest), rel=1e-9)


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
        (lambda: kernel(1, 2.0), ValueError, "frequencies must be one list"),
        (lambda: kernel(2, [1e300]), ValueError, "offsets times frequencies must be at most 1e\\+300"),
        (lambda: margin(1, 8), ValueError, "n must be a whole number of at least 2"),
        (lambda: relative_part(np.eye(3)), ValueError, "the width of matrix must be even"),
        (lambda: common_component(np.zeros((3, 4))), ValueError, "x must not be zero"),
        (lambda: effective_ranks(np.eye(2), energy=1), ValueError, "energy must be above 0 and below 1"),
        (lambda: blend(1, 2, 1.5, 8), ValueError, "fraction must lie between 0 and 1"),
    ],
)
def test_bad_input_is_refused_by_name(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


# The limit of wide tables -----------------------------------------------------------------------------------


def limit(k: float, base: float) -> float:
    with mp.workdps(30):
        return float((mp.ci(k) - mp.ci(mpf(k) / base)) / mp.log(base))


def test_the_limit_is_its_integral_whatever_the_sign_and_the_shape() -> None:
    for base in (1.5, 50.0, 10000.0):
        k = np.array([[0.3, -1.0, 7.0], [100.0, 1000.0, 0.0]])
        expected = [[limit(abs(v), base) if v else 1.0 for v in line] for line in k.tolist()]
        np.testing.assert_allclose(wide_limit(k, base=base), expected, rtol=0, atol=1e-15)
    assert wide_limit(3).shape == ()
    # by another road: the integral over one ladder, cos(k / B^t) for t from 0 to 1
    t = (np.arange(200_000) + 0.5) / 200_000
    assert float(wide_limit(40)) == pytest.approx(np.cos(40 * 1e4**-t).mean(), abs=1e-9)


# Far out, and at the ends of float64 ------------------------------------------------------------------------


FAR = (2**50 + 1, -(10**15) - 7, 2**53, 123_456_789_012_345, 2.0**40 + 0.5)


@pytest.mark.parametrize("ladder", ["paper", "tensor2tensor"])
def test_similarity_and_kernel_lose_nothing_far_out(ladder: Any) -> None:
    for d, base in ((64, 10000.0), (6, 500.0)):
        rates = frequencies(d, base=base, ladder=ladder)
        for k in FAR:
            exact = float(mp.fsum(cosine for _, cosine in exactly.waves(k, d, base, ladder)))
            with mp.workdps(60):
                of_rates = float(mp.fsum(mp.cos(mpf(k) * mpf(float(rate))) for rate in rates))
            found = similarity(k, d, base=base, ladder=ladder)
            assert float(found) == pytest.approx(exact, rel=0, abs=1e-15 * d / 2)
            assert float(kernel(k, rates)) == pytest.approx(of_rates, rel=0, abs=1e-15 * d / 2)


def test_blends_of_distant_positions_keep_their_turn() -> None:
    k, alpha, d = 2**50 + 2, 0.25, 8  # a quarter of it is no whole number, and a float64
    length, turn = blend_pairs(k, alpha, d)
    with mp.workdps(60):
        for i in range(d // 2):
            theta = exactly.angle(k, i, d)
            point = (1 - alpha) + alpha * mp.expj(theta)
            assert float(length[i]) == pytest.approx(float(abs(point)), rel=0, abs=2e-15)
            exact = mp.arg(point * mp.expj(-alpha * theta))
            assert float(mp.cos(exact - mpf(float(turn[i])))) == pytest.approx(1, abs=1e-15)
            assert abs(float(mp.sin(exact - mpf(float(turn[i]))))) < 1e-14
    assert blend_pairs(3 * math.pi / 2, 0.5, 2).turn[0] == math.pi  # of ±π the one in (-π, π]
    assert blend_pairs(-3 * math.pi / 2, 0.5, 2).turn[0] == math.pi
