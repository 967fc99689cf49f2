"""What the letters of the side page on averaged rows stand for."""

from numpy.random import Generator

from pe_book.evidence.letters import Letters, index, real, width
from pe_book.sinusoidal.formula import frequencies


def letters(draw: Generator) -> Letters:
    """The angle between two positions, and how far from the first to the second the blend is."""
    d, k = width(draw), real(draw)
    rates = frequencies(d)
    return {
        "d": d, "k": k, "i": index(draw, d // 2), r"\alpha": real(draw, 0, 1), r"\omega": rates,
        r"\theta": k * rates,
    }  # fmt: skip
