"""The verdicts of the chapter on rotary position: true of rotation, and false of plausible mistakes."""

import numpy as np
import pytest

from pe_book.evidence.family import rotary as verdicts
from pe_book.evidence.family.recorded import SHOWN, names, recorded
from pe_book.evidence.family.rotary import gained, normed, relative, tabled, unturned
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


@pytest.mark.parametrize("mistake", [added, stretched])
def test_other_maps_give_scores_that_know_more(mistake):
    assert not relative(Q, K, turn=mistake)


def test_a_start_token_marks_the_places_of_equal_words():
    assert verdicts.marked(8)
    assert not verdicts.marked(8, start=False)
    assert verdicts.marked(8, turn=unturned)  # the mask does it, not the rotation


def test_turned_values_tell_equal_words_apart_and_plain_ones_do_not():
    assert verdicts.keys_as_values(8)
    assert not verdicts.keys_as_values(8, turn=unturned)


def test_outputs_turned_back_are_relative():
    assert verdicts.turned_back(8)
    assert not verdicts.turned_back(8, back=rotate)  # turned on instead of back
    assert not verdicts.turned_back(8, turn=unturned, back=unturned)  # nothing to turn back


def test_a_turned_key_scores_highest_at_its_distance():
    for r in (5, 100):
        scores = verdicts.scores_of(Q, rotate(Q, r), range(300))
        assert scores.argmax() == r
        np.testing.assert_allclose(scores[r], Q @ Q, rtol=1e-12)


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_scores_that_shrink_or_grow_with_distance_are_told(factor):
    def resized(x, m):
        return rotate(x, m) * np.where(np.asarray(m) == 500, factor, 1)[..., np.newaxis]

    assert verdicts.spread_stays(4096, 500)
    assert not verdicts.spread_stays(4096, 500, turn=resized)


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_a_row_turned_by_the_table_of_its_pairing_is_rotated(layout):
    places = [0, 1, 7, 1004]
    wanted = rotate(np.tile(Q, (4, 1)), places, layout=layout)
    np.testing.assert_allclose(tabled(layout, layout)(Q, places), wanted, atol=1e-12)


def test_the_theorem_fails_with_the_table_of_the_other_pairing(monkeypatch):
    assert verdicts.needs_its_own_table(Q, K)
    assert not verdicts.needs_its_own_table(Q[:2], K[:2])  # of one pair both tables are the same
    # the pairs move with the table
    monkeypatch.setattr(verdicts, "tabled", lambda layout, table: tabled(table, table))
    assert not verdicts.needs_its_own_table(Q, K)


def test_the_mean_of_the_rows_is_a_condition():
    assert not verdicts.spread_stays(4096, 500, mean=0.5)
    assert verdicts.spread_stays(4096, 500, mean=0.5, turn=unturned)


def test_gains_keep_scores_relative_where_they_are_equal_in_each_pair():
    assert relative(Q, K, turn=gained([2, 2, 3, 3, 5, 5, 7, 7]))
    assert not relative(Q, K, turn=gained([2, 2, 3, 3, 5, 5, 7, 8]))
    assert verdicts.gain_within_pairs_decides(5)


def test_a_norm_breaks_the_difference_by_its_mean_and_not_by_its_length(monkeypatch):
    assert verdicts.only_a_mean_breaks_it(5)
    monkeypatch.setattr(verdicts, "normed", lambda x, positions, centred: normed(x, positions, centred=False))
    assert not verdicts.only_a_mean_breaks_it(5)


def test_columns_that_do_not_turn_are_told_from_those_that_do():
    assert verdicts.still_part(8, 4, 100)
    assert not verdicts.still_part(8, 8, 0)
    assert not verdicts.still_part(8, 4, 0)  # at one distance nothing is seen


@pytest.mark.parametrize(
    "ladder",
    [
        np.full(64, 1.0),  # one hand alone: the head repeats as well
        np.full(64, 1e-4),  # and stands as well
        np.geomspace(1, 0.1, 64),  # no slow pair
        np.geomspace(1e-2, 1e-4, 64),  # no fast pair
    ],
)
def test_a_head_needs_fast_and_slow_hands(ladder):
    assert verdicts.one_hand_repeats(128, 100)
    assert not verdicts.one_hand_repeats(128, 100, ladder=ladder)


def test_recorded_blocks_are_found_by_name():
    assert set(SHOWN) <= set(names())
    assert recorded("phi-2")["config"]["partial_rotary_factor"] == 0.4
    with pytest.raises(ValueError, match=r"name must be one of recorded.names\(\), got 'phi-9'"):
        recorded("phi-9")
