"""The chapter on the learned table by another path: definitions, and the runs themselves."""

import math

import numpy as np

from pe_book.family.learned import lookup, resize
from pe_book.family.learned.counting import bert_tensors, gpt2_tensors
from pe_book.family.learned.measures import cosines

BY_HAND = (0, 1, 4, 9)
ROWS, LENGTH = 5, 8
RULES = ("refuse", "clamp", "interpolate", "wrap")
OLD = np.arange(ROWS, dtype=float)[:, np.newaxis]  # row p is the number p
TAKEN = {rule: lookup(OLD, range(LENGTH), beyond=rule)[:, 0] for rule in RULES[1:]}
TAKEN["refuse"] = np.where(np.arange(LENGTH) < ROWS, np.arange(LENGTH), np.nan)
PLACES = {align: resize(np.arange(4.0)[:, None], 8, align=align)[:, 0] for align in ("ends", "half-pixels")}


def row_of(r):
    row = TAKEN[r["rule"]][r["position"]]
    return None if math.isnan(row) else row


def shown(rule, position):
    row = TAKEN[rule][position]
    return "×" if math.isnan(row) else f"{row:.1f}".removesuffix(".0")


def kind(r, p):
    return "none" if row_of(r) is None else "its own" if row_of(r) == r["position"] else "another"


def tensors(row):
    return bert_tensors() if row["model"] == "BERT-base" else gpt2_tensors()


def sizes(row, *kinds):
    found = next(shape for name, shape in tensors(row).items() if name in kinds)
    return math.prod(found)


def total(row):
    return sum(math.prod(shape) for shape in tensors(row).values())


RUNS = {
    "learned": "learned", "learned, shuffled": "shuffled", "sinusoid": "sinusoid",
    "sinusoid, shuffled": "shuffled_waves",
}  # fmt: skip
LONG_RUNS = {
    "learned": "learned", "sinusoid": "sinusoid", "long, fixed": "long_fixed",
    "long, trained": "long_trained",
}  # fmt: skip
TABLES = {
    "before training": lambda p: p["start"][: p["length"]],
    "pointer": lambda p: p["learned"].table,
    "neighbours": lambda p: p["smooth"].table,
}


def of_shares(series, twice):
    """What the page measured at each position, from its own list and not through the figure."""
    return {
        "rows": lambda p: 2 * p["length"],
        "position": range(64),
        **{
            name: lambda row, p, name=name: round(float(p["shares"][name][row["position"]]), 3)
            for name in series
        },
        "facts": {
            "panels": len(series),
            "means": lambda f, p: "; ".join(
                f"{name} {np.nanmean(f[name][:32]):.2f} and {np.nanmean(f[name][32:]):.2f}" for name in series
            ),
            "twice": twice,
        },
    }


def cosine(name):
    return lambda row, p: cosines(TABLES[name](p))[row["row"], row["other row"]].round(3)


def neighbours(name, p):
    return np.diag(cosines(TABLES[name](p)), 1).mean()


VALUES = {align: resize(np.array(BY_HAND, float)[:, None], 8, align=align)[:, 0] for align in PLACES}
BOTH_WAYS = {"ends aligned": "ends", "half-pixel centres": "half-pixels"}


def of_series(row, old, new):
    """What stands in the row of an old number, or in that of a new one."""
    if row["series"] == "old rows":
        return old[BY_HAND.index(int(row["value"]))]
    return new[BOTH_WAYS[row["series"]]][row["new row"]]


def of_losses(runs):
    """The losses of some runs, at every fourth step."""
    return {
        "rows": lambda p: math.ceil(len(p["learned"].losses) / 4),
        "step": lambda r, p: 4 * round(r["step"] / 4),
        **{
            name: lambda r, p, run=run: round(float(np.asarray(p[run].losses)[r["step"]]), 4)
            for name, run in runs.items()
        },
        "facts": {
            "curves": len(runs),
            "ends": lambda f, p: "; ".join(
                f"{name} {np.mean(p[run].losses[::4][-3:]):.2f}" for name, run in runs.items()
            ),
        },
    }


RECOMPUTED = {
    "fig:learned:roads": {
        "rule": RULES,
        "position": range(LENGTH),
        "row of the table": lambda r, p: row_of(r),
        "shown": lambda r, p: shown(r["rule"], r["position"]),
        "kind": kind,
        "facts": {
            "edge": ROWS - 0.5,
            "last": LENGTH - 1,
            "past": "; ".join(
                f"{rule} " + ", ".join(shown(rule, p) for p in range(ROWS, LENGTH)) for rule in RULES
            ),
            "second": (ROWS - 1) / (LENGTH - 1),
        },
        "given": {"rows": ROWS, "length": LENGTH, "most": 12, "rule": "clamp"},
    },
    "tab:learned:shares": {
        "model": ("BERT-base", "GPT-2 small"),
        "rows × width": ("512 × 768", "1024 × 768"),
        "parameters": lambda r, p: sizes(r, "embeddings.positions", "wpe"),
        "total (million)": lambda r, p: total(r) / 10**6,
        "share": lambda r, p: 100 * sizes(r, "embeddings.positions", "wpe") / total(r),
    },
    "tab:learned:by-hand": {
        "new row": range(8),
        **{f"{align}: place": places for align, places in PLACES.items()},
        **{f"{align}: value": values for align, values in VALUES.items()},
    },
    "fig:learned:by-hand": {
        "rows": 4 + 2 * 8,
        "series": ("old rows", "ends aligned", "half-pixel centres"),
        "new row": range(8),
        "place in the old table": lambda r, p: of_series(r, range(4), PLACES),
        "value": lambda r, p: of_series(r, BY_HAND, VALUES),
        "facts": {
            "old": ", ".join(map(str, BY_HAND)),
            "new": 8,
            "ends": ", ".join(f"{value:.2f}" for value in VALUES["ends"]),
            "centres": ", ".join(f"{value:.2f}" for value in VALUES["half-pixels"]),
        },
    },
    "fig:learned:past": {
        "interpolate: twice as far back": lambda r, p: round(float(p["twice_back"][r["position"]]), 3),
        **of_shares(
            ("never trained", "clamp", "interpolate", "wrap"),
            lambda f, p: f"{np.nanmean(f['interpolate: twice as far back']):.2f}",
        ),
    },
    "fig:learned:similarity": {
        "row": range(32),
        "other row": range(32),
        **{f"cosine, {name}": cosine(name) for name in TABLES},
        "facts": {
            "maps": 3,
            "near": lambda f, p: "; ".join(f"{name} {neighbours(name, p):.2f}" for name in TABLES),
        },
    },
    "fig:learned:shuffled": of_losses(RUNS),
    "fig:learned:loud": of_losses(LONG_RUNS),
    "fig:learned:sines": of_shares(("sinusoid", "sines, trained"), ""),
}
