"""What the letters of the page on conventions stand for."""

from numpy.random import Generator

from pe_book.evidence.letters import Letters, index, real, width
from pe_book.family.rotary import rotate
from pe_book.sinusoidal.formula import frequencies
from pe_book.sinusoidal.shift import shift_matrix


def block(draw: Generator) -> Letters:
    """The block of one pair, cut out of the whole matrix."""
    d, k = width(draw), real(draw)
    i = index(draw, d // 2)
    at = slice(2 * i, 2 * i + 2)
    return {"k": k, "i": i, r"\omega": frequencies(d), "=": shift_matrix(k, d)[at, at]}


def letters(draw: Generator) -> Letters:
    """One pair of a query before and after its turn."""
    d, m, (a, b) = width(draw), real(draw), draw.normal(size=2)
    i = index(draw, d // 2)
    after = rotate([a, b], m, frequencies=[frequencies(d)[i]])
    return {
        "m": m, "i": i, "a": a, "b": b, "a'": after[0], "b'": after[1], r"\omega": frequencies(d),
    }  # fmt: skip


AT = {"eq:conventions:block": block}
