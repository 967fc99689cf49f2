"""The front page by another path: attention in a loop, and a base in place of an exponent."""

from pe_book.sinusoidal.formula import encode
from tests.show.cards import alone_and_placed

VECTORS = {"dog": (1, 0), "bites": (0, 1), "man": (1, 1)}
ORDERS = ("dog bites man", "man bites dog")


RECOMPUTED = {
    "fig:index:shuffle": alone_and_placed(VECTORS, ORDERS),
    "tab:index:bank": {
        "dimension": range(6),
        "with the slip": encode(1, 6, base=100),  # the exponent i/d
        "by the formula": encode(1, 6),
        "bold": {
            "by the formula": lambda row, p: f"{row['with the slip']:.3f}" != f"{row['by the formula']:.3f}"
        },
    },
}
