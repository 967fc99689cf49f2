"""What the front page shows: three words in two orders, and a row with a slip beside the right one."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.index import Vector, wrong_entries
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.table import Column, Table
from pe_book.show.why.cards import alone_and_placed
from pe_book.sinusoidal.formula import encode

VECTORS = {"dog": (1, 0), "bites": (0, 1), "man": (1, 1)}


def shuffle(
    first: str = "dog bites man", second: str = "man bites dog", vectors: Mapping[str, Vector] = VECTORS
) -> Figure:
    """Two orders of the same words as cards with their outputs: without positions, and with them."""
    return alone_and_placed(first, second, vectors)


def two_rows(slipped: NDArray[np.float64], position: int) -> Table:
    """A row with a slip beside the row that the formula gives, with the entries that differ marked."""
    dimensions, wrong = range(len(slipped)), wrong_entries(slipped, position)
    right, strong = encode(position, len(slipped)), [c in wrong for c in dimensions]
    return Table(
        Column("dimension", dimensions),
        Column("with the slip", slipped, "{:.3f}"),
        Column("by the formula", right, "{:.3f}", strong=strong),
    )
