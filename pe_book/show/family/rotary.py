"""Figures and tables of the chapter on rotary position."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.census import ATTENDS, census
from pe_book.checkpoint.names import ARRANGED, MODULES
from pe_book.config.reading import read_config
from pe_book.config.records import LayerRotary
from pe_book.evidence.family.recorded import SHOWN, recorded
from pe_book.evidence.family.rotary import scores_of, share_rising
from pe_book.family.rotary import rotate
from pe_book.inputs.checking import Layout
from pe_book.inputs.pairs import permutation
from pe_book.show.drawing.diagram import Arcs, Dial
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Line, Points
from pe_book.show.drawing.table import Table
from pe_book.show.drawing.texts import PAIRED
from pe_book.sinusoidal.formula import frequencies

Array = NDArray[np.float64]
PLACES = ((2, 1), (5, 4))
ROWS_OF = {
    "concatenated": "all queries, all keys, all values",
    "per-head": "query, key and value of each head",
    "grouped": "for each key its queries, itself, its value",
}


def hands(step: float = 30) -> Figure:
    """A query and a key as hands, at two pairs of positions with one difference."""
    name, angle, turned = "hand", "angle (degrees)", "from the right (radians)"
    rows = [
        (f"{m} and {n}", hand, position, step * position, np.radians(step * position))
        for m, n in PLACES
        for hand, position in (("start", 0), ("query", m), ("key", n))
    ]
    panels = []
    for i, (m, n) in enumerate(PLACES):
        at = f"{m} and {n}"
        panels.append(
            Panel(
                Dial(turned, {"positions": at, name: "start"}, "muted", hand=False, size=4, rotary=True),
                Dial(turned, {"positions": at, name: "key"}, "orange", rim=False, text="key", rotary=True),
                Dial(turned, {"positions": at, name: "query"}, "blue", rim=False, text="query", rotary=True),
                title=f"{{title_{i}}}", bare=True, equal=True, width=156, height=150,
                xlim=(-1.8, 1.8), ylim=(-1.35, 1.45),
            )
        )  # fmt: skip

    def facts(f: Frame) -> dict[str, Any]:
        between = [np.diff(f.where({"positions": f"{m} and {n}"})[angle])[1] for m, n in PLACES]
        stand = {f"{hand}_{i}": f.where({"positions": f"{m} and {n}", name: hand})[angle][0]
                 for i, (m, n) in enumerate(PLACES) for hand in ("query", "key")}  # fmt: skip
        titles = {f"title_{i}": f"positions {f['positions'][3 * i]}" for i in range(len(PLACES))}
        return {"between": abs(between[0]), "again": abs(between[1]), **stand, **titles}

    return Figure(
        Frame.of_rows(("positions", name, "position", angle, turned), rows, step=step),
        *panels,
        facts=facts,
        alt="Two dials. On the first the query stands at {query_0:.0f} and the key at {key_0:.0f} degrees, "
        "{between:.0f} apart; on the second at {query_1:.0f} and {key_1:.0f}, {again:.0f} apart.",
    )


def many(d: int, most: int = 100) -> Figure:
    """The score over the distance of equal hands: of the fastest pair, of the slowest, and of all pairs."""
    distance, score, pairs = "distance (tokens)", "score / width", "pairs"
    k = np.arange(most + 1)
    cosines = np.cos(np.outer(frequencies(d), k))
    curves = {"fastest": cosines[0], "slowest": cosines[-1], "all": cosines.mean(axis=0)}
    rows = [(name, int(x), y) for name, values in curves.items() for x, y in zip(k, values, strict=True)]
    titles = {
        "fastest": "the fastest pair",
        "slowest": "the slowest pair",
        "all": "the head, all {number} pairs",
    }
    return Figure(
        Frame.of_rows((pairs, distance, score), rows, d_model=d),
        *(
            Panel(
                Guide(y=0), Line(distance, score, {pairs: name}, colour=colour, width=1.5),
                title=title, ylim=(-1.1, 1.1), width=312, height=150,
            )
            for (name, title), colour in zip(titles.items(), ("blue", "orange", "green"), strict=True)
        ),
        facts=lambda f: {
            "number": d // 2,
            "tops": int((f.where({pairs: "fastest"})[score][1:] > 1 - 1 / 100).sum()),
            "least": f.where({pairs: "slowest"})[score].min(),
            "second": np.sort(f.where({pairs: "all"})[score])[-2],
        },
        alt="The score against the distance for width {d_model}. The fastest pair comes back {tops} times "
        "to within a hundredth of its best; the slowest never falls below {least:.4f}; all {number} "
        "together are at most {second:.3f} where the distance is not zero.",
    )  # fmt: skip


def partners(d: int = 8) -> Figure:
    """Which column turns with which: neighbours, and halves."""
    return _partners({"neighbours": (d, "interleaved"), "halves": (d, "halves")}, d)


def sliced(d: int = 8, rotary_dim: int = 4) -> Figure:
    """Which column turns with which in a slice: neighbours, and halves."""
    within: dict[str, tuple[int, Layout]] = {
        "neighbours of a slice": (rotary_dim, "interleaved"), "halves of a slice": (rotary_dim, "halves"),
    }  # fmt: skip
    return _partners(within, d)


def _partners(kinds: dict[str, tuple[int, Layout]], d: int) -> Figure:
    """Arcs that join the columns of a pair, a panel for each kind with the width in which its pairs lie."""
    rows: list[tuple[Any, ...]] = []
    for kind, (width, layout) in kinds.items():
        columns = permutation(width, source=layout, to="interleaved")
        rows += [(kind, int(a), int(b), None, 0) for a, b in columns.reshape(-1, 2)]
        rows += [(kind, None, None, column, 0) for column in range(d)]
    panels = []
    for kind, colour in zip(kinds, ("blue", "orange"), strict=True):
        pair, line = {"pairs": kind, "column": ...}, {"pairs": kind, "place": ...}
        panels.append(
            Panel(
                Line("place", "height", line, colour="muted", width=1),
                Arcs("column", "partner", "height", 1, pair, colour),
                Points("place", "height", line, text="{place}", colour="ink", size=4,
                       sides=("bottom", "left", "right", "top")),
                title=kind, bare=True, ylim=(-0.4, 1.1), height=125, width=312,
            )
        )  # fmt: skip

    def told(f: Frame, kind: str) -> str:
        found = f.where({"pairs": kind, "column": ...})
        return ", ".join(
            f"{a:.0f} with {b:.0f}" for a, b in zip(found["column"], found["partner"], strict=True)
        )

    return Figure(
        Frame.of_rows(("pairs", "column", "partner", "place", "height"), rows), *panels,
        facts=lambda f: {kind: told(f, kind) for kind in kinds},
        alt="Arcs join the columns of a head that turn together. "
        + "; ".join(f"{kind}: {{{kind}}}" for kind in kinds) + ".",
    )  # fmt: skip


def far(d: int, turned: int, most: int = 300) -> Figure:
    """The score over the distance for two keys: all ones, and all ones turned once."""
    distance, score, key = "distance (tokens)", "score / width", "key"
    k = np.arange(most + 1)
    ones = np.ones(d)
    moved = rotate(ones, turned)
    plain, later = "all ones", "ones, turned"
    curves = {plain: scores_of(ones, ones, k) / d, later: scores_of(ones, moved, k) / d}
    rows = [(name, int(x), y) for name, values in curves.items() for x, y in zip(k, values, strict=True)]
    return Figure(
        Frame.of_rows((key, distance, score), rows, d_model=d, turned=turned),
        Panel(
            Guide(y=0),
            Line(distance, score, {key: plain}, plain, "blue", width=1.3),
            Line(distance, score, {key: later}, "turned by {turned}", "orange", width=1.3),
            height=220,
        ),
        facts=lambda f: {
            "rising": 100 * share_rising(f.where({key: plain})[score]),
            "top": f.where({key: later})[distance][np.argmax(f.where({key: later})[score])],
            "start": f.where({key: plain})[distance][np.argmax(f.where({key: plain})[score])],
            "most": f[distance].max(),
        },
        alt="The score against the distance up to {most:.0f} tokens, width {d_model}. With all ones it is "
        "highest at {start:.0f} and goes up in {rising:.0f} percent of the steps; with the key turned "
        "once it is highest at {top:.0f}.",
    )


def real_models(names: Sequence[str] = SHOWN) -> Table:
    """What the configs and the code of some models say: partner, slice, frequencies, layers."""
    rows = []
    for name in names:
        block = recorded(name)
        records = read_config(block["config"]).records
        turning = [record for record in records if record.kind == "rotary"]
        layers = f"{len(turning)} of {len(records)}" if len(turning) < len(records) else f"all {len(records)}"
        first = turning[0]
        whole = first.rotary_dim == first.head_dim
        columns = f"all {first.head_dim}" if whole else f"{first.side} {first.rotary_dim} of {first.head_dim}"
        rows.append((block["name"], PAIRED[first.layout], columns, _ladders_of(turning), layers))
    header = ("model", "pairs", "columns that turn", "base and scaling", "layers that turn")
    return Table.of_rows(header, rows, [None] * 5)


def still_layers() -> Table:
    """Types of text models whose attention turns in some layers and stands still in others, by the census."""
    rows = []
    for one in census().types.values():
        if one.parts.keys() != {"text"}:
            continue
        layers = one.parts["text"].layers
        softmax = [layer for layer in layers if layer.attends in ATTENDS[:2]]
        still, turned = ([layer for layer in softmax if layer.kind == kind] for kind in ("still", "turned"))
        if still and turned:
            seen = (" and ".join(sorted({layer.attends for layer in some})) for some in (still, turned))
            rows.append((f"`{one.name}`", f"{len(still)} of {len(layers)}", *seen))
    header = ("model type", "layers that stand still", "they see", "the others see")
    return Table.of_rows(header, rows, [None] * 4)


def _ladders_of(turning: Sequence[LayerRotary]) -> str:
    """The ladders of a model; of several, which one layers with a window have."""
    windows: dict[str, set[bool]] = {}
    for record in turning:
        windows.setdefault(_ladder_of(record), set()).add(record.window is not None)
    if len(windows) == 1:
        return next(iter(windows))
    return ", ".join(f"{one} in windows" if has == {True} else one for one, has in windows.items())


def _ladder_of(record: LayerRotary) -> str:
    """The base of a ladder, from its second rung, and how it was scaled."""
    base = round(float(record.unscaled[1] ** (-record.rotary_dim / 2)))
    return f"{base:,}" if record.method == "default" else f"{base:,} {record.method}"


def arrangements() -> Table:
    """Which names of fused projections tell how their rows are arranged, and which do not."""
    alone = [
        name
        for name, role in MODULES.items()
        if role == "fused" and not any(fnmatchcase(f"0.{name}.weight", one) for one in ARRANGED)
    ]
    rows = [(f"`{pattern}`", f'`"{way}"`', ROWS_OF[way]) for pattern, way in ARRANGED.items()]
    others = ", ".join(f"`{name}`" for name in alone)
    return Table.of_rows(
        ("name", "`fused`", "rows"),
        [*rows, (f"{others} under other names", "to be given", "the name does not tell")],
        [None] * 3,
    )
