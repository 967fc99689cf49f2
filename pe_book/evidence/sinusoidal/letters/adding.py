"""What the letters of the chapter on adding stand for; words and the rows of positions are rows."""

import numpy as np
from numpy.random import Generator

from pe_book.evidence.letters import Letters, by_hand, index, real, row, whole, width
from pe_book.sinusoidal.formula import encode


def letters(draw: Generator) -> Letters:
    """A word, a position, and a matrix."""
    d = width(draw)
    return {
        "d": d, "x": row(draw.normal(size=d)), "p": real(draw), "W": draw.normal(size=(d, 3)),
        "PE": lambda p: row(encode(p, d)),
    }  # fmt: skip


def terms(draw: Generator) -> Letters:
    """Words by their number, and a score between two rows."""
    d, d_k = width(draw), whole(draw, 1, 9)
    words, w_q, w_k = draw.normal(size=(6, d)), draw.normal(size=(d, d_k)), draw.normal(size=(d, d_k))
    return {
        "i": index(draw, 6), "j": index(draw, 6), "x": lambda i: row(words[i]), "d_k": d_k,
        "PE": lambda p: row(encode(p, d)), "u": row(words[0]), "v": row(words[1]), "W_Q": w_q, "W_K": w_k,
        "s": lambda u, v: (u @ w_q @ (v @ w_k).T).item() / np.sqrt(d_k),
    }  # fmt: skip


def loudness(draw: Generator) -> Letters:
    """A row of the table, and words of any spread."""
    return letters(draw) | {r"\sigma": real(draw, 0.01, 2.0)}


def one_score(draw: Generator) -> Letters:
    """Two columns."""
    return {"I": np.eye(2), "d_k": 2}


AT = {
    "eq:adding:terms": terms, "eq:adding:score": terms, "lem:adding:loudness": loudness,
    "ex:adding:tied": by_hand, "ex:adding:cell": one_score,
}  # fmt: skip
