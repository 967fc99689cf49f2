"""The chain and the product by another path: what waits is counted, powers of two are shifted."""

from fractions import Fraction

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
}  # fmt: skip
