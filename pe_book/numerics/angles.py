r"""Sine and cosine of position times frequency, as right at a billion as at one.

A float64 rounds the product of a position and a frequency, and the rounding grows with the position: by 2**53
nothing of the angle is left. Counted in units of 2**-64 turn, the product of a whole position and a frequency
is one multiplication of 64-bit integers, from which whole turns drop out by themselves. What remains of the
position, at most half a token, adds an angle of at most half a radian, where rounding costs next to nothing.

Reference: :cite:t:`muller2016`, chapter 11, on reducing the argument of an elementary function.
"""

import numpy as np
from numpy.typing import NDArray

from pe_book.inputs.checking import Ladder
from pe_book.inputs.shapes import Pairs
from pe_book.numerics.phases import phase_steps

# Radians in one unit, 2 * pi / 2**64: its leading 26 bits, and what they leave.
_HIGH = float.fromhex("0x1.921fb5p-62")
_LOW = float.fromhex("0x1.110b4611a6263p-88")
_LEADING_BITS = np.int64(-1 << 37)  # 26 bits of a phase, which 26 other bits multiply without rounding
_HALF_OF_THE_REST = np.int64(1 << 36)

_ENTRIES_AT_A_TIME = 1 << 14  # so that what is kept on the way stays in the processor's cache


def sines_and_cosines(
    positions: NDArray[np.float64], d_model: int, base: float, ladder: Ladder
) -> tuple[Pairs, Pairs]:
    r"""The sine and the cosine of every position times every frequency, each within 1e-15.

    .. math::

        p\,\omega_i \equiv \frac{2\pi}{2^{64}}
        \Bigl( (n F_i \bmod 2^{64}) + n r_i \allowbreak + (p - n) (F_i + r_i) \Bigr) \allowbreak \pmod{2\pi}

    with :math:`n` the whole number nearest to the position :math:`p`, and :math:`F_i + r_i` the frequency as
    :func:`pe_book.numerics.phases.phase_steps` counts it. The first term is exact, and so is its distance
    to the nearest half turn, in two parts that together have 64 bits; an odd number of half turns changes
    both signs. Only then is anything rounded: by 1.1e-16 as an angle of at most π/2, by 7e-16 where the
    position is no whole number, and by one unit in the last place in numpy's sine and cosine. That is 1.8e-16
    at whole positions and 8e-16 at real ones; the tests hold both against multiple precision.

    Where a frequency is so small that its sine is tiny, the error is as small beside the sine. The first
    frequency is 1, so the first angle is the position itself and is taken as it is.

    Positions in tokens, of any shape, whole or real, to ±2**53, give shape positions.shape + (d_model/2,).

    >>> sine, cosine = sines_and_cosines(np.array([0.0, 1.0, 2.0**53]), 4, 10000.0, "paper")
    >>> sine.round(4)
    array([[ 0.    ,  0.    ],
           [ 0.8415,  0.01  ],
           [-0.8489, -0.7963]])

    See Also
    --------
    pe_book.sinusoidal.formula.encode : lays them out as columns.
    """
    steps = phase_steps(d_model, base, ladder)
    sine = np.empty((positions.size, steps[0].size))
    cosine = np.empty_like(sine)
    rows = max(1, _ENTRIES_AT_A_TIME // steps[0].size)
    flat = positions.reshape(-1, 1)  # (n, 1)
    for start in range(0, positions.size, rows):
        some = slice(start, start + rows)
        _write(flat[some], *steps, sine[some], cosine[some])
    np.sin(flat[:, 0], out=sine[:, 0])
    np.cos(flat[:, 0], out=cosine[:, 0])
    shape = (*positions.shape, steps[0].size)
    return sine.reshape(shape), cosine.reshape(shape)  # (..., d_model/2)


def _write(
    positions: NDArray[np.float64],
    whole: NDArray[np.uint64],
    rest: NDArray[np.float64],
    sine: NDArray[np.float64],
    cosine: NDArray[np.float64],
) -> None:
    """Fill one sine and one cosine for each of `positions`, a column, and each frequency, a row."""
    nearest = np.rint(positions)
    phase = nearest.astype(np.int64).view(np.uint64) * whole
    beyond = nearest * rest
    fraction = positions - nearest
    if fraction.any():
        beyond += fraction * (whole.astype(np.float64) + rest)

    distance = (phase << np.uint64(1)).view(np.int64) >> 1  # to the nearest half turn, signed
    leading = (distance + _HALF_OF_THE_REST) & _LEADING_BITS
    beyond += distance - leading
    beyond *= _HIGH + _LOW
    beyond += leading * _LOW
    angle = leading * _HIGH + beyond

    half_turns_are_odd = (phase + np.uint64(1 << 62)).view(np.int64) < 0
    sign = np.where(half_turns_are_odd, -1.0, 1.0)
    np.multiply(np.sin(angle), sign, out=sine)
    np.multiply(np.cos(angle), sign, out=cosine)
