"""Numbering the words by another path: mpmath, complex numbers, loops over lists, fractions."""

import math
import statistics
from bisect import bisect_left
from fractions import Fraction
from functools import cache

import numpy as np
from mpmath import matrix, mp, mpf

from pe_book.numerics.rounding import closest_pair, collisions, round_to
from pe_book.sinusoidal.formula import encode
from pe_book.why.requirements import ATTEMPTS, measure
from pe_book.why.sines import harmonic_pairs, one_sine
from tests.show.sinusoidal.recomputed_waves import RECOMPUTED as WAVES

LION = ("Nitish", "killed", "the", "lion")


# counting ---------------------------------------------------------------------------------------------------


def holds(row, p):
    place = {0: "x₀", 1: "x₁", 511: "x₅₁₁", None: "…"}.get(row["dimension"], "")
    count = LION.index(row["word"]) + 1
    if row["kind"] == "count":
        return str(count)
    return f"{place}+{count}" if row["kind"] == "both" and place != "…" else place


COUNTS = sorted({round(10 ** (5 * mpf(i) / 59)) for i in range(60)})


@cache
def normed(count):
    """The count and the spread of the other numbers, in units of the standard deviation of all."""
    word = np.random.default_rng(0).standard_normal(512).tolist()
    row = [*word, float(count)]
    deviation = statistics.pstdev(row)
    return (count - statistics.fmean(row)) / deviation, statistics.pstdev(word) / deviation


COUNTED = list(range(1, 101))
CODES = {
    "4 words, counted": COUNTED[:4],
    "100 words, counted": COUNTED,
    "100 words, standardised": [(c - mpf(101) / 2) / mp.sqrt(mpf(9999) / 12) for c in COUNTED],
    "4 words, pos / 512": [mpf(p) / 512 for p in range(4)],
}


@cache
def loss(name, updates):
    """Powers of the matrix that one update multiplies the error of the two weights by."""
    with mp.workdps(60):
        code = [mpf(c) for c in CODES[name]]
        n = len(code)
        curvature = matrix([[sum(c * c for c in code) / n, sum(code) / n], [sum(code) / n, 1]])
        step = 2 / (curvature[0, 0] + curvature[1, 1])  # the eigenvalues add up to the trace
        slope = 1 / (code[-1] - code[0])
        error = matrix([slope, 1 - slope * code[0]])  # the line from 1 to 2, and weights of 0
        left = (matrix([[1, 0], [0, 1]]) - step * curvature) ** updates * error
        return (left.T * curvature * left)[0] / (error.T * curvature * error)[0]


NEEDED = {
    name: bisect_left(range(10**6), True, key=lambda n, name=name: loss(name, n) <= 0.001) for name in CODES
}
MADE = sorted({0, *(int(10 ** (6 * mpf(i) / 119) + mpf(10) ** -9) for i in range(120)), *NEEDED.values()})


# normalising ------------------------------------------------------------------------------------------------

RULERS = {
    "pos / 512": lambda p, n: Fraction(p, 512),
    "pos / len": lambda p, n: Fraction(p, n),
    "(pos + 1) / len": lambda p, n: Fraction(p + 1, n),
    "pos / (len − 1)": lambda p, n: Fraction(p, n - 1),
}
MATHS = [r"$pos/512$", r"$pos/\text{len}$", r"$(pos+1)/\text{len}$", r"$pos/(\text{len}-1)$"]


def second_of(n):
    return lambda row, p: [*RULERS.values()][MATHS.index(row["second word of"])](1, n)


def seconds(f, p):
    return "; ".join(
        f"{name}: {float(rule(1, 2)):.3g} and {float(rule(1, 4)):.3g}" for name, rule in RULERS.items()
    )


# a shear and a turn -----------------------------------------------------------------------------------------


def plane(row, k):
    """Where a point lies after k places: a count moves on, a pair is a complex number that turns."""
    angle, position = row["angle (radians)"], row["position"]
    if row["code"] == "pair":
        start = position if angle is None else math.pi / 2 - angle
        z = np.exp(1j * (start + k))
        return z.imag, z.real
    x, y = (position, 1) if angle is None else (math.cos(angle), math.sin(angle))
    return x + k * y, y


# the demands ------------------------------------------------------------------------------------------------

FORMATS = ("float32", "float16", "bfloat16")
CODES_BY_HEADER = {
    "$p+1$": "counting", r"$\frac{p}{512}$": "pos / 512", r"$\frac{p}{n}$": "pos / len",
    r"$\frac{p+1}{n}$": "(pos + 1) / len", r"$\frac{p}{n-1}$": "pos / (len − 1)", r"$\sin p$": "one sine",
    "pairs": "three harmonic pairs",
}  # fmt: skip


@cache
def found(header):
    return measure(
        (lambda n: encode(range(n), 64)) if header == "2017" else ATTEMPTS[CODES_BY_HEADER[header]]
    )


MEASURES = {
    "different": lambda h: found(h).distinct,
    "different, bfloat16": lambda h: found(h).distinct_bfloat16,
    "different, margin": lambda h: found(h).margin,
    "the same": lambda h: found(h).second_word,
    "small": lambda h: found(h).largest,
    "even": lambda h: found(h).step_ratio,
    "one map": lambda h: found(h).shift_residual,
    "open": lambda h: "yes" if found(h).goes_on else "✗\u202fno",
}


# sines ------------------------------------------------------------------------------------------------------


def sine_of(column):
    return lambda row, p: mp.sin(row[column])


def closest():
    """The pair of positions below 23 whose sines are nearest."""
    return closest_pair(one_sine(range(23)))[:2]


PLACES = np.arange(50_000.0)
WORD_CODES = {
    "position": PLACES[:, None],
    r"position over $2^{16}$": PLACES[:, None] / 65536,
    "one sine": np.sin(PLACES)[:, None],
    "three harmonic pairs": harmonic_pairs(PLACES),
}


def first_repeat(name, dtype):
    pair = collisions(round_to(WORD_CODES[name], dtype)).first
    return "none" if pair is None else f"{pair[0]:,} and {pair[1]:,}"


def hand(pair):
    return f"({math.sin(4 / (pair + 1)):.2f},\u00a0{math.cos(4 / (pair + 1)):.2f})"


def chord(p):
    """Two points of a circle that are an angle apart have the distance 2 sin of its half."""
    return 2 * math.sqrt(sum(math.sin(p / (2 * i)) ** 2 for i in (1, 2, 3)))


@cache
def coming_back():
    """Positions nearer to the start than all before them, and than half of the neighbour."""
    found, nearest = [], chord(1) / 2
    for p in range(2, 401):
        if chord(p) < nearest:
            found.append(p)
            nearest = chord(p)
    return found


RECOMPUTED = {
    "fig:attempts:two-designs": {
        "rows": 4 * (4 + 4 + 1),
        "kind": ["word", "both", "count"],
        "word": LION,
        "drawn at": lambda row, p: {0: 0, 1: 1, None: 2, 511: 3, 512: 4}[row["dimension"]],
        "dimension": [0, 1, 511, 512],
        "holds": holds,
        "facts": {"wide": 513},
    },
    "fig:attempts:layer-norm": {
        "rows": len(COUNTS),
        "count of the word": COUNTS,
        "its count": lambda row, p: normed(row["count of the word"])[0],
        "spread of its other numbers": lambda row, p: normed(row["count of the word"])[1],
        "facts": {
            "bound": math.sqrt(512),
            "longest": 100_000,
            "low": lambda f, p: normed(1)[0],
            "high": lambda f, p: normed(100_000)[0],
            "whole": lambda f, p: normed(1)[1],
            "left": lambda f, p: normed(100_000)[1],
        },
    },
    "fig:attempts:training": {
        "rows": 4 * len(MADE),
        "code": list(CODES),
        "updates made": MADE,
        "next update": lambda row, p: row["updates made"] + 1,
        "loss": lambda row, p: loss(row["code"], row["updates made"]),
        "facts": {"needed": lambda f, p: "; ".join(f"{name}: {n:,}" for name, n in NEEDED.items())},
    },
    "tab:attempts:normalised": {
        "second word of": MATHS,
        **{str(n): second_of(n) for n in (2, 4, 40)},
    },
    "fig:attempts:rulers": {
        "rows": 4 * (2 + 4),
        "formula": list(RULERS),
        "sentence": ["2 words", "4 words"],
        "position": range(4),
        "value": lambda row, p: RULERS[row["formula"]](row["position"], int(row["sentence"][0])),
        "facts": {"second": seconds},
    },
    "fig:attempts:shear": {
        "rows": 2 * (73 + 5),
        "code": ["count", "pair"],
        "angle (radians)": [math.pi * i / 36 for i in range(73)],
        "position": range(5),
        "moved to": [4],
        "x before": lambda row, p: plane(row, 0)[0],
        "y before": lambda row, p: plane(row, 0)[1],
        "x after": lambda row, p: plane(row, 3)[0],
        "y after": lambda row, p: plane(row, 3)[1],
        "facts": {
            "reach": max(math.cos(math.pi * i / 36) + 3 * math.sin(math.pi * i / 36) for i in range(73))
        },
    },
    "fig:attempts:curves": WAVES["fig:waves:sine-cosine"],
    "fig:attempts:five-words": WAVES["fig:waves:words"],
    "fig:attempts:repeats": {
        "rows": 221 + 3,
        "position": sorted([*(i / 10 for i in range(221)), 2 * math.pi, 4 * math.pi, 6 * math.pi]),
        "sin(position)": sine_of("position"),
        "word": lambda row, p: row["position"],
        "closest": lambda row, p: "yes" if row["position"] in closest() else None,
        "turn": lambda row, p: f"{row['position'] / math.pi:.9g}π",
        "facts": {
            "one": lambda f, p: closest()[0],
            "other": lambda f, p: closest()[1],
            "mirror": lambda f, p: round(3.5 * math.pi),
            "gap": lambda f, p: abs(round(math.sin(closest()[0]), 6) - round(math.sin(closest()[1]), 6)),
            "turns": ", ".join(f"{2 * math.pi * n:.2f}" for n in (1, 2, 3)),
        },
    },
    "tab:attempts:formats": {
        "code": list(WORD_CODES),
        **{dtype: lambda row, p, dtype=dtype: first_repeat(row["code"], dtype) for dtype in FORMATS},
    },
    "fig:attempts:dials": {
        "rows": 3 * 5,
        "pair": range(3),
        "position": range(5),
        "angle (radians)": lambda row, p: Fraction(row["position"], row["pair"] + 1),
        "sine": lambda row, p: mp.sin(mpf(row["position"]) / (row["pair"] + 1)),
        "cosine": lambda row, p: mp.cos(mpf(row["position"]) / (row["pair"] + 1)),
        "facts": {f"code{pair}": hand(pair) for pair in range(3)},
    },
    "fig:attempts:returns": {
        "rows": 400,
        "position": range(1, 401),
        "distance": lambda row, p: chord(row["position"]),
        "back": lambda row, p: "yes" if row["position"] in coming_back() else None,
        "facts": {
            "neighbour": lambda f, p: chord(1),
            "far": lambda f, p: max(map(chord, range(1, 401))),
            "near": lambda f, p: ", ".join(f"{chord(k):.3f} at {k}" for k in coming_back()),
        },
    },
    "tab:attempts:requirements": {
        "demand": list(MEASURES),
        **{
            header: lambda row, p, h=header: MEASURES[row["demand"]](h)
            for header in (*CODES_BY_HEADER, "2017")
        },
    },
}
