"""How the letters of a page are drawn at random: sizes, numbers of either sign, indices, rows and columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.derivations.displays import Index

Letters = dict[str, Any]


def by_hand(draw: Generator) -> Letters:
    """Of an example that gives every number itself."""
    return {}


def whole(draw: Generator, low: int, high: int) -> int:
    """A whole number, either end included."""
    return int(draw.integers(low, high + 1))


def real(draw: Generator, low: float = -40.0, high: float = 40.0) -> float:
    """A number between two others, by default of either sign."""
    return float(draw.uniform(low, high))


def width(draw: Generator) -> int:
    """An even width with two pairs or more."""
    return 2 * whole(draw, 2, 5)


def index(draw: Generator, count: int, start: int = 0) -> Index:
    """One of so many, of which a sum takes all."""
    return Index(whole(draw, start, start + count - 1), range(start, start + count))


def column(values: ArrayLike) -> NDArray[Any]:
    """Values below each other."""
    return np.reshape(np.asarray(values), (-1, 1))


def row(values: ArrayLike) -> NDArray[Any]:
    """Values beside each other."""
    return np.reshape(np.asarray(values), (1, -1))
