"""Figures and tables of the chapter on waves: which columns move, and how far apart two positions stay."""

import numpy as np

from pe_book.evidence.sinusoidal.waves import margin_records
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Line, Points
from pe_book.show.drawing.table import Column, Table
from pe_book.show.sinusoidal.waves import FAST_TO_SLOW
from pe_book.sinusoidal.distance.offsets import offset_distance
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.waves import QUIET, aliasing, column_range, turning_pairs


def column_ranges(lengths: tuple[int, ...], d_model: int) -> Figure:
    """How far the sine and the cosine of each pair move within the first n tokens, for several n."""
    pairs, last = range(d_model // 2), d_model // 2 - 1
    rows = [
        (wave, n, i, reach)
        for n in lengths
        for first, wave in enumerate(("sine", "cosine"))
        for i, reach in zip(pairs, column_range(n, d_model)[first::2], strict=True)
    ]
    return Figure(
        Frame.of_rows(("function", "tokens n", "pair i", "range"), rows, quiet=QUIET),
        *(
            Panel(
                Guide(y="quiet", dash="dotted"),
                *(
                    Line("pair i", "range", {"function": wave, "tokens n": n}, f"n = {{n {n}:,}}", colour)
                    for n, colour in zip(lengths, FAST_TO_SLOW, strict=True)
                ),
                title=f"{wave}s", xticks=(*pairs[::64], last), yticks=(0, 1, 2), width=300, height=220,
            )
            for wave in ("sine", "cosine")
        ),
        facts=lambda f: {
            **{f"n {n}": n for n in lengths},
            "last": ", ".join(f"{x:.4f}" for x in f.where({"function": "sine", "pair i": last})["range"]),
            "counts": ", ".join(f"{np.sum(f.where({'tokens n': n})['range'] < QUIET)}" for n in lengths),
        },
        alt="How far the sine and the cosine of each pair move within n tokens. Each curve begins near twice "
        "the radius and falls, later for longer texts; the sine of the last pair moves by {last}. "
        "Columns below {quiet}: {counts}.",
    )  # fmt: skip


def columns_table(lengths: tuple[int, ...], d_model: int) -> Table:
    """For each length: quiet columns, split into sines and cosines, and pairs that complete a turn."""
    quiet = [column_range(n, d_model) < QUIET for n in lengths]
    return Table(
        Column("tokens $n$", lengths),
        Column("quiet columns", [q.sum() for q in quiet]),
        Column("of these sines", [q[0::2].sum() for q in quiet]),
        Column("cosines", [q[1::2].sum() for q in quiet]),
        Column("pairs that complete a turn", [turning_pairs(n, d_model) for n in lengths]),
    )


def confused(column: int, d_model: int, first: int, second: int, last: int = 60) -> Figure:
    """A sine column and its cosine, and two positions that the sine alone cannot tell apart."""
    position = np.linspace(0, last, 4 * last + 1)
    sine, cosine = encode(position, d_model)[:, column : column + 2].T
    looks = ("sine", "blue"), ("cosine", "orange")
    asked = [p if p in (first, second) else None for p in position]
    return Figure(
        Frame(
            {"position": position, "sine": sine, "cosine": cosine, "asked": asked},
            column=column, next=column + 1, d_model=d_model, first=first, second=second, last=last,
        ),
        Panel(
            Guide(x="first"), Guide(x="second"), Guide(y=0, dash=""),
            *(Line("position", wave, None, wave, colour, width=1.5) for wave, colour in looks),
            *(Points("position", wave, "asked", colour=colour, size=7) for wave, colour in looks),
            Line("position", "sine", "asked", dash="dotted", width=1.2),
            y="entry", xticks=(0, first, second, last), yticks=(-1, 0, 1), ylim=(-1.4, 1.4), height=200,
        ),
        facts=lambda f: {
            wave: " and ".join(f"{x:.3f}" for x in f.where("asked")[wave]) for wave in ("sine", "cosine")
        },
        alt="Columns {column} and {next} of width {d_model} up to position {last}. At {first} and {second} "
        "the sine has almost the same height, {sine}; the cosine has {cosine}.",
    )  # fmt: skip


def margins(widths: tuple[int, ...], n: int) -> Figure:
    """The smallest distance between two positions at most so far apart, for several widths."""
    offset, distance = "largest offset (tokens)", "smallest distance"
    rows: list[tuple[int, int, float, int | None]] = []
    looks, falling = [], iter(FAST_TO_SLOW)
    for d in widths:
        offsets, distances = margin_records(n, d)
        rows += [(d, k, x, None) for k, x in zip(offsets, distances, strict=True)]
        rows.append((d, n, distances[-1], d))
        looks.append((d, next(falling) if len(offsets) > 1 else "muted"))
    return Figure(
        Frame.of_rows(("width", offset, distance, "end"), rows, n=n),
        Panel(
            *(Line(offset, distance, {"width": d}, "", colour, width=1.5, step=True) for d, colour in looks),
            *(Points(offset, distance, {"end": d}, "", "{end}", colour, size=3) for d, colour in looks),
            y="smallest distance, by width", log="xy", xlim=(1, 6 * n), xticks=(1, 100, 10**4), height=260,
        ),
        facts=lambda f: {"ends": ", ".join(f"{x:.2g}" for x in f.where("end")[distance])},
        alt="Smallest distance between two positions against the largest offset, up to {n:,}: the curves of "
        "narrow widths step down in colour, those of wide ones stay flat in grey. They end at {ends}.",
    )  # fmt: skip


def margin_table(closest: dict[int, tuple[int, float]]) -> Table:
    """For each width the neighbour distance, and what `closest_offset` found: distance, offset, share."""
    offsets, distances = zip(*closest.values(), strict=True)
    lengths = np.sqrt(np.array(list(closest)) / 2)

    def written(x: float) -> str:
        return format(x, ".3f" if x >= 0.1 else ".2g" if x >= 1e-3 else ".6f")

    return Table(
        Column("width $d$", closest),
        Column("smallest distance", distances, written),
        Column("met at offset", offsets),
        Column("distance of neighbours", [float(offset_distance(1, d)) for d in closest], "{:.3f}"),
        Column("share of the length", 100 * np.array(distances) / lengths, "{:.2g} %"),
    )


def multiplied(d_model: int, n: int) -> Figure:
    """The distance between positions k apart, as printed and multiplied."""
    k, rows = np.arange(n), aliasing.multiplied(range(n), d_model)
    offset, divided, wrong = "offset (tokens)", "divided, as printed", "multiplied"
    columns = {offset: k, divided: offset_distance(k, d_model), wrong: np.linalg.norm(rows - rows[0], axis=1)}
    return Figure(
        Frame(columns, d_model=d_model, last=n - 1),
        Panel(
            Line(offset, divided, label=divided), Line(offset, wrong, label=wrong, colour="red"),
            y="distance", height=190,
        ),
        facts=lambda f: {
            "near": f[divided][1], "far": f[divided][-1], "strange": f[wrong][1],
            "least": f[wrong][1:].min(), "most": f[wrong][1:].max(),
        },
        alt="Distance against offset at width {d_model}. As printed it grows from {near:.1f} between "
        "neighbours to {far:.1f} at {last}; multiplied, it is {strange:.1f} between neighbours already and "
        "stays between {least:.1f} and {most:.1f}.",
    )  # fmt: skip
