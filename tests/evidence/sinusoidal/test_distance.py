"""The verdicts of the chapter on distance hold for the real thing and refuse a plausible mistake."""

import numpy as np
import pytest

from pe_book.evidence.sinusoidal.distance import (
    blend_looks_like_its_ends,
    heads_before_training,
    points_back,
    sees_the_offset_alone,
    silent_share,
)
from pe_book.sinusoidal.distance import kernel, relative_part, similarity
from pe_book.sinusoidal.distance.blending import blend
from pe_book.sinusoidal.formula import encode

QUARTER = np.kron(np.eye(32), [[0, 1], [-1, 0]])


def test_a_quarter_turn_points_back_and_its_neighbours_do_not() -> None:
    rows = encode(range(24), 64)
    scores = rows @ QUARTER @ rows.T
    assert points_back(scores, 64)
    assert not points_back(scores.T, 64)  # keys before queries: it points ahead
    assert not points_back(rows @ rows.T, 64)  # the kernel looks both ways alike
    far = encode(range(200), 64)
    assert not points_back(far @ QUARTER @ far.T, 64)  # the fast hands have gone round


@pytest.mark.parametrize("asymmetry", [5e-9, 1e-11, 2e-12])
def test_a_direction_that_is_off_by_less_than_a_default_tolerance_is_seen(asymmetry: float) -> None:
    rows = encode(range(24), 64)
    scores = rows @ QUARTER @ rows.T
    scores[10, 7] += asymmetry
    assert np.allclose(scores, -scores.T)  # what used to decide lets it pass
    assert not points_back(scores, 64)


def test_a_relative_part_sees_the_offset_alone_and_a_wrong_sign_does_not() -> None:
    rows = encode(range(24), 64)
    random = np.random.default_rng(0).normal(size=(64, 64))
    part = relative_part(random)
    assert sees_the_offset_alone(rows @ part @ rows.T)
    assert not sees_the_offset_alone(rows @ random @ rows.T)
    scores = rows @ part @ rows.T
    scores[3, 5] += 5e-11
    assert not sees_the_offset_alone(scores)


def test_what_softmax_ignores_is_counted_by_query() -> None:
    by_query = np.outer([1.0, -2.0, 3.0], np.ones(4))
    assert silent_share(by_query) == pytest.approx(1, rel=1e-15)
    assert silent_share(by_query.T) < 0.5  # one number for all queries of a key is heard
    mixed = by_query + np.random.default_rng(0).normal(size=(3, 4))

    def heard(x: np.ndarray) -> np.ndarray:
        weights = np.exp(x - x.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)

    kept = mixed - mixed.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(heard(mixed), heard(kept), rtol=1e-12)
    assert silent_share(kept) < 1e-30
    assert silent_share(mixed) == pytest.approx(1 - np.square(kept).sum() / np.square(mixed).sum(), rel=1e-12)


def test_untrained_heads_see_the_offset_with_one_part_in_the_width() -> None:
    heads = heads_before_training(40, 512, 64, 50, seed=1)
    assert heads.relative.shape == heads.silent.shape == (40,)
    assert heads.relative.mean() == pytest.approx(1 / 512, rel=0.05)
    assert np.abs(heads.relative.mean() - 1 / 64) > 0.01  # it is the width that counts, not the head's
    assert heads.silent.min() < 0.2  # one head of the forty is heard almost whole
    assert heads.silent.max() > 0.9
    assert 0.5 < np.median(heads.silent) < 0.6
    again = heads_before_training(40, 512, 64, 50, seed=2)
    assert not np.array_equal(heads.silent, again.silent)


def test_distant_ends_win_over_the_middle_from_one_offset_on() -> None:
    s = similarity(range(101), 512)
    found = blend_looks_like_its_ends(s)
    assert found
    assert found.evidence == {"from": 6, "to": 100}
    for k in (4, 6):  # the rows themselves say the same
        mixed = blend(0, k, 0.5, 512)
        assert (mixed @ encode(k, 512) > mixed @ encode(k / 2, 512)) == (k >= 6)
    assert not blend_looks_like_its_ends(s[:5])  # up to 4 the middle wins
    assert not blend_looks_like_its_ends(kernel(range(60), [2 * np.pi / 12]))  # a clock goes to and fro
    assert not blend_looks_like_its_ends(100 - np.arange(101.0) ** 2)  # bulging: the middle wins throughout
    assert not blend_looks_like_its_ends(np.exp(-np.arange(101.0)))  # so steep that the ends win throughout
