"""T5's buckets over their whole range, against the rule in exact arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pe_book as pe
from pe_book.family.score_bias.t5 import t5_boundaries, t5_bucket, t5_last_bucket


def by_the_rule(offset: int, n_buckets: int, max_distance: int, bidirectional: bool) -> int:
    """Bucket after bucket: number m begins at exact * (max_distance / exact)^((m - exact) / wide)."""
    side = n_buckets // 2 if bidirectional else n_buckets
    exact = side // 2
    wide = side - exact
    begin = side if bidirectional and offset > 0 else 0
    distance = abs(offset) if bidirectional else max(-offset, 0)
    if distance < exact:
        return begin + distance
    found = exact
    # distance >= exact * (max / exact)^(step / wide), raised to the power of `wide`: whole numbers alone
    while found < side - 1 and distance**wide >= max_distance ** (found + 1 - exact) * exact ** (
        wide - found - 1 + exact
    ):
        found += 1
    return begin + found


@pytest.mark.parametrize(("bidirectional", "exact"), [(True, 8), (False, 16)])
def test_the_farthest_lies_beyond_the_exact_ones(bidirectional, exact):
    t5_bucket(-1, max_distance=exact + 1, bidirectional=bidirectional)
    with pytest.raises(
        ValueError, match=f"max_distance must be more than the {exact} exact offsets, got {exact}"
    ):
        t5_bucket(-1, max_distance=exact, bidirectional=bidirectional)


@given(side=st.integers(2, 40), data=st.data(), bidirectional=st.booleans())
def test_every_size_follows_the_rule_in_whole_numbers(side, data, bidirectional):
    farthest = data.draw(st.integers(side // 2 + 1, 3000))
    offset = data.draw(st.integers(-2 * farthest, 2 * farthest))
    size = (2 * side if bidirectional else side, farthest, bidirectional)
    given = dict(zip(("n_buckets", "max_distance", "bidirectional"), size, strict=True))
    assert t5_bucket(offset, **given) == by_the_rule(offset, *size)
    last = t5_last_bucket(**given)
    assert by_the_rule(-last, *size) == side - 1 > by_the_rule(1 - last, *size)


def test_a_distance_on_a_boundary_belongs_to_the_bucket_that_begins_there():
    """27/8 is the cube of 3/2, and 343 that of 7: whole numbers alone decide."""
    assert t5_boundaries(n_buckets=34, max_distance=27)[[8, 11, 14]].tolist() == [8, 12, 18]
    assert t5_boundaries(n_buckets=5, max_distance=686, bidirectional=False).tolist() == [0, 1, 2, 14, 98]


@pytest.mark.parametrize(
    ("side", "max_distance", "wanted"),
    [(5, 686, [14, 98]), (11, 1715, [35, 245]), (17, 27, [12, 18]), (32, 128, []), (32, 512, [])],
)
def test_where_a_rounded_logarithm_takes_another_bucket(side, max_distance, wanted):
    distances = np.arange(2 * max_distance)
    exact, rounded = (
        t5_bucket(-distances, n_buckets=side, max_distance=max_distance, bidirectional=False, rule=rule)
        for rule in ("exact", "float32")
    )
    assert distances[exact != rounded].tolist() == wanted
    assert np.array_equal(exact[wanted], rounded[wanted] + 1)


def test_the_bias_is_the_number_of_the_bucket_and_the_head():
    weight = np.random.default_rng(5).normal(size=(32, 3))
    for bidirectional in (True, False):
        found = pe.t5_bias(weight, [4, 90], [0, 5, 200], bidirectional=bidirectional)
        assert found.shape == (3, 2, 3)
        for head in range(3):
            for i, query in enumerate((4, 90)):
                for j, key in enumerate((0, 5, 200)):
                    bucket = by_the_rule(key - query, 32, 128, bidirectional)
                    assert found[head, i, j] == weight[bucket, head]


def test_the_bias_takes_as_many_buckets_as_its_weight_has_rows():
    weight = np.arange(8.0)[:, None]
    assert pe.t5_bias(weight, [0], [-19, -20, 3], max_distance=20)[0, 0].tolist() == [3, 3, 6]
    rows = pe.t5_bias(np.arange(5.0)[:, None], [98], [0], max_distance=686, bidirectional=False)
    rounded = pe.t5_bias(
        np.arange(5.0)[:, None], [98], [0], max_distance=686, bidirectional=False, rule="float32"
    )
    assert (rows.item(), rounded.item()) == (4, 3)
