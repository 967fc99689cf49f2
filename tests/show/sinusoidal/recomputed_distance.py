"""The figures and tables of the chapter on distance by another path."""

import math
from functools import cache

import mpmath
import numpy as np
import torch

from pe_book.sinusoidal import distance
from pe_book.sinusoidal.distance.blending import blend
from pe_book.sinusoidal.distance.spread import common_component, effective_ranks
from pe_book.sinusoidal.formula import encode, frequencies
from tests.show.recomputed import COUNT

OFFSET = "offset k (tokens)"


def rates(d):
    return frequencies(d).tolist()


@cache
def up_to(n, d, base=10000.0):
    """The dot products of two rows 0 to n tokens apart, over d/2: cosines of their angles."""
    return torch.tensor(distance.similarity(range(n + 1), d, base=base) / (d / 2))


def similar(k, d, base=10000.0):
    return distance.similarity(k, d, base=base).item() / (d / 2)


def first_rise(n, d, base=10000.0):
    return distance.first_rise(up_to(n, d, base))


def rows(positions, d):
    return torch.tensor(encode(positions, d))


def on_a_log_scale(n, *also):
    return sorted({round(n ** (j / 229)) for j in range(230)} | {10, *also})


# The kernel -------------------------------------------------------------------------------------------------


def product(k):
    """The dot product of two rows of width 128, as it is defined: entry by entry."""
    (here,), (there,) = rows([7], 128).tolist(), rows([7 + k], 128).tolist()
    return sum(a * b for a, b in zip(here, there, strict=True))


def two(k):
    return mpmath.cos(k) + mpmath.cos(mpmath.mpf(k) / 10)


def upwards(r, p):
    k = r["offset $k$"]
    return "up" if two(k) > two(k - 1) else "down"


def by_width(k):
    return lambda r, p: similar(k, r["width $d$"])


def base_of(r):
    return 10.0 ** int(r["base"].strip("$").removeprefix("10^{").removesuffix("}"))


# What W_Q and W_K make of the similarity --------------------------------------------------------------------


def relative_score(r, p):
    query, key = rows([r["query"], r["key"]], 64)
    return query @ torch.tensor(distance.relative_part(p["random"])) @ key


def random_score(r, p):
    query, key = rows([r["query"], r["key"]], 64)
    return torch.einsum("a,ab,b->", query, torch.tensor(p["random"]), key)


def shares(f, p):
    told = []
    for name in ("identity", "quarter turn", "random", "relative part"):
        along = {}
        for row in f.rows():
            along.setdefault(row["key"] - row["query"], []).append(row[name])
        widest = max(max(scores) - min(scores) for scores in along.values())
        told.append(f"{name} {widest / max(map(abs, f.columns[name])):.2f}")
    return ", ".join(told)


# The rows as a cloud ----------------------------------------------------------------------------------------


@cache
def spectrum(n, d, centred):
    """Energies of the directions, the strongest first, from the dot products of rows; and the rows there."""
    table = rows(range(n), d)
    table = table - table.mean(dim=0) if centred else table
    energies, vectors = torch.linalg.eigh(table @ table.T)
    energies, vectors = energies.flip(0).clamp(min=0), vectors.flip(1)
    places = vectors * torch.sqrt(energies)
    return energies, places * torch.sign(places[-1])


def held(j, centred):
    energies = spectrum(50, 128, centred)[0]
    return 100 * float(energies[: int(j)].sum() / energies.sum())


def shape(r):
    return [int(side.replace(",", "")) for side in r["table"].split("\u00a0×\u00a0")]


@cache
def ranks(table):
    return effective_ranks(rows(*positions_and_width({"table": table})))


def positions_and_width(r):
    n, d = shape(r)
    return range(n), d


def in_the_mean(r, p):
    return 100 * common_component(rows(*positions_and_width(r))).share


# Is a position in between a blend of its neighbours? --------------------------------------------------------


def blended(r):
    """The blend half and half, and the encoding of the middle."""
    p, q = (int(end) for end in r["blend of"].split(" and "))
    return blend(p, q, 0.5, r["width"]), encode((p + q) / 2, r["width"])


def blend_length(r, p):
    mixed, exact = map(np.linalg.norm, blended(r))
    return mixed / exact


def blend_cosine(r, p):
    mixed, exact = blended(r)
    return mixed @ exact / np.linalg.norm(mixed) / np.linalg.norm(exact)


def blend_apart(r, p):
    mixed, exact = blended(r)
    return np.abs(mixed - exact).max()


FAR = range(1600, 1617)

RECOMPUTED = {
    "fig:distance:mirror": {
        "rows": 81,
        OFFSET: range(-40, 41),
        "dot product": lambda r, p: product(r[OFFSET]),
        "mirror image": lambda r, p: product(-r[OFFSET]),
        "close up": lambda r, p: product(r[OFFSET]) if 7 <= r[OFFSET] <= 23 else None,
        "a step up": lambda r, p: product(r[OFFSET]) if product(r[OFFSET]) > product(r[OFFSET] - 1) else None,
        "facts": {
            "top": 64,
            "low": lambda f, p: product(11),
            "high": lambda f, p: product(12),
            "rises": lambda f, p: sum(product(k) > product(k - 1) for k in range(7, 24)),
        },
    },
    "tab:distance:hands": {
        "offset $k$": range(8),
        r"$\cos k$": lambda r, p: mpmath.cos(r["offset $k$"]),
        r"$\cos (k/10)$": lambda r, p: mpmath.cos(mpmath.mpf(r["offset $k$"]) / 10),
        "together": lambda r, p: two(r["offset $k$"]),
        "step": upwards,
        "bold": {"step": lambda r, p: upwards(r, p) == "up"},
    },
    "fig:distance:hands": {
        "rows": 241,
        OFFSET: [j / 20 for j in range(241)],
        "fast hand": lambda r, p: mpmath.cos(r[OFFSET]),
        "slow hand": lambda r, p: mpmath.cos(r[OFFSET] / 10),
        "both": lambda r, p: two(r[OFFSET]),
        "at whole offsets": lambda r, p: two(round(r[OFFSET])),
        "facts": {
            "top": 2,
            "low": lambda f, p: two(3),
            "back": lambda f, p: max(two(k) for k in range(4, 13)),
        },
    },
    "tab:distance:kernel": {
        "width $d$": (6, 64, 128, 512),
        "first rise after": lambda r, p: first_rise(1000, r["width $d$"]),
        **{f"${{k={k}}}$": by_width(k) for k in (1, 10, 100, 1000)},
        "steps up": lambda r, p: 100 * float((up_to(1000, r["width $d$"]).diff() > 0).double().mean()),
        "lowest": lambda r, p: float(up_to(20_000, r["width $d$"]).min()),
    },
    "tab:distance:bases": {
        "base": [f"$10^{{{power}}}$" for power in range(1, 7)],
        "first rise after": lambda r, p: first_rise(100, 512, base_of(r)),
        "${k=1}$": lambda r, p: similar(1, 512, base_of(r)),
        "${k=10}$": lambda r, p: similar(10, 512, base_of(r)),
        "least alike": lambda r, p: min(up_to(100, 512, base_of(r)).tolist()),
        "at offset": lambda r, p: int(up_to(100, 512, base_of(r)).argmin()),
    },
    "fig:distance:widths": {
        "rows": len(on_a_log_scale(1000, 5, 11, 43)),
        OFFSET: on_a_log_scale(1000, 5, 11, 43),
        "d = 64": lambda r, p: similar(r[OFFSET], 64),
        "d = 128": lambda r, p: similar(r[OFFSET], 128),
        "d = 512": lambda r, p: similar(r[OFFSET], 512),
        "the law": lambda r, p: 1 - (mpmath.log(r[OFFSET]) + mpmath.euler) / mpmath.log(10000),
        "facts": {
            "loss": 0.25,  # ln 10 / ln 10000
            "rises": lambda f, p: ", ".join(f"{first_rise(1000, d)} for d = {d}" for d in (64, 128, 512)),
        },
    },
    "fig:distance:spectra": {
        "rows": len(on_a_log_scale(2000, *FAR)),
        OFFSET: on_a_log_scale(2000, *FAR),
        "base 1,000,000": lambda r, p: similar(r[OFFSET], 512, 1e6),
        "base 10,000": lambda r, p: similar(r[OFFSET], 512, 1e4),
        "base 100": lambda r, p: similar(r[OFFSET], 512, 100.0),
        # the geometric sum of the hands, closed
        "evenly spaced": lambda r, p: (
            (math.sin(256.5 * r[OFFSET] / 256) / math.sin(r[OFFSET] / 512) - 1) / 512
        ),
        "facts": {
            "values": lambda f, p: (
                ", ".join(f"base {b:,} {similar(10, 512, float(b)):.2f}" for b in (1_000_000, 10_000, 100))
                + f", evenly spaced {(math.sin(2565 / 256) / math.sin(10 / 512) - 1) / 512:.2f}"
            ),
            "returned": lambda f, p: (math.sin(256.5 * 1608 / 256) / math.sin(1608 / 512) - 1) / 512,
        },
    },
    "fig:distance:maps": {
        "rows": 24 * 24,
        "query": range(24),
        "key": range(24),
        "identity": lambda r, p: 32 * similar(r["key"] - r["query"], 64),
        "quarter turn": lambda r, p: -sum(math.sin((r["key"] - r["query"]) * rate) for rate in rates(64)),
        "random": random_score,
        "relative part": relative_score,
        "facts": {"shares": shares},
    },
    "fig:distance:cloud": {
        "rows": 50 + 24,
        "position": range(50),
        "first axis": lambda r, p: spectrum(50, 128, True)[1][r["position"], 0],
        "second axis": lambda r, p: spectrum(50, 128, True)[1][r["position"], 1],
        "named": (0, 10, 20, 30, 40, 49),
        "directions": range(1, 25),
        "all rows": lambda r, p: held(r["directions"], False),
        "without their mean": lambda r, p: held(r["directions"], True),
        "facts": {
            "plane": lambda f, p: held(2, True),
            "one": lambda f, p: held(1, False),
            "need": lambda f, p: next(j for j in range(1, 51) if held(j, False) >= 99),
        },
    },
    "tab:distance:ranks": {
        "table": [f"{n}\u00a0×\u00a0{d}" for n, d in ((20, 128), (50, 128), (50, 512), (512, 512))],
        "in the mean row": in_the_mean,
        "stable": lambda r, p: ranks(r["table"]).stable,
        "participation": lambda r, p: ranks(r["table"]).participation,
        "entropy": lambda r, p: ranks(r["table"]).entropy,
        "99 % of energy": lambda r, p: ranks(r["table"]).energy,
        r"above $\sigma_1/1000$": lambda r, p: ranks(r["table"]).threshold,
    },
    "fig:distance:chords": {
        "rows": 3 + 64,
        "position (radians of the fastest pair)": (1, 1.5, 2),
        "word": "blend",
        "sine": lambda r, p: (
            (mpmath.sin(1) + mpmath.sin(2)) / 2
            if r["word"]
            else mpmath.sin(r["position (radians of the fastest pair)"])
        ),
        "cosine": lambda r, p: (
            (mpmath.cos(1) + mpmath.cos(2)) / 2
            if r["word"]
            else mpmath.cos(r["position (radians of the fastest pair)"])
        ),
        "pair i": range(64),
        "1 and 2": lambda r, p: abs(math.cos(rates(128)[r["pair i"]] / 2)),
        "0 and 50": lambda r, p: abs(math.cos(25 * rates(128)[r["pair i"]])),
        "facts": {
            "length": math.cos(0.5),
            "least": lambda f, p: ", ".join(
                f"of {name} {min(abs(math.cos(half * w)) for w in rates(128)):.2f}"
                for name, half in (("1 and 2", 0.5), ("0 and 50", 25))
            ),
        },
    },
    "tab:distance:blend": {
        COUNT: 2 * 4,
        "blend of": ("1 and 2", "0 and 50"),
        "width": (2, 6, 128, 512),
        "length, relative": blend_length,
        "cosine": blend_cosine,
        "largest entry apart": blend_apart,
    },
    "fig:distance:between": {
        "rows": 81,
        "position": range(-15, 66),
        # the product of a blend is the blend of the products
        "blend": lambda r, p: (similar(r["position"], 512) + similar(r["position"] - 50, 512)) / 2,
        "encoding of 25": lambda r, p: similar(r["position"] - 25, 512),
        "facts": {
            "top": lambda f, p: (1 + similar(50, 512)) / 2,
            "low": lambda f, p: similar(25, 512),
        },
    },
}
