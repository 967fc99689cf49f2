"""Holds pe_book.sinusoidal.adding, and what the chapter says with it, to their word."""

import itertools
import math
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pe_book.evidence.claims import stands
from pe_book.evidence.sinusoidal import adding as verdicts
from pe_book.evidence.sinusoidal.adding_quoted import PRINTED, PRINTED_SUM, recipe
from pe_book.show.sinusoidal import adding as show
from pe_book.sinusoidal.adding import loudness, projection_counts, score_terms, tied
from pe_book.sinusoidal.adding.reading import principal_variances, recovered_place, recovered_word
from pe_book.sinusoidal.adding.subspaces import closest_sums, principal_angles, separate_projections
from pe_book.sinusoidal.formula import encode
from pe_book.why.first_attempts import append
from pe_book.why.order_blindness import attention_weights
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
SEEDS = st.integers(0, 9999)


def normal(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).normal(size=shape)


def table(n: int, d_model: int) -> Array:
    return encode(np.arange(n), d_model)


def sums_of(words: Array, places: Array) -> Array:
    return (words[:, None] + places).reshape(-1, words.shape[1])


# Exact small tables ---------------------------------------------------------------------------------------


def test_one_cell_by_hand() -> None:
    words, places = np.array([[1.0, 0], [0, 1]]), table(2, 2)
    terms = score_terms(words, places, np.sqrt(2) * np.eye(2), np.eye(2))
    assert [t[0, 1] for t in terms] == pytest.approx([0, math.sin(1), 1, math.cos(1)], abs=1e-15)
    # the other way round the two in the middle change places
    assert [t[1, 0] for t in terms] == pytest.approx([0, 1, math.sin(1), math.cos(1)], abs=1e-15)


def test_the_root_is_that_of_the_head_not_of_the_model() -> None:
    words, places = np.ones((1, 4)), np.zeros((1, 4))
    assert score_terms(words, places, np.ones((4, 1)), np.ones((4, 1))).word_word.item() == 16
    ones = np.ones((4, 9))
    assert score_terms(words, places, ones, ones).word_word.item() == pytest.approx(9 * 16 / 3, rel=1e-15)


def test_tied_by_hand() -> None:
    w = np.array([[1, 0], [2, 1]])
    assert tied(w).tolist() == [[1, 0], [2, 1], [1, 0], [2, 1]]
    assert (np.array([1, 0, 0, 1]) @ tied(w)).tolist() == [3, 1]


def test_untied_by_hand() -> None:
    # the word (1, 1) should give 2, the place (0, 1) should give 5: the first axis must give -3
    assert separate_projections([[1, 1]], [[0, 1]], [[2], [0]], [[0], [5]]).round(12).tolist() == [[-3], [5]]


def test_angles_by_hand() -> None:
    plane, tilted = [[1, 0, 0], [0, 1, 0]], [[2.0, 0, 0], [0.0, 1, math.sqrt(3)]]
    np.testing.assert_allclose(np.degrees(principal_angles(plane, tilted)), [0, 60], atol=1e-13)
    np.testing.assert_allclose(np.degrees(principal_angles(plane, [[0, 0, 5]])), [90], atol=1e-13)
    tiny = 1e-9  # arccos alone would answer 0
    assert principal_angles([[1, 0]], [[1, tiny]])[0] == pytest.approx(tiny, rel=1e-6)


def test_closest_sums_by_hand() -> None:
    assert closest_sums([[0.0], [5.0]], [[0.0], [1.0], [6.0]]) == (0.0, (0, 2), (1, 1))
    assert closest_sums([[0.0], [5.0]], [[0.0], [2.0]]) == (2.0, (0, 0), (0, 1))
    assert closest_sums([[0.0], [1.0]], [[0.0], [9.0]]) == (1.0, (0, 0), (1, 0))
    assert closest_sums([[0.0], [5.0]], [[7.0]]) == (5.0, (0, 0), (1, 0))
    # no place reaches the second axis, and yet two different words at different places come closest
    assert closest_sums([[0.0, 0], [5.0, 0.25]], [[0, 0], [5, 0]]) == (0.25, (0, 1), (1, 0))
    assert closest_sums([[0, 0], [5, 3]], [[0, 0], [5, 0]]) == (3.0, (0, 1), (1, 0))
    # a square at 1e16 has no room for a quarter
    assert closest_sums([[1e8], [1e8 + 5.25]], [[0.0], [5.0]]) == (0.25, (0, 1), (1, 0))


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
        np.testing.assert_allclose(sums_of(words, places) @ w, together @ np.concatenate([a, b]), atol=1e-6)
        assert principal_angles(words, places)[0] > 1e-9
    else:
        with pytest.raises(ValueError, match="share no direction"):
            separate_projections(words, places, a, b)
        assert principal_angles(words, places)[0] < 1e-7


def test_untied_is_zero_where_nobody_stands() -> None:
    words, places = [[1.0, 1, 0, 0], [2.0, 2, 0, 0]], [[0.0, 1, 0, 0]]
    w = separate_projections(words, places, normal(0, 4, 2), normal(1, 4, 2))
    np.testing.assert_allclose(w[2:], 0, atol=1e-14)


@few
@given(seed=SEEDS, v=st.integers(1, 5), n=st.integers(1, 5), d=st.integers(1, 7), grid=st.booleans())
def test_closest_sums_agree_with_comparing_all(seed: int, v: int, n: int, d: int, grid: bool) -> None:
    if v * n < 2:
        return
    rng = np.random.default_rng(seed)
    shape = (v, d), (n, d)
    words, places = (
        (rng.integers(-2, 3, s).astype(float) for s in shape) if grid else (rng.normal(size=s) for s in shape)
    )
    found = closest_sums(words, places)
    sums = sums_of(words, places)
    gaps = [np.linalg.norm(a - b) for a, b in itertools.combinations(sums, 2)]
    assert found.gap == pytest.approx(min(gaps), rel=1e-9, abs=1e-7)
    (w, p), (w2, p2) = found.first, found.second
    assert (w, p) < (w2, p2)
    assert np.linalg.norm(words[w] + places[p] - words[w2] - places[p2]) == pytest.approx(
        found.gap, abs=1e-12
    )


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


def test_a_regression_on_drawn_sums_hears_what_the_formula_says() -> None:
    rng = np.random.default_rng(5)
    places = table(8, 16)
    for std in (0.5, 1.0, 2.0):
        which = rng.integers(0, 8, size=20000)
        inputs = np.column_stack([std * rng.normal(size=(20000, 16)) + places[which], np.ones(20000)])
        target = places[which]
        fitted = inputs @ np.linalg.lstsq(inputs, target, rcond=None)[0]
        explained = 1 - ((target - fitted) ** 2).sum() / ((target - target.mean(axis=0)) ** 2).sum()
        assert explained == pytest.approx(recovered_place(places, std), abs=0.02)


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


@pytest.mark.parametrize(("v", "possible"), [(11, True), (12, True), (14, False)])
def test_on_the_sums_of_two_tables_the_differences_must_be_apart(v: int, possible: bool) -> None:
    words, places = normal(0, v, 16), table(5, 16)
    a, b = normal(1, 2, 16, 3)
    target = ((words @ a)[:, None] + places @ b).reshape(-1, 3)
    best = sums_of(words, places) @ np.linalg.lstsq(sums_of(words, places), target, rcond=None)[0]
    assert (np.abs(best - target).max() < 1e-9) == possible
    differences = np.concatenate([words[1:] - words[0], places[1:] - places[0]])
    assert (np.linalg.matrix_rank(differences) == len(differences)) == possible
    if v + 5 > 16:  # on the whole spans it takes more
        with pytest.raises(ValueError, match="share no direction"):
            separate_projections(words, places, a, b)


def test_the_figure_draws_what_heard_returns() -> None:
    places, stds = table(20, 32), np.array([0.01, 1.0, 30.0])
    np.testing.assert_allclose(
        verdicts.shares_recovered(places, stds), [recovered_place(places, s) for s in stds], rtol=1e-12
    )


def test_bold_is_the_sum_that_differs() -> None:
    table = show.counterexample_table()
    one, other = ([column.header for column in table.columns].index(header) for header in ("sum", "sum'"))
    assert [row[other].startswith("**") for row in table.cells] == [
        row[one] != row[other].strip("*") for row in table.cells
    ]


# Other people's arithmetic --------------------------------------------------------------------------------


def test_torch_starts_its_word_table_as_the_chapter_says() -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    rows = torch.nn.Embedding(1000, 512).weight.detach().double().numpy()
    for scale in (False, True):
        factor = math.sqrt(512) if scale else 1.0
        norms = np.linalg.norm(factor * rows, axis=1)
        assert math.sqrt((norms**2).mean()) == pytest.approx(loudness(1, 512, scale=scale).word, rel=0.005)


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


def test_torch_multiplies_the_longer_row_by_the_tied_matrix() -> None:
    torch = pytest.importorskip("torch")
    words, places, w = normal(0, 9, 16), table(9, 16), normal(1, 16, 4)
    longer = torch.cat([torch.tensor(words), torch.tensor(places)], dim=-1)
    np.testing.assert_allclose((longer @ torch.tensor(tied(w))).numpy(), (words + places) @ w, atol=1e-13)


# The claims of the chapter --------------------------------------------------------------------------------


def test_c084_adding_keeps_512_and_appending_gives_1024_once() -> None:
    assert stands("C084")


def test_c085_two_times_three_projections_or_four_times_everything() -> None:
    assert stands("C085")
    full, one = projection_counts(512), projection_counts(512, 1)
    assert full == (786_432, 1_572_864, 1_310_720, 3_145_728)
    assert 4 * 512**2 == 1_048_576
    assert full.widened * 4 // 3 == 4_194_304  # with the output matrix
    assert 100 * (one.appended / one.added - 1) == pytest.approx(0.195, abs=0.001)
    torch = pytest.importorskip("torch")
    for width_in, width_out, expected in (
        (512, 512, "added"),
        (1024, 512, "appended"),
        (1024, 1024, "widened"),
    ):
        layer = torch.nn.Linear(width_in, 3 * width_out, bias=False, device="meta")
        assert sum(p.numel() for p in layer.parameters()) == getattr(full, expected)


def test_c085_addition_is_the_tied_special_case() -> None:
    words, places, w = normal(0, 50, 512), table(50, 512), normal(1, 512, 64)
    difference = append(words, places) @ tied(w) - (words + places) @ w
    assert np.abs(difference).max() < 1e-12
    assert np.abs(append(words, places) @ np.concatenate([w, 2 * w]) - (words + places) @ w).max() > 1


def test_c086_not_injective_in_general_and_injective_for_drawn_words() -> None:
    assert stands("C086")
    words, places = normal(0, 1000, 128), table(50, 128)
    impostor = words[0] + places[3] - places[8]
    np.testing.assert_allclose(impostor + places[8], words[0] + places[3], atol=1e-14)
    assert closest_sums(np.vstack([words[:5], impostor]), places).gap < 1e-12
    nearest = closest_sums(words, places)
    assert verdicts.one_word_one_step(nearest, places)
    assert nearest.gap == pytest.approx(1.9525963, abs=1e-6)
    assert len(np.unique(sums_of(words[:200], places).round(6), axis=0)) == 200 * 50


def test_c087_a_place_of_another_width_is_refused() -> None:
    assert stands("C087")
    words = normal(0, 5, 8)
    assert (words + table(5, 8)[:, :1]).shape == words.shape  # numpy does not mind
    for width in (1, 4, 10):
        with pytest.raises(ValueError, match="same shape"):
            score_terms(words, np.ones((5, width)), np.eye(8), np.eye(8))


def test_c088_512_beside_16_or_root_two() -> None:
    assert stands("C088")
    assert loudness(1, 512, scale=True) == (512, 16, 32)
    for d in (64, 128, 512, 768):
        std = d**-0.5
        assert loudness(std, d, scale=True).ratio == pytest.approx(math.sqrt(2), rel=1e-12)
        assert loudness(1, d).ratio == pytest.approx(math.sqrt(2), rel=1e-12)
        assert loudness(std, d).ratio == pytest.approx(math.sqrt(2 / d), rel=1e-12)
        np.testing.assert_allclose(np.linalg.norm(table(50, d), axis=1), loudness(1, d).place, rtol=1e-13)
    drawn = np.linalg.norm(np.sqrt(512) * normal(0, 2000, 512), axis=1)
    assert math.sqrt((drawn**2).mean()) == pytest.approx(512, rel=0.005)
    gpt2 = loudness(0.02, 768, place_std=0.01)
    assert gpt2 == pytest.approx((0.02 * math.sqrt(768), 0.01 * math.sqrt(768), 2), rel=1e-12)


def test_c088_what_the_factor_does_to_a_linear_reader() -> None:
    places = table(50, 512)
    assert recovered_place(places, 1) == pytest.approx(0.851, abs=0.001)
    assert recovered_place(places, math.sqrt(512)) == pytest.approx(0.0195, abs=0.0001)


def test_c088_random_heads_weigh_the_terms_by_the_lengths() -> None:
    words = 32 * normal(0, 100, 64) * math.sqrt(0.5)  # 32 times as long as the places
    places = table(100, 64)
    sizes = np.zeros(4)
    for seed in range(30):
        w_q, w_k = normal(seed, 2, 64, 16)
        sizes += [np.mean(t**2) for t in score_terms(words, places, w_q, w_k)]
    lengths = {"word": np.mean((words**2).sum(axis=1)), "place": 32.0}
    expected = [lengths[a] * lengths[b] for a in lengths for b in lengths]
    np.testing.assert_allclose(sizes / sizes[0], np.array(expected) / expected[0], rtol=0.35)


def test_c088_without_a_normalisation_the_factor_saturates_the_first_softmax() -> None:
    words, places = normal(0, 50, 512), table(50, 512)
    for fan_out in (512, 64):
        plain, loud = (
            verdicts.largest_weight(std * words, places, fan_out=fan_out, seed=0) for std in (1, 512**0.5)
        )
        assert plain < 0.5 < 0.95 < loud


def test_c088_a_quiet_word_loses_more_the_longer_the_text() -> None:
    std = recipe("Annotated Transformer").added_std
    assert recovered_word(table(512, 512), std) < recovered_word(table(50, 512), std) - 0.1
    assert recovered_place(table(512, 512), 1) < recovered_place(table(50, 512), 1) - 0.1


def test_c089_dropout_after_the_sum_drops_words_too() -> None:
    found = stands("C089")
    assert found
    assert found.evidence["share"] == pytest.approx(10, abs=0.5)


def test_the_printed_counter_example_does_not_add_up() -> None:
    first, second = (np.add(*pair) for pair in PRINTED)
    np.testing.assert_allclose(first, PRINTED_SUM, atol=1e-12)
    np.testing.assert_allclose(second[:2], PRINTED_SUM[:2], atol=1e-12)
    assert second[2] == pytest.approx(0.30)
    np.testing.assert_allclose(PRINTED[0][1], np.cos([1, 2, 3]), atol=0.006)
    np.testing.assert_allclose(PRINTED[1][1], np.sin([1, 2, 3]), atol=0.006)


def test_equal_words_leave_only_what_the_places_say() -> None:
    places, w_q, w_k = table(6, 8), normal(1, 8, 4), normal(2, 8, 4)
    words = np.tile(normal(0, 1, 8), (6, 1))
    terms = score_terms(words, places, w_q, w_k)
    assert np.ptp(terms.word_word) < 1e-12
    assert np.ptp(terms.word_place, axis=0).max() < 1e-12  # one preference, the same for every query
    assert (
        np.ptp(terms.place_word, axis=1).max() < 1e-12
    )  # the same for every key: the softmax is blind to it


# Mistakes that must be refused ----------------------------------------------------------------------------

X, P = np.ones((3, 4)), np.ones((3, 4))


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: score_terms(X, P[:2], np.eye(4), np.eye(4)), "words and places"),
        (lambda: score_terms(X, P, np.eye(3), np.eye(4)), "w_q"),
        (lambda: score_terms(X, P, np.eye(4), np.eye(3)), "w_k"),
        (lambda: score_terms(X, P, np.ones((4, 1)), np.ones((4, 2))), "w_q and w_k"),
        (lambda: score_terms(X[0], P[0], np.eye(4), np.eye(4)), "words"),
        (lambda: score_terms(X * np.nan, P, np.eye(4), np.eye(4)), "words"),
        (lambda: score_terms(X[None], P[None], np.eye(4), np.eye(4)), "words"),
        (lambda: tied([1.0, 2.0]), "w must"),
        (lambda: tied(np.ones((0, 2))), "w must"),
        (lambda: separate_projections(X, P, np.eye(4), np.eye(4)), "share no direction"),
        (lambda: separate_projections(X, np.ones((3, 5)), np.eye(4), np.eye(4)), "same width"),
        (lambda: separate_projections(X, [[0, 0, 0, 1]], np.eye(4), np.ones((4, 2))), "a and b"),
        (lambda: separate_projections(X, [[0, 0, 0, 1]], np.eye(3), np.eye(4)), "a must"),
        (lambda: separate_projections(X, 0 * P, np.eye(4), np.eye(4)), "zero"),
        (lambda: principal_angles(0 * X, P), "zero"),
        (lambda: principal_angles(X, np.ones((3, 5))), "same width"),
        (lambda: projection_counts(0), "d_model"),
        (lambda: projection_counts(512, 0), "d_place"),
        (lambda: closest_sums(X, np.ones((3, 5))), "same width"),
        (lambda: closest_sums(X[:1], P[:1]), "two sums"),
        (lambda: loudness(0, 512), "word_std"),
        (lambda: loudness(-1, 512), "word_std"),
        (lambda: loudness(1, 513), "even"),
        (lambda: loudness(1, 512, place_std=0), "place_std"),
        (lambda: loudness(math.inf, 512), "word_std"),
        (lambda: principal_variances(X[:1]), "two rows"),
        (lambda: recovered_place(X, 1), "all be equal"),
        (lambda: recovered_place(table(4, 4), -1), "word_std"),
        (lambda: recovered_place(table(4, 4), math.nan), "word_std"),
    ],
)
def test_a_mistake_is_refused_by_name(call: Callable[[], Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        call()


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: projection_counts(512.0), "d_model"),  # type: ignore[arg-type]
        (lambda: projection_counts(512, True), "d_place"),
        (lambda: loudness("1", 512), "word_std"),  # type: ignore[arg-type]
        (lambda: recovered_place(table(4, 4), None), "word_std"),  # type: ignore[arg-type]
        (lambda: tied([["a"]]), "w must"),
    ],
)
def test_the_wrong_kind_is_refused_by_name(call: Callable[[], Any], named: str) -> None:
    with pytest.raises(TypeError, match=named):
        call()


def test_an_odd_width_is_fine_where_no_sinusoid_is_asked_for() -> None:
    assert loudness(2, 9, place_std=1) == (6, 3, 2)


# At the ends of float64, and of memory ----------------------------------------------------------------------


def test_score_terms_know_no_scale_on_the_way() -> None:
    rng = np.random.default_rng(0)
    x, p, q, k = (
        rng.normal(size=(3, 4)),
        rng.normal(size=(3, 4)),
        rng.normal(size=(4, 2)),
        rng.normal(size=(4, 2)),
    )
    plain = score_terms(x, p, q, k)
    for found in (
        score_terms(np.ldexp(x, 600), np.ldexp(p, 600), np.ldexp(q, -600), np.ldexp(k, -600)),
        score_terms(np.ldexp(x, -600), np.ldexp(p, -600), np.ldexp(q, 700), np.ldexp(k, 500)),
    ):
        for a, b in zip(found, plain, strict=True):
            assert np.array_equal(a, b)
    with pytest.raises(ValueError, match="words, places, w_q or w_k is too large: a score does not fit"):
        score_terms(np.ldexp(x, 600), p, q, k)


def test_one_matrix_for_both_knows_no_scale() -> None:
    words, places, a, b = [[1.0, 1]], [[0.0, 1]], np.array([[2.0], [0]]), np.array([[0.0], [5]])
    plain = separate_projections(words, places, a, b)
    for e in (1000, -1000):
        found = separate_projections(np.ldexp(words, e), np.ldexp(places, -e), np.ldexp(a, e), np.ldexp(b, e))
        assert np.array_equal(found, np.ldexp(plain, e))
    with pytest.raises(ValueError, match="a or b is too large: an entry of W does not fit"):
        separate_projections([[1.0, 1.0]], [[1.0, 1.0 - 1e-3]], [[1e308], [0]], [[-1e308], [0]])


def test_spans_without_a_direction_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"^v must not be zero everywhere"):
        principal_angles([[1.0, 0]], [[0.0, 0]])
    with pytest.raises(ValueError, match=r"^words must not be zero everywhere"):
        separate_projections([[0.0, 0]], [[0.0, 1]], [[1.0], [1]], [[1.0], [1]])
    with pytest.raises(ValueError, match="cut must be below 1"):
        principal_angles(np.eye(2), np.eye(2), cut=1)
    for e in (1000, -1000):
        angle = principal_angles(np.ldexp([[1.0, 0]], e), np.ldexp([[1.0, 1]], -e))
        assert angle[0] == pytest.approx(math.pi / 4, rel=1e-14)


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
@given(seed=st.integers(0, 999), close=st.sampled_from([1e-3, 1e-9, 1e-11]))
def test_sums_that_nearly_collide_are_told_apart(seed: int, close: float) -> None:
    # differences of words are differences of places, nearly: squares of sums lose them in rounding
    rng = np.random.default_rng(seed)
    words = np.array([0, 5, 10, 15])[:, np.newaxis] + close * rng.uniform(1, 9, size=(4, 2))
    places = np.array([0, 5])[:, np.newaxis] + close * rng.uniform(1, 9, size=(2, 2))
    gap, first, second = closest_sums(words, places)
    assert gap == pytest.approx(every_gap(words, places), rel=1e-3, abs=1e-14)
    apart = (words[first[0]] + places[first[1]]) - (words[second[0]] + places[second[1]])
    assert gap == pytest.approx(float(np.linalg.norm(apart)), rel=1e-3, abs=1e-14)


def test_the_closest_sums_know_no_scale() -> None:
    rng = np.random.default_rng(3)
    words, places = rng.normal(size=(4, 2)), rng.normal(size=(5, 2))
    plain = closest_sums(words, places)
    for e in (900, -900):
        assert closest_sums(np.ldexp(words, e), np.ldexp(places, e)) == plain._replace(gap=plain.gap * 2.0**e)
    assert closest_sums([[0.0], [1.7e308]], [[0.0]]) == (1.7e308, (0, 0), (1, 0))
    with pytest.raises(ValueError, match="words or places is too large: the gap does not fit"):
        closest_sums([[-1.7e308], [1.7e308]], [[0.0]])


def test_many_equal_words_do_not_ask_for_every_difference_at_once() -> None:
    words, places = np.ones((400, 64)), np.arange(3)[:, np.newaxis] * np.ones(64)
    closest_sums(words[:3], places)
    tracemalloc.start()
    assert closest_sums(words, places).gap == 0
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * words.shape[0] ** 2 * words.shape[1] / 2


def test_sizes_are_refused_before_they_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    many = np.broadcast_to(0.5, (200_000, 2))
    with pytest.raises(
        ValueError, match=r"words and places must be smaller: \(200000, 2\) would take 1\.5 TiB"
    ):
        score_terms(many, many, np.eye(2), np.eye(2))
    words, places = np.ones((5, 1)), np.ones((3, 1))
    monkeypatch.setattr("pe_book.sinusoidal.adding.subspaces._MOST_PRODUCTS", 3 * 5**2)
    assert closest_sums(words, places).gap == 0
    monkeypatch.setattr("pe_book.sinusoidal.adding.subspaces._MOST_PRODUCTS", 3 * 5**2 - 1)
    with pytest.raises(ValueError, match=r"must be fewer: shapes \(5, 1\) and \(3, 1\) would take 75 mult"):
        closest_sums(words, places)
    for d in (2**53 + 1, 10**400):
        with pytest.raises(ValueError, match="d_model must be a whole number from 1 to 9007199254740992"):
            projection_counts(d)
        with pytest.raises(ValueError, match="d_model must be a whole number from 1 to 9007199254740992"):
            loudness(1, d)


def test_loudness_takes_a_flag_and_no_words() -> None:
    for bad in ("False", "no", 1, 0, None, np.array([True])):
        with pytest.raises(TypeError, match="scale must be True or False, got"):
            loudness(1, 512, scale=bad)  # type: ignore[arg-type]
    assert loudness(1, 512, scale=np.True_) == loudness(1, 512, scale=True)  # type: ignore[arg-type]


def test_loudness_that_float64_cannot_hold_is_refused() -> None:
    for word_std, place_std in ((1.7e308, None), (1.0, 1e-320), (1e-300, 1e300)):
        with pytest.raises(
            ValueError, match="word_std and place_std must have norms and a ratio that float64 holds"
        ):
            loudness(word_std, 512, place_std=place_std)
    with pytest.raises(ValueError, match=r"place_std must be smaller, got 1\.7e\+308"):
        loudness(1, 512, place_std=1.7e308)
    assert loudness(1e300, 2**52, place_std=1e300).ratio == 1


def test_variances_and_shares_know_no_scale_on_the_way() -> None:
    places = np.random.default_rng(4).normal(size=(9, 3))
    spread = principal_variances(places)
    plain, word = recovered_place(places, 0.5), recovered_word(places, 0.5)
    for e in (900, -900):
        far = np.ldexp(places, e)
        assert recovered_place(far, 0.5 * 2.0**e) == plain
        assert recovered_word(far, 0.5 * 2.0**e) == word
    assert np.array_equal(principal_variances(np.ldexp(places, 400)), np.ldexp(spread, 800))
    with pytest.raises(ValueError, match="places is too large: their largest variance does not fit"):
        principal_variances(np.ldexp(places, 600))
    with pytest.raises(ValueError, match="places is too small: their largest variance is nothing but zeros"):
        principal_variances(np.ldexp(places, -600))
    assert principal_variances([[1.7e308, 0], [1.7e308, 0]]).tolist() == [0, 0]


def test_shares_that_vanish_are_refused_and_shares_of_all_are_one() -> None:
    places = [[1.0, 0], [0, 1], [1, 1]]
    with pytest.raises(ValueError, match=r"word_std must be smaller beside such places, got 1e\+200"):
        recovered_place(places, 1e200)
    with pytest.raises(ValueError, match="word_std must be larger beside such places, got 1e-200"):
        recovered_word(places, 1e-200)
    assert recovered_place(places, 1e150) > 0
    assert recovered_place(places, 1e-200) == recovered_place(places, 0) == recovered_word(places, 1e200) == 1
    assert recovered_word([[1.0, 0], [2, 0]], 1e-200) == 0.5  # half of the directions have no place in them


def test_equal_places_are_equal_whatever_their_mean_rounds_to() -> None:
    places = np.full((3, 2), 0.1)
    assert (places - places.mean(axis=0)).any()  # the mean of equal numbers is not the number
    assert principal_variances(places).tolist() == [0, 0]
    assert recovered_word(places, 1e-20) == 1
    with pytest.raises(ValueError, match="places must not all be equal"):
        recovered_place(places, 1)
