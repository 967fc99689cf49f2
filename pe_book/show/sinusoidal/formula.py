"""Figures and tables of the chapter on the formula; its derivations are in the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pe_book.evidence.sinusoidal.formula import NONE_BELOW, changes_by_convention, mistaken_rows
from pe_book.inputs.pairs import permutation
from pe_book.show.drawing.diagram import Arrows, Boxes, Words
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Line, Points
from pe_book.show.drawing.table import Column, Table
from pe_book.sinusoidal.formula import encode, frequencies

COLOURS = {"sine": "blue", "cosine": "orange"}
WAVES = tuple(COLOURS)
SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"


def short(value: float, digits: int = 4) -> str:
    """An entry as LaTeX: only an exact 0 or 1 is printed whole, near them the distance is written out."""
    text, nearest = f"{value:.{digits}f}", round(value)
    if value in (-1.0, 0.0, 1.0) or text.lstrip("-") != f"{abs(nearest):.{digits}f}":
        return f"{value:.0f}" if value == nearest else text
    gap = abs(value - nearest)
    power = int(np.floor(np.log10(gap)))
    distance = rf"{gap / 10.0**power:.2f}\cdot 10^{{{power}}}"
    sign = "-" if value < nearest else "+"
    return f"{nearest} {sign} {distance}" if nearest else f"{sign}{distance}".lstrip("+")


def anatomy(position: int, d_model: int = 8) -> Figure:
    """For each pair its angle, and the two columns that hold the sine and the cosine of it."""
    rows: list[tuple[Any, ...]] = []
    for i, rate in enumerate(frequencies(d_model)):
        row, x, angle = encode(position, d_model), 1 / rate, f"{position}: angle {i}"
        rows.append((position, "sine", i, x, 2 * i, row[2 * i], f"{position}: sine {i}", angle))
        rows.append((position, "angle", i, x, None, position / x, angle, None))
        rows.append((position, "cosine", i, x, 2 * i + 1, row[2 * i + 1], f"{position}: cosine {i}", angle))
    at, here = ("part", "i", (0.74, 0.72)), {"position": position}
    return Figure(
        Frame.of_rows(("position", "part", "i", "divisor", "column", "value", "box", "arrow from"), rows),
        Panel(
            Boxes("i = {i}\n{position} / {divisor:.4g}", *at, {"part": "angle", **here}, "purple"),
            *_waves(Boxes, "column {column}\n{value:.4f}", *at, where=here),
            *_waves(Arrows, "arrow from", "box", "box", *at, where=here),
            _heads("part", "i", here),
            bare=True, down=True, width=300, height=36 * d_model,
        ),
        facts=lambda f: {"entries": f"position {position} has {_listed(f, {'column': ...})}"},
        alt="For each pair an angle, the position over a divisor; arrows lead from it to its sine in an even "
        "column and to its cosine in the next: {entries}.",
    )  # fmt: skip


def addition(word: str, vector: Sequence[float], position: int) -> Figure:
    """Column by column: what the word is, where it stands, and their sum."""
    meaning = np.asarray(vector, dtype=np.float64)
    place = f"position {position}"
    parts = {word: meaning, place: encode(position, meaning.size)}
    parts["sum"] = meaning + parts[place]
    rows = [(part, j, WAVES[j % 2], row[j]) for j in range(meaning.size) for part, row in parts.items()]
    at = ("part", "column", (0.78, 0.7))
    return Figure(
        Frame.of_rows(("part", "column", "function", "value"), rows, position=position, word=word),
        Panel(
            Boxes("{value:.1f}", *at, {"part": word}, "green"),
            *_waves(Boxes, "{value:.4f}", *at, key="function", where={"part": place}),
            Boxes("{value:.4f}", *at, {"part": "sum"}, "ink"),
            Words("+", "part", "column", {"part": place}, (-0.5, 0)),
            Words("=", "part", "column", {"part": "sum"}, (-0.5, 0)),
            _heads("part", "column"),
            bare=True, down=True, height=260,
        ),
        facts=lambda f: {"sums": _listed(f, {"part": "sum"})},
        alt="The numbers of {word} plus the row of position {position} give {sums}: a sum in each column.",
    )  # fmt: skip


def ladders(d_model: int = 8) -> Figure:
    """The divisors of the printed formula and of the released code, on a logarithmic axis."""
    narrow = d_model - 2
    lines = (
        (f"paper, width {d_model}", "blue", frequencies(d_model)),
        (f"released code, width {d_model}", "orange", frequencies(d_model, ladder="tensor2tensor")),
        (f"paper, width {narrow}", "blue", frequencies(narrow)),
    )
    rows = [
        (name, i, 1 / rate, i if number and i < narrow // 2 else None)
        for number, (name, _, rates) in enumerate(lines)
        for i, rate in enumerate(rates)
    ]
    return Figure(
        Frame.of_rows(("ladder", "i", "divisor", "common"), rows, d_model=d_model, narrow=narrow),
        Panel(
            *(Line("divisor", "ladder", {"common": i}, "", "muted", "dotted") for i in range(narrow // 2)),
            *(
                Points("divisor", "ladder", {"ladder": n}, "", "{divisor:.5g}", c, sides=(side,))
                for (n, c, _), side in zip(lines, ("top", "top", "bottom"), strict=True)
            ),
            y="", log="x", xlim=(0.5, 9e4), ylim=(2.6, -0.6), xticks=(1, 100, 10000), height=220,
        ),
        facts=lambda f: {
            "code": ", ".join(f"{x:.5g}" for x in f.where({"ladder": lines[1][0]})["divisor"])
        },
        alt="Three rows of points on a logarithmic axis. The code at width {d_model} divides by {code}; "
        "dotted lines join all of these but the last to the points of the paper at width {narrow}.",
    )  # fmt: skip


def two_layouts(d_model: int = 8) -> Figure:
    """The entries of one row in both orders, joined by lines."""
    rows: list[tuple[Any, ...]] = [
        ("interleaved", j, WAVES[j % 2], f"{WAVES[j % 2][:3]} ω{SUBSCRIPTS[j // 2]}p", f"from {j}", None)
        for j in range(d_model)
    ]
    order = permutation(d_model, source="interleaved", to="halves")
    rows += [("halves", j, rows[s][2], rows[s][3], f"to {j}", rows[s][4]) for j, s in enumerate(order)]
    at = ("layout", "column", (0.62, 0.74))
    return Figure(
        Frame.of_rows(("layout", "column", "function", "entry", "box", "origin"), rows, d_model=d_model),
        Panel(
            *_waves(Boxes, "{column}: {entry}", *at, key="function"),
            *_waves(Arrows, "origin", "box", "box", *at, key="function", head=False, beside=True),
            _heads("layout", "column"),
            bare=True, down=True, height=300,
        ),
        facts=lambda f: {"order": ", ".join(name.split()[1] for name in f.where("origin")["origin"])},
        alt="Lines from the {d_model} columns of the interleaved row to those of the row in halves, which "
        "takes columns {order} in this order.",
    )  # fmt: skip


def _listed(f: Frame, where: Mapping[str, Any]) -> str:
    return ", ".join(f"{x:.4f}" for x in f.where(where)["value"])


def _waves(mark: Any, *given: Any, key: str = "part", where: Any = (), **how: Any) -> list[Any]:
    """The mark for the rows of sines and for those of cosines, each in its colour."""
    return [mark(*given, where={key: w, **dict(where)}, colour=c, **how) for w, c in COLOURS.items()]


def _heads(part: str, line: str, where: Any = ()) -> Words:
    """What each column of boxes is, over its first one."""
    return Words(f"{{{part}}}", part, line, {line: 0, **dict(where)}, shift=(0, -0.72), bold=True)


def worked_table(position: int, d_model: int = 6) -> Table:
    """Every column of one position: its pair, what to compute, the result."""
    rows = []
    for j, value in enumerate(encode(position, d_model)):
        i, call, divisor = j // 2, ("sin", "cos")[j % 2], 10000 ** (2 * (j // 2) / d_model)
        angle = f"{position}" if i == 0 or position == 0 else f"{position}/{divisor:.6g}"
        rows.append((j, i, rf"$\{call}({angle})$", value))
    header = ("column", "$i$", "calculation", "result")
    return Table.of_rows(header, rows, (None, None, None, lambda x: f"${short(x, 6)}$"))


def sentence_table(words: Sequence[str], columns: Sequence[int], d_model: int = 512) -> Table:
    """Selected columns of every word of a sentence, a word's row from top to bottom."""
    table = encode(range(len(words)), d_model)[:, list(columns)]
    # the braces keep a number on its line, where it would break at its minus, and closer than two numbers are
    entries = [
        Column(f"*{w}*, {p}", table[p], lambda x: f"${{{short(x).replace(' - ', '{-}')}}}$")
        for p, w in enumerate(words)
    ]
    return Table(Column("column", columns), Column("$i$", [c // 2 for c in columns]), *entries)


def matrix_table(seq_len: int, d_model: int, base: float) -> Table:
    """A whole small table, every column under its formula."""
    table, divisors = encode(range(seq_len), d_model, base=base), 1 / frequencies(d_model, base=base)
    angles = ["p" if divisor == 1 else f"(p/{divisor:g})" for divisor in divisors]
    heads = [rf"$\{call} {angle}$" for angle in angles for call in ("sin", "cos")]
    entries = [Column(head, table[:, c], lambda x: f"${short(x, 8)}$") for c, head in enumerate(heads)]
    return Table(Column("position $p$", range(seq_len)), *entries)


def mistakes(position: int, d_model: int = 8, shown: int = 6) -> Table:
    """The first columns of every mistaken row, to be matched with a printout."""
    rows = mistaken_rows(position, d_model)
    entries = [Column(f"${c}$", [row[c] for row in rows.values()], "${:.4f}$") for c in range(shown)]
    return Table(Column("what was computed", rows), *entries)


def conventions_table(seq_len: int, d_model: int) -> Table:
    """What each convention changes: entries, and the dot products between rows."""
    changes = changes_by_convention(seq_len, d_model)
    entries, products = zip(*changes.values(), strict=True)
    return Table(
        Column("what others write", changes),
        Column("largest change of an entry", entries, "${:.4f}$"),
        Column("of a dot product", products, lambda x: "none" if x < NONE_BELOW else f"${x:.3f}$"),
    )
