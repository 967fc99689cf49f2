"""What the letters of the page on large numbers in training stand for."""

import numpy as np
from numpy.random import Generator

from pe_book.evidence.letters import Letters, real, whole


def letters(draw: Generator) -> Letters:
    """Numbers of words."""
    return {"n": whole(draw, 2, 40)}


def update(draw: Generator) -> Letters:
    """What one step of descent leaves of a distance along an eigenvector."""
    eta, x = real(draw, 0.0, 1.0), draw.normal(size=(9, 2))
    sizes, axes = np.linalg.eigh(x.T @ x / len(x))
    after = axes[:, 0] - eta * x.T @ (x @ axes[:, 0]) / len(x)
    return {r"\eta": eta, "h": sizes[0], "=": after @ axes[:, 0]}


AT = {"eq:attempts:update": update}
