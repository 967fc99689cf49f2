"""What the front page shows: three words in two orders, and a row with a slip beside the right one."""

from collections.abc import Mapping
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.index import Vector, outputs, wrong_entries
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.table import Column, Table
from pe_book.show.why.cards import shuffled
from pe_book.sinusoidal.formula import encode

ALONE, PLACED = "Attention alone", "Attention, each word told its place"
NUMBERS = ("first number", "second number")
VECTORS = {"dog": (1, 0), "bites": (0, 1), "man": (1, 1)}


def shuffle(
    first: str = "dog bites man", second: str = "man bites dog", vectors: Mapping[str, Vector] = VECTORS
) -> Figure:
    """Two orders of the same words as cards with their outputs: without places, and with them."""
    panels = {
        ALONE: lambda order: outputs(order, vectors).round(6),
        PLACED: lambda order: outputs(order, vectors, places=True).round(6),
    }

    def given(frame: Frame) -> dict[str, Any]:
        """The outputs in every order, word by word."""
        words = frame.settings["first"].split()
        orders = [" ".join(order) for order in permutations(words)]
        every = {name: {order: panels[name](order).tolist() for order in orders} for name in panels}
        return {"words": words, "alone": every[ALONE], "placed": every[PLACED]}

    titles = {
        ALONE: "Attention alone. When words are shuffled, {changed, alone} of {numbers} numbers change",
        PLACED: "Now each word is told its place. When shuffled, {changed, placed} of {numbers} change",
    }
    text = "{first number:.2f}, {second number:.2f}"
    return shuffled(first, second, panels, NUMBERS, text, titles=titles, facts=changes,
                    explorer="pe-order", given=given)  # fmt: skip


def changes(frame: Frame) -> dict[str, int]:
    """How many numbers the words have in a panel, and how many of them the other order changes."""

    def numbers(panel: str, order: str) -> dict[tuple[Any, str], Any]:
        rows = frame.where({"panel": panel, "order": order}).rows()
        return {(row["word"], name): row[name] for row in rows for name in NUMBERS}

    def changed(panel: str) -> int:
        one, other = (numbers(panel, frame.settings[order]) for order in ("first", "second"))
        return sum(one[place] != other[place] for place in one)

    count = len(numbers(ALONE, frame.settings["first"]))
    return {"numbers": count, "changed, alone": changed(ALONE), "changed, placed": changed(PLACED)}


def two_rows(slipped: NDArray[np.float64], position: int) -> Table:
    """A row with a slip beside the row that the formula gives, with the entries that differ marked."""
    dimensions, wrong = range(len(slipped)), wrong_entries(slipped, position)
    right, strong = encode(position, len(slipped)), [c in wrong for c in dimensions]
    return Table(
        Column("dimension", dimensions),
        Column("with the slip", slipped, "{:.3f}"),
        Column("by the formula", right, "{:.3f}", strong=strong),
    )
