"""Figures and tables of the page on computing the table."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.records.bench import recorded
from pe_book.evidence.sinusoidal import computing as measured
from pe_book.evidence.sinusoidal import ledger
from pe_book.evidence.sinusoidal.precision import judged_recipes
from pe_book.numerics.blocks import ERROR_BOUND
from pe_book.numerics.phases import UNIT_ROUNDOFF
from pe_book.numerics.rounding import spacing
from pe_book.show.drawing.diagram import Words
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Heat, Line, Points
from pe_book.show.drawing.table import Column, Table
from pe_book.show.sinusoidal.precision import share, size
from pe_book.sinusoidal.formula import encode

Array = NDArray[np.float64]


def grid(block: int = 8, position: int = 37) -> Figure:
    """The sines of the first pair at block² positions: two edges, and the square between."""
    sines = np.round(encode(range(block**2), 2)[:, 0], 6)
    places = [(p, "inside", p % block, p // block) for p in range(block**2)]
    places += [(p, "fine edge", p, -2) for p in range(block)]
    places += [(p * block, "coarse edge", -2, p) for p in range(block)]
    marked = {
        ("fine edge", position % block),
        ("coarse edge", position // block * block),
        ("inside", position),
    }
    rows = [(p, part, (part, p) in marked, x, y, sines[p]) for p, part, x, y in places]
    rings = {"fine edge": "orange", "coarse edge": "blue", "inside": "red"}
    half = block // 2
    return Figure(
        Frame.of_rows(("position", "part", "marked", "column", "row", "sine"), rows, block=block),
        Panel(
            Heat("column", "row", "sine", limit=2, text="{position}", scale=True),
            *(
                Points("column", "row", {"part": part, "marked": "yes"}, colour=colour, marker="s", size=19,
                       hollow=True)
                for part, colour in rings.items()
            ),
            Words("{part}", "column", "row", {"part": "fine edge", "column": half}, (-0.5, -1), "orange"),
            Words("{part}", "column", "row", {"part": "coarse edge", "row": 0}, (0, -1), "blue"),
            bare=True, height=345, xlim=(-3.6, 7.6), ylim=(-3.6, 7.6),
        ),
        facts=lambda f: {
            "number": int((f["part"] == "inside").sum()),
            "sine": f.where({"part": "inside", "marked": "yes"})["sine"][0],
            "rest": int(f.where({"part": "fine edge", "marked": "yes"})["position"][0]),
            "start": int(f.where({"part": "coarse edge", "marked": "yes"})["position"][0]),
            "position": int(f.where({"part": "inside", "marked": "yes"})["position"][0]),
        },
        alt="The sine of the first pair at {number} positions as a square of {block} rows, its first row and "
        "its first column once more apart from it, as the fine and the coarse edge. Position {position}, "
        "{sine:.4f}, is marked inside, {start} in the coarse edge and {rest} in the fine edge.",
    )  # fmt: skip


def recipes_table(n: int, d_model: int, around: tuple[int, ...]) -> Table:
    """Recipes in float32 and float64, over ranges of positions: share of wrong entries, and worst error."""
    header = ("recipe", "positions", "misrounded", "worst error")
    return Table.of_rows(header, judged_recipes(n, d_model, around), (None, None, share, size))


def drift(tables: Mapping[str, NDArray[Any]], right: Array) -> Figure:
    """The largest error up to each position, for several ways to make the same table."""
    lengths = 2 ** np.arange(1, len(right).bit_length())
    errors = {name: np.abs(table.astype(np.float64) - right).max(axis=1) for name, table in tables.items()}
    columns = {name: [found[:n].max() for n in lengths] for name, found in errors.items()}
    lines = [
        Line("number of rows", name, label=name, colour=colour)
        for name, colour in zip(columns, ("red", "orange", "blue"), strict=True)
    ]
    return Figure(
        Frame({"number of rows": lengths, **columns, "one rounding": float(spacing(0.5, "float32")) / 2}),
        Panel(
            *lines,
            Line("number of rows", "one rounding", label="one rounding", colour="muted", dash="dotted"),
            log="xy", y="largest error of an entry", xticks=(2, 16, 256, 4096), ylim=(4e-9, 4e-4), height=250,
        ),
        facts=lambda f: {name: f[name][-1] for name in ("number of rows", "one rounding", *tables)},
        alt="Largest error of an entry over the number of rows, in float32, both axes logarithmic. Stepping "
        "grows in proportion to the length. At {number of rows:.0f} rows: "
        + ", ".join(f"{name} {{{name}:.1e}}" for name in tables)
        + ". One rounding costs up to {one rounding:.1e}.",
    )  # fmt: skip


def window(values: Array, position: int, column: int) -> Figure:
    """An entry that the bound cannot round, seen at the scale of the bound."""
    places = measured.around_a_boundary(values, position, column)
    computed, reach = places["computed value"], ERROR_BOUND / UNIT_ROUNDOFF
    rows = list(places.items())
    rows += [("the bound around it", computed + side * reach) for side in (-1, 1)]
    rows += [("window of the list", computed + side * 2 * reach) for side in (-1, 1)]
    distance = "distance (u)"
    return Figure(
        Frame.of_rows(("what", distance), [(what, np.round(at, 3)) for what, at in rows]),
        Panel(
            Points(distance, "what", where={"what": "exact value"}, colour="green", marker="D", size=7),
            Points(distance, "what", where={"what": "computed value"}, colour="ink", size=7),
            Line(distance, "what", where={"what": "the bound around it"}, width=6),
            Line(distance, "what", where={"what": "window of the list"}, width=2),
            Guide(x=0, label="boundary", colour="red"),
            title="How far from a boundary of float32", y="", height=200,
        ),
        facts=lambda f: dict(zip(("true", "computed", "low", "high"), f[distance], strict=False)),
        alt="Distances from a boundary between two float32 numbers. The exact value lies at {true:.2f} u, "
        "the computed value at {computed:.1f} u; the bound around it reaches from {low:.1f} u to "
        "{high:.1f} u, across the boundary, and the window of the list twice as far.",
    )  # fmt: skip


def ledger_table() -> Table:
    """Every error of an edge, with the sum."""
    rows = [*ledger.ledger(), ("**together**", ledger.edge_bound())]
    return Table.of_rows(("error, at most", "in $u$"), rows, (None, "{:.4f}"))


def counts_table(sizes: Sequence[int], blocks: Sequence[int], d_model: int) -> Table:
    """How many sine-cosine pairs each way evaluates."""
    pairs = d_model // 2
    rows = [
        (n, n // fine, fine, n * pairs, (n // fine + fine) * pairs, n / (n // fine + fine))
        for n, fine in zip(sizes, blocks, strict=True)
    ]
    header = ("rows", "coarse rows", "fine rows", "evaluated directly", "in two levels", "ratio")
    return Table.of_rows(header, rows, (None, None, None, None, None, "{:.0f}"))


def benchmark(threads: int = 1) -> Table:
    """Time, ratio to the floor and misrounded entries of every method, at both sizes."""
    found = measured.record(threads)
    names, longest = measured.compared(found), max(size for _, size in found)
    return Table(
        Column("method", [measured.LABELS.get(name, name) for name in names]),
        *_times(found, names),
        Column("misrounded", [measured.wrong_of_all(found[name, longest]) for name in names], "{:,.0f}"),
    )


def calls_table() -> Table:
    """A first call, one that keeps all but the certificates, and a repeated one, on one thread."""
    found = measured.record()
    both = [(call, way, *measured.CALLS[call]) for way in ("", ", compiled") for call in measured.CALLS]
    return Table(
        Column("call", [call + way for call, way, _, _ in both]),
        *_times(found, [f"this book{way}{ending}" for _, way, _, ending in both]),
        Column("kept", [kept for _, _, kept, _ in both]),
    )


def _times(found: measured.Record, names: Sequence[str]) -> list[Column]:
    return [
        Column(f"{what}, {size:,} rows", [found[name, size][key] for name in names], "{:,.1f}")
        for size in sorted({size for _, size in found}, reverse=True)
        for key, what in (("over_floor", "× floor"), ("ms", "ms"))
    ]


def others_table() -> Table:
    """Calls that make no table, each against another call."""
    rows = [row for row in recorded("calls")["rows"] if row["call"] != row["against"]]
    header = {"call": "call", "times as long": "ratio", "as": "against", "ms": "ms"}
    cells = [[row[key] for key in header.values()] for row in rows]
    return Table.of_rows(tuple(header), cells, (None, "{:.1f}", None, "{:.2g}"))


def speeds(seq_len: int, threads: int = 1) -> Figure:
    """Times over the floor as dots, coloured by whether the entries are right."""
    over, share = "time (write floors)", "share of wrong entries"
    rows = measured.shown_speeds(measured.record(threads), seq_len)
    colours = {"book": "blue", "right": "green", "wrong": "red"}
    return Figure(
        Frame.of_rows(("method", over, share, "wrong", "kind"), rows, seq_len=seq_len),
        Panel(
            *(
                Points(over, "method", where={"kind": kind}, text="{wrong}", colour=colour, size=6.5)
                for kind, colour in colours.items()
            ),
            Guide(x=1), title="Time, and how many entries are wrong",
            log="x", y="", xticks=(1, 10, 100, 1000), xlim=(0.7, 12000), height=460,
        ),
        facts=lambda f: {
            "ways": len(f), "fastest": f["method"][0], "least": f[over][0], "most": f[over][-1],
            "worst": f["method"][np.argmax(f[share])], "largest": f[share].max(),
        },
        alt="The time of {ways} ways to make {seq_len} rows, in times of the write floor, logarithmic, from "
        "{least:.1f} ({fastest}) to {most:,.0f}. Most entries are misrounded by {worst}, {largest:.0%}.",
    )  # fmt: skip
