"""The front page by another path: definitions, and numbers that are compared word by word."""

from itertools import permutations

from pe_book.evidence.index import outputs
from pe_book.sinusoidal.formula import encode

VECTORS = {"dog": (1, 0), "bites": (0, 1), "man": (1, 1)}
ORDERS = ("dog bites man", "man bites dog")
ALONE, PLACED = "Attention alone", "Attention, each word told its place"


def numbers(panel, order):
    return outputs(order, VECTORS, places=panel == PLACED)


def number(c):
    return lambda row, p: numbers(row["panel"], row["order"])[row["place"]][c]


def listed(panel):
    lines = []
    for order in ORDERS:
        words = zip(order.split(), numbers(panel, order), strict=True)
        lines.append(", ".join(f"{word} ({a:.2f}, {b:.2f})" for word, (a, b) in words))
    return "; ".join(lines)


def changed(panel):
    """Numbers of a word that are not the same in the other order, to the six digits of the data."""
    first, second = (dict(zip(order.split(), numbers(panel, order), strict=True)) for order in ORDERS)
    return sum(abs(first[word][c] - second[word][c]) > 1e-6 for word in VECTORS for c in (0, 1))


def every(panel):
    """What the explorer is given of a panel: the numbers of each order, to six digits."""
    orders = [" ".join(order) for order in permutations(VECTORS)]
    return {order: [[round(x, 6) for x in row] for row in numbers(panel, order)] for order in orders}


RECOMPUTED = {
    "fig:index:shuffle": {
        "given": {"words": list(VECTORS), "alone": every(ALONE), "placed": every(PLACED)},
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
            "numbers": 2 * len(VECTORS),
            "changed, alone": changed(ALONE),
            "changed, placed": changed(PLACED),
        },
    },
    "tab:index:bank": {
        "dimension": range(6),
        "with the slip": encode(1, 6, base=100),  # the exponent i/d
        "by the formula": encode(1, 6),
        "bold": {
            "by the formula": lambda row, p: f"{row['with the slip']:.3f}" != f"{row['by the formula']:.3f}"
        },
    },
}
