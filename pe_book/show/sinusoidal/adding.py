"""Figures and tables of the chapter on adding a position to a word, and of its side page."""

from typing import Any

import numpy as np

from pe_book.evidence.records.bench import recorded
from pe_book.evidence.sinusoidal.adding import shares_recovered
from pe_book.evidence.sinusoidal.adding_quoted import PRINTED, RECIPES
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Heat, Line
from pe_book.show.drawing.table import Column, Table
from pe_book.sinusoidal.adding import projection_counts, score_terms
from pe_book.sinusoidal.adding.reading import principal_variances
from pe_book.sinusoidal.formula import encode

SENTENCE = ("Nitish", "killed", "lion")
WORDS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
TERMS = ("word · word", "word · position", "position · word", "position · position")
SUM = "their sum"


def terms() -> Figure:
    """The four score tables of three words in two dimensions, and their sum."""
    four = score_terms(WORDS, encode(np.arange(3), 2), np.sqrt(2) * np.eye(2), np.eye(2))
    tables = dict(zip((*TERMS, SUM), (*four, np.sum(four, axis=0)), strict=True))
    rows = [
        (name, SENTENCE[i], SENTENCE[j], np.round(score, 6) + 0.0)
        for name, table in tables.items()
        for (i, j), score in np.ndenumerate(table)
    ]
    heats = {
        name: Heat("key", "query", "score", where={"table": name}, limit="largest", text="{score:.2f}")
        for name in tables
    }
    initials = {float(place): word[0] for place, word in enumerate(SENTENCE)}
    return Figure(
        Frame.of_rows(("table", "query", "key", "score"), rows),
        *(Panel(heats[n], title=n, x="", y="", yticks=initials, width=148, height=132) for n in TERMS),
        Panel(heats[SUM], title=SUM),
        facts=lambda f: (
            {"largest": np.abs(f["score"]).max(), "query": f["query"][0], "key": f["key"][1]}
            | {name: f.where({"table": name})["score"][1] for name in tables}
        ),
        alt="Four tables of scores, a row for each query, a column for each key, add up to a fifth. Query "
        "{query}, key {key}: "
        + " + ".join(f"{{{name}:.2f}}" for name in TERMS)
        + f" = {{{SUM}:.2f}}. The first and the last of the four are symmetric, the other two are not.",
    )


def counterexample_table() -> Table:
    """The printed example of a collision, added up."""
    (x, row), (y, row2) = np.array(PRINTED)
    given = {"word": x, "encoding": row, "word'": y, "encoding'": row2}
    shown = [Column(header, values, "{:.2f}") for header, values in given.items()]
    differs = ~np.isclose(x + row, y + row2)
    sums = Column("sum", x + row, "{:.2f}"), Column("sum'", y + row2, "{:.2f}", strong=differs)
    return Table(Column("entry", range(3)), *shown[:2], sums[0], *shown[2:], sums[1])


def parameters_table(d_model: int) -> Table:
    """Weights of W_Q, W_K and W_V in one layer, by how the place gets in."""
    full, one = projection_counts(d_model), projection_counts(d_model, 1)
    rows = (
        ("added", d_model, full.added),
        ("one number appended, for these only", d_model + 1, one.appended),
        ("row appended, a matrix back to the width", 2 * d_model, full.projected_back),
        ("row appended, for these only", 2 * d_model, full.appended),
        ("row appended, every layer widened", 2 * d_model, full.widened),
    )
    with_factor = [(way, width, weights, weights / full.added) for way, width, weights in rows]
    header = ("the position is", "width of the row", "weights", "factor")
    return Table.of_rows(header, with_factor, (None, None, None, "{:.4g}"))


def recorded_times() -> Table:
    """The sum or the longer row, with the first projection behind it: recorded, not measured in the build."""
    keys = ("batch", "seq_len", "d_model", "add_ms", "concat_over_add", "widened_over_add")
    header = ("batch", "tokens", "width", "added (ms)", "appended, ratio", "widened, ratio")
    rows = [[row[key] for key in keys] for row in recorded("adding")["rows"]]
    return Table.of_rows(header, rows, (None, None, None, "{:.3g}", "{:.2f}", "{:.2f}"))


def recipes_table() -> Table:
    """The recipes, the two lengths that follow, and their ratio."""
    factors = {True: r"$\sqrt{d}$", False: "none"}
    rows = [
        (r.name, r.table, factors[bool(r.scale)], r.loudness.word, r.loudness.place, r.loudness.ratio)
        for r in RECIPES
    ]
    header = ("code", "word starts at", "factor", "word", "row", "ratio")
    return Table.of_rows(header, rows, (None, None, None, "{:.3g}", "{:.3g}", "{:.2f}"))


def directions(d_model: int = 512, n: int = 50, many: int = 2048, first: int = 20) -> Figure:
    """How much n rows vary in each direction, beside two words; and what is recovered over the word."""
    size, share = "standard deviation of a word's entry", "share recovered"
    variances = np.round(principal_variances(encode(np.arange(n), d_model)), 6)
    root = round(d_model**0.5, 4)
    stds = np.unique(np.round([*np.logspace(-2, 2, 41), root], 4))
    rows: list[tuple[Any, ...]] = [(n, i + 1, variances[i], None, None) for i in range(first)]
    for count in (n, many):
        found = np.round(shares_recovered(encode(np.arange(count), d_model), stds), 6)
        rows += [(count, None, None, *pair) for pair in zip(stds, found, strict=True)]
    names = ("positions", "direction", "variance", size, share)
    settings = {"d_model": d_model, "n": n, "many": many, "first": first, "plain": 1}
    return Figure(
        Frame.of_rows(names, rows, **settings),
        Panel(
            Line("direction", "variance", where={"positions": n, "direction": ...}, label="{n} positions",
                 colour="orange", dots=True, near=17),
            Guide(y="plain", label="a word of variance {plain}", colour="blue"),
            Guide(y="d_model", label="a word of variance {d_model}", colour="blue", dash=""),
            title="Variance in each direction", log="y", xticks=(1, 5, 10, 15, 20), ylim=(3e-4, 2000),
        ),
        Panel(
            *(
                Line(size, share, where={"positions": settings[which], share: ...},
                     label=f"{{{which}}} positions", colour=colour, near=near)
                for which, colour, near in (("n", "orange", 9), ("many", "purple", 0.2))
            ),
            Guide(x="plain", colour="blue"), Guide(x="root", colour="blue", dash=""),
            title="Recovered by a regression", log="x",
        ),
        facts=lambda f: {
            "root": root,
            "first variance": f["variance"][0],
            "last": f.where("variance")["variance"][-1],
            "above": int((f.where("variance")["variance"] > 1).sum()),
            "kept": f.where({"positions": n, size: 1.0})[share][0],
            "drowned": f.where({"positions": n, size: root})[share][0],
        },
        alt="The variance of the rows of {n} positions along their main directions falls from "
        "{first variance:.1f} to {last:.2g} over {first} directions; {above} lie above {plain}, none above "
        "{d_model}. The share of their variance that a regression recovers falls with the size of the words, "
        "from {kept:.2f} at entries of size {plain} to {drowned:.3f} at {root:.1f}.",
    )  # fmt: skip
