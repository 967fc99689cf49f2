r"""Angles without error: the phase of a position in exact integer arithmetic, and its sine and cosine.

A frequency times a position is an angle that a float64 rounds, and the rounding grows with the position.
Counted in units of 2**-64 turn the frequency is an integer and a small remainder, whole turns drop out of a
product of 64-bit integers by themselves, and what is left fits. Sine and cosine are looked up at the nearest
step of a turn and turned the rest of the way by two short series, with nothing but IEEE additions and
multiplications, so that their error is bounded by proof, not by trust in a library.

Reference: :cite:t:`muller2016`, chapter 11, on reducing the argument of an elementary function.
"""

from functools import cache
from math import pi

import numpy as np
from numpy.typing import NDArray

from pe_book.inputs.checking import Ladder, base_above_one, known_ladder
from pe_book.numerics.cache import cached
from pe_book.numerics.chunks import bounded_width
from pe_book.numerics.exact import WORKING_BITS, fixed_point, precisely

UNIT_ROUNDOFF = 2.0**-53  # half the distance from 1 to the next float64
SINE_COSINE_BOUND = 0.625 * UNIT_ROUNDOFF  # of each sine and cosine below; derived in wave
STEPS = 256  # of a turn, whose sines and cosines are kept
_UNIT = 2 * pi / 2.0**64  # radians in one unit of phase
# The series of (sin h - h) / h**3 and of (cos h - 1) / h**2, lowest power of h**2 first.
_SINE = [-1 / 6, 1 / 120, -1 / 5040]
_COSINE = [-1 / 2, 1 / 24, -1 / 720]
_CHUNK = 2**12  # so many sines at once stay in the nearest cache


def phase_steps(
    d_model: int, base: float = 10000.0, ladder: Ladder = "paper"
) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    r"""How far each pair turns in one token, in units of 2**-64 turn: an integer, and what it leaves.

    .. math:: F_i + r_i = \frac{\omega_i}{2\pi} \, 2^{64}, \qquad |r_i| \le \tfrac{1}{2}

    Both have shape (d_model/2,) and are not to be written to: the same arrays are returned again.

    >>> whole, rest = phase_steps(2)
    >>> whole
    array([2935890503282001226], dtype=uint64)
    >>> round(float(whole[0]) / 2**64 * 2 * np.pi, 12)
    1.0
    """
    width, base, ladder = bounded_width(d_model), base_above_one(base), known_ladder(ladder)

    def made() -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
        fixed, point = fixed_point(width, base, ladder, WORKING_BITS + 16)
        one, half = 1 << point, 1 << point - 1
        with precisely(point + 72) as context:
            per_radian = int(context.ldexp(1 / (2 * context.pi), point + 64))
        steps = [omega * per_radian >> point for omega in fixed]
        nearest = [step + half >> point for step in steps]
        whole = np.array(nearest, dtype=np.uint64)
        rest = np.array([(step - (near << point)) / one for step, near in zip(steps, nearest, strict=True)])
        for array in (whole, rest):
            array.flags.writeable = False
        return whole, rest

    return cached(("steps", width, base, ladder), made, lambda steps: 2 * steps[0].nbytes)


def phases(
    positions: NDArray[np.int64], whole: NDArray[np.uint64], rest: NDArray[np.float64]
) -> NDArray[np.uint64]:
    r"""How far each pair has turned at whole positions, modulo one turn, in units of 2**-64 turn.

    .. math:: p F_i + \operatorname{round}(p r_i) \bmod 2^{64}

    The product is exact; storing :math:`r_i`, multiplying it by p and rounding to a whole number errs by at
    most 1/4 + 1/4 + 1/2 units, for positions up to 2**53 in magnitude. Positions of shape (n,), and what
    :func:`phase_steps` returns, give shape (n, d_model/2).

    >>> turned = phases(np.array([0, 1, 10]), *phase_steps(2))
    >>> (turned.ravel() / 2**64).round(4)  # of a turn
    array([0.    , 0.1592, 0.5915])
    """
    column = positions[:, np.newaxis]  # (n, 1)
    drift = np.rint(column.astype(np.float64) * rest).astype(np.int64)
    return column.astype(np.uint64) * whole + drift.view(np.uint64)


def turns(
    positions: NDArray[np.int64], whole: NDArray[np.uint64], rest: NDArray[np.float64]
) -> NDArray[np.uint16]:
    """The leading bits of :func:`phases` without whole quarter turns: units of 2**-16 turn, times 4.

    >>> turns(np.array([1]), *phase_steps(2)) >> 2  # a radian, or 0.159 of 65536
    array([[10430]], dtype=uint16)
    """
    return (phases(positions, whole, rest) >> 48 << 2).astype(np.uint16)


def sine_cosine(
    positions: NDArray[np.int64], whole: NDArray[np.uint64], rest: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sine and cosine of every frequency at whole positions, with a proved error bound.

    Each is within 5/8 u of the exact value, u = 2**-53, for positions up to 2**53 in magnitude; the proof is
    in :func:`wave`. Arguments and shapes are those of :func:`phases`.

    >>> sine, cosine = sine_cosine(np.array([0, 1]), *phase_steps(4))
    >>> sine.round(4)
    array([[0.    , 0.    ],
           [0.8415, 0.01  ]])
    """
    rows = wave(positions, whole, rest)
    return rows.real, rows.imag


def wave(
    positions: NDArray[np.int64], whole: NDArray[np.uint64], rest: NDArray[np.float64]
) -> NDArray[np.complex128]:
    r"""The rows of whole positions as complex numbers, :math:`\sin\omega_i p + \mathrm{i}\cos\omega_i p`.

    The nearest of 256 steps of a turn is looked up, and a small angle h turns it the rest of the way:
    :math:`T + T(\cos h - 1 - \mathrm{i}\sin h)` with T the step, held as a float64 and what that leaves over.
    Sine and cosine are each within 5/8 u of the exact value, u = 2**-53, for positions up to 2**53 in
    magnitude:

    - The phase (:func:`phases`) errs by one unit of 2**-64 turn, 0.0031 u. Its distance to the nearest step
      is exact, at most 2**55 units, and rounded by 2 of them, 0.0062 u. The size of a unit and the product
      with it are rounded: \|h\| is at most π/256, 0.0123, and each of the two brings 0.0123 u.
    - sin h = h + h³ P(h²): what is not h is below 4e-7, so that its roundings do not count; the sum rounds by
      at most 0.0123 u. cos h - 1 = h² Q(h²) is below 8e-5 and carries four roundings, 0.0004 u. The first
      terms that the series omit are below 0.0002 u.
    - The product with T rounds a component by 0.0123 u in its two products and by as much in their sum, and
      uses T without what its float64 leaves over, at most u/2, which costs 0.006 u more.
    - That remainder is added, with a rounding of 0.0123 u, and then T, with a rounding of u/2, because the
      result is at most 1. Together 0.59 u.
    - Where an operation underflows it errs by less than 2**-1074, which changes none of these digits.

    Arguments and shapes are those of :func:`phases`.

    >>> wave(np.array([0, 1]), *phase_steps(2)).round(4)
    array([[0.    +1.j    ],
           [0.8415+0.5403j]])
    """
    rows = np.empty((len(positions), len(whole)), np.complex128)
    few = max(1, _CHUNK // len(whole))
    for first in range(0, len(positions), few):
        rows[first : first + few] = _wave(phases(positions[first : first + few], whole, rest))
    return rows


def _wave(phase: NDArray[np.uint64]) -> NDArray[np.complex128]:
    step = (phase + 2**55) >> 56
    distance = (phase - (step << 56)).view(np.int64)
    h = distance * _UNIT
    square = h * h
    turn = np.empty(h.shape, np.complex128)
    turn.real = square * ((_COSINE[2] * square + _COSINE[1]) * square + _COSINE[0])
    turn.imag = -h - h * square * ((_SINE[2] * square + _SINE[1]) * square + _SINE[0])
    near, left_over = steps_of_a_turn()
    table = near.take(step.view(np.int64), mode="wrap")
    turn *= table
    turn += left_over.take(step.view(np.int64), mode="wrap")
    turn += table
    return turn


@cache
def steps_of_a_turn() -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Sine and cosine of 256 steps of a turn, as complex numbers: the nearest, and what it leaves over.

    >>> near, left_over = steps_of_a_turn()
    >>> near[32].round(4), bool(np.abs(left_over).max() < 2.0**-53)
    (np.complex128(0.7071+0.7071j), True)
    """
    with precisely(WORKING_BITS) as context:
        angles = [2 * context.pi * step / STEPS for step in range(STEPS // 8 + 1)]
        eighth = [(context.sin(angle), context.cos(angle)) for angle in angles]
        quarter = eighth + [(cosine, sine) for sine, cosine in eighth[-2:0:-1]]
        half = quarter + [(cosine, -sine) for sine, cosine in quarter]
        turn = half + [(-sine, -cosine) for sine, cosine in half]
        near = np.array([complex(float(sine), float(cosine)) for sine, cosine in turn])
        rest = [
            complex(float(sine - number.real), float(cosine - number.imag))
            for (sine, cosine), number in zip(turn, near.tolist(), strict=True)
        ]
    return near, np.array(rest)
