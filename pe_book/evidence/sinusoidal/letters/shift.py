"""What the letters of the chapter on shifts stand for."""

import numpy as np
from numpy.random import Generator

from pe_book.evidence.letters import Letters, column, index, real, whole, width
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.shift import shift_matrix


def letters(draw: Generator) -> Letters:
    """Columns, and the matrices that shift them."""
    d = width(draw)
    return {
        "d": d, "p": real(draw), "k": real(draw), "a": real(draw), "b": real(draw),
        "m": real(draw), "n": real(draw), "I": np.eye(d),
        "i": index(draw, d // 2), "u": column(draw.normal(size=d)), "v": column(draw.normal(size=d)),
        r"\omega": frequencies(d), "PE": lambda p: column(encode(p, d)),
        "T": lambda k: shift_matrix(k, d), "R": lambda angle: shift_matrix(angle, 2),
    }  # fmt: skip


def clock(draw: Generator) -> Letters:
    """One pair that turns once in twelve hours."""
    omega = np.pi / 6
    return {
        "p": real(draw), r"\omega": omega, "PE": lambda p: column(encode(omega * p, 2)),
        "T": lambda k: shift_matrix(omega * k, 2),
    }  # fmt: skip


def pair(draw: Generator) -> Letters:
    """One pair of any frequency."""
    return letters(draw) | {r"\omega": real(draw, 0.0, 3.0)}


def half(draw: Generator) -> Letters:
    """The sines alone, and the cosines alone."""
    pairs = whole(draw, 2, 5)
    return {
        "d": 2 * pairs, "p": whole(draw, -40, 40), "k": whole(draw, 1, 40), "i": index(draw, pairs),
        r"\omega": frequencies(2 * pairs), "S": lambda p: encode(p, 2 * pairs)[::2],
        "C": lambda p: encode(p, 2 * pairs)[1::2],
    }  # fmt: skip


AT = {"eq:shift:clock": clock, "ex:shift:clock": clock, "eq:shift:pair": pair, "lem:shift:half": half}
UNREAD = {"lem:shift:half": 2}  # what no matrix satisfies
