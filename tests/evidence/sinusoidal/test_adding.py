"""The verdicts of the chapter on adding: true of what the page shows them, false of a plausible mistake."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from pe_book.evidence.sinusoidal import adding as verdicts
from pe_book.evidence.sinusoidal.adding_quoted import PRINTED
from pe_book.sinusoidal.adding.reading import principal_variances
from pe_book.sinusoidal.adding.subspaces import ClosestSums, closest_sums
from pe_book.sinusoidal.formula import encode

Array = NDArray[np.float64]
CODES = encode(range(50), 512)


@pytest.fixture(scope="module")
def drawn() -> Array:
    return np.random.default_rng(3).normal(size=(1000, 512))


# What is measured -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_different_words_are_found_as_by_comparing_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    words, places = rng.normal(size=(150, 6)), encode(range(4), 6) * (1 + seed)
    found = verdicts.different_words(words, places)
    gaps = []
    for a, b in itertools.permutations(range(4), 2):
        between = np.linalg.norm(words[:, None] + places[a] - words - places[b], axis=-1)
        gaps.append(between[~np.eye(150, dtype=bool)].min())
    assert found.gap == pytest.approx(min(gaps), rel=1e-9)
    assert 0 <= found.least <= found.gap
    assert found.dimensions == 3


def test_a_coarser_cut_counts_fewer_dimensions_and_takes_its_reach_off_the_bound() -> None:
    words, places = np.random.default_rng(0).normal(size=(60, 64)), encode(range(50), 64)
    fine, coarse = (verdicts.different_words(words, places, cut=cut) for cut in (1e-6, 1e-2))
    assert fine.dimensions > coarse.dimensions
    assert fine.gap == coarse.gap >= max(fine.least, coarse.least)
    # no direction is left out of account
    none = verdicts.different_words(words, places, cut=1 - 1e-9)
    assert none.dimensions == 1
    assert none.least <= none.gap


def test_what_the_softmax_notices_of_drawn_heads(drawn: Array) -> None:
    for ratio in (0.5, 1.0, 2.0):
        words = ratio * np.sqrt(0.5) * drawn
        first, mixed, _, last = verdicts.table_sizes(words, CODES, heads=20, seed=0, noticed=True)
        assert first / last == pytest.approx(verdicts.noticed_ratio(CODES, ratio), rel=0.15)
        # words asking for places shrink as places do
        shrinks = np.sqrt(principal_variances(CODES).sum() / 256)
        assert mixed / last == pytest.approx(ratio, rel=0.15)
        whole = verdicts.table_sizes(words, CODES, heads=20, seed=0, noticed=False)
        assert whole[0] / whole[3] == pytest.approx(ratio**2, rel=0.35)
        assert last / whole[3] == pytest.approx(shrinks, rel=0.2)


# What is decided ------------------------------------------------------------------------------------------


def test_printed_codes_are_no_rows_and_printed_rows_are() -> None:
    printed = [code for _, code in PRINTED]
    assert verdicts.no_row_of_the_table(printed)
    rows = encode(range(200), 6).round(2)
    assert not any(verdicts.no_row_of_the_table([row]) for row in rows)
    assert not verdicts.no_row_of_the_table([*printed, rows[5, :3]])


def test_the_closest_sums_are_one_word_one_step_apart() -> None:
    words, places = np.random.default_rng(0).normal(size=(1000, 128)), encode(range(50), 128)
    nearest = closest_sums(words, places)
    assert verdicts.one_word_one_step(nearest, places)
    assert not verdicts.one_word_one_step(nearest._replace(gap=nearest.gap / 2), places)
    (word, place), _ = nearest.first, nearest.second
    assert not verdicts.one_word_one_step(ClosestSums(nearest.gap, (word, place), (word, place + 2)), places)
    # words so quiet that they, and not the places, come closest
    assert not verdicts.one_word_one_step(closest_sums(words[:40] / 20, places), places)


@pytest.mark.parametrize("std", [0.5, 1.0, 3.0])
def test_unrelated_words_at_one_place_turn_towards_each_other(std: float) -> None:
    words = std * np.random.default_rng(0).normal(size=(1000, 128))
    assert verdicts.mean_cosine_rises(words, encode(7, 128))
    assert not verdicts.mean_cosine_rises(words, np.zeros(128))
    assert not verdicts.mean_cosine_rises(words + std, encode(7, 128))  # related words


def test_word_and_place_are_as_orthogonal_as_chance_and_two_places_are_not() -> None:
    many = np.random.default_rng(1).normal(size=(1000, 512))
    assert verdicts.cosines_are_chance(many, CODES)
    assert not verdicts.cosines_are_chance(CODES, CODES)
    assert not verdicts.cosines_are_chance(many + 0.1 * CODES[7], CODES)


def test_words_and_places_are_equally_loud_where_the_page_says(drawn: Array) -> None:
    ratio = 1 / np.sqrt(verdicts.noticed_ratio(CODES, 1))
    assert verdicts.equally_loud_at(ratio, drawn, CODES)
    for wrong in (1.0, 1 / np.sqrt(2), ratio**2):
        assert not verdicts.equally_loud_at(wrong, drawn, CODES)
