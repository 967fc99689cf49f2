"""What the letters of the chapter on waves stand for."""

from numpy.random import Generator

from pe_book.evidence.letters import Letters, index, real, width
from pe_book.sinusoidal.formula import frequencies, wavelengths


def letters(draw: Generator) -> Letters:
    """The frequencies and wavelengths of one width and base."""
    d, base = width(draw), real(draw, 1.5, 1e5)
    return {
        "d": d, "B": base, "x": real(draw), "y": real(draw), "i": index(draw, d // 2 - 1),
        r"\omega": frequencies(d, base=base), r"\lambda": wavelengths(d, base=base),
    }  # fmt: skip


def printed(draw: Generator) -> Letters:
    """The base of the paper."""
    d = width(draw)
    return {"d": d, "i": index(draw, d // 2), r"\omega": frequencies(d), r"\lambda": wavelengths(d)}


AT = {"eq:waves:ladder": printed}
