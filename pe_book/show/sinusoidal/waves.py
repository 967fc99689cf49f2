"""Figures and tables of the chapter on waves: single waves, dials, odometer, ladder, bits."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.show.figure import PALETTE, Figure, canvas
from pe_book.show.table import Table
from pe_book.sinusoidal.digits import digits
from pe_book.sinusoidal.formula import encode, frequencies, wavelengths

_FAST_TO_SLOW = (PALETTE.blue, PALETTE.orange, PALETTE.green, PALETTE.purple)


# One wave ---------------------------------------------------------------------------------------------------


def sine_and_cosine() -> Figure:
    """Sine and cosine over two turns, between the bounds that the circle sets."""
    x = np.linspace(0, 4 * np.pi, 241)
    sine, cosine = np.sin(x), np.cos(x)
    fig, axes = canvas(3.6, rows=2, sharex=True)
    for ax, wave, name, colour in zip(axes, (sine, cosine), ("sin x", "cos x"), _FAST_TO_SLOW, strict=False):
        for bound in (-1, 1):
            ax.axhline(bound, color=PALETTE.muted, linestyle=(0, (4, 3)), linewidth=0.9)
        ax.axhline(0, color=PALETTE.grid)
        ax.plot(x, wave, color=colour)
        ax.set_ylabel(name)
        ax.set_yticks([-1, 0, 1])
        ax.set_ylim(-1.25, 1.25)
    axes[1].set_xticks(np.pi * np.arange(5), ["0", "π", "2π", "3π", "4π"])
    axes[1].set_xlim(0, 4 * np.pi)
    axes[1].set_xlabel("angle x, in radians")
    alt = (
        f"Two curves over two turns. The sine starts at {sine[0]:.0f} and the cosine at {cosine[0]:.0f}; "
        f"both stay between {sine.min():.0f} and {sine.max():.0f} and repeat after {2 * np.pi:.3f} "
        "radians, the cosine a quarter turn ahead."
    )
    rows = list(zip(x, sine, cosine, strict=True))
    return Figure.of(fig, alt=alt, columns=("x", "sin x", "cos x"), rows=rows)


def sine_of_words(words: tuple[str, ...]) -> Figure:
    """The sine between the first and the last word, with the value that each word is given."""
    positions = np.arange(len(words))
    values = np.sin(positions)
    slope = np.cos(positions)  # the label stands outside the arch: left of a rise, right of a fall
    x = np.linspace(0, positions[-1], 121)
    fig, ax = canvas(3.2)
    ax.axhline(0, color=PALETTE.grid)
    ax.plot(x, np.sin(x), color=PALETTE.muted, linewidth=1.2)
    ax.scatter(positions, values, color=PALETTE.blue, s=45, zorder=3)
    for p, (word, value) in enumerate(zip(words, values, strict=True)):
        label = f"{word} {value:.3f}".replace("-", "−")
        aside, side = (9, "left") if slope[p] < 0 else (-9, "right")
        ax.annotate(
            label, (p, value), xytext=(aside, 5), textcoords="offset points", ha=side, color=PALETTE.ink
        )
    ax.set_xlim(-0.95, positions[-1] + 0.95)
    ax.set_ylim(-1.1, 1.25)
    ax.set_yticks([-1, 0, 1])
    ax.set_xticks(positions)
    ax.set_xlabel("position")
    ax.set_ylabel("sin(position)")
    listed = ", ".join(f"{word} {value:.3f}" for word, value in zip(words, values, strict=True))
    alt = f"A sine curve with a dot for each word at positions 0 to {positions[-1]}: {listed}."
    rows = list(zip(words, positions, values, strict=True))
    return Figure.of(fig, alt=alt, columns=("word", "position", "sin(position)"), rows=rows)


# Dials ------------------------------------------------------------------------------------------------------


def _dial(ax: Any, angles: NDArray[np.float64], colour: str) -> None:
    """A clock face: angle 0 is at the top and grows clockwise, so that (sin, cos) is (right, up)."""
    rim = np.linspace(0, 2 * np.pi, 121)
    ax.plot(np.sin(rim), np.cos(rim), color=PALETTE.grid, linewidth=1.4)
    ax.plot([0, 0], [0.9, 1.1], color=PALETTE.muted, linewidth=1.2)
    ax.plot([0, np.sin(angles[-1])], [0, np.cos(angles[-1])], color=colour, linewidth=2.2)
    ax.scatter(np.sin(angles), np.cos(angles), color=colour, s=26, zorder=3)
    ax.set_aspect("equal")
    ax.set_xlim(-1.2, 1.2)
    ax.set_ylim(-1.2, 1.2)
    ax.set_axis_off()


def dials(n: int, d_model: int) -> Figure:
    """One dial a pair: where its hand points for the words 0, …, n-1."""
    rates = frequencies(d_model)
    positions = np.arange(n)
    fig, axes = canvas(2.2, columns=len(rates))
    for i, (ax, rate) in enumerate(zip(axes, rates, strict=True)):
        _dial(ax, positions * rate, _FAST_TO_SLOW[i % 4])
        ax.set_title(f"pair {i}\n{rate:g} rad a token")
    swept = ", ".join(f"pair {i} turns {(n - 1) * rate:.3f} radians" for i, rate in enumerate(rates))
    alt = (
        f"A row of {len(rates)} clock faces with a dot for each of {n} words: {swept}. The dots of the "
        "first surround the dial, those of the last lie on one another."
    )
    columns = ("position", *(f"angle of pair {i} (rad)" for i in range(len(rates))))
    return Figure.of(fig, alt=alt, columns=columns, rows=[(p, *(p * rates)) for p in positions])


def odometer(position: int, d_model: int) -> Figure:
    """The wheels of a decimal odometer above the dials that turn at their speeds, the slowest on the left."""
    rates = frequencies(d_model)[::-1]
    wheels = digits(position, places=len(rates))
    fig, axes = canvas(2.9, columns=len(rates), rows=2, height_ratios=[1, 2.4])
    for column, (rate, digit) in enumerate(zip(rates, wheels, strict=True)):
        above, below = axes[0, column], axes[1, column]
        above.text(0.5, 0.45, str(digit), ha="center", va="center", fontsize=22, color=PALETTE.ink)
        above.plot([0.3, 0.7, 0.7, 0.3, 0.3], [0, 0, 0.9, 0.9, 0], color=PALETTE.muted, linewidth=1.2)
        above.set_xlim(0, 1)
        above.set_ylim(-0.05, 0.95)
        above.set_axis_off()
        pair = len(rates) - 1 - column
        _dial(below, np.array([position * rate]), _FAST_TO_SLOW[pair % 4])
        below.set_title(f"pair {pair}\n{position * rate:g} rad")
    turned = np.floor(position * rates / (2 * np.pi)).astype(int)
    told = "; ".join(
        f"wheel {digit} above pair {len(rates) - 1 - c}, whose hand has made {turn} whole turns"
        for c, (digit, turn) in enumerate(zip(wheels, turned, strict=True))
    )
    alt = f"Position {position} on an odometer and on {len(rates)} dials, slowest first: {told}."
    rows = [
        (len(rates) - 1 - c, digit, position * rate, turn, position * rate - 2 * np.pi * turn)
        for c, (digit, rate, turn) in enumerate(zip(wheels, rates, turned, strict=True))
    ]
    columns = ("pair", "odometer digit", "angle (rad)", "whole turns", "angle shown (rad)")
    return Figure.of(fig, alt=alt, columns=columns, rows=rows)


def odometer_table(position: int, d_model: int) -> Table:
    """For each pair: angle, whole turns lost, angle shown, and the positions its dial leaves open."""
    rates = frequencies(d_model)
    wheels = digits(position, places=len(rates))[::-1]
    rows = []
    for i, (rate, digit) in enumerate(zip(rates, wheels, strict=True)):
        turns, rest = divmod(position * rate, 2 * np.pi)
        told = (f"{rest:.3f}", f"{rest / rate:.2f}", f"{2 * np.pi / rate:,.1f}")
        rows.append((f"{i}", f"{digit}", f"{position * rate:g}", f"{turns:.0f}", *told))
    header = ("pair", "wheel", "angle (rad)", "whole turns, lost", "angle shown", "position shown", "modulo")
    return Table(header=header, rows=rows, align="rrrrrrr")


# The ladder -------------------------------------------------------------------------------------------------


def ladder(d_model: int, small: int) -> Figure:
    """All frequencies of a width on a logarithmic scale, and where the wavelengths of a small width end."""
    rates = frequencies(d_model)
    paper, code = wavelengths(small), wavelengths(small, ladder="tensor2tensor")
    end = 2 * np.pi * 10000
    fig, (left, right) = canvas(3.1, columns=2)
    left.semilogy(np.arange(len(rates)), rates, color=PALETTE.blue)
    left.axhline(1e-4, color=PALETTE.muted, linestyle=(0, (4, 3)), linewidth=0.9)
    left.text(0, 1.15e-4, "1/10000", color=PALETTE.muted, va="bottom")
    left.set_xlabel("pair i")
    left.set_ylabel("frequency (rad a token)")
    left.set_title(f"width {d_model}")
    pairs = np.arange(len(paper))
    right.axhline(end, color=PALETTE.muted, linestyle=(0, (4, 3)), linewidth=0.9)
    right.text(0, end * 0.86, "10000 · 2π", color=PALETTE.muted, va="top")
    right.semilogy(pairs, code, color=PALETTE.orange, marker="s", linewidth=1)
    right.semilogy(pairs, paper, color=PALETTE.blue, marker="o", linewidth=1)
    right.text(pairs[1], code[1] * 1.6, "authors' code", color=PALETTE.orange, ha="right", va="bottom")
    right.text(pairs[2] + 0.15, paper[2] * 0.8, "paper", color=PALETTE.blue, va="top")
    right.set_xticks(pairs)
    right.set_xlabel("pair i")
    right.set_ylabel("wavelength (tokens)")
    right.set_title(f"width {small}")
    alt = (
        f"Left: the {len(rates)} frequencies of width {d_model} fall on a straight line of a logarithmic "
        f"scale, from {rates[0]:g} to {rates[-1]:.4g}, above 1/10000. Right: the wavelengths of width "
        f"{small} end at {paper[-1]:,.0f} under the paper's formula and at {code[-1]:,.0f} in the authors' "
        "code."
    )
    rows = [(d_model, "paper", i, rate, 2 * np.pi / rate) for i, rate in enumerate(rates)]
    for name, waves in (("paper", paper), ("tensor2tensor", code)):
        rows += [(small, name, i, 2 * np.pi / wave, wave) for i, wave in enumerate(waves)]
    columns = ("width", "ladder", "pair", "frequency (rad a token)", "wavelength (tokens)")
    return Figure.of(fig, alt=alt, columns=columns, rows=rows)


def ends_table(widths: tuple[int, ...]) -> Table:
    """Ratio of neighbours, last wavelength and its share of 10000 turns' length, for each width."""
    rows = []
    for d in widths:
        waves = wavelengths(d)
        ratio, share = waves[1] / waves[0], waves[-1] / (2 * np.pi * 10000)
        rows.append((f"{d}", f"{waves[0]:.3f}", f"{ratio:.4f}", f"{waves[-1]:,.1f}", f"{100 * share:.2f} %"))
    header = ("width $d$", "first, in tokens", "ratio", "last, in tokens", r"share of $10000\cdot 2\pi$")
    return Table(header=header, rows=rows, align="rrrrr")


# Bits -------------------------------------------------------------------------------------------------------


def bits(n: int, d_model: int, count: int) -> Figure:
    """The bits of a counter beside the sines of the same number of pairs, over the positions 0, …, n-1."""
    positions = np.arange(n)
    wheels = len(digits(n - 1, radix=2))
    counter = np.array([digits(int(p), radix=2, places=wheels) for p in positions])[:, ::-1][:, :count]
    sines = encode(positions, d_model)[:, 0 : 2 * count : 2]
    x = np.linspace(0, n - 1, 40 * n)
    curves = encode(x, d_model)[:, 0 : 2 * count : 2]
    fig, axes = canvas(3.6, rows=count, columns=2, sharex=True)
    for j in range(count):
        left, right = axes[j]
        held = np.append(counter[:, j], counter[-1, j])  # the last bit is drawn one step long, too
        left.step(np.append(positions, n), held, where="post", color=_FAST_TO_SLOW[j])
        left.set_yticks([0, 1])
        left.set_ylim(-0.2, 1.2)
        left.set_ylabel(f"bit {j}")
        right.axhline(0, color=PALETTE.grid)
        right.plot(x, curves[:, j], color=_FAST_TO_SLOW[j])
        right.scatter(positions, sines[:, j], color=_FAST_TO_SLOW[j], s=16, zorder=3)
        right.set_yticks([-1, 0, 1])
        right.set_ylim(-1.2, 1.2)
        right.set_ylabel(f"pair {j}")
    axes[0, 0].set_title("a binary counter")
    axes[0, 1].set_title(f"sines of width {d_model}")
    for ax in axes[-1]:
        ax.set_xlabel("position")
        ax.set_xticks(range(0, n + 1, 4))
    changes = [int(np.count_nonzero(np.diff(counter[:, j]))) for j in range(count)]
    ranges = np.ptp(sines, axis=0)
    alt = (
        f"Over {n} positions bits 0 to {count - 1} change {', '.join(map(str, changes))} times; the sines "
        f"of pairs 0 to {count - 1} have the ranges {', '.join(f'{r:.2f}' for r in ranges)}: the first "
        "swings, the last barely rises."
    )
    columns = ("position", *(f"bit {j}" for j in range(count)), *(f"sine of pair {j}" for j in range(count)))
    rows = [(p, *counter[p], *sines[p]) for p in positions]
    return Figure.of(fig, alt=alt, columns=columns, rows=rows)
