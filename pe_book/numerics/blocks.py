r"""Rows in blocks: two edges are computed, the inside is products. The shift theorem at work.

Read one row as complex numbers, :math:`S_i(p) = \sin \omega_i p + \mathrm{i} \cos \omega_i p`. Then a shift
is one factor for each pair, and the row of position aB + b is one product:

.. math:: S_i(aB + b) = S_i(aB) \, e^{-\mathrm{i} \omega_i b}

The rows aB are the coarse edge, the factors the fine one.

Reference: :cite:t:`vaswani2017`, section 3.5, for the shift.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pe_book.inputs.checking import Ladder, Layout
from pe_book.inputs.pairs import as_complex, copy_into, join
from pe_book.numerics.cache import cached
from pe_book.numerics.certified import TINY, rounded
from pe_book.numerics.exact import nearest_frequencies
from pe_book.numerics.phases import UNIT_ROUNDOFF, phase_steps, turns, wave

ERROR_BOUND = 5 * UNIT_ROUNDOFF  # of a product below; derived in pe_book.sinusoidal.computing.table
_BLOCK_ENTRIES = 2**15  # a quarter of a megabyte of float64, which fits the second cache of a core
_GROUP = 64  # so many blocks at most share what is kept of them, and
_GROUP_PAIRS = 2**14  # about so many pairs in their coarse edges
_Factors = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


class Chunk(NamedTuple):
    """The rows `row` to `end` in each of some consecutive blocks of one group, the first at `position`."""

    position: int
    block: int
    blocks: int
    row: int
    end: int

    def inside(self, out: NDArray[Any], start: int) -> NDArray[Any]:
        """The rows of this chunk in a table that begins at position `start`."""
        first = self.position - start
        return out[first : first + self.blocks * (self.end - self.row)]


class Blocks:
    """What width, base and ladder fix: both edges of every block, and the products of the two."""

    def __init__(self, d_model: int, base: float, ladder: Ladder) -> None:
        self.d_model, self.key = d_model, (d_model, base, ladder)
        self.rows = max(16, 1 << max(1, _BLOCK_ENTRIES // d_model).bit_length() - 1)  # of a block
        self.group = min(_GROUP, max(1, _GROUP_PAIRS // (d_model // 2)))  # blocks that are kept together
        self.steps = phase_steps(d_model, base, ladder)
        inside = np.arange(self.rows)
        self.fine = wave(inside, *self.steps) * -1j  # cosine - i sine
        self.fine_turns = turns(inside, *self.steps)

    @classmethod
    def of(cls, d_model: int, base: float, ladder: Ladder) -> "Blocks":
        """The blocks of a width, a base and a ladder, as they were kept or made anew.

        >>> Blocks.of(512, 10000.0, "paper").rows
        64
        """
        return cached(
            ("blocks", d_model, base, ladder),
            lambda: cls(d_model, base, ladder),
            lambda made: made.fine.nbytes + made.fine_turns.nbytes,
        )

    def chunks(self, start: int, seq_len: int) -> Iterator[Chunk]:
        """The positions as whole blocks, a group at a time, and what is left over at both ends."""
        position, end = start, start + seq_len
        while position < end:
            block, row = divmod(position, self.rows)
            if row or end - position < self.rows:
                chunk = Chunk(position, block, 1, row, min(self.rows, row + end - position))
            else:
                blocks = min(self.group - block % self.group, (end - position) // self.rows)
                chunk = Chunk(position, block, blocks, 0, self.rows)
            yield chunk
            position += chunk.blocks * (chunk.end - chunk.row)

    def first_tiny(self, chunk: Chunk) -> int:
        """The first pair whose angle stays within ``TINY`` in a chunk, or how many pairs there are."""
        farthest = max(abs(chunk.block), abs(chunk.block + chunk.blocks)) * self.rows
        return int(np.count_nonzero(farthest * nearest_frequencies(*self.key) > TINY))

    def multiply(self, target: NDArray[Any], chunk: Chunk, layout: Layout, rounding: str) -> None:
        """Write the products of a chunk, rounded without a certificate."""
        coarse, fine = (
            self.coarse_edge(chunk)[:, np.newaxis],  # (b, 1, d_model/2)
            self.fine[chunk.row : chunk.end],  # (r, d_model/2)
        )
        in_pairs = as_complex(target, layout)
        if in_pairs is not None and rounding == target.dtype:  # numpy multiplies and rounds in one call
            out = in_pairs.reshape(len(coarse), len(fine), -1)  # (b, r, d_model/2)
            np.multiply(coarse, fine, out=out, dtype=np.complex128, casting="same_kind")
            return
        for index, anchor in enumerate(coarse):
            values = (anchor * fine).view(np.float64)
            write_rounded(target[index * len(fine) : (index + 1) * len(fine)], values, layout, rounding)

    def multiply_compiled(self, target: NDArray[Any], chunk: Chunk, layout: Layout, rounding: str) -> None:
        """Write the same products as `multiply` by one compiled loop, in float32 or float64."""
        from pe_book.numerics.compiled import multiply

        multiply(target, *self.columns(chunk, layout))

    def columns(self, chunk: Chunk, layout: Layout) -> _Factors:
        """Both edges of a chunk column by column, the order in which a compiled loop takes them.

        In both layouts a column is (sin, cos) coarse * cos fine + (cos, -sin) coarse * sin fine.
        """
        coarse = self.coarse_edge(chunk)
        edge = join(coarse.real, coarse.imag, layout), join(coarse.imag, -coarse.real, layout)

        def made() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            cosine, sine = self.fine.real, -self.fine.imag
            return join(cosine, cosine, layout), join(sine, sine, layout)

        key = ("columns", *self.key, layout)
        fine = cached(key, made, lambda both: 2 * both[0].nbytes)
        cosine, sine = (part[chunk.row : chunk.end] for part in fine)
        return *edge, cosine, sine

    def coarse_edge(self, chunk: Chunk) -> NDArray[np.complex128]:
        """The first row of each block of a chunk, as complex numbers."""
        group, first = divmod(chunk.block, self.group)
        pairs = self.d_model // 2
        edges, known = cached(
            ("edges", *self.key, group),
            lambda: (np.empty((self.group, pairs), np.complex128), np.zeros(self.group, bool)),
            lambda both: both[0].nbytes,
        )
        asked = slice(first, first + chunk.blocks)
        if not known[asked].all():
            missing = first + np.flatnonzero(~known[asked]).astype(np.int64)  # 32 bits end before 2**53
            edges[missing] = wave((group * self.group + missing) * self.rows, *self.steps)
            known[missing] = True
        return edges[asked]


def write_rounded(rows: NDArray[Any], values: NDArray[np.float64], layout: Layout, rounding: str) -> None:
    """Write float64 values, interleaved, to rows of a table, rounded to its format.

    >>> write_rounded(out := np.empty((1, 2), np.float32), np.array([[0.1, 1.0]]), "interleaved", "float32")
    >>> out
    array([[0.1, 1. ]], dtype=float32)
    """
    if rounding == "bfloat16":
        values = rounded(values, rounding)
    copy_into(rows, values, layout)
