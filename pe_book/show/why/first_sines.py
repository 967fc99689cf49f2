"""Figures and tables of the chapter on first attempts: one sine, and a few sines and cosines."""

import numpy as np

from pe_book.show.figure import PALETTE, Figure, canvas
from pe_book.show.table import Table
from pe_book.why.first_attempts import over_maximum
from pe_book.why.rounding import FORMATS, closest_pair, collisions, round_to
from pe_book.why.sines import harmonic_pairs, one_sine

RIVER = ("River", "bank", "killed", "the", "lion")


def sine_and_cosine(turns: int = 2) -> Figure:
    """The two curves over their first turns, between their bounds."""
    x = np.linspace(0, 2 * np.pi * turns, 241)
    fig, axes = canvas(3.0, rows=2, sharex=True)
    for ax, (name, wave), colour in zip(
        axes, (("sin", np.sin), ("cos", np.cos)), (PALETTE.blue, PALETTE.orange), strict=True
    ):
        for bound in (-1, 1):
            ax.axhline(bound, color=PALETTE.muted, linestyle="--", linewidth=1)
        ax.plot(x, wave(x), color=colour)
        ax.set(ylabel=f"{name} $x$", yticks=[-1, 0, 1], ylim=(-1.2, 1.2))
    ticks = np.arange(2 * turns + 1)
    axes[1].set_xticks(ticks * np.pi, ["0", "$\\pi$", *(f"${n}\\pi$" for n in ticks[2:])])
    return Figure.of(
        fig,
        alt=f"sin x and cos x from 0 to {2 * turns}π: both run between {np.sin(x).min():.0f} and "
        f"{np.cos(x).max():.0f} and repeat after 2π; the cosine starts at {np.cos(x[0]):.0f}, a quarter of a "
        f"turn ahead of the sine.",
        columns=("x", "sin x", "cos x"),
        rows=list(zip(x[::5], np.sin(x[::5]), np.cos(x[::5]), strict=True)),
    )


def five_words() -> Figure:
    """One sine at the five positions of a sentence."""
    positions = np.arange(len(RIVER))
    values = one_sine(positions)
    x = np.linspace(0, len(RIVER) - 1, 120)
    fig, ax = canvas(2.9)
    ax.axhline(0, color=PALETTE.grid)
    ax.plot(x, np.sin(x), color=PALETTE.blue, linewidth=1.2)
    ax.plot(positions, values, "o", color=PALETTE.orange, markersize=7)
    for p, word, value in zip(positions, RIVER, values, strict=True):
        side = {"ha": "left" if p > 2 else "center", "va": "center"}
        ax.text(
            p + (0.1 if p > 2 else 0),
            value + (-0.26 if p == 0 else 0.26),
            f"{word}\n{_minus(value, 3)}",
            **side,
        )
    ax.set(xlabel="position", ylabel="sin $pos$", xticks=positions, xlim=(-0.35, 4.7), ylim=(-1.1, 1.5))
    listed = ", ".join(f"{word} {_minus(value, 3)}" for word, value in zip(RIVER, values, strict=True))
    return Figure.of(
        fig,
        alt=f"The sine curve from 0 to {positions[-1]} with a dot for each of {len(RIVER)} words: {listed}.",
        columns=("position", "word", "sine"),
        rows=list(zip(positions, RIVER, values, strict=True)),
    )


def near_repeats(seq_len: int = 23) -> Figure:
    """The sine at whole numbers: what comes close, and where the curve itself repeats."""
    positions = np.arange(seq_len)
    values = one_sine(positions)
    first, second, gap = closest_pair(values)
    crest = (first + second) / 2
    x = np.linspace(0, seq_len - 1, 400)
    turns = 2 * np.pi * np.arange(1, int((seq_len - 1) / (2 * np.pi)) + 1)
    fig, ax = canvas(2.8)
    ax.plot(x, np.sin(x), color=PALETTE.muted, linewidth=0.8)
    ax.axvline(crest, color=PALETTE.orange, linestyle=":")
    ax.plot(positions, values, "o", color=PALETTE.blue)
    ax.plot([first, second], values[[first, second]], "o", color=PALETTE.orange, markersize=8)
    ax.plot(turns, np.zeros(len(turns)), "x", color=PALETTE.red, markersize=8, markeredgewidth=2)
    for n, turn in enumerate(turns, 1):
        ax.text(turn, 0.2, f"${2 * n}\\pi$", color=PALETTE.red, ha="right")
    for p in (first, second):
        ax.text(p, values[p] + 0.17, str(p), color=PALETTE.orange, ha="center")
    ax.set(xlabel="position", ylabel="sin $pos$", ylim=(-1.15, 1.35))
    return Figure.of(
        fig,
        alt=f"The sines of 0 to {seq_len - 1} as dots: positions {first} and {second}, mirror images about "
        f"{crest:g}, differ by only {gap:.5f}; the curve itself returns to 0 at "
        f"{', '.join(f'{t:.2f}' for t in turns)}, which are not whole numbers.",
        columns=("position", "sine"),
        rows=list(zip(positions, values, strict=True)),
    )


def formats_table(longest: int = 50_000) -> Table:
    """The first two positions whose codes are the same number after rounding, by code and format."""
    codes = {
        "position": np.arange(longest, dtype=float),
        r"position over $2^{16}$": over_maximum(longest, maximum=2**16),
        "one sine": one_sine(range(longest)),
        "three harmonic pairs": harmonic_pairs(range(longest)),
    }
    rows = []
    for name, code in codes.items():
        found = [collisions(round_to(code, dtype)).first for dtype in FORMATS]
        rows.append((name, *("none" if pair is None else f"{pair[0]:,} and {pair[1]:,}" for pair in found)))
    return Table(("", *FORMATS), rows, align="lrrr")


def three_dials(position: int = 4, pairs: int = 3) -> Figure:
    """The hands that turn by the position, its half and its third."""
    fig, axes = canvas(2.6, columns=pairs)
    code = harmonic_pairs(position, pairs)
    rows = []
    around = np.linspace(0, 2 * np.pi, 120)
    for i, ax in enumerate(axes):
        sine, cosine = code[2 * i], code[2 * i + 1]
        ax.plot(np.sin(around), np.cos(around), color=PALETTE.muted, linewidth=1)
        for earlier in range(position):
            s, c = harmonic_pairs(earlier, pairs)[2 * i : 2 * i + 2]
            ax.plot([0.88 * s, s], [0.88 * c, c], color=PALETTE.muted, linewidth=1.4)
        ax.plot([0, sine], [0, cosine], color=PALETTE.blue, linewidth=2.4)
        ax.plot(sine, cosine, "o", color=PALETTE.blue)
        angle = "$pos$" if i == 0 else f"$pos/{i + 1}$"
        ax.text(0, 1.3, angle, ha="center", fontsize=11)
        ax.text(0, -1.5, f"({_minus(sine)}, {_minus(cosine)})", ha="center")
        ax.set(xlim=(-1.3, 1.3), ylim=(-1.65, 1.55))
        ax.set_aspect("equal")
        ax.axis("off")
        rows.append((i, position / (i + 1), sine, cosine))
    listed = ", ".join(f"({_minus(sine)}, {_minus(cosine)})" for _, _, sine, cosine in rows)
    return Figure.of(
        fig,
        alt=f"Three dials at position {position}: the first hand has turned by {position} radians, the "
        f"second by half of that, the third by a third; together the {2 * pairs} numbers {listed}.",
        columns=("pair", "angle in radians", "sine", "cosine"),
        rows=rows,
    )


def returns(longest: int = 400, pairs: int = 3) -> Figure:
    """How far the code of each position is from that of position 0, and the positions that come back."""
    codes = harmonic_pairs(range(longest + 1), pairs)
    distance = np.linalg.norm(codes - codes[0], axis=1)
    records = [k for k in range(1, longest + 1) if distance[k] < distance[1:k].min(initial=distance[1] / 2)]
    fig, ax = canvas(2.7)
    ax.plot(np.arange(1, longest + 1), distance[1:], color=PALETTE.blue, linewidth=0.9)
    ax.plot(records, distance[records], "o", color=PALETTE.red)
    for k in records:
        ax.text(k + 5, distance[k], str(k), color=PALETTE.red, va="center", fontweight="bold")
    ax.axhline(distance[1], color=PALETTE.muted, linestyle=":")
    ax.set(xlabel="position", ylabel="distance from position 0", ylim=(-0.15, None))
    listed = ", ".join(f"{distance[k]:.3f} at {k}" for k in records)
    return Figure.of(
        fig,
        alt=f"The distance of the {2 * pairs} numbers from those of position 0: {distance[1]:.2f} for the "
        f"neighbour, up to {distance.max():.2f}, and down again to {listed}.",
        columns=("position", "distance from position 0"),
        rows=list(enumerate(distance))[1:],
    )


def _minus(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}".replace("-", "−")
