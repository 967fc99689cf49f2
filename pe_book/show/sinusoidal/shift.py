"""Figures and tables of the chapter on the shift theorem."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.sinusoidal.shift import HOPS
from pe_book.show.diagram import Arcs, Dial, Turns
from pe_book.show.figure import Figure
from pe_book.show.frame import Frame
from pe_book.show.panel import Panel
from pe_book.show.plots import Guide, Heat, Line, Points, Span
from pe_book.show.table import Column, Table
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.shift import fit_shift, shift_errors, shift_matrix, shift_residual

Array = NDArray[np.float64]
COLOURS = ("blue", "orange", "green", "purple", "red")
SMALL: dict[str, Any] = {"width": 148, "bare": True, "equal": True}  # two side by side on a phone


def student(omega: float = 0.1, k: int = 10, n: int = 1000) -> Figure:
    """The shifted sine over the sine alone, and over what sine and cosine predict together."""
    p = np.arange(n)
    here, there = np.sin(omega * p), np.sin(omega * (p + k))
    both = np.column_stack([here, np.cos(omega * p)])
    predicted = both @ np.linalg.lstsq(both, there, rcond=None)[0]
    line = np.polyval(np.polyfit(here, there, 1), here)
    every = p[:: max(1, n // 250)]  # the line goes from the least sine to the largest
    ends = every[here[every].argmin()], every[here[every].argmax()]
    now, later = "sine at p", f"sine at p + {k}"
    frame = Frame(
        {
            "position p (tokens)": every,
            now: np.round(here[every], 6),
            later: np.round(there[every], 6),
            "best line": [line[j] if j in ends else None for j in every],
            "predicted from both": np.round(predicted[every], 6),
        },
        omega=omega, k=k, n=n,
    )  # fmt: skip
    return Figure(
        frame,
        Panel(
            Points(now, later, size=3.5),
            Line(now, "best line", "best line", label="best line", colour="red"),
            title="one column: an ellipse", height=290, equal=True,
        ),
        Panel(
            Guide(x="equal"), Points("predicted from both", later, size=3.5),
            title="two columns: the diagonal", height=290, equal=True,
        ),
        facts=lambda f: {
            "slope": np.polyfit(*(f.where("best line")[name] for name in (now, "best line")), 1)[0],
            "explained": np.corrcoef(f[now], f[later])[0, 1] ** 2,
            "count": len(f),
        },
        alt="Two scatter plots of {count} positions. First, the sine {k} tokens later over the sine: they lie "
        "on an ellipse, and the best line, slope {slope:.2f}, explains {explained:.3f} of the variance. Second, "
        "over what sine and cosine predict together: every point lies on the diagonal.",
    )  # fmt: skip


def clock(hours: int = 2, turn: int = 12) -> Figure:
    """A face with `turn` positions, and the same turn by `hours` applied at three of them."""
    p, starts = np.arange(turn), dict(zip((1, 5, 8), COLOURS, strict=False))
    before, after = "angle (radians)", "angle after (radians)"
    frame = Frame(
        {
            "position": p,
            before: 2 * np.pi * p / turn,
            "position after": (p + hours) % turn,
            after: 2 * np.pi * (p + hours) / turn,
        },
        hours=hours,
    )
    hands = [
        mark
        for start, colour in starts.items()
        for mark in (
            Dial(before, {"position": start}, colour, rim=False, dash="dashed"),
            Dial(after, {"position": start}, colour, rim=False),
            Turns(before, after, {"position": start}, colour),
        )
    ]
    face = Dial(before, colour="muted", hand=False, text="{position}")
    return Figure(
        frame,
        Panel(face, *hands, bare=True, equal=True, width=260, height=260),
        facts=lambda f: {
            "last": f["position"].max(),
            "step": np.degrees(f[before][1] - f[before][0]),
            "turned": np.degrees(f[after][0] - f[before][0]),
            "moves": _moves(f.where({"position": p}) for p in starts),
        },
        alt="A clock face with positions up to {last:.0f}, {step:g} degrees apart; three hands turn by the same "
        "{turned:g} degrees, from {moves}.",
    )


def hops() -> Figure:
    """Three matrices, and for each of them three places where it was applied."""
    names = ("matrix", "position", "position after", "place", "height")
    rows: list[tuple[Any, ...]] = []
    for k, jumps in HOPS:
        rows += [(_matrix(k), a, b, None, 0) for a, b in jumps]
        rows += [(_matrix(k), None, None, p, 0) for p in sorted({p for jump in jumps for p in jump})]
    panels = [
        Panel(
            Line("place", "height", {"matrix": name, "place": ...}, colour="muted", width=1),
            Arcs("position", "position after", "height", 1, {"matrix": name, "position": ...}, colour),
            Points("place", "height", {"matrix": name, "place": ...}, text="{place}", colour="ink", size=4),
            title=name, bare=True, height=110,
        )
        for name, colour in zip((_matrix(k) for k, _ in HOPS), COLOURS, strict=False)
    ]  # fmt: skip
    return Figure(
        Frame.of_rows(names, rows),
        *panels,
        facts=lambda f: {
            "moves": "; ".join(
                f"{name} takes {_moves([f.where({'matrix': name}).where('position')])}"
                for name in dict.fromkeys(f["matrix"])
            )
        },
        alt="Arcs over three lines of positions, three jumps of one length over each: {moves}.",
    )


def hops_table(d_model: int, bound: float) -> Table:
    """Every jump of :func:`hops`, with the verdict of the table itself."""
    errors = [
        max(np.abs(shift_matrix(k, d_model) @ encode(a, d_model) - encode(b, d_model)).max() for a, b in jumps)
        for k, jumps in HOPS
    ]
    return Table(
        Column("matrix", [f"$T_{{{k}}}$" for k, _ in HOPS]),
        *(
            Column(header, [f"{jumps[j][0]} → {jumps[j][1]}" for _, jumps in HOPS], align="r")
            for j, header in enumerate(("first", "second", "third"))
        ),
        Column("largest error of an entry", [float(error) for error in errors],
               lambda error: f"below {bound:.0e}" if error < bound else f"{error:.1e}"),
    )  # fmt: skip


def dials(
    k: int = 10, d_model: int = 128, n: int = 50, source: int = 10, pairs: Sequence[int] = (0, 8, 16, 32)
) -> Figure:
    """The rows 0 … n-1 as they stand in four of the planes, and what T_k does in each."""
    omega = frequencies(d_model)
    angle, position = "angle (radians)", "position (tokens)"
    rows = [(i, p, omega[i] * p) for i in pairs for p in range(n)]
    panels = [
        Panel(
            Dial(angle, {"pair": i}, "muted", hand=False, size=3),
            Dial(angle, {"pair": i, position: source}, rim=False, dash="dashed"),
            Dial(angle, {"pair": i, position: source + k}, rim=False),
            title=f"{{pair_{i}}}", height=165, **SMALL,
        )
        for i in pairs
    ]  # fmt: skip

    def facts(f: Frame) -> Mapping[str, Any]:
        ends = f.where({position: source}), f.where({position: source + k})
        angles = zip(ends[0]["pair"], *(end[angle] for end in ends), strict=True)
        turns = {f"pair_{i:.0f}": f"pair {i:.0f}: {np.degrees(b - a):.1f}°" for i, a, b in angles}
        return {**turns, "last": f[position].max(), "turns": ", ".join(turns.values())}

    return Figure(
        Frame.of_rows(("pair", position, angle), rows, k=k, source=source, end=source + k, d_model=d_model),
        *panels,
        facts=facts,
        alt="Positions up to {last:.0f} as points on circles, one for each of some pairs of width {d_model}; "
        "hands mark the positions {source} and {end}. In between the hand turns, {turns}.",
    )


def layouts(k: float = 10, d_model: int = 8) -> Figure:
    """One map in two orders of columns."""
    names = ("interleaved", "halves")
    both = {name: shift_matrix(k, d_model, layout=name) for name in names}
    return Figure(
        Frame({**_cells(d_model), **{name: m.ravel() for name, m in both.items()}}, k=k, d_model=d_model),
        *(
            Panel(Heat("column", "row", name, limit=1, scale=True), title=name, height=190, **SMALL)
            for name in names
        ),
        facts=lambda f: {"pairs": f["row"].max() // 2 + 1, "filled": np.count_nonzero(f["halves"])},
        alt="Two heat maps of T for {k:g} tokens and {d_model} dimensions. Interleaved: {pairs:.0f} blocks of "
        "two by two on the diagonal. Halves: four diagonal stripes. Both hold {filled} entries that are not zero.",
    )


def fitted(k: int = 10, d_model: int = 32, n: int = 16) -> Figure:
    """The closed form beside what least squares finds on n rows."""
    exact = shift_matrix(k, d_model)
    found = fit_shift(encode(np.arange(n), d_model), encode(np.arange(k, n + k), d_model))
    columns = {"closed form": exact.ravel(), "least squares": np.round(found, 4).ravel() + 0.0}
    return Figure(
        Frame({**_cells(d_model), **columns}, k=k, d_model=d_model, n=n),
        *(
            Panel(Heat("column", "row", name, limit=1, scale=True), title=name, bare=True, equal=True,
                  width=230, height=270)
            for name in columns
        ),
        facts=lambda f: {
            "filled": np.count_nonzero(f["closed form"]),
            "spread": np.count_nonzero(f["least squares"]),
            "apart": np.linalg.norm(f["closed form"] - f["least squares"]),
        },
        alt="Two heat maps of width {d_model}. The closed form for {k} tokens: blocks on the diagonal, {filled} "
        "entries. The least-squares matrix of {n} rows: {spread} entries that do not vanish, spread over the "
        "square; the two differ by {apart:.2f} in Frobenius norm.",
    )  # fmt: skip


def residuals(d_model: int = 16, k: int = 10, most: int = 128) -> Figure:
    """How well the best matrix does on n rows, for three tables."""
    counts = [n for n in (2, 4, 6, 8, 10, 12, 14, 15, 16, 17, 18, 20, 24, 32, 48, 64, 96, 128) if n <= most]
    noise = np.random.default_rng(2017).normal(size=(most + k, d_model))
    tables = {
        "noise": noise,
        "noise, row 0 zero": noise * (np.arange(most + k) > 0)[:, None],
        "sinusoid": encode(np.arange(most + k), d_model),
    }
    lines = {
        name: [round(shift_residual(table[: n + k], k), 4) for n in counts] for name, table in tables.items()
    }
    expected = [np.sqrt(1 - d_model / n) if n >= d_model else None for n in counts]
    frame = Frame(
        {"rows fitted": counts, **lines, "expected of noise": expected}, d_model=d_model, k=k, most=most
    )
    return Figure(
        frame,
        Panel(
            Line("rows fitted", "noise", label="noise", colour="red", width=6),
            Line("rows fitted", "noise, row 0 zero", label="noise, row 0 zero", colour="orange"),
            Line("rows fitted", "sinusoid", label="sinusoid"),
            Line("rows fitted", "expected of noise", "expected of noise", colour="ink", width=1),
            Guide(x="d_model"),
            log="x", xticks=[n for n in counts if n & (n - 1) == 0], y="relative residual", height=240,
        ),
        facts=lambda f: {
            "start": f["noise"][f["rows fitted"] <= d_model].max(),
            "least": f["noise, row 0 zero"].min(),
            "ends": ", ".join(f"{name} {f[name][-1]:.3f}" for name in lines),
        },
        alt="Relative residual of the best shift by {k} over the number of rows, {d_model} columns. Up to "
        "{d_model} rows noise scores {start:.3f}, as good as the sinusoid; with its first row set to zero it "
        "never scores below {least:.3f}. At {most} rows: {ends}.",
    )  # fmt: skip


def beyond(matrices: dict[str, Array], k: int, n: int, last: int = 160) -> Figure:
    """The error of each matrix at every position, inside and beyond the n rows it was made from."""
    p = np.arange(last)
    errors = {name: np.round(shift_errors(m, p, k), 4) for name, m in matrices.items()}
    looks = zip(errors, COLOURS, np.linspace(0.6, 0.9, len(errors)) * last, strict=True)
    near = n + 6
    return Figure(
        Frame({"position p (tokens)": p, **errors}, k=k, n=n, end=n - 1, near=near),
        Panel(
            Span(0, "end", label="seen"),
            *(Line("position p (tokens)", name, label=name, colour=c, near=at) for name, c, at in looks),
            y="error, relative", height=290,
        ),
        facts=lambda f: {
            "last": f["position p (tokens)"].max(),
            "inside": ", ".join(f"{name} {f[name][:n].max():.4f}" for name in errors),
            "just": ", ".join(f"{name} {f[name][near]:.4f}" for name in errors),
            "ends": ", ".join(f"{name} {f[name][-1]:.2f}" for name in errors),
        },
        alt="Error of the row {k} tokens later, relative, over position. The largest on the {n} rows that were "
        "seen: {inside}. At position {near}: {just}. At position {last:.0f}: {ends}.",
    )  # fmt: skip


def hidden(rows: Array, axes: Array) -> Figure:
    """A code nobody wrote down with sines: as it comes, and in the axes where it is a list of pairs."""
    turned = np.round(rows @ axes, 5) + 0.0
    planes = [(f"axis {2 * i}", f"axis {2 * i + 1}") for i in range(turned.shape[1] // 2)]
    frame = Frame({
        "position (tokens)": np.arange(len(rows)),
        "first number": np.round(rows[:, 0], 5) + 0.0,
        **{f"axis {j}": column for j, column in enumerate(turned.T)},
    })  # fmt: skip
    reach = 1.15 * float(np.abs(turned).max())
    scale: dict[str, Any] = {"xlim": (-reach, reach), "ylim": (-reach, reach)}
    return Figure(
        frame,
        Panel(Line("position (tokens)", "first number", dots=True, width=1)),
        *(
            Panel(Points(*plane, size=3.5), title=f"{name} plane", height=170, **scale, **SMALL)
            for name, plane in zip(("first", "second"), planes, strict=True)
        ),
        facts=lambda f: {
            "count": len(f),
            "radii": " and ".join(f"{np.hypot(f[s], f[c]).mean():.3f}" for s, c in planes),
        },
        alt="First, one number of the code, an irregular zigzag over {count} positions. Then the same rows in "
        "two planes, where they lie on circles of radius {radii}.",
    )


def angles_table(k: float, d_model: int) -> Table:
    """What T_k does to each pair: the angle, and the two numbers of its block."""
    omega = frequencies(d_model)
    return Table(
        Column("$i$", range(len(omega))),
        Column(r"$\omega_i$", omega, "{:.4f}"),
        Column(r"$k\omega_i$", k * omega, "{:.4f}"),
        Column("in degrees", np.degrees(k * omega), "{:.2f}°"),
        Column(r"$\cos k\omega_i$", np.cos(k * omega), "{:.4f}"),
        Column(r"$\sin k\omega_i$", np.sin(k * omega), "{:.4f}"),
    )


def _cells(d_model: int) -> dict[str, Array]:
    row, column = np.indices((d_model, d_model))
    return {"row": row.ravel(), "column": column.ravel()}


def _matrix(k: int) -> str:
    return "T" + str(k).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def _moves(frames: Any) -> str:
    """From where to where, row by row."""
    return ", ".join(f"{row['position']} to {row['position after']}" for frame in frames for row in frame.rows())
