"""What the front page shows: three words in two orders, and a row with a slip beside the right one."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.index import Vector, outputs, wrong_entries
from pe_book.show.figure import Figure
from pe_book.show.frame import Frame
from pe_book.show.table import Column, Table
from pe_book.show.why.cards import crossing, names
from pe_book.sinusoidal.formula import encode

ALONE, PLACED = "attention alone", "attention, each word told its place"


def shuffle(first: str, second: str, vectors: Mapping[str, Vector]) -> Figure:
    """Two orders of the same words as cards with their outputs: without places, and with them."""
    header = ("panel", "order", "place", "word", "first number", "second number", "card", "same word")
    rows = [
        (panel, order, place, word, *numbers, *names(word, order, first, second))
        for panel in (ALONE, PLACED)
        for order in (first, second)
        for place, (word, numbers) in enumerate(
            zip(order.split(), outputs(order, vectors, places=panel == PLACED).round(6), strict=True)
        )
    ]
    frame = Frame.of_rows(header, rows, first=first, second=second, words=len(vectors))
    text = "{word}\n{first number:.2f}, {second number:.2f}"
    return Figure(
        frame, *(crossing(panel, vectors, text) for panel in (ALONE, PLACED)), facts=_facts,
        alt="Cards of {words} words with two numbers each, in the orders {first} and {second}; arrows join "
        "the cards of one word. Attention alone gives {alone}; from one order to the other a number changes "
        "by {alone_change:.2f} at most. Told their places, the words get {placed_first} in one order and "
        "{placed_second} in the other; each word has a number that changes by {placed_change:.2f} or more.",
    )  # fmt: skip


def _facts(frame: Frame) -> dict[str, Any]:
    def numbers(panel: str, order: str) -> dict[str, NDArray[np.float64]]:
        rows = frame.where({"panel": panel, "order": frame.settings[order]})
        pairs = np.column_stack([rows["first number"], rows["second number"]])
        return dict(zip(rows["word"], pairs, strict=True))

    def changes(panel: str) -> list[float]:
        one, other = numbers(panel, "first"), numbers(panel, "second")
        return [float(np.abs(one[word] - other[word]).max()) for word in one]

    def listed(panel: str, order: str) -> str:
        return ", ".join(f"{word} ({a:.2f}, {b:.2f})" for word, (a, b) in numbers(panel, order).items())

    return {
        "alone": listed(ALONE, "first"), "alone_change": max(changes(ALONE)),
        "placed_first": listed(PLACED, "first"), "placed_second": listed(PLACED, "second"),
        "placed_change": min(changes(PLACED)),
    }  # fmt: skip


def two_rows(slipped: NDArray[np.float64], position: int) -> Table:
    """A row with a slip beside the row that the formula gives, with the entries that differ marked."""
    wrong = wrong_entries(slipped, position)
    dimensions = range(len(slipped))
    return Table(
        Column("dimension", dimensions),
        Column("with the slip", slipped, "{:.3f}"),
        Column(
            "by the formula",
            encode(position, len(slipped)),
            "{:.3f}",
            strong=[c in wrong for c in dimensions],
        ),
    )
