"""Figures and tables of the chapter on numbering words: one sine, and a few sines and cosines."""

from typing import Any

import numpy as np

from pe_book.numerics.rounding import FORMATS, closest_pair, collisions, round_to
from pe_book.show.drawing.diagram import Dial
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Line, Points
from pe_book.show.drawing.table import Column, Table
from pe_book.why.first_attempts import over_maximum
from pe_book.why.sines import harmonic_pairs, one_sine


def near_repeats(seq_len: int = 23) -> Figure:
    """The sine at whole numbers: what comes close, and where the curve itself repeats."""
    closest = closest_pair(one_sine(range(seq_len)))[:2]
    turns = {2 * np.pi * n: f"{2 * n}π" for n in range(1, int((seq_len - 1) / (2 * np.pi)) + 1)}
    position = np.sort([*np.arange(10 * seq_len - 9) / 10, *turns])
    columns = {
        "position": position,
        "sin(position)": one_sine(position).round(6),
        "word": [None if p % 1 else int(p) for p in position],
        "closest": ["yes" if p in closest else None for p in position],
        "turn": [turns.get(p) for p in position],
    }

    def points(where: str, **look: Any) -> Points:
        return Points("position", "sin(position)", where, **look)

    def facts(frame: Frame) -> dict[str, Any]:
        near = frame.where("closest")
        one, other = near["position"]
        turns = ", ".join(f"{x:.2f}" for x in frame.where("turn")["position"])
        gap = float(np.ptp(near["sin(position)"]))
        return {"one": int(one), "other": int(other), "mirror": (one + other) / 2, "gap": gap, "turns": turns}

    return Figure(
        Frame(columns, last=seq_len - 1),
        Panel(
            Line("position", "sin(position)", colour="muted", width=0.9),
            Guide(x="mirror", label="mirror", colour="orange", dash="dotted"), points("word"),
            points("closest", text="{word}", colour="orange", size=8),
            points("turn", text="{turn}", colour="red", marker="D", size=7, hollow=True),
            yticks=(-1, 0, 1), ylim=(-1.15, 1.5), height=210,
        ),
        facts=facts,
        alt="The sines of the positions up to {last} as dots: {one} and {other}, mirror images about "
        "{mirror:g}, differ by only {gap:.5f}; the curve itself is back at its start at {turns}, which are "
        "not whole numbers.",
    )  # fmt: skip


def formats_table(longest: int = 50_000) -> Table:
    """The first two positions whose codes are the same number after rounding, by code and format."""
    codes = {
        "position": np.arange(longest, dtype=float),
        r"position over $2^{16}$": over_maximum(longest, maximum=2**16),
        "one sine": one_sine(range(longest)),
        "three harmonic pairs": harmonic_pairs(range(longest)),
    }

    def first_pair(code: Any, dtype: str) -> str:
        pair = collisions(round_to(code, dtype)).first
        return "none" if pair is None else f"{pair[0]:,} and {pair[1]:,}"

    columns = (
        Column(dtype, [first_pair(code, dtype) for code in codes.values()], align="r") for dtype in FORMATS
    )
    return Table(Column("code", list(codes)), *columns)


def three_dials(position: int = 4, pairs: int = 3) -> Figure:
    """The hands that turn by the position, its half and its third."""
    rows = [
        (pair, p, p / (pair + 1), *harmonic_pairs(p, pairs)[2 * pair : 2 * pair + 2].round(6))
        for pair in range(pairs)
        for p in range(position + 1)
    ]
    names = {f"name{pair}": f"angle pos / {pair + 1}" if pair else "angle pos" for pair in range(pairs)}

    def facts(frame: Frame) -> dict[str, Any]:
        last = frame.where({"position": frame.settings["position"]}).rows()
        return {f"code{row['pair']}": f"({row['sine']:.2f},\u00a0{row['cosine']:.2f})" for row in last}

    def panel(pair: int) -> Panel:
        title = f"{{name{pair}}}: {{code{pair}}}"
        dial = Dial("angle (radians)", {"pair": pair}, text="{position}")
        return Panel(dial, title=title, bare=True, equal=True, width=148, height=170)

    header = ("pair", "position", "angle (radians)", "sine", "cosine")
    return Figure(
        Frame.of_rows(header, rows, position=position, **names),
        *map(panel, range(pairs)), facts=facts,
        alt="Dials at position {position}, each with a dot for every position before it: "
        + ", ".join(f"{{name{pair}}} points to {{code{pair}}}" for pair in range(pairs)) + ".",
    )  # fmt: skip


def returns(longest: int = 400, pairs: int = 3) -> Figure:
    """How far the code of each position is from that of position 0, and the positions that come back."""
    codes = harmonic_pairs(range(longest + 1), pairs)
    distance = np.linalg.norm(codes - codes[0], axis=1)[1:]
    back = distance < np.minimum.accumulate([distance[0] / 2, *distance[:-1]])
    columns = {
        "position": range(1, longest + 1),
        "distance": distance.round(6),
        "back": [x or None for x in back],
    }

    def facts(frame: Frame) -> dict[str, Any]:
        near = [f"{row['distance']:.3f} at {row['position']}" for row in frame.where("back").rows()]
        return {"neighbour": frame["distance"][0], "far": frame["distance"].max(), "near": ", ".join(near)}

    return Figure(
        Frame(columns, numbers=2 * pairs),
        Panel(
            Line("position", "distance", width=0.9), Guide(y="neighbour", colour="orange"),
            Points("position", "distance", "back", text="{position}", colour="red"),
            y="distance from the code at the start", height=230,
        ),
        facts=facts,
        alt="The distance of the {numbers} numbers of a position from those at the start: {neighbour:.2f} "
        "for the neighbour, up to {far:.2f}, and down again to {near}.",
    )  # fmt: skip
