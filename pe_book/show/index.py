"""What the front page shows: three words in two orders, and a row with a slip beside the right one."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.index import Vector, outputs
from pe_book.show.figure import PALETTE, Figure, canvas
from pe_book.show.table import Table
from pe_book.sinusoidal.formula import encode

COLOURS = (PALETTE.blue, PALETTE.orange, PALETTE.green)


def shuffle(first: str, second: str, vectors: Mapping[str, Vector]) -> Figure:
    """Two orders of the same words as cards, each card over its output: without places, and with them."""
    fig, axes = canvas(4.0, width=5.4, rows=2)
    rows: list[tuple[Any, ...]] = []
    titles = ("Attention alone", "Attention, each word told its place")
    for ax, places, title in zip(axes, (False, True), titles, strict=True):
        ax.set_title(title, loc="left", fontsize=12, color=PALETTE.ink)
        for height, order in ((1.0, first), (0.0, second)):
            found = outputs(order, vectors, places=places)
            for place, word in enumerate(order.split()):
                _card(ax, place, height, word, found[place], COLOURS[list(vectors).index(word)])
                rows.append((title, order, place, word, *found[place]))
        for word in vectors:
            above, below = (sentence.split().index(word) for sentence in (first, second))
            colour = COLOURS[list(vectors).index(word)]
            ax.plot([above, below], [0.66, 0.33], color=colour, linewidth=1.4)
        ax.set_xlim(-0.5, len(vectors) - 0.5)
        ax.set_ylim(-0.36, 1.34)
        ax.set_axis_off()
    width = len(next(iter(vectors.values())))
    header = ("what is computed", "order", "place", "word", *(f"output {c}" for c in range(width)))
    return Figure.of(fig, alt=_shuffle_alt(first, second, vectors), columns=header, rows=rows)


def _card(ax: Any, x: float, y: float, word: str, output: NDArray[np.float64], colour: str) -> None:
    ax.fill(
        [x - 0.42, x + 0.42, x + 0.42, x - 0.42],
        [y - 0.02, y - 0.02, y + 0.3, y + 0.3],
        facecolor="none",
        edgecolor=colour,
        linewidth=1.8,
    )
    ax.text(x, y + 0.135, word, ha="center", va="center", fontsize=12.5, color=PALETTE.ink)
    numbers = _pair(output)
    ax.text(x, y - 0.17, numbers, ha="center", va="center", fontsize=12.5, color=PALETTE.ink)


def _shuffle_alt(first: str, second: str, vectors: Mapping[str, Vector]) -> str:
    said = []
    for places in (False, True):
        rows = [
            dict(zip(order.split(), outputs(order, vectors, places=places), strict=True))
            for order in (first, second)
        ]
        moved = max(float(np.abs(rows[0][word] - rows[1][word]).max()) for word in vectors)
        for order, found in zip((first, second), rows, strict=True):
            listed = ", ".join(f"{word} ({_pair(found[word])})" for word in order.split())
            said.append(f"{order!r} gives {listed}")
        kept = "each word keeps its numbers" if moved < 1e-12 else f"numbers change by up to {moved:.2f}"
        said[-1] += f": {kept}"
    return (
        f"Cards in two orders, each over its output. Attention alone: {said[0]}; {said[1]}. "
        f"With places: {said[2]}; {said[3]}."
    )


def _pair(output: NDArray[np.float64]) -> str:
    return ", ".join(f"{number:.2f}" for number in output)


def two_rows(slipped: NDArray[np.float64], position: int) -> Table:
    """A row with a slip beside the row that the formula gives, with the entries that differ marked."""
    right = encode(position, len(slipped))
    cells = []
    for c, (theirs, ours) in enumerate(zip(slipped, right, strict=True)):
        wrong = f"{theirs:.3f}" != f"{ours:.3f}"
        cells.append((str(c), f"{theirs:.3f}", f"**{ours:.3f}**" if wrong else f"{ours:.3f}"))
    return Table(("dimension", "with the slip", "by the formula"), cells, align="rrr")
