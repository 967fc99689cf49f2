"""One sine of the position, and several whose frequencies are 1, 1/2, 1/3 and so on."""

import math

import numpy as np
from numpy.typing import ArrayLike

from pe_book.inputs.checking import finite_positions, room_for, whole_number
from pe_book.inputs.pairs import join
from pe_book.inputs.shapes import PerPosition, Rows
from pe_book.inputs.wording import shown

_LONGEST = 10**307  # times 2π it is a float64


def one_sine(positions: ArrayLike) -> PerPosition:
    r"""The sine of the position, :math:`\sin(pos)`.

    Parameters
    ----------
    positions
        In tokens, any shape, real.

    Returns
    -------
    NDArray[np.float64]
        The shape of `positions`.

    Examples
    --------
    >>> one_sine([0, 1, 2]).round(3)
    array([0.   , 0.841, 0.909])
    """
    return np.sin(finite_positions(positions))


def harmonic_pairs(positions: ArrayLike, pairs: int = 3) -> Rows:
    r"""Sine and cosine of the position, of its half, of its third, and so on.

    .. math:: \left(\sin\tfrac{pos}{i+1},\ \cos\tfrac{pos}{i+1}\right), \qquad i = 0, \dots, \text{pairs} - 1

    Parameters
    ----------
    positions
        In tokens, any shape, real.
    pairs
        Number of (sin, cos) pairs, at least 1.

    Returns
    -------
    NDArray[np.float64]
        The shape of `positions`, and one more axis of 2·pairs.

    Examples
    --------
    >>> harmonic_pairs(1).round(3)
    array([0.841, 0.54 , 0.479, 0.878, 0.327, 0.945])

    See Also
    --------
    pe_book.sinusoidal.formula.encode : the same with frequencies that fall by a constant factor.
    """
    checked, number = finite_positions(positions), whole_number(pairs, "pairs", least=1)
    room_for(40 * max(checked.size, 1) * number, "pairs", number)
    angles = checked[..., None] / np.arange(1, number + 1)  # (..., pairs)
    return join(np.sin(angles), np.cos(angles), "interleaved")


def harmonic_period(pairs: int) -> float:
    r"""The period that the first few harmonic pairs have in common.

    .. math:: 2\pi \cdot \operatorname{lcm}(1, 2, \dots, \text{pairs})

    Parameters
    ----------
    pairs
        Number of (sin, cos) pairs, at least 1.

    Returns
    -------
    float
        In tokens.

    Raises
    ------
    ValueError
        If the period does not fit in float64.

    Examples
    --------
    >>> round(harmonic_period(3), 2)
    37.7
    """
    common = 1
    for divisor in range(1, whole_number(pairs, "pairs", least=1) + 1):
        common = math.lcm(common, divisor)
        if common > _LONGEST:
            most = f"at most {divisor - 1}, after which the period does not fit in float64"
            raise ValueError(f"pairs must be {most}, got {shown(pairs)}")
    return 2 * math.pi * common
