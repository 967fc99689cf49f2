"""Figures and tables of the opening page of Part III: the doors, and the approaches compared."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from pe_book.family.doors import DOORS, attend
from pe_book.family.doors.comparison import CLIP, LENGTH, approaches, measure
from pe_book.show.drawing.diagram import Arrows, Boxes
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Heat
from pe_book.show.drawing.table import Column, Table

COLOURS = dict(zip(DOORS, ("green", "blue", "orange", "muted"), strict=True))
EQUAL = ((1, 0),) * 3
# where each step of the layer stands in the diagram, the way to the output on the right
STEPS = {
    "words": (1.5, 0), "rows": (1.5, 1), "queries, keys": (1.5, 2), "scores": (1.5, 3), "weights": (1.5, 4),
    "values": (2.9, 1), "output": (2.9, 4),
}  # fmt: skip
PATHS = {
    "words": ("rows",), "rows": ("queries, keys", "values"), "queries, keys": ("scores",),
    "scores": ("weights",), "weights": ("output",), "values": ("output",),
}  # fmt: skip
ENTERS = {"input": "rows", "query and key": "queries, keys", "score": "scores"}


def four_doors() -> Figure:
    """Attention from the words down to the output, with the places where a position can enter."""
    rows: list[tuple[Any, ...]] = [(step, "step", x, y, None, None, None) for step, (x, y) in STEPS.items()]
    for source, targets in PATHS.items():
        for target in targets:
            kind = "values" if "values" in (source, target) else "path"
            rows.append((None, kind, None, None, source, target, None))
    for door in DOORS:
        y = STEPS[ENTERS[door]][1] if door in ENTERS else 4
        enters = (door, ENTERS[door]) if door in ENTERS else (None, None)
        rows.append((door, f"{door} door", 0.2, y, *enters, changes_output(door)))
    columns = ("name", "kind", "x", "y", "from", "to", "changes the output of equal words")
    size = (1.0, 0.66)

    def arrows(kind: str, colour: str, width: float) -> Arrows:
        return Arrows("from", "to", "name", "x", "y", size, {"kind": kind}, colour, width=width)

    return Figure(
        Frame.of_rows(columns, rows),
        Panel(
            arrows("path", "ink", 1.3),
            arrows("values", "green", 2.2),
            *(arrows(f"{door} door", COLOURS[door], 2.2) for door in ENTERS),
            *(Boxes(_two_lines(step), "x", "y", size, {"name": step}, "ink", tint=0) for step in STEPS),
            *(Boxes(_two_lines(door), "x", "y", size, {"name": door}, COLOURS[door]) for door in DOORS),
            bare=True, down=True, height=290, xlim=(-0.4, 3.5), ylim=(4.38, -0.38),
        ),
        facts=lambda f: {
            "reached": int((f["changes the output of equal words"] == "yes").sum()),
            "doors": sum(f.columns["kind"].count(f"{door} door") for door in DOORS),
        },
        alt="Attention as boxes from the top down: words, rows, then queries and keys, scores and weights on "
        "one way and values on the other, which meet in the output. Arrows from the side mark doors: the "
        "input "
        "door at the rows, a door at queries and keys, a door at the scores; nowhere has no arrow. Only what "
        "enters at the input reaches the values: {reached} door of {doors}.",
    )  # fmt: skip


def _two_lines(name: str) -> str:
    return name.replace(", ", ",\n").replace(" and", "\nand")


def tables(contents: Sequence[Sequence[float]] = EQUAL) -> Figure:
    """The attention table of the same words behind each door."""
    rows = []
    for door in DOORS:
        weights = attend(contents, door).weights
        rows += [(door, i, j, weights[i, j]) for i in range(len(weights)) for j in range(i + 1)]
    words = len(contents)
    maps = (
        Panel(
            Heat("key", "query", "weight", {"door": door}, signed=False, limit=1.0, text="{weight:.2f}"),
            title=door, xticks="key", yticks="query", width=150, height=160,
        )
        for door in DOORS
    )  # fmt: skip
    return Figure(
        Frame.of_rows(("door", "query", "key", "weight"), rows, words=words),
        *maps,
        facts=lambda f: {
            "tables": len(set(f["door"])),
            "last": "; ".join(
                f"{door} "
                + ", ".join(f"{w:.3f}" for w in f.where({"door": door, "query": words - 1})["weight"])
                for door in DOORS
            ),
        },
        alt="{tables} attention tables of {words} equal words, lower triangles whose rows sum to one. "
        "Last rows: {last}.",
    )


def outputs(contents: Sequence[Sequence[float]] = EQUAL) -> Table:
    """What each word gets behind each door."""
    found = [attend(contents, door).output for door in DOORS]
    return Table(
        Column("door", DOORS),
        *(
            Column(
                f"position {i}",
                [f"({a:.3f}, {b:.3f})" for a, b in (output[i] for output in found)],
                align="r",
            )
            for i in range(len(contents))
        ),
    )


def moved(by: int, contents: Sequence[Sequence[float]] = EQUAL, exponent: int = -12) -> Table:
    """What happens to the attention table when every position is moved by the same number."""
    n = len(contents)
    here = [attend(contents, door).weights[-1] for door in DOORS]
    there = [attend(contents, door, positions=np.arange(n) + by).weights[-1] for door in DOORS]
    change = [float(np.abs(a - b).max()) for a, b in zip(here, there, strict=True)]
    return Table(
        Column("door", DOORS),
        Column(
            "largest change", change, lambda c: f"$< 10^{{{exponent}}}$" if c < 10**exponent else f"{c:.3f}"
        ),
        Column(f"positions 0 to {n - 1}", map(_listed, here), align="r"),
        Column(f"positions {by} to {by + n - 1}", map(_listed, there), align="r"),
    )


def _listed(weights: Sequence[float]) -> str:
    return "(" + ", ".join(f"{w:.3f}" for w in weights) + ")"


NAMES = {
    "count": "counting",
    "clipped vectors": "relative, clipped vectors",
    "slope": "relative, slope $-m|k|$",
    "rotation": "relative, rotation",
}
NO_BREAK = "\u00a0"
BEYOND = {"goes on": "goes on", "refuses": "**refuses**", "moves": "**moves others**"}


def compared() -> Table:
    """The approaches of the notes, the last of the five as the three that came of it, measured."""
    found = {name: measure(approach) for name, approach in approaches().items()}
    of = list(found.values())
    return Table(
        Column("approach", [NAMES.get(name, name) for name in found]),
        Column("learned numbers", [m.parameters for m in of]),
        Column(f"at token {LENGTH + 1}", [BEYOND[m.beyond] for m in of]),
        Column("told apart", [f"{m.distinct:,}/{m.total:,}" for m in of], align="r"),
        Column("ahead ≠ behind", [m.direction for m in of], align="c"),
        Column(
            "numbers for 64",
            [f"{'·'.join(map(str, m.numbers))} ={NO_BREAK}{prod(m.numbers):,}" for m in of],
            align="r",
        ),
        Column("for 128", [float(m.growth) for m in of], "× {:g}"),
    )


def clipped_rows() -> int:
    """How many vectors of offsets are stored."""
    return 2 * CLIP + 1


def changes_output(door: str) -> bool:
    """Whether words that are all equal get different outputs in different places."""
    found = attend(EQUAL, door).output
    return not np.allclose(found, found[0], atol=1e-12)
