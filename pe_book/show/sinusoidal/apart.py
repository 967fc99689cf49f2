"""Figures and tables of the chapter on waves: which columns move, and how far apart two positions stay."""

from itertools import cycle
from typing import Any

import numpy as np

from pe_book.show.figure import DIVERGING, PALETTE, Figure, canvas
from pe_book.show.table import Table
from pe_book.sinusoidal.aliasing import alias
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.offsets import offset_distance
from pe_book.sinusoidal.waves import column_range, quiet_columns, turning_pairs

_COLOURS = (PALETTE.blue, PALETTE.orange, PALETTE.green, PALETTE.purple)


# The table as a picture -------------------------------------------------------------------------------------


def heatmap(n: int, d_model: int) -> Figure:
    """The table of n positions as a picture, negative entries blue and positive ones orange."""
    table = encode(range(n), d_model)
    ranges = column_range(n, d_model)
    fig, ax = canvas(3.9)
    image = ax.imshow(table, cmap=DIVERGING, vmin=-1, vmax=1, aspect="auto")
    ax.set_xlabel("column (even: sine, odd: cosine)")
    ax.set_ylabel("position")
    ax.set_xticks([*range(0, d_model, d_model // 4), d_model - 1])
    ax.set_yticks([*range(0, n - 1, 10), n - 1])
    bar = fig.colorbar(image, ax=ax, ticks=[-1, 0, 1], pad=0.02, aspect=30)
    bar.outline.set_visible(False)
    alt = (
        f"Heatmap of {n} positions by {d_model} columns between -1 and 1. The first columns swing through "
        f"a range of {ranges[0]:.2f}; further right the stripes lengthen until the last two columns move "
        f"by {ranges[-2]:.4f} and {ranges[-1]:.6f}: even columns stay near 0, odd ones near 1."
    )
    columns = ("position", *(f"column {j}" for j in range(d_model)))
    return Figure.of(fig, alt=alt, columns=columns, rows=[(p, *row) for p, row in enumerate(table)])


def column_ranges(lengths: tuple[int, ...], d_model: int) -> Figure:
    """How far the sine and the cosine of each pair move within the first n tokens, for several n."""
    pairs = np.arange(d_model // 2)
    ranges = {n: column_range(n, d_model) for n in lengths}
    fig, ax = canvas(3.5)
    for n, colour in zip(lengths, _COLOURS, strict=True):
        ax.plot(pairs, ranges[n][0::2], color=colour)
        ax.plot(pairs, ranges[n][1::2], color=colour, linestyle=(0, (4, 2)), linewidth=1.3)
        at = int(np.flatnonzero(ranges[n][0::2] >= 1.9)[-1])  # where the sine's range begins to fall
        ax.text(at, 2.05, f"n = {n:,}", color=colour, ha="center", va="bottom")
    ax.axhline(0.1, color=PALETTE.muted, linestyle=(0, (1, 2)), linewidth=1)
    ax.set_xlim(0, len(pairs) * 1.06)
    ax.set_ylim(0, 2.3)
    ax.set_xticks([*range(0, len(pairs), 64), len(pairs) - 1])
    ax.set_yticks([0, 0.1, 1, 2])
    ax.set_xlabel("pair i")
    ax.set_ylabel("range within the first n tokens")
    counts = ", ".join(f"{quiet_columns(n, d_model)} at n = {n}" for n in lengths)
    alt = (
        f"For each of {len(pairs)} pairs, how far sine (solid) and cosine (dashed) move within n tokens. "
        "Each curve is near 2 on the left and falls, the later the longer the text; the sine of the last "
        f"pair moves by {ranges[lengths[0]][-2]:.4f} at n = {lengths[0]} and by "
        f"{ranges[lengths[-1]][-2]:.2f} at n = {lengths[-1]}. Columns below 0.1: {counts}."
    )
    columns = ("pair", *(f"{wave}, n = {n}" for n in lengths for wave in ("sine", "cosine")))
    rows = [(i, *(ranges[n][2 * i + s] for n in lengths for s in (0, 1))) for i in pairs]
    return Figure.of(fig, alt=alt, columns=columns, rows=rows)


def columns_table(lengths: tuple[int, ...], d_model: int) -> Table:
    """For each length: quiet columns, split into sines and cosines, and pairs that complete a turn."""
    rows = []
    for n in lengths:
        quiet = column_range(n, d_model) < 0.1
        counts = (quiet.sum(), quiet[0::2].sum(), quiet[1::2].sum(), turning_pairs(n, d_model))
        rows.append((f"{n:,}", *map(str, counts)))
    header = ("tokens $n$", "quiet columns", "of these sines", "cosines", "pairs that complete a turn")
    return Table(header=header, rows=rows, align="rrrrr")


# Uniqueness -------------------------------------------------------------------------------------------------


def confused(column: int, d_model: int, first: int, second: int) -> Figure:
    """One sine column and its cosine over the positions: two positions the sine alone cannot tell apart."""
    n = 61
    table = encode(range(n), d_model)[:, column : column + 2]
    x = np.linspace(0, n - 1, 601)
    curves = encode(x, d_model)[:, column : column + 2]
    fig, ax = canvas(3.1)
    ax.axhline(0, color=PALETTE.grid)
    for s, (name, colour) in enumerate((("sine", PALETTE.blue), ("cosine", PALETTE.orange))):
        ax.plot(x, curves[:, s], color=colour, linewidth=1.5)
        ax.scatter([first, second], table[[first, second], s], color=colour, s=45, zorder=3)
        # the sine is named above its first crest, the cosine below its last trough
        at, edge, side = (curves[:300, 0].argmax(), 1.07, "bottom") if s == 0 else (-1, -1.07, "top")
        if s == 1:
            at = 300 + curves[300:, 1].argmin()
        ax.text(x[at], edge, f"{name}, column {column + s}", color=colour, ha="center", va=side)
    ax.plot([first, second], [table[first, 0]] * 2, color=PALETTE.blue, linestyle=(0, (1, 2)), linewidth=1.2)
    for p in (first, second):
        ax.axvline(p, color=PALETTE.muted, linestyle=(0, (4, 3)), linewidth=0.8, zorder=0)
    ax.set_ylim(-1.35, 1.35)
    ax.set_xlim(0, n + 2)
    ax.set_xticks([0, first, second, n - 1])
    ax.set_yticks([-1, 0, 1])
    ax.set_xlabel("position")
    alt = (
        f"Columns {column} and {column + 1} of width {d_model} over positions 0 to {n - 1}. The sine is "
        f"{table[first, 0]:.3f} at {first} and {table[second, 0]:.3f} at {second}, almost the same height; "
        f"the cosine is {table[first, 1]:.3f} and {table[second, 1]:.3f}."
    )
    columns = ("position", f"column {column}", f"column {column + 1}")
    return Figure.of(fig, alt=alt, columns=columns, rows=[(p, *table[p]) for p in range(n)])


def margins(widths: tuple[int, ...], n: int) -> Figure:
    """The smallest distance between two positions at most so far apart, for several widths."""
    fig, ax = canvas(3.7)
    rows: list[tuple[Any, ...]] = []
    ends = []
    colours = cycle(_COLOURS)
    for d in widths:
        blocks = np.array_split(np.arange(1, n + 1), n // 4096 + 1)
        distances = np.concatenate([offset_distance(block, d) for block in blocks])
        smallest = np.minimum.accumulate(distances)
        records = np.flatnonzero(np.diff(smallest, prepend=np.inf) < 0)
        reach, values = np.append(records + 1, n), np.append(smallest[records], smallest[-1])
        colour = next(colours) if len(records) > 1 else PALETTE.muted  # grey: nothing beats neighbours
        ax.step(reach, values, where="post", color=colour)
        ax.text(n * 1.15, smallest[-1], f"{d}", color=colour, va={6: "bottom", 8: "top"}.get(d, "center"))
        rows += [(d, k, value) for k, value in zip(records + 1, smallest[records], strict=True)]
        ends.append(f"{smallest[-1]:.2g} at width {d}")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(1, n * 2.2)
    ax.text(n * 1.1, 14, "width", color=PALETTE.muted, va="center")
    ax.set_ylim(top=25)
    ax.set_xlabel("largest offset looked at, in tokens")
    ax.set_ylabel("smallest distance")
    alt = (
        f"Smallest distance between two positions against the largest offset, up to {n:,}: the curves of "
        f"narrow widths step down in colour, those of wide ones stay flat in grey. At the right edge: "
        f"{', '.join(ends)}."
    )
    return Figure.of(fig, alt=alt, columns=("width", "record at offset", "distance"), rows=rows)


def margin_table(closest: dict[int, tuple[int, float]]) -> Table:
    """For each width the neighbour distance, and what `closest_offset` found: distance, offset, share."""
    rows = []
    for d, (k, distance) in closest.items():
        shown = format(distance, ".3f" if distance >= 0.1 else ".2g" if distance >= 1e-3 else ".6f")
        neighbours = float(offset_distance(1, d))
        share = 100 * distance / np.sqrt(d / 2)
        rows.append((f"{d}", f"{neighbours:.3f}", shown, f"{k:,}", f"{share:.2g} %"))
    header = (
        "width $d$",
        "distance of neighbours",
        "smallest distance",
        "met at offset",
        "share of the length",
    )
    return Table(header=header, rows=rows, align="rrrrr")


# Multiplied instead of divided ------------------------------------------------------------------------------


def multiplied(d_model: int, n: int) -> Figure:
    """The distance between positions k apart, as printed and multiplied."""
    k = np.arange(n)
    divided = offset_distance(k, d_model)
    folded = alias(1 / frequencies(d_model))
    over = 2 * np.sqrt(np.square(np.sin(np.multiply.outer(k, folded) / 2)).sum(axis=-1))
    fig, ax = canvas(3.0)
    ax.plot(k, over, color=PALETTE.red)
    ax.plot(k, divided, color=PALETTE.blue)
    ax.text(n - 1, over[1:].max() + 0.6, "multiplied", color=PALETTE.red, ha="right", va="bottom")
    ax.text(n - 1, divided[-1] - 1.5, "divided, as printed", color=PALETTE.blue, ha="right", va="top")
    ax.set_xlim(0, n - 1)
    ax.set_ylim(0, over.max() * 1.16)
    ax.set_xlabel("offset, in tokens")
    ax.set_ylabel("distance")
    alt = (
        f"Distance against offset at width {d_model}. As printed it grows from {divided[1]:.1f} at offset "
        f"1 to {divided[-1]:.1f} at {n - 1}; multiplied, it is {over[1]:.1f} at offset 1 already and stays "
        f"between {over[1:].min():.1f} and {over[1:].max():.1f}."
    )
    rows = list(zip(k, divided, over, strict=True))
    return Figure.of(fig, alt=alt, columns=("offset", "divided", "multiplied"), rows=rows)
