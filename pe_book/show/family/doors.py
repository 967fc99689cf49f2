"""Figures and tables of the map of the family: the doors, what members need and can do, and how to choose."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from pe_book.evidence.family import doors as verdicts
from pe_book.family.doors import DOORS, NOWHERE, attend
from pe_book.family.members import members
from pe_book.family.members.properties import matrix
from pe_book.show.drawing.diagram import Arrows, Boxes
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Heat
from pe_book.show.drawing.table import Column, Table

COLOURS = dict(zip(DOORS, ("green", "blue", "orange", "purple"), strict=True))
WHERE = (*DOORS, NOWHERE)
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
ENTERS = {"input": "rows", "query and key": "queries, keys", "score": "scores", "values": "values"}
# where the box of each door stands: beside its step, or above it
BESIDE = {door: (0.2, STEPS[step][1]) for door, step in ENTERS.items()} | {"values": (2.9, 0)}


def four_doors() -> Figure:
    """Attention from the words down to the output, with the places where a position can enter."""
    rows: list[tuple[Any, ...]] = [(step, "step", x, y, None, None, None) for step, (x, y) in STEPS.items()]
    for source, targets in PATHS.items():
        for target in targets:
            kind = "values" if "values" in (source, target) else "path"
            rows.append((None, kind, None, None, source, target, None))
    for door in DOORS:
        name = f"{door} door"
        rows.append((name, name, *BESIDE[door], name, ENTERS[door], changes_output(door)))
    columns = ("name", "kind", "x", "y", "from", "to", "changes the output of equal words")
    size = (1.0, 0.66)

    def arrows(kind: str, colour: str, width: float) -> Arrows:
        return Arrows("from", "to", "name", "x", "y", size, {"kind": kind}, colour, width=width)

    return Figure(
        Frame.of_rows(columns, rows),
        Panel(
            arrows("path", "ink", 1.3),
            arrows("values", "green", 2.2),
            *(arrows(f"{door} door", COLOURS[door], 2.2) for door in DOORS),
            *(
                Boxes(step.replace(", ", ",\n"), "x", "y", size, {"name": step}, "ink", tint=0)
                for step in STEPS
            ),
            *(
                Boxes(f"door:\n{door.replace(' and ', ', ')}", "x", "y", size, {"name": f"{door} door"},
                      COLOURS[door])
                for door in DOORS
            ),
            bare=True, down=True, height=290, xlim=(-0.4, 3.5), ylim=(4.38, -0.38),
        ),
        facts=lambda f: {
            "reached": int((f["changes the output of equal words"] == "yes").sum()),
            "doors": sum(f.columns["kind"].count(f"{door} door") for door in DOORS),
        },
        alt="Attention as boxes from the top down: words, rows, then queries and keys, scores and weights on "
        "one path and values on the other; the paths meet in the output. Arrows mark {doors} doors: one at "
        "the rows, one at queries and keys, one at the scores and one at the values. What enters at the rows "
        "or at the values can reach the output without passing the weights: {reached} of the {doors} doors.",
    )  # fmt: skip


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
            title=door if door != "values" else f"values, or {NOWHERE}",
            xticks="key", yticks="query", width=150, height=160,
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
    """What each word gets behind each door, and behind none."""
    found = [attend(contents, door).output for door in WHERE]
    return Table(
        Column("enters at", WHERE),
        *(
            Column(f"position {i}", [_listed(output[i]) for output in found], align="r")
            for i in range(len(contents))
        ),
    )


def moved(by: int, contents: Sequence[Sequence[float]] = EQUAL, exponent: int = -12) -> Table:
    """What happens to the attention table when every position is moved by the same number."""
    n = len(contents)
    here = [attend(contents, door).weights[-1] for door in WHERE]
    there = [attend(contents, door, positions=np.arange(n) + by).weights[-1] for door in WHERE]
    change = [float(np.abs(a - b).max()) for a, b in zip(here, there, strict=True)]
    return Table(
        Column("enters at", WHERE),
        Column(f"positions 0 to {n - 1}", map(_listed, here), align="r"),
        Column(f"positions {by} to {by + n - 1}", map(_listed, there), align="r"),
        Column(
            "largest change", change, lambda c: f"$< 10^{{{exponent}}}$" if c < 10**exponent else f"{c:.3f}"
        ),
    )


def _listed(weights: Sequence[float]) -> str:
    return f",{NO_BREAK}".join(f"{w:.2f}" for w in weights)


NO_BREAK = "\u00a0"
BEYOND = {"goes on": "goes on", "refuses": "**refuses**", "moves": "**moves others**"}
WRITTEN = {True: "yes", False: "no", None: "–"}


def needs() -> Table:
    """What each member of the family needs and costs."""
    of, listed = matrix(), members()
    found = list(of.values())
    return Table(
        Column("member", list(of)),
        Column("learned numbers", [m.parameters for m in found]),
        Column("attention call", [m.call for m in found]),
        Column("numbers for 64 tokens", [_product(m.numbers) for m in found], align="r"),
        Column("for 128", [float(m.growth) for m in found], lambda g: f"× {g:g}" if g else "–"),
        Column("door", [listed[name].place + ", values" * (m.call == "own code") for name, m in of.items()]),
    )


def can() -> Table:
    """What each member does when a text moves, grows or is written: one part of the property matrix."""
    of = matrix()
    found = list(of.values())
    return Table(
        Column("member", list(of)),
        Column("difference only", [WRITTEN[m.difference] for m in found], align="c"),
        Column("one token more", [BEYOND[m.beyond] for m in found]),
        Column("bounded", [WRITTEN[m.bounded] for m in found], align="c"),
        Column("cache", [WRITTEN[m.cache] for m in found], align="c"),
    )


def trained() -> Table:
    """How right decoders are on longer texts, by member: those that the study of longer texts has trained."""
    return Table(
        Column("member", list(verdicts.STUDIED)),
        *(Column(name, [_when_longer(member, task) for member in verdicts.STUDIED], align="r")
          for name, task in (("word five back", "back"), ("first word", "first"))),
    )  # fmt: skip


def _when_longer(member: str, task: str) -> str:
    share = verdicts.right_when_longer(member, task)
    return "not learned" if np.isnan(share) else f"{share:.2f}"


def tells() -> Table:
    """What each member tells apart: the other part of the property matrix, what decides first."""
    of = matrix()
    found = list(of.values())
    return Table(
        Column("member", list(of)),
        Column("repeats", [WRITTEN[m.counts] for m in found], align="c"),
        Column("two sides", [WRITTEN[m.order] for m in found], align="c"),
        Column("no mask", [WRITTEN[m.maskless] for m in found], align="c"),
        Column("ahead ≠ behind", [WRITTEN[m.direction] for m in found], align="c"),
        Column("told apart", [f"{m.distinct[0]:,}/{m.distinct[1]:,}" if m.distinct else "–" for m in found],
               align="r"),
    )  # fmt: skip


def _product(shape: Sequence[int]) -> str:
    return f"{'·'.join(map(str, shape))} ={NO_BREAK}{prod(shape):,}" if prod(shape) else "none"


# what a reader can need, in the words of the page, and what the ground of the choice is
ASKED = {
    "repeats": (
        "equal words are to be counted",
        "**measured**; that position must reach the values is **proved** where weights sum to 1 "
        "({prf:ref}`thm:doors:equal`)",
    ),
    "longer": ("more tokens than in training", "**measured**; how well the others go on is not"),
    "anywhere": ("a text may begin at any position", "**measured**; for rotary proved"),
    "many": (
        "too many tokens for a square array",
        "**measured**; depends on your kernel, which may make the square",
    ),
    "cache": ("keys are kept while a text is written", "**measured**"),
    "two sides": ("before differs from after, without a mask", "**measured**, with $W_Q = W_K$"),
    "no mask": (
        "every word sees all, and where it stands matters",
        "**measured**: equal words get the same weights everywhere",
    ),
    "any distance": (
        "a word may matter however far it is",
        "**measured** that it grows or hides; **opinion** that it hurts",
    ),
}


def choices() -> Table:
    """What each need leaves out, and on what grounds."""
    return Table(
        Column("need", [f"`{need}`: {words}" for need, (words, _) in ASKED.items()]),
        Column("left out", [", ".join(verdicts.left_out(need)) for need in ASKED]),
        Column("grounds", [grounds for _, grounds in ASKED.values()]),
    )


# of the approaches that are often compared: the members that are meant, and what the book would use them for
USES = {
    "counting": (("count",), "none"),
    "dividing by the length": (("count over length",), "shares of a text that is finished"),
    "learned table": (
        ("learned table",),
        "texts that end where the table ends, if many are that long",
    ),
    "sinusoid": (("sinusoid",), "small models, first experiments, places that are not whole numbers"),
    "relative methods": (
        ("rotary", "Shaw", "DeBERTa", "T5", "ALiBi", "KERPLE"),
        "the usual choice; rotary first",
    ),
}


def uses() -> Table:
    """The approaches that notes compare: what was measured, and for what the book would use them."""
    return Table(
        Column("approach", list(USES)),
        Column("measured here", [_measured(*names) for names, _ in USES.values()]),
        Column("good for (opinion)", [use for _, use in USES.values()]),
    )


def _measured(*names: str) -> str:
    found = [matrix()[name] for name in names]
    said = {
        "grows with the text": [m.bounded is False for m in found],
        "one token more moves the others": [m.beyond == "moves" for m in found],
        "refuses one token more": [m.beyond == "refuses" for m in found],
        "weights change when the text moves": [not m.difference for m in found],
        "a square of numbers": [m.square for m in found],
    }
    parts = [f"{words} ({sum(hits)} of {len(hits)})" if len(hits) > 1 else words
             for words, hits in said.items() if any(hits)]  # fmt: skip
    return "; ".join(parts)


def changes_output(door: str) -> bool:
    """Whether words that are all equal get different outputs in different places."""
    found = attend(EQUAL, door).output
    return not np.allclose(found, found[0], atol=1e-12)
