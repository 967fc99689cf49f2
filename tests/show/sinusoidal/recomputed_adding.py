"""The chapter on adding by another path: dot products written out, counted matrices, solved regressions."""

import math
from functools import cache

import numpy as np

from pe_book.evidence.records.bench import recorded
from pe_book.family.learned.initialisation import narrowed_std
from pe_book.sinusoidal.adding.reading import principal_variances
from pe_book.sinusoidal.formula import encode
from tests.show.recomputed import COUNT, WORDS

SENTENCE = ("Nitish", "killed", "lion")
WORD = {"Nitish": (1, 0), "killed": (0, 1), "lion": (1, 1)}
PLACE = dict(zip(SENTENCE, encode(range(3), 2), strict=True))


def term(row):
    """One score: the parts of the query and of the key are named by the table."""
    if row["table"] == "their sum":
        query, key = (np.add(WORD[row[of]], PLACE[row[of]]) for of in ("query", "key"))
    else:
        of_query, of_key = row["table"].split(" · ")
        parts = {"word": WORD, "position": PLACE}
        query, key = parts[of_query][row["query"]], parts[of_key][row["key"]]
    return np.dot(query, key)


def of_nitish_and_killed(name):
    return lambda f, p: term({"table": name, "query": "Nitish", "key": "killed"})


# a recipe: how its word table starts, its width, whether words are multiplied by √d, its table of places
CUT = narrowed_std(0.02)
CODES = {
    "tensor2tensor, fairseq": (r"$1/\sqrt{d}$", 512**-0.5, 512, True, None),
    "the same without the factor": (r"$1/\sqrt{d}$", 512**-0.5, 512, False, None),
    "PyTorch's default": ("$1$", 1, 512, False, None),
    "PyTorch's default, times √d": ("$1$", 1, 512, True, None),
    "Annotated Transformer": (r"$\sqrt{2/(v + d)}$", (2 / 37512) ** 0.5, 512, True, None),
    "GPT-2": ("$0.02$", 0.02, 768, False, 0.01),
    "BERT": ("$0.02$, cut", CUT, 768, False, CUT),
}


def word_norm(code):
    _, sigma, d, factor, _ = CODES[code]
    return math.sqrt(d * sigma**2 * (d if factor else 1))


def place_norm(code):
    _, _, d, _, learned = CODES[code]
    # one sine and one cosine for each pair
    return math.sqrt(d / 2 if learned is None else d * learned**2)


@cache
def variances(n):
    return principal_variances(encode(range(n), 512))


def heard(n, sigma):
    """What a regression of the place on the sum explains of it: of each direction, its share of the noise."""
    found = variances(n)
    return (found**2 / (found + sigma**2)).sum() / found.sum()


def weights(row):
    d = 512
    shapes = {
        "added": [(d, d)] * 3,
        "one number appended, for these only": [(d + 1, d)] * 3,
        "row appended, then a matrix back": [(2 * d, d), *[(d, d)] * 3],
        "row appended, for these only": [(2 * d, d)] * 3,
        "row appended, every layer widened": [(2 * d, 2 * d)] * 3,
    }
    return sum(a * b for a, b in shapes[row["the position is"]])


TIMES = {row["d_model"]: row for row in recorded("adding")["rows"]}


def in_record(name):
    return lambda r, p: TIMES[r["width"]][name]


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
        "table": ("word · word", "word · position", "position · word", "position · position", "their sum"),
        "query": SENTENCE,
        "key": SENTENCE,
        "score": lambda r, p: term(r),
        "facts": {
            "largest": lambda f, p: 2 + 2 * math.sin(2) + 2 * math.cos(2) + 1,
            "query": "Nitish",
            "key": "killed",
            "word · word": 0.0,
            "word · position": of_nitish_and_killed("word · position"),
            "position · word": of_nitish_and_killed("position · word"),
            "position · position": of_nitish_and_killed("position · position"),
            "their sum": of_nitish_and_killed("their sum"),
        },
    },
    "tab:adding:parameters": {
        COUNT: 5,
        "the position is": WORDS,
        "factor": lambda r, p: weights(r) / (3 * 512 * 512),
        "weights": lambda r, p: weights(r),
        "width of the row": (512, 513, 1024),
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
        "rows": lambda p: p["first"] + 2 * 42,
        "positions": (50, 2048),
        "direction": range(1, 21),
        "variance": lambda r, p: variances(r["positions"])[r["direction"] - 1],
        "standard deviation of a word's entry": sorted(
            [round(10 ** (step / 10), 4) for step in range(-20, 21)] + [22.6274]
        ),
        "share recovered": lambda r, p: heard(r["positions"], r["standard deviation of a word's entry"]),
        "facts": {
            "root": lambda f, p: 22.6274,
            "first variance": lambda f, p: variances(50)[0],
            "last": lambda f, p: round(variances(50)[19], 6),
            "above": lambda f, p: sum(v > 1 for v in variances(50)),
            "kept": lambda f, p: heard(50, 1.0),
            "drowned": lambda f, p: heard(50, 22.6274),
        },
    },
    "tab:adding:recipes": {
        "code": tuple(CODES),
        "ratio": lambda r, p: word_norm(r["code"]) / place_norm(r["code"]),
        "word": lambda r, p: word_norm(r["code"]),
        "row": lambda r, p: place_norm(r["code"]),
        "word starts at": lambda r, p: CODES[r["code"]][0],
        "factor": lambda r, p: r"$\sqrt{d}$" if CODES[r["code"]][3] else "none",
    },
}
