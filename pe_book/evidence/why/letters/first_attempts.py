"""What the letters of the chapter on numbering words stand for."""

import numpy as np
from numpy.random import Generator

from pe_book.evidence.letters import Letters, index, real, whole
from pe_book.why.sines import harmonic_pairs


def letters(draw: Generator) -> Letters:
    """Counts and numbers of either sign."""
    return {
        "n": whole(draw, 2, 40), "a": whole(draw, 0, 40), "b": whole(draw, 41, 80), "p": real(draw),
        "k": real(draw), "q": real(draw), "j": real(draw),
    }  # fmt: skip


def update(draw: Generator) -> Letters:
    """What one step of descent leaves of a distance along an eigenvector."""
    eta, x = real(draw, 0.0, 1.0), draw.normal(size=(9, 2))
    sizes, axes = np.linalg.eigh(x.T @ x / len(x))
    after = axes[:, 0] - eta * x.T @ (x @ axes[:, 0]) / len(x)
    return {r"\eta": eta, "h": sizes[0], "=": after @ axes[:, 0]}


def harmonic(draw: Generator) -> Letters:
    """One pair of a dial that turns slower by a whole number."""
    p, i = real(draw), index(draw, 6)
    return {"p": p, "i": i, "=": harmonic_pairs(p, 6)[2 * i : 2 * i + 2]}


AT = {"eq:attempts:update": update, "eq:attempts:harmonic": harmonic}
