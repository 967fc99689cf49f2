"""What the letters of the chapter on distance stand for."""

import numpy as np
from numpy.random import Generator

from pe_book.evidence.letters import Letters, column, index, real, whole, width
from pe_book.sinusoidal.distance import similarity, wide_limit
from pe_book.sinusoidal.formula import encode, frequencies


def letters(draw: Generator) -> Letters:
    """Columns, and their kernel."""
    d, n, k = width(draw), whole(draw, 2, 60), real(draw)
    return {
        "d": d, "p": real(draw), "k": k, "n": n, "i": index(draw, d // 2),
        r"\omega": frequencies(d), "PE": lambda p: column(encode(p, d)),
        "s": lambda k: similarity(k, d),
    }  # fmt: skip


def ahead(draw: Generator) -> Letters:
    """Offsets from zero on."""
    return letters(draw) | {"k": whole(draw, 0, 400)}


def limit(draw: Generator) -> Letters:
    """The kernel of endlessly many pairs."""
    base = real(draw, 1.5, 30.0)
    return {
        "B": base, "k": real(draw, 1.0, base), r"\gamma": np.euler_gamma,
        r"\ell": lambda k: wide_limit(k, base=base),
    }  # fmt: skip


def two_hands(draw: Generator) -> Letters:
    """Width 4 and base 100."""
    return {"k": real(draw), "s": lambda k: similarity(k, 4, base=100)}


def rule(draw: Generator) -> Letters:
    """A wide row; the theorem behind the rule says how near it comes."""
    d, base = 2 * whole(draw, 1000, 2000), real(draw, 50.0, 200.0)
    k = real(draw, 4.0, base / 2)
    return {
        "d": d, "k": k, "B": base, r"\gamma": np.euler_gamma, "s": lambda k: similarity(k, d, base=base),
        r"\approx": 2 * k / d + (2 / k + k**2 / (4 * base**2)) / np.log(base),
    }  # fmt: skip


AT = {
    "eq:distance:rule": rule, "thm:distance:never": ahead, "thm:distance:law": limit,
    "ex:distance:hands": two_hands,
}  # fmt: skip
