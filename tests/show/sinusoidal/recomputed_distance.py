"""The figures and tables of the chapter on distance by another path."""

import math
from functools import cache

import mpmath
import numpy as np
import torch

from pe_book.sinusoidal import distance
from pe_book.sinusoidal.distance.blending import blend, blend_pairs
from pe_book.sinusoidal.distance.spread import common_component, effective_ranks
from pe_book.sinusoidal.formula import encode, frequencies

OFFSET, COSINE = "offset k (tokens)", "cosine of the angle between two rows"
ANGLE = "position (radians of the fastest pair)"


@cache
def up_to(n, d, base=10000.0):
    """The dot products of two rows 0 to n tokens apart, over d/2: cosines of their angles."""
    return distance.similarity(range(n + 1), d, base=base) / (d / 2)


def first_rise(n, d, base=10000.0):
    return distance.first_rise(up_to(n, d, base))


def on_a_log_scale(n, *also):
    return np.array(sorted({round(n ** (j / 229)) for j in range(230)} | {10, *also}))


# The kernel -------------------------------------------------------------------------------------------------

NEAR = np.arange(-40, 41)
PRODUCT = distance.similarity(NEAR, 128)
SHOWN = np.cos(np.outer(np.arange(62), 10000.0 ** (-np.arange(64) / 64))).mean(axis=1)
STEP_UP = SHOWN[1:] > SHOWN[:-1]
FINE = np.arange(241) / 20
FAST, SLOW = np.cos(FINE), np.cos(FINE / 10)
FAR = on_a_log_scale(2000, *range(1600, 1617))
EVEN = (np.sin(256.5 * FAR / 256) / np.sin(FAR / 512) - 1) / 512  # the geometric sum of the hands, closed


def only(chosen, values):
    return np.where(chosen, values, np.nan)


def base_of(r):
    return 10.0 ** int(r["base"].strip("$").removeprefix("10^{").removesuffix("}"))


def varies(table):
    """By how much the scores of one offset differ at most, as a part of the largest."""
    along = [np.ptp(np.diag(table, offset)) for offset in range(1 - len(table), len(table))]
    return max(along) / np.abs(table).max()


def maps(p):
    """The tables of scores, by their names."""
    rows, offsets = encode(range(24), 64), np.arange(24) - np.arange(24)[:, None]
    return {
        "identity": distance.similarity(offsets, 64),
        "quarter turn": -np.sin(np.multiply.outer(offsets, frequencies(64))).sum(axis=-1),
        "random": rows @ p["random"] @ rows.T,
        "relative part": rows @ distance.relative_part(p["random"]) @ rows.T,
    }


def score(name):
    return lambda r, p: maps(p)[name][r["query"], r["key"]]


# The rows as a cloud ----------------------------------------------------------------------------------------


@cache
def spectrum(n, d, centred):
    """Energies of the directions, the strongest first, from the dot products of rows; and the rows there."""
    table = torch.tensor(encode(range(n), d))
    table = table - table.mean(dim=0) if centred else table
    energies, vectors = torch.linalg.eigh(table @ table.T)
    energies, vectors = energies.flip(0).clamp(min=0), vectors.flip(1)
    places = vectors * torch.sqrt(energies)
    return energies, places * torch.sign(places[-1])


def held(j, centred):
    energies = spectrum(50, 128, centred)[0]
    return 100 * float(energies[: int(j)].sum() / energies.sum())


SHAPES = {
    f"{n}\u00a0×\u00a0{d}": encode(range(n), d) for n, d in ((20, 128), (50, 128), (50, 512), (512, 512))
}


@cache
def ranks(table):
    return effective_ranks(SHAPES[table])


# Is a position in between a blend of its neighbours? --------------------------------------------------------

HALVES = {f"{p} and {q}": blend_pairs(q - p, 0.5, 128).length for p, q in ((1, 2), (0, 50))}
BLENDED = [
    (blend(p, q, 0.5, d), encode((p + q) / 2, d)) for p, q in ((1, 2), (0, 50)) for d in (2, 6, 128, 512)
]
AROUND = encode(range(-15, 66), 512) / 256
BETWEEN = AROUND @ blend(0, 50, 0.5, 512)

RECOMPUTED = {
    "fig:distance:mirror": {
        OFFSET: NEAR,
        "dot product": PRODUCT,
        "mirror image": only(NEAR % 2 == 0, PRODUCT),
        "facts": {"top": 64, "low": PRODUCT[51], "high": PRODUCT[52]},
    },
    "fig:distance:near": {
        OFFSET: range(61),
        COSINE: SHOWN[:-1],
        "before a step up": only(STEP_UP, SHOWN[:-1]),
        "facts": {"up": STEP_UP.sum(), "low": SHOWN[11]},
        "given": {
            "width": 128,
            "widths": [2**power for power in range(2, 10)],
            "base": 10_000,
            "bases": [10**power for power in range(1, 7)],
            "reach": 60,
            "asked": 128,
            "latest": max((10**power for power in range(1, 7)), key=lambda base: first_rise(60, 128, base)),
        },
    },
    "fig:distance:hands": {
        OFFSET: FINE,
        "fast pair": FAST,
        "slow pair": SLOW,
        "both": FAST + SLOW,
        "at whole offsets": only(FINE % 1 == 0, FAST + SLOW),
        "facts": {"top": 2, "low": (FAST + SLOW)[60], "back": max((FAST + SLOW)[80::20])},
    },
    "tab:distance:kernel": {
        "width $d$": (6, 64, 128, 512),
        "first rise after": lambda r, p: first_rise(1000, r["width $d$"]),
        "steps up": lambda r, p: 100 * np.mean(np.diff(up_to(1000, r["width $d$"])) > 0),
        "lowest": lambda r, p: up_to(20_000, r["width $d$"]).min(),
    },
    "tab:distance:bases": {
        "base": [f"$10^{{{power}}}$" for power in range(1, 7)],
        "first rise after": lambda r, p: first_rise(100, 512, base_of(r)),
        "${k=1}$": lambda r, p: up_to(100, 512, base_of(r))[1],
        "${k=10}$": lambda r, p: up_to(100, 512, base_of(r))[10],
        "least alike": lambda r, p: up_to(100, 512, base_of(r)).min(),
        "at offset": lambda r, p: up_to(100, 512, base_of(r)).argmin(),
    },
    "fig:distance:widths": {
        OFFSET: on_a_log_scale(1000, 5, 11, 43),
        **{f"d = {d}": up_to(1000, d)[on_a_log_scale(1000, 5, 11, 43)] for d in (64, 128, 512)},
        "the logarithm": lambda r, p: 1 - (mpmath.log(r[OFFSET]) + mpmath.euler) / mpmath.log(10000),
        "facts": {
            "loss": 0.25,  # ln 10 / ln 10000
            "rises": ", ".join(f"{first_rise(1000, d)} for d = {d}" for d in (64, 128, 512)),
        },
    },
    "fig:distance:spectra": {
        OFFSET: FAR,
        **{f"base {base:,}": up_to(2000, 512, float(base))[FAR] for base in (1_000_000, 10_000, 100)},
        "evenly spaced": EVEN,
        "facts": {
            "values": lambda f, p: ", ".join(
                f"{name} {float(f.where({OFFSET: 10})[name][0]):.2f}" for name in list(f.columns)[1:]
            ),
            "returned": EVEN[FAR == 1608][0],
        },
    },
    "fig:distance:maps": {
        "query": range(24),
        "key": range(24),
        **{name: score(name) for name in ("identity", "quarter turn", "random", "relative part")},
        "facts": {
            "shares": lambda f, p: ", ".join(f"{name} {varies(table):.2f}" for name, table in maps(p).items())
        },
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
        "table": list(SHAPES),
        "in the mean row": lambda r, p: 100 * common_component(SHAPES[r["table"]]).share,
        "stable": lambda r, p: ranks(r["table"]).stable,
        "participation": lambda r, p: ranks(r["table"]).participation,
        "entropy": lambda r, p: ranks(r["table"]).entropy,
        "99 % of energy": lambda r, p: ranks(r["table"]).energy,
        r"above $\sigma_1/1000$": lambda r, p: ranks(r["table"]).threshold,
    },
    "fig:distance:chords": {
        "rows": 3 + 64,
        ANGLE: (1, 1.5, 2),
        "word": "blend",
        "sine": np.array([np.sin(1), (np.sin(1) + np.sin(2)) / 2, np.sin(2)]),
        "cosine": np.array([np.cos(1), (np.cos(1) + np.cos(2)) / 2, np.cos(2)]),
        "pair i": range(64),
        **HALVES,
        "facts": {
            "length": math.cos(0.5),
            "least": ", ".join(f"of {name} {lengths.min():.2f}" for name, lengths in HALVES.items()),
        },
    },
    "tab:distance:blend": {
        "blend of": ("1 and 2", "0 and 50"),
        "width": (2, 6, 128, 512),
        "length, relative": np.array([np.linalg.norm(m) / np.linalg.norm(x) for m, x in BLENDED]),
        "cosine": np.array([m @ x / np.linalg.norm(m) / np.linalg.norm(x) for m, x in BLENDED]),
        "largest entry apart": np.array([np.abs(m - x).max() for m, x in BLENDED]),
    },
    "fig:distance:between": {
        "position": np.arange(-15, 66),
        "blend": BETWEEN,
        "encoding of 25": AROUND @ encode(25, 512),
        "facts": {"top": BETWEEN.max(), "low": BETWEEN[40]},
    },
}
