"""What the page on computing the table reads from the record, and the verdicts its statements rest on."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.records.bench import recorded
from pe_book.evidence.verdict import Verdict
from pe_book.numerics.exact import exact
from pe_book.numerics.phases import UNIT_ROUNDOFF

Array = NDArray[np.float64]
Record = dict[tuple[str, int], dict[str, Any]]

LABELS = {"this book": "this book, repeated call", "this book, cold": "this book, first call"}
# what a call finds kept, and the ending of its name in the record
CALLS = {
    "a first call": ("nothing", ", cold"),
    "rows never seen": ("frequencies, edges", ", certificates anew"),
    "a repeated call": ("frequencies, edges, certificates", ""),
}

# The record of `make bench` -------------------------------------------------------------------------------


def record(threads: int = 1) -> Record:
    """What `make bench` recorded on one thread, or on :func:`most_threads`, by method and number of rows.

    >>> record()["this book", 4096]["misrounded"]
    0
    """
    rows = recorded("table")["rows"]
    return {(row["method"], row["seq_len"]): row for row in rows if row["threads"] == threads}


def most_threads() -> int:
    """The number of threads of the second half of the record.

    >>> most_threads() > 1
    True
    """
    return max(int(row["threads"]) for row in recorded("table")["rows"])


def compared(found: Record) -> list[str]:
    """The ways that are compared, by their time for the longest table: without calls that keep a part.

    >>> compared(record())[:3]
    ['write floor', 'this book, compiled', 'this book']
    """
    longest = max(size for _, size in found)
    names = {name for name, _ in found if not name.endswith(("certificates anew", "compiled, cold"))}
    return sorted(names, key=lambda name: float(found[name, longest]["over_floor"]))


def shown_speeds(found: Record, seq_len: int) -> list[tuple[str, float, float, str, str]]:
    """Each way to make a table: name, time in write floors, share of wrong entries, this in a word, kind.

    >>> name, in_floors, *rest = shown_speeds(record(), 65536)[0]
    >>> name, rest
    ('this book, compiled', [0.0, 'none', 'book'])
    """
    rows = []
    for name in compared(found)[1:]:  # the floor itself makes no table
        row = found[name, seq_len]
        wrong = row["misrounded"] / row["entries"]
        word = f"{wrong:.0%}" if wrong > 1 / 2 else "few" if wrong else "none"
        kind = "book" if name.startswith("this book") else "wrong" if wrong > 1 / 2 else "right"
        rows.append((LABELS.get(name, name), float(row["over_floor"]), wrong, word, kind))
    return rows


def wrong_of_all(row: dict[str, Any]) -> float | None:
    """How many entries of the whole table are misrounded, in proportion if a part was counted.

    >>> wrong_of_all({"misrounded": 3, "entries": 8, "seq_len": 4, "d_model": 4})
    6.0
    """
    if row["misrounded"] is None:
        return None
    return float(row["misrounded"] / row["entries"] * row["seq_len"] * row["d_model"])


def times_as_long(found: Record, method: str, other: str, seq_len: int) -> float:
    """How many times as long one method takes as another, by their ratios to the write floor.

    >>> times_as_long({("a", 8): {"over_floor": 6.0}, ("b", 8): {"over_floor": 3.0}}, "a", "b", 8)
    2.0
    """
    return float(found[method, seq_len]["over_floor"] / found[other, seq_len]["over_floor"])


def _others(found: Record, seq_len: int) -> dict[str, dict[str, Any]]:
    """The methods that encode and are not the book's."""
    return {
        name: row
        for (name, size), row in found.items()
        if size == seq_len and row["misrounded"] is not None and not name.startswith("this book")
    }


def slower_and_wrong(found: Record, method: str, seq_len: int) -> Verdict:
    """Whether several ways take longer than a method and have most of their entries misrounded."""
    ways = sum(
        row["misrounded"] > row["entries"] / 2 and row["over_floor"] > found[method, seq_len]["over_floor"]
        for row in _others(found, seq_len).values()
    )
    return Verdict(ways >= 2, {"ways": ways})


def nothing_faster(found: Record, method: str, seq_len: int) -> Verdict:
    """Whether a method of the book is faster than every recorded way that is not the book's."""
    others = _others(found, seq_len)
    name = min(others, key=lambda other: float(others[other]["over_floor"]))
    this, fastest = float(found[method, seq_len]["over_floor"]), float(others[name]["over_floor"])
    return Verdict(this < fastest, {"this": this, "fastest": fastest, "name": name})


# Error against length -------------------------------------------------------------------------------------


def grows_in_proportion(errors: ArrayLike) -> Verdict:
    """Whether the largest error of the first rows is proportional to their number.

    Relative, from each length to the next; what grows with the square root misses a factor of four.
    """
    sizes = np.abs(np.asarray(errors, float)).max(axis=1)
    growth = {
        f"{a} to {b}": float(sizes[:b].max() / sizes[:a].max() / (b / a)) for a, b in ((16, 256), (256, 4096))
    }
    return Verdict(all(abs(g - 1) < 0.25 for g in growth.values()), growth)


# Which entries are left open ------------------------------------------------------------------------------


def boundary_distances(values: ArrayLike) -> Array:
    """How far each entry within ±1 is from the nearest boundary between two numbers of float32, in u.

    >>> boundary_distances([0.5 + 2.0**-25, 0.5 + 2.0**-25 + 2.0**-53]).tolist()
    [0.0, 1.0]
    """
    double = np.asarray(values, float)
    near = double.astype(np.float32)
    ends = [near.astype(np.float64) + np.nextafter(near, np.float32(end)) for end in (-2, 2)]
    distances: Array = np.minimum(*(np.abs(double - end / 2) for end in ends)) / UNIT_ROUNDOFF
    return distances


def around_a_boundary(values: ArrayLike, position: int, column: int) -> dict[str, float]:
    """How far from the nearest boundary of float32 an entry lies, before and after rounding, in u.

    The rows 0, 1, … are those of a table with the base 10000 in float64. What is returned is positive where a
    value is larger than the boundary.

    >>> found = around_a_boundary([[0.0, 1.0], [0.8414709848078965, 0.5403023058681398]], 1, 0)
    >>> round(found["exact value"] - found["computed value"], 2)
    0.02
    """
    rows = np.asarray(values, float)
    value = float(rows[position, column])
    near = np.float32(value)
    boundary = (float(near) + float(np.nextafter(near, np.float32(np.copysign(2, value - float(near)))))) / 2
    true = exact([position], rows.shape[1])[0][column]
    return {
        "exact value": float((true - boundary) / UNIT_ROUNDOFF),
        "computed value": (value - boundary) / UNIT_ROUNDOFF,
    }


def others_are_far(values: ArrayLike, listed: ArrayLike, *, distance: float) -> Verdict:
    """Whether every entry that is not listed is farther from a boundary of float32 than a distance.

    The distance is in u; row 0 is not looked at, since it is known.
    """
    distances = boundary_distances(values)
    rows, columns = np.asarray(listed, int).reshape(-1, 2).T
    distances[rows, columns] = np.inf
    nearest = float(distances[1:].min())
    return Verdict(nearest > distance, {"nearest": nearest})


def cosines_of_one_angle(listed: ArrayLike, frequencies: ArrayLike) -> Verdict:
    """Whether the listed entries of an interleaved table are cosines, and all of one angle."""
    positions, columns = np.asarray(listed, int).T
    angles = positions * np.asarray(frequencies, float)[columns // 2]
    cosines = int((columns % 2 == 1).sum())
    same = np.allclose(angles, angles[0], rtol=1e-12, atol=0)  # frequencies and products are rounded
    return Verdict(
        same and cosines == len(columns),
        {"least": float(angles.min()), "most": float(angles.max()), "cosines": cosines},
    )
