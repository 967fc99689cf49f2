"""What the letters of the chapter on rotary encodings stand for."""

import numpy as np
from numpy.random import Generator

from pe_book.evidence.letters import Letters, by_hand, index, real, whole, width
from pe_book.family.rotary import rotate
from pe_book.sinusoidal.formula import frequencies
from pe_book.sinusoidal.shift import generator


def letters(draw: Generator) -> Letters:
    """Queries, keys and positions as lists of numbers, and the matrices that turn them."""
    d = width(draw)
    places = draw.normal(size=(9, d))
    return {
        "d": d, "q": draw.normal(size=d), "k": draw.normal(size=d), "x": draw.normal(size=d),
        "m": whole(draw, 0, 8), "n": whole(draw, 0, 8), "p": lambda m: places[int(m)],
        "R": lambda m: rotate(np.eye(d), m).T,
    }  # fmt: skip


def any_positions(draw: Generator) -> Letters:
    """Real positions of either sign."""
    return letters(draw) | {"m": real(draw), "n": real(draw)}


def one_pair(draw: Generator) -> Letters:
    """A pair of a query and one of a key as complex numbers."""
    q, k = (complex(*draw.normal(size=2)) for _ in range(2))
    return {"q": q, "k": k, "m": real(draw), "n": real(draw), r"\omega": real(draw, 0.0, 3.0)}


def turned(draw: Generator) -> Letters:
    """One pair before and after its turn."""
    d, m, (a, b) = width(draw), real(draw), draw.normal(size=2)
    i = index(draw, d // 2)
    after = rotate([a, b], m, frequencies=[frequencies(d)[i]])
    return {
        "a": a, "b": b, "a'": after[0], "b'": after[1], "m": m, "i": i, r"\omega": frequencies(d),
    }  # fmt: skip


def directions(draw: Generator) -> Letters:
    """A query and a key of two numbers, where they point, and by how much a position turns them."""
    q, k, speed = draw.normal(size=2), draw.normal(size=2), real(draw, 0.0, 3.0)
    return {
        "q": q, "k": k, "m": real(draw), "n": real(draw), r"\alpha": np.arctan2(*q[::-1]),
        r"\beta": np.arctan2(*k[::-1]), r"\theta": lambda m: speed * m,
        "F": lambda m: lambda x: rotate(x, m, frequencies=[speed]),
    }  # fmt: skip


def forced(draw: Generator) -> Letters:
    """A map of any position, and the speed with which it turns."""
    d = width(draw)
    return {
        "I": np.eye(d), "m": real(draw), "n": real(draw), "A": -generator(d), "x": draw.normal(size=d),
        "y": draw.normal(size=d), "F": lambda m: lambda x: rotate(x, m),
    }  # fmt: skip


AT = {
    "thm:rotary:difference": any_positions, "eq:rotary:complex": one_pair, "eq:rotary:turn": turned,
    "eq:rotary:angles": directions, "cor:rotary:exponential": forced, "ex:rotary:one": by_hand,
    "ex:rotary:hand": by_hand, "ex:rotary:pairing": by_hand,
}  # fmt: skip
UNREAD = {"cor:rotary:exponential": 1}  # a series, with dots
