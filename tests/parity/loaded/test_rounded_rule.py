"""T5's buckets where the formula stands on a whole number: a library follows one of the two rules.

Which one depends on the logarithm of the machine: log 7 in float32 is rounded up on some processors and down
on others. So no library is held as wrong here, and none is compared as if it were sure.
"""

import numpy as np
import pytest

from pe_book.family.score_bias.t5 import t5_bucket
from tests.parity.members.t5 import in_library

OFFSETS = np.arange(-6000, 6001)
SIZES = [*range(4, 34, 2), 48, 64, 96, 128, 256]


def settings() -> list[tuple[bool, int, int]]:
    """For both sides or one, how many buckets, up to which distance: some are powers times the exact ones."""
    found = []
    for both in (True, False):
        for n_buckets in SIZES:
            exact = n_buckets // 4 if both else n_buckets // 2
            powers = {exact * base**power for base in range(2, 10) for power in range(1, 7)}
            usual = {32, 64, 100, 128, 256, 512, 1000, 2048}
            found += [(both, n_buckets, M) for M in sorted(powers | usual) if exact < M <= 5500]
    return found


def rule(setting: tuple[bool, int, int], name: str) -> np.ndarray:
    both, n_buckets, farthest = setting
    return t5_bucket(OFFSETS, n_buckets=n_buckets, max_distance=farthest, bidirectional=both, rule=name)


def there(library: str, setting: tuple[bool, int, int]) -> np.ndarray:
    both, n_buckets, farthest = setting
    return in_library(library, OFFSETS, both=both, n_buckets=n_buckets, max_distance=farthest)


@pytest.mark.parametrize("library", ["transformers", "x-transformers"])
def test_a_library_follows_both_rules_or_where_they_differ_one(library: str):
    differing = 0
    for setting in settings():
        exact, rounded, theirs = rule(setting, "exact"), rule(setting, "float32"), there(library, setting)
        np.testing.assert_array_equal(theirs[exact == rounded], exact[exact == rounded], err_msg=str(setting))
        differ = exact != rounded
        differing += differ.any()
        assert ((theirs[differ] == exact[differ]) | (theirs[differ] == rounded[differ])).all(), setting
    assert differing
