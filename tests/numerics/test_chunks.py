"""Holds pe_book.numerics.chunks to its word."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_book.numerics.chunks import MOST_ENTRIES, WIDEST, bounded_width, chunks, refuse_endless


@given(n=st.integers(0, 5000), width=st.integers(1, 2**20))
def test_pieces_are_every_index_once_in_order(n: int, width: int) -> None:
    parts = [np.arange(n)[some] for some in chunks(n, width)]
    assert np.concatenate([*parts, np.arange(0)]).tolist() == list(range(n))
    assert all(0 < len(part) <= max(1, 2**16 // width) for part in parts)


def test_the_limits_are_limits() -> None:
    refuse_endless(MOST_ENTRIES // 2, 2, "n", 1, 2)
    with pytest.raises(ValueError, match=f"would take {MOST_ENTRIES + 2} sines"):
        refuse_endless(MOST_ENTRIES // 2 + 1, 2, "n", 7, 4)
    assert bounded_width(WIDEST) == WIDEST
    with pytest.raises(ValueError, match="d_model must be at most 1048576, got 1048578"):
        bounded_width(WIDEST + 2)
