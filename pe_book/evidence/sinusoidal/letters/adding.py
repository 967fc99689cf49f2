"""What the letters of the chapter on adding stand for; words and places are rows."""

import numpy as np
from numpy.random import Generator

from pe_book.evidence.letters import Letters, by_hand, index, real, row, whole, width
from pe_book.sinusoidal.adding.reading import principal_variances, recovered_place
from pe_book.sinusoidal.adding.subspaces import separate_projections
from pe_book.sinusoidal.formula import encode


def letters(draw: Generator) -> Letters:
    """Two words at two places, and a word that makes the same sum."""
    d = width(draw)
    x, p, moved = (row(draw.normal(size=d)) for _ in range(3))
    return {"d": d, "x": x, "p": p, "p'": moved, "x'": x + p - moved, "W": draw.normal(size=(d, 3))}


def terms(draw: Generator) -> Letters:
    """Rows by their number."""
    d = width(draw)
    words, places = draw.normal(size=(2, 6, d))
    return {
        "d_k": whole(draw, 1, 9), "i": index(draw, 6), "j": index(draw, 6), "M": draw.normal(size=(d, d)),
        "x": lambda i: row(words[i]), "p": lambda i: row(places[i]),
    }  # fmt: skip


def spans(draw: Generator) -> Letters:
    """Words and places that share only the zero vector."""
    d = width(draw)
    words, places = draw.normal(size=(2, d)), draw.normal(size=(d - 2, d))
    a, b = draw.normal(size=(2, d, 3))
    return {
        "x": row(draw.normal(size=2) @ words), "p": row(draw.normal(size=d - 2) @ places), "A": a, "B": b,
        "W": separate_projections(words, places, a, b),
    }  # fmt: skip


def loudness(draw: Generator) -> Letters:
    """A row of the table, and words of any spread."""
    d = width(draw)
    return {"d": d, r"\sigma": real(draw, 0.01, 2.0), "p": encode(real(draw), d)}


def heard(draw: Generator) -> Letters:
    """The variances of the places."""
    d, sigma = width(draw), real(draw, 0.1, 2.0)
    places = encode(range(whole(draw, d, 40)), d)
    variances = principal_variances(places)
    return {
        r"\sigma": sigma, "m": index(draw, d, start=1), r"\lambda": lambda m: variances[int(m) - 1],
        "R": np.sqrt(recovered_place(places, sigma)),
    }  # fmt: skip


def one_cell(draw: Generator) -> Letters:
    """Nitish and killed at their places."""
    return {"I": np.eye(2), "x": np.eye(2), "p": encode(range(2), 2)}


AT = {
    "eq:adding:terms": terms, "thm:adding:spans": spans, "lem:adding:loudness": loudness,
    "thm:adding:heard": heard, "ex:adding:tied": by_hand, "ex:adding:cell": one_cell,
}  # fmt: skip
