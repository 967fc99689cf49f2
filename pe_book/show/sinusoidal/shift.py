"""Figures and tables of the chapter on the shift theorem, and of its side pages on heads and other codes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.sinusoidal.shift import HOPS
from pe_book.show.drawing.diagram import Arcs, Dial, Turns
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Heat, Line, Points
from pe_book.show.drawing.table import Table
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.shift import shift_matrix

Array = NDArray[np.float64]
COLOURS = ("blue", "orange", "green", "purple", "red")


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
        alt="First, the sine {k} tokens later against the sine, for {count} positions: an ellipse, and the "
            "best line explains {explained:.3f} of the variance. Second, the same against what sine and "
            "cosine predict together: every point lies on the diagonal.",
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
    ends = [place for _, jumps in HOPS for jump in jumps for place in jump]
    same = (min(ends) - 1.0, max(ends) + 1.0)  # one scale, so that equal jumps look equal
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
            title=name, bare=True, xlim=same, ylim=(-0.4, 1.1), height=125,
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


def layouts(k: float = 10, d_model: int = 8) -> Figure:
    """One map in two orders of columns."""
    matrices = {"interleaved": shift_matrix(k, d_model), "halves": shift_matrix(k, d_model, layout="halves")}
    row, column = np.indices((d_model, d_model))
    cells = {name: matrix.ravel() for name, matrix in matrices.items()}
    ends = (0, d_model - 1)
    return Figure(
        Frame({"row": row.ravel(), "column": column.ravel(), **cells}, k=k),
        *(
            Panel(Heat("column", "row", name, limit=1, scale=True), title=name, equal=True, xticks=ends,
                  yticks=ends, width=148, height=236)
            for name in matrices
        ),
        facts=lambda f: {"pairs": f["row"].max() // 2 + 1, "filled": np.count_nonzero(f["halves"])},
        alt="Two heat maps of T for {k:g} tokens. Interleaved: {pairs:.0f} blocks of two by two on the "
            "diagonal. Halves: four diagonal stripes. Both hold {filled} entries that are not zero.",
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


def stripe(scores: Array, back: int, n: int = 24) -> Figure:
    """The scores of the first queries and keys, as shares of the best, and the offset that wins."""
    query, key = np.indices((n, n))
    share = "score, of the best"

    def facts(f: Frame) -> dict[str, Any]:
        best = f[share] > 0.999
        offsets = np.unique((f["query"] - f["key"])[best])
        diagonals = ", ".join(f"{offset:.0f}" for offset in offsets)
        return {"count": f["query"].max() + 1, "bright": np.count_nonzero(best), "diagonals": diagonals}

    shares = np.round(scores[:n, :n] / scores.max(), 4) + 0.0
    return Figure(
        Frame({"query": query.ravel(), "key": key.ravel(), share: shares.ravel()}, back=back),
        Panel(Heat("key", "query", share, limit=1, scale=True), equal=True, xticks=(0, n - 1),
              yticks=(0, n - 1), width=250, height=300),
        facts=facts,
        alt="Heat map of the scores of {count:.0f} queries and keys, as shares of the best. {bright} cells "
            "have the best score; they stand on one diagonal, where query minus key is {diagonals}.",
    )  # fmt: skip


def angles_table(k: float, d_model: int) -> Table:
    """What T_k does to each pair: its frequency, the angle, and the two numbers of its block."""
    angles = [(i, w, k * w) for i, w in enumerate(frequencies(d_model))]
    rows = [(i, w, a, np.degrees(a), np.cos(a), np.sin(a)) for i, w, a in angles]
    header = ("$i$", r"$\omega_i$", r"$k\omega_i$", "in degrees", r"$\cos k\omega_i$", r"$\sin k\omega_i$")
    return Table.of_rows(header, rows, [None, "{:g}", "{:g}", "{:.2f}°", "{:.4f}", "{:.4f}"])


LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def _moves(f: Frame) -> list[str]:
    """From where to where, row by row."""
    return [f"{row['position']} to {row['position after']}" for row in f.rows()]
