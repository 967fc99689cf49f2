r"""Which entries of the table an error bound cannot round, and what they round to.

A float64 within a bound E of the exact value rounds as the exact value does, unless a boundary between two
neighbouring numbers of the format lies between them. :cite:t:`ziv1991` tests that by rounding v - E and
v + E: where both agree, the rounding is proved. Here the window is twice as wide. Two values within E of the
exact one lie within 2E of each other, so outside the list that is found all of them round alike, and the list
holds for any machine. The ends v - 2E and v + 2E are rounded themselves, by up to u/2 where they are below 1
in magnitude; twice the difference between E = 5 u and the proved 3.77 u pays for that. Beyond 1 no boundary
is near.

Almost every entry is far from a boundary, and one look at the low bits of a float64 says so (:func:`sieve`).
What the sieve keeps gets the window, what the window keeps is certified.
"""

from typing import Any, NamedTuple

import mpmath
import numpy as np
from numpy.typing import NDArray

from pe_book.inputs.checking import Ladder
from pe_book.numerics.exact import WORKING_BITS, exact_entry, exact_frequency, nearest_frequencies, precisely
from pe_book.numerics.phases import UNIT_ROUNDOFF
from pe_book.numerics.rounding import FORMATS, round_to

TINY = 2.0**-9  # radians: below it three terms of the sine are the sine
TINY_BOUND = 5 * UNIT_ROUNDOFF  # of tiny_sine, relative
SMALL = 2.0**-13  # an entry below it is small: its boundaries are too dense to be found in its low bits
_NEAR = 2**16  # at least 10 * 2**12 units of the last place of float64 on both sides of a middle


class CertifiedEntries(NamedTuple):
    """The entries of some rows that an error bound leaves open, and what they round to."""

    positions: NDArray[np.int64]
    columns: NDArray[np.intp]  # as the paper numbers them: sine and cosine of a pair in turn
    values: NDArray[np.float64]

    @classmethod
    def none(cls) -> "CertifiedEntries":
        """No entries.

        >>> CertifiedEntries.none().n_bytes()
        0
        """
        return cls(np.empty(0, np.int64), np.empty(0, np.intp), np.empty(0))

    def outside(self, first: int, rows: int) -> "CertifiedEntries":
        """Those at other positions than `rows` of them from `first` on."""
        others = (self.positions < first) | (self.positions >= first + rows)
        return CertifiedEntries(self.positions[others], self.columns[others], self.values[others])

    def joined(self, other: "CertifiedEntries") -> "CertifiedEntries":
        """These, then the others."""
        positions = np.concatenate([self.positions, other.positions])  # (n,)
        columns = np.concatenate([self.columns, other.columns])  # (n,)
        return CertifiedEntries(positions, columns, np.concatenate([self.values, other.values]))  # (n,)

    def n_bytes(self) -> int:
        """How much memory they take."""
        return sum(part.nbytes for part in self)


def rounded(values: NDArray[np.float64], rounding: str) -> NDArray[Any]:
    """The nearest number of a format, in one rounding: ``"float32"``, ``"float16"`` or ``"bfloat16"``.

    Numpy has no bfloat16: its values come back as float64.

    >>> rounded(np.array([1 + 2.0**-9]), "bfloat16")
    array([1.])
    """
    return round_to(values, rounding) if rounding == "bfloat16" else values.astype(rounding)


def sieve(rounding: str) -> tuple[np.uint32, np.uint32]:
    """Two words that find, by the low half of a float64, what may have a boundary of a format within 10 u.

    ``(low + first) & second`` is 0 for every float64 whose magnitude is from ``SMALL`` to 1 and that has a
    boundary within 10 u, and for one in 4096 of the others in float32, for fewer in the shorter formats. A
    format of m bits drops the low 53 - m bits of a float64, and a boundary is the number whose dropped bits
    are a one and then zeros; of the shorter formats the zeros fill the low half. 10 u are at most 10 · 2**12
    units in the last place of a number above 2**-13.

    >>> add, mask = sieve("float32")
    >>> boundary = np.array([1 + 2.0**-24, 1 + 2.0**-24 - 10 * 2.0**-53, 1.0, 0.75])
    >>> (boundary.view(np.uint64).astype(np.uint32) + add) & mask == 0
    array([ True,  True, False, False])
    """
    dropped = 53 - FORMATS[rounding][0]
    middle, modulus = (2 ** (dropped - 1), 2**dropped) if dropped <= 32 else (0, 2**32)
    return np.uint32(middle + _NEAR), np.uint32(modulus - 2 * _NEAR)


def undecided(
    values: NDArray[np.float64], bound: float | NDArray[np.float64], rounding: str
) -> tuple[NDArray[np.intp], ...]:
    """The indices of the entries that have a boundary of the format within 2 `bound`.

    Values, of any shape, are each within `bound` of an exact one: absolute, one for all, or one for each. Of
    an array of rows, the indices are those of rows and of columns.

    >>> undecided(np.array([[0.5, 1 + 2.0**-24]]), 1e-15, "float32")
    (array([0]), array([1]))
    """
    below, above = (rounded(values + side * 2 * bound, rounding) for side in (-1, 1))
    return np.nonzero(below != above)


def tiny_sine(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    r"""The sines of angles of at most 2**-9 radians, by three terms.

    Within 5 u of the exact sine of a position times a frequency, *relative* to it, if the angle is the
    product of the position and :func:`~pe_book.numerics.exact.nearest_frequencies`: the frequency, the
    product, the bracket and the last product are each rounded by at most u, the fourth term is below 1e-3 u,
    and the roundings inside the bracket count 2**-20 as much.

    >>> tiny_sine(np.array([1e-3, 1e-100]))
    array([9.99999833e-004, 1.00000000e-100])
    """
    square = angles * angles
    return angles * (1 - square * (1 - square / 20) / 6)


def round_all_certified(
    positions: NDArray[np.int64],
    columns: NDArray[np.intp],
    d_model: int,
    base: float,
    ladder: Ladder,
    *,
    rounding: str,
) -> NDArray[np.float64]:
    """Entries of the table, correctly rounded.

    Each has a position and a column, as the paper numbers them, sine and cosine in turn: shape (n,). Row 0 is
    known. Tiny sines have a bound relative to them, and hardly one of them needs more. The rest goes to
    multiple precision (:func:`round_certified`).

    >>> where = np.array([0, 3, 3]), np.array([1, 2, 3])
    >>> round_all_certified(*where, 4, 1e30, "paper", rounding="float32")
    array([1.00000000e+00, 2.99999991e-15, 1.00000000e+00])
    """
    if not positions.size:
        return np.empty(0)
    pairs, cosine = columns // 2, columns % 2 == 1
    angles = positions * nearest_frequencies(d_model, base, ladder)[pairs]
    sines = tiny_sine(np.where(np.abs(angles) <= TINY, angles, 0.0))
    with np.errstate(under="ignore"):
        certified = rounded(sines, rounding).astype(np.float64)
        left_open = cosine | (np.abs(angles) > TINY)
        left_open[undecided(sines, TINY_BOUND * np.abs(sines), rounding)] = True
    certified[positions == 0] = cosine[positions == 0]
    for index in np.flatnonzero(left_open & (positions != 0)).tolist():
        certified[index] = round_certified(
            int(positions[index]),
            int(pairs[index]),
            cosine=bool(cosine[index]),
            d_model=d_model,
            base=base,
            ladder=ladder,
            rounding=rounding,
        )
    return certified


def round_certified(
    position: int, pair: int, *, cosine: bool, d_model: int, base: float, ladder: Ladder, rounding: str
) -> float:
    """One entry of the table, correctly rounded, with as many bits as that takes.

    Besides the row of position 0 no entry lies on a boundary: the angle is an algebraic number other than 0,
    and its sine and cosine are transcendental (Lindemann). So the doubt ends.

    >>> round_certified(1, 0, cosine=False, d_model=6, base=10000.0, ladder="paper", rounding="float16")
    0.84130859375
    """
    if position == 0:
        return float(cosine)
    bits = WORKING_BITS
    while True:
        omega = exact_frequency(pair, d_model, base, ladder, bits)
        value = exact_entry(position, omega, cosine=cosine, bits=bits)
        with precisely(bits) as context:
            # an angle is at most 2**53 and known to 2**(54 - bits); a sine moves no more than its angle
            doubt = context.ldexp(1, 64 - bits)
            below, above = (round_number(value + side * doubt, rounding) for side in (-1, 1))
            known_sign = abs(value) > doubt
        if known_sign and below == above:
            return below
        bits *= 2


def round_number(value: Any, rounding: str) -> float:
    """A number of mpmath, rounded once to a format, ties to even.

    >>> import mpmath
    >>> round_number(mpmath.mpf(257), "bfloat16")
    256.0
    """
    if value == 0:
        return 0.0
    bits, least_exponent, _ = FORMATS[rounding]
    exponent = value.exp + value.bc - 1
    kept = bits - max(0, least_exponent - exponent)  # a subnormal number keeps fewer
    if kept < 1:
        smallest = 2.0 ** (least_exponent - bits + 1)
        return (-1.0 if value < 0 else 1.0) * smallest * bool(abs(value) > smallest / 2)
    return float(mpmath.mp.mpf(value, prec=kept, rounding="n"))
