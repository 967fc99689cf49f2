"""Figures and tables of the chapter on the learned table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from pe_book.family.learned import ALIGN, BEYOND, lookup, resize
from pe_book.family.learned_measures import cosines
from pe_book.family.learned_parameters import bert_tensors, count, gpt2_tensors
from pe_book.show.figure import DIVERGING, PALETTE, SEQUENTIAL, Figure, canvas
from pe_book.show.table import Table

Array = NDArray[np.float64]
BY_HAND = (0.0, 1.0, 4.0, 9.0)


def roads(rows: int = 8, length: int = 11) -> Figure:
    """A table of a few rows, a text that is longer, and what each of the four rules puts past the edge."""
    old = np.arange(rows, dtype=float)[
        :, np.newaxis
    ]  # row p is the number p: what comes back says where from
    fig, ax = canvas(2.9)
    places: list[list[float | None]] = []
    for line, rule in enumerate(BEYOND):
        known = length if rule != "refuse" else rows
        found = lookup(old, np.arange(known), beyond=rule).ravel()
        places.append([*map(float, found), *[None] * (length - known)])
        for p, place in enumerate(places[-1]):
            shade = PALETTE.paper if place is None else SEQUENTIAL(0.12 + 0.7 * place / (rows - 1))
            edge = PALETTE.red if place is None else PALETTE.grid
            ax.add_patch(_square(p, line, shade, edge))
            text = "×" if place is None else f"{place:.0f}" if place == int(place) else f"{place:.1f}"
            dark = place is not None and place > 0.5 * rows
            # the squares keep their colours in the dark, so the figures in them do, too
            ink = PALETTE.red if place is None else "#fbfbfa" if dark else "#1b2430"
            ax.text(p, line, text, ha="center", va="center", fontsize=10, color=ink)
        ax.text(-0.8, line, rule, ha="right", va="center")
    ax.plot([rows - 0.5] * 2, [-0.65, len(BEYOND) - 0.35], color=PALETTE.red, linewidth=1.6)
    ax.text(rows - 0.62, -0.95, f"the table has {rows} rows", ha="right", va="center", color=PALETTE.muted)
    ax.text(rows - 0.38, -0.95, "and ends", ha="left", va="center", color=PALETTE.red)
    ax.set(xlim=(-3.2, length - 0.4), ylim=(len(BEYOND) - 0.3, -1.3))
    ax.set_aspect("equal")
    ax.set_axis_off()
    past = "; ".join(f"{rule} {_list(line[rows:])}" for rule, line in zip(BEYOND, places, strict=True))
    alt = (
        f"Four strips of {length} positions over a table of {rows} rows. Which row positions {rows} to "
        f"{length - 1} get: {past}. Interpolate also moves position 1, to row {places[2][1]:.1f}."
    )
    table = [(p, *(line[p] for line in places)) for p in range(length)]
    return Figure.of(fig, alt=alt, columns=("position", *BEYOND), rows=table)


def by_hand(seq_len: int = 8) -> Figure:
    """Where the new rows are taken from the old ones, in both ways."""
    old = np.array(BY_HAND)
    n = len(old)
    fig, ax = canvas(2.9)
    ax.plot(np.arange(n), old, color=PALETTE.grid, linewidth=1.6)
    ax.scatter(np.arange(n), old, s=46, color=PALETTE.muted, zorder=3)
    rows = []
    found: dict[str, tuple[Array, Array]] = {}
    for align, colour, marker in zip(ALIGN, (PALETTE.blue, PALETTE.orange), ("o", "s"), strict=True):
        place = resize(np.arange(n, dtype=float)[:, np.newaxis], seq_len, align=align).ravel()
        value = resize(old[:, np.newaxis], seq_len, align=align).ravel()
        found[align] = place, value
        lift = 0.9 if align == "ends" else -0.9
        ax.scatter(place, value + lift, s=26, color=colour, marker=marker, zorder=4)
    ax.text(1.55, 5.6, "ends aligned", color=PALETTE.blue, ha="right")
    ax.text(2.05, 1.6, "half-pixel centres", color=PALETTE.orange, ha="left")
    ax.set_xticks(range(n))
    ax.set_yticks(list(old))
    ax.set(xlabel="place in the old table", ylabel="value", ylim=(-2, 11))
    for i in range(seq_len):
        rows.append((i, *(round(float(found[a][k][i]), 6) for a in found for k in (0, 1))))
    alt = (
        f"The values {_list(old)} at places 0 to {n - 1}, joined by lines. Above them the {seq_len} new rows "
        f"with ends aligned, evenly spread, values {_list(found['ends'][1].round(2))}; below them those with "
        f"half-pixel centres, the outer two on the ends, values {_list(found['half-pixels'][1].round(2))}."
    )
    header = ("new row", "place, ends", "value, ends", "place, half-pixels", "value, half-pixels")
    return Figure.of(fig, alt=alt, columns=header, rows=rows)


def by_hand_table(seq_len: int = 8) -> Table:
    """The same numbers, as one writes them down."""
    old, index = np.array(BY_HAND)[:, np.newaxis], np.arange(len(BY_HAND), dtype=float)[:, np.newaxis]
    columns = [resize(weight, seq_len, align=align).ravel() for align in ALIGN for weight in (index, old)]
    rows = [(str(i), *(f"{column[i]:.2f}" for column in columns)) for i in range(seq_len)]
    header = ("new row", "ends: place", "value", "half-pixels: place", "value")
    return Table(header, rows, align="rrrrr")


def shares_table() -> Table:
    """How much of two published models their tables of positions are."""
    models = (
        ("BERT-base", bert_tensors(), "embeddings.positions", "embeddings.words"),
        ("GPT-2 small", gpt2_tensors(), "wpe", "wte"),
    )
    rows = []
    for name, shapes, positions, words in models:
        table, total = shapes[positions], count(shapes)
        own = table[0] * table[1]
        share_of_words = 100 * shapes[words][0] * shapes[words][1] / total
        rows.append(
            (
                name,
                f"{table[0]} × {table[1]}",
                f"{own:,}",
                f"{total:,}",
                f"{100 * own / total:.3f}\u00a0%",
                f"{share_of_words:.1f}\u00a0%",
            )
        )
    header = ("model", "table of positions", "its parameters", "all parameters", "share", "table of words")
    return Table(header, rows, align="lrrrrr")


def losses(runs: Mapping[str, Array]) -> Figure:
    """The loss of several trainings over their steps; runs that coincide are drawn dashed over each other."""
    fig, ax = canvas(2.9)
    styles: Sequence[dict[str, Any]] = (
        {"color": PALETTE.blue, "linewidth": 3.2},
        {"color": PALETTE.ink, "linestyle": (0, (2, 3)), "linewidth": 1.4},
        {"color": PALETTE.orange},
        {"color": PALETTE.red},
        {"color": PALETTE.green, "linestyle": "dashed"},
    )
    steps = len(next(iter(runs.values())))
    for (name, loss), style in zip(runs.items(), styles, strict=True):
        ax.plot(loss, label=name, **style)
    ax.legend(loc="upper right", bbox_to_anchor=(1.0, 0.62))
    ax.set(xlabel="step", ylabel="loss", ylim=(-0.1, 3.3), xlim=(0, steps))
    ends = "; ".join(f"{name} {loss[-10:].mean():.2f}" for name, loss in runs.items())
    alt = f"Loss over {steps} steps, {len(runs)} curves. Means of the last ten steps: {ends}."
    rows = [(i, *(round(float(loss[i]), 4) for loss in runs.values())) for i in range(0, steps, 4)]
    return Figure.of(fig, alt=alt, columns=("step", *runs), rows=rows)


def past_the_end(shares: Mapping[str, Array], trained: int, twice: Array | None = None) -> Figure:
    """At each position, how often the right word is named; the trained positions are shaded.

    `twice` is drawn into the panel "interpolate": how often the word twice as far back is named.
    """
    fig, axes = canvas(4.4, columns=3, rows=2, sharex=True, sharey=True)
    for ax, (name, share) in zip(axes.ravel(), shares.items(), strict=True):
        ax.axvspan(0, trained - 1, color=PALETTE.grid, alpha=0.5, linewidth=0)
        ax.plot(share, color=PALETTE.blue)
        if twice is not None and name == "interpolate":
            ax.plot(twice, color=PALETTE.orange, linewidth=1.2)
        ax.set_title(name)
        ax.set(ylim=(-0.05, 1.08), yticks=[0, 0.5, 1], xticks=[0, trained, 2 * trained])
    for ax in axes[1]:
        ax.set_xlabel("position")
    for ax in axes[:, 0]:
        ax.set_ylabel("share right")
    means = "; ".join(
        f"{name} {np.nanmean(share[:trained]):.2f} and {share[trained:].mean():.2f}"
        for name, share in shares.items()
    )
    if twice is not None:
        means += f"; under interpolate the word twice as far back {np.nanmean(twice):.2f} over all positions"
    alt = (
        f"Six panels, share of right answers over position, positions 0 to {trained - 1} shaded as trained. "
        f"Mean inside and past the end: {means}."
    )
    series = dict(shares) if twice is None else {**shares, "interpolate: twice as far back": twice}
    length = len(next(iter(shares.values())))
    rows = [
        (p, *(None if np.isnan(share[p]) else round(float(share[p]), 3) for share in series.values()))
        for p in range(length)
    ]
    return Figure.of(fig, alt=alt, columns=("position", *series), rows=rows)


def similarities(tables: Mapping[str, Array]) -> Figure:
    """The cosine of every two rows of several tables."""
    fig, axes = canvas(2.5, columns=len(tables), sharey=True)
    maps = {name: cosines(table) for name, table in tables.items()}
    for ax, (name, values) in zip(axes, maps.items(), strict=True):
        image = ax.imshow(values, cmap=DIVERGING, vmin=-1, vmax=1)
        n = len(values)
        ax.set_title(name.replace(": ", "\n"), fontsize=10)
        ax.set(xticks=[0, n - 1], yticks=[0, n - 1])
    bar = fig.colorbar(image, ax=axes, ticks=[-1, 0, 1], pad=0.02, aspect=22, shrink=0.72)
    bar.outline.set_visible(False)
    near = "; ".join(f"{name} {np.diag(values, 1).mean():.2f}" for name, values in maps.items())
    alt = f"{len(maps)} heat maps: cosine of every two of {n} rows. Mean cosine of neighbouring rows: {near}."
    rows = [
        (offset, *(round(float(np.diag(values, offset).mean()), 3) + 0.0 for values in maps.values()))
        for offset in range(n)
    ]
    return Figure.of(fig, alt=alt, columns=("offset", *(f"mean cosine, {name}" for name in maps)), rows=rows)


def past_table(shares: Mapping[str, Array], trained: int) -> Table:
    """Right answers in a hundred: inside, at the first position past the end, and past it altogether."""
    rows = [
        (
            name,
            f"{100 * np.nanmean(share[:trained]):.0f}",
            f"{100 * share[trained]:.0f}",
            f"{100 * share[trained:].mean():.0f}",
        )
        for name, share in shares.items()
    ]
    return Table(("rows past the end", "at trained positions", "first past", "all past"), rows, align="lrrr")


def _square(x: float, y: float, face: Any, edge: str) -> Rectangle:
    return Rectangle((x - 0.45, y - 0.4), 0.9, 0.8, facecolor=face, edgecolor=edge, linewidth=1)


def _list(values: Sequence[float | None] | Array) -> str:
    return ", ".join(
        "nothing" if v is None else f"{float(v):g}" if v == int(v) else f"{v:.2f}" for v in values
    )
