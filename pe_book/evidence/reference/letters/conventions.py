"""What the letters of the page on conventions stand for."""

from numpy.random import Generator

from pe_book.evidence.letters import Letters, Vocabulary, index, real, width
from pe_book.family.rotary import rotate
from pe_book.sinusoidal.formula import frequencies
from pe_book.sinusoidal.shift import shift_matrix


def letters(draw: Generator) -> Letters:
    """One pair, shifted as a code and turned as a query."""
    d, k, m, (a, b) = width(draw), real(draw), real(draw), draw.normal(size=2)
    i = index(draw, d // 2)
    after = rotate([a, b], m, frequencies=[frequencies(d)[i]])
    return {
        "k": k, "m": m, "i": i, "a": a, "b": b, "a'": after[0], "b'": after[1], r"\omega": frequencies(d),
        "=": shift_matrix(k, d)[2 * i : 2 * i + 2, 2 * i : 2 * i + 2],
    }  # fmt: skip


AT: dict[str, Vocabulary] = {}
UNREAD: dict[str, int] = {}
