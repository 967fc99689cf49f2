"""What the letters of the chapter on order stand for."""

import numpy as np
from numpy.random import Generator

from pe_book.evidence.letters import Letters, column, index, whole, width
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.why.order_blindness import attention, attention_weights


def letters(draw: Generator) -> Letters:
    """One head of attention."""
    n, d = whole(draw, 2, 6), width(draw)
    q, k, v = draw.normal(size=(3, n, d))
    weights = attention_weights(q, k)
    return {
        "q": q, "k": k, "v": v, "d_k": d, "s": q @ k.T / np.sqrt(d), "a": weights, "y": attention(q, k, v),
        "i": index(draw, n), "j": index(draw, n), "m": index(draw, n),
    }  # fmt: skip


def words(draw: Generator) -> Letters:
    """Attention moves with its rows, and their mean stays."""
    n, d = whole(draw, 2, 6), width(draw)
    return {
        "f": lambda x: attention(x, x, x), "g": lambda x: x.mean(axis=0), "X": draw.normal(size=(n, d)),
        r"\pi": draw.permutation(n),
    }  # fmt: skip


def general(draw: Generator) -> Letters:
    """Attention with any score and any value."""
    n, d = whole(draw, 2, 6), width(draw)
    x, w_q, w_v = draw.normal(size=(n, d)), draw.normal(size=(d, d)), draw.normal(size=(d, d))
    return {
        "n": n, "x": x, "X": x, "i": index(draw, n), "v": lambda x: x @ w_v,
        "s": lambda x, y: x @ w_q @ y / np.sqrt(d), "f": lambda x: attention(x @ w_q, x, x @ w_v),
    }  # fmt: skip


def three(draw: Generator) -> Letters:
    """Two positions of one word."""
    d = width(draw)
    return {
        "r": index(draw, d // 2), r"\omega": frequencies(d), r"\mathrm{PE}": lambda p: column(encode(p, d)),
    }  # fmt: skip


def by_hand(draw: Generator) -> Letters:
    """The page gives every number itself."""
    return {"I": np.eye(2)}


AT = {
    "def:order:words": words, "thm:order:equivariant": general, "eq:order:the": three,
    "ex:order:nitish": by_hand,
}  # fmt: skip
