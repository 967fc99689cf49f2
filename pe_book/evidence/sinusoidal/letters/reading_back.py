"""What the letters of the page on reading a sum stand for; words and the rows of positions are rows."""

import numpy as np
from numpy.random import Generator

from pe_book.evidence.letters import Letters, index, real, row, whole, width
from pe_book.sinusoidal.adding.reading import principal_variances, recovered_place
from pe_book.sinusoidal.adding.subspaces import separate_projections
from pe_book.sinusoidal.formula import encode


def letters(draw: Generator) -> Letters:
    """A word at one position, and the word that makes the same sum at another."""
    d, p, moved = width(draw), real(draw), real(draw)
    x = row(draw.normal(size=d))
    return {
        "d": d, "x": x, "p": p, "p'": moved, "x'": x + encode(p, d) - encode(moved, d),
        "PE": lambda p: row(encode(p, d)),
    }  # fmt: skip


def spans(draw: Generator) -> Letters:
    """Words and rows that share only the zero vector."""
    d = width(draw)
    words, places = draw.normal(size=(2, d)), draw.normal(size=(d - 2, d))
    a, b = draw.normal(size=(2, d, 3))
    return {
        "u": row(draw.normal(size=2) @ words), "v": row(draw.normal(size=d - 2) @ places), "A": a, "B": b,
        "W": separate_projections(words, places, a, b),
    }  # fmt: skip


def heard(draw: Generator) -> Letters:
    """The variances of the rows."""
    d, sigma = width(draw), real(draw, 0.1, 2.0)
    places = encode(range(whole(draw, d, 40)), d)
    variances = principal_variances(places)
    return {
        r"\sigma": sigma, "m": index(draw, d, start=1), r"\lambda": lambda m: variances[int(m) - 1],
        "R": np.sqrt(recovered_place(places, sigma)),
    }  # fmt: skip


AT = {"thm:adding:spans": spans, "thm:adding:heard": heard}
