"""Precision by another path: numbers are rounded by their bits, rows counted in a dictionary."""

import math
from functools import cache
from itertools import pairwise

import numpy as np

import pe_book as pe
from pe_book.numerics.rounding import collisions, round_to
from pe_book.sinusoidal.distance import similarity as similarity_of
from pe_book.sinusoidal.precision.recipes import encode_rounded, recipe
from tests.show.recomputed import COUNT, SOME, WORDS

STAGES = ("position", "frequency", "angle", "finished table")
CALLED = dict(zip(STAGES, ("positions", "frequencies", "angles", "table"), strict=True))


def rows(positions, d, stages, name):
    return encode_rounded(positions, d, rounded=[CALLED[stage] for stage in stages], dtype=name)


def true(positions, d):
    start, n = int(positions[0]), len(positions)
    return pe.table(n, d, start=start, dtype="float64")


# the words of a table ---------------------------------------------------------------------------------------


def per_cent(share):
    whole = "<1" if share < 0.01 else ">99" if share >= 0.99 else f"{100 * share:.0f}"
    return whole.replace("<", "<\u00a0").replace(">", ">\u00a0") + "\u00a0%"


def size(x):
    if x >= 0.095:
        return f"{x:.1f}"
    power = math.floor(math.log10(x))
    digit = round(x / 10**power)
    digit, power = (1, power + 1) if digit == 10 else (digit, power)
    return f"${{{digit}\\cdot10^{{{power}}}}}$"


# what is left of many positions -----------------------------------------------------------------------------


@cache
def left(name, rounded_stage, n=5000, d=512):
    stages = STAGES if rounded_stage == "all four" else (rounded_stage,)
    table = rows(range(n), d, stages, name)
    found = collisions(table)
    first = "none" if found.first is None else "{}, {}".format(*found.first)
    similar = (table[1:] * table[:-1]).sum(axis=1) / (d / 2)
    return found.distinct, first, np.abs(table - true(range(n), d)).max(), similar.min(), similar.max()


def of_what_is_left(which, write=lambda x: x):
    return lambda r, p: write(left(r["format"], r["rounded"])[which])


# figures ----------------------------------------------------------------------------------------------------


@cache
def worst(first, stage):
    """The largest error of an octave, at up to 64 places spread over it."""
    places = sorted({round(first + (first - 1) * step / 63) for step in range(64)})
    exact = np.concatenate([true([place], 512) for place in places])
    return np.abs(rows(places, 512, (stage,), "bfloat16") - exact).max()


def in_octave(stage):
    return SOME(6, lambda r, p: worst(r["first position"], stage))


@cache
def by_pair():
    off = np.abs(rows(range(2048, 4096), 512, ("angle",), "bfloat16") - true(range(2048, 4096), 512)).max(
        axis=0
    )
    return np.maximum(off[0::2], off[1::2])


def bound(pair):
    angle = 4095 * pe.frequencies(512)[pair]
    return min(2.0, 2.0 ** (math.floor(math.log2(angle)) - 8))  # half the distance of 8-bit numbers


def similarity(stage):
    def compute(r, p):
        a, b = rows([r["p"], r["p"] + 1], 512, (stage,), "bfloat16")
        return sum(a * b) / 256

    return SOME(20, compute)


def similarities(stage):
    return [sum(a * b) / 256 for a, b in pairwise(rows(range(230, 331), 512, (stage,), "bfloat16"))]


def true_similarity():
    return similarity_of(1, 512) / 256


# recipes ----------------------------------------------------------------------------------------------------


def places(words, n=4096):
    if words.startswith("0"):
        return np.arange(n)
    middle = 2 ** int(words.split("{")[1].rstrip("}$"))
    return np.arange(middle - 32, middle + 32)


def float64_recipe(p, ladder):
    angles = np.outer(p.astype(float), pe.frequencies(512, ladder=ladder))
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(p), 512).astype(np.float32)


RECIPES = {
    "float32, $e^{-2i\\ln(10000)/d}$": lambda p: recipe(p, 512),
    "float32, $1/10000^{2i/d}$": lambda p: recipe(p, 512, frequencies_by="power"),
    "float32, nearest frequencies": lambda p: recipe(p, 512, frequencies_by="nearest"),
    "float64, then cast": lambda p: float64_recipe(p, "paper"),
    "float64, then cast, other ladder": lambda p: float64_recipe(p, "tensor2tensor"),
}


@cache
def of_recipe(name, where):
    p = places(where)
    found, exact = RECIPES[name](p), true(p, 512)
    return np.mean(found != exact.astype(np.float32)), np.abs(found - exact).max()


@cache
def of_half(stage, where, name):
    p = places(where)
    found, exact = rows(p, 128, {stage, "finished table"}, name), true(p, 128)
    return np.mean(found != round_to(exact, name)), np.abs(found - exact).max()


def in_half(name, which, write):
    return lambda r, p: write(of_half(r["rounded"], r["positions"], name)[which])


PLACES = ("0 to 4,095", "around $2^{16}$", "around $2^{20}$", "around $2^{24}$")
STARTS = (250, 508, 1016, 65536)


def has(n):
    """Eight binary digits are enough, apart from zeros behind them."""
    return n == 0 or len(f"{n:b}".rstrip("0")) <= 8


RECOMPUTED = {
    "fig:precision:line": {
        "rows": 4 * 24,
        "piece": [f"from {start}" for start in STARTS],
        "step": range(24),
        "whole number": lambda r, p: int(r["piece"].split()[1]) + r["step"],
        "in bfloat16": lambda r, p: min(
            (n for n in range(r["whole number"] - 256, r["whole number"] + 257) if has(n)),
            key=lambda n: (abs(n - r["whole number"]), len(f"{n:b}".rstrip("0"))),
        ),
        "kept": lambda r, p: "yes" if has(r["whole number"]) else "no",
        "written": lambda r, p: (
            "yes" if has(r["whole number"]) and (r["whole number"] % 8 == 0 or r["step"] == 0) else "no"
        ),
        "facts": {
            "kept": lambda f, p: sum(has(start + step) for start in STARTS for step in range(24)),
            "last": lambda f, p: sum(has(65536 + step) for step in range(24)),
        },
    },
    "tab:precision:stages": {
        COUNT: 2 * (len(STAGES) + 1),
        "rounded": (*STAGES, "all four"),
        "format": ("bfloat16", "float16"),
        "different rows": of_what_is_left(0),
        "first equal": of_what_is_left(1),
        "worst error": of_what_is_left(2, size),
        "least similarity": of_what_is_left(3),
        "largest similarity": of_what_is_left(4),
    },
    "fig:precision:neighbours": {
        "rows": 100,
        "p": range(230, 330),
        "not rounded": lambda r, p: true_similarity(),
        **{f"{stage.split()[-1]} rounded": similarity(stage) for stage in STAGES},
        "facts": {
            "true": lambda f, p: true_similarity(),
            "low": lambda f, p: min(similarities("position")),
            "high": lambda f, p: max(similarities("position")),
            "least": lambda f, p: min(similarities("angle")),
        },
    },
    "fig:precision:growth": {
        "rows": 18 + 256,
        "first position": [2**k for k in range(18)],
        **{stage: in_octave(stage) for stage in STAGES},
        "pair": range(256),
        "measured": lambda r, p: by_pair()[r["pair"]],
        "the bound": lambda r, p: bound(r["pair"]),
        "facts": {
            "of_table": lambda f, p: max(worst(2**k, "finished table") for k in range(18)),
            "kept": 2**8,
            "pairs": 512 // 2,
            "lost": lambda f, p: sum(off > 1 for off in by_pair()),
            "slowest": lambda f, p: by_pair()[-1],
        },
    },
    "tab:precision:recipes": {
        COUNT: len(RECIPES) * len(PLACES),
        "recipe": tuple(RECIPES),
        "positions": PLACES,
        "misrounded": lambda r, p: per_cent(of_recipe(r["recipe"], r["positions"])[0]),
        "worst error": lambda r, p: size(of_recipe(r["recipe"], r["positions"])[1]),
    },
    "tab:precision:halves": {
        COUNT: len(STAGES) * len(PLACES),
        "rounded": STAGES,
        "positions": PLACES,
        **{f"misrounded, {name}": in_half(name, 0, per_cent) for name in ("bfloat16", "float16")},
        **{f"worst error, {name}": in_half(name, 1, size) for name in ("bfloat16", "float16")},
    },
    "tab:precision:reports": {
        COUNT: 4 + 3 + 1 + 5,  # position, frequency, angle, all of it
        **dict.fromkeys(("rounded", "report", "what happened", "mended by"), WORDS),
    },
}
