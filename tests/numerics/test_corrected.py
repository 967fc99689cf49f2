"""Holds pe_book.numerics.corrected to its word: what is left open is found, once; few rows come straight."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pe_book.inputs.checking import Layout
from pe_book.numerics import cache, corrected
from pe_book.numerics.blocks import ERROR_BOUND, Blocks, Chunk
from pe_book.numerics.certified import SMALL, undecided
from pe_book.numerics.corrected import fill, search, search_compiled, write_scattered
from pe_book.numerics.phases import wave
from pe_book.sinusoidal.computing import table
from tests.seeds import examples_drawn

few = examples_drawn(25)


@pytest.fixture(autouse=True)
def nothing_cached() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def products(blocks: Blocks, chunk: Chunk) -> Any:
    out = np.empty((chunk.blocks * blocks.rows, blocks.d_model))
    blocks.multiply(out, chunk, "interleaved", "float64")
    return out


def found_in(
    blocks: Blocks, chunk: Chunk, rounding: str, how: Any = search, layout: Layout = "interleaved"
) -> Any:
    out = np.empty(
        (chunk.blocks * blocks.rows, blocks.d_model), "float16" if rounding == "float16" else "float32"
    )
    positions, columns = how(blocks, out, chunk, layout, rounding)
    return set(zip((positions - chunk.position).tolist(), columns.tolist(), strict=True))


@few
@given(
    d=st.sampled_from([2, 6, 64, 512, 4096]),
    base=st.sampled_from([1.5, 100.0, 1e4, 1e8, 1e15, 1e300]),
    block=st.integers(-4, 4) | st.integers(-(2**30), 2**30),
    blocks=st.integers(1, 3),
    rounding=st.sampled_from(["float32", "float16", "bfloat16"]),
)
@example(d=512, base=1e4, block=6, blocks=1, rounding="float32")
def test_the_search_finds_what_a_look_at_every_entry_finds(
    d: int, base: float, block: int, blocks: int, rounding: str
) -> None:
    made = Blocks(d, base, "paper")
    chunk = Chunk(block * made.rows, block, min(blocks, made.group - block % made.group), 0, made.rows)
    left_open = set(
        zip(*(part.tolist() for part in undecided(products(made, chunk), ERROR_BOUND, rounding)), strict=True)
    )
    tiny = set(range(2 * made.first_tiny(chunk), d, 2))
    found = found_in(made, chunk, rounding)
    assert {entry for entry in found if entry[1] not in tiny} == {
        entry for entry in left_open if entry[1] not in tiny
    }
    assert {column for _, column in found if column in tiny} == tiny  # about these the bound says nothing


@pytest.fixture
def only_the_phase(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The search without the low bits and without the window: what the phase alone calls small."""
    monkeypatch.setattr(corrected, "sieve", lambda _: (np.uint32(0), np.uint32(2**32 - 1)))
    monkeypatch.setattr(corrected, "undecided", lambda values, *_: (np.arange(len(values)),))
    return monkeypatch


@pytest.mark.parametrize("block", [64, -8, 2**20, 2**47 - 5])
def test_the_phase_finds_every_small_entry_and_few_others(block: int, only_the_phase: Any) -> None:
    blocks = Blocks(512, 1e4, "paper")
    chunk = Chunk(block * blocks.rows, block, 5, 0, blocks.rows)
    values = products(blocks, chunk)
    small = set(zip(*(part.tolist() for part in np.nonzero(np.abs(values) < SMALL)), strict=True))
    found = found_in(blocks, chunk, "float32")
    assert small <= found
    assert len(found) < values.size / 1000
    only_the_phase.setattr(corrected, "_MARGIN", np.uint16(1 << 2))
    assert small - found_in(blocks, chunk, "float32")


@few
@given(
    base=st.sampled_from([1.5, 1e4, 1e8, 1e15]),
    block=st.integers(-4, 2**30),
    layout=st.sampled_from(["interleaved", "halves"]),
)
def test_the_compiled_search_finds_the_same(base: float, block: int, layout: Layout) -> None:
    pytest.importorskip("numba")
    blocks = Blocks(64, base, "paper")
    chunk = Chunk(block * blocks.rows, block, min(2, blocks.group - block % blocks.group), 0, blocks.rows)
    plain, compiled = (found_in(blocks, chunk, "float32", how, layout) for how in (search, search_compiled))
    tiny = set(range(2 * blocks.first_tiny(chunk), 64, 2))
    for one, other in ((plain, compiled), (compiled, plain)):
        # the products of the two differ by roundings, so an entry may lie at the edge of the window of one
        assert len({entry for entry in one - other if entry[1] not in tiny}) <= 1


def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows of sines each call computes from now on."""
    counted: list[int] = []

    def count(positions: Any, *steps: Any) -> Any:
        counted.append(len(positions))
        return wave(positions, *steps)

    monkeypatch.setattr(corrected, "wave", count)
    monkeypatch.setattr("pe_book.numerics.blocks.wave", count)
    return counted


def test_a_row_at_a_new_place_is_one_row_of_sines_and_searches_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table(64, 512)
    counted = asked(monkeypatch)
    monkeypatch.setattr(corrected, "search", lambda *_: pytest.fail("one row is not a block"))
    for place in (2**20, 2**40 + 17, -(2**53)):
        table(1, 512, start=place)
    assert counted == [1, 1, 1]


def test_a_block_is_searched_once_and_then_known(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[Chunk] = []

    def counted(blocks: Any, target: Any, chunk: Chunk, *rest: Any) -> Any:
        searched.append(chunk)
        return search(blocks, target, chunk, *rest)

    monkeypatch.setattr(corrected, "search", counted)
    right = table(256, 512, dtype="float64")
    for start, rows in ((10, 30), (0, 64), (5, 3), (64, 128), (0, 256)):  # half a block, then whole ones
        np.testing.assert_array_equal(
            table(rows, 512, start=start), right[start : start + rows].astype("float32")
        )
    assert [(chunk.block, chunk.blocks, chunk.end) for chunk in searched] == [
        (0, 1, 64),
        (1, 2, 64),
        (0, 4, 64),
    ]


def test_a_decoder_far_out_pays_for_its_block_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []

    def counted(blocks: Any, target: Any, chunk: Chunk, *rest: Any) -> Any:
        searched.append(chunk.block)
        return search(blocks, target, chunk, *rest)

    monkeypatch.setattr(corrected, "search", counted)
    computed = asked(monkeypatch)
    right = table(64, 512, start=2**40, dtype="float64").astype("float32")
    computed.clear()
    for step in range(20):
        np.testing.assert_array_equal(table(1, 512, start=2**40 + step)[0], right[step])
    assert searched == [2**34]
    assert computed == [1]  # the first row; the edge of the block was there


def test_blocks_of_one_group_that_are_searched_one_by_one_are_all_kept() -> None:
    blocks = Blocks.of(64, 1e4, "paper")
    for block in range(4):
        chunk = Chunk(block * blocks.rows, block, 1, 0, blocks.rows)
        fill(blocks, np.empty((blocks.rows, 64), np.float32), chunk, "interleaved", "float32")
    (known,) = (value for key, (value, _) in cache._entries.items() if key[0] == "certificates")
    assert known.searched == 0b1111
    assert len(
        set(zip(known.certified.positions.tolist(), known.certified.columns.tolist(), strict=True))
    ) == len(known.certified.positions)


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("rounding", ["float32", "float16", "bfloat16", "float64"])
def test_straight_rows_are_those_of_the_table(layout: Layout, rounding: str) -> None:
    places = np.array([3000, 0, -7, 3000, 12])
    out = np.empty((5, 64), {"bfloat16": "float32"}.get(rounding, rounding))
    write_scattered(Blocks(64, 1e4, "paper"), out, places, layout, rounding)
    whole = np.empty((3008, 64), out.dtype)
    from pe_book.sinusoidal.computing import write

    write(whole, start=-7, layout=layout, rounding=rounding)
    if rounding == "float64":
        np.testing.assert_allclose(out, whole[places + 7], rtol=0, atol=2 * ERROR_BOUND)
    else:
        np.testing.assert_array_equal(out, whole[places + 7])
