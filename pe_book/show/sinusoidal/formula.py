"""Figures and tables of the chapter on the formula; its derivations are in the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.offsetbox import AnnotationBbox, HPacker, TextArea
from matplotlib.patches import FancyBboxPatch

from pe_book.evidence.sinusoidal.formula import NONE_BELOW, changes_by_convention, mistaken_rows
from pe_book.show.figure import PALETTE, Figure, canvas
from pe_book.show.table import Table
from pe_book.sinusoidal.formula import encode, frequencies, permutation

WAVES = ("sin", "cos")
COLOURS = (PALETTE.blue, PALETTE.orange)  # sine, cosine


def short(value: float, digits: int = 4) -> str:
    """An entry as LaTeX: only an exact 0 or 1 is printed whole, near them the distance is written out."""
    if value in (-1.0, 0.0, 1.0):
        return f"{value:.0f}"
    text = f"{value:.{digits}f}"
    nearest = round(value)
    if text.lstrip("-") != f"{abs(nearest):.{digits}f}":
        return text
    gap = abs(value - nearest)
    power = int(np.floor(np.log10(gap)))
    distance = rf"{gap / 10.0**power:.2f}\cdot 10^{{{power}}}"
    sign = "-" if value < nearest else "+"
    return f"{nearest} {sign} {distance}" if nearest else f"{sign}{distance}".lstrip("+")


# --- figures ----------------------------------------------------------------------------------


def anatomy(position: int, d_model: int = 8) -> Figure:
    """The two formulas above and below the row they fill, with an arrow into every box."""
    row, omega = encode(position, d_model), frequencies(d_model)
    fig, ax = canvas(4.3)
    _bare(ax, (-0.75, d_model - 0.25), (-2.6, 3.6))
    for wave, (name, colour) in enumerate(zip(WAVES, COLOURS, strict=True)):
        top = 1 if wave == 0 else -1
        centre, edge = (3.05, 2.5) if wave == 0 else (-1.75, -1.25)
        _formula(ax, (d_model / 2 - 0.5, centre), name, colour, position)
        for pair in range(d_model // 2):
            column = 2 * pair + wave
            start = ((d_model / 2 - 0.5) + (column - (d_model / 2 - 0.5)) * 0.62, edge)
            end = (column, 1.14 if top > 0 else -0.05)
            ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.2})
    for column, value in enumerate(row):
        _box(ax, column, 0.5, f"{value:.4f}", COLOURS[column % 2])
        ax.text(column - 0.44, 1.14, f"{column}", fontsize=9, color=PALETTE.muted, ha="left", va="bottom")
    for pair, divisor in enumerate(1 / omega):
        ax.text(2 * pair + 0.5, -2.45, f"$i = {pair}$: divide by {divisor:.0f}", fontsize=9.5,
                color=PALETTE.purple, ha="center", va="center")  # fmt: skip
    entries = ", ".join(f"{value:.4f}" for value in row)
    return Figure.of(
        fig,
        alt=f"Arrows from the sine formula into boxes 0, 2, 4, 6 and from the cosine formula into the boxes "
        f"between them; at position {position} the {d_model} boxes hold {entries}.",
        columns=("column", "i", "function", "divisor", "value"),
        rows=[(j, j // 2, WAVES[j % 2], 1 / omega[j // 2], row[j]) for j in range(d_model)],
    )


def pairs_of(words: Sequence[str], d_model: int = 6) -> Figure:
    """Which dimension belongs to which i, and the row of every word."""
    table, omega = encode(range(len(words)), d_model), frequencies(d_model)
    fig, ax = canvas(0.62 * len(words) + 1.7)
    _bare(ax, (-2.35, d_model - 0.35), (-len(words) - 0.1, 2.15))
    for pair, divisor in enumerate(1 / omega):
        middle = 2 * pair + 0.5
        ax.plot([middle - 0.9, middle - 0.9, middle + 0.9, middle + 0.9], [1.1, 1.25, 1.25, 1.1],
                color=PALETTE.purple, lw=1.2)  # fmt: skip
        label = f"$i = {pair}$, divisor {divisor:.4g}"
        ax.text(middle, 1.38, label, color=PALETTE.purple, ha="center", va="bottom")
    for column in range(d_model):
        label = f"{column}: {WAVES[column % 2]}"
        ax.text(column, 0.78, label, color=COLOURS[column % 2], ha="center", va="center")
    for position, word in enumerate(words):
        y = -position - 0.1
        ax.text(-2.3, y, f"{word}, position {position}", ha="left", va="center")
        for column, value in enumerate(table[position]):
            text = f"{value:.0f}" if value in (0, 1) else f"{value:.4f}"
            _box(ax, column, y, text, COLOURS[column % 2], 0.74)
    rows = [
        (word, position, j, j // 2, WAVES[j % 2], table[position, j])
        for position, word in enumerate(words)
        for j in range(d_model)
    ]
    spoken = "; ".join(f"{w}: {', '.join(f'{v:.4f}' for v in table[p])}" for p, w in enumerate(words))
    return Figure.of(
        fig,
        alt=f"{d_model} dimensions in pairs: 0 and 1 use i = 0, 2 and 3 use i = 1, and so on, with divisors "
        f"{', '.join(f'{d:.4g}' for d in 1 / omega)}. {spoken}.",
        columns=("word", "position", "dimension", "i", "function", "value"),
        rows=rows,
    )


def addition(word: str, vector: Sequence[float], position: int) -> Figure:
    """Three rows of boxes: what the word is, where it stands, and their sum."""
    meaning = np.asarray(vector, dtype=np.float64)
    place = encode(position, meaning.size)
    total = meaning + place
    fig, ax = canvas(2.7)
    _bare(ax, (-3.2, meaning.size - 0.35), (-2.95, 0.75))
    labels = (f"embedding of {word}", f"+  position {position}", "=  what layer one reads")
    for y, (label, row) in enumerate(zip(labels, (meaning, place, total), strict=True)):
        ax.text(-3.15, -1.1 * y, label, ha="left", va="center")
        for column, value in enumerate(row):
            colour = (PALETTE.green, COLOURS[column % 2], PALETTE.ink)[y]
            text = f"{value:.4f}" if y else f"{value:.1f}"
            _box(ax, column, -1.1 * y, text.replace("-", "−"), colour, 0.82)
    return Figure.of(
        fig,
        alt=f"The {meaning.size} numbers of {word}, {', '.join(f'{v:g}' for v in meaning)}, plus the row "
        f"of position {position} give {', '.join(f'{v:.4f}' for v in total)}: same width, one sum a column.",
        columns=("column", "embedding", "position", "sum"),
        rows=list(zip(range(meaning.size), meaning, place, total, strict=True)),
    )


def ladders(d_model: int = 8) -> Figure:
    """The divisors of the printed formula and of the released code, on a logarithmic axis."""
    lines = [
        (f"paper, width {d_model}", 1 / frequencies(d_model), PALETTE.blue),
        (f"released code, width {d_model}", 1 / frequencies(d_model, ladder="tensor2tensor"), PALETTE.orange),
        (f"paper, width {d_model - 2}", 1 / frequencies(d_model - 2), PALETTE.blue),
    ]
    fig, ax = canvas(2.6)
    ax.set_xscale("log")
    ax.set_xlim(0.6, 3e4)
    ax.set_ylim(-0.7, 2.75)
    ax.set_yticks([2, 1, 0], [name for name, _, _ in lines])
    ax.set_xlabel("divisor of the position")
    for y, (_, divisors, colour) in zip((2, 1, 0), lines, strict=True):
        ax.axhline(y, color=PALETTE.grid, lw=1)
        ax.plot(divisors, [y] * len(divisors), "o", color=colour, markersize=8)
        for divisor in divisors:
            above = y > 0
            ax.text(divisor, y + (0.2 if above else -0.2), f"{divisor:.5g}", ha="center",
                    va="bottom" if above else "top", fontsize=9.5)  # fmt: skip
    for divisor in lines[2][1]:
        ax.plot([divisor, divisor], [0.88, 0.12], color=PALETTE.muted, lw=1, ls=":")
    listed = "; ".join(f"{name}: {', '.join(f'{d:.5g}' for d in divisors)}" for name, divisors, _ in lines)
    return Figure.of(
        fig,
        alt=f"Three rows of points on a logarithmic axis. {listed}. All points of the last row lie under "
        "points of the middle row.",
        columns=("ladder", "i", "divisor"),
        rows=[(name, i, d) for name, divisors, _ in lines for i, d in enumerate(divisors)],
    )


def two_layouts(d_model: int = 8) -> Figure:
    """The same eight entries in both orders, joined by lines."""
    order = permutation(d_model, source="interleaved", to="halves")
    fig, ax = canvas(2.9)
    _bare(ax, (-0.6, d_model - 0.4), (-0.55, 3.5))
    titles = ((3.15, "interleaved: pairs are neighbours"), (-0.4, "halves: all sines, then all cosines"))
    for y, title in titles:
        ax.text(-0.45, y, title, ha="left", va="center", color=PALETTE.ink)
    for target, source in enumerate(order):
        colour = COLOURS[source % 2]
        ax.plot([source, target], [1.92, 1.03], color=colour, lw=1.3, alpha=0.75)
        name = rf"$\{WAVES[source % 2]}\,\omega_{source // 2}p$"
        for x, y, number in ((source, 2.45, source), (target, 0.5, target)):
            _box(ax, x, y, name, colour)
            ax.text(x + 0.42, y - 0.31, f"{number}", fontsize=9, color=PALETTE.muted, ha="right", va="center")
    moved = ", ".join(f"{j}" for j in order)
    return Figure.of(
        fig,
        alt=f"Lines from the {d_model} columns of the interleaved row to the {d_model} columns of the row in "
        f"halves, which takes columns {moved} in this order.",
        columns=("column in halves", "column interleaved", "i", "function"),
        rows=[(t, int(s), int(s) // 2, WAVES[s % 2]) for t, s in enumerate(order)],
    )


def _bare(ax: Any, xlim: tuple[float, float], ylim: tuple[float, float]) -> None:
    ax.set_axis_off()
    ax.set_xlim(*xlim)
    ax.set_ylim(*ylim)


def _box(ax: Any, x: float, y: float, text: str, colour: str, height: float = 1.0) -> None:
    """One box of a row: tinted, framed, with its entry in ink."""
    corner = (x - 0.46, y - height / 2)
    shape = "round,pad=0,rounding_size=0.06"
    for face, edge, alpha in ((colour, "none", 0.14), ("none", colour, 1.0)):
        ax.add_patch(
            FancyBboxPatch(corner, 0.92, height, shape, facecolor=face, edgecolor=edge, alpha=alpha, lw=1.2)
        )
    ax.text(x, y, text, ha="center", va="center", color=PALETTE.ink)


def _formula(ax: Any, centre: tuple[float, float], name: str, colour: str, position: int) -> None:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d)) with every part in the colour of what it means."""
    column = "2i" if name == "sin" else "2i+1"
    parts = [
        (rf"$PE\,_{{(pos,\,{column})}}\ =\ $", PALETTE.ink),
        (rf"$\{name}\,($", colour),
        (r"$pos$", PALETTE.green),
        (r"$\,/\,10000^{\,2}$", PALETTE.ink),
        (r"${}^{i}$", PALETTE.purple),
        (r"${}^{/d_{model}}$", PALETTE.ink),
        (r"$\,)$", colour),
    ]
    style = {"fontsize": 17, "math_fontfamily": "stix"}
    areas: list[Artist] = [TextArea(text, textprops={**style, "color": shade}) for text, shade in parts]
    packed = HPacker(children=areas, align="baseline", pad=0, sep=0)
    ax.add_artist(AnnotationBbox(packed, centre, frameon=False, box_alignment=(0.5, 0.5), pad=0))


# --- tables -----------------------------------------------------------------------------------


def worked_table(position: int, d_model: int = 6) -> Table:
    """Every dimension of one position: i, the formula, what to compute, the result."""
    row, omega = encode(position, d_model), frequencies(d_model)
    rows = []
    for column, value in enumerate(row):
        pair, wave = column // 2, WAVES[column % 2]
        formula = rf"$\{wave}\left({position} / 10000^{{{2 * pair}/{d_model}}}\right)$"
        angle = "0" if position == 0 else f"{position}" if pair == 0 else f"{position}/{1 / omega[pair]:.6g}"
        rows.append((f"{column}", f"{pair}", formula, rf"$\{wave}({angle})$", f"${short(value, 6)}$"))
    return Table(("dimension", "$i$", "formula", "calculation", "result"), rows, align="rrllr")


def sentence_table(words: Sequence[str], columns: Sequence[int], d_model: int = 512) -> Table:
    """Selected columns of every word of a sentence, a word's row from top to bottom."""
    table = encode(range(len(words)), d_model)
    header = ("column", "$i$", *(f"*{word}*, {position}" for position, word in enumerate(words)))
    # the braces keep a number in one piece where the line would break at its minus
    rows = [
        (f"{c}", f"{c // 2}", *(f"${{{short(table[position, c])}}}$" for position in range(len(words))))
        for c in columns
    ]
    return Table(header, rows, align="r" * len(header))


def matrix_table(seq_len: int, d_model: int, base: float) -> Table:
    """A whole small table, every entry beside its formula."""
    table, omega = encode(range(seq_len), d_model, base=base), frequencies(d_model, base=base)
    rows = []
    for position in range(seq_len):
        cells = [f"{position}"]
        for column in range(d_model):
            divisor = 1 / omega[column // 2]
            angle = f"{position}" if column < 2 else f"{position}/{divisor:g}"
            value = table[position, column]
            sign = "=" if value in (0.0, 1.0) else r"\approx"
            cells.append(rf"$\{WAVES[column % 2]}({angle}) {sign} {short(value, 8)}$")
        rows.append(tuple(cells))
    return Table(("position", *(f"column {c}" for c in range(d_model))), rows, align="r" * (d_model + 1))


def mistakes(position: int, d_model: int = 8, shown: int = 6) -> Table:
    """The first columns of every mistaken row, to be matched with a printout."""
    rows = [
        (name, *(f"${value:.4f}$" for value in row[:shown]))
        for name, row in mistaken_rows(position, d_model).items()
    ]
    return Table(("what was computed", *(f"${c}$" for c in range(shown))), rows, align="l" + "r" * shown)


def conventions_table(seq_len: int, d_model: int) -> Table:
    """What each convention changes: entries, and the dot products between rows."""
    rows = []
    for name, (entry, product) in changes_by_convention(seq_len, d_model).items():
        rows.append((name, f"${entry:.4f}$", "none" if product < NONE_BELOW else f"${product:.3f}$"))
    return Table(("what others write", "largest change of an entry", "of a dot product"), rows, align="lrr")
