"""The judge of the table: the recurrence, in whole numbers with so many digits that drift does not matter.

Each row of the table is the row before it, turned. In float32 that is the worst way to make a table; with 220
binary digits behind the point it is wrong by less than 2**-150 wherever it is asked. Nothing of the table's
code is used, nor what that leans on: frequencies come from Python's decimal, the first turn from Taylor sums
of Python's whole numbers, and a far start from squaring that turn.

Reference: :cite:t:`vaswani2017`, section 3.5, for the encoding and for the shift.
"""

from collections.abc import Iterator
from decimal import Context, Decimal

import numpy as np
from numpy.typing import NDArray

GUARD = 220  # binary digits behind the point
KEPT = 61  # of them in what is returned, and one more that says "and a little"
_NEAR = GUARD - KEPT - 60  # the 60 digits below those that are kept
_BELOW = (1 << 60) - 1
_DIGITS = Context(prec=100)  # of a frequency

# significant bits, and the exponent of the smallest normal number
_FORMATS = {"float32": (24, -126), "float16": (11, -14), "bfloat16": (8, -126)}


def first_turn(omega: Decimal) -> tuple[int, int]:
    """Sine and cosine of an angle from 0 to 1, times 2**220, by their Taylor sums.

    >>> sine, cosine = first_turn(Decimal("0.5"))
    >>> sine / 2**220, cosine / 2**220
    (0.479425538604203, 0.8775825618903728)
    """
    bits = GUARD + 60
    angle = int(_DIGITS.multiply(omega, Decimal(1 << bits)))
    term, sums, power = 1 << bits, [0, 0], 0
    while term:
        sums[power % 2] += term if power % 4 < 2 else -term
        power += 1
        term = (term * angle >> bits) // power
    return sums[1] >> 60, sums[0] >> 60


def _turned(row: tuple[int, int], by: tuple[int, int]) -> tuple[int, int]:
    (sine, cosine), (s, c) = row, by
    return (sine * c + cosine * s) >> GUARD, (cosine * c - sine * s) >> GUARD


def _row(start: int, turn: tuple[int, int]) -> tuple[int, int]:
    """Sine and cosine of so many turns, by squaring."""
    row, left = (0, 1 << GUARD), abs(start)
    while left:
        row = _turned(row, turn) if left & 1 else row
        turn, left = _turned(turn, turn), left >> 1
    return (row[0] if start >= 0 else -row[0]), row[1]


def columns(n: int, d_model: int, *, base: float = 10000.0, start: int = 0) -> Iterator[NDArray[np.int64]]:
    """Each column of the table times 2**62: exact at position 0, and elsewhere within 1, and odd.

    An odd number stands for the open interval between its even neighbours. The boundaries of a format with at
    most 24 bits are even, so the interval rounds as one. The `base` is taken at its exact value; `start` is
    from -2**53 to 2**53.

    What the recurrence has added up could reach the digits that are kept on the way from a negative start
    through position 0, whose sines are nearly and not exactly 0: that is refused.

    >>> [f"{column[1] / 2**62:.8f}" for column in columns(2, 4)]
    ['0.84147098', '0.54030231', '0.00999983', '0.99995000']
    """
    for i in range(d_model // 2):
        exponent = _DIGITS.divide(Decimal(-2 * i), Decimal(d_model))
        turn = first_turn(_DIGITS.power(Decimal(base), exponent))
        row, rows = _row(start, turn), []
        for _ in range(n):
            rows.append(row)
            row = _turned(row, turn)
        for column in zip(*rows, strict=True):
            kept = np.array([value >> GUARD - KEPT for value in column], np.int64)
            rest = np.array([value >> _NEAR & _BELOW for value in column], np.int64)
            exactly = np.array([value & (1 << GUARD) - 1 == 0 for value in column])
            if not (exactly | (rest > 0) & (rest < _BELOW)).all():
                raise ArithmeticError(f"pair {i}: {GUARD} digits do not decide the {KEPT} that are kept")
            yield 2 * kept + ~exactly


def stepped(n: int, d_model: int, *, base: float = 10000.0, start: int = 0) -> NDArray[np.int64]:
    """All :func:`columns`, as one table of shape (n, d_model).

    >>> (stepped(2, 4) / 2**62).round(6).tolist()[1]
    [0.841471, 0.540302, 0.01, 0.99995]
    """
    return np.stack(list(columns(n, d_model, base=base, start=start)), axis=1)


def nearest(judged: NDArray[np.int64], rounding: str) -> NDArray[np.float64]:
    """What the judge's numbers round to in float32, float16 or bfloat16, by whole numbers alone.

    Ties cannot occur. An entry so small that 62 digits do not decide how it rounds is refused.

    >>> nearest(stepped(2, 2), "float16")[1].tolist()
    [0.84130859375, 0.54052734375]
    """
    bits, least = _FORMATS[rounding]
    magnitude = np.abs(judged)
    exponent = np.frexp(magnitude.astype(np.float64))[1] - 1 - 62
    dropped = np.maximum(exponent, least) - bits + 1 + 62
    if dropped[magnitude > 0].min(initial=2) < 2:
        raise ArithmeticError(f"62 digits do not decide the smallest entries in {rounding}")
    dropped = np.maximum(dropped, 2).astype(np.int64)
    kept = (magnitude + (np.int64(1) << (dropped - 1))) >> dropped
    sizes = np.ldexp(kept.astype(np.float64), dropped.astype(np.int32) - 62)
    return np.asarray(np.copysign(sizes, judged))


def misrounded(found: NDArray[np.floating], judged: NDArray[np.int64], rounding: str | None = None) -> int:
    """How many entries are not the number of their format nearest to that of :func:`stepped`.

    The format is `rounding`, or else the dtype of `found`.

    >>> misrounded(np.array([[0, 1], [0.8414, 0.5403]], "float16"), stepped(2, 2))
    0
    >>> misrounded(np.array([[0, 1], [0.8418, 0.5403]], "float16"), stepped(2, 2))
    1
    """
    return int((found != nearest(judged, rounding or found.dtype.name)).sum())


def largest_error(found: NDArray[np.float64], judged: NDArray[np.int64]) -> float:
    """The largest error of a float64 table in u = 2**-53, rounded up by what the judge leaves open.

    >>> largest_error(np.array([[2.0**-53, 1.0]]), stepped(1, 2))
    1.001953125
    """
    steps = np.abs((found * 2.0**62).astype(np.int64) - judged).max() + 1
    return float(steps) / 2.0**9
