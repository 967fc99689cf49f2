"""What the letters of the chapter on other codes that shift stand for."""

import numpy as np
from numpy.random import Generator

from pe_book.evidence.letters import Letters, column, index, real, whole, width
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.shift import generator, shift_matrix


def letters(draw: Generator) -> Letters:
    """A code that one matrix for each offset shifts: pairs, in axes that are no longer orthogonal."""
    d = width(draw)
    q, axes = np.linalg.qr(draw.normal(size=(d, d)))[0], np.diag(np.repeat(draw.uniform(0.5, 2.0, d // 2), 2))
    mixed = q @ axes
    back = np.linalg.inv(mixed)
    return {
        "d": d, "m": d // 2, "p": real(draw), "k": real(draw), "a": real(draw), "b": real(draw),
        r"\omega": frequencies(d), "L": mixed, "Q": q, "D": axes, "A": mixed @ generator(d) @ back,
        "T": lambda k: mixed @ shift_matrix(k, d) @ back, "P": lambda p: mixed @ column(encode(p, d)),
    }  # fmt: skip


def whole_positions(draw: Generator) -> Letters:
    """One orthogonal matrix takes each row to the next."""
    d = width(draw)
    radii = draw.uniform(0.5, 2.0, d // 2)
    return {
        "p": whole(draw, -40, 40), "i": index(draw, d // 2), "T": shift_matrix(1, d),
        r"\omega": frequencies(d),
        "r": radii, "P": lambda p: column(np.repeat(radii, 2) * encode(p, d)),
    }  # fmt: skip


def counts(draw: Generator) -> Letters:
    """A count beside a constant, moved on, and compared with another."""
    return {"p": real(draw), "k": real(draw), "q": real(draw), "j": real(draw)}


AT = {"eq:shift:shear": counts, "eq:attempts:shear": counts, "thm:shift:integers": whole_positions}
UNREAD = {"thm:shift:only": 1}  # a list with dots, turned into a column and mixed
