"""Inside a small transformer: one text in five steps, as a figure and its explorer, and four decoders."""

from __future__ import annotations

from typing import Any

import numpy as np

import pe_book as pe
from pe_book.evidence.records.model_tour import SYMBOLS, Inside, Tour, packed, recorded
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Bars, Guide, Heat
from pe_book.show.drawing.table import Column, Table

LENGTHS = (12, 24, 48)
ROWS = {"word": "row of the word", "position": "row of its position", "sum": "their sum"}


def steps(width: int = 16, layers: int = 1, n: int = 24, word: int = 20) -> Figure:
    """All five steps of one text; with script a reader sets step, length, decoder and word."""
    tour = recorded()
    one, asked = tour.inside(width, layers), tour.text[word - tour.back]
    words = one.words[[SYMBOLS.index(letter) for letter in tour.text[:n]]]
    rows = {"word": words, "position": one.positions[:n], "sum": words + one.positions[:n]}
    cells: list[tuple[Any, ...]] = [
        (step, p, column, None, round(float(value), 3))
        for step, table in rows.items()
        for (p, column), value in np.ndenumerate(table)
    ]
    seen = zip(*np.tril_indices(n), strict=True)
    cells += [("attention", p, key, None, one.weights[-1, p, key]) for p, key in seen]
    cells += [("output", word, None, *pair) for pair in zip(SYMBOLS, one.output[word], strict=True)]
    names = ("step", "position", "column or key", "symbol", "value")
    frame = Frame.of_rows(
        names, cells, n=n, width=width, layers=layers, word=word, asked=asked, back=tour.back,
        limit=np.abs(rows["sum"]).max(),
    )  # fmt: skip

    def values(f: Frame, **where: Any) -> Any:
        return f.where({name.replace("_", " "): value for name, value in where.items()})["value"]

    def heat(step: str, x: str, ticks: int, wide: int, tall: int = 240, **drawn: Any) -> Panel:
        cells = Heat("column or key", "position", "value", {"step": step}, **drawn)
        return Panel(
            cells, *(Guide(y=word + edge, dash="dotted", colour="ink") for edge in (-0.5, 0.5)),
            title=ROWS.get(step, "attention of layer {layers}"), x=x, y="query" if x == "key" else "position",
            xticks=[0, ticks - 1], yticks=[0, word, n - 1], width=wide, height=tall,
        )  # fmt: skip

    def bars(colour: str, **where: str) -> Bars:
        return Bars("value", "symbol", {"step": "output", **where}, colour=colour)

    return Figure(
        frame,
        *(heat(step, "column", width, 200, limit="limit") for step in ROWS),
        heat("attention", "key", n, 300, 290, signed=False, limit=1.0),
        Panel(
            bars("blue"), bars("orange", symbol=asked), title="output: {asked} is asked", x="probability",
            y="", xlim=(0, 1), width=300, height=290,
        ),
        facts=lambda f: {
            "weight": values(f, step="attention", position=word, column_or_key=word - tour.back)[0],
            "odds": values(f, step="output", symbol=asked)[0],
            "fast": np.ptp(values(f, step="position", column_or_key=0)),
            "slow": np.ptp(values(f, step="position", column_or_key=width - 2)),
        },
        alt="Five steps of {n} words in a decoder of width {width}. Over the positions the first column "
        "swings through {fast:.2f}, the last sine through {slow:.3f}. Word {word} gives {weight:.2f} of its "
        "weight to the word {back} back, and {asked}, which is asked, has probability {odds:.2f}.",
        explorer="pe-tour",
        given=lambda f: given(tour, n, word),
    )  # fmt: skip


def given(tour: Tour, n: int, word: int) -> dict[str, Any]:
    """Everything that the explorer shows, its numbers in whole thousandths."""
    widths = {one.run["width"]: one for one in tour.decoders}
    return {
        "text": tour.text,
        "trained": tour.decoders[0].run["length"],
        "back": tour.back,
        "lengths": list(LENGTHS),
        "n": n,
        "word": word,
        "positions": {str(width): packed(one.positions) for width, one in widths.items()},
        "slowest": {str(width): round(float(pe.wavelengths(width)[-1])) for width in widths},
        "decoders": {
            named(one): {
                "width": one.run["width"],
                "words": packed(one.words),
                "weights": [packed(row[: i + 1] for i, row in enumerate(layer)) for layer in one.weights],
                "output": packed(one.output),
            }
            for one in tour.decoders
        },
    }


def named(one: Inside) -> str:
    """A decoder in words."""
    width, layers = one.run["width"], one.run["layers"]
    return f"width {width}, {'one layer' if layers == 1 else 'two layers'}"


def shapes(tour: Tour) -> Table:
    """Answers and looks of each decoder over many texts, at the trained length and past it."""
    every = tour.decoders

    def look(layer: int, span: int) -> list[float | None]:
        return [one.looks[layer][span] if layer < len(one.looks) else None for one in every]

    return Table(
        Column("decoder", list(map(named, every))),
        Column("right", [one.right[0] for one in every], "{:.3f}"),
        Column("layer 1", look(0, 0), "{:.2f}"),
        Column("layer 2", look(1, 0), "{:.2f}"),
        Column("right, past training", [one.right[1] for one in every], "{:.2f}"),
        Column("layer 1, past training", look(0, 1), "{:.2f}"),
        Column("layer 2, past training", look(1, 1), "{:.2f}"),
    )
