"""The front page by another path: attention in loops, the formula as it is printed."""

import math

VECTORS = {"dog": (1, 0), "bites": (0, 1), "man": (1, 1)}
ORDERS = ("dog bites man", "man bites dog")
ALONE, PLACED = "Attention alone", "Attention, each word told its place"


def numbers(panel, order):
    rows = [VECTORS[word] for word in order.split()]
    if panel == PLACED:
        rows = [(x + math.sin(p), y + math.cos(p)) for p, (x, y) in enumerate(rows)]
    found = []
    for row in rows:
        weights = [2 ** (row[0] * x + row[1] * y) for x, y in rows]
        found.append(
            [sum(w * key[c] for w, key in zip(weights, rows, strict=True)) / sum(weights) for c in (0, 1)]
        )
    return found


def number(c):
    return lambda row, p: numbers(row["panel"], row["order"])[row["place"]][c]


def listed(panel):
    def fact(f, p):
        lines = []
        for order in ORDERS:
            words = zip(order.split(), numbers(panel, order), strict=True)
            lines.append(", ".join(f"{word} ({a:.2f}, {b:.2f})" for word, (a, b) in words))
        return "; ".join(lines)

    return fact


def changed(panel):
    """Numbers of a word that are not the same in the other order, to the six digits of the data."""

    def fact(f, p):
        first, second = (dict(zip(order.split(), numbers(panel, order), strict=True)) for order in ORDERS)
        return sum(abs(first[word][c] - second[word][c]) > 1e-6 for word in VECTORS for c in (0, 1))

    return fact


def entry(base):
    """The printed formula: sine and cosine of the position over a power of the base."""

    def compute(row, p):
        wave = math.cos if row["dimension"] % 2 else math.sin
        return wave(1 / base ** (2 * (row["dimension"] // 2) / 6))

    return compute


RECOMPUTED = {
    "fig:index:shuffle": {
        "rows": 2 * 2 * 3,
        "panel": [ALONE, PLACED],
        "order": ORDERS,
        "place": lambda row, p: row["order"].split().index(row["word"]),
        "word": list(VECTORS),
        "first number": number(0),
        "second number": number(1),
        "card": lambda row, p: f"{row['word']} in {row['order']}",
        "same word": lambda row, p: f"{row['word']} in {ORDERS[1]}" if row["order"] == ORDERS[0] else None,
        "facts": {
            **{panel: listed(panel) for panel in (ALONE, PLACED)},
            "numbers": lambda f, p: 2 * len(VECTORS),
            "changed, alone": changed(ALONE),
            "changed, placed": changed(PLACED),
        },
    },
    "tab:index:bank": {
        "dimension": range(6),
        "with the slip": entry(100),  # the exponent i/d
        "by the formula": entry(10_000),
        "bold": {
            "by the formula": lambda row, p: f"{row['with the slip']:.3f}" != f"{row['by the formula']:.3f}"
        },
    },
}
