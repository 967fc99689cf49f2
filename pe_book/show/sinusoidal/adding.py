"""Figures and tables of the chapter on adding a place to a word."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.bench import recorded
from pe_book.evidence.sinusoidal.adding_quoted import PRINTED, RECIPES
from pe_book.show.figure import DIVERGING, PALETTE, Figure, canvas
from pe_book.show.table import Table
from pe_book.sinusoidal.adding import projection_counts, score_terms
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.reading import heard, principal_variances

Array = NDArray[np.float64]

# on a heat map, whose colours do not follow the page
ON_LIGHT, ON_DARK = "#14181d", "#fcfcfc"

SENTENCE = ("Nitish", "killed", "lion")
WORDS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


def terms() -> Figure:
    """The four score tables of three words in two dimensions, and their sum."""
    places = encode(np.arange(3), 2)
    four = score_terms(WORDS, places, np.sqrt(2) * np.eye(2), np.eye(2))
    total: Array = np.sum(four, axis=0)
    fig, axes = canvas(4.3, columns=3, rows=2, width_ratios=[1, 1, 1.55])
    names = ("word · word", "word · place", "place · word", "place · place")
    largest = float(np.abs(total).max())
    for ax, table, name in zip(axes[:, :2].ravel(), four, names, strict=True):
        _cells(ax, table, largest)
        ax.set_title(name)
        _named(ax)
    grid = axes[0, 2].get_gridspec()
    for ax in axes[:, 2]:
        ax.remove()
    sum_ax = fig.add_subplot(grid[:, 2], axes_class=type(axes[0, 0]))
    _cells(sum_ax, total, largest)
    sum_ax.set_title("their sum: what the softmax sees")
    _named(sum_ax)
    rows = [
        (
            SENTENCE[i],
            SENTENCE[j],
            *(round(float(t[i, j]), 4) + 0.0 for t in four),
            round(float(total[i, j]), 4),
        )
        for i in range(3)
        for j in range(3)
    ]
    alt = (
        f"Four tables of three by three scores add up to a fifth. Query {SENTENCE[0]}, key {SENTENCE[1]}: "
        + " + ".join(f"{t[0, 1]:.2f}" for t in four)
        + f" = {total[0, 1]:.2f}. The first and the last table are symmetric, the other two are not."
    )
    header = ("query", "key", *names, "sum")
    return Figure.of(fig, alt=alt, columns=header, rows=rows)


def counterexample_table() -> Table:
    """The printed example of a collision, added up."""
    (x, p), (y, q) = PRINTED
    rows = []
    for c in range(3):
        first, second = x[c] + p[c], y[c] + q[c]
        same = math.isclose(first, second, abs_tol=1e-9)
        shown = f"{second:.2f}" if same else f"**{second:.2f}**"
        row = (f"{x[c]:.2f}", f"{p[c]:.2f}", f"{first:.2f}", f"{y[c]:.2f}", f"{q[c]:.2f}", shown)
        rows.append((str(c), *(cell.replace("-", "−") for cell in row)))
    header = ("entry", "word", "place", "sum", "word'", "place'", "sum'")
    return Table(header, rows, align="rrrrrrr")


def parameters_table(d_model: int) -> Table:
    """Weights of W_Q, W_K and W_V in one layer, by how the place gets in."""
    full, one = projection_counts(d_model), projection_counts(d_model, 1)
    rows = [
        ("added", f"${d_model}$", f"{full.added:,}", "1"),
        (
            "one number appended, for these only",
            f"${d_model + 1}$",
            f"{one.appended:,}",
            f"{one.appended / one.added:.3f}",
        ),
        (
            "row appended, then a matrix back",
            rf"${2 * d_model} \to {d_model}$",
            f"{full.projected_back:,}",
            f"{full.projected_back / full.added:.2f}",
        ),
        (
            "row appended, for these only",
            f"${2 * d_model}$",
            f"{full.appended:,}",
            f"{full.appended / full.added:.0f}",
        ),
        (
            "row appended, every layer widened",
            f"${2 * d_model}$",
            f"{full.widened:,}",
            f"{full.widened / full.added:.0f}",
        ),
    ]
    return Table(("the place is", "width that enters", "weights", "factor"), rows, align="lrrr")


def recorded_times() -> Table:
    """The sum or the longer row, with the first projection behind it: recorded, not measured in the build."""
    rows = [
        (
            str(r["batch"]),
            f"{r['seq_len']:,}",
            str(r["d_model"]),
            f"{r['add_ms']:.3g}",
            f"{r['concat_over_add']:.2f}",
            f"{r['widened_over_add']:.2f}",
        )
        for r in recorded("adding")["rows"]
    ]
    header = ("batch", "tokens", "width", "added (ms)", "appended, ratio", "widened, ratio")
    return Table(header, rows, align="rrrrrr")


def recipes_table(n: int = 50) -> Table:
    """The recipes, the two norms, and what a linear reader hears of the first n places."""
    rows = []
    for r in RECIPES:
        loud = r.loudness
        share = "learned"
        if r.place_std is None:
            found = heard(encode(np.arange(n), r.d_model), r.added_std)
            share = f"{found:.0%}" if found < 0.99 else "over 99%"
        norms = f"{_short(loud.word)}\u00a0:\u00a0{_short(loud.place)}"
        factor = r"$\sqrt{d}$" if r.scale else "none"
        rows.append((r.name, r.table, factor, norms, f"{loud.ratio:.2f}", share))
    header = ("code", "word table starts at", "factor", "word : place", "ratio", f"heard of {n} places")
    return Table(header, rows, align="lrrrrr")


def _short(norm: float) -> str:
    return f"{norm:.3g}" if norm >= 1 else f"{norm:.2f}"


def balance() -> Figure:
    """Word and place of every recipe on one scale."""
    fig, ax = canvas(3.3)
    rows = []
    for y, r in enumerate(reversed(RECIPES)):
        loud = r.loudness
        louder = PALETTE.blue if loud.ratio >= 1 else PALETTE.orange
        ax.plot([loud.word, loud.place], [y, y], color=louder, linewidth=1.4, zorder=1)
        # a ring around the place where the two are equal
        ax.scatter([loud.word], [y], s=46 if abs(loud.ratio - 1) > 0.1 else 190, color=PALETTE.blue, zorder=2)
        ax.scatter([loud.place], [y], s=46, color=PALETTE.orange, marker="D", zorder=3)
        rows.append((r.name, r.d_model, round(loud.word, 4), round(loud.place, 4), round(loud.ratio, 4)))
    rows.reverse()
    top = len(RECIPES) - 0.45
    ax.text(rows[3][2] * 1.3, 3, "word", color=PALETTE.blue, va="center")
    ax.text(rows[3][3] / 1.3, 3, "place", color=PALETTE.orange, ha="right", va="center")
    ax.set_yticks(range(len(RECIPES)), [r.name for r in reversed(RECIPES)])
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(-0.6, top)
    ax.set_xscale("log")
    ax.set_xlim(0.15, 2200)
    ax.set_xlabel("root-mean-square norm at initialisation")
    alt = "Word and place before the first training step, as norms on a logarithmic scale: " + "; ".join(
        f"{name} {_short(word)} beside {_short(place)}" for name, _, word, place, _ in rows
    )
    return Figure.of(fig, alt=alt + ".", columns=("code", "width", "word", "place", "ratio"), rows=rows)


def directions(d_model: int = 512, n: int = 50) -> Figure:
    """Left: how much n places vary in each direction, and two words. Right: what is heard over the word."""
    places = encode(np.arange(n), d_model)
    variances = principal_variances(places)[: n - 1]
    shown = variances[:20]
    loud = d_model
    fig, (left, right) = canvas(3.2, columns=2)
    index = np.arange(1, len(shown) + 1)
    left.plot(index, shown, color=PALETTE.orange, marker="o", markersize=3)
    left.axhline(1, color=PALETTE.blue, linestyle="--")
    left.axhline(loud, color=PALETTE.blue)
    left.text(0.5, 0.8, "word, variance 1", color=PALETTE.blue, va="top")
    left.text(0.5, loud * 0.75, f"word, variance {loud}", color=PALETTE.blue, va="top")
    left.text(5.2, 6.5, "places", color=PALETTE.orange, va="bottom")
    left.set_yscale("log")
    left.set_ylim(0.05, 1500)
    left.set_xlabel("direction")
    left.set_ylabel("variance along it")
    stds = np.logspace(-2, 2, 41)
    lines = {m: _shares(encode(np.arange(m), d_model), stds) for m in (20, n, 200)}
    colours = (PALETTE.green, PALETTE.orange, PALETTE.purple)
    for (m, shares), colour, height in zip(lines.items(), colours, (0.42, 0.3, 0.18), strict=True):
        right.plot(stds, shares, color=colour)
        right.text(stds[0], height, f"{m} places", color=colour)
    for mark, style in ((1.0, "--"), (math.sqrt(d_model), "-")):
        right.axvline(mark, color=PALETTE.blue, linestyle=style, linewidth=1.2)
    right.set_xscale("log")
    right.set_ylim(-0.03, 1.05)
    right.set_xlabel("standard deviation of a word's entry")
    right.set_ylabel("share of the places heard")
    here, there = heard(places, 1.0), heard(places, math.sqrt(d_model))
    alt = (
        f"Left: the variance of {n} places along their main directions falls from {shown[0]:.1f} to "
        f"{shown[-1]:.1f} over {len(shown)} directions; {int((variances > 1).sum())} lie above 1, none above "
        f"{loud}. Right: the share of the places that a linear reader hears falls with the size of the "
        f"words, from {here:.2f} at entries of size 1 to {there:.3f} at {math.sqrt(d_model):.1f}."
    )
    rows: list[Sequence[Any]] = [
        (
            round(float(s), 4),
            *(round(lines[m][i], 4) for m in lines),
            i + 1 if i < len(shown) else None,
            round(float(shown[i]), 4) if i < len(shown) else None,
        )
        for i, s in enumerate(stds)
    ]
    header = ("entry of a word", *(f"heard of {m}" for m in lines), "direction", "variance")
    return Figure.of(fig, alt=alt, columns=header, rows=rows)


def _shares(places: Array, stds: Array) -> list[float]:
    """What :func:`heard` returns for each of many words, with one decomposition for all."""
    variances = principal_variances(places)
    return [float((variances**2 / (variances + s**2)).sum() / variances.sum()) for s in stds]


def _named(ax: Any) -> None:
    ax.set_xticks(range(3), SENTENCE)
    ax.set_yticks(range(3), SENTENCE, rotation=90, va="center")
    ax.tick_params(length=0)


def _cells(ax: Any, table: Array, largest: float) -> None:
    ax.imshow(table, cmap=DIVERGING, vmin=-largest, vmax=largest)
    for (i, j), value in np.ndenumerate(table):
        dark = abs(value) > 0.72 * largest
        shown = f"{value:.2f}".replace("-", "−") if abs(value) >= 0.005 else "0"
        ax.text(j, i, shown, ha="center", va="center", fontsize=11, color=ON_DARK if dark else ON_LIGHT)
    ax.set(xticks=[], yticks=[])
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
