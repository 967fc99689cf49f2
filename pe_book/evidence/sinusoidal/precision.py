"""What the chapter on precision measures and decides about the four places where a number is rounded."""

from functools import lru_cache
from math import floor, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pe_book.checking import one_of
from pe_book.sinusoidal.computing import table
from pe_book.sinusoidal.recipes import encode_rounded
from pe_book.verdict import Verdict
from pe_book.why.rounding import FORMATS, Collisions, collisions, round_to


class Left(NamedTuple):
    """What a rounding leaves of the positions 0, …, n-1."""

    found: Collisions  # the first two equal rows, and how many differ
    worst: float  # the largest error of an entry
    similar: NDArray[np.float64]  # of each row to the next: their dot product over its largest value, (n-1,)


@lru_cache(maxsize=16)
def what_is_left(n: int, d_model: int, stages: tuple[str, ...], dtype: str) -> Left:
    """What is left of the first n positions when these stages are rounded; measured once for each question.

    Parameters
    ----------
    n
        Number of positions.
    d_model
        Width of the encoding.
    stages, dtype
        What is rounded, and to which format: `rounded` and `dtype` of
        :func:`pe_book.sinusoidal.recipes.encode_rounded`.

    Returns
    -------
    Left
        Collisions, worst error and the similarity of neighbours.

    Examples
    --------
    >>> what_is_left(300, 8, ("positions",), "bfloat16").found
    Collisions(first=(256, 257), distinct=279, total=300)
    """
    rows = encode_rounded(np.arange(n), d_model, rounded=stages, dtype=dtype)
    worst = float(np.abs(rows - table(n, d_model, dtype="float64")).max())
    similar = np.einsum("pc,pc->p", rows[1:], rows[:-1]) / (d_model / 2)
    return Left(_collisions(rows), worst, similar)


def powers_of_two_survive(dtype: str, *, last: int | None = None) -> Verdict:
    """Every power of two from 1 on is a number of the format, so that a position there is not moved.

    Parameters
    ----------
    dtype
        ``"bfloat16"``, ``"float16"`` or ``"float32"``.
    last
        The last exponent asked. If None, that of the largest power of two that the format has: past its end
        there is only infinity.

    Returns
    -------
    Verdict
        With the last exponent asked and the first that is lost, or -1.

    Examples
    --------
    >>> bool(powers_of_two_survive("float16")), bool(powers_of_two_survive("float16", last=16))
    (True, False)
    """
    if last is None:
        last = floor(log2(FORMATS[one_of(dtype, tuple(FORMATS), "dtype")].largest))
    powers = np.ldexp(1.0, np.arange(last + 1))
    lost = np.flatnonzero(round_to(powers, dtype) != powers)
    return Verdict(lost.size == 0, {"last": last, "first lost": int(lost[0]) if lost.size else -1})


def _collisions(rows: NDArray[np.float64]) -> Collisions:
    few = rows[:, :64]  # where rows that agree in these agree in all, these decide, and are quicker to sort
    _, first, group = np.unique(few, axis=0, return_index=True, return_inverse=True)
    return collisions(few if np.array_equal(rows, rows[first[group.reshape(-1)]]) else rows)
