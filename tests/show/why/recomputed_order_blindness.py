"""The order of words by another path: exact attention, and what rows have in common, counted."""

import math
from fractions import Fraction

import numpy as np

from pe_book.evidence.why.exact import exact_attention, rows_of
from pe_book.why.order_blindness import attention

NITISH = {"Nitish": (1, 0), "killed": (0, 1), "lion": (1, 1)}
LOVE = {"I": (0, 1), "love": (1, 1), "AI": (2, 0)}
ORDERS = ("Nitish killed lion", "lion killed Nitish")
START = "bank, looked up"
BANKS = {
    START: (1, 1), "river": (0, 2), "bank in “river bank”": (0.5, 1.5),
    "money": (2, 0), "bank in “money bank”": (1.5, 0.5),
}  # fmt: skip


def outputs(sentence, causal=False):
    return exact_attention(rows_of(sentence, LOVE if "love" in sentence else NITISH), causal=causal)


def as_maths(vector):
    cells = [
        str(x) if x == int(x) else rf"\tfrac{{{x.numerator}}}{{{x.denominator}}}"
        for x in map(Fraction, vector)
    ]
    return "$(" + r",\; ".join(cells) + ")$"


def in_place(place, causal=False):
    return lambda row, p: as_maths(outputs(row["order"], causal)[place])


def mean(row, p):
    return as_maths([sum(column) / 3 for column in zip(*outputs(row["order"]), strict=True)])


def common(row):
    """Dot products of rows of zeros and ones count what two rows have in common."""
    ones = {word: {c for c, number in enumerate(vector) if number} for word, vector in NITISH.items()}
    return [len(ones[row["word $i$"]] & other) for other in ones.values()]


def twice(row, p):
    rows = np.array(outputs(row["order"], True), float)
    last = attention(rows, rows, rows, scale=math.log(2), causal=True)[-1]
    return f"$({last[0]:.4f}, {last[1]:.4f})$"


def listed(panel, order):
    vectors = [NITISH[word] for word in order.split()] if panel == "What goes in" else outputs(order)
    shown = zip(order.split(), vectors, strict=True)
    return ", ".join(f"{word} ({first}, {second})" for word, (first, second) in shown)


def card(row, p):
    vectors = dict(zip(row["order"].split(), outputs(row["order"]), strict=True))
    vector = NITISH[row["word"]] if row["panel"] == "What goes in" else vectors[row["word"]]
    return "{}, {}".format(*vector)


def of_sentence(sentence):
    """The output in the row of each word."""
    return lambda row, p: as_maths(outputs(sentence)[row["place"]])


ALL_ORDERS = {
    "row 0": in_place(0), "row 1": in_place(1), "row 2": in_place(2), "mean": mean,
}  # fmt: skip
RECOMPUTED = {
    "tab:order:two": {
        "place": range(3),
        "“Nitish killed lion”": ORDERS[0].split(),
        "output": of_sentence(ORDERS[0]),
        "“lion killed Nitish”": ORDERS[1].split(),
        "its output": of_sentence(ORDERS[1]),
    },
    "tab:order:hand": {
        "word $i$": list(NITISH),
        "$x_i$": lambda row, p: as_maths(NITISH[row["word $i$"]]),
        r"scores $x_i \cdot x_j$": lambda row, p: f"${str(common(row))[1:-1]}$",
        "powers of two": lambda row, p: f"${str([1 << score for score in common(row)])[1:-1]}$",
        "sum": lambda row, p: sum(1 << score for score in common(row)),
        "output": lambda row, p: as_maths(outputs(ORDERS[0])[list(NITISH).index(row["word $i$"])]),
    },
    "tab:order:orders": {"order": [*ORDERS, "killed Nitish lion"], **ALL_ORDERS},
    "tab:order:love": {"order": ["I love AI", "AI love I"], **ALL_ORDERS},
    "fig:order:cards": {
        "panel": ["What goes in", "What comes out"],
        "order": ORDERS,
        "place": lambda row, p: row["order"].split().index(row["word"]),
        "word": list(NITISH),
        "vector": card,
        "card": lambda row, p: row["word"] + " in " + row["order"],
        "same word": lambda row, p: row["word"] + " in " + ORDERS[1] if row["order"] == ORDERS[0] else None,
        "facts": {
            panel: lambda f, p, panel=panel: "; ".join(listed(panel, order) for order in ORDERS)
            for panel in ("What goes in", "What comes out")
        },
    },
    "tab:order:causal": {
        "order": ["Nitish killed lion", "killed Nitish lion"],
        "row 0": in_place(0, True), "row 1": in_place(1, True), "row 2": in_place(2, True),
        "last row, second layer": twice,
    },
    "fig:order:bank": {
        "vector": list(BANKS),
        "finance": lambda row, p: BANKS[row["vector"]][0],
        "water": lambda row, p: BANKS[row["vector"]][1],
        "beside": lambda row, p: "river" if "river" in row["vector"] else "money",
        "moved from": lambda row, p: START if "“" in row["vector"] else None,
        "facts": {
            "points": lambda f, p: "; ".join(f"{name} at ({x:g}, {y:g})" for name, (x, y) in BANKS.items())
        },
    },
    "fig:order:chain": {
        "rows": 6 + 6 * 6,
        "design": ["chain", "product"],
        "word": range(6),
        "other word": range(6),
        "step": lambda row, p: 1 if row["design"] == "product" else row["word"] + 1,
        "state": lambda row, p: f"state {row['word']}",
        "waits for": lambda row, p: f"state {row['word'] - 1}",
        "facts": {"chain": 6, "product": 1, "scores": 36},
    },
    "tab:order:counts": {
        "tokens $n$": (2, 512, 10_000),
        "steps, chain": lambda row, p: row["tokens $n$"],
        "steps, product": lambda row, p: 1,
        "chain $n d^2$": lambda row, p: row["tokens $n$"] << 18,
        "product $n^2 d$": lambda row, p: row["tokens $n$"] ** 2 << 9,
        "ratio $n/d$": lambda row, p: Fraction(row["tokens $n$"], 512),
    },
}  # fmt: skip
