"""The explorer of the chapter on waves: the table as a picture, cell by cell."""

from typing import Any

import numpy as np

from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Heat
from pe_book.show.sinusoidal.circle import BASES
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.waves import QUIET


def heatmap(n: int, d_model: int, base: int = 10000) -> Figure:
    """The table of n positions as a picture, negative entries blue and positive ones orange."""
    position, column = (place.ravel() for place in np.indices((n, d_model)))
    entries = np.round(encode(range(n), d_model, base=base).ravel(), 6)
    frame = Frame({"position": position, "column": column, "entry": entries}, n=n, d_model=d_model, base=base)
    ends = {"first": 0, "sine": d_model - 2, "cosine": d_model - 1}

    def given(f: Frame) -> dict[str, Any]:
        return {
            "n": f.settings["n"], "width": f.settings["d_model"], "base": f.settings["base"],
            "bases": list(BASES), "longest": 4 * n, "widest": 2 * d_model, "quiet": QUIET,
        }  # fmt: skip

    return Figure(
        frame,
        Panel(
            Heat("column", "position", "entry", scale=True), height=270,
            xticks=(*range(0, d_model, d_model // 4), d_model - 1), yticks=(*range(0, n - 1, 10), n - 1),
        ),
        facts=lambda f: {
            "low": f["entry"].min(), "top": f["entry"].max(),
            **{name: np.ptp(f.where({"column": j})["entry"]) for name, j in ends.items()},
        },
        explorer="pe-matrix", given=given,
        alt="Heat map of {n} positions by {d_model} columns between {low:.0f} and {top:.0f}. The first "
        "column swings through a range of {first:.2f}; the stripes lengthen until the last two columns move "
        "by {sine:.4f} and {cosine:.6f}: even columns stay near zero, odd ones near {top:.0f}.",
    )  # fmt: skip
