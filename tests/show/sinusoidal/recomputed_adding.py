"""The chapter on adding by another path: dot products, counted matrices, definitions and the record."""

import math

import numpy as np

from pe_book.evidence.records.bench import recorded
from pe_book.evidence.sinusoidal.adding import shares_recovered
from pe_book.evidence.sinusoidal.adding_quoted import RECIPES
from pe_book.sinusoidal.adding.reading import principal_variances
from pe_book.sinusoidal.formula import encode
from tests.show.recomputed import WORDS

SENTENCE = ("Nitish", "killed", "lion")
WORD, PLACE = np.array([(1, 0), (0, 1), (1, 1)]), encode(range(3), 2)
TERMS = {
    "word · word": WORD @ WORD.T,
    "word · position": WORD @ PLACE.T,
    "position · word": PLACE @ WORD.T,
    "position · position": PLACE @ PLACE.T,
    "their sum": (WORD + PLACE) @ (WORD + PLACE).T,
}
WEIGHTS = 512**2 * np.array([3, 3 * 513 / 512, 2 + 3, 3 * 2, 3 * 4])  # of three matrices, and of one back
STDS = sorted([round(10 ** (step / 10), 4) for step in range(-20, 21)] + [22.6274])
FEW, MANY = encode(range(50), 512), encode(range(2048), 512)
VARIANCES = principal_variances(FEW)[:20]
TIMES = recorded("adding")["rows"]


def in_record(name):
    return np.array([row[name] for row in TIMES])


RECOMPUTED = {
    "tab:adding:printed": {
        "entry": (0, 1, 2),
        "word": (-0.34, 0.52, 0.69),
        "encoding": (0.54, -0.42, -0.99),
        "sum": lambda r, p: r["word"] + r["encoding"],
        "word'": (-0.64, -0.81, 0.16),
        "encoding'": (0.84, 0.91, 0.14),
        "sum'": lambda r, p: r["word'"] + r["encoding'"],
        "bold": {"sum'": lambda r, p: round(100 * (r["sum"] - r["sum'"])) != 0},
    },
    "fig:adding:terms": {
        "table": list(TERMS),
        "query": SENTENCE,
        "key": SENTENCE,
        "score": np.array(list(TERMS.values())),
        "facts": {
            "largest": 2 + 2 * math.sin(2) + 2 * math.cos(2) + 1,
            "query": "Nitish",
            "key": "killed",
            **{name: table[0, 1] for name, table in TERMS.items()},
        },
    },
    "tab:adding:parameters": {
        "the position is": WORDS,
        "factor": WEIGHTS / WEIGHTS[0],
        "weights": WEIGHTS,
        "width of the row": np.array([512, 513, 1024, 1024, 1024]),
    },
    "tab:adding:times": {
        "batch": in_record("batch"),
        "tokens": in_record("seq_len"),
        "width": (256, 512),
        "added (ms)": in_record("add_ms"),
        "appended, ratio": in_record("concat_over_add"),
        "widened, ratio": in_record("widened_over_add"),
    },
    "fig:adding:directions": {
        "rows": 20 + 2 * 42,
        "positions": (50, 2048),
        "direction": range(1, 21),
        "variance": VARIANCES,
        "standard deviation of a word's entry": STDS,
        "share recovered": np.concatenate([shares_recovered(FEW, STDS), shares_recovered(MANY, STDS)]),
        "facts": {
            "root": 22.6274,
            "first variance": VARIANCES[0],
            "last": round(VARIANCES[-1], 6),
            "above": sum(VARIANCES > 1),
            "kept": shares_recovered(FEW, [1.0])[0],
            "drowned": shares_recovered(FEW, [22.6274])[0],
        },
    },
    "tab:adding:recipes": {
        "code": [one.name for one in RECIPES],
        "ratio": np.array([one.loudness.ratio for one in RECIPES]),
        "word": np.array([one.loudness.word for one in RECIPES]),
        "row": np.array([one.loudness.place for one in RECIPES]),
        "word starts at": np.array([one.table for one in RECIPES]),
        "factor": np.array([r"$\sqrt{d}$" if one.scale else "none" for one in RECIPES]),
    },
}
