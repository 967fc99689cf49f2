r"""Rows of which every entry is rounded correctly: products, searched for what their bound leaves open.

Blocks are searched once. What was found in a group of them is kept (:mod:`pe_book.numerics.cache`) and
written over the products of the next call. A few rows at a new place, or rows that are not consecutive, come
straight from their phases, without an edge; the second time, as when a decoder goes on, the block is
searched.

Reference: :cite:t:`ziv1991` for rounding with a certificate.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.inputs.checking import Layout
from pe_book.inputs.pairs import column, permutation
from pe_book.numerics.blocks import ERROR_BOUND, Blocks, Chunk, write_rounded
from pe_book.numerics.cache import cached, update_cached
from pe_book.numerics.certified import SMALL, CertifiedEntries, round_all_certified, sieve, undecided
from pe_book.numerics.phases import turns, wave

_STRAIGHT_ENTRIES = 2**15  # so many at once, for the sake of the cache
_FEW = 4  # a block of which less than a quarter is asked for is not searched the first time
_TOGETHER = 8  # blocks whose flags are looked through at once
# Three units of turns: two, and one for what the leading bits of both terms of a sum leave out.
_MARGIN = np.uint16(3 << 2)


@dataclass(slots=True)
class _Certificates:
    """What is known of a group of blocks: which were searched or visited, a bit each, and what was found."""

    searched: int = 0
    visited: int = 0
    certified: CertifiedEntries = field(default_factory=CertifiedEntries.none)

    def n_bytes(self) -> int:
        return self.certified.n_bytes()


def fill(
    blocks: Blocks,
    target: NDArray[Any],
    chunk: Chunk,
    layout: Layout,
    rounding: str,
    *,
    compiled: bool = False,
) -> None:
    """Write the rows of a chunk: correctly rounded, or within ``ERROR_BOUND`` in float64.

    >>> from pe_book.numerics.phases import UNIT_ROUNDOFF
    >>> blocks, out = Blocks.of(6, 10000.0, "paper"), np.empty((1, 6), np.float32)
    >>> fill(blocks, out, next(blocks.chunks(1, 1)), "interleaved", "float32")
    >>> out.round(4)
    array([[0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.    ]], dtype=float32)
    """
    compiled = compiled and rounding in ("float32", "float64")  # what a compiled loop can write
    multiply = blocks.multiply_compiled if compiled else blocks.multiply
    if rounding == "float64":
        return multiply(target, chunk, layout, rounding)
    group, first = divmod(chunk.block, blocks.group)
    asked = (1 << chunk.blocks) - 1 << first
    key = ("certificates", *blocks.key, rounding, group)
    known = cached(key, _Certificates, _Certificates.n_bytes)
    if known.searched & asked == asked:
        multiply(target, chunk, layout, rounding)
        return _overwrite(target, chunk.position, layout, known.certified)
    if _FEW * len(target) < blocks.rows and not known.visited & asked:
        known.visited |= asked
        return write_scattered(blocks, target, chunk.position + _numbers(0, len(target)), layout, rounding)
    whole = chunk._replace(position=chunk.block * blocks.rows, row=0, end=blocks.rows)
    rows = target if chunk == whole else np.empty((blocks.rows, blocks.d_model), target.dtype)
    hits = (search_compiled if compiled else search)(blocks, rows, whole, layout, rounding)
    certified = _certified(blocks, *hits, rounding)

    def joined(found: _Certificates | None) -> _Certificates:
        found = found or _Certificates()
        others = found.certified.outside(whole.position, len(rows))
        return _Certificates(found.searched | asked, found.visited, others.joined(certified))

    update_cached(key, joined, _Certificates.n_bytes)
    if rows is not target:
        target[...] = rows[chunk.row : chunk.end]
    _overwrite(target, chunk.position, layout, certified)


def write_scattered(
    blocks: Blocks, target: NDArray[Any], positions: NDArray[np.int64], layout: Layout, rounding: str
) -> None:
    """Write the rows of any whole positions, each entry rounded correctly, or within ``ERROR_BOUND``.

    >>> blocks, out = Blocks.of(2, 10000.0, "paper"), np.empty((2, 2), np.float32)
    >>> write_scattered(blocks, out, np.array([0, 2**50]), "interleaved", "float32")
    >>> out.round(4)
    array([[0.    , 1.    ],
           [0.4964, 0.8681]], dtype=float32)
    """
    few = max(1, _STRAIGHT_ENTRIES // blocks.d_model)
    for first in range(0, len(positions), few):
        some, rows = positions[first : first + few], target[first : first + few]
        values = wave(some, *blocks.steps).view(np.float64)
        write_rounded(rows, values, layout, rounding)
        if rounding == "float64":
            continue
        add, mask = sieve(rounding)
        low = values.view(np.uint64).astype(np.uint32)
        hits = np.flatnonzero(((low + add) & mask == 0) | (np.abs(values) < SMALL))
        if not hits.size:
            continue
        (left_open,) = undecided(values.ravel()[hits], ERROR_BOUND, rounding)
        row, columns = np.divmod(hits[left_open], blocks.d_model)
        if row.size:
            certified = _certified(blocks, some[row], columns, rounding)
            rows[row, _in_layout(columns, blocks.d_model, layout)] = certified.values


def search(
    blocks: Blocks, target: NDArray[Any], chunk: Chunk, layout: Layout, rounding: str
) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Write the products of whole blocks, and return position and column of those left open.

    Every product of a magnitude from ``SMALL`` to 1 is looked at by its low bits. The smaller ones are found
    by the phase, of which 16 bits will do: cutting off the others of both terms of the sum takes up to two
    units away, so what is within one and a half of a quarter turn is found from -3 on, below 2. The sines of
    pairs that stay tiny are all left open: an absolute bound says nothing about them.
    """
    coarse, fine = blocks.coarse_edge(chunk), blocks.fine
    firsts = _numbers(chunk.block, chunk.block + chunk.blocks) * blocks.rows
    coarse_turns, first_tiny = turns(firsts, *blocks.steps) + _MARGIN, blocks.first_tiny(chunk)
    add, mask = sieve(rounding)
    product = np.empty(fine.shape, np.complex128)
    values = product.view(np.float64)
    low, turned = np.empty(values.shape, np.uint32), np.empty(fine.shape, np.uint16)
    near, small = (np.empty((_TOGETHER, *part.shape), np.bool_) for part in (values, fine))
    hits = []
    for index, anchor in enumerate(coarse):
        np.multiply(anchor, fine, out=product)
        write_rounded(target[index * len(fine) : (index + 1) * len(fine)], values, layout, rounding)
        np.copyto(low, values.view(np.uint64), casting="unsafe")  # the low half of each
        low += add
        low &= mask
        slot = index % _TOGETHER
        np.equal(low, 0, out=near[slot])
        np.add(coarse_turns[index], blocks.fine_turns, out=turned)
        np.less_equal(turned, 2 * _MARGIN, out=small[slot])
        if slot == _TOGETHER - 1 or index == len(coarse) - 1:
            near[: slot + 1].reshape(-1, blocks.d_model)[:, 2 * first_tiny :: 2] = False  # (r, d_model)
            small[: slot + 1, :, first_tiny:] = False
            near.reshape(-1, 2)[np.flatnonzero(small[: slot + 1])] = True  # (p, 2)  pairs
            hits.append(np.flatnonzero(near[: slot + 1]) + (index - slot) * values.size)
    rows, columns = np.divmod(np.concatenate(hits), blocks.d_model)  # (m,)
    block, row = np.divmod(rows, len(fine))
    again = coarse[block, columns // 2] * fine[row, columns // 2]
    (left_open,) = undecided(np.where(columns % 2, again.imag, again.real), ERROR_BOUND, rounding)
    tiny = np.arange(2 * first_tiny, blocks.d_model, 2)
    every_row = np.arange(len(target))
    rows = np.concatenate([rows[left_open], np.repeat(every_row, tiny.size)])  # (n,)
    columns = np.concatenate([columns[left_open], np.tile(tiny, len(every_row))])  # (n,)
    return chunk.position + rows.astype(np.int64), columns


def search_compiled(
    blocks: Blocks, target: NDArray[Any], chunk: Chunk, layout: Layout, rounding: str
) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """As `search`, by one compiled loop, in float32."""
    from pe_book.numerics.compiled import multiply_searching

    (coarse, turned, cosine, sine), room = blocks.columns(chunk, layout), 2**10
    while True:
        rows, columns = np.empty(room, np.intp), np.empty(room, np.intp)
        found = multiply_searching(target, coarse, turned, cosine, sine, 2 * ERROR_BOUND, rows, columns)
        if found <= room:
            break
        room = found
    rows, columns = rows[:found], columns[:found]
    paper = permutation(blocks.d_model, source="interleaved", to=layout)
    return chunk.position + rows.astype(np.int64), paper[columns]


def _numbers(first: int, end: int) -> NDArray[np.int64]:
    """Whole numbers that may be multiplied: of those of numpy itself some systems have 32 bits."""
    return np.arange(first, end, dtype=np.int64)


def _certified(
    blocks: Blocks, positions: NDArray[np.int64], columns: NDArray[np.intp], rounding: str
) -> CertifiedEntries:
    values = round_all_certified(positions, columns, *blocks.key, rounding=rounding)
    return CertifiedEntries(positions, columns, values)


def _overwrite(target: NDArray[Any], position: int, layout: Layout, certified: CertifiedEntries) -> None:
    """Write what is certified over the rows of a table that begins at a position."""
    rows = certified.positions - position
    inside = (rows >= 0) & (rows < len(target))
    columns = _in_layout(certified.columns[inside], target.shape[1], layout)
    target[rows[inside], columns] = certified.values[inside]


def _in_layout(columns: NDArray[np.intp], d_model: int, layout: Layout) -> NDArray[np.intp]:
    return column(columns // 2, columns % 2, d_model, layout)
