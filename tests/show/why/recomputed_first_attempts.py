"""Numbering the words by another path: definitions, complex numbers, loops over lists."""

import math
from functools import cache

import numpy as np

from pe_book.evidence.why.training import loss_after, training_codes, updates_to_a_thousandth
from pe_book.numerics.rounding import closest_pair, collisions, round_to
from pe_book.why.first_attempts import append
from pe_book.why.norms import layer_norm
from pe_book.why.requirements import ATTEMPTS, failures, measure
from pe_book.why.sines import harmonic_pairs, one_sine

LION = ("Nitish", "killed", "the", "lion")


# counting ---------------------------------------------------------------------------------------------------


def holds(row, p):
    place = {0: "x₀", 1: "x₁", 511: "x₅₁₁", None: "…"}.get(row["dimension"], "")
    count = LION.index(row["word"]) + 1
    if row["kind"] == "count":
        return str(count)
    return f"{place}+{count}" if row["kind"] == "both" and place != "…" else place


COUNTS = np.array(sorted({round(10 ** (5 * i / 59)) for i in range(60)}))
NORMED = layer_norm(append(np.tile(np.random.default_rng(0).standard_normal(512), (len(COUNTS), 1)), COUNTS))
SPREAD = NORMED[:, :-1].std(axis=1)

# normalising ------------------------------------------------------------------------------------------------

NORMALISED = ("pos / 512", "pos / len", "(pos + 1) / len", "pos / (len − 1)")
SECOND = {n: np.array([ATTEMPTS[name](n)[1] for name in NORMALISED]) for n in (2, 4)}


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
    "$p+1$": "counting", r"$\frac{p}{512}$": "pos / 512", r"$\frac{p}{n-1}$": "pos / (len − 1)",
    r"$\sin p$": "one sine", "pairs": "three harmonic pairs",
}  # fmt: skip
MEASURES = {
    "different": "distinct", "different, bfloat16": "distinct_bfloat16", "different, margin": "margin",
    "the same": "second_word", "small": "largest", "even": "step_ratio", "one map": "shift_residual",
    "open": "goes_on",
}  # fmt: skip
AT_LENGTHS = {
    "count": "counting", "pos/512": "pos / 512", "pos/(len−1)": "pos / (len − 1)", "one sine": "one sine",
    "three pairs": "three harmonic pairs",
}  # fmt: skip
LENGTHS = [2**k for k in range(4, 11)]


@cache
def found(name, words=512):
    return measure(ATTEMPTS[name], seq_len=words)


def measured(header):
    def compute(row, p):
        value = getattr(found(CODES_BY_HEADER[header]), MEASURES[row["demand"]])
        return value if not isinstance(value, bool) else "yes" if value else "✗\u202fno"

    return compute


def failing(name, words):
    failed = failures(found(AT_LENGTHS[name], words))
    return [demand for demand, field in MEASURES.items() if field in failed]


def failed(row):
    return failing(row["attempt"], int(row["words in the text"]))


def measured_at(demand):
    def compute(row, p):
        value = getattr(found(AT_LENGTHS[row["attempt"]], int(row["words in the text"])), MEASURES[demand])
        return round(value, 9) if not isinstance(value, bool) else "yes" if value else "no"

    return compute


def counted_failures():
    return "; ".join(
        f"{name}: " + ", ".join(str(len(failing(name, n))) for n in LENGTHS) for name in AT_LENGTHS
    )


def written(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    for least, form in ((100, ",.0f"), (0.01, ".2f"), (1e-4, ".4f"), (1e-9, ".1e")):
        if value > least:
            whole = abs(value - round(value)) < 1e-9 * value
            return format(value, ",.0f" if whole else form).replace("e-0", "e−")
    return "0"


def given_attempts():
    def one(name, n):
        values = [getattr(found(AT_LENGTHS[name], n), field) for field in MEASURES.values()]
        return {
            "failed": [demand in failing(name, n) for demand in MEASURES],
            "values": [written(value) for value in values],
        }

    return {
        "lengths": LENGTHS,
        "demands": list(MEASURES),
        "attempts": {name: [one(name, n) for n in LENGTHS] for name in AT_LENGTHS},
    }


# sines ------------------------------------------------------------------------------------------------------


CLOSEST = closest_pair(one_sine(range(23)))[:2]
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


FAR_FROM_START = np.linalg.norm(harmonic_pairs(range(1, 401)) - harmonic_pairs(0), axis=1)


def coming_back():
    """Positions nearer to the start than all before them, and than half of the neighbour."""
    found, nearest = {}, FAR_FROM_START[0] / 2
    for p, distance in enumerate(FAR_FROM_START, 1):
        if distance < nearest:
            found[p] = nearest = distance
    return found


BACK = coming_back()

# training ---------------------------------------------------------------------------------------------------

TRAINED = training_codes()
NEEDED = {name: updates_to_a_thousandth(code) for name, code in TRAINED.items()}
MADE = sorted({0, *(int(10 ** (6 * i / 119) + 1e-9) for i in range(120)), *NEEDED.values()})

RECOMPUTED = {
    "fig:attempts:training": {
        "code": list(TRAINED),
        "updates made": MADE,
        "next update": lambda row, p: row["updates made"] + 1,
        "loss": np.array([loss_after(MADE, code) for code in TRAINED.values()]),
        "facts": {"needed": "; ".join(f"{name}: {n:,}" for name, n in NEEDED.items())},
    },
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
        "count of the word": COUNTS,
        "its count": NORMED[:, -1],
        "spread of its other numbers": SPREAD,
        "facts": {
            "bound": math.sqrt(512),
            "longest": 100_000,
            "low": NORMED[0, -1],
            "high": NORMED[-1, -1],
            "whole": SPREAD[0],
            "left": SPREAD[-1],
        },
    },
    "fig:attempts:rulers": {
        "rows": 4 * (2 + 4),
        "formula": list(NORMALISED),
        "sentence": ["2 words", "4 words"],
        "position": range(4),
        "value": lambda row, p: ATTEMPTS[row["formula"]](int(row["sentence"][0]))[row["position"]],
        "facts": {
            "second": "; ".join(
                f"{name}: {short:.3g} and {long:.3g}"
                for name, short, long in zip(NORMALISED, SECOND[2], SECOND[4], strict=True)
            )
        },
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
    "fig:attempts:repeats": {
        "position": sorted([*(i / 10 for i in range(221)), 2 * math.pi, 4 * math.pi, 6 * math.pi]),
        "sin(position)": lambda row, p: math.sin(row["position"]),
        "word": lambda row, p: row["position"],
        "closest": lambda row, p: "yes" if row["position"] in CLOSEST else None,
        "turn": lambda row, p: f"{row['position'] / math.pi:.9g}π",
        "facts": {
            "one": CLOSEST[0],
            "other": CLOSEST[1],
            "mirror": round(3.5 * math.pi),
            "gap": np.ptp(np.sin(CLOSEST).round(6)),
            "turns": ", ".join(f"{2 * math.pi * n:.2f}" for n in (1, 2, 3)),
        },
    },
    "tab:attempts:formats": {
        "code": list(WORD_CODES),
        **{dtype: lambda row, p, dtype=dtype: first_repeat(row["code"], dtype) for dtype in FORMATS},
    },
    "fig:attempts:dials": {
        "pair": range(3),
        "position": range(5),
        "angle (radians)": lambda row, p: row["position"] / (row["pair"] + 1),
        "sine": lambda row, p: math.sin(row["position"] / (row["pair"] + 1)),
        "cosine": lambda row, p: math.cos(row["position"] / (row["pair"] + 1)),
        "facts": {f"code{pair}": hand(pair) for pair in range(3)},
    },
    "fig:attempts:returns": {
        "position": range(1, 401),
        "distance": FAR_FROM_START,
        "back": lambda row, p: "yes" if row["position"] in BACK else None,
        "facts": {
            "neighbour": FAR_FROM_START[0],
            "far": FAR_FROM_START.max(),
            "near": ", ".join(f"{distance:.3f} at {k}" for k, distance in BACK.items()),
        },
    },
    "fig:attempts:lengths": {
        "rows": 5 * 7,
        "attempt": list(AT_LENGTHS),
        "words in the text": [str(n) for n in LENGTHS],
        "verdict": lambda row, p: "fails" if failed(row) else "passes",
        "questions failed": lambda row, p: len(failed(row)),
        "which": lambda row, p: "; ".join(failed(row)) or None,
        **{name: measured_at(name) for name in MEASURES},
        "facts": {"told": counted_failures(), "least": 16, "most": 1024, "asked": 8},
        "given": given_attempts(),
    },
    "tab:attempts:requirements": {
        "demand": list(MEASURES),
        **{header: measured(header) for header in CODES_BY_HEADER},
    },
}
