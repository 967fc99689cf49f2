"""Holds pe_book.numerics.blocks to its word: whole blocks and ends, products, and edges that are kept."""

from hypothesis import given
from hypothesis import strategies as st

from pe_book.numerics.blocks import Blocks
from tests.seeds import examples_drawn

few = examples_drawn(100)
WIDE = Blocks(512, 10000.0, "paper")


@few
@given(start=st.integers(-(10**6), 10**6), seq_len=st.integers(0, 20_000))
def test_pieces_cover_every_row_once_and_stay_in_their_group(start: int, seq_len: int) -> None:
    position = start
    for chunk in WIDE.chunks(start, seq_len):
        assert chunk.position == position == chunk.block * WIDE.rows + chunk.row
        assert 0 <= chunk.row < chunk.end <= WIDE.rows
        assert chunk.blocks == 1 or (chunk.row, chunk.end) == (0, WIDE.rows)
        assert chunk.block // WIDE.group == (chunk.block + chunk.blocks - 1) // WIDE.group
        position += chunk.blocks * (chunk.end - chunk.row)
    assert position == start + seq_len


def test_the_height_of_a_block_follows_the_width() -> None:
    widths = (2, 64, 512, 8192, 65536)
    assert [Blocks(d, 10000.0, "paper").rows for d in widths] == [16384, 512, 64, 16, 16]
    # and so does the number of blocks that share a group: a quarter of a megabyte of edges, or one block
    assert [Blocks(d, 10000.0, "paper").group for d in widths] == [64, 64, 64, 4, 1]
