"""What the letters of the chapter on fitted shifts stand for."""

import numpy as np
from numpy.random import Generator

from pe_book.evidence.letters import Letters, column, real, whole, width
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.shift import shift_matrix
from pe_book.sinusoidal.shift.fitting import gradient_descent


def letters(draw: Generator) -> Letters:
    """Some rows, the projection onto their span, and what was trained on them."""
    d, k = width(draw), real(draw)
    r = whole(draw, 1, d - 1)
    places = draw.choice(40, size=r, replace=False)
    seen = encode(places, d)
    start = draw.normal(size=(d, d))
    return {
        "d": d, "k": k, "r": r, "p": places, r"\Pi": np.linalg.pinv(seen) @ seen, "I": np.eye(d),
        "T": lambda k: shift_matrix(k, d), "PE": lambda p: column(encode(p, d)), "M_0": start,
        "M": gradient_descent(seen, encode(places + k, d), whole(draw, 1, 9), start=start),
    }  # fmt: skip
