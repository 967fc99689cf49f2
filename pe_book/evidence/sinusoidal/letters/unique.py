"""What the letters of the chapter on different rows stand for."""

from numpy.random import Generator

from pe_book.evidence.letters import Letters, column, index, real, whole, width
from pe_book.sinusoidal.distance.offsets import offset_distance
from pe_book.sinusoidal.formula import encode, frequencies


def letters(draw: Generator) -> Letters:
    """Columns."""
    d = width(draw)
    return {
        "d": d, "p": real(draw), "k": real(draw), "i": index(draw, d // 2),
        r"\omega": frequencies(d), "PE": lambda p: column(encode(p, d)),
    }  # fmt: skip


def near(draw: Generator) -> Letters:
    """An offset whose two rows lie closer together than the margin."""
    found = letters(draw) | {"k": whole(draw, 1, 400)}
    return found | {r"\varepsilon": 1.001 * offset_distance(found["k"], found["d"])}


AT = {"thm:waves:return": near}
