"""The chapter on the learned table, recomputed with exact fractions, torch, and the runs themselves."""

import math
from fractions import Fraction

import numpy as np
import torch

from pe_book.family.learned.counting import bert_tensors, gpt2_tensors

BY_HAND = (0, 1, 4, 9)
ROWS, LENGTH = 5, 8
RULES = ("refuse", "clamp", "interpolate", "wrap")


def row_of(rule, position):
    """Which row a position past or before the end gets."""
    if rule == "interpolate":
        return Fraction(position * (ROWS - 1), LENGTH - 1)
    if position < ROWS:
        return Fraction(position)
    return {"refuse": None, "clamp": Fraction(ROWS - 1), "wrap": Fraction(position % ROWS)}[rule]


def shown(rule, position):
    row = row_of(rule, position)
    return "×" if row is None else f"{float(row):.1f}".removesuffix(".0")


def kind(row, p):
    found = row_of(row["rule"], row["position"])
    return "none" if found is None else "its own" if found == row["position"] else "another"


def place(align, i, n=8):
    """Where a new row is taken, from the definition of both ways."""
    if align.startswith("ends"):
        return Fraction(3 * i, n - 1)
    return min(max(Fraction(2 * i + 1, 4) - Fraction(1, 2), Fraction(0)), Fraction(3))


def value(align, i):
    at = place(align, i)
    low = min(math.floor(at), 2)
    return BY_HAND[low] + (at - low) * (BY_HAND[low + 1] - BY_HAND[low])


def per_position(row, p):
    if row["series"] == "old rows":
        return BY_HAND.index(int(row["value"]))
    return place(row["series"], row["new row"])


def old_or_new(row, p):
    if row["series"] == "old rows":
        return int(row["place in the old table"]) ** 2
    return value(row["series"], row["new row"])


def tensors(row):
    return bert_tensors() if row["model"] == "BERT-base" else gpt2_tensors()


def sizes(row, *kinds):
    found = next(shape for name, shape in tensors(row).items() if name in kinds)
    return math.prod(found)


def total(row):
    return sum(math.prod(shape) for shape in tensors(row).values())


SERIES = ("never trained", "clamp", "interpolate", "wrap", "sinusoid", "sines, trained")
RUNS = {
    "learned": "learned", "learned, shuffled": "shuffled", "sinusoid": "sinusoid",
    "sinusoid, shuffled": "shuffled_waves", "random, long": "long",
}  # fmt: skip
TABLES = {
    "before": lambda p: p["start"][: p["length"]],
    "learned: pointer": lambda p: p["learned"].table,
    "learned: neighbours": lambda p: p["smooth"].table,
    "sinusoid": lambda p: p["waves"][: p["length"]],
}


def share(name):
    """What the page measured, from its own list and not through the figure."""

    def of(row, p):
        return round(float(p["shares"][name][row["position"]]), 3)

    return of


def cosine(name):
    def of(row, p):
        a, b = (torch.tensor(TABLES[name](p)[row[which]]) for which in ("row", "other row"))
        return round(float(torch.nn.functional.cosine_similarity(a, b, dim=0)), 3)

    return of


def neighbours(name, p):
    rows = torch.tensor(TABLES[name](p))
    return float(torch.nn.functional.cosine_similarity(rows[1:], rows[:-1], dim=1).mean())


def mean(values):
    kept = [v for v in values if not math.isnan(v)]
    return math.fsum(kept) / len(kept)


RECOMPUTED = {
    "fig:learned:roads": {
        "rows": len(RULES) * LENGTH,
        "rule": RULES,
        "position": range(LENGTH),
        "row of the table": lambda r, p: row_of(r["rule"], r["position"]),
        "shown": lambda r, p: shown(r["rule"], r["position"]),
        "kind": kind,
        "facts": {
            "edge": ROWS - 0.5,
            "last": LENGTH - 1,
            "past": "; ".join(
                f"{rule} " + ", ".join(shown(rule, p) for p in range(ROWS, LENGTH)) for rule in RULES
            ),
            "second": Fraction(ROWS - 1, LENGTH - 1),
        },
    },
    "tab:learned:shares": {
        "model": ("BERT-base", "GPT-2 small"),
        "table of positions": ("512 × 768", "1024 × 768"),
        "its parameters": lambda r, p: sizes(r, "embeddings.positions", "wpe"),
        "all parameters": lambda r, p: total(r),
        "share": lambda r, p: 100 * Fraction(sizes(r, "embeddings.positions", "wpe"), total(r)),
        "table of words": lambda r, p: 100 * Fraction(sizes(r, "embeddings.words", "wte"), total(r)),
    },
    "tab:learned:by-hand": {
        "new row": range(8),
        **{
            f"{align}: {what}": lambda r, p, align=align, of=of: of(align, r["new row"])
            for align in ("ends", "half-pixels")
            for what, of in (("place", place), ("value", value))
        },
    },
    "fig:learned:by-hand": {
        "rows": 4 + 2 * 8,
        "series": ("old rows", "ends aligned", "half-pixel centres"),
        "new row": range(8),
        "place in the old table": per_position,
        "value": old_or_new,
        "facts": {
            "old": ", ".join(map(str, BY_HAND)),
            "new": 8,
            "ends": ", ".join(f"{float(value('ends', i)):.2f}" for i in range(8)),
            "centres": ", ".join(f"{float(value('half', i)):.2f}" for i in range(8)),
        },
    },
    "fig:learned:past": {
        "rows": lambda p: 2 * p["length"],
        "position": range(64),
        **{name: share(name) for name in SERIES},
        "interpolate: twice as far back": lambda r, p: round(float(p["twice_back"][r["position"]]), 3),
        "facts": {
            "panels": len(SERIES),
            "means": lambda f, p: "; ".join(
                f"{name} {mean(f[name][: p['length']]):.2f} and {mean(f[name][p['length'] :]):.2f}"
                for name in SERIES
            ),
            "twice": lambda f, p: f"{mean(f['interpolate: twice as far back']):.2f}",
        },
    },
    "tab:learned:past": {
        "rows past the end": SERIES,
        "at trained positions": lambda r, p: 100 * mean(p["shares"][r["rows past the end"]][:32]),
        "first past": lambda r, p: 100 * p["shares"][r["rows past the end"]][32],
        "all past": lambda r, p: 100 * mean(p["shares"][r["rows past the end"]][32:]),
    },
    "fig:learned:similarity": {
        "rows": 32 * 32,
        "row": range(32),
        "other row": range(32),
        **{f"cosine, {name}": cosine(name) for name in TABLES},
        "facts": {
            "maps": 4,
            "near": lambda f, p: "; ".join(f"{name} {neighbours(name, p):.2f}" for name in TABLES),
        },
    },
    "fig:learned:shuffled": {
        "rows": lambda p: math.ceil(len(p["learned"].losses) / 4),
        "step": lambda r, p: 4 * round(r["step"] / 4),
        **{
            name: lambda r, p, run=run: round(float(np.asarray(p[run].losses)[r["step"]]), 4)
            for name, run in RUNS.items()
        },
        "facts": {
            "curves": len(RUNS),
            "ends": lambda f, p: "; ".join(
                f"{name} {mean(np.asarray(p[run].losses)[::4][-3:]):.2f}" for name, run in RUNS.items()
            ),
        },
    },
}
