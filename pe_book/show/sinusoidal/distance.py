"""Figures, tables and derivations of the chapter on distance."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from pe_book.show.derivation import Derivation, Step
from pe_book.show.figure import DIVERGING, PALETTE, Figure, canvas
from pe_book.show.table import Table
from pe_book.sinusoidal.blending import blend, blend_pairs
from pe_book.sinusoidal.distance import first_rise, kernel, similarity
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.spread import common_component, effective_ranks

Array = NDArray[np.float64]
_COLOURS = (PALETTE.blue, PALETTE.orange, PALETTE.green, PALETTE.purple)


# The kernel -------------------------------------------------------------------------------------------------


def mirror(d_model: int, reach: int) -> Figure:
    """The kernel to both sides, its mirror image drawn on top, and a close look at its first rise."""
    k = np.arange(-reach, reach + 1)
    s = similarity(k, d_model)
    right = s[reach:]
    rise = _rise(right)
    fig, (whole, close) = canvas(3.1, columns=2, width_ratios=[1.7, 1])
    whole.plot(k, s, color=PALETTE.blue, linewidth=4)
    whole.scatter(k[::2], s[::-1][::2], color=PALETTE.orange, s=9, zorder=3)
    whole.scatter([rise, -rise], [right[rise]] * 2, color=PALETTE.red, s=34, zorder=4)
    whole.text(rise + 2.5, right[rise] + 1.2, f"first rise, after {rise}", color=PALETTE.red, va="bottom")
    whole.text(-reach, s.max(), "dots: its\nmirror image", color=PALETTE.orange, va="top")
    whole.set_xticks([-reach, -reach // 2, 0, reach // 2, reach])
    whole.set_xlabel("offset k")
    whole.set_ylabel(r"$PE(p)\cdot PE(p+k)$")
    near = np.arange(max(rise - 4, 0), rise + 13)
    for a, b in pairwise(near):
        up = right[b] > right[a]
        close.plot(
            [a, b], right[[a, b]], color=PALETTE.red if up else PALETTE.blue, linewidth=3 if up else 1.6
        )
    close.scatter(near, right[near], color=PALETTE.ink, s=10, zorder=3)
    close.set_xticks([rise, rise + 6, rise + 12])
    close.set_xlabel("offset k")
    close.set_title("steps that rise", color=PALETTE.red)
    count = int((np.diff(right[near]) > 0).sum())
    alt = (
        f"The dot product of two rows of width {d_model} over the offset from {-reach} to {reach}. It is "
        f"{right[0]:.0f} at 0 and falls to {right[reach]:.1f} on both sides; its mirror image lies on top of "
        f"it. Close up, it rises for the first time from {right[rise]:.2f} at {rise} to "
        f"{right[rise + 1]:.2f}, and in {count} of the {len(near) - 1} steps shown."
    )
    return Figure.of(
        fig, alt=alt, columns=("offset", "dot product"), rows=[(int(a), b) for a, b in zip(k, s, strict=True)]
    )


def two_hands(n: int = 13, base: float = 100.0) -> Figure:
    """The kernel of width 4 as the sum of a fast cosine and a slow one."""
    k, x = np.arange(n), np.linspace(0, n - 1, 40 * n)
    rates = frequencies(4, base=base)
    s = similarity(k, 4, base=base)
    rise = _rise(s)
    again = 1 + int(np.flatnonzero(s[1:] > s[1])[0])
    fig, ax = canvas(3.0)
    ax.axhline(0, color=PALETTE.grid)
    for rate, colour, name in zip(
        rates, (PALETTE.green, PALETTE.purple), ("fast hand", "slow hand"), strict=True
    ):
        ax.plot(x, np.cos(rate * x), color=colour, linewidth=1.2)
        ax.text(n - 0.8, np.cos(rate * (n - 1)), name, color=colour, va="center")
    ax.plot(x, similarity(x, 4, base=base), color=PALETTE.blue)
    ax.scatter(k, s, color=PALETTE.blue, s=22, zorder=3)
    ax.scatter([rise], [s[rise]], color=PALETTE.red, s=40, zorder=4)
    ax.text(rise, s[rise] - 0.18, "first rise", color=PALETTE.red, ha="center", va="top")
    ax.plot([1, again], [s[1]] * 2, color=PALETTE.muted, linestyle=":", linewidth=1.2)
    ax.text(n - 0.8, s[-1], "both", color=PALETTE.blue, va="center")
    ax.set_xlim(0, n + 0.9)
    ax.set_xticks(range(0, n, 2))
    ax.set_xlabel("offset k")
    alt = (
        f"Two cosines and their sum over the offset. The sum is {s[0]:.0f} at 0, {s[1]:.3f} at 1 and "
        f"{s[rise]:.3f} at {rise}, where it turns; at {again} it is {s[again]:.3f}, above its value at 1."
    )
    rows = [(int(j), *np.cos(rates * j), v) for j, v in zip(k, s, strict=True)]
    return Figure.of(fig, alt=alt, columns=("offset", "fast", "slow", "sum"), rows=rows)


def hands_table(n: int = 8, base: float = 100.0) -> Table:
    """The kernel of width 4, offset by offset, as one adds it up by hand."""
    rates = frequencies(4, base=base)
    rows = []
    before = np.inf
    for k in range(n):
        fast, slow = np.cos(rates * k)
        total = fast + slow
        step = "" if k == 0 else "**up**" if total > before else "down"
        rows.append((str(k), f"{fast:.3f}", f"{slow:.3f}", f"{total:.3f}", step))
        before = total
    header = ("offset $k$", r"$\cos k$", r"$\cos (k/10)$", "together", "step")
    return Table(header, rows, align="rrrrl")


def kernel_table(widths: Sequence[int], reach: int = 20_000) -> Table:
    """Where the kernel of each width first rises, how it goes on, and how low it gets."""
    rows = []
    for d in widths:
        s = similarity(np.arange(reach + 1), d) / (d / 2)
        up = 100 * float(np.mean(np.diff(s[:1001]) > 0))
        rows.append((f"{d}", f"{_rise(s)}", *(f"{s[k]:.3f}" for k in (1, 10, 100, 1000)), f"{up:.0f} %",
                     f"{s.min():.3f}"))  # fmt: skip
    header = (
        "width $d$", "first rise after", "${k=1}$", "${k=10}$", "${k=100}$", "${k=1000}$", "steps up",
        "lowest",
    )  # fmt: skip
    return Table(header, rows, align="rrrrrrrr")


def widths(sizes: Sequence[int], n: int, base: float = 10000.0) -> Figure:
    """The kernels of several widths on a logarithmic scale, and the law they follow on average."""
    k = np.arange(1, n + 1)
    law = 1 - (np.log(k) + np.euler_gamma) / np.log(base)
    fig, ax = canvas(3.5)
    lines, rises = {}, {}
    for d, colour in zip(sizes, _COLOURS, strict=False):
        s = similarity(np.arange(n + 1), d, base=base) / (d / 2)
        lines[d], rises[d] = s[1:], _rise(s)
        ax.plot(k, lines[d], color=colour, linewidth=1.0 if d < max(sizes) else 1.8)
        ax.scatter([rises[d]], [s[rises[d]]], color=colour, s=36, zorder=4)
        # above every curve, which ripple higher the narrower the width
        ax.text(rises[d] * 1.12, s[rises[d]] + 0.1, f"d = {d}", color=colour, va="bottom")
    ax.plot(k, law, color=PALETTE.ink, linewidth=1.2, linestyle=(0, (4, 3)))
    ax.text(1.5, law[0] - 0.17, "the law", color=PALETTE.ink, va="center", ha="center")
    ax.axhline(0, color=PALETTE.grid, zorder=0)
    ax.set_xscale("log")
    ticks = [10**j for j in range(len(str(n)))]
    ax.set_xticks(ticks, [f"{t:,}" for t in ticks])
    ax.minorticks_off()
    ax.set_xlabel("offset k, in tokens")
    ax.set_ylabel("cosine of the angle\nbetween two rows")
    firsts = ", ".join(f"{rises[d]} at width {d}" for d in sizes)
    wide = lines[max(sizes)]
    alt = (
        f"Cosine of the angle between two rows over their offset, 1 to {n}, on a logarithmic scale. All "
        f"widths fall along one straight line, by {law[0] - law[9]:.2f} for each factor of 10, and ripple "
        f"about it, the wider the less; width {max(sizes)} is at {wide[0]:.2f}, {wide[9]:.2f}, "
        f"{wide[99]:.2f} at 1, 10 and 100. First rises, marked by dots: {firsts}."
    )
    shown = np.unique(np.round(np.geomspace(1, n, 240)).astype(int))
    rows = [(int(j), *(lines[d][j - 1] for d in sizes), law[j - 1]) for j in shown]
    return Figure.of(fig, alt=alt, columns=("offset", *(f"d = {d}" for d in sizes), "law"), rows=rows)


# Other frequencies ------------------------------------------------------------------------------------------


def bases_table(bases: Sequence[float], d_model: int, n: int = 101) -> Table:
    """For each base: the first rise among n positions, how alike neighbours are, and the least alike rows."""
    rows = []
    for base in bases:
        s = similarity(np.arange(n), d_model, base=base) / (d_model / 2)
        rise = first_rise(s)
        power = np.log10(base)
        name = f"$10^{{{power:.0f}}}$" if power == round(power) else f"{base:g}"
        where = "none" if rise is None else f"{rise}"
        rows.append((name, where, f"{s[1]:.3f}", f"{s[10]:.3f}", f"{s.min():.3f}", f"{int(s.argmin())}"))
    header = ("base", "first rise after", "${k=1}$", "${k=10}$", "least alike", "at offset")
    return Table(header, rows, align="rrrrrr")


def spectra(named: dict[str, Array], n: int) -> Figure:
    """Kernels of several lists of frequencies over the offset, on a logarithmic scale."""
    k = np.arange(1, n + 1)
    lines = {name: kernel(k, w) / len(w) for name, w in named.items()}
    fig, ax = canvas(3.4)
    ax.axhline(0, color=PALETTE.grid, zorder=0)
    heights = {name: float(line[-max(n // 20, 1) :].mean()) for name, line in lines.items()}
    for (name, line), colour in zip(lines.items(), _COLOURS, strict=True):
        ax.plot(k, line, color=colour, linewidth=1.3)
        below = [h for h in heights.values() if 0 < heights[name] - h < 0.1]
        above = [h for h in heights.values() if 0 < h - heights[name] < 0.1]
        side = "bottom" if below else "top" if above else "center"
        ax.text(n * 1.08, heights[name] - 0.04 * (side == "top"), name, color=colour, va=side)
    ax.set_xscale("log")
    ax.set_xlim(1, n * 6.5)
    ticks = [10**j for j in range(len(str(n)))]
    ax.set_xticks(ticks, [f"{t:,}" for t in ticks])
    ax.minorticks_off()
    ax.set_xlabel("offset k, in tokens")
    ax.set_ylabel("cosine of the angle\nbetween two rows")
    at = ", ".join(f"{name} {line[0]:.2f}, {line[9]:.2f}, {line[99]:.2f}" for name, line in lines.items())
    late = {name: n // 2 + int(line[n // 2 :].argmax()) for name, line in lines.items()}
    last = ", ".join(f"{name} {lines[name][j]:.2f} at {k[j]}" for name, j in late.items())
    alt = (
        f"Kernels of {len(named)} lists of frequencies over the offset, 1 to {n}, on a logarithmic scale. "
        f"At the offsets 1, 10 and 100: {at}. Highest in the second half: {last}."
    )
    shown = np.unique([*np.round(np.geomspace(1, n, 240)).astype(int), *(j + 1 for j in late.values())])
    rows = [(int(j), *(line[j - 1] for line in lines.values())) for j in shown]
    return Figure.of(fig, alt=alt, columns=("offset", *lines), rows=rows)


# What a weight matrix makes of it ---------------------------------------------------------------------------


def score_maps(matrices: dict[str, Array], n: int) -> Figure:
    """Scores of the first n positions with each other under several score matrices."""
    d_model = len(next(iter(matrices.values())))
    rows = encode(range(n), d_model)
    maps = {name: rows @ m @ rows.T for name, m in matrices.items()}
    fig, panels = canvas(2.5, columns=len(maps))
    spread = {}
    for ax, (name, scores) in zip(panels, maps.items(), strict=True):
        limit = float(np.abs(scores).max())
        ax.imshow(scores, cmap=DIVERGING, vmin=-limit, vmax=limit)
        ax.set_title(f"{name}\n±{limit:.0f}")
        ax.set(xticks=[0, n - 1], yticks=[0, n - 1])
        spread[name] = _off_diagonal_spread(scores) / limit
    panels[0].set_xlabel("key")
    panels[0].set_ylabel("query")
    alt = (
        f"Scores between {n} positions under {len(maps)} score matrices, blue negative and orange positive. "
        "How much a score varies along a diagonal, where the offset is the same, relative to the largest: "
        f"{', '.join(f'{name} {value:.2f}' for name, value in spread.items())}."
    )
    cells = [(q, k, *(s[q, k] for s in maps.values())) for q in range(n) for k in range(n)]
    return Figure.of(fig, alt=alt, columns=("query", "key", *maps), rows=cells)


# The rows as a cloud ----------------------------------------------------------------------------------------


def cloud(n: int, d_model: int, named: Sequence[int]) -> Figure:
    """The n rows in the plane of their two strongest directions, and the energy direction by direction."""
    table = encode(range(n), d_model)
    common = common_component(table)
    centred = table - common.row
    _, sigma, axes = np.linalg.svd(centred, full_matrices=False)
    plane = axes[:2] * np.sign(centred[-1] @ axes[:2].T)[:, None]  # the last row at the upper right
    x, y = plane @ centred.T
    held = 100 * np.cumsum(np.square(sigma)) / np.square(sigma).sum()
    full = np.linalg.svd(table, compute_uv=False)
    held_full = 100 * np.cumsum(np.square(full)) / np.square(full).sum()
    fig, (left, right) = canvas(3.4, columns=2)
    left.plot(x, y, color=PALETTE.grid, linewidth=1)
    left.scatter(x, y, color=PALETTE.blue, s=10, zorder=3)
    left.scatter(x[list(named)], y[list(named)], color=PALETTE.orange, s=30, zorder=4)
    middle = np.array([x.mean(), y.mean()])
    for p in named:
        away = np.array([x[p], y[p]]) - middle
        # beside the curve; at its tips, which bend inwards, below
        shift = np.array([0, -13]) if p in (0, n - 1) else 13 * away / float(np.hypot(*away))
        left.annotate(str(p), (x[p], y[p]), xytext=tuple(shift), textcoords="offset points", ha="center",
                      va="center", color=PALETTE.orange)  # fmt: skip
    left.set_aspect("equal")
    left.margins(0.14)
    left.set_axis_off()
    left.set_title(f"{held[1]:.0f} % of what tells them apart")
    most = min(24, n)
    j = np.arange(1, most + 1)
    right.plot(j, held_full[:most], color=PALETTE.blue)
    right.plot(j, held[:most], color=PALETTE.orange)
    right.axhline(99, color=PALETTE.muted, linestyle=":", linewidth=1.2)
    right.text(most, 95, "99 %", color=PALETTE.muted, ha="right", va="top")
    # above its curve, which lies above the other; the other, below
    right.text(0.3, held_full[4] + 4, "all rows", color=PALETTE.blue, va="bottom")
    right.text(6, held[5] - 8, "without\ntheir mean", color=PALETTE.orange, va="top")
    right.set_ylim(0, 104)
    right.set_xlabel("directions")
    right.set_ylabel("energy held, percent")
    alt = (
        f"Left: {n} rows of width {d_model}, without their mean, in the plane of their two strongest "
        f"directions, a horseshoe with the first and the last row at its tips; the plane holds "
        f"{held[1]:.0f} percent of the energy left. Right: energy held by the strongest directions; one "
        f"holds {held_full[0]:.0f} percent of all rows, the mean alone {100 * common.share:.0f}; 99 percent "
        f"takes {int(np.count_nonzero(held_full < 99)) + 1} directions."
    )
    rows = [(p, x[p], y[p], held_full[p] if p < len(held_full) else None, held[p]) for p in range(n)]
    columns = ("position", "first axis", "second axis", "energy held", "energy held, without mean")
    return Figure.of(fig, alt=alt, columns=columns, rows=rows)


def ranks_table(shapes: Sequence[tuple[int, int]]) -> Table:
    """For each table: the share of its mean row, and how many directions it fills by five definitions."""
    rows = []
    for n, d in shapes:
        table = encode(range(n), d)
        share, ranks = common_component(table).share, effective_ranks(table)
        rows.append((
            f"{n:,}\u00a0×\u00a0{d}", f"{100 * share:.0f} %", f"{ranks.stable:.1f}",
            f"{ranks.participation:.1f}", f"{ranks.entropy:.0f}", f"{ranks.energy}", f"{ranks.threshold}",
        ))  # fmt: skip
    header = ("table", "in the mean row", "stable", "participation", "entropy", "99 % of energy",
              r"above $\sigma_1/1000$")  # fmt: skip
    return Table(header, rows, align="lrrrrrr")


# Between two positions --------------------------------------------------------------------------------------


def chords(ends: Sequence[tuple[int, int]], d_model: int) -> Figure:
    """A blend is a point of a chord: the fastest pair drawn, and the length of every pair at the middle."""
    fig, (left, right) = canvas(3.2, columns=2, width_ratios=[1, 1.25])
    turn = np.linspace(0, 2 * np.pi, 300)
    left.plot(np.sin(turn), np.cos(turn), color=PALETTE.grid)
    p, q = ends[0]
    a, b, exact, mixed = encode(p, 2), encode(q, 2), encode((p + q) / 2, 2), blend(p, q, 0.5, 2)
    left.plot(*np.transpose([a, b]), color=PALETTE.orange, linewidth=1.4)
    for point, name, colour, at in (
        (a, f"{p}", PALETTE.blue, 1.16), (b, f"{q}", PALETTE.blue, 1.16),
        (exact, f"{(p + q) / 2:g}", PALETTE.green, 1.2), (mixed, "blend", PALETTE.orange, 0.6),
    ):  # fmt: skip
        left.plot([0, point[0]], [0, point[1]], color=colour, linewidth=0.8)
        left.scatter(*point, color=colour, s=30, zorder=3)
        where = point / np.linalg.norm(point) * at
        lift = 0.07 if name == "blend" else 0.0
        left.text(where[0], where[1] + lift, name, color=colour, ha="center", va="center")
    left.set_aspect("equal")
    left.set_axis_off()
    left.set(xlim=(-0.5, 1.4), ylim=(-0.62, 1.28))
    pairs = np.arange(d_model // 2)
    lengths = {(p, q): blend_pairs(q - p, 0.5, d_model).length for p, q in ends}
    for ((p, q), length), colour in zip(lengths.items(), _COLOURS[1:], strict=False):
        right.plot(pairs, length, color=colour, linewidth=1.3)
        # each curve is named where it last leaves 0.5; one that never falls so low, at its left end
        low = np.flatnonzero(length < 0.5)
        x, y, side = (low[-1] + 2.5, 0.5, "center") if low.size else (1.0, 1.03, "bottom")
        right.text(x, y, f"{p} and {q}", color=colour, va=side)
    right.set_ylim(0, 1.15)
    right.set_xlabel("pair i")
    right.set_ylabel("length of the blended pair")
    firsts = "; ".join(
        f"of {p} and {q} {length[0]:.2f} in pair 0 and at least {length.min():.2f}"
        for (p, q), length in lengths.items()
    )
    alt = (
        f"Left: the fastest pair at {ends[0][0]} and {ends[0][1]} on the circle; the blend lies on the "
        f"chord, at length {np.linalg.norm(mixed):.4f}. Right: the length of every pair of width {d_model} "
        f"in a blend of two positions half and half: {firsts}."
    )
    rows = [(int(i), *(length[i] for length in lengths.values())) for i in pairs]
    return Figure.of(fig, alt=alt, columns=("pair", *(f"{p} and {q}" for p, q in ends)), rows=rows)


def between(first: int, second: int, d_model: int, reach: int = 15) -> Figure:
    """What the blend of two positions looks like to the table, beside the encoding of the middle."""
    p = np.arange(first - reach, second + reach + 1)
    table = encode(p, d_model)
    middle = (first + second) / 2
    mixed, exact = blend(first, second, 0.5, d_model), encode(middle, d_model)
    to_mixed, to_exact = table @ mixed / (d_model / 2), table @ exact / (d_model / 2)
    fig, ax = canvas(3.0)
    ax.plot(p, to_exact, color=PALETTE.green)
    ax.plot(p, to_mixed, color=PALETTE.orange)
    ax.text(middle + 4, to_exact.max(), f"encoding of {middle:g}", color=PALETTE.green, va="top")
    at = int(np.flatnonzero(p == second)[0])
    ax.text(second + 1.5, to_mixed[at] + 0.02, "blend", color=PALETTE.orange, va="bottom")
    ax.set_xticks([first, int(middle), second])
    ax.set_xlabel("position it is compared with")
    ax.set_ylabel("dot product, of d/2")
    at_middle = float(to_mixed[np.flatnonzero(p == int(middle))[0]])
    alt = (
        f"Dot products with the rows around {first} to {second}, width {d_model}. The encoding of "
        f"{middle:g} has one peak, there. The blend of {first} and {second} has two, {to_mixed.max():.2f} at "
        f"its two ends, and only {at_middle:.2f} in the middle."
    )
    rows = [(int(a), b, c) for a, b, c in zip(p, to_mixed, to_exact, strict=True)]
    return Figure.of(fig, alt=alt, columns=("position", "blend", "encoding of the middle"), rows=rows)


def blend_table(ends: Sequence[tuple[float, float]], fraction: float, sizes: Sequence[int]) -> Table:
    """Blend against encoding: relative length, cosine of the angle between them, largest entry apart."""
    rows = []
    for p, q in ends:
        for d in sizes:
            mixed, exact = blend(p, q, fraction, d), encode((1 - fraction) * p + fraction * q, d)
            size = np.linalg.norm(exact)
            ratio = float(np.linalg.norm(mixed) / size)
            cosine = float(mixed @ exact / np.linalg.norm(mixed) / size)
            off = float(np.abs(mixed - exact).max())
            rows.append((f"{p:g} and {q:g}", f"{d}", f"{ratio:.4f}", f"{cosine:.4f}", f"{off:.3f}"))
    header = ("blend of", "width", "length, relative", "cosine", "largest entry apart")
    return Table(header, rows, align="lrrrr")


# Derivations ------------------------------------------------------------------------------------------------

P, K, OMEGA, T = sympy.symbols("p k omega theta", real=True)


def product_of_a_pair() -> Derivation:
    """The dot product of one pair with itself k tokens later."""
    x, y = OMEGA * P, OMEGA * (P + K)
    return Derivation(
        sympy.sin(x) * sympy.sin(y) + sympy.cos(x) * sympy.cos(y),
        [
            Step(sympy.cos(y - x), "the cosine of a difference", r"\cos\bigl(\omega(p+k) - \omega p\bigr)"),
            Step(sympy.cos(OMEGA * K), "the position cancels", r"\cos\omega k"),
        ],
        latex=r"\sin\omega p\,\sin\omega(p+k) + \cos\omega p\,\cos\omega(p+k)",
    )


def chord_of_a_pair() -> Derivation:
    """The squared distance of one pair from itself k tokens later."""
    x, y = OMEGA * P, OMEGA * (P + K)
    return Derivation(
        (sympy.sin(y) - sympy.sin(x)) ** 2 + (sympy.cos(y) - sympy.cos(x)) ** 2,
        [
            Step(
                2 - 2 * (sympy.sin(x) * sympy.sin(y) + sympy.cos(x) * sympy.cos(y)),
                "multiply out; $\\sin^2 + \\cos^2 = 1$ twice",
                r"2 - 2\,\bigl(\sin\omega p\,\sin\omega(p+k) + \cos\omega p\,\cos\omega(p+k)\bigr)",
            ),
            Step(2 - 2 * sympy.cos(OMEGA * K), "the bracket is the dot product", r"2 - 2\cos\omega k"),
        ],
        latex=(
            r"\bigl(\sin\omega(p+k) - \sin\omega p\bigr)^2 + \bigl(\cos\omega(p+k) - \cos\omega p\bigr)^2"
        ),
    )


def turned_product_of_a_pair() -> Derivation:
    """The dot product of one pair with itself k tokens later, after a quarter turn of the later one."""
    x, y = OMEGA * P, OMEGA * (P + K)
    return Derivation(
        sympy.cos(x) * sympy.sin(y) - sympy.sin(x) * sympy.cos(y),
        [
            Step(sympy.sin(y - x), "the sine of a difference", r"\sin\bigl(\omega(p+k) - \omega p\bigr)"),
            Step(sympy.sin(OMEGA * K), "the position cancels", r"\sin\omega k"),
        ],
        latex=r"\cos\omega p\,\sin\omega(p+k) - \sin\omega p\,\cos\omega(p+k)",
    )


def _rise(values: Array) -> int:
    rise = first_rise(values)
    if rise is None:
        raise ValueError("these values never rise, so there is no first rise to show")
    return rise


def _off_diagonal_spread(scores: Array) -> float:
    """The largest range of scores among pairs of positions with one offset."""
    n = len(scores)
    ranges: list[Any] = [np.ptp(np.diagonal(scores, k)) for k in range(1 - n, n)]
    return float(max(ranges))
