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
from pe_book.numerics.corrected import search, search_compiled
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
