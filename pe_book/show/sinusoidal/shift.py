"""Figures and tables of the chapter on the shift theorem; its derivations are in shift_steps."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.show.figure import DIVERGING, PALETTE, Figure, canvas
from pe_book.show.table import Table
from pe_book.sinusoidal.fitting import fit_shift, shift_errors, shift_residual
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.shift import shift_matrix

Array = NDArray[np.float64]


def clock(hours: int = 2, turn: int = 12) -> Figure:
    """A face with `turn` positions, and the same turn by `hours` applied at three of them."""
    angles = 2 * np.pi * np.arange(turn) / turn
    fig, ax = canvas(3.4, width=3.6)
    ax.plot(
        np.sin(np.linspace(0, 2 * np.pi, 200)), np.cos(np.linspace(0, 2 * np.pi, 200)), color=PALETTE.grid
    )
    ax.scatter(np.sin(angles), np.cos(angles), color=PALETTE.muted, s=14, zorder=3)
    for p, angle in enumerate(angles):
        ax.text(
            1.17 * np.sin(angle), 1.17 * np.cos(angle), str(p), ha="center", va="center", color=PALETTE.ink
        )
    starts = (1, 5, 8)
    for p, colour in zip(starts, (PALETTE.blue, PALETTE.orange, PALETTE.green), strict=True):
        a, b = angles[p], angles[(p + hours) % turn]
        ax.plot([0, np.sin(a)], [0, np.cos(a)], color=colour, linestyle="--", linewidth=1.2)
        ax.plot([0, np.sin(b)], [0, np.cos(b)], color=colour)
        arc = np.linspace(a, a + 2 * np.pi * hours / turn, 40)
        ax.plot(0.55 * np.sin(arc), 0.55 * np.cos(arc), color=colour)
        ax.annotate("", xy=0.55 * _hand(arc[-1]), xytext=0.55 * _hand(arc[-4]), arrowprops=_head(colour))
    ax.set_aspect("equal")
    ax.set_axis_off()
    rows = [
        (p, np.sin(a), np.cos(a), (p + hours) % turn, np.sin(b), np.cos(b))
        for p in range(turn)
        for a, b in [(angles[p], angles[(p + hours) % turn])]
    ]
    moves = ", ".join(f"{p} to {(p + hours) % turn}" for p in starts)
    alt = (
        f"A clock face with positions 0 to {turn - 1}, {360 / turn:g} degrees apart; "
        f"three hands turn by the same "
        f"{360 * hours / turn:g} degrees, from {moves}."
    )
    header = ("position", "sine", "cosine", "position after", "sine after", "cosine after")
    return Figure.of(fig, alt=alt, columns=header, rows=[_rounded(row) for row in rows])


def student(omega: float = 0.1, k: int = 10, n: int = 1000) -> Figure:
    """The shifted sine over the sine alone, and over what sine and cosine predict together."""
    p = np.arange(n)
    here, there = np.sin(omega * p), np.sin(omega * (p + k))
    slope, level = np.polyfit(here, there, 1)
    both = np.column_stack([here, np.cos(omega * p)])
    predicted = both @ np.linalg.lstsq(both, there, rcond=None)[0]
    fig, (left, right) = canvas(3.2, columns=2, sharey=True)
    left.scatter(here, there, s=3, color=PALETTE.blue)
    left.plot([-1, 1], [level - slope, level + slope], color=PALETTE.red)
    left.set_xlabel("sine at p")
    left.set_ylabel(f"sine at p + {k}")
    left.set_title("one column: an ellipse, and the best line")
    right.scatter(predicted, there, s=3, color=PALETTE.blue)
    right.set_xlabel("predicted from sine and cosine at p")
    right.set_title("two columns: on the diagonal")
    for ax in (left, right):
        ax.set_aspect("equal")
    r2 = np.corrcoef(here, there)[0, 1] ** 2
    alt = (
        f"Two scatter plots of {n} positions. Left: sine at p + {k} over sine at p lies on an ellipse, "
        f"and the best line, slope {slope:.2f}, explains {r2:.3f} of the variance. Right: predicted from "
        f"sine and cosine together, every point lies on the diagonal."
    )
    rows = [_rounded((int(i), here[i], there[i], predicted[i])) for i in range(0, n, n // 50)]
    return Figure.of(
        fig, alt=alt, columns=("p", "sine at p", f"sine at p + {k}", "predicted from both"), rows=rows
    )


HOPS = (
    (10, ((10, 20), (3, 13), (4, 14))),
    (7, ((5, 12), (1, 8), (21, 28))),
    (5, ((2, 7), (15, 20), (10, 15))),
)


def hops() -> Figure:
    """Three matrices, and for each of them three places where it was applied."""
    fig, axes = canvas(3.6, rows=3, sharex=True)
    for ax, (k, jumps), colour in zip(axes, HOPS, (PALETTE.blue, PALETTE.orange, PALETTE.green), strict=True):
        ax.plot([0, 29], [0, 0], color=PALETTE.grid)
        for source, target in jumps:
            t = np.linspace(0, np.pi, 40)
            ax.plot((source + target) / 2 - k / 2 * np.cos(t), np.sin(t), color=colour)
            ax.annotate("", xy=(target, 0), xytext=(target - 0.12, 0.16), arrowprops=_head(colour))
        for p in sorted({p for jump in jumps for p in jump}):
            ax.text(p, -0.15, str(p), ha="center", va="top")
        ax.text(-1.2, 0.4, f"$T_{{{k}}}$", ha="right", va="center", color=colour, fontsize=13)
        ax.set_ylim(-0.75, 1.15)
        ax.set_xlim(-3, 30)
        ax.set_axis_off()
    alt = "Arcs over a line of positions. " + "; ".join(
        f"one matrix T_{k} makes every jump of {k}: " + ", ".join(f"{a} to {b}" for a, b in jumps)
        for k, jumps in HOPS
    )
    rows = [(f"T_{k}", a, b) for k, jumps in HOPS for a, b in jumps]
    return Figure.of(fig, alt=alt + ".", columns=("matrix", "from", "to"), rows=rows)


def hops_table(d_model: int, bound: float) -> Table:
    """Every jump of :func:`hops`, with the verdict of the table itself."""
    rows = []
    for k, jumps in HOPS:
        matrix = shift_matrix(k, d_model)
        errors = [np.abs(matrix @ encode(a, d_model) - encode(b, d_model)).max() for a, b in jumps]
        verdict = f"below {bound:.0e}" if max(errors) < bound else f"{max(errors):.1e}"
        rows.append((f"$T_{{{k}}}$", *(f"{a} → {b}" for a, b in jumps), verdict))
    return Table(("matrix", "first", "second", "third", "largest error of an entry"), rows, align="lrrrr")


def dials(
    k: int = 10, d_model: int = 128, n: int = 50, source: int = 10, pairs: Sequence[int] = (0, 8, 16, 32)
) -> Figure:
    """The rows 0 … n-1 as they stand in four of the planes, and what T_k does in each."""
    omega = frequencies(d_model)
    fig, axes = canvas(2.3, columns=len(pairs))
    for ax, i in zip(axes, pairs, strict=True):
        angles = omega[i] * np.arange(n)
        a, b = omega[i] * source, omega[i] * (source + k)
        full = np.linspace(0, 2 * np.pi, 200)
        ax.plot(np.sin(full), np.cos(full), color=PALETTE.grid)
        ax.scatter(np.sin(angles), np.cos(angles), s=7, color=PALETTE.muted, zorder=3)
        ax.plot([0, np.sin(a)], [0, np.cos(a)], color=PALETTE.blue, linestyle="--", linewidth=1.2)
        ax.plot([0, np.sin(b)], [0, np.cos(b)], color=PALETTE.blue)
        ax.set_title(f"pair {i}\n{_turn(k * omega[i])}")
        ax.set_aspect("equal")
        ax.set_axis_off()
    turns = ", ".join(f"pair {i} by {_turn(k * omega[i])}" for i in pairs)
    alt = (
        f"Positions 0 to {n - 1} as points on {len(pairs)} circles, one for each of {len(pairs)} pairs "
        f"out of {d_model // 2}; hands mark positions {source} and {source + k}. T_{k} turns {turns}."
    )
    rows = [_rounded((i, omega[i], k * omega[i], np.degrees(k * omega[i]))) for i in range(d_model // 2)]
    header = ("pair", "frequency (radians per token)", f"angle of T_{k} (radians)", "angle (degrees)")
    return Figure.of(fig, alt=alt, columns=header, rows=rows)


def layouts(k: float = 10, d_model: int = 8) -> Figure:
    """One map in two orders of columns."""
    fig, axes = canvas(3.2, columns=2)
    both = [shift_matrix(k, d_model, layout=name) for name in ("interleaved", "halves")]
    for ax, matrix, name in zip(axes, both, ("interleaved", "halves"), strict=True):
        image = _matrix(ax, matrix, name)
    _scale(fig, axes, image)
    rows = [_rounded((r, c, both[0][r, c], both[1][r, c])) for r in range(d_model) for c in range(d_model)]
    alt = (
        f"Two heat maps of T_{k:g} for {d_model} dimensions. Interleaved: {d_model // 2} blocks of "
        f"two by two on the diagonal. Halves: four diagonal stripes. Both hold "
        f"{np.count_nonzero(both[0])} entries that are not zero."
    )
    return Figure.of(fig, alt=alt, columns=("row", "column", "interleaved", "halves"), rows=rows)


def fitted(k: int = 10, d_model: int = 32, n: int = 16) -> Figure:
    """The closed form beside what least squares finds on n rows."""
    exact = shift_matrix(k, d_model)
    rows_seen = encode(np.arange(n), d_model)
    found = fit_shift(rows_seen, encode(np.arange(k, n + k), d_model))
    fig, axes = canvas(3.4, columns=2)
    _matrix(axes[0], exact, f"the closed form $T_{{{k}}}$")
    _scale(fig, axes, _matrix(axes[1], found, f"least squares on {n} rows"))
    full = int((np.abs(found) > 1e-3).sum())
    alt = (
        f"Two heat maps of {d_model} by {d_model} entries. Left, T_{k}: blocks on the diagonal, "
        f"{np.count_nonzero(exact)} entries. Right, the least-squares matrix of {n} rows: {full} entries "
        f"above 0.001, spread over the square; the two differ by {np.linalg.norm(found - exact):.2f} in "
        f"Frobenius norm."
    )
    # the rounding leaves out what another machine's last bit could change
    table = [_rounded((r, c, exact[r, c], found[r, c]), 4) for r in range(d_model) for c in range(d_model)]
    return Figure.of(fig, alt=alt, columns=("row", "column", f"T_{k}", "least squares"), rows=table)


def residuals(d_model: int = 16, k: int = 10, most: int = 128) -> Figure:
    """How well the best matrix does on n rows, for three tables."""
    counts = [n for n in (2, 4, 6, 8, 10, 12, 14, 15, 16, 17, 18, 20, 24, 32, 48, 64, 96, 128) if n <= most]
    styles = {"noise": PALETTE.red, "noise, row 0 zero": PALETTE.orange, "sinusoid": PALETTE.blue}
    lines: dict[str, list[float]] = {name: [] for name in styles}
    for name, table in zip(styles, tables(d_model, most + k), strict=True):
        for n in counts:
            lines[name].append(shift_residual(table[: n + k], k))
    fig, ax = canvas(3.2)
    beyond_d = np.linspace(d_model, most, 200)
    ax.plot(beyond_d, np.sqrt(1 - d_model / beyond_d), color=PALETTE.muted, linewidth=1)
    for name, colour in styles.items():
        ax.plot(counts, lines[name], color=colour, marker="o", markersize=3)
    ax.text(most, lines["noise"][-1] - 0.04, "noise", color=PALETTE.red, ha="right", va="top")
    ax.text(3, lines["noise, row 0 zero"][0] + 0.05, "noise, row 0 zero", color=PALETTE.orange, va="bottom")
    ax.text(most, 0.03, "sinusoid", color=PALETTE.blue, ha="right", va="bottom")
    ax.axvline(d_model, ymax=0.5, color=PALETTE.muted, linestyle=":")
    ax.text(d_model + 1, 0.13, "as many rows as columns", color=PALETTE.muted, va="center")
    ax.set_xticks([n for n in (2, d_model, 32, 64, 96, 128) if n <= most])
    ax.set_ylim(-0.03, 1.05)
    ax.set_xlabel("rows the matrix was fitted on")
    ax.set_ylabel("relative residual")
    start = max(lines["noise"][: counts.index(d_model) + 1])
    ends = ", ".join(f"{name} {lines[name][-1]:.3f}" for name in styles)
    alt = (
        f"Relative residual of the best shift by {k} over the number of rows, {d_model} columns. Up to "
        f"{d_model} rows noise scores {start:.3f}, as good as the sinusoid; with its row 0 set to zero it "
        f"never scores below {min(lines['noise, row 0 zero']):.3f}. At {most} rows: {ends}."
    )
    rows = [_rounded((n, *(lines[name][j] for name in styles)), 4) for j, n in enumerate(counts)]
    return Figure.of(fig, alt=alt, columns=("rows", *styles), rows=rows)


def tables(d_model: int, n: int) -> tuple[Array, Array, Array]:
    """Three tables of n rows: random numbers (always the same), these with row 0 zero, the sinusoid."""
    noise = np.random.default_rng(2017).normal(size=(n, d_model))
    headless = noise.copy()
    headless[0] = 0
    return noise, headless, encode(np.arange(n), d_model)


def beyond(matrices: dict[str, Array], k: int, n: int, last: int = 160) -> Figure:
    """The error of each matrix at every position, inside and beyond the n rows it was made from."""
    p = np.arange(last)
    errors = {name: shift_errors(m, p, k) for name, m in matrices.items()}
    dashes = ("-", (0, (1, 1.5)), (0, (4, 2)), "-", "-")
    colours = (PALETTE.blue, PALETTE.orange, PALETTE.orange, PALETTE.orange, PALETTE.red)
    fig, ax = canvas(3.4)
    ax.axvspan(0, n - 1, color=PALETTE.grid, alpha=0.5, linewidth=0)
    for (name, error), colour, dash in zip(errors.items(), colours, dashes, strict=True):
        ax.plot(p, error, color=colour, linestyle=dash, label=name)
    ax.text(n - 3, ax.get_ylim()[1] * 0.97, "seen", ha="right", va="top", color=PALETTE.muted)
    ax.legend(loc="upper left", frameon=False)
    ax.set_xlim(0, last)
    ax.set_xticks([0, n - 1, *range(100, last + 1, 50)])
    ax.set_xlabel("position p")
    ax.set_ylabel(f"error at p + {k}, relative")
    just = n + 6
    inside = ", ".join(f"{name} {error[:n].max():.4f}" for name, error in errors.items())
    beyond = ", ".join(f"{name} {error[just]:.4f}" for name, error in errors.items())
    ends = ", ".join(f"{name} {error[-1]:.2f}" for name, error in errors.items())
    alt = (
        f"Relative error over position. The largest on the {n} rows that were seen: {inside}. At position "
        f"{just}: {beyond}. At position {last - 1}: {ends}."
    )
    rows = [_rounded((int(i), *(error[i] for error in errors.values())), 4) for i in p[::2]]
    return Figure.of(fig, alt=alt, columns=("position", *errors), rows=rows)


def hidden(rows: Array, axes: Array) -> Figure:
    """A code nobody wrote down with sines: as it comes, and in the axes where it is a list of pairs."""
    n, d = rows.shape
    turned = rows @ axes
    planes = d // 2
    fig, panels = canvas(2.8, columns=1 + planes, width_ratios=[1.9] + [1] * planes)
    panels[0].plot(rows[:, 0], color=PALETTE.blue, linewidth=1, marker="o", markersize=2.5)
    panels[0].set_xlabel("position")
    panels[0].set_title(f"the first of the {d} numbers")
    radii = []
    for i, ax in enumerate(panels[1:]):
        s, c = turned[:, 2 * i], turned[:, 2 * i + 1]
        radii.append(float(np.hypot(s, c).mean()))
        ax.scatter(s, c, s=9, color=PALETTE.blue)
        ax.set_title(f"plane {i + 1}")
        reach = 1.15 * max(float(np.hypot(*turned[:, 2 * j : 2 * j + 2].T).mean()) for j in range(planes))
        ax.set(xlim=(-reach, reach), ylim=(-reach, reach), xticks=[], yticks=[])
        ax.set_aspect("equal")
    alt = (
        f"Left: the first number of the code, an irregular zigzag over {n} positions. Right: the same rows "
        f"in {planes} planes, where they lie on circles of radius {' and '.join(f'{r:.3f}' for r in radii)}."
    )
    header = ("position", *(f"number {j}" for j in range(d)), *(f"axis {j}" for j in range(d)))
    return Figure.of(
        fig, alt=alt, columns=header, rows=[_rounded((p, *rows[p], *turned[p]), 5) for p in range(n)]
    )


def angles_table(k: float, d_model: int) -> Table:
    """What T_k does to each pair: the angle, and the two numbers of its block."""
    rows = [
        (
            str(i),
            f"{w:.4f}",
            f"{k * w:.4f}",
            f"{np.degrees(k * w):.2f}°",
            f"{np.cos(k * w):.4f}",
            f"{np.sin(k * w):.4f}",
        )
        for i, w in enumerate(frequencies(d_model))
    ]
    header = ("$i$", r"$\omega_i$", r"$k\omega_i$", "in degrees", r"$\cos k\omega_i$", r"$\sin k\omega_i$")
    return Table(header, rows, align="rrrrrr")


def _matrix(ax: Any, matrix: Array, title: str) -> Any:
    image = ax.imshow(matrix, cmap=DIVERGING, vmin=-1, vmax=1)
    ax.set_title(title)
    ax.set(xticks=[], yticks=[])
    return image


def _scale(fig: Any, axes: Any, image: Any) -> None:
    bar = fig.colorbar(image, ax=axes, ticks=[-1, 0, 1], pad=0.02, aspect=30)
    bar.outline.set_visible(False)


def _turn(angle: float) -> str:
    turns, rest = divmod(float(np.degrees(angle)), 360)
    whole = "" if turns < 1 else "1 turn + " if turns == 1 else f"{turns:.0f} turns + "
    return f"{whole}{rest:.1f}°"


def _hand(angle: float) -> Array:
    return np.array([np.sin(angle), np.cos(angle)])


def _head(colour: str) -> dict[str, Any]:
    return {"arrowstyle": "-|>", "color": colour, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 13}


def _rounded(row: Sequence[Any], digits: int = 6) -> tuple[Any, ...]:
    return tuple(v if isinstance(v, (int, str)) else round(float(v), digits) + 0.0 for v in row)
