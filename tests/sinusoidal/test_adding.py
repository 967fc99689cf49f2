"""Holds pe_book.sinusoidal.adding, and what the chapter says with it, to their word."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pe_book.evidence.sinusoidal.adding_quoted import recipe
from pe_book.sinusoidal.adding import loudness, projection_counts, score_terms
from pe_book.sinusoidal.adding.reading import principal_variances, recovered_place, recovered_word
from pe_book.sinusoidal.adding.subspaces import closest_sums, principal_angles, separate_projections
from pe_book.sinusoidal.formula import encode
from pe_book.why.first_attempts import append
from pe_book.why.order_blindness import attention_weights
from tests.seeds import examples_drawn

Array = NDArray[np.float64]
few = examples_drawn(30)
SEEDS = st.integers(0, 9999)


def normal(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).normal(size=shape)


def table(n: int, d_model: int) -> Array:
    return encode(np.arange(n), d_model)


# Exact small tables ---------------------------------------------------------------------------------------


def test_angles_by_hand() -> None:
    plane, tilted = [[1, 0, 0], [0, 1, 0]], [[2.0, 0, 0], [0.0, 1, math.sqrt(3)]]
    np.testing.assert_allclose(np.degrees(principal_angles(plane, tilted)), [0, 60], atol=1e-13)
    np.testing.assert_allclose(np.degrees(principal_angles(plane, [[0, 0, 5]])), [90], atol=1e-13)
    tiny = 1e-9  # arccos alone would answer 0
    assert principal_angles([[1, 0]], [[1, tiny]])[0] == pytest.approx(tiny, rel=1e-6)


def test_variances_and_hearing_by_hand() -> None:
    # mean (2, 0), deviations ±2 along one axis; then a second axis with a quarter of the variance
    np.testing.assert_allclose(principal_variances([[0, 0], [4, 0]]), [4, 0], atol=1e-14)
    square = [[2, 1], [2, -1], [-2, 1], [-2, -1]]
    np.testing.assert_allclose(principal_variances(square), [4, 1], rtol=1e-14)
    assert recovered_place(square, 2) == pytest.approx((4 * 4 / 8 + 1 * 1 / 5) / 5, rel=1e-14)
    assert recovered_place(square, 0) == 1
    assert recovered_place([[1, 0], [1, 1]], 0) == 1


# Properties -----------------------------------------------------------------------------------------------


@few
@given(seed=SEEDS, n=st.integers(1, 6), d=st.integers(1, 8), head=st.integers(1, 5))
def test_the_four_terms_are_the_scores_that_attention_computes(seed: int, n: int, d: int, head: int) -> None:
    words, places = normal(seed, n, d), normal(seed + 1, n, d)
    w_q, w_k = normal(seed + 2, d, head), normal(seed + 3, d, head)
    terms = score_terms(words, places, w_q, w_k)
    q, k = (words + places) @ w_q, (words + places) @ w_k
    np.testing.assert_allclose(sum(terms), q @ k.T / np.sqrt(head), rtol=0, atol=1e-11)
    weights = np.exp(sum(terms) - np.max(sum(terms), axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(weights, attention_weights(q, k), rtol=0, atol=1e-11)
    # each term alone: the others vanish with the words or the places
    nothing = np.zeros_like(words)
    np.testing.assert_allclose(
        sum(score_terms(words, nothing, w_q, w_k)), terms.word_word, rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(
        sum(score_terms(nothing, places, w_q, w_k)), terms.place_place, rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(
        score_terms(words, places, w_k, w_q).word_place, terms.place_word.T, atol=1e-12
    )


@few
@given(seed=SEEDS, d=st.integers(2, 12), v=st.integers(1, 6), n=st.integers(1, 6))
def test_one_matrix_does_the_work_of_two_exactly_if_the_spans_are_apart(
    seed: int, d: int, v: int, n: int
) -> None:
    words, places = normal(seed, v, d), normal(seed + 1, n, d)
    a, b = normal(seed + 2, 2, d, 3)
    if min(v, d) + min(n, d) <= d:
        w = separate_projections(words, places, a, b)
        together = append(np.repeat(words, n, axis=0), np.tile(places, (v, 1)))
        sums = (words[:, None] + places).reshape(-1, d)
        np.testing.assert_allclose(sums @ w, together @ np.concatenate([a, b]), atol=1e-6)
        assert principal_angles(words, places)[0] > 1e-9
    else:
        with pytest.raises(ValueError, match="share no direction"):
            separate_projections(words, places, a, b)
        assert principal_angles(words, places)[0] < 1e-7


def every_gap(words: Any, places: Any) -> float:
    """The smallest distance of two different sums, by comparing all of them in exact arithmetic."""
    sums = [
        [Fraction(x) + Fraction(y) for x, y in zip(w, p, strict=True)]
        for w in np.asarray(words).tolist()
        for p in np.asarray(places).tolist()
    ]
    squares = [
        sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) for a, b in itertools.combinations(sums, 2)
    ]
    return math.sqrt(min(squares))


@few
@given(seed=SEEDS, v=st.integers(1, 5), n=st.integers(1, 5), d=st.integers(1, 7))
def test_closest_sums_agree_with_comparing_all(seed: int, v: int, n: int, d: int) -> None:
    if v * n < 2:
        return
    rng = np.random.default_rng(seed)
    grid = [rng.integers(-2, 3, (rows, d)).astype(float) for rows in (v, n)]
    loose = [rng.normal(size=(rows, d)) for rows in (v, n)]
    # differences of words are differences of places, nearly: squares of sums lose them in rounding
    close = [5.0 * np.arange(len(drawn))[:, np.newaxis] + 1e-9 * drawn for drawn in loose]
    for words, places in (grid, loose, close):
        gap, first, second = closest_sums(words, places)
        assert first < second
        assert gap == pytest.approx(every_gap(words, places), rel=1e-3, abs=1e-14)
        apart = words[first[0]] + places[first[1]] - words[second[0]] - places[second[1]]
        assert np.linalg.norm(apart) == pytest.approx(gap, rel=1e-3, abs=1e-14)


@few
@given(seed=SEEDS, n=st.integers(2, 8), d=st.integers(1, 8), std=st.floats(0.01, 10))
def test_hearing_falls_with_the_word_and_does_not_depend_on_the_axes(
    seed: int, n: int, d: int, std: float
) -> None:
    places = normal(seed, n, d)
    share = recovered_place(places, std)
    assert 0 < share <= 1 + 1e-12
    assert recovered_place(places, std + 0.5) < share
    turn = np.linalg.qr(normal(seed + 1, d, d))[0]
    assert recovered_place(places @ turn + 3, std) == pytest.approx(share, rel=1e-9)
    assert recovered_place(2 * places, 2 * std) == pytest.approx(share, rel=1e-9)
    cov = np.atleast_2d(np.cov(places.T, bias=True))
    np.testing.assert_allclose(principal_variances(places).sum(), np.trace(cov), rtol=1e-10)
    # the textbook's form of the best linear reader
    wiener = cov @ np.linalg.pinv(cov + std**2 * np.eye(d)) @ cov
    assert share == pytest.approx(np.trace(wiener) / np.trace(cov), rel=1e-6)
    eigenvalues = np.linalg.eigvalsh(cov).clip(min=0)
    assert recovered_word(places, std) == pytest.approx(np.mean(std**2 / (std**2 + eigenvalues)), rel=1e-6)


def test_a_regression_on_drawn_sums_finds_the_word_as_the_roles_exchanged_say() -> None:
    rng = np.random.default_rng(6)
    places, std = table(8, 16), 0.5
    which = rng.integers(0, 8, size=20000)
    words = std * rng.normal(size=(20000, 16))
    inputs = np.column_stack([words + places[which], np.ones(20000)])
    fitted = inputs @ np.linalg.lstsq(inputs, words, rcond=None)[0]
    assert 1 - ((words - fitted) ** 2).sum() / (words**2).sum() == pytest.approx(
        recovered_word(places, std), abs=0.02
    )


def test_one_matrix_stretches_by_one_over_the_sine_of_the_smallest_angle() -> None:
    words, places = normal(1, 6, 16), table(4, 16)
    kept = separate_projections(words, places, np.eye(16), np.zeros((16, 16)))
    expected = 1 / np.sin(principal_angles(words, places)[0])
    assert expected > 1.1
    assert np.linalg.norm(kept, 2) == pytest.approx(expected, rel=1e-9)


# Other people's arithmetic --------------------------------------------------------------------------------


def test_torch_glorot_gives_the_annotated_ratio() -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    weight = torch.nn.init.xavier_uniform_(torch.empty(3700, 512)).double().numpy()
    assert weight.std() == pytest.approx(math.sqrt(2 / (3700 + 512)), rel=0.005)
    assert recipe("Annotated Transformer").word_std == pytest.approx(math.sqrt(2 / (37000 + 512)), rel=1e-12)


def test_the_cut_normal_is_the_one_that_torch_draws() -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    drawn = torch.nn.init.trunc_normal_(torch.empty(400_000), std=0.02, a=-0.04, b=0.04)
    assert recipe("BERT").word_std == pytest.approx(float(drawn.double().std()), rel=0.005)


# Counts ---------------------------------------------------------------------------------------------------


def test_projections_are_counted_as_torch_counts_them() -> None:
    full, one = projection_counts(512), projection_counts(512, 1)
    assert full == (786_432, 1_572_864, 1_310_720, 3_145_728)
    assert one.appended * 512 == one.added * 513
    torch = pytest.importorskip("torch")
    for width_in, width_out, expected in (
        (512, 512, "added"),
        (1024, 512, "appended"),
        (1024, 1024, "widened"),
    ):
        layer = torch.nn.Linear(width_in, 3 * width_out, bias=False, device="meta")
        assert sum(p.numel() for p in layer.parameters()) == getattr(full, expected)


# Mistakes that must be refused ----------------------------------------------------------------------------

X = np.ones((3, 4))


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: separate_projections(X, X, np.eye(4), np.eye(4)), "share no direction"),
        (lambda: closest_sums(X[:1], X[:1]), "two sums"),
        (lambda: loudness(1, 513), "even"),
        (lambda: principal_variances(X[:1]), "two rows"),
    ],
)
def test_what_has_no_answer_is_refused_by_name(call: Callable[[], Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        call()


def test_loudness_by_hand() -> None:
    assert loudness(1, 128).ratio == pytest.approx(math.sqrt(2), rel=1e-12)
    assert loudness(2, 9, place_std=1) == (6, 3, 2)  # no sinusoid is asked for


# Where numbers nearly meet, or end --------------------------------------------------------------------------


def test_score_terms_know_no_scale_on_the_way() -> None:
    rng = np.random.default_rng(0)
    x, p, q, k = (rng.normal(size=shape) for shape in ((3, 4), (3, 4), (4, 2), (4, 2)))
    plain = score_terms(x, p, q, k)
    for found in (
        score_terms(np.ldexp(x, 600), np.ldexp(p, 600), np.ldexp(q, -600), np.ldexp(k, -600)),
        score_terms(np.ldexp(x, -600), np.ldexp(p, -600), np.ldexp(q, 700), np.ldexp(k, 500)),
    ):
        for a, b in zip(found, plain, strict=True):
            assert np.array_equal(a, b)
    with pytest.raises(ValueError, match="words, places, w_q or w_k is too large: a score does not fit"):
        score_terms(np.ldexp(x, 600), p, q, k)


def test_the_closest_sums_know_no_scale() -> None:
    rng = np.random.default_rng(3)
    words, places = rng.normal(size=(4, 2)), rng.normal(size=(5, 2))
    plain = closest_sums(words, places)
    for e in (900, -900):
        assert closest_sums(np.ldexp(words, e), np.ldexp(places, e)) == plain._replace(gap=plain.gap * 2.0**e)
    assert closest_sums([[0.0], [1.7e308]], [[0.0]]) == (1.7e308, (0, 0), (1, 0))
    with pytest.raises(ValueError, match="words or places is too large: the gap does not fit"):
        closest_sums([[-1.7e308], [1.7e308]], [[0.0]])


def test_equal_places_are_equal_whatever_their_mean_rounds_to() -> None:
    places = np.full((3, 2), 0.1)
    assert (places - places.mean(axis=0)).any()  # the mean of equal numbers is not the number
    assert principal_variances(places).tolist() == [0, 0]
    assert recovered_word(places, 1e-20) == 1
    with pytest.raises(ValueError, match="places must not all be equal"):
        recovered_place(places, 1)
