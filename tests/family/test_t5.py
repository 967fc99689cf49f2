"""T5's buckets over their whole range, against the rule in exact arithmetic."""

from __future__ import annotations

import pytest

from pe_book.family.score_bias.t5 import t5_bucket, t5_last_bucket


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


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(
    ("n_buckets", "max_distance"), [(32, 128), (32, 100), (8, 20), (4, 3), (16, 9), (64, 1000)]
)
def test_every_offset_has_its_bucket(n_buckets, max_distance, bidirectional):
    reach = 2 * max_distance + 3
    offsets = range(-reach, reach + 1)
    found = t5_bucket(offsets, n_buckets=n_buckets, max_distance=max_distance, bidirectional=bidirectional)
    wanted = [by_the_rule(offset, n_buckets, max_distance, bidirectional) for offset in offsets]
    assert found.tolist() == wanted
    last = t5_last_bucket(n_buckets=n_buckets, max_distance=max_distance, bidirectional=bidirectional)
    first_in_last = min(
        -offset for offset, one in zip(offsets, wanted, strict=True) if offset <= 0 and one == wanted[0]
    )
    assert last == first_in_last


@pytest.mark.parametrize(("bidirectional", "exact"), [(True, 8), (False, 16)])
def test_the_farthest_lies_beyond_the_exact_ones(bidirectional, exact):
    t5_bucket(-1, max_distance=exact + 1, bidirectional=bidirectional)
    with pytest.raises(
        ValueError, match=f"max_distance must be more than the {exact} exact offsets, got {exact}"
    ):
        t5_bucket(-1, max_distance=exact, bidirectional=bidirectional)
