"""Computing by another path: an entry in mpmath, and times from the record."""

import math
from functools import cache

import mpmath
import numpy as np

from pe_book.evidence.records.bench import recorded as record
from pe_book.evidence.sinusoidal.computing import CALLS, LABELS
from pe_book.evidence.sinusoidal.ledger import edge_bound, ledger
from pe_book.evidence.sinusoidal.precision import judged_recipes
from pe_book.numerics.exact import exact
from pe_book.sinusoidal.precision import error
from tests.show.recomputed import COUNT, WORDS
from tests.show.sinusoidal.recomputed_precision import PLACES, per_cent

MADE = ("stepping", "doubling", "two levels")
SHORT, LONG, WIDTH = 4096, 65536, 512


def largest_error(table, n):
    return error(table[:n]).largest


def from_the_boundary(p):
    """Exact and computed value, counted in u from the middle of two neighbours in float32."""
    row, column = p["at_row"], p["at_column"]
    value = mpmath.mpf(float(p["products"][row, column]))
    near = np.float32(float(value))
    neighbours = [mpmath.mpf(float(np.nextafter(near, np.float32(to)))) for to in (-2, 2)]
    middle = min(((float(near) + one) / 2 for one in neighbours), key=lambda m: abs(m - value))
    u = mpmath.mpf(2) ** -53
    return {
        "exact value": (exact([row], WIDTH)[0][column] - middle) / u,
        "computed value": (value - middle) / u,
    }


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


LEDGER = np.array([*(size for _, size in ledger()), edge_bound()])


# the record -------------------------------------------------------------------------------------------------

ROWS = {(row["method"], row["seq_len"], row["threads"]): row for row in record("table")["rows"]}


def recorded(method, size, threads):
    names = {label: name for name, label in LABELS.items()}
    return ROWS[names.get(method, method), size, threads]


def methods(threads, floor=True):
    """Without the calls of which only a part is asked again, from the fastest on."""
    left_out = {"this book, compiled, cold", None if floor else "write floor"}
    rows = [ROWS[key] for key in ROWS if key[1:] == (LONG, threads) and key[0] not in left_out]
    rows = [row for row in rows if "anew" not in row["method"]]
    return [LABELS.get(r["method"], r["method"]) for r in sorted(rows, key=lambda r: r["over_floor"])]


def times(method_of, threads):
    return {
        f"{what}, {size:,} rows": lambda r, p, s=size, k=key: recorded(method_of(r), s, threads)[k]
        for size in (LONG, SHORT)
        for what, key in (("× floor", "over_floor"), ("ms", "ms"))
    }


def benchmark(threads):
    def wrong(r, p):
        row = recorded(r["method"], LONG, threads)
        return row["misrounded"] * LONG * WIDTH / row["entries"]

    return {
        "method": methods(threads),
        **times(lambda r: r["method"], threads),
        "misrounded": wrong,
    }


def method_of_call(r):
    call, _, compiled = r["call"].partition(", ")
    return f"this book{', ' if compiled else ''}{compiled}{CALLS[call][1]}"


APART = [row for row in record("calls")["rows"] if row["call"] != row["against"]]


def share(method):
    row = recorded(method, LONG, 1)
    return row["misrounded"] / row["entries"]


def worst():
    return max(methods(1, floor=False), key=share)


@cache
def recipes():
    """Of each recipe and range the share misrounded and the worst error."""
    return {(name, where): found for name, where, *found in judged_recipes(4096, 512, (16, 20, 24))}


RECOMPUTED = {
    "tab:precision:recipes": {
        COUNT: 5 * len(PLACES),
        "recipe": lambda r, p: r["recipe"] if (r["recipe"], r["positions"]) in recipes() else "none",
        "positions": PLACES,
        "misrounded": lambda r, p: per_cent(recipes()[r["recipe"], r["positions"]][0]),
        "worst error": lambda r, p: recipes()[r["recipe"], r["positions"]][1],
    },
    "fig:computing:grid": {
        "rows": 8 * 8 + 8 + 8,
        "position": range(64),
        "part": ("inside", "fine edge", "coarse edge"),
        "marked": lambda r, p: (
            "yes" if r["position"] == {"inside": 37, "fine edge": 5, "coarse edge": 32}[r["part"]] else "no"
        ),
        "column": lambda r, p: -2 if r["part"] == "coarse edge" else r["position"] - 8 * (r["position"] // 8),
        "row": lambda r, p: -2 if r["part"] == "fine edge" else r["position"] // 8,
        "sine": lambda r, p: math.sin(r["position"]),
        "facts": {
            "number": 64,
            "sine": math.sin(37),
            "start": 32,
            "rest": 5,
            "position": 37,
        },
    },
    "tab:computing:counts": {
        COUNT: 3,
        "rows": (4096, 65536),
        "evaluated directly": lambda r, p: 256 * r["rows"],
        "in two levels": lambda r, p: 256 * (r["rows"] // r["fine rows"]) + 256 * r["fine rows"],
        "ratio": lambda r, p: r["rows"] / (r["rows"] // r["fine rows"] + r["fine rows"]),
        "coarse rows": lambda r, p: r["rows"] // r["fine rows"],
        "fine rows": (64, 256),
    },
    "fig:computing:drift": {
        "number of rows": [2**k for k in range(1, 13)],
        **{name: lambda r, p, n=name: largest_error(p["made"][n], r["number of rows"]) for name in MADE},
        "one rounding": 2.0**-25,
        "facts": {
            "number of rows": 4096,
            "one rounding": 2.0**-25,
            **{name: lambda f, p, name=name: largest_error(p["made"][name], 4096) for name in MADE},
        },
    },
    "tab:computing:ledger": {"error, at most": WORDS, "in $u$": LEDGER},
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
        **times(method_of_call, 1),
        "kept": lambda r, p: CALLS[r["call"].partition(", ")[0]][0],
    },
    "tab:computing:one": benchmark(1),
    "tab:computing:all": benchmark(2),
    "tab:computing:calls-apart": {
        "call": [row["call"] for row in APART],
        "times as long": np.array([row["ratio"] for row in APART]),
        "as": np.array([row["against"] for row in APART]),
        "ms": np.array([row["ms"] for row in APART]),
    },
}
