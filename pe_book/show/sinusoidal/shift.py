"""Figures and tables of the chapter on the shift theorem."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.sinusoidal.shift import HOPS
from pe_book.show.drawing.diagram import Arcs, Dial, Turns
from pe_book.show.drawing.figure import Facts, Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Heat, Line, Points, Span
from pe_book.show.drawing.table import Table
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.shift import shift_matrix
from pe_book.sinusoidal.shift.fitting import fit_shift, shift_errors, shift_residual

Array = NDArray[np.float64]
COLOURS = ("blue", "orange", "green", "purple", "red")
# two stand side by side on a phone, four on a desktop
SMALL: Any = {"width": 136, "bare": True, "equal": True}


def student(omega: float = 0.1, k: int = 10, n: int = 1000) -> Figure:
    """The shifted sine over the sine alone, and over what sine and cosine predict together."""
    p = np.arange(n)
    here, there = np.sin(omega * p), np.sin(omega * (p + k))
    line = np.polyval(np.polyfit(here, there, 1), here)
    both = np.column_stack([here, np.cos(omega * p)])
    predicted = np.round(both @ np.linalg.lstsq(both, there, rcond=None)[0], 6)
    columns = {
        "sine at p": here,
        f"sine at p + {k}": there,
        "best line": line,
        "predicted from both": predicted,
    }
    now, later, line_of, both_of = columns
    every = p[:: max(1, n // 250)]
    return Figure(
        Frame({"position p (tokens)": every, **{name: c[every] for name, c in columns.items()}}, k=k),
        Panel(Points(now, later, size=3.5), Line(now, line_of, label=line_of, colour="red"),
              title="one column: an ellipse", y="sine at p + {k}", width=300, height=280, equal=True),
        Panel(Guide(x="equal"), Points(both_of, later, size=3.5),
              title="two columns: the diagonal", width=300, height=280, equal=True),
        facts=lambda f: {"count": len(f), "explained": np.corrcoef(f[now], f[later])[0, 1] ** 2},
        alt="First, the sine {k} tokens later over the sine, for {count} positions: an ellipse, and the "
            "best line explains {explained:.3f} of the variance. Second, the same over what sine and cosine "
            "predict together: every point lies on the diagonal.",
    )  # fmt: skip


def clock(hours: int = 2, turn: int = 12) -> Figure:
    """A face with `turn` positions, and the same turn by `hours` applied at three of them."""
    p, before, after = np.arange(turn), "angle (radians)", "angle after (radians)"
    marks: list[Any] = [Dial(before, colour="muted", hand=False, text="{position}")]
    for start, colour in zip((1, 5, 8), COLOURS, strict=False):
        at = {"position": start}
        marks += [Dial(before, at, colour, rim=False, dash="dashed"), Dial(after, at, colour, rim=False),
                  Turns(before, after, at, colour)]  # fmt: skip
    return Figure(
        Frame({"position": p, before: 2 * np.pi * p / turn, "position after": (p + hours) % turn,
               after: 2 * np.pi * (p + hours) / turn}),
        Panel(*marks, bare=True, equal=True, width=260, height=260),
        facts=lambda f: {
            "last": f["position"].max(),
            "step": np.degrees(f[before][1] - f[before][0]),
            "turned": np.degrees(f[after][0] - f[before][0]),
            "moves": ", ".join(_moves(f)[start] for start in (1, 5, 8)),
        },
        alt="A clock face with positions up to {last:.0f}, {step:.0f} degrees apart; three hands turn by the "
            "same {turned:.0f} degrees, from {moves}.",
    )  # fmt: skip


def hops() -> Figure:
    """Three matrices, and for each of them three places where it was applied."""
    names, panels = [f"T{str(k).translate(LOWERED)}" for k, _ in HOPS], []
    rows: list[tuple[Any, ...]] = []
    for name, (_, jumps), colour in zip(names, HOPS, COLOURS, strict=False):
        rows += [(name, a, b, None, 0) for a, b in jumps]
        rows += [(name, None, None, place, 0) for place in sorted({p for jump in jumps for p in jump})]
        jump, line = {"matrix": name, "position": ...}, {"matrix": name, "place": ...}
        panels.append(Panel(
            Line("place", "height", line, colour="muted", width=1),
            Arcs("position", "position after", "height", 1, jump, colour),
            Points("place", "height", line, text="{place}", colour="ink", size=4,
                   sides=("bottom", "left", "right", "top")),
            title=name, bare=True, ylim=(-0.4, 1.1), height=125,
        ))  # fmt: skip
    return Figure(
        Frame.of_rows(("matrix", "position", "position after", "place", "height"), rows), *panels,
        facts=lambda f: {n: ", ".join(_moves(f.where({"matrix": n, "position": ...}))) for n in names},
        alt="Arcs over three lines of positions, three jumps of one length over each: "
            + "; ".join(f"{name} takes {{{name}}}" for name in names) + ".",
    )  # fmt: skip


def hops_table(d_model: int, bound: float) -> Table:
    """Every jump of :func:`hops`, with the verdict of the table itself."""
    rows = []
    for k, jumps in HOPS:
        errors = [shift_matrix(k, d_model) @ encode(a, d_model) - encode(b, d_model) for a, b in jumps]
        rows.append((f"$T_{{{k}}}$", *(f"{a} → {b}" for a, b in jumps), float(np.abs(errors).max())))
    header = ("matrix", "first", "second", "third", "largest error of an entry")
    verdict = [lambda error: f"below {bound:.0e}" if error < bound else f"{error:.1e}"]
    return Table.of_rows(header, rows, [None] * 4 + verdict, align="lrrrr")


def dials(
    k: int = 10, d_model: int = 128, n: int = 50, source: int = 10, pairs: Sequence[int] = (0, 8, 16, 32)
) -> Figure:
    """The rows 0 … n-1 as they stand in four of the planes, and what T_k does in each."""
    angle, position, omega = "angle (radians)", "position (tokens)", frequencies(d_model)
    panels = [
        Panel(
            Dial(angle, {"pair": i}, "muted", hand=False, size=3),
            Dial(angle, {"pair": i, position: source}, rim=False, dash="dashed"),
            Dial(angle, {"pair": i, position: source + k}, rim=False),
            title=f"{{pair_{i}}}", height=165, **SMALL,
        )
        for i in pairs
    ]  # fmt: skip

    def facts(f: Frame) -> dict[str, Any]:
        turned = f.where({position: source + k})[angle] - f.where({position: source})[angle]
        turns = {f"pair_{i}": f"pair {i}: {t:.1f}°" for i, t in zip(pairs, np.degrees(turned), strict=True)}
        return {**turns, "last": f[position].max(), "turns": ", ".join(turns.values())}

    rows = [(i, p, omega[i] * p) for i in pairs for p in range(n)]
    return Figure(
        Frame.of_rows(("pair", position, angle), rows, d_model=d_model, source=source, end=source + k),
        *panels, facts=facts,
        alt="Positions up to {last:.0f} as points on circles, one for each of some pairs of width "
            "{d_model}; hands mark the positions {source} and {end}. From one to the other they turn, "
            "{turns}.",
    )  # fmt: skip


def layouts(k: float = 10, d_model: int = 8) -> Figure:
    """One map in two orders of columns."""
    matrices = {"interleaved": shift_matrix(k, d_model), "halves": shift_matrix(k, d_model, layout="halves")}
    return _maps(
        matrices, 148, k=k,
        facts=lambda f: {"pairs": f["row"].max() // 2 + 1, "filled": np.count_nonzero(f["halves"])},
        alt="Two heat maps of T for {k:g} tokens. Interleaved: {pairs:.0f} blocks of two by two on the "
            "diagonal. Halves: four diagonal stripes. Both hold {filled} entries that are not zero.",
    )  # fmt: skip


def fitted(k: int = 10, d_model: int = 32, n: int = 16) -> Figure:
    """The closed form beside what least squares finds on n rows."""
    found = fit_shift(encode(np.arange(n), d_model), encode(np.arange(k, n + k), d_model))
    # four digits are the same on every machine
    return _maps(
        {"closed form": shift_matrix(k, d_model), "least squares": np.round(found, 4) + 0.0}, 230, k=k, n=n,
        facts=lambda f: {
            "filled": np.count_nonzero(f["closed form"]),
            "spread": np.count_nonzero(f["least squares"]),
            "apart": np.linalg.norm(f["closed form"] - f["least squares"]),
        },
        alt="Two heat maps of T for {k} tokens. The closed form: blocks on the diagonal, {filled} entries. "
            "Least squares on {n} rows: {spread} entries, spread over the square; they differ by "
            "{apart:.2f} in Frobenius norm.",
    )  # fmt: skip


def residuals(d_model: int = 16, k: int = 10, most: int = 128) -> Figure:
    """How well the best matrix does on n rows, for three tables."""
    counts = [n for n in (2, 4, 6, 8, 10, 12, 14, 15, 16, 17, 18, 20, 24, 32, 48, 64, 96, 128) if n <= most]
    noise, p = np.random.default_rng(2017).normal(size=(most + k, d_model)), np.arange(most + k)
    tables = {"noise": noise, "noise, row 0 zero": noise * (p > 0)[:, None], "sinusoid": encode(p, d_model)}
    lines = {
        name: [round(shift_residual(t[: n + k], k), 4) for n in counts] for name, t in tables.items()
    }  # fmt: skip
    looks = zip(lines, ("red", "orange", "blue"), (6, 1.8, 1.8), strict=True)
    return Figure(
        Frame({"rows fitted": counts, **lines}, d_model=d_model, k=k, most=most),
        Panel(
            *(Line("rows fitted", name, label=name, colour=c, width=w) for name, c, w in looks),
            Guide(x="d_model", label="{d_model} columns"), log="x",
            xticks=[2**j for j in range(1, 8) if 2**j <= most], y="relative residual", height=240,
        ),
        facts=lambda f: {
            "start": f["noise"][f["rows fitted"] <= d_model].max(),
            "least": f["noise, row 0 zero"].min(),
            "ends": ", ".join(f"{name} {f[name][-1]:.3f}" for name in lines),
        },
        alt="Relative residual of the best shift by {k} over the number of rows. Up to {d_model} rows, as "
            "many as columns, noise scores {start:.3f}, as good as the sinusoid; with its first row set to "
            "zero it never scores below {least:.3f}. At {most} rows: {ends}.",
    )  # fmt: skip


def beyond(matrices: dict[str, Array], k: int, n: int, last: int = 160) -> Figure:
    """The error of each matrix at every position, inside and beyond the n rows it was made from."""
    p, position = np.arange(last), "position p (tokens)"
    errors = {name: np.round(shift_errors(m, p, k), 4) for name, m in matrices.items()}
    looks = zip(errors, COLOURS, strict=True)
    return Figure(
        Frame({position: p, **errors}, k=k, n=n, seen=n - 1, near=n + 6, last=last - 1),
        Panel(
            Span(0, "seen", label="seen"),
            *(Line(position, name, label=name, colour=colour, near=0.85 * last) for name, colour in looks),
            y="error, relative", ylim=(-0.05, 1.2), height=290,
        ),
        facts=lambda f: {
            "inside": ", ".join(f"{name} {f[name][:n].max():.4f}" for name in errors),
            "just": ", ".join(f"{name} {f[name][n + 6]:.4f}" for name in errors),
            "ends": ", ".join(f"{name} {f[name][-1]:.2f}" for name in errors),
        },
        alt="Relative error of the row {k} tokens later, over position. The largest on the {n} rows that "
            "were seen: {inside}. At position {near}: {just}. At position {last}: {ends}.",
    )  # fmt: skip


def hidden(rows: Array, axes: Array) -> Figure:
    """A code nobody wrote down with sines: as it comes, and in the axes where it is a list of pairs."""
    first, turned = np.round(rows[:, 0], 5) + 0.0, np.round(rows @ axes, 5).T + 0.0
    numbered = {f"axis {j}": column for j, column in enumerate(turned)}
    planes = [(f"axis {j}", f"axis {j + 1}") for j in range(0, len(turned), 2)]
    reach = 1.15 * float(np.abs(turned).max())
    square: Any = {
        "xlim": (-reach, reach),
        "ylim": (-reach, reach),
        "xticks": (),
        "yticks": (),
        "equal": True,
    }
    return Figure(
        Frame({"position (tokens)": range(len(rows)), "first number": first, **numbered}),
        Panel(Line("position (tokens)", "first number", dots=True, width=1), width=300, height=180),
        *(Panel(Points(*plane, size=3.5), width=136, height=170, **square) for plane in planes),
        facts=lambda f: {
            "count": len(f),
            "radii": " and ".join(f"{np.hypot(f[s], f[c]).mean():.3f}" for s, c in planes),
        },
        alt="First, one number of the code, an irregular zigzag over {count} positions. Then the same rows "
            "in two planes, where they lie on circles of radius {radii}.",
    )  # fmt: skip


def angles_table(k: float, d_model: int) -> Table:
    """What T_k does to each pair: the angle, and the two numbers of its block."""
    angles = [(i, w, k * w) for i, w in enumerate(frequencies(d_model))]
    rows = [(i, np.cos(a), np.sin(a), a, np.degrees(a), w) for i, w, a in angles]
    header = ("$i$", r"$\cos k\omega_i$", r"$\sin k\omega_i$", r"$k\omega_i$", "in degrees", r"$\omega_i$")
    return Table.of_rows(header, rows, [None, "{:.4f}", "{:.4f}", "{:.4f}", "{:.2f}°", "{:.4f}"])


LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def _maps(matrices: dict[str, Array], width: int, *, facts: Facts, alt: str, **settings: Any) -> Figure:
    row, column = np.indices(next(iter(matrices.values())).shape)
    cells = {name: matrix.ravel() for name, matrix in matrices.items()}
    ends = (0, row.max())
    return Figure(
        Frame({"row": row.ravel(), "column": column.ravel(), **cells}, **settings),
        *(
            Panel(Heat("column", "row", name, limit=1, scale=True), title=name, equal=True, xticks=ends,
                  yticks=ends, width=width, height=width + 88)
            for name in matrices
        ),
        facts=facts, alt=alt,
    )  # fmt: skip


def _moves(f: Frame) -> list[str]:
    """From where to where, row by row."""
    return [f"{row['position']} to {row['position after']}" for row in f.rows()]
