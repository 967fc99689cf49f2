"""What the front page shows: three words in two orders, and a row with a slip beside the right one."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.index import Vector, outputs, wrong_entries
from pe_book.show.figure import Figure
from pe_book.show.table import Column, Table
from pe_book.show.why.cards import shuffled
from pe_book.sinusoidal.formula import encode


def shuffle(first: str, second: str, vectors: Mapping[str, Vector]) -> Figure:
    """Two orders of the same words as cards with their outputs: without places, and with them."""
    panels = {
        "Attention alone": lambda order: outputs(order, vectors).round(6),
        "Attention, each word told its place": lambda order: outputs(order, vectors, places=True).round(6),
    }
    text = "{first number:.2f}, {second number:.2f}"
    return shuffled(first, second, panels, ("first number", "second number"), text)


def two_rows(slipped: NDArray[np.float64], position: int) -> Table:
    """A row with a slip beside the row that the formula gives, with the entries that differ marked."""
    dimensions, wrong = range(len(slipped)), wrong_entries(slipped, position)
    right, strong = encode(position, len(slipped)), [c in wrong for c in dimensions]
    return Table(
        Column("dimension", dimensions),
        Column("with the slip", slipped, "{:.3f}"),
        Column("by the formula", right, "{:.3f}", strong=strong),
    )
