"""Computing by another path: entries in mpmath, the ledger by its formulas, times from the file itself."""

import json
import math
import struct
from functools import cache
from itertools import pairwise
from pathlib import Path

import mpmath

from pe_book.evidence.records import bench
from pe_book.sinusoidal.precision import error
from tests.show.recomputed import COUNT, WORDS

SHORT, LONG, WIDTH = 4096, 65536, 512


def entry(position, column, d=WIDTH):
    """One entry of the table, to fifty digits."""
    with mpmath.workdps(50):
        angle = position / mpmath.mpf(10000) ** (mpmath.mpf(column // 2 * 2) / d)
        return mpmath.cos(angle) if column % 2 else mpmath.sin(angle)


# errors against length --------------------------------------------------------------------------------------


def largest_error(table, n):
    return error(table[:n]).largest


def of_way(name):
    return lambda r, p: largest_error(p["made"][name], r["number of rows"])


# an entry beside a boundary ---------------------------------------------------------------------------------


def from_the_boundary(p):
    """Exact and computed value, counted in u from the middle of two neighbours in float32."""
    value = mpmath.mpf(float(p["products"][p["at_row"], p["at_column"]]))
    (bits,) = struct.unpack("<I", struct.pack("<f", float(value)))
    floats = [struct.unpack("<f", struct.pack("<I", bits + step))[0] for step in (-1, 0, 1)]
    middles = [(mpmath.mpf(a) + b) / 2 for a, b in pairwise(floats)]
    middle = min(middles, key=lambda m: abs(m - value))
    u = mpmath.mpf(2) ** -53
    exact = entry(p["at_row"], p["at_column"])
    return {"exact value": (exact - middle) / u, "computed value": (value - middle) / u}


def distance(r, p):
    found = from_the_boundary(p)
    if r["what"] in found:
        return mpmath.nint(found[r["what"]] * 1000) / 1000
    reach = p["ERROR_BOUND"] * 2**53 * {"the bound around it": 1, "window of the list": 2}[r["what"]]
    ends = (found["computed value"] - reach, found["computed value"] + reach)
    return min(ends, key=lambda end: abs(end - r["distance (u)"]))


def fact_of_window(name, reach=0):
    return lambda f, p: (
        mpmath.nint((from_the_boundary(p)[name] + reach * p["ERROR_BOUND"] * 2**53) * 1000) / 1000
    )


# the ledger -------------------------------------------------------------------------------------------------

U = mpmath.mpf(2) ** -53
H = mpmath.pi / 256  # half of a 256th of a turn
TICK = 2 * mpmath.pi / mpmath.mpf(2) ** 64 / U
BRACKET = mpmath.sqrt(H**2 + (H**2 / 2) ** 2)


def left_over():
    """What the nearest float64s leave over of the sines that are looked up, in u."""
    with mpmath.workdps(50):
        sines = [mpmath.sin(2 * mpmath.pi * k / 256) for k in range(256)]
        return max(abs(sine - float(sine)) for sine in sines) / U


def ledger():
    sizes = (
        TICK,
        2 * TICK,
        H + H,
        H**3 + H,
        2 * H**2,
        (H**9 / math.factorial(9) + H**8 / math.factorial(8)) / U,
        2 * BRACKET,
        left_over() * (H + H**2 / 2),
        BRACKET + U,
        mpmath.mpf(1) / 2,
        100 * U,
    )
    found = [mpmath.ceil(size * 10000) / 10000 for size in sizes]
    return [*found, mpmath.fsum(found)]


def in_ledger(r, p):
    words = list(p["show"].ledger_table().frame.columns["error, at most"])
    return ledger()[words.index(r["error, at most"])]


# the record -------------------------------------------------------------------------------------------------

NAMES = {"this book, repeated call": "this book", "this book, first call": "this book, cold"}


@cache
def record(part="table"):
    return json.loads(Path(bench.RECORD.file).read_text(encoding="utf-8"))["parts"][part]


def recorded(method, size, threads):
    (row,) = (
        row
        for row in record()
        if (row["method"], row["seq_len"], row["threads"]) == (NAMES.get(method, method), size, threads)
    )
    return row


def methods(threads, floor=True):
    """Without the calls of which only a part is asked again, from the fastest on."""
    back = {name: shown for shown, name in NAMES.items()}
    rows = [row for row in record() if row["threads"] == threads and row["seq_len"] == LONG]
    rows = [
        row for row in rows if "anew" not in row["method"] and row["method"] != "this book, compiled, cold"
    ]
    rows = [row for row in rows if floor or row["method"] != "write floor"]
    return [back.get(r["method"], r["method"]) for r in sorted(rows, key=lambda r: r["over_floor"])]


def benchmark(threads):
    def at(size, key):
        return lambda r, p: recorded(r["method"], size, threads)[key]

    def wrong(r, p):
        row = recorded(r["method"], LONG, threads)
        return mpmath.mpf(row["misrounded"]) * LONG * WIDTH / row["entries"]

    return {
        "method": methods(threads),
        "× floor, 65,536 rows": at(LONG, "over_floor"),
        "ms, 65,536 rows": at(LONG, "ms"),
        "× floor, 4,096 rows": at(SHORT, "over_floor"),
        "ms, 4,096 rows": at(SHORT, "ms"),
        "misrounded": wrong,
    }


CALLS = {
    "a first call": (", cold", "nothing"),
    "rows never seen": (", certificates anew", "frequencies, edges"),
    "a repeated call": ("", "frequencies, edges, certificates"),
}


def in_calls(size, key):
    def compute(r, p):
        call, _, compiled = r["call"].partition(", ")
        return recorded(f"this book{', ' if compiled else ''}{compiled}{CALLS[call][0]}", size, 1)[key]

    return compute


def of_call(name):
    return lambda r, p: next(row[name] for row in record("calls") if row["call"] == r["call"])


def share(method):
    row = recorded(method, LONG, 1)
    return row["misrounded"] / row["entries"]


def worst():
    return max(methods(1, floor=False), key=share)


RECOMPUTED = {
    "fig:computing:grid": {
        "rows": 8 * 8 + 8 + 8,
        "position": range(64),
        "part": ("inside", "fine edge", "coarse edge"),
        "marked": lambda r, p: (
            "yes" if r["position"] == {"inside": 37, "fine edge": 5, "coarse edge": 32}[r["part"]] else "no"
        ),
        "column": lambda r, p: -2 if r["part"] == "coarse edge" else r["position"] - 8 * (r["position"] // 8),
        "row": lambda r, p: -2 if r["part"] == "fine edge" else r["position"] // 8,
        "sine": lambda r, p: mpmath.sin(r["position"]),
        "facts": {
            "number": 64,
            "sine": lambda f, p: mpmath.sin(32) * mpmath.cos(5) + mpmath.cos(32) * mpmath.sin(5),
            "start": 32,
            "rest": 5,
            "position": 37,
        },
    },
    "tab:computing:counts": {
        COUNT: 3,
        "rows": (4096, 65536),
        "evaluated directly": lambda r, p: sum(256 for _ in range(r["rows"])),
        "in two levels": lambda r, p: 256 * (r["rows"] // r["fine rows"]) + 256 * r["fine rows"],
        "ratio": lambda r, p: mpmath.mpf(r["rows"]) / (r["rows"] // r["fine rows"] + r["fine rows"]),
        "coarse rows": lambda r, p: len(range(0, r["rows"], r["fine rows"])),
        "fine rows": (64, 256),
    },
    "fig:computing:drift": {
        "rows": 12,
        "number of rows": [2**k for k in range(1, 13)],
        "stepping": of_way("stepping"),
        "doubling": of_way("doubling"),
        "two levels": of_way("two levels"),
        "one rounding": 2.0**-25,
        "facts": {
            "number of rows": 4096,
            "one rounding": 2.0**-25,
            **{
                name: lambda f, p, name=name: largest_error(p["made"][name], 4096)
                for name in ("stepping", "doubling", "two levels")
            },
        },
    },
    "tab:computing:ledger": {COUNT: lambda p: len(ledger()), "error, at most": WORDS, "in $u$": in_ledger},
    "fig:computing:window": {
        "rows": 6,
        "what": ("exact value", "computed value", "the bound around it", "window of the list"),
        "distance (u)": distance,
        "facts": {
            "true": fact_of_window("exact value"),
            "computed": fact_of_window("computed value"),
            "low": fact_of_window("computed value", -1),
            "high": fact_of_window("computed value", 1),
        },
    },
    "fig:computing:speed": {
        "rows": 11,
        "method": methods(1, floor=False),
        "time (write floors)": lambda r, p: recorded(r["method"], LONG, 1)["over_floor"],
        "share of wrong entries": lambda r, p: share(r["method"]),
        "wrong": lambda r, p: (
            f"{share(r['method']):.0%}"
            if share(r["method"]) > 0.5
            else "few"
            if share(r["method"])
            else "none"
        ),
        "kind": lambda r, p: (
            "book" if "this book" in r["method"] else "wrong" if share(r["method"]) > 0.5 else "right"
        ),
        "facts": {
            "ways": lambda f, p: len(methods(1, floor=False)),
            "fastest": lambda f, p: methods(1, floor=False)[0],
            "least": lambda f, p: min(recorded(m, LONG, 1)["over_floor"] for m in methods(1, floor=False)),
            "most": lambda f, p: max(recorded(m, LONG, 1)["over_floor"] for m in methods(1, floor=False)),
            "worst": lambda f, p: worst(),
            "largest": lambda f, p: share(worst()),
        },
    },
    "tab:computing:calls": {
        "call": [f"{call}{way}" for way in ("", ", compiled") for call in CALLS],
        "× floor, 65,536 rows": in_calls(LONG, "over_floor"),
        "ms, 65,536 rows": in_calls(LONG, "ms"),
        "× floor, 4,096 rows": in_calls(SHORT, "over_floor"),
        "ms, 4,096 rows": in_calls(SHORT, "ms"),
        "kept": lambda r, p: CALLS[r["call"].partition(", ")[0]][1],
    },
    "tab:computing:one": benchmark(1),
    "tab:computing:all": benchmark(2),
    "tab:computing:calls-apart": {
        "call": [row["call"] for row in record("calls") if row["call"] != row["against"]],
        "times as long": of_call("ratio"),
        "as": of_call("against"),
        "ms": of_call("ms"),
    },
}
