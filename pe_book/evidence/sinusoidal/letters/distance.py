"""What the letters of the chapter on distance stand for."""

import numpy as np
from numpy.random import Generator

from pe_book.evidence.letters import Letters, column, index, real, whole, width
from pe_book.sinusoidal.distance import relative_part, similarity, wide_limit
from pe_book.sinusoidal.distance.spread import common_component
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.shift import generator


def letters(draw: Generator) -> Letters:
    """Columns, and their kernel."""
    d, n, k = width(draw), whole(draw, 2, 60), real(draw)
    return {
        "d": d, "p": real(draw), "k": k, "n": n, "i": index(draw, d // 2), r"\alpha": real(draw, 0, 1),
        r"\omega": frequencies(d), r"\theta": k * frequencies(d), "PE": lambda p: column(encode(p, d)),
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


def relative(draw: Generator) -> Letters:
    """The score of two codes with a matrix between, or of the part of it that sees the offset."""
    d, q, j = width(draw), whole(draw, -40, 40), whole(draw, -40, 40)
    i, m = index(draw, d // 2), draw.normal(size=(d, d))
    part = relative_part(m)
    a, b = part.diagonal()[::2], part.diagonal(1)[::2]
    table = encode([q, j], d)
    return letters(draw) | {
        "=": table[0] @ part @ table[1], "d": d, "q": q, "j": j, "k": j - q, "i": i,
        "s": 2 * i, "c": 2 * i + 1, "M": part, "m": m, "a": a, "b": b, "r": np.hypot(a, b),
        r"\varphi": np.arctan2(b, a), "J": generator(2), "I": np.eye(2), r"\omega": frequencies(d),
        "PE": lambda p: column(encode(p, d)),
    }  # fmt: skip


def common(draw: Generator) -> Letters:
    """The share of the mean row."""
    found = letters(draw)
    return found | {"=": common_component(encode(range(found["n"]), found["d"])).share}


def two_hands(draw: Generator) -> Letters:
    """Width 4 and base 100."""
    return {"k": real(draw), "s": lambda k: similarity(k, 4, base=100)}


AT = {
    "thm:distance:never": ahead, "thm:distance:law": limit, "thm:distance:relative": relative,
    "lem:distance:common": common, "ex:distance:hands": two_hands,
}  # fmt: skip
