"""What the letters of the page on rotary encodings in models stand for."""

import numpy as np
from numpy.random import Generator

from pe_book.evidence.letters import Letters, index, width
from pe_book.family.rotary import rotate


def letters(draw: Generator) -> Letters:
    """Attention weights, and values that were turned like keys."""
    d = width(draw)
    return {
        "m": index(draw, 6), "n": index(draw, 6), "a": draw.uniform(size=(6, 6)),
        "v": draw.normal(size=(6, d)),
        "R": lambda m: rotate(np.eye(d), m).T,
    }  # fmt: skip
