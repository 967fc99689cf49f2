r"""Sine and cosine of position times frequency, for frequencies that are float64 numbers themselves.

The product of two float64 numbers is the sum of two, so that nothing of the angle is lost. Frequencies of the
ladder are not float64 numbers, but powers that a float64 rounds: for these see
:mod:`pe_book.numerics.angles`.

Reference: :cite:t:`muller2016`, on Dekker's exact product.
"""

import numpy as np
from numpy.typing import NDArray

from pe_book.inputs.shapes import Pairs

_SPLITTER = 2.0**27 + 1  # takes a float64 apart into halves of 26 bits, whose products are exact
_LOW_IS_SMALL = 2.0**26  # an angle below this leaves less than 2**-27, whose square is below any digit


def exact_product(
    a: NDArray[np.float64], b: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The product as high + low, exactly, for numbers up to 1e300 whose product is between 1e-290 and 1e300.

    >>> high, low = exact_product(np.array([1 + 2.0**-30]), np.array([1 + 2.0**-30]))
    >>> float(high[0] - 1) == 2.0**-29, float(low[0]) == 2.0**-60
    (True, True)
    """
    high = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return high, a_low * b_low - (((high - a_high * b_high) - a_low * b_high) - a_high * b_low)


def sines_and_cosines_of_products(
    positions: NDArray[np.float64], rates: NDArray[np.float64]
) -> tuple[Pairs, Pairs]:
    r"""The sine and the cosine of every position times every rate, each within 1e-15.

    With the product held as h + l, :math:`\sin(h + l) = \sin h \cos l + \cos h \sin l`, and the cosine alike.
    Positions in tokens and rates in radians per token, of shape (m,), give shape positions.shape + (m,). No
    position times a rate may be above 1e300.

    >>> sine, cosine = sines_and_cosines_of_products(np.array([1e6]), np.array([0.1]))
    >>> round(float(sine[0, 0]), 13), round(float(np.sin(1e6 * 0.1)), 13)  # the float64 0.1 is above a tenth
    (0.0357487979665, 0.035748797972)
    """
    angle, rest = exact_product(positions[..., np.newaxis], rates)  # (..., m)
    sine, cosine = np.sin(angle), np.cos(angle)
    if np.abs(angle).max(initial=0.0) < _LOW_IS_SMALL:
        return sine + rest * cosine, cosine - rest * sine
    s, c = np.sin(rest), np.cos(rest)
    return sine * c + cosine * s, cosine * c - sine * s


def _halves(x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    scaled = _SPLITTER * x
    high = scaled - (scaled - x)
    return high, x - high
