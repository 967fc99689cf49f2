"""What the letters of the chapter on the formula stand for."""

from numpy.random import Generator

from pe_book.evidence.letters import Letters, by_hand, column, index, real, width
from pe_book.sinusoidal.formula import encode, frequencies


def letters(draw: Generator) -> Letters:
    """The row of a real position."""
    d, base = width(draw), real(draw, 1.5, 1e5)
    return {
        "d": d, "B": base, "p": real(draw), "i": index(draw, d // 2), "x": real(draw, 0.05, 4.0),
        r"\omega": frequencies(d, base=base), "PE": lambda p: column(encode(p, d, base=base)),
    }  # fmt: skip


def paper(draw: Generator) -> Letters:
    """The printed formula names a position and a column."""
    d = width(draw)
    return {
        "pos": real(draw), "i": index(draw, d // 2), r"d_{\text{model}}": d,
        "PE": lambda pos, at: encode(pos, d)[int(at)],
    }  # fmt: skip


def eight(draw: Generator) -> Letters:
    """The row of width 8."""
    return {"PE": lambda p: encode(p, 8)}


AT = {"eq:formula:paper": paper, "eq:formula:eight": eight, "ex:formula:bank": by_hand}
