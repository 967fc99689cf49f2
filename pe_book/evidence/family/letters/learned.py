"""What the letters of the chapter on learned tables stand for."""

from numpy.random import Generator

from pe_book.evidence.letters import Letters, whole
from pe_book.family.learned import lookup


def letters(draw: Generator) -> Letters:
    """Two tables, and a word at a position."""
    n, d, w = whole(draw, 2, 9), whole(draw, 1, 6), whole(draw, 0, 8)
    words, places = draw.normal(size=(9, d)), draw.normal(size=(n, d))
    return {
        "E": words, "P": places, "n": n, "p": whole(draw, 0, n - 1), "w": w,
        "x": lambda p: words[w] + lookup(places, [int(p)])[0],
    }  # fmt: skip
