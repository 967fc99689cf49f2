"""What the letters of the page on computing the table stand for."""

from collections.abc import Callable

from numpy.random import Generator

from pe_book.evidence.letters import Letters, by_hand, index, real, whole, width
from pe_book.sinusoidal.formula import encode, frequencies


def letters(draw: Generator) -> Letters:
    """A row as complex numbers."""
    d = width(draw)

    def pair(i: int) -> Callable[[float], complex]:
        return lambda p: complex(encode(p, d)[2 * i], encode(p, d)[2 * i + 1])

    error = real(draw, 0.1, 1.0)
    return {
        "p": real(draw), "a": whole(draw, -9, 9), "b": whole(draw, -9, 9), "B": whole(draw, 2, 64),
        "i": index(draw, d // 2),
        r"\omega": frequencies(d), "S": pair, "x": 0.0, "v": real(draw, -error, error), "E": error,
    }  # fmt: skip


AT = {"ex:computing:37": by_hand, "ex:computing:ticks": by_hand}
