"""Figures of the side page on fitting the shift matrix, and its explorer."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Heat, Line, Span
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.shift import shift_matrix
from pe_book.sinusoidal.shift.fitting import fit_shift, shift_errors, shift_residual

Array = NDArray[np.float64]
COLOURS = ("blue", "orange", "green", "purple", "red")
FEW = (3, 4, 5)  # rows that are too few for six columns
DIGITS = 6  # of a fitted matrix: the same on every machine


def fitted(k: int = 10, d_model: int = 6, last: int = 100) -> Figure:
    """The closed form beside what least squares finds on a few rows, and how far each fit carries."""
    position, closed = "position p (tokens)", "closed form"
    fits, errors = [f"fit to {n} rows" for n in FEW], [f"error, {n} rows" for n in FEW]
    found = [np.round(fit_shift(encode(range(n), d_model), encode(range(k, n + k), d_model)), DIGITS) + 0.0
             for n in FEW]  # fmt: skip
    matrices = [shift_matrix(k, d_model), *found]
    missed = [np.round(shift_errors(m, np.arange(last + 1), k), 4) + 0.0 for m in found]
    none: list[Any] = [None]
    rows = [(r, c, *(m[r, c] for m in matrices), *none * 4) for r in range(d_model) for c in range(d_model)]
    rows += [(*none * 6, p, *(e[p] for e in missed)) for p in range(last + 1)]
    columns = ("row", "column", closed, *fits, position, *errors)
    ends = (0, d_model - 1)

    def facts(f: Frame) -> dict[str, Any]:
        along = f.where(position)
        first = {n: int(np.argmax(along[e].astype(float) > 0.1)) for n, e in zip(FEW, errors, strict=True)}
        return {"filled": np.count_nonzero(f.where("row")[closed]),
                "first": ", ".join(f"{p} with {n} rows" for n, p in first.items())}  # fmt: skip

    def given(f: Frame) -> dict[str, Any]:
        of = {str(n): f.where("row")[name].astype(float) for n, name in zip(FEW, fits, strict=True)}
        return {
            "width": f.settings["d_model"], "base": 10000, "k": f.settings["k"], "last": f.settings["last"],
            "fits": {n: entries.reshape(-1, f.settings["d_model"]).tolist() for n, entries in of.items()},
        }  # fmt: skip

    return Figure(
        Frame.of_rows(columns, rows, d_model=d_model, k=k, last=last),
        *(
            Panel(Heat("column", "row", name, {"row": ...}, limit=1, scale=True), title=name, equal=True,
                  xticks=ends, yticks=ends, width=148, height=236)
            for name in (closed, *fits)
        ),
        Panel(
            *(Line(position, name, {position: ...}, label=name, colour=colour)
              for name, colour in zip(errors, ("red", "orange", "blue"), strict=True)),
            y="error, relative", ylim=(-0.05, 1), height=220,
        ),
        facts=facts, explorer="pe-fit", given=given,
        alt="Heat maps of the matrix for {k} tokens and of three fits. The closed form: blocks on the "
            "diagonal, {filled} entries; the fits are spread over the square. Then their errors over "
            "position. The first position that misses more than a tenth of a row: {first}.",
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
