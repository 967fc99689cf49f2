"""Tables and figures of the chapter on order blindness."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from pe_book.evidence.why.exact import BANKS, THREE_WORDS, Vector, exact_attention, rows_of
from pe_book.show.drawing.diagram import Arrows
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Points
from pe_book.show.drawing.table import Column, Table


def all_orders(orders: Sequence[str], vectors: Mapping[str, Vector] = THREE_WORDS) -> Table:
    """The outputs of several orders of the same words, and their mean."""
    outputs = [exact_attention(rows_of(order, vectors)) for order in orders]
    means = [[sum(column, Fraction(0)) / len(rows) for column in zip(*rows, strict=True)] for rows in outputs]
    by_place = (
        Column(f"row {place}", map(_vector, found), align="c")
        for place, found in enumerate(zip(*outputs, strict=True))
    )
    return Table(Column("order", orders), *by_place, Column("mean", map(_vector, means)))


def two_contexts(
    word: str, others: Sequence[str], vectors: Mapping[str, Vector] = BANKS,
    axes: Sequence[str] = ("finance", "water"),
) -> Figure:  # fmt: skip
    """A word's vector as it is looked up, and what attention makes of it beside two different words."""
    start = f"{word}, looked up"
    rows: list[tuple[Any, ...]] = [(start, *vectors[word], None, None)]
    for other in others:
        output = map(float, exact_attention([vectors[other], vectors[word]])[-1])
        rows += [
            (other, *vectors[other], other, None),
            (f"{word} in “{other} {word}”", *output, other, start),
        ]
    x, y = axes
    marks: list[Any] = [Points(x, y, {"vector": start}, text="{vector}", colour="ink", size=7)]
    for other, colour in zip(others, ("blue", "orange"), strict=True):
        beside = {"beside": other}
        marks.append(Points(x, y, beside, text="{vector}", colour=colour, size=7))
        marks.append(Arrows("moved from", "vector", "vector", x, y, (0.16, 0.16), beside, colour))

    reach = max(map(max, vectors.values()))
    ticks, limits = range(reach + 1), ((-0.15, reach + 1.45), (-0.25, reach + 0.25))
    return Figure(
        Frame.of_rows(("vector", *axes, "beside", "moved from"), rows, word=word),
        Panel(*marks, xticks=ticks, yticks=ticks, xlim=limits[0], ylim=limits[1], height=250),
        facts=lambda f: {"points": "; ".join(f"{r['vector']} at ({r[x]:g}, {r[y]:g})" for r in f.rows())},
        alt="Vectors in a plane: {points}. Arrows lead from the looked-up {word} to {word} beside each "
        "neighbour.",
    )  # fmt: skip


def _vector(vector: Sequence[Any]) -> str:
    cells = [str(x) if x.denominator == 1 else rf"\tfrac{{{x.numerator}}}{{{x.denominator}}}" for x in vector]
    return "$(" + r",\; ".join(cells) + ")$"
