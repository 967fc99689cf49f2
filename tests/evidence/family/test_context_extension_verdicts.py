"""The verdicts of the chapter on context extension: true of the methods, and false of plausible mistakes."""

import numpy as np
import pytest

from pe_book.evidence.family import context_extension as verdicts
from pe_book.family.context_extension.interpolation import interpolated, ntk_aware, turns
from pe_book.family.context_extension.ramps import llama3, yarn
from pe_book.sinusoidal.formula import frequencies

OMEGA = frequencies(128)


def late(text, length, factor):
    """A factor that is applied from the trained length on, all at once: a switch."""
    return factor if text > length else 1.0


def creeping(text, length, factor):
    """A factor that grows a little within the trained length, where it should not."""
    return 1 + 0.01 * text / length


def test_only_slow_pairs_that_grow_meet_new_angles():
    """By hand: 100 tokens make 15.9, 1.59, 0.159 and 0.0159 turns; the first two never meet anything new."""
    small = frequencies(8)
    for scaled, new in (
        (small, [2, 3]),
        (interpolated(small, 4), []),
        (ntk_aware(small, 4), [2]),  # the last is slowed by 4
        (yarn(small, 4, 100, beta_slow=0.1), [2]),  # kept in part
        (llama3(small, 2, 100), [2, 3]),  # a factor too small
    ):
        assert verdicts.in_new_angles(small, scaled, 100, 400).tolist() == new


@pytest.mark.parametrize("factor", [2, 8, 32])
@pytest.mark.parametrize("length", [2048, 4096, 8192])
def test_a_larger_base_reaches_as_far_as_the_theorem_says(factor, length):
    slow = next(i for i in range(64) if length * 10000 ** (-i / 64) < 2 * np.pi)
    scaled = ntk_aware(OMEGA, factor)
    reach = verdicts.first_new(OMEGA, scaled, length)
    np.testing.assert_allclose(reach, length * factor ** (2 * slow / 126), rtol=1e-12)
    assert len(verdicts.in_new_angles(OMEGA, scaled, length, reach)) == 0
    assert verdicts.in_new_angles(OMEGA, scaled, length, reach * 1.001).tolist() == [slow]


def test_the_factor_that_reaches_is_larger_than_the_growth():
    s = verdicts.factor_to_reach(OMEGA, 4096, 32768)
    assert s > 8
    np.testing.assert_allclose(verdicts.first_new(OMEGA, ntk_aware(OMEGA, s), 4096), 32768, rtol=1e-12)
    assert verdicts.first_new(OMEGA, ntk_aware(OMEGA, s * 0.99), 4096) < 32768


def test_pairs_that_went_round_stay_near_what_they_met():
    assert verdicts.fast_pairs_meet_nothing_new(OMEGA, 512, 4096)
    assert not verdicts.fast_pairs_meet_nothing_new([2.0, 0.1], 4, 5)  # round once, with gaps
    found = verdicts.farthest_from_met([0.5, 0.01], 100, 200)
    assert found[0] < 2 * np.pi / 100 * 2  # a hundred angles around the clock
    np.testing.assert_allclose(found[1], 1.99 - 0.99)  # an arc that goes on


def test_the_ramps_differ_between_the_ends_and_nowhere_else():
    pair, quotient = verdicts.ramps_apart(OMEGA, 8, 4096)
    assert 1 < turns(OMEGA, 4096)[pair] < 32
    assert quotient > 2
    assert verdicts.ramps_apart(OMEGA, 8, 4096, truncate=False)[1] < quotient
    assert verdicts.ramps_apart(OMEGA, 1, 4096)[1] < 1 + 1e-12  # nothing is scaled
    quotients = [verdicts.ramps_apart(OMEGA, s, 4096)[1] for s in (2, 4, 8, 16, 32)]
    assert quotients == sorted(quotients)


def test_kept_keys_stray_under_dynamic_scaling_and_under_no_fixed_factor(monkeypatch):
    assert verdicts.cached_keys_stray(8192, 4096, 2)
    assert not verdicts.cached_keys_stray(4096, 4096, 2)
    monkeypatch.setattr(verdicts, "dynamic_factor", late)
    assert not verdicts.cached_keys_stray(8192, 4096, 2)  # near keys came after the switch
    assert verdicts.cached_keys_stray(4196, 4096, 8)  # and here before it
    monkeypatch.setattr(verdicts, "dynamic_factor", creeping)
    assert verdicts.cached_keys_stray(4096, 4096, 2)  # by little, and too much


def test_kept_keys_are_off_by_more_at_a_distance():
    near, far = (verdicts.cached_keys_off_by(distance, 8192, 4096, 2) for distance in (1, 100))
    assert near[0] == far[0] == 0  # the first frequency stays
    assert (far[1:] > near[1:]).all()
    assert far.max() > np.pi / 2


def test_keys_turned_anew_fit_a_ladder():
    """Their score is that of the distance, which the kept ones' is not."""
    scores = verdicts.dynamic_scores([0, 5], 5000, 4096, 2, kept=False)
    now = ntk_aware(OMEGA, 2 * 5000 / 4096 - 1)
    np.testing.assert_allclose(scores, [1, np.cos(5 * now).mean()], rtol=1e-9)


def test_bases_of_one_longest_position_are_compared():
    assert verdicts.bases_apart(["gemma-2-9b", "llama-3-8b", "mixtral-8x7b"]) == {8192: 50, 32768: 1}
