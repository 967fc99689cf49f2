"""Figures and tables of the chapter on adding a place to a word."""

from typing import Any

import numpy as np

from pe_book.evidence.records.bench import recorded
from pe_book.evidence.sinusoidal.adding import shares_recovered
from pe_book.evidence.sinusoidal.adding_quoted import PRINTED, RECIPES
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Heat, Line, Points
from pe_book.show.drawing.table import Column, Table
from pe_book.sinusoidal.adding import projection_counts, score_terms
from pe_book.sinusoidal.adding.reading import principal_variances, recovered_place
from pe_book.sinusoidal.formula import encode

SENTENCE = ("Nitish", "killed", "lion")
WORDS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
TERMS = ("word · word", "word · place", "place · word", "place · place")
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
    (x, p), (y, q) = np.array(PRINTED)
    sums = Column("sum", x + p, "{:.2f}"), Column("sum'", y + q, "{:.2f}", strong=~np.isclose(x + p, y + q))
    terms = {"word": x, "place": p, "word'": y, "place'": q}
    shown = [Column(header, values, "{:.2f}") for header, values in terms.items()]
    return Table(Column("entry", range(3)), *sums, *shown)


def parameters_table(d_model: int) -> Table:
    """Weights of W_Q, W_K and W_V in one layer, by how the place gets in."""
    full, one = projection_counts(d_model), projection_counts(d_model, 1)
    rows = (
        ("added", full.added, d_model),
        ("one number appended, for these only", one.appended, d_model + 1),
        ("row appended, then a matrix back", full.projected_back, 2 * d_model),
        ("row appended, for these only", full.appended, 2 * d_model),
        ("row appended, every layer widened", full.widened, 2 * d_model),
    )
    rows_with_factor = [(way, weights / full.added, weights, width) for way, weights, width in rows]
    header = ("the place is", "factor", "weights", "width of the row")
    return Table.of_rows(header, rows_with_factor, (None, "{:.4g}", None, None))


def recorded_times() -> Table:
    """The sum or the longer row, with the first projection behind it: recorded, not measured in the build."""
    keys = ("batch", "seq_len", "d_model", "concat_over_add", "widened_over_add", "add_ms")
    header = ("batch", "tokens", "width", "appended, ratio", "widened, ratio", "added (ms)")
    rows = [[row[key] for key in keys] for row in recorded("adding")["rows"]]
    return Table.of_rows(header, rows, (None, None, None, "{:.2f}", "{:.2f}", "{:.3g}"))


def recipes_table(n: int = 50) -> Table:
    """The recipes, the two norms, and what a linear reader hears of the first n places."""
    rows = []
    for r in RECIPES:
        share = None if r.place_std else recovered_place(encode(range(n), r.d_model), r.added_std)
        factor = r"$\sqrt{d}$" if r.scale else "none"
        rows.append((r.name, r.loudness.ratio, share, r.loudness.word, r.loudness.place, r.table, factor))
    header = ("code", "ratio", f"heard of {n} places", "word", "place", "word table starts at", "factor")
    return Table.of_rows(header, rows, (None, "{:.2f}", "{:.2%}", "{:.3g}", "{:.3g}", None, None))


def balance() -> Figure:
    """Word and place of every recipe on one scale."""
    rows: list[tuple[Any, ...]] = []
    for r in RECIPES:
        word, place, _ = r.loudness
        rows += [(r.name, word, word, None), (r.name, place, None, place)]

    def sentence(f: Frame) -> dict[str, str]:
        pairs = zip(f.where("word").rows(), f.where("place").rows(), strict=True)
        return {"all": "; ".join(f"{w['code']} {w['word']:.3g} beside {p['place']:.3g}" for w, p in pairs)}

    return Figure(
        Frame.of_rows(("code", "either", "word", "place"), rows),
        Panel(
            *(Line("either", "code", where={"code": r.name}, colour="muted", width=1.2) for r in RECIPES),
            Points("word", "code", where="word", label="word", size=9, near=3000),
            Points("place", "code", where="place", label="place", colour="orange", marker="D"),
            log="x", x="root-mean-square norm", y="", height=440,
        ),
        facts=sentence,
        alt="Word and place before the first training step, as norms on a logarithmic scale: {all}.",
    )  # fmt: skip


def directions(d_model: int = 512, n: int = 50, many: int = 2048, first: int = 20) -> Figure:
    """How much n places vary in each direction, beside two words; and what is heard over the word."""
    size, share = "standard deviation of a word's entry", "share of the places heard"
    variances = np.round(principal_variances(encode(np.arange(n), d_model)), 6)
    root = round(d_model**0.5, 4)
    stds = np.unique(np.round([*np.logspace(-2, 2, 41), root], 4))
    rows: list[tuple[Any, ...]] = [(n, i + 1, variances[i], None, None) for i in range(first)]
    for count in (n, many):
        found = np.round(shares_recovered(encode(np.arange(count), d_model), stds), 6)
        rows += [(count, None, None, *pair) for pair in zip(stds, found, strict=True)]
    names = ("places", "direction", "variance", size, share)
    settings = {"d_model": d_model, "n": n, "many": many, "first": first, "plain": 1}
    return Figure(
        Frame.of_rows(names, rows, **settings),
        Panel(
            Line("direction", "variance", where={"places": n, "direction": ...}, label="{n} places",
                 colour="orange", dots=True, near=17),
            Guide(y="plain", label="a word of variance {plain}", colour="blue"),
            Guide(y="d_model", label="a word of variance {d_model}", colour="blue", dash=""),
            title="How loud in each direction", log="y", xticks=(1, 5, 10, 15, 20), ylim=(3e-4, 2000),
        ),
        Panel(
            *(
                Line(size, share, where={"places": settings[which], share: ...}, label=f"{{{which}}} places",
                     colour=colour, near=near)
                for which, colour, near in (("n", "orange", 9), ("many", "purple", 0.2))
            ),
            Guide(x="plain", colour="blue"), Guide(x="root", colour="blue", dash=""),
            title="What a linear reader hears", log="x",
        ),
        facts=lambda f: {
            "root": root,
            "loudest": f["variance"][0],
            "last": f.where("variance")["variance"][-1],
            "louder": int((f.where("variance")["variance"] > 1).sum()),
            "heard": f.where({"places": n, size: 1.0})[share][0],
            "drowned": f.where({"places": n, size: root})[share][0],
        },
        alt="The variance of {n} places along their main directions falls from {loudest:.1f} to {last:.2g} "
        "over {first} directions; {louder} lie above {plain}, none above {d_model}. The share of the places "
        "that a linear reader hears falls with the size of the words, from {heard:.2f} at entries of size "
        "{plain} to {drowned:.3f} at {root:.1f}.",
    )  # fmt: skip
