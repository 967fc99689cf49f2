"""Figures and tables of the chapter on distance and of its side pages, and its explorer."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.show.drawing.diagram import Dial
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Heat, Line, Points
from pe_book.show.drawing.table import Table
from pe_book.sinusoidal.distance import first_rise, kernel, similarity
from pe_book.sinusoidal.distance.blending import blend, blend_pairs
from pe_book.sinusoidal.distance.spread import common_component, effective_ranks
from pe_book.sinusoidal.formula import encode, frequencies

Array = NDArray[np.float64]
COLOURS = ("blue", "orange", "green", "purple")
WIDTHS, BASES = (4, 8, 16, 32, 64, 128, 256, 512), tuple(10**power for power in range(1, 7))
OFFSET, COSINE = "offset k (tokens)", "cosine of the angle between two rows"


def mirror(d_model: int, reach: int) -> Figure:
    """The similarity to both sides, and its mirror image drawn on top."""
    k = np.arange(-reach, reach + 1)
    s = similarity(k, d_model)
    rise, mirrored = _rise(s[reach:]), "mirror image"
    columns = {"dot product": s, mirrored: _only(k % 2 == 0, s[::-1])}
    return Figure(
        Frame({OFFSET: k, **columns}, d_model=d_model, reach=reach, rise=rise),
        Panel(
            Line(OFFSET, "dot product", width=2),
            Points(OFFSET, mirrored, mirrored, label="points: mirror image", colour="orange", size=5),
            Points(OFFSET, "dot product", {OFFSET: rise}, text="first rise", colour="red", size=8),
            y="dot product", height=240,
        ),
        facts=lambda f: {
            "top": f["dot product"].max(),
            "low": f.where({OFFSET: rise})["dot product"][0],
            "high": f.where({OFFSET: rise + 1})["dot product"][0],
        },
        alt="The dot product of two rows of width {d_model} over the offset, up to {reach} to both sides. "
            "It is {top:.0f} for a row with itself and falls off on both sides; its mirror image lies on it. "
            "It first rises from {low:.2f} at {rise} to {high:.2f}.",
    )  # fmt: skip


def near_and_far(d_model: int, base: float, reach: int) -> Figure:
    """The cosine of the angle between two rows over their offset, and the steps up; an explorer."""
    k = np.arange(reach + 1)
    s = similarity(np.arange(reach + 2), d_model, base=base) / (d_model / 2)
    rise, up = _rise(s), np.diff(s) > 0
    columns = {COSINE: s[:-1], "before a step up": _only(up, s[:-1])}

    def given(f: Frame) -> dict[str, Any]:
        asked = f.settings["d_model"]
        return {
            "width": asked, "widths": list(WIDTHS), "base": int(f.settings["base"]), "bases": list(BASES),
            "reach": f.settings["reach"], "asked": asked,
            "latest": max(BASES, key=lambda b: _rise(similarity(np.arange(reach + 1), asked, base=b))),
        }  # fmt: skip

    return Figure(
        Frame({OFFSET: k, **columns}, d_model=d_model, base=base, reach=reach, rise=rise),
        Panel(
            Guide(y=0, dash="", colour="grid"),
            Line(OFFSET, COSINE),
            Points(OFFSET, "before a step up", "before a step up", colour="orange", size=4),
            Points(OFFSET, COSINE, {OFFSET: rise}, text="first rise", colour="red", size=8),
            y=COSINE, height=240,
        ),
        facts=lambda f: {"up": len(f.where("before a step up")), "low": f.where({OFFSET: rise})[COSINE][0]},
        explorer="pe-near", given=given,
        alt="Cosine of the angle between two rows of width {d_model} and base {base:.0f} over the offset, "
            "up to {reach}. It falls from one to {low:.2f} at {rise} and rises there for the first time; "
            "{up} of the steps drawn rise.",
    )  # fmt: skip


def two_hands(n: int = 13, base: float = 100.0) -> Figure:
    """The similarity at width 4 as the sum of a fast cosine and a slow one."""
    k = np.linspace(0, n - 1, 20 * (n - 1) + 1)
    fast, slow, both = (np.round(s, 6) for s in (*np.cos(np.outer(frequencies(4, base=base), k)),
                                                similarity(k, 4, base=base)))  # fmt: skip
    whole = k == np.round(k)
    rise = _rise(both[whole])
    columns = {"fast pair": fast, "slow pair": slow, "both": both, "at whole offsets": _only(whole, both)}
    return Figure(
        Frame({OFFSET: k, **columns}, rise=rise, near=both[whole][1]),
        Panel(
            Guide(y="near", dash="dotted"),
            Line(OFFSET, "fast pair", label="fast pair", colour="green", width=1.2, near=6.3),
            Line(OFFSET, "slow pair", label="slow pair", colour="purple", width=1.2, near=9.6),
            Line(OFFSET, "both", label="both", near=n),
            Points(OFFSET, "at whole offsets", "at whole offsets"),
            Points(OFFSET, "both", {OFFSET: rise}, colour="red", size=8),
            y="cosines, and their sum", height=310,
        ),
        facts=lambda f: {
            "top": f["both"][0],
            "low": f.where({OFFSET: rise})["both"][0],
            "back": np.nanmax(f["at whole offsets"][f[OFFSET] > rise]),
        },
        alt="Two cosines and their sum over the offset. The sum is {top:.0f} for a row with itself, "
            "{near:.3f} between neighbours and {low:.3f} at {rise}, where it turns; later it is {back:.3f}.",
    )  # fmt: skip


def kernel_table(widths: Sequence[int], reach: int = 20_000) -> Table:
    """Where the similarity of each width first rises, how often it does, and how low it gets."""
    rows = []
    for d in widths:
        s = similarity(np.arange(reach + 1), d) / (d / 2)
        rows.append((d, _rise(s), 100 * np.mean(np.diff(s[:1001]) > 0), s.min()))
    header = ("width $d$", "first rise after", "steps up", "lowest")
    return Table.of_rows(header, rows, [None, None, "{:.0f} %", "{:.3f}"])


def widths(sizes: Sequence[int], n: int, base: float = 10000.0) -> Figure:
    """The kernels of several widths on a logarithmic scale, and the law they follow on average."""
    whole = {f"d = {d}": similarity(np.arange(n + 1), d, base=base) / (d / 2) for d in sizes}
    rises = {name: _rise(s) for name, s in whole.items()}
    k = _spread(n, rises.values())
    law = 1 - (np.log(k) + np.euler_gamma) / np.log(base)
    marks: list[Any] = [
        Line(OFFSET, "the logarithm", label="the logarithm", colour="ink", dash="dashed", near=2)
    ]
    for name, colour in zip(whole, COLOURS, strict=False):
        marks += [Line(OFFSET, name, colour=colour, width=1.2),
                  Points(OFFSET, name, {OFFSET: rises[name]}, label=name, colour=colour, size=8)]  # fmt: skip
    return Figure(
        Frame({OFFSET: k, **{name: s[k] for name, s in whole.items()}, "the logarithm": law}, n=n),
        Panel(Guide(y=0, dash="", colour="grid"), *marks, log="x", y=COSINE, height=290),
        facts=lambda f: {
            "loss": np.ptp(f["the logarithm"]) / np.log10(f[OFFSET].max()),
            "rises": ", ".join(f"{rise} for {name}" for name, rise in rises.items()),
        },
        alt="Cosine of the angle between two rows over their offset, up to {n}, on a logarithmic scale. All "
            "widths fall along one straight line, by {loss:.2f} for each power of ten, and ripple about it, "
            "the wider ones less. First rises, marked by dots: {rises}.",
    )  # fmt: skip


def bases_table(bases: Sequence[float], d_model: int, n: int = 101) -> Table:
    """For each base: the first rise among n positions, how alike neighbours are, and the least alike rows."""
    rows: list[tuple[Any, ...]] = []
    for base in bases:
        s, power = similarity(np.arange(n), d_model, base=base) / (d_model / 2), np.log10(base)
        name = f"$10^{{{power:.0f}}}$" if power == round(power) else f"{base:g}"
        rows.append((name, first_rise(s), s[1], s[10], s.min(), int(s.argmin())))
    header = ("base", "first rise after", "${k=1}$", "${k=10}$", "least alike", "at offset")
    return Table.of_rows(header, rows, [None, None, *["{:.3f}"] * 3, None], align="rrrrrr")


def spectra(named: dict[str, Array], n: int) -> Figure:
    """Kernels of several lists of frequencies over the offset, on a logarithmic scale."""
    names, whole = list(named), np.array([kernel(np.arange(n + 1), w) / len(w) for w in named.values()])
    which, late = np.unravel_index(whole[:, n // 2 :].argmax(), whole[:, n // 2 :].shape)
    name, back = names[which], n // 2 + int(late)  # one line returns, far out
    k = _spread(n, range(back - 8, min(back + 9, n + 1)))
    return Figure(
        Frame({OFFSET: k, **dict(zip(names, whole[:, k], strict=True))}, n=n, back=back),
        Panel(
            Guide(y=0, dash="", colour="grid"),
            *(Line(OFFSET, name, label=name, colour=colour, width=1.3)
              for name, colour in zip(names, COLOURS, strict=True)),
            Points(OFFSET, name, {OFFSET: back}, text=f"all back at {{{OFFSET}}}", colour="ink"),
            log="x", y=COSINE, height=290,
        ),
        facts=lambda f: {
            "values": ", ".join(f"{name} {f.where({OFFSET: 10})[name][0]:.2f}" for name in names),
            "returned": f.where({OFFSET: back})[name][0],
        },
        alt="Kernels of some lists of frequencies over the offset, up to {n}, on a logarithmic scale. Ten "
            "tokens apart: {values}. The last returns to {returned:.2f} at {back}.",
    )  # fmt: skip


def score_maps(matrices: dict[str, Array], n: int) -> Figure:
    """Scores of the first n positions with each other under several score matrices."""
    query, key = (index.ravel() for index in np.indices((n, n)))
    rows = encode(range(n), len(next(iter(matrices.values()))))
    maps = {name: np.round(rows @ m @ rows.T, 6).ravel() + 0.0 for name, m in matrices.items()}
    limits = {name: float(np.ceil(np.abs(scores).max())) for name, scores in maps.items()}

    def varies(f: Frame, name: str) -> float:
        along = [np.ptp(f[name][f["key"] - f["query"] == offset]) for offset in range(1 - n, n)]
        return float(max(along) / np.abs(f[name]).max())

    return Figure(
        Frame({"query": query, "key": key, **maps}, n=n),
        *(
            Panel(Heat("key", "query", name, limit=limit, scale=True), title=name, equal=True,
                  xticks=(0, n - 1), yticks=(0, n - 1), width=148, height=236)
            for name, limit in limits.items()
        ),
        facts=lambda f: {"shares": ", ".join(f"{name} {varies(f, name):.2f}" for name in matrices)},
        alt="Scores between {n} positions under several score matrices, blue negative and orange positive. "
            "How much a score varies along a diagonal, where the offset is the same, relative to the "
            "largest: {shares}.",
    )  # fmt: skip


def cloud(n: int, d_model: int, named: Sequence[int]) -> Figure:
    """The n rows in the plane of their two strongest directions, and the energy direction by direction."""
    table = encode(range(n), d_model)
    common = common_component(table)
    centred = table - common.row
    _, sigma, axes = np.linalg.svd(centred, full_matrices=False)
    plane = axes[:2] * np.sign(centred[-1] @ axes[:2].T)[:, None]  # the last row at the upper right
    points = np.round(centred @ plane.T, 6)
    held = [100 * np.cumsum(s**2) / np.sum(s**2) for s in (np.linalg.svd(table, compute_uv=False), sigma)]
    rows: list[tuple[Any, ...]] = []
    rows += [(p, *points[p], p if p in named else None, *[None] * 3) for p in range(n)]
    rows += [(*[None] * 4, j + 1, held[0][j], held[1][j]) for j in range(min(24, n))]
    names = ("position", "first axis", "second axis", "named", "directions", "all rows", "without their mean")
    return Figure(
        Frame.of_rows(names, rows, n=n, d_model=d_model, asked=99),
        Panel(
            Line("first axis", "second axis", "position", dots=True, width=1),
            Points("first axis", "second axis", "named", text="{named}", colour="orange", size=7),
            title="{plane:.0f} % of what tells them apart", bare=True, equal=True, width=300, height=280,
        ),
        Panel(
            Guide(y="asked", label="{asked} %", dash="dotted"),
            Line("directions", "all rows", "directions", label="all rows", near=3),
            Line("directions", names[6], "directions", label=names[6], colour="orange", near=14),
            y="energy held (percent)", width=300, height=280,
        ),
        facts=lambda f: {
            "plane": f.where({"directions": 2})[names[6]][0],
            "one": f.where({"directions": 1})["all rows"][0],
            "need": np.nanmin(f["directions"][f["all rows"] >= 99]),
        },
        alt="First, {n} rows of width {d_model} without their mean, in the plane of their two strongest "
            "directions: a horseshoe with the first and the last row at its tips, {plane:.0f} percent of "
            "the energy left. Second, the energy held by the strongest directions; one holds {one:.0f} "
            "percent of all rows, and {asked} percent takes {need:.0f} directions.",
    )  # fmt: skip


def ranks_table(shapes: Sequence[tuple[int, int]]) -> Table:
    """For each table: the share of its mean row, and how many directions it fills by five definitions."""
    rows = []
    for n, d in shapes:
        table = encode(range(n), d)
        share, ranks = common_component(table).share, effective_ranks(table)
        rows.append((f"{n:,}\u00a0×\u00a0{d}", 100 * share, ranks.stable, ranks.participation, ranks.entropy,
                     ranks.energy, ranks.threshold))  # fmt: skip
    header = ("table", "in the mean row", "stable", "participation", "entropy", "99 % of energy",
              r"above $\sigma_1/1000$")  # fmt: skip
    return Table.of_rows(header, rows, [None, "{:.0f} %", "{:.1f}", "{:.1f}", "{:.0f}", None, None])


def chords(ends: Sequence[tuple[int, int]], d_model: int) -> Figure:
    """A blend is a point of a chord: the fastest pair drawn, and the length of every pair at the middle."""
    (p, q), lengths = ends[0], {f"{a} and {b}": blend_pairs(b - a, 0.5, d_model).length for a, b in ends}
    # the fastest pair stands at as many radians as the position says
    angle, empty = "position (radians of the fastest pair)", [None] * (1 + len(ends))
    rows: list[tuple[Any, ...]] = [
        (p, None, *encode(p, 2), *empty), ((p + q) / 2, "blend", *blend(p, q, 0.5, 2), *empty),
        (q, None, *encode(q, 2), *empty),
    ]  # fmt: skip
    rows += [(*[None] * 4, i, *both) for i, both in enumerate(zip(*lengths.values(), strict=True))]
    return Figure(
        Frame.of_rows((angle, "word", "sine", "cosine", "pair i", *lengths), rows, d_model=d_model, p=p, q=q),
        Panel(
            Dial(angle, angle, hand=False, text=f"{{{angle}:g}}"),
            Line("sine", "cosine", angle, colour="orange", width=1.4),
            Points("sine", "cosine", "word", text="{word}", colour="orange"),
            title="the fastest pair", bare=True, equal=True, xlim=(-1.1, 1.4), width=300, height=260,
        ),
        Panel(
            *(Line("pair i", name, "pair i", label=name, colour=colour, near=near)
              for name, colour, near in zip(lengths, COLOURS[1:], (d_model / 2, d_model / 5), strict=False)),
            title="all pairs", y="length of the blended pair", width=300, height=260,
        ),
        facts=lambda f: {
            "length": np.hypot(f["sine"], f["cosine"])[1],
            "least": ", ".join(f"of {name} {np.nanmin(f[name]):.2f}" for name in lengths),
        },
        alt="First, the fastest pair at {p} and {q} on the circle; the blend lies on the chord, at length "
            "{length:.4f}. Second, the length of every pair of width {d_model} in a blend of two positions "
            "half and half; the smallest {least}.",
    )  # fmt: skip


def between(first: int, second: int, d_model: int, reach: int = 15) -> Figure:
    """What the blend of two positions looks like to the table, beside the encoding of the middle."""
    p, middle, position = np.arange(first - reach, second + reach + 1), (first + second) / 2, "position"
    table, encoding = encode(p, d_model) / (d_model / 2), f"encoding of {middle:g}"
    mixed, exact = table @ blend(first, second, 0.5, d_model), table @ encode(middle, d_model)
    return Figure(
        Frame({position: p, "blend": mixed, encoding: exact}, first=first, second=second, middle=middle,
              d_model=d_model),
        Panel(
            Line(position, encoding, label=encoding, colour="green", near=middle + 18),
            Line(position, "blend", label="blend", colour="orange"),
            x="compared with position", xticks=[first, middle, second], y="dot product / squared length",
            height=240,
        ),
        facts=lambda f: {"top": f["blend"].max(), "low": f.where({position: int(middle)})["blend"][0]},
        alt="Dot products with the rows around {first} to {second}, width {d_model}, as parts of the "
            "largest. The encoding of {middle:g} has one peak, there. The blend of {first} and {second} has "
            "two, {top:.2f} at its two ends, and only {low:.2f} in the middle.",
    )  # fmt: skip


def blend_table(ends: Sequence[tuple[float, float]], fraction: float, sizes: Sequence[int]) -> Table:
    """Blend against encoding: relative length, cosine of the angle between them, largest entry apart."""
    rows = []
    for (p, q), d in ((pair, d) for pair in ends for d in sizes):
        mixed, exact = blend(p, q, fraction, d), encode((1 - fraction) * p + fraction * q, d)
        length, size = np.linalg.norm(mixed), np.linalg.norm(exact)
        cosine, apart = mixed @ exact / length / size, np.abs(mixed - exact).max()
        rows.append((f"{p:g} and {q:g}", d, length / size, cosine, apart))
    header = ("blend of", "width", "length, relative", "cosine", "largest entry apart")
    return Table.of_rows(header, rows, [None, None, "{:.4f}", "{:.4f}", "{:.3f}"])


def _spread(n: int, also: Any) -> NDArray[np.int64]:
    """Whole offsets, evenly on a logarithmic scale up to n, and some more."""
    return np.unique([*np.round(np.geomspace(1, n, 230)).astype(int), *also, 10]).astype(np.int64)


def _only(chosen: Any, values: Array) -> list[float | None]:
    """The values that are chosen; empty cells elsewhere."""
    return [float(value) if keep else None for keep, value in zip(chosen, values, strict=True)]


def _rise(values: Array) -> int:
    rise = first_rise(values)
    if rise is None:
        raise ValueError("these values never rise, so there is no first rise to show")
    return rise
