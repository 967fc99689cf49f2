"""Figures and tables of the chapter on the learned table."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pe_book.family.learned import ALIGN, BEYOND, lookup, resize
from pe_book.family.learned.counting import bert_tensors, count, gpt2_tensors
from pe_book.family.learned.measures import cosines
from pe_book.show.drawing.diagram import Boxes, Words
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Heat, Line, Points, Span
from pe_book.show.drawing.table import Column, Table

Array = NDArray[np.float64]
BY_HAND = (0.0, 1.0, 4.0, 9.0)


def rules(rows: int = 5, length: int = 8, most: int = 12) -> Figure:
    """A table of a few rows, a text that is longer, and which row each position reads by each of four rules.

    With script a reader sets the rule and the length, up to `most` words.
    """
    # row p is the number p: what comes back says where from
    old = np.arange(rows, dtype=float)[:, np.newaxis]
    cells = []
    for rule in BEYOND:
        known = length if rule != "refuse" else rows
        found = lookup(old, np.arange(known), beyond=rule).ravel()
        for p in range(length):
            row = round(float(found[p]), 6) if p < known else None
            kind = "none" if row is None else "its own" if row == p else "another"
            cells.append((rule, p, row, "×" if row is None else f"{row:.1f}".removesuffix(".0"), kind))
    columns = ("rule", "position", "row of the table", "shown", "kind")
    looks = {"its own": "blue", "another": "orange", "none": "red"}
    return Figure(
        Frame.of_rows(columns, cells, rows=rows, length=length, most=most),
        Panel(
            *(Boxes("{shown}", "position", "rule", (0.86, 0.5), {"kind": k}, c) for k, c in looks.items()),
            Words("{rule}", "position", "rule", {"position": 0}, (-0.43, -0.46), align="left"),
            Guide(x="edge", colour="red"),
            y="", height=260, xticks="position", yticks=(), ylim=(3.4, -0.75),
        ),
        facts=lambda f: {
            "edge": f.settings["rows"] - 0.5,
            "last": f["position"].max().astype(int),
            "past": "; ".join(
                f"{rule} "
                + ", ".join(f.where({"rule": rule})["shown"][rows:])
                for rule in dict.fromkeys(f["rule"])
            ),
            "second": f.where({"rule": "interpolate", "position": 1})["row of the table"][0],
        },
        explorer="pe-past", given=lambda f: {**f.settings, "rule": "clamp"},
        alt="Strips of {length} positions over a table of {rows} rows, one for each rule. Which row "
        "positions {rows} to {last} get, × for none: {past}. Interpolate also moves the second position, to "
        "row {second:.2f}.",
    )  # fmt: skip


def by_hand(seq_len: int = 8) -> Figure:
    """Where the new rows are taken from the old ones, in both ways."""
    n = len(BY_HAND)
    columns = ("series", "new row", "place in the old table", "value")
    rows = [("old rows", None, float(p), value) for p, value in enumerate(BY_HAND)]
    for align, name in zip(ALIGN, ("ends aligned", "half-pixel centres"), strict=True):
        place = resize(np.arange(n, dtype=float)[:, np.newaxis], seq_len, align=align).ravel()
        value = resize(np.array(BY_HAND)[:, np.newaxis], seq_len, align=align).ravel()
        rows += [(name, i, *np.round((place[i], value[i]), 6)) for i in range(seq_len)]

    def panel(name: str, colour: str) -> Panel:
        x, y = "place in the old table", "value"
        return Panel(
            Line(x, y, {"series": "old rows"}, colour="muted", width=1.2),
            Points(x, y, {"series": "old rows"}, colour="muted", size=8, hollow=True),
            Points(x, y, {"series": name}, text="{new row}", colour=colour, size=5.5),
            title=name, xticks=range(n), xlim=(-0.25, n - 0.75), ylim=(-0.9, 10.5), height=220,
        )  # fmt: skip

    return Figure(
        Frame.of_rows(columns, rows),
        panel("ends aligned", "blue"),
        panel("half-pixel centres", "orange"),
        facts=lambda f: {
            "old": ", ".join(f"{v:g}" for v in f.where({"series": "old rows"})["value"]),
            "new": len(set(f.where("new row")["new row"])),
            "ends": ", ".join(f"{v:.2f}" for v in f.where({"series": "ends aligned"})["value"]),
            "centres": ", ".join(f"{v:.2f}" for v in f.where({"series": "half-pixel centres"})["value"]),
        },
        alt="The values {old} at their places, joined by lines, and the {new} new rows on these lines: with "
        "ends aligned evenly spread, values {ends}; with half-pixel centres the outer two on the ends, "
        "values {centres}.",
    )


def by_hand_table(seq_len: int = 8) -> Table:
    """The same numbers, as one writes them down."""
    old, index = np.array(BY_HAND)[:, np.newaxis], np.arange(len(BY_HAND), dtype=float)[:, np.newaxis]
    return Table(
        Column("new row", range(seq_len)),
        *(
            Column(f"{name}: {what}", resize(weight, seq_len, align=align).ravel(), "{:.2f}")
            for align, name in zip(ALIGN, ("ends", "half-pixels"), strict=True)
            for what, weight in (("place", index), ("value", old))
        ),
    )


def shares_table() -> Table:
    """How much of two published models their tables of positions are."""
    models = (
        ("BERT-base", bert_tensors(), "embeddings.positions"),
        ("GPT-2 small", gpt2_tensors(), "wpe"),
    )
    total = [count(shapes) for _, shapes, _ in models]
    own = [int(np.prod(shapes[positions])) for _, shapes, positions in models]
    return Table(
        Column("model", [name for name, *_ in models]),
        Column("rows × width", ["{} × {}".format(*shapes[p]) for _, shapes, p in models], align="r"),
        Column("parameters", own),
        Column("total (million)", [number / 10**6 for number in total], "{:.1f}"),
        Column("share", [100 * a / b for a, b in zip(own, total, strict=True)], "{:.2f}\u00a0%"),
    )


def losses(runs: Mapping[str, Array]) -> Figure:
    """The loss of several trainings over their steps; runs that coincide are drawn dashed over each other."""
    steps = len(next(iter(runs.values())))
    kept = range(0, steps, 4)
    frame = Frame(
        {"step": kept, **{name: np.round(loss[kept], 4) for name, loss in runs.items()}}, steps=steps
    )
    looks = {  # colour, width, dash, and where along the steps a name has room
        "learned": ("blue", 4.2, "", 0.9),
        "learned, shuffled": ("ink", 1.4, "dashed", 0.95),
        "sinusoid": ("orange", 1.8, "", 0.54),
        "sinusoid, shuffled": ("red", 1.8, "", 0.95),
        "long, fixed": ("green", 1.8, "dashed", 0.17),
        "long, trained": ("purple", 1.8, "", 0.08),
    }
    return Figure(
        frame,
        Panel(
            *(Line("step", name, label=name, colour=colour, width=width, dash=dash, near=near * steps)
              for name in runs for colour, width, dash, near in [looks[name]]),
            y="loss", height=290, xlim=(-0.02 * steps, 1.25 * steps), ylim=(-0.35, 3.6),
        ),
        facts=lambda f: {
            "curves": len(f.columns) - 1,
            "ends": "; ".join(f"{name} {f[name][-3:].mean():.2f}" for name in list(f.columns)[1:]),
        },
        alt="Loss over {steps} steps, {curves} curves. At the end: {ends}.",
    )  # fmt: skip


def past_the_end(shares: Mapping[str, Array], trained: int, twice: Array | None = None) -> Figure:
    """At each position, how often the right word is named; the trained positions are shaded.

    `twice` is drawn into the panel "interpolate": how often the word twice as far back is named.
    """
    second = "interpolate: twice as far back"
    series = dict(shares) if twice is None else {**shares, second: twice}
    length = len(next(iter(shares.values())))
    columns = {name: [None if np.isnan(v) else round(float(v), 3) for v in of] for name, of in series.items()}
    frame = Frame({"position": range(length), **columns}, trained=trained, edge=trained - 1)

    def panel(name: str) -> Panel:
        marks: list[Span | Line] = [Span(0, "edge"), Line("position", name)]
        if name == "interpolate" and second in series:
            marks.append(Line("position", second, colour="orange", width=1.2))
        return Panel(*marks, title=name, y="share right", ylim=(-0.05, 1.08), yticks=[0, 0.5, 1],
                     xticks=[0, trained, 2 * trained], width=296, height=146)  # fmt: skip

    return Figure(
        frame,
        *map(panel, shares),
        facts=lambda f: {
            "panels": len(shares),
            "means": "; ".join(
                f"{name} {np.nanmean(f[name][:trained]):.2f} and {f[name][trained:].mean():.2f}"
                for name in shares
            ),
            "twice": "" if twice is None else f"{np.nanmean(f[second]):.2f}",
        },
        alt="Share of right answers over the position, {panels} panels, the {trained} trained positions "
        "shaded. Mean inside and past the end: {means}."
        + ("" if twice is None else " Under interpolate the share of the word twice as far back is {twice}."),
    )


def similarities(tables: Mapping[str, Array]) -> Figure:
    """The cosine of every two rows of several tables."""
    maps = {name: np.round(cosines(table), 3) + 0.0 for name, table in tables.items()}
    n = len(next(iter(maps.values())))
    row, other = np.divmod(np.arange(n * n), n)
    columns = {f"cosine, {name}": values.ravel() for name, values in maps.items()}
    frame = Frame({"row": row, "other row": other, **columns}, n=n)
    return Figure(
        frame,
        *(
            Panel(
                Heat("other row", "row", column, limit=1.0, scale=True),
                title=name, xticks=[0, n - 1], yticks=[0, n - 1], width=150, height=228,
            )
            for name, column in zip(maps, columns, strict=True)
        ),
        facts=lambda f: {
            "maps": len(maps),
            "near": "; ".join(
                f"{name} {f[column][f['other row'] == f['row'] + 1].mean():.2f}"
                for name, column in zip(maps, columns, strict=True)
            ),
        },
        alt="{maps} heat maps: cosine of every two of {n} rows. Mean cosine of neighbouring rows: {near}.",
    )  # fmt: skip
