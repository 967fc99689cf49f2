"""Precision by another path: definitions, and numbers of which the binary digits are counted."""

from functools import cache

import numpy as np

import pe_book as pe
from pe_book.evidence.sinusoidal.precision import errors_by_pair, judged_stages, what_is_left, worst_errors
from pe_book.numerics.rounding import round_to
from pe_book.sinusoidal.distance import similarity
from pe_book.sinusoidal.precision.recipes import encode_rounded
from tests.show.recomputed import COUNT, WORDS

STAGES = ("position", "frequency", "angle", "finished table")
CALLED = dict(zip(STAGES, ("positions", "frequencies", "angles", "table"), strict=True))


def rows(positions, d, stages, name):
    return encode_rounded(positions, d, rounded=[CALLED[stage] for stage in stages], dtype=name)


def per_cent(share):
    whole = "<1" if share < 0.01 else ">99" if share >= 0.99 else f"{100 * share:.0f}"
    return whole.replace("<", "<\u00a0").replace(">", ">\u00a0") + "\u00a0%"


def left(r):
    stages = CALLED.values() if r["rounded"] == "all four" else (CALLED[r["rounded"]],)
    return what_is_left(5000, 512, tuple(stages), r["format"])


def first_equal(r, p):
    first = left(r).found.first
    return "none" if first is None else "{}, {}".format(*first)


@cache
def similar(stage):
    """Of each position from 230 on to the next one."""
    return what_is_left(331, 512, (CALLED[stage],), "bfloat16").similar[230:]


@cache
def worst(first):
    """The largest errors of an octave by what is rounded, at up to 64 places spread over it."""
    places = sorted({round(first + (first - 1) * step / 63) for step in range(64)})
    return worst_errors(places, 512, "bfloat16")


BY_PAIR, BOUND = errors_by_pair(11, 512, "bfloat16")


PLACES = ("0 to 4,095", "around $2^{16}$", "around $2^{20}$", "around $2^{24}$")


@cache
def halves():
    """For each number that is rounded and each range the share misrounded and the worst error, by format."""
    found = judged_stages(4096, 128, (16, 20, 24), ("bfloat16", "float16"))
    return {(stage, where): numbers for stage, where, *numbers in found}


def in_half(number, write):
    return lambda r, p: write(halves()[CALLED[r["rounded"]], r["positions"]][number])


STARTS = (250, 508, 1016, 65536)
DIGITS = {"bfloat16": 8, "float16": 11, "float32": 24}


def has(n):
    """Eight binary digits are enough, apart from zeros behind them."""
    return n == 0 or len(f"{n:b}".rstrip("0")) <= 8


def wave(stage):
    """The sine of the pair whose frequency rounding moves furthest, by its eight binary digits."""
    speeds = pe.frequencies(512)
    pair = max(range(256), key=lambda i: abs(round_to(speeds[i], "bfloat16") - speeds[i]))
    quarters = np.arange(4 * 500, 4 * 529 + 1) / 4
    dots = rows(quarters, 512, (stage,), "bfloat16")[:, 2 * pair]
    curve = np.sin(quarters * speeds[pair])
    return {
        "position": quarters,
        "exact": curve,
        f"{stage.split()[-1]} rounded": np.where(quarters == quarters.round(), dots, np.nan),
        "facts": {
            "off": np.abs(dots - curve)[::4].max(),
            "same": sum(dots[4 * n] == dots[4 * n + 4] for n in range(29)),
        },
    }


RECOMPUTED = {
    "fig:precision:position": wave("position"),
    "fig:precision:frequency": wave("frequency"),
    "fig:precision:angle": wave("angle"),
    "fig:precision:entry": wave("finished table"),
    "tab:precision:formats": {
        "format": ("bfloat16", "float16", "float32"),
        "digits kept": lambda r, p: DIGITS[r["format"]],
        "this position": lambda r, p: f"{2 ** DIGITS[r['format']]:,}",
        "becomes equal to": lambda r, p: f"{2 ** DIGITS[r['format']] + 1:,}",
    },
    "fig:precision:line": {
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
        "different rows": lambda r, p: left(r).found.distinct,
        "first equal": first_equal,
        "worst error": lambda r, p: left(r).worst,
        "least similarity": lambda r, p: left(r).similar.min(),
        "largest similarity": lambda r, p: left(r).similar.max(),
    },
    "fig:precision:neighbours": {
        "p": range(230, 330),
        "not rounded": similarity(1, 512) / 256,
        **{
            f"{stage.split()[-1]} rounded": lambda r, p, s=stage: similar(s)[r["p"] - 230] for stage in STAGES
        },
        "facts": {
            "true": similarity(1, 512) / 256,
            "low": lambda f, p: similar("position").min(),
            "high": lambda f, p: similar("position").max(),
            "least": lambda f, p: similar("angle").min(),
        },
    },
    "fig:precision:growth": {
        "rows": 18 + 256,
        "first position": [2**k for k in range(18)],
        **{name: lambda r, p, s=stage: worst(r["first position"])[s] for name, stage in CALLED.items()},
        "pair": range(256),
        "measured": BY_PAIR,
        "the bound": BOUND,
        "facts": {
            "of_table": lambda f, p: max(worst(2**k)["table"] for k in range(18)),
            "kept": 2**8,
            "pairs": 512 // 2,
            "lost": sum(BY_PAIR > 1),
            "slowest": BY_PAIR[-1],
        },
    },
    "tab:precision:halves": {
        COUNT: len(STAGES) * len(PLACES),
        "rounded": STAGES,
        "positions": PLACES,
        "misrounded, bfloat16": in_half(0, per_cent),
        "worst error, bfloat16": in_half(1, float),
        "misrounded, float16": in_half(2, per_cent),
        "worst error, float16": in_half(3, float),
    },
    "tab:precision:reports": {
        COUNT: 4 + 3 + 1 + 5,  # position, frequency, angle, all of it
        **dict.fromkeys(("rounded", "report", "what happened", "mended by"), WORDS),
    },
}
