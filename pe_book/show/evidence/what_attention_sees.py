"""Figures and tables of the chapter on trained heads."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Heat, Line, Points
from pe_book.show.drawing.table import Column, Table
from pe_book.show.evidence.length_study import study

MAPPED = ("none", "sinusoidal", "learned", "T5", "ALiBi", "rotary")
SEEN = {"sinusoidal": "blue", "learned": "orange", "rotary": "green", "T5": "purple"}
N, NEAR, BACK = 32, 16, 5  # words of a text; offsets that are compared; words back that are asked


def maps(names: tuple[str, ...] = MAPPED) -> Figure:
    """The mean attention of each member over many texts, before training and after it."""
    heads = study("heads")
    query, key = np.divmod(np.arange(N * N), N)
    columns = {
        f"{name}, {when}": np.round(of(name), 3).ravel()
        for name in names
        for when, of in (("before", heads.untrained_weights), ("after", heads.trained_weights))
    }
    return Figure(
        Frame({"query": query, "key": key, **columns}, n=N, texts=heads.TEXTS),
        *(
            Panel(Heat("key", "query", column, signed=False, limit=1.0), title=column,
                  xticks=[0, N - 1], yticks=[0, N - 1], width=150, height=176)
            for column in columns
        ),
        facts=lambda f: {"last": "; ".join(
            f"{name} {f[f'{name}, after'][f['key'] == f['query'] - BACK].mean():.2f}" for name in names)},
        alt="Attention of one head on {n} words, a map before training and one after it for each member, "
            "averaged over {texts} texts. Mean weight of the word asked for, after training: {last}.",
    )  # fmt: skip


def by_offset(names: Mapping[str, str] = SEEN, every: int = 2) -> Figure:
    """Scores over the offset, a dot for each query, at the end of the trained length and of twice it."""
    rows = []
    heads = study("heads")
    for name in names:
        for kind, times in (("inside", 1), ("beyond", 2)):
            first = times * N - NEAR
            table = heads.near(heads.scores(name, times), first, times * N)
            rows += [
                (name, kind, first + place, offset + 1, round(float(table[place, offset]), 3))
                for place in range(0, NEAR, every)
                for offset in range(NEAR)
            ]
    columns = ("member", "where", "query", "words back", "score, less its mean")

    def panel(name: str) -> Panel:
        marks = (
            Points("words back", "score, less its mean", {"member": name, "where": kind}, label=kind,
                   colour=colour, size=size, hollow=hollow)
            for kind, colour, size, hollow in (("beyond", "orange", 6, True), ("inside", "blue", 3, False))
        )  # fmt: skip
        return Panel(Guide(x=BACK), *marks, title=name, y="score", width=296, height=190)

    return Figure(
        Frame.of_rows(columns, rows, n=N),
        *map(panel, names),
        facts=lambda f: {"explained": "; ".join(
            f"{name} {heads.explained(heads.scores(name), N - NEAR, N):.2f} and "
            f"{heads.explained(heads.scores(name, 2), 2 * N - NEAR, 2 * N):.2f}" for name in names)},
        alt="Scores of one head over the offset, a dot a query, within the {n} trained words and beyond "
            "them. The share that the offset explains, inside and beyond: {explained}.",
    )  # fmt: skip


def where_it_goes(name: str = "sinusoidal") -> Figure:
    """The mean weight by distance, of the last queries at the trained length and at twice it."""
    rows = []
    for kind, times in (("trained length", 1), ("twice", 2)):
        weights = study("heads").trained_weights(name, times)
        last = range(times * N - NEAR, times * N)
        far = [np.mean([weights[i, i - back] for i in last if i >= back]) for back in range(times * N)]
        rows += [(kind, back, round(float(one), 4)) for back, one in enumerate(far)]
    return Figure(
        Frame.of_rows(("text", "words back", "mean weight"), rows, n=N, name=name, asked=BACK),
        Panel(
            Line("words back", "mean weight", {"text": "trained length"}, label="trained length"),
            Line("words back", "mean weight", {"text": "twice"}, label="twice", colour="orange"),
            y="mean weight", height=230,
        ),
        facts=lambda f: {
            kind: f.where({"text": text, "words back": BACK})["mean weight"][0]
            for kind, text in (("near", "trained length"), ("far", "twice"))
        },
        alt="Mean weight over the distance, {name}. The word {asked} back gets {near:.2f} at the "
            "trained length of {n}, and {far:.2f} in a text of twice that length.",
    )  # fmt: skip


def measured(
    names: tuple[str, ...] = ("sinusoidal", "learned", "Shaw", "T5", "rotary", "ALiBi", "none"),
) -> Table:
    """For each member: the weight of the word asked for and what the offset explains, inside and beyond."""
    heads = study("heads")
    ends = {"inside": 1, "beyond": 2}

    def columns(what: str, of: Callable[[str, int, int, int], float]) -> list[Column]:
        return [
            Column(f"{what} {where}", [of(name, t, t * N - NEAR, t * N) for name in names], "{:.2f}")
            for where, t in ends.items()
        ]

    return Table(
        Column("member", names),
        *columns("weight", lambda name, t, *r: heads.on_target(heads.trained_weights(name, t), *r)),
        *columns("explained", lambda name, t, *r: heads.explained(heads.scores(name, t), *r)),
    )
