"""The verdicts of the chapter on rotary position: true of rotation, and false of plausible mistakes."""

import numpy as np
import pytest

from pe_book.evidence.family.recorded import SHOWN, names, recorded
from pe_book.evidence.family.rotary import (
    as_large_far_away,
    gained,
    keys_as_values,
    marked,
    relative,
    scores_of,
    share_rising,
    turned_back,
    unturned,
)
from pe_book.family.rotary import rotate

Q, K = np.random.default_rng(0).normal(size=(2, 8))


def added(x, positions):
    """A position added instead of turned."""
    return np.asarray(x) + np.asarray(positions, dtype=float)[..., np.newaxis] / 10


def stretched(x, positions):
    """A turn that also makes rows longer."""
    return rotate(x, positions) * (1 + np.asarray(positions, dtype=float)[..., np.newaxis] / 100)


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_scores_know_the_difference_in_both_layouts(layout):
    assert relative(Q, K, turn=lambda x, m: rotate(x, m, layout=layout))


@pytest.mark.parametrize("mistake", [added, stretched, gained])
def test_other_maps_give_scores_that_know_more(mistake):
    assert not relative(Q, K, turn=mistake)


def test_a_start_token_marks_the_places_of_equal_words():
    assert marked(8)
    assert not marked(8, start=False)
    assert marked(8, turn=unturned)  # the mask does it, not the rotation


def test_turned_values_tell_equal_words_apart_and_plain_ones_do_not():
    assert keys_as_values(8)
    assert not keys_as_values(8, turn=unturned)


def test_outputs_turned_back_are_relative():
    assert turned_back(8)
    assert not turned_back(8, back=rotate)  # turned on instead of back
    assert not turned_back(8, back=unturned)
    assert not turned_back(8, turn=unturned, back=unturned)  # nothing to turn back


def test_a_turned_key_scores_highest_at_its_distance():
    for r in (5, 100):
        scores = scores_of(Q, rotate(Q, r), range(300))
        assert scores.argmax() == r
        np.testing.assert_allclose(scores[r], Q @ Q, rtol=1e-12)


def test_shares_are_counted():
    assert share_rising([0, 1, 0, 1]) == 2 / 3
    assert share_rising(np.exp(-np.arange(9.0))) == 0
    assert as_large_far_away(1000, 500)
    assert not as_large_far_away(1000, 3, turn=lambda x, m: np.asarray(x) * np.exp(-np.asarray(m)))
    assert not as_large_far_away(1000, 3, turn=lambda x, m: np.asarray(x) * (1 + np.asarray(m)))


def test_recorded_blocks_are_found_by_name():
    assert set(SHOWN) <= set(names())
    assert recorded("phi-2")["config"]["partial_rotary_factor"] == 0.4
    with pytest.raises(ValueError, match=r"name must be one of recorded.names\(\), got 'phi-9'"):
        recorded("phi-9")
