"""Figures and tables of the chapter on precision: what rounding does, and where."""

from typing import Any

import numpy as np

from pe_book.evidence.sinusoidal import precision as measured
from pe_book.numerics.rounding import FORMATS as KNOWN
from pe_book.numerics.rounding import round_to
from pe_book.show.drawing.diagram import Words
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Line, Points
from pe_book.show.drawing.table import Table
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.precision import first_collision
from pe_book.sinusoidal.precision.recipes import STAGES, encode_rounded

NAMES = {"positions": "position", "frequencies": "frequency", "angles": "angle", "table": "finished table"}
COLOURS = {"positions": "green", "frequencies": "orange", "angles": "purple", "table": "blue"}
FORMATS = ("bfloat16", "float16")


def number_line(starts: tuple[int, ...], length: int) -> Figure:
    """Pieces of the number line: the whole numbers that bfloat16 has, and those that it moves."""
    rows = []
    for start in starts:
        for n in range(start, start + length):
            kept = float(round_to(n, "bfloat16"))
            written = kept == n and (n == start or n % 8 == 0)
            rows.append((f"from {start}", n - start, n, kept, kept == n, written))
    names = ("piece", "step", "whole number", "in bfloat16", "kept", "written")
    return Figure(
        Frame.of_rows(names, rows, pieces=len(starts), length=length),
        Panel(
            Points("step", "piece", where={"kept": "no"}, colour="muted", size=5, hollow=True),
            Points("step", "piece", where={"kept": "yes"}, size=7.5),
            Words("{whole number}", "step", "piece", where={"written": "yes"}, shift=(0, 0.36)),
            bare=True, xlim=(-1.5, length), ylim=(-0.3, len(starts) - 0.4), height=50 * len(starts),
        ),
        facts=lambda f: {
            "kept": int((f["kept"] == "yes").sum()),
            "last": int((f["kept"][-length:] == "yes").sum()),
        },
        alt="{pieces} pieces of the number line, {length} whole numbers each. The {kept} filled dots are "
        "numbers that bfloat16 has, {last} of them in the last piece; the hollow ones are moved to a filled "
        "one.",
    )  # fmt: skip


def formats_table() -> Table:
    """What each format keeps, and the first two whole positions that become one."""
    rows = []
    for name in ("bfloat16", "float16", "float32"):
        first, second = first_collision(name)
        rows.append((name, KNOWN[name].significant_bits, f"{first:,}", f"{second:,}"))
    return Table.of_rows(("format", "digits kept", "this position", "becomes equal to"), rows)


SEEN = {
    "positions": "neighbouring dots stand at one height, in small groups",
    "frequencies": "the dots follow one another on a wave of their own, behind the exact one",
    "angles": "the dots stand still and jump, to both sides of the curve",
    "table": "the dots lie on the curve",
}


def wave(stage: str, start: int, stop: int, d_model: int, pair: int, dtype: str = "bfloat16") -> Figure:
    """The sine of one pair: exact as a curve, and at whole positions with one of the four numbers rounded."""
    steps = 4  # places of the curve in a token
    p = np.arange(steps * start, steps * (stop - 1) + 1) / steps
    exact = np.round(encode(p, d_model)[:, 2 * pair], 12)
    stored = np.round(encode_rounded(p, d_model, rounded=stage, dtype=dtype)[:, 2 * pair], 12)
    whole = [found if at % 1 == 0 else None for at, found in zip(p, stored, strict=True)]
    name = f"{NAMES[stage].split()[-1]} rounded"
    words = {"table": "finished sine"}.get(stage, NAMES[stage])
    return Figure(
        Frame({"position": p, "exact": exact, name: whole}, start=start, end=stop - 1, pair=pair,
              d_model=d_model, dtype=dtype),
        Panel(
            Line("position", "exact", colour="muted", width=1.2),
            Points("position", name, colour=COLOURS[stage], size=5),
            title=name, y="sine", ylim=(-1.15, 1.15), height=150,
        ),
        facts=lambda f: {
            "off": np.abs(f.where(name)[name] - f.where(name)["exact"]).max(),
            "same": int((np.diff(f.where(name)[name]) == 0).sum()),
        },
        alt=f"With the {words} rounded to {{dtype}}, {SEEN[stage]}. Drawn are the sine of pair {{pair}} of "
        "width {d_model} as a curve and a dot for each position from {start} to {end}. The farthest dot lies "
        "{off:.2g} above or below the curve; {same} dots are exactly as high as the one before.",
    )  # fmt: skip


def growth(d_model: int, last_power: int, dtype: str = "bfloat16", octave: int = 11) -> Figure:
    """The worst error in each octave of positions, by place of rounding; and in one octave, by pair."""
    rows: list[tuple[Any, ...]] = []
    for k in range(last_power):
        worst = measured.worst_errors(np.linspace(2**k, 2 ** (k + 1) - 1, 64).round(), d_model, dtype)
        rows.append((2**k, *(round(worst[stage], 9) or None for stage in STAGES), None, None, None))
    by_pair, bound = measured.errors_by_pair(octave, d_model, dtype)
    pairs = zip(bound, np.round(by_pair, 9), strict=True)
    rows += [(None,) * 5 + (i, *pair) for i, pair in enumerate(pairs)]
    columns = ("first position", *NAMES.values(), "pair", "the bound", "measured")
    styles: dict[str, dict[str, Any]] = {
        "positions": {"width": 5.0, "near": 4000},
        "frequencies": {"dash": "dashed", "near": 60},
        "angles": {"near": 10},
        "table": {"near": 4000},
    }
    return Figure(
        Frame.of_rows(columns, rows, dtype=dtype, most=2, off=1, start=2**octave, end=2 ** (octave + 1) - 1),
        Panel(
            *(
                Line("first position", NAMES[s], label=NAMES[s], colour=COLOURS[s], **styles[s])
                for s in STAGES
            ),
            Guide(y="most", label="at most {most}", near=3),
            title="Which number is rounded", log="xy", x="first position of an octave",
            y="worst error of an entry", ylim=(5e-4, 12), xticks=(1, 16, 256, 4096, 65536), height=240,
        ),
        Panel(
            *(
                Line("pair", column, label=column, colour=colour, width=width, near=near)
                for column, colour, width, near in (
                    ("the bound", "muted", 4.5, 20), ("measured", "purple", 1.4, 200)
                )
            ),
            title="Angle rounded, positions {start} to {end}", log="y", y="worst error of an entry",
            height=240,
        ),
        facts=lambda f: {
            "of_table": f.where("first position")["finished table"].max(),
            "kept": int(f.where("position")["first position"][0]),
            "pairs": len(f.where("pair")),
            "lost": int((f.where("pair")["measured"] > 1).sum()),
            "slowest": f["measured"][-1],
        },
        alt="The worst error of an entry over the position, both logarithmic, in {dtype}. With the finished "
        "table rounded it is at most {of_table:.0e} at every position; with the frequency or the angle "
        "rounded it grows with the position up to {most}; with the position rounded it is zero before "
        "{kept}, then as large. Of {pairs} pairs with the angle rounded {lost} fast ones are off by more "
        "than {off}, the slowest by {slowest:.0e}.",
    )  # fmt: skip


def neighbours(start: int, stop: int, d_model: int, dtype: str = "bfloat16") -> Figure:
    """The similarity of each position to the next one, for each of the four places of rounding."""
    similar = {s: measured.what_is_left(stop + 1, d_model, (s,), dtype).similar[start:] for s in STAGES}
    columns = {f"{NAMES[s].split()[-1]} rounded": np.round(found, 6) for s, found in similar.items()}
    true = np.round(encode(0, d_model) @ encode(1, d_model) / (d_model / 2), 6)
    p = range(start, stop)
    return Figure(
        Frame({"p": p, "not rounded": true, **columns}, start=start, end=stop - 1, dtype=dtype),
        *(
            Panel(
                Line("p", "not rounded", colour="muted", dash="dashed", width=0.9),
                Points("p", column, colour=colour, size=3),
                title=column, x="position", y="similarity", ylim=(0.87, 1.01), width=148,
                height=150, xticks=(240, 280, 320), yticks=(0.9, 0.95, 1),
            )
            for column, colour in zip(columns, COLOURS.values(), strict=True)
        ),
        facts=lambda f: {
            "true": f["not rounded"][0],
            "low": f["position rounded"].min(),
            "high": f["position rounded"].max(),
            "least": f["angle rounded"].min(),
        },
        alt="The similarity of each position from {start} to {end} to the next, over its largest value, in "
        "{dtype}: without rounding {true:.2f} everywhere, drawn dashed. With the position rounded it jumps "
        "between {low:.2f} and {high:.2f}, with the angle rounded it scatters, mostly below, down to "
        "{least:.2f}, with the frequency or the finished table it is a level line.",
    )  # fmt: skip


def stages_table(n: int, d_model: int, dtypes: tuple[str, ...] = FORMATS) -> Table:
    """What is left of n positions when one of the four numbers is rounded."""
    rows: list[tuple[Any, ...]] = []
    for dtype in dtypes:
        for name, stages in (*((NAMES[s], (s,)) for s in STAGES), ("all four", STAGES)):
            (pair, distinct, _), worst, similar = measured.what_is_left(n, d_model, stages, dtype)
            first = "none" if pair is None else f"{pair[0]}, {pair[1]}"
            rows.append((name, dtype, distinct, first, worst, similar.min(), similar.max()))
    header = ("rounded", "format", "different rows", "first equal", "worst error", "least similarity")
    shows = (None, None, None, None, size, "{:.2f}", "{:.2f}")
    return Table.of_rows((*header, "largest similarity"), rows, shows)


def halves_table(n: int, d_model: int, around: tuple[int, ...]) -> Table:
    """One number rounded to 16 bits on the way, and the finished table in the same format."""
    rows = [(NAMES[stage], *rest) for stage, *rest in measured.judged_stages(n, d_model, around, FORMATS)]
    headers = [f"{what}, {dtype}" for dtype in FORMATS for what in ("misrounded", "worst error")]
    shows = (None, None, *(share, size) * len(FORMATS))
    return Table.of_rows(("rounded", "positions", *headers), rows, shows)


# Numbers as the page prints them: coarse enough to be the same on every machine -----------------------------


def size(x: float) -> str:
    """One significant digit and a power of ten; from 0.1 on, one decimal."""
    return f"{x:.1f}" if x >= 0.095 else f"${{{power(x)}}}$"


def power(x: float) -> str:
    """One significant digit and a power of ten, as maths."""
    digits, exponent = f"{x:.0e}".split("e")
    return f"{digits}\\cdot10^{{{int(exponent)}}}"


def share(x: float) -> str:
    """Whole per cent; the ends only where they are reached or nearly so."""
    if x < 0.01:
        return "<\u00a01\u00a0%"
    return f"{x:.0%}".replace("%", "\u00a0%") if x < 0.99 else ">\u00a099\u00a0%"
