"""A position read like a number: the digits of a counter, and what the pairs say one after the other."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pe_book.inputs.checking import (
    Ladder,
    base_above_one,
    finite_positions,
    known_ladder,
    real_number,
    room_for,
    whole_number,
)
from pe_book.inputs.wording import shown
from pe_book.numerics.angles import sines_and_cosines
from pe_book.numerics.chunks import bounded_width
from pe_book.sinusoidal.formula import frequencies

_MOST_DIGITS = 2**16  # of a number: each takes one division of what is left of it


def digits(number: int, *, radix: int = 10, places: int | None = None) -> NDArray[np.int64]:
    r"""The digits that an odometer with `radix` marks on each wheel shows, the slowest wheel first.

    .. math:: \left\lfloor \text{number} / \text{radix}^{\,j} \right\rfloor \bmod \text{radix},
        \qquad j = \text{places}-1, \dots, 0

    With ``radix=2`` these are the bits of a counter.

    Parameters
    ----------
    number
        A whole number, at least 0, that needs at most 65536 digits.
    radix
        Marks on a wheel: a whole number, at least 2 and at most 2**63.
    places
        Number of wheels, at least 1; without it, as many as the number needs.

    Returns
    -------
    NDArray[np.int64]
        Shape (places,), every entry in 0, …, radix-1.

    Raises
    ------
    ValueError
        If `number` needs more than `places` digits.

    Examples
    --------
    >>> digits(759)
    array([7, 5, 9])
    >>> digits(5, radix=2, places=4)
    array([0, 1, 0, 1])
    """
    rest = whole_number(number, "number", least=0)
    radix = whole_number(radix, "radix", least=2, most=2**63)
    if rest.bit_length() > _MOST_DIGITS * math.log2(radix):
        most = f"must need at most {_MOST_DIGITS} digits"
        raise ValueError(f"number {most}, got {shown(number)} in radix {shown(radix)}")
    shown_digits: list[int] = []
    while rest or not shown_digits:
        rest, digit = divmod(rest, radix)
        shown_digits.append(digit)
    if places is None:
        places = len(shown_digits)
    places = whole_number(places, "places", least=1)
    if places < len(shown_digits):
        what = f"{shown(number)} in radix {shown(radix)}"
        raise ValueError(f"places must be at least {len(shown_digits)} to show {what}, got {places}")
    room_for(8 * places, "places", places)
    result = np.zeros(places, dtype=np.int64)
    result[places - len(shown_digits) :] = shown_digits[::-1]
    return result


class Reading(NamedTuple):
    """What one dial says about a position, and what is left open once it has spoken.

    Attributes
    ----------
    pair
        The number of the pair.
    shown
        The position modulo the wavelength, in tokens: all that the hand shows.
    modulo
        The wavelength, in tokens.
    within
        How many tokens the misreading of the hand is worth.
    left
        Shape (m,): the positions that this dial and every slower one leave open, in tokens.
    """

    pair: int
    shown: float
    modulo: float
    within: float
    left: NDArray[np.float64]


def read_dials(
    position: float, d_model: int, *, reading_error: float, base: float = 10000.0, ladder: Ladder = "paper"
) -> list[Reading]:
    r"""What the dials say about a position, one after the other, the slowest first.

    Pair i shows the position modulo :math:`\lambda_i`, to within the reading error over :math:`\omega_i`, in
    tokens. Of the positions that it leaves open, those stay that lie where the next slower pair allows.

    Parameters
    ----------
    position
        In tokens: at least 0 and below the longest wavelength, so that the slowest hand has lost no turn; at
        most 2**53.
    d_model
        Width of the encoding: even, at least 2.
    reading_error
        How far a hand may be reading_error, in radians: above 0, and at most π, where the hand says nothing.
    base, ladder
        As for :func:`~pe_book.sinusoidal.waves.column_range`.

    Returns
    -------
    list of Reading
        d_model/2 readings, the slowest pair first.

    Raises
    ------
    ValueError
        If more positions stay open than fit in memory.

    Examples
    --------
    >>> [len(reading.left) for reading in read_dials(759, 8, reading_error=1 / 20)]
    [1, 1, 1, 1]
    >>> read_dials(759, 8, reading_error=1 / 20)[-1].left.round(6)
    array([759.])

    See Also
    --------
    digits : what an odometer with wheels shows.
    """
    width = bounded_width(d_model)
    rates = frequencies(width, base=base, ladder=ladder)
    longest = 2 * np.pi / float(rates[-1])
    position, reading_error = real_number(position, "position"), real_number(reading_error, "reading_error")
    if not 0 <= position < longest:
        wave = f"{longest:g}, the longest wavelength"
        raise ValueError(f"position must be at least 0 and below {wave}: got {position:g}")
    if not 0 < reading_error <= np.pi:
        raise ValueError(f"reading_error must be above 0 radians, and at most pi, got {reading_error:g}")
    sines, cosines = sines_and_cosines(
        finite_positions(position, "position"), width, base_above_one(base), known_ladder(ladder)
    )
    angles = np.mod(np.arctan2(sines, cosines), 2 * np.pi)
    readings: list[Reading] = []
    left, allowed = np.array([position]), 0.0
    for pair in range(len(rates) - 1, -1, -1):
        modulo, within = 2 * np.pi / float(rates[pair]), reading_error / float(rates[pair])
        remainder = float(angles[pair]) / float(rates[pair])
        if readings:
            reach, away = (
                allowed + within,
                left - position,
            )  # turns are counted from the position: exact far out
            first, last = np.ceil((away - reach) / modulo), np.floor((away + reach) / modulo)
            counts = np.maximum(last - first + 1, 0)
            # turns, and four times in finding them
            room_for(5 * 8 * int(counts.sum()), "reading_error", reading_error)
            times = counts.astype(np.intp)  # which is all that repeat takes on 32 bits
            each = np.repeat(np.cumsum(counts) - counts, times)
            turns = np.unique(np.repeat(first, times) + np.arange(len(each)) - each)
            left = position + modulo * turns
        readings.append(Reading(pair, remainder, modulo, within, left))
        allowed = within
    return readings
