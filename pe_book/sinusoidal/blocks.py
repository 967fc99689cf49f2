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

from pe_book.checking import Ladder, Layout
from pe_book.sinusoidal.certified import Undecided, rounded, settle, undecided
from pe_book.sinusoidal.formula import relayout
from pe_book.sinusoidal.phases import UNIT_ROUNDOFF, phase_steps, sine_cosine

ERROR_BOUND = 6 * UNIT_ROUNDOFF  # of a product below; derived in pe_book.sinusoidal.computing.table

_BLOCK_ENTRIES = 2**15  # a quarter of a megabyte of float64, which fits the second cache of a core
_GROUP = 64  # blocks whose coarse edges are computed together
_GROUPS_KEPT = 128  # so many coarse edges stay in memory


class Piece(NamedTuple):
    """The rows `row` to `end` in each of some consecutive blocks of one group, the first at `position`."""

    position: int
    block: int
    blocks: int
    row: int
    end: int

    def inside(self, out: NDArray[Any], start: int) -> NDArray[Any]:
        """The rows of this piece in a table that begins at position `start`."""
        first = self.position - start
        return out[first : first + self.blocks * (self.end - self.row)]


class Blocks:
    """What width, base and ladder fix: both edges of every block, and the entries that need more bits."""

    def __init__(self, d_model: int, base: float, ladder: Ladder) -> None:
        self.d_model, self.base, self.ladder = d_model, base, ladder
        self.rows = max(16, 1 << (_BLOCK_ENTRIES // d_model).bit_length() - 1)  # of a block
        self.steps = phase_steps(d_model, base, ladder)
        sine, cosine = sine_cosine(np.arange(self.rows), *self.steps)
        self.fine = cosine - 1j * sine
        self._coarse: dict[int, NDArray[np.complex128]] = {}
        self._columns: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
        self._undecided: dict[tuple[str, int], Undecided] = {}

    def pieces(self, start: int, seq_len: int) -> Iterator[Piece]:
        """The positions as whole blocks, a group at a time, and what is left over at both ends."""
        position, end = start, start + seq_len
        while position < end:
            block, row = divmod(position, self.rows)
            if row or end - position < self.rows:
                piece = Piece(position, block, 1, row, min(self.rows, row + end - position))
            else:
                blocks = min(_GROUP - block % _GROUP, (end - position) // self.rows)
                piece = Piece(position, block, blocks, 0, self.rows)
            yield piece
            position += piece.blocks * (piece.end - piece.row)

    def multiply(self, target: NDArray[Any], piece: Piece, layout: Layout, rounding: str) -> None:
        """Write the products of a piece, rounded without a certificate."""
        coarse, fine = self._coarse_edge(piece)[:, np.newaxis], self.fine[piece.row : piece.end]
        pair = {"float32": np.complex64, "float64": np.complex128}.get(rounding)
        if pair and layout == "interleaved" and target.flags.c_contiguous:
            # one interleaved row is one row of complex numbers: numpy multiplies and rounds in one call
            in_pairs: NDArray[Any] = target.view(pair).reshape(len(coarse), len(fine), -1)
            np.multiply(coarse, fine, out=in_pairs, dtype=np.complex128, casting="same_kind")
            return
        half = self.d_model // 2
        for index, anchor in enumerate(coarse):
            values = (anchor * fine).view(np.float64)
            if rounding == "bfloat16":
                values = rounded(values, rounding)
            rows = target[index * len(fine) : (index + 1) * len(fine)]
            if layout == "halves":
                rows[:, :half], rows[:, half:] = values[:, 0::2], values[:, 1::2]
            else:
                rows[...] = values

    def multiply_compiled(self, target: NDArray[Any], piece: Piece, layout: Layout, rounding: str) -> None:
        """Write the same products by one compiled loop, in the formats that it can write."""
        if rounding not in ("float32", "float64"):
            return self.multiply(target, piece, layout, rounding)
        from pe_book.sinusoidal.compiled import multiply

        # in both layouts a column is (sin, cos) coarse * cos fine + (cos, -sin) coarse * sin fine
        coarse = self._coarse_edge(piece)
        edge = [part.view(np.float64) for part in (coarse, coarse.imag - 1j * coarse.real)]
        if layout == "halves":
            edge = [relayout(part, source="interleaved", to=layout) for part in edge]
        rows = slice(piece.row, piece.end)
        multiply(target, *edge, *(part[rows] for part in self._fine_columns(layout)))

    def _fine_columns(self, layout: Layout) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Cosine and sine of the fine angles, each in both columns of its pair."""
        known = self._columns.get(layout)
        if known is None:
            pairs = (np.repeat(part, 2, axis=1) for part in (self.fine.real, -self.fine.imag))
            cosine, sine = (relayout(part, source="interleaved", to=layout) for part in pairs)
            known = self._columns[layout] = cosine, sine
        return known

    def _coarse_edge(self, piece: Piece) -> NDArray[np.complex128]:
        """The first row of each block of a piece, as complex numbers."""
        group, first = divmod(piece.block, _GROUP)
        known = self._coarse.get(group)
        if known is None:
            blocks = np.arange(group * _GROUP, (group + 1) * _GROUP)
            sine, cosine = sine_cosine(blocks * self.rows, *self.steps)
            known = sine + 1j * cosine
            if len(self._coarse) < _GROUPS_KEPT:
                self._coarse[group] = known
        return known[first : first + piece.blocks]

    def settle(self, target: NDArray[Any], piece: Piece, layout: Layout, rounding: str) -> None:
        """Overwrite the entries of a piece that the error bound cannot round."""
        length = piece.end - piece.row
        for index in range(piece.blocks):
            rows, columns, settled = self.undecided(piece.block + index, rounding)
            if rows.size:
                inside = (rows >= piece.row) & (rows < piece.end)
                if layout == "halves":
                    columns = columns // 2 + columns % 2 * (self.d_model // 2)
                target[index * length + rows[inside] - piece.row, columns[inside]] = settled[inside]

    def undecided(self, block: int, rounding: str) -> Undecided:
        """The entries of a block that the error bound cannot round, settled; found once, then kept."""
        known = self._undecided.get((rounding, block))
        if known is None:
            edge = self._coarse_edge(Piece(block * self.rows, block, 1, 0, self.rows))
            rows, columns = undecided((edge * self.fine).view(np.float64), ERROR_BOUND, rounding)
            settled = [
                settle(
                    block * self.rows + row,
                    column // 2,
                    cosine=column % 2 == 1,
                    d_model=self.d_model,
                    base=self.base,
                    ladder=self.ladder,
                    rounding=rounding,
                )
                for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
            ]
            known = self._undecided[rounding, block] = Undecided(rows, columns, np.array(settled))
        return known
