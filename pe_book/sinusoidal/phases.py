r"""Angles without error: the phase of a position in exact integer arithmetic, and its sine and cosine.

A frequency times a position is an angle that a float64 rounds, and the rounding grows with the position.
Counted in units of 2**-64 turn the frequency is an integer and a small remainder, whole turns drop out of a
product of 64-bit integers by themselves, and what is left fits. Sine and cosine then come from Taylor sums
that use nothing but IEEE additions and multiplications, so that their error is bounded by proof, not by trust
in a library.

Reference: :cite:t:`muller2016`, chapter 11, on reducing the argument of an elementary function.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from math import factorial
from threading import RLock
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from pe_book.checking import Ladder, base_above_one, even_width, known_ladder

UNIT_ROUNDOFF = 2.0**-53  # half the distance from 1 to the next float64

SINE_COSINE_BOUND = 1.25 * UNIT_ROUNDOFF  # of each sine and cosine below; derived in sine_cosine

WORKING_BITS = 192  # of multiple precision: 53 for a position, and a hundred to spare

# Radians in one unit of phase, 2*pi / 2**64, as a part of 26 bits, which multiplies exactly, and the rest.
_context = mpmath.mp.clone()
_context.prec = WORKING_BITS
_alone = RLock()  # the precision is a state of the context
_UNIT = _context.ldexp(2 * _context.pi, -64)
_UNIT_HIGH = float(_context.floor(_context.ldexp(_UNIT, 87)) * _context.ldexp(1, -87))
_UNIT_LOW = float(_UNIT - _UNIT_HIGH)

_SINE = [
    (-1) ** (k // 2) / factorial(k) for k in range(3, 21, 2)
]  # h - sin h is h**3 times a polynomial in h**2
_COSINE = [(-1) ** (k // 2) / factorial(k) for k in range(4, 22, 2)]


@contextmanager
def precisely(bits: int) -> Iterator[Any]:
    """Multiple precision of `bits` bits, for one thread at a time, as a context of mpmath.

    >>> with precisely(100) as context:
    ...     print(context.sqrt(2))
    1.4142135623730950488016887242
    """
    with _alone, _context.workprec(bits):
        yield _context


@lru_cache(maxsize=64)
def exact_frequencies(
    d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper", bits: int = 192
) -> tuple[Any, ...]:
    r"""The frequencies of :func:`pe_book.sinusoidal.formula.frequencies`, in multiple precision.

    .. math:: \omega_i = \text{base}^{-i/r}, \qquad r = d_\text{model}/2 \text{ or } d_\text{model}/2 - 1

    for the paper's ladder and for tensor2tensor's.

    Parameters
    ----------
    d_model, base, ladder
        As for :func:`pe_book.sinusoidal.formula.frequencies`; `base` is taken at the exact
        value of its float64.
    bits
        Significant bits of each that are right.

    Returns
    -------
    tuple of mpmath.mpf
        d_model/2 numbers, in radians per token.

    Raises
    ------
    ValueError, TypeError
        As :func:`pe_book.sinusoidal.formula.frequencies`.

    Examples
    --------
    >>> [mpmath.nstr(omega, 20) for omega in exact_frequencies(6)]
    ['1.0', '0.046415888336127788924', '0.0021544346900318837218']
    """
    pairs = even_width(d_model) // 2
    rungs = pairs if known_ladder(ladder) == "paper" else max(pairs - 1, 1)
    base = base_above_one(base)
    with precisely(bits + 16) as context:
        logarithm = context.log(base)
        return tuple(context.exp(-logarithm * i / rungs) for i in range(pairs))


@lru_cache(maxsize=64)
def phase_steps(
    d_model: int, base: float = 10000.0, ladder: Ladder = "paper"
) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    r"""How far each pair turns in one token, in units of 2**-64 turn: an integer, and what it leaves.

    .. math:: F_i + r_i = \frac{\omega_i}{2\pi} \, 2^{64}, \qquad |r_i| \le \tfrac{1}{2}

    Parameters
    ----------
    d_model, base, ladder
        As for :func:`pe_book.sinusoidal.formula.frequencies`.

    Returns
    -------
    tuple of NDArray[np.uint64] and NDArray[np.float64]
        Both of shape (d_model/2,), not to be written to: the same arrays are returned again.

    Raises
    ------
    ValueError, TypeError
        As :func:`pe_book.sinusoidal.formula.frequencies`.

    Examples
    --------
    >>> whole, rest = phase_steps(2)
    >>> whole
    array([2935890503282001226], dtype=uint64)
    >>> round(float(whole[0]) / 2**64 * 2 * np.pi, 12)
    1.0
    """
    with precisely(WORKING_BITS) as context:
        steps = [omega / _UNIT for omega in exact_frequencies(d_model, base=base, ladder=ladder)]
        nearest = [int(context.nint(step)) for step in steps]
        whole = np.array(nearest, dtype=np.uint64)
        rest = np.array([float(step - near) for step, near in zip(steps, nearest, strict=True)])
    for array in (whole, rest):
        array.flags.writeable = False
    return whole, rest


def sine_cosine(
    positions: NDArray[np.int64], whole: NDArray[np.uint64], rest: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Sine and cosine of every frequency at whole positions, with a proved error bound.

    Each is within 1.25 u of the exact value, u = 2**-53, for positions up to 2**53 in magnitude:

    - The phase :math:`pF_i` modulo one turn is exact, and so is its distance t to the nearest quarter turn.
    - :math:`2\pi (t + p r_i) / 2^{64}` is held as h + l, h the nearest float64 and \|l\| ≤ u/2. The
      leading 26 bits of t times the leading 26 bits of the unit are exact. The rest is below 2**36 + 2**52
      units, 0.0016 radians. Storing r_i, multiplying it by p and adding it errs by 1/4 + 1/4 + 1/2 units,
      0.0031 u; three roundings in radians bring 0.0047 u. \|h\| is at most π/4 + 0.0016.
    - sin(h + l) = h + (h³ P(h²) + l cos h). The bracket is below 0.079 and carries six roundings, 0.48 u,
      and one more as a sum, 0.08 u. The Taylor sum omits h²¹/21!, 1e-5 u, and l cos h is cut to
      l (1 - h²/2), 0.008 u. The last sum rounds by at most u/2, because it is below 1: 1.07 u.
    - cos(h + l) = (1 - h²/2) + (h⁴ Q(h²) - l sin h), with the rounding of the first bracket carried into the
      second: h² brings u/4, seven roundings of the second bracket 0.11 u and its two sums 0.04 u, l sin h
      cut to l h 0.041 u, the omitted h²²/22! 1e-7 u, the last sum u/2. Together 0.94 u.
    - Whole quarter turns exchange the two and change signs, without error.
    - Where an operation underflows it errs by less than 2**-1074, which changes none of these digits.

    Parameters
    ----------
    positions
        In tokens: whole numbers from -2**53 to 2**53, shape (n,).
    whole, rest
        As :func:`phase_steps` returns them, shape (d_model/2,).

    Returns
    -------
    tuple of NDArray[np.float64] and NDArray[np.float64]
        Sines and cosines, each of shape (n, d_model/2).

    Examples
    --------
    >>> sine, cosine = sine_cosine(np.array([0, 1]), *phase_steps(4))
    >>> sine.round(4)
    array([[0.    , 0.    ],
           [0.8415, 0.01  ]])
    """
    phase = positions.astype(np.uint64)[:, np.newaxis] * whole
    quarter = (phase + np.uint64(2**61)) >> np.uint64(62)
    distance = (phase - (quarter << np.uint64(62))).view(np.int64)  # to the nearest quarter turn, signed
    high = (distance >> 36) << 36
    low = (distance - high).astype(np.float64) + positions.astype(np.float64)[:, np.newaxis] * rest
    leading = high.astype(np.float64) * _UNIT_HIGH
    trailing = high.astype(np.float64) * _UNIT_LOW + low * (_UNIT_HIGH + _UNIT_LOW)
    h = leading + trailing
    part = h - leading
    rest_of_h = (leading - (h - part)) + (trailing - part)  # Knuth's exact remainder of the sum

    square = h * h
    sine = h + (h * square * _polynomial(_SINE, square) + rest_of_h * (1 - square / 2))
    near = 1 - square / 2
    cosine = near + (
        ((1 - near) - square / 2) + (square * square * _polynomial(_COSINE, square) - rest_of_h * h)
    )

    swap = quarter & np.uint64(1) != 0
    sine, cosine = np.where(swap, cosine, sine), np.where(swap, sine, cosine)
    sine_is_negative = quarter & np.uint64(2) != 0
    cosine_is_negative = (quarter + np.uint64(1)) & np.uint64(2) != 0
    return np.where(sine_is_negative, -sine, sine), np.where(cosine_is_negative, -cosine, cosine)


def _polynomial(coefficients: list[float], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Horner's rule, lowest power first in the list, with IEEE operations alone."""
    total = np.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total *= x
        total += coefficient
    return total


def exact_entry(position: int | Fraction, omega: Any, *, cosine: bool, bits: int = WORKING_BITS) -> Any:
    """The sine or cosine of `position` times a frequency, as a number of mpmath with `bits` bits.

    >>> float(exact_entry(1, 1, cosine=False))
    0.8414709848078965
    """
    with precisely(bits) as context:
        angle = context.mpf(position.numerator) / position.denominator * omega
        return context.cos(angle) if cosine else context.sin(angle)
