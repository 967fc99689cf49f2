"""The order of words by another path: exact attention, and attention in a loop."""

from fractions import Fraction

from pe_book.evidence.why.exact import exact_attention, rows_of
from tests.show.cards import alone_and_placed, told

NITISH = {"Nitish": (1, 0), "killed": (0, 1), "lion": (1, 1)}
LOVE = {"I": (0, 1), "love": (1, 1), "AI": (2, 0)}
ORDERS = ("Nitish killed lion", "lion killed Nitish")
LAYERS = {"After one layer": 1, "After two layers": 2}
START = "bank, looked up"
BANKS = {
    START: (1, 1), "river": (0, 2), "bank in “river bank”": (0.5, 1.5),
    "money": (2, 0), "bank in “money bank”": (1.5, 0.5),
}  # fmt: skip


def outputs(sentence):
    return exact_attention(rows_of(sentence, LOVE))


def as_maths(vector):
    cells = [
        str(x) if x == int(x) else rf"\tfrac{{{x.numerator}}}{{{x.denominator}}}"
        for x in map(Fraction, vector)
    ]
    return "$(" + r",\; ".join(cells) + ")$"


def in_place(place):
    return lambda row, p: as_maths(outputs(row["order"])[place])


def mean(row, p):
    return as_maths([sum(column) / 3 for column in zip(*outputs(row["order"]), strict=True)])


ALL_ORDERS = {
    "row 0": in_place(0), "row 1": in_place(1), "row 2": in_place(2), "mean": mean,
}  # fmt: skip
RECOMPUTED = {
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
    "tab:order:love": {"order": ["I love AI", "AI love I"], **ALL_ORDERS},
    "fig:order:cards": alone_and_placed(NITISH, ORDERS),
    "fig:order:mask": told(
        NITISH, (ORDERS[0], "killed Nitish lion"),
        {name: {"causal": True, "layers": depth} for name, depth in LAYERS.items()}, LAYERS, masked=True,
    ),
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
}  # fmt: skip
