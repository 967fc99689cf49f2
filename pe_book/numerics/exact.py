"""The encoding in multiple precision, and its frequencies: what everything else is measured against."""

from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from fractions import Fraction
from math import frexp
from numbers import Rational
from threading import RLock
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from pe_book.inputs.arrays import LARGEST_EXACT
from pe_book.inputs.checking import (
    Ladder,
    Layout,
    base_above_one,
    even_width,
    known_ladder,
    known_layout,
    real_number,
    room_for,
    whole_number,
)
from pe_book.inputs.pairs import join
from pe_book.inputs.wording import shown
from pe_book.numerics.cache import cached, guard_during_fork
from pe_book.numerics.chunks import bounded_width

_MOST_DIGITS = 10_000
WORKING_BITS = 192  # of multiple precision: 53 for a position, and a hundred to spare
_context = mpmath.mp.clone()
_lock = RLock()  # the precision is a state of the context
guard_during_fork(_lock)


@contextmanager
def precisely(bits: int) -> Iterator[Any]:
    """Multiple precision of `bits` bits, for one thread at a time, as a context of mpmath.

    >>> with precisely(100) as context:
    ...     print(context.sqrt(2))
    1.4142135623730950488016887242
    """
    with _lock, _context.workprec(bits):
        yield _context


def exact_frequencies(
    d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper", bits: int = 192
) -> tuple[Any, ...]:
    r"""The frequencies of :func:`pe_book.sinusoidal.formula.frequencies`, in multiple precision.

    .. math:: \omega_i = \text{base}^{-i/r}, \qquad r = d_\text{model}/2 \text{ or } d_\text{model}/2 - 1

    for the paper's ladder and for tensor2tensor's: d_model/2 numbers, in radians per token, with 1 to 2**16
    significant `bits` that are right. `base` is taken at the exact value of its float64.

    >>> [mpmath.nstr(omega, 20) for omega in exact_frequencies(6)]
    ['1.0', '0.046415888336127788924', '0.0021544346900318837218']
    """
    width, base, ladder = bounded_width(d_model), base_above_one(base), known_ladder(ladder)
    bits = whole_number(bits, "bits", least=1, most=2**16)
    return tuple(exact_frequency(pair, width, base, ladder, bits) for pair in range(width // 2))


def exact_frequency(pair: int, d_model: int, base: float, ladder: Ladder, bits: int) -> Any:
    """One of :func:`exact_frequencies`.

    >>> mpmath.nstr(exact_frequency(1, 6, 10000.0, "paper", 192), 20)
    '0.046415888336127788924'
    """
    fixed, point = fixed_point(d_model, base, ladder, bits + 16)
    with precisely(bits + 16) as context:
        return context.ldexp(fixed[pair], -point)


def nearest_frequencies(d_model: int, base: float, ladder: Ladder) -> NDArray[np.float64]:
    """The float64 numbers nearest to :func:`exact_frequencies`, which a power of floats misses by some units.

    >>> nearest_frequencies(4, 10000.0, "paper")
    array([1.  , 0.01])
    """

    def made() -> NDArray[np.float64]:
        fixed, point = fixed_point(d_model, base, ladder, WORKING_BITS + 16)
        one = 1 << point  # Python divides whole numbers with one rounding
        omega = np.array([number / one for number in fixed])
        omega.flags.writeable = False
        return omega

    return cached(("nearest", d_model, base, ladder), made, lambda omega: omega.nbytes)


def fixed_point(d_model: int, base: float, ladder: Ladder, bits: int) -> tuple[list[int], int]:
    """The frequencies as whole numbers, right to `bits` bits in the smallest, and their binary point."""
    pairs = d_model // 2
    rungs = pairs if ladder == "paper" else max(pairs - 1, 1)
    # the smallest loses the bits of the base, and each step down the ladder loses one unit
    point = bits + frexp(base)[1] + pairs.bit_length() + 2

    def made() -> list[int]:
        with precisely(point + 8) as context:
            ratio = int(context.ldexp(context.exp(-context.log(base) / rungs), point))
        fixed = [1 << point]
        for _ in range(pairs - 1):
            fixed.append(fixed[-1] * ratio >> point)
        return fixed

    key = ("frequencies", d_model, base, ladder, bits)
    return cached(key, made, lambda fixed: len(fixed) * (point // 8 + 48)), point


def exact_entry(position: int | Fraction, omega: Any, *, cosine: bool, bits: int = WORKING_BITS) -> Any:
    """The sine or cosine of `position` times a frequency, as a number of mpmath with `bits` bits.

    >>> float(exact_entry(1, 1, cosine=False))
    0.8414709848078965
    """
    with precisely(bits) as context:
        angle = context.mpf(position.numerator) / position.denominator * omega
        return context.cos(angle) if cosine else context.sin(angle)


def exact(
    positions: Iterable[int | float | Fraction],
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
    digits: int = 40,
) -> list[list[Any]]:
    r"""The sinusoidal encoding in multiple precision: slow, and what everything else is measured against.

    Parameters
    ----------
    positions
        In tokens: whole numbers, fractions or floats, each taken at its exact value, to 2**53 in magnitude.
    d_model, base, layout, ladder
        As for :func:`pe_book.sinusoidal.formula.encode`.
    digits
        How many decimal digits of each entry are right, counted from the decimal point: 1 to 10000.

    Returns
    -------
    list of lists of mpmath.mpf
        One row of d_model numbers for each position. They hold all their digits; what you compute with them
        is rounded to the precision of ``mpmath.mp``, which is yours to set (``mpmath.workdps``).

    Examples
    --------
    >>> mpmath.nstr(exact([1], 2)[0][0], 30)
    '0.84147098480789650665250232163'
    """
    digits = whole_number(digits, "digits", least=1, most=_MOST_DIGITS)
    bits = 64 + digits * 10 // 3
    width = even_width(d_model)
    of_a_row = width * (bits // 8 + 200)
    room_for(2 * of_a_row, "d_model", d_model)
    listed = _exact_positions(positions, of_a_row)
    layout = known_layout(layout)
    omegas = exact_frequencies(width, base=base, ladder=ladder, bits=bits)
    found = []
    for position in listed:
        sines, cosines = (
            np.array(
                [_number(exact_entry(position, omega, cosine=part, bits=bits)) for omega in omegas], object
            )
            for part in (False, True)
        )
        found.append(join(sines, cosines, layout).tolist())
    return found


def _number(value: Any) -> Any:
    """A number of mpmath that computes with the precision that its user sets."""
    return mpmath.mp.mpf(value, prec=max(1, value.bc))


def _exact_positions(positions: Iterable[int | float | Fraction], of_a_row: int) -> list[Fraction]:
    """The positions as fractions, refused before they are listed if their rows would not fit."""
    try:
        count = len(positions) if isinstance(positions, Sized) else 0
    except OverflowError:  # a range of more numbers than Python counts
        count = 2**63
    except TypeError:  # an array without an axis: what iter says of it is told below
        count = 0
    room_for((count + 1) * of_a_row, "positions", positions)
    try:
        some = iter(positions)
    except TypeError as error:
        raise TypeError(f"positions must be a list of real numbers, got {shown(positions)}") from error
    listed: list[Fraction] = []
    for position in some:
        listed.append(_exact_position(position))
        room_for((len(listed) + 1) * of_a_row, "positions", positions)
    return listed


def _exact_position(position: int | float | Fraction) -> Fraction:
    real_number(position, "positions")
    exactly = position if isinstance(position, Rational) else Fraction(*position.as_integer_ratio())
    fraction = Fraction(int(exactly.numerator), int(exactly.denominator))  # those of numpy are rational too
    if abs(fraction) > LARGEST_EXACT:
        raise ValueError(f"positions must lie within ±2**53, got {shown(position)}")
    return fraction
