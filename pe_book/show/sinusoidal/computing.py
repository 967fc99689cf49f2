"""Figures and tables of the chapter on computing the table."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.bench import recorded
from pe_book.evidence.sinusoidal.computing import record
from pe_book.show.figure import DIVERGING, PALETTE, Figure, canvas
from pe_book.show.table import Table
from pe_book.sinusoidal.blocks import ERROR_BOUND
from pe_book.sinusoidal.exact import exact
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.phases import UNIT_ROUNDOFF
from pe_book.why.rounding import spacing

Array = NDArray[np.float64]

_LINES = (PALETTE.red, PALETTE.orange, PALETTE.blue, PALETTE.green)


def grid(block: int = 64, d_model: int = 512, pair: int = 63, row: int = 31, column: int = 37) -> Figure:
    """One sine at block² positions: two edges that are computed, and the square between them."""
    sines = encode(np.arange(block * block), d_model)[:, 2 * pair].reshape(block, block)
    fig, axes = canvas(5.0, width=5.0, columns=2, rows=2, width_ratios=[1, 16], height_ratios=[1, 16])
    corner, top, left, inside = axes.ravel()
    corner.set_axis_off()
    for ax, part in ((top, sines[:1]), (left, sines[:, :1]), (inside, sines)):
        ax.imshow(part, cmap=DIVERGING, vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
        ax.set(xticks=[], yticks=[])
    top.set_title(f"fine edge: positions 0 to {block - 1}", color=PALETTE.orange)
    left.set_ylabel(f"coarse edge: every {block}th position", color=PALETTE.blue)
    for ax, colour in ((top, PALETTE.orange), (left, PALETTE.blue)):
        for spine in ax.spines.values():
            spine.set(visible=True, color=colour, linewidth=2)
    for ax, x, y, colour in (
        (top, column, 0, PALETTE.orange),
        (left, 0, row, PALETTE.blue),
        (inside, column, row, PALETTE.ink),
    ):
        ax.add_patch(_box(x, y, colour))
    inside.plot([column, column], [-0.5, row - 1], color=PALETTE.orange, linewidth=1.2)
    inside.plot([-0.5, column - 1], [row, row], color=PALETTE.blue, linewidth=1.2)
    place = block * row + column
    inside.text(column + 2, row, f"{place}", va="center", bbox={"facecolor": PALETTE.paper, "linewidth": 0})
    inside.set_xlabel(f"inside: {block * block} products")
    alt = (
        f"The sine of pair {pair} at {block * block} positions as a square of {block} rows. Above it the "
        f"fine edge, positions 0 to {block - 1}; left of it the coarse edge, every {block}th. Position "
        f"{place}, {sines[row, column]:.4f}, is marked inside, with its two edge cells: {block * row} on the "
        f"left and {column} above."
    )
    rows = [
        (block * a + b, block * a, b, sines[a, b]) for a in range(0, block, 8) for b in range(0, block, 8)
    ]
    rows.append((place, block * row, column, sines[row, column]))
    return Figure.of(fig, alt=alt, columns=("position", "coarse", "fine", f"sine of pair {pair}"), rows=rows)


def _box(x: float, y: float, colour: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.5, y - 0.5), 1, 1, fill=False, edgecolor=colour, linewidth=2)


def drift(tables: Mapping[str, NDArray[Any]], right: Array) -> Figure:
    """The largest error up to each position, for several ways to make the same table."""
    lengths = [2**e for e in range(1, len(right).bit_length())]
    lines = {}
    for name, table in tables.items():
        errors = np.abs(table.astype(np.float64) - right).max(axis=1)
        lines[name] = [float(errors[:n].max()) for n in lengths]
    half_unit = float(spacing(0.5, "float32")) / 2
    fig, ax = canvas(3.3)
    ax.axhline(half_unit, color=PALETTE.muted, linestyle=(0, (4, 3)), linewidth=0.9)
    ax.text(lengths[-1] * 8, half_unit * 0.82, "one rounding", color=PALETTE.muted, ha="right", va="top")
    for (name, line), colour in zip(lines.items(), _LINES, strict=False):
        ax.loglog(lengths, line, color=colour, marker="o", markersize=3.5)
        ax.text(lengths[-1] * 1.25, line[-1], name, color=colour, va="center")
    ax.set_xlim(1.7, lengths[-1] * 9)
    ax.set_ylim(half_unit / 3, None)
    ax.set_xticks([2, 16, 256, 4096], ["2", "16", "256", "4096"])
    ax.minorticks_off()
    ax.set_xlabel("rows")
    ax.set_ylabel("largest error")
    ends = ", ".join(f"{name} {line[-1]:.1e}" for name, line in lines.items())
    alt = (
        f"Largest error of an entry over the number of rows, in float32, both axes logarithmic. Stepping "
        f"grows in proportion to the length. At {lengths[-1]} rows: {ends}. One rounding costs up to "
        f"{half_unit:.1e}."
    )
    rows = [(n, *(lines[name][j] for name in lines)) for j, n in enumerate(lengths)]
    return Figure.of(fig, alt=alt, columns=("rows", *lines), rows=rows)


def window(values: Array, position: int, column: int) -> Figure:
    """An entry that the bound cannot round, seen at the scale of the bound."""
    d_model, value = values.shape[1], float(values[position, column])
    near = float(np.float32(value))
    unit = float(spacing(near, "float32"))
    boundary = near + np.copysign(unit / 2, value - near)
    right = exact([position], d_model)[0][column]
    at = {
        "boundary": 0.0,
        "exact value": float((right - boundary) / UNIT_ROUNDOFF),
        "computed value": (value - boundary) / UNIT_ROUNDOFF,
    }
    reach = ERROR_BOUND / UNIT_ROUNDOFF
    fig, ax = canvas(1.9)
    low, high = at["computed value"] - reach, at["computed value"] + reach
    twice = (at["computed value"] - 2 * reach, at["computed value"] + 2 * reach)
    ax.plot([min(twice[0], -reach) - 3, max(twice[1], reach) + 3], [0, 0], color=PALETTE.grid)
    ax.plot(twice, [0.12, 0.12], color=PALETTE.blue, linewidth=1.2)
    ax.plot([low, high], [0.12, 0.12], color=PALETTE.blue, linewidth=5, solid_capstyle="butt")
    ax.plot([0, 0], [-0.42, 0.42], color=PALETTE.red, linestyle=(0, (4, 3)))
    ax.text(0, 0.5, "boundary of float32", color=PALETTE.red, ha="center", va="bottom")
    ax.scatter([at["computed value"]], [0.12], color=PALETTE.ink, s=26, zorder=3)
    ax.scatter([at["exact value"]], [0], color=PALETTE.green, s=26, marker="D", zorder=3)
    side = 1 if at["computed value"] >= 0 else -1
    ends = {1: "left", -1: "right"}[side]
    ax.text(side * 0.5, -0.16, "exact", color=PALETTE.green, ha=ends, va="top")
    ax.text(at["computed value"], 0.22, "computed, and the bound", ha=ends, va="bottom")
    ax.set_ylim(-0.75, 0.95)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.set_xlabel("distance from the boundary, in u")
    below, above = near, near + 2 * (boundary - near)
    alt = (
        f"The number line around the boundary between two float32 numbers, {min(below, above):.10f} and "
        f"{max(below, above):.10f}. The computed value lies {at['computed value']:.1f} u from it, the bound "
        f"reaches {reach:.0f} u to both sides and across the boundary, a thin line twice as far; "
        f"the exact value lies {at['exact value']:.2f} u from it."
    )
    rows = [*at.items(), ("bound, from", low), ("bound, to", high)]
    rows += [("window of the list, from", twice[0]), ("window of the list, to", twice[1])]
    return Figure.of(fig, alt=alt, columns=("what", "distance from the boundary, in u"), rows=rows)


def counts_table(sizes: Sequence[int], blocks: Sequence[int], d_model: int) -> Table:
    """How many sine-cosine pairs each way evaluates, and how many products it makes."""
    pairs = d_model // 2
    rows = []
    for n, block in zip(sizes, blocks, strict=True):
        direct, edges = n * pairs, (n // block + block) * pairs
        rows.append(
            (f"{n:,}", f"{direct:,}", f"{n // block:,} + {block}", f"{edges:,}", f"{direct / edges:.0f}")
        )
    header = ("rows", "evaluated directly", "rows of the edges", "evaluated in two levels", "ratio")
    return Table(header, rows, align="rrrrr")


def benchmark(threads: int = 1) -> Table:
    """Time, ratio to the floor and misrounded entries of every method, at both sizes."""
    found = record(threads)
    sizes = sorted({size for _, size in found})
    names = {name for name, _ in found if not _in_calls_table(name)}
    methods = sorted(names, key=lambda name: found[name, sizes[-1]]["over_floor"])
    rows = [(_label(name), *_times(found, name), _share(found[name, sizes[-1]])) for name in methods]
    return Table(["method", *_columns(sizes), "misrounded"], rows, align="lrrrrr")


def calls_table() -> Table:
    """A first call, one that keeps all but the certificates, and a repeated one, on one thread."""
    found = record()
    kept = (
        ("a first call", "nothing", ", cold"),
        ("rows never seen", "frequencies, edges", ", certificates anew"),
        ("a repeated call", "frequencies, edges, certificates", ""),
    )
    rows = [
        (call + way, what, *_times(found, f"this book{way}{name}"))
        for way in ("", ", compiled")
        for call, what, name in kept
    ]
    return Table(["", "kept", *_columns(sorted({size for _, size in found}))], rows, align="llrrrr")


def others_table() -> Table:
    """Calls that make no table, each against another call."""
    rows = [
        (row["call"], f"{row['ms']:.2g}", row["against"], f"{row['ratio']:.1f}")
        for row in recorded("calls")["rows"]
        if row["call"] != row["against"]
    ]
    return Table(("call", "ms", "against", "times as long"), rows, align="lrlr")


def _in_calls_table(name: str) -> bool:
    return name == "this book, compiled, cold" or name.endswith("certificates anew")


def _times(found: Mapping[tuple[str, int], dict[str, Any]], name: str) -> tuple[str, ...]:
    both = [row for (method, _), row in sorted(found.items()) if method == name]
    return tuple(cell for row in both for cell in (f"{row['ms']:,.1f}", f"{row['over_floor']:,.1f}"))


def _columns(sizes: Sequence[int]) -> list[str]:
    return [text for n in sizes for text in (f"{n:,} rows, ms", "× floor")]


def _label(name: str) -> str:
    return {"this book": "this book, repeated call", "this book, cold": "this book, first call"}.get(
        name, name
    )


def _share(row: dict[str, Any]) -> str:
    wrong, entries = row["misrounded"], row["entries"]
    if wrong is None:
        return "–"
    if wrong > entries / 100:
        return f"{wrong / entries:.0%}".replace("%", " %")
    return f"{wrong:,}" if entries == row["seq_len"] * row["d_model"] else f"{wrong:,} of {entries:,}"


def speeds(seq_len: int, threads: int = 1) -> Figure:
    """Times over the floor as dots, coloured by whether the entries are right."""
    found = {name: row for (name, size), row in record(threads).items() if size == seq_len}
    names = [n for n in found if found[n]["misrounded"] is not None and "compiled, c" not in n]
    names.sort(key=lambda name: -_over(found[name]))
    fig, ax = canvas(4.0)
    for place, name in enumerate(names):
        row = found[name]
        wrong = row["misrounded"] > row["entries"] / 100
        colour = PALETTE.red if wrong else (PALETTE.blue if name.startswith("this book") else PALETTE.green)
        in_part = row["entries"] < row["seq_len"] * row["d_model"]
        inside = PALETTE.paper if in_part else colour
        ax.plot([1, _over(row)], [place, place], color=PALETTE.grid, linewidth=0.9, zorder=1)
        ax.scatter([_over(row)], [place], s=42, facecolor=inside, edgecolor=colour, linewidth=1.5, zorder=3)
        ax.text(_over(row) * 1.3, place, _tag(row), va="center", color=colour)
    ax.axvline(1, color=PALETTE.muted, linestyle=(0, (4, 3)), linewidth=0.9)
    ax.set_xscale("log")
    ax.set_xlim(0.7, max(_over(found[n]) for n in names) * 30)
    ax.set_yticks(range(len(names)), [_label(n) for n in names])
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("time, in times of the write floor")
    ax.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1000"])
    ax.minorticks_off()
    fastest, slowest = names[-1], names[0]
    most = max(names, key=lambda n: found[n]["misrounded"] / found[n]["entries"])
    alt = (
        f"Dots: the time of {len(names)} ways to make {seq_len} rows, in times of the write floor, on a "
        f"logarithmic scale, from {_over(found[fastest]):.1f} ({_label(fastest)}) to "
        f"{_over(found[slowest]):,.0f} ({_label(slowest)}). Most misrounded entries: "
        f"{_label(most)}, {_tag(found[most])}."
    )
    rows = [
        (_label(n), _over(found[n]), found[n]["misrounded"], found[n]["entries"]) for n in reversed(names)
    ]
    columns = ("method", "times of the write floor", "misrounded", "of entries")
    return Figure.of(fig, alt=alt, columns=columns, rows=rows)


def _over(row: dict[str, Any]) -> float:
    return float(row["over_floor"])


def _tag(row: dict[str, Any]) -> str:
    share = _share(row)
    return f"{share} wrong" if "%" in share else f"{share} misrounded"
