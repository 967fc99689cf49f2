"""The explorer of the chapter on rotary position: a query and a key at two positions, in either pairing."""

from typing import Any

import numpy as np

from pe_book.family.rotary import rotate
from pe_book.show.drawing.diagram import Dial
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Line, Points
from pe_book.show.drawing.texts import PAIRED
from pe_book.sinusoidal.formula import frequencies


def two_positions(m: int = 5, n: int = 2, most: int = 63) -> Figure:
    """A query and a key of a small head, pair by pair, and their score over the difference of positions.

    All their entries are of size one, so that every pair of both pairings is equally long.
    """
    query, key = np.array([1.0, -1, 1, -1, 1, 1, 1, 1]), np.array([1.0, 1, -1, 1, 1, 1, 1, 1])
    omega = frequencies(len(query))
    pairing, columns, speed = "pairing", "columns", "radians a token"
    angle = "from the right (radians)"
    difference, score, near, half = "n − m (tokens)", "score", "neighbours", "halves"
    names = (pairing, columns, speed, "hand", "position", angle, difference, score, "column", "query", "key")
    rows: list[tuple[Any, ...]] = []
    for i, rate in enumerate(omega):
        pair = f"{2 * i} and {2 * i + 1}"
        for hand, row, position in (("query", query, m), ("key", key, n)):
            a, b = rotate(row, position)[2 * i : 2 * i + 2]
            rows.append((near, pair, rate, hand, position, np.arctan2(b, a), *[None] * 5))
    for layout, name in PAIRED.items():
        for r in range(-most, most + 1):
            value = query @ rotate(key, r, layout=layout)
            rows.append((name, *[None] * 5, r, value, *[None] * 3))
    rows += [(*[None] * 8, column, a, b) for column, (a, b) in enumerate(zip(query, key, strict=True))]

    def dial(i: int) -> Panel:
        pair = {columns: f"{2 * i} and {2 * i + 1}"}
        return Panel(
            Dial(angle, {**pair, "hand": "key"}, "orange", text="{hand}", rotary=True),
            Dial(angle, {**pair, "hand": "query"}, "blue", rim=False, text="{hand}", rotary=True),
            title=f"columns {{pair_{i}}}", bare=True, equal=True, width=152, height=140,
        )  # fmt: skip

    def curve(name: str, colour: str) -> tuple[Any, ...]:
        here = {pairing: name, difference: n - m}
        line = Line(difference, score, {pairing: name, difference: ...}, name, colour, width=1.3)
        return line, Points(difference, score, here, colour=colour)

    def facts(f: Frame) -> dict[str, Any]:
        pairs = dict.fromkeys(f.where(columns)[columns])
        scores = {name: f.where({pairing: name, difference: n - m})[score][0] for name in (near, half)}
        return {"difference": n - m, **scores, **{f"pair_{i}": pair for i, pair in enumerate(pairs)}}

    def given(f: Frame) -> dict[str, Any]:
        hands, row = f.where({"hand": "query"}), f.where("column")
        return {
            "query": row["query"].tolist(), "key": row["key"].tolist(), "frequencies": hands[speed].tolist(),
            **f.settings, "most": int(f.where(difference)[difference].max()),
        }  # fmt: skip

    return Figure(
        Frame.of_rows(names, rows, m=m, n=n),
        *(dial(i) for i in range(len(omega))),
        Panel(Guide(y=0), *curve(near, "green"), *curve(half, "purple"), height=170),
        facts=facts, explorer="pe-rotary", given=given,
        alt="Four dials with the pairs of a query at position {m} and of a key at position {n} as hands, "
        "and the score over the difference of the positions. At difference {difference} it is "
        "{neighbours:.2f} with neighbours and {halves:.2f} with halves.",
    )  # fmt: skip
