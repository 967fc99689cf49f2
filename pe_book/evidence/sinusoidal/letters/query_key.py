"""What the letters of the side page on query and key matrices stand for."""

import numpy as np
from numpy.random import Generator

from pe_book.evidence.letters import Letters, column, index, whole, width
from pe_book.evidence.sinusoidal.letters.distance import letters as of_distance
from pe_book.sinusoidal.distance import relative_part
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.shift import generator


def letters(draw: Generator) -> Letters:
    """The score of two codes with a matrix between, or of the part of it that sees the offset."""
    d, q, j = width(draw), whole(draw, -40, 40), whole(draw, -40, 40)
    i, m = index(draw, d // 2), draw.normal(size=(d, d))
    part = relative_part(m)
    a, b = part.diagonal()[::2], part.diagonal(1)[::2]
    table = encode([q, j], d)
    return of_distance(draw) | {
        "=": table[0] @ part @ table[1], "d": d, "q": q, "j": j, "k": j - q, "i": i,
        "s": 2 * i, "c": 2 * i + 1, "M": part, "m": m, "a": a, "b": b, "r": np.hypot(a, b),
        r"\varphi": np.arctan2(b, a), "J": generator(2), "I": np.eye(2), r"\omega": frequencies(d),
        "PE": lambda p: column(encode(p, d)),
    }  # fmt: skip
