"""The explorer of the chapter on the shift theorem: a shift turns each dial by its own angle."""

from typing import Any

import numpy as np

from pe_book.show.drawing.diagram import Dial
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Heat
from pe_book.sinusoidal.formula import frequencies
from pe_book.sinusoidal.shift import shift_matrix

MOST = 20  # tokens by which the explorer shifts
THEN = 5  # tokens of its second shift at first: all three hands are apart


def planes(k: int = 10, d_model: int = 6, n: int = 50, source: int = 10, base: int = 10000) -> Figure:
    """The rows 0 … n-1 as they stand in each plane, what T_k does there, and T_k itself."""
    angle, position, omega = "angle (radians)", "position (tokens)", frequencies(d_model, base=base)
    pairs, matrix = range(omega.size), shift_matrix(k, d_model, base=base)
    rows: list[tuple[Any, ...]] = [(i, p, omega[i] * p, *[None] * 3) for i in pairs for p in range(n)]
    rows += [(*[None] * 3, r, c, matrix[r, c]) for r in range(d_model) for c in range(d_model)]

    def facts(f: Frame) -> dict[str, Any]:
        hands = [f.where({position: p})[angle] for p in (source, source + k)]
        turns = {f"pair_{i}": f"pair {i}: {t:.1f}°" for i, t in enumerate(np.degrees(hands[1] - hands[0]))}
        filled = int(np.count_nonzero(f.where("row")["entry"]))
        last = f.where("pair")[position].max()
        return {**turns, "last": last, "turns": ", ".join(turns.values()), "filled": filled}

    def given(f: Frame) -> dict[str, Any]:
        return {
            "width": f.settings["d_model"], "base": f.settings["base"], "position": f.settings["source"],
            "k": f.settings["k"], "then": THEN, "most": MOST,
        }  # fmt: skip

    ends = (0, d_model - 1)
    return Figure(
        Frame.of_rows(
            ("pair", position, angle, "row", "column", "entry"), rows, d_model=d_model, k=k, base=base,
            source=source, end=source + k,
        ),
        *(
            Panel(
                Dial(angle, {"pair": i}, "muted", hand=False, size=3),
                Dial(angle, {"pair": i, position: source}, rim=False, dash="dashed"),
                Dial(angle, {"pair": i, position: source + k}, rim=False),
                title=f"{{pair_{i}}}", height=165, width=136, bare=True, equal=True,
            )
            for i in pairs
        ),
        Panel(
            Heat("column", "row", "entry", {"row": ...}, limit=1, scale=True), equal=True, xticks=ends,
            yticks=ends, width=170, height=250,
        ),
        facts=facts, explorer="pe-shift", given=given,
        alt="Positions up to {last:.0f} as points on circles, one for each pair of width {d_model}; hands "
        "mark the positions {source} and {end}. From one to the other they turn, {turns}. Beside them the "
        "matrix of the shift by {k}: blocks on the diagonal, {filled} entries.",
    )  # fmt: skip
