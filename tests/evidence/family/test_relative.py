"""The verdicts of the chapter on relative position: true of the vectors, and false of plausible mistakes."""

import numpy as np
import pytest

import pe_book as pe
from pe_book.evidence.family import relative as verdicts
from pe_book.family.relative import clipped_offsets, relative_scores, shaw_attention
from pe_book.family.relative.deberta import deberta_scores


def absolute(q, k, v, a_k, a_v, *, queries, keys):
    """A vector for the position of the key instead of its offset."""
    rows = np.minimum(keys, len(a_k) - 1)
    return pe.attention(q, k + a_k[rows], v + a_v[rows])


def test_outputs_know_the_difference_alone():
    assert verdicts.difference_only(6, 2)
    assert not verdicts.difference_only(6, 2, attend=absolute)


def test_key_vectors_are_a_bias_of_each_query():
    assert verdicts.bias_of_each_query(6, 2)
    assert not verdicts.bias_of_each_query(6, 2, scores=lambda *given: relative_scores(*given) * 2)


def test_a_bias_that_two_queries_share_at_one_offset_is_found():
    """At offset 3, of which six words have three pairs, and nowhere else."""

    def shared(q, a_k, queries, keys):
        bias = relative_scores(q, a_k, queries, keys)
        bias[1, 4] = bias[0, 3]
        return bias

    verdict = verdicts.bias_of_each_query(6, 2, scores=shared)
    assert not verdict
    assert verdict.evidence["two queries differ by"] == 0


def from_the_end(queries, keys, *, clip):
    """Offsets that know how long the text is."""
    return np.clip(np.subtract.outer(-np.asarray(queries), -np.asarray(keys)) + clip - len(keys), 0, 2 * clip)


def unclipped(queries, keys, *, clip):
    return np.asarray(keys) - np.asarray(queries)[:, None] + clip


def too_soon(queries, keys, *, clip):
    return np.minimum(clipped_offsets(queries, keys, clip=clip), 2 * clip - 1)


def test_a_short_text_stands_in_the_corner_of_a_long_one():
    assert verdicts.corner(3, 5, clip=2)
    for mistake in (from_the_end, unclipped):
        assert not verdicts.corner(3, 5, clip=2, offsets=mistake)


def test_the_beginning_of_a_longer_text_is_read_as_before_under_a_mask():
    assert verdicts.beginning_kept(3, 5, clip=2)
    assert not verdicts.beginning_kept(3, 5, clip=2, causal=False)

    def forgetful(*given, causal, **places):
        return shaw_attention(*given, **places)

    assert not verdicts.beginning_kept(3, 5, clip=2, attend=forgetful)


def test_far_keys_share_a_row_and_near_ones_do_not():
    assert verdicts.one_row_beyond(2, 100)
    for mistake in (too_soon, unclipped):
        assert not verdicts.one_row_beyond(2, 100, offsets=mistake)


def test_a_neighbour_thins_out():
    """A favoured key among n has e^a / (e^a + n - 1)."""
    share = verdicts.share_of_neighbour(101, 3.0)
    np.testing.assert_allclose(share, np.exp(3) / (np.exp(3) + 100), rtol=1e-12)
    assert verdicts.thins_out([8, 64, 512], 3.0)
    assert not verdicts.thins_out([8, 64, 512], 9.0)
    assert not verdicts.thins_out([64, 8, 512], 3.0)


def ignoring(*given, convention):
    return deberta_scores(*given, convention="paper")


@pytest.mark.parametrize("verdict", [verdicts.conventions_differ, verdicts.mirrored_table])
def test_the_row_of_the_second_table_is_a_convention(verdict, monkeypatch):
    assert verdict(6)
    monkeypatch.setattr(verdicts, "deberta_scores", ignoring)
    assert not verdict(6)


def test_the_rows_change_places_about_row_s_and_not_from_end_to_end():
    assert not verdicts.mirrored_table(6, whole=True)
    assert verdicts.mirrored_table(6, span=9)
    assert not verdicts.mirrored_table(6, span=5)  # the two words at the ends are clipped


def test_the_two_ends_of_the_table_are_unlike():
    assert verdicts.far_rows(2)
    assert verdicts.far_rows(7)

    def both_shared(queries, keys, *, span):
        return np.maximum(pe.deberta_offsets(queries, keys, span=span), 1)

    def both_alone(queries, keys, *, span):
        behind = np.subtract.outer(np.asarray(queries), np.asarray(keys))
        return np.clip(behind + span, 0, 2 * span)

    for mistake in (both_shared, both_alone):
        assert not verdicts.far_rows(2, offsets=mistake)
