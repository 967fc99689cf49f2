"""What a 16-bit or 32-bit number keeps of a float64, and which rows of a table become one thereby.

The formats are IEEE 754 binary16 and binary32, and bfloat16 (:cite:t:`kalamkar2019`). They are written out in
float64 arithmetic, so that a page can round without loading a library that has all of them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import numpy_dtype, one_of, real_array
from pe_book.inputs.wording import shown
from pe_book.numerics.scaling import norms


class Format(NamedTuple):
    """A binary floating-point format: how many bits a number keeps, and how far it reaches."""

    significant_bits: int
    least_exponent: int  # of the smallest normal number, 2**least_exponent
    largest: float


FORMATS = {
    "bfloat16": Format(8, -126, (2 - 2.0**-7) * 2.0**127),
    "float16": Format(11, -14, (2 - 2.0**-10) * 2.0**15),
    "float32": Format(24, -126, (2 - 2.0**-23) * 2.0**127),
}


def known_format(dtype: object) -> str:
    """The name of a format, refused unless `dtype` is one of the three, by its name or numpy's.

    >>> known_format(np.float16)
    'float16'
    """
    return numpy_dtype(dtype, tuple(FORMATS), "dtype")


def spacing(x: ArrayLike, dtype: str) -> NDArray[np.float64]:
    r"""The distance from the magnitude of `x` to the next larger number of a format.

    .. math:: 2^{e - s + 1}, \qquad 2^e \le |x| < 2^{e+1}

    with `s` significant bits; :math:`e` is never less than the exponent of the smallest normal number.

    Parameters
    ----------
    x
        Any shape, finite.
    dtype
        ``"bfloat16"``, ``"float16"`` or ``"float32"``.

    Returns
    -------
    NDArray[np.float64]
        The shape of `x`, in the unit of `x`.

    Examples
    --------
    >>> spacing([1, 255, 256, 65536], "bfloat16")
    array([7.8125e-03, 1.0000e+00, 2.0000e+00, 5.1200e+02])
    """
    bits, least_exponent, _ = FORMATS[one_of(dtype, tuple(FORMATS), "dtype")]
    fraction, exponent = np.frexp(real_array(x, "x"))
    # frexp's fraction lies in [1/2, 1), ours in [1, 2)
    exponent = np.where(fraction == 0, least_exponent, exponent - 1)
    unit: NDArray[np.float64] = np.ldexp(1.0, np.maximum(exponent, least_exponent) - bits + 1)
    return unit


def round_to(x: ArrayLike, dtype: str) -> NDArray[np.float64]:
    """The nearest number that a format can hold, ties to the even neighbour; past its end, infinity.

    One rounding, straight from float64. A library that goes from float64 to bfloat16 by way of float32 rounds
    twice and can differ in the last bit.

    Parameters
    ----------
    x
        Any shape, finite.
    dtype
        ``"bfloat16"``, ``"float16"`` or ``"float32"``.

    Returns
    -------
    NDArray[np.float64]
        The shape of `x`: the rounded values, held in float64.

    Examples
    --------
    >>> round_to([256, 257, 258, 259], "bfloat16")
    array([256., 256., 258., 260.])
    >>> round_to([65504, 100_000], "float16")
    array([65504.,    inf])
    """
    values = real_array(x, "x")
    unit = spacing(values, dtype)
    with np.errstate(over="ignore"):  # the largest float64 rounds up to infinity, as it should
        rounded = np.rint(values / unit) * unit
    past_the_end = np.abs(rounded) > FORMATS[dtype].largest
    return np.where(past_the_end, np.copysign(np.inf, values), rounded)


class Collisions(NamedTuple):
    """Which rows of a table are equal."""

    first: tuple[int, int] | None  # the first row that repeats an earlier one: (earlier, later)
    distinct: int
    total: int


def collisions(x: ArrayLike) -> Collisions:
    """The first row that repeats an earlier one, and the number of different rows.

    Rows are compared exactly; round first to ask about a format.

    Parameters
    ----------
    x
        Shape (n,) or (n, d): one number or one row for each position. Infinities are allowed.

    Returns
    -------
    Collisions
        `first`, the pair of indices (earlier, later) with the smallest later index, or None; `distinct`;
        `total`.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.collisions(np.sin(range(100)))
    Collisions(first=None, distinct=100, total=100)
    >>> from pe_book.numerics.rounding import round_to
    >>> pe.collisions(round_to(np.sin(range(100)), "bfloat16"))
    Collisions(first=(8, 52), distinct=94, total=100)
    """
    rows = _rows(x)
    _, first_seen, group = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    earliest = first_seen[group.reshape(-1)]  # (n,)
    repeats = np.flatnonzero(earliest != np.arange(len(rows)))
    first = (int(earliest[repeats[0]]), int(repeats[0])) if len(repeats) else None
    return Collisions(first, len(first_seen), len(rows))


class ClosestPair(NamedTuple):
    """Two rows of a table, and the distance between them."""

    first: int
    second: int
    gap: float


def closest_pair(x: ArrayLike) -> ClosestPair:
    """The two rows nearest to each other (Euclidean distance); of equals, any one pair.

    Parameters
    ----------
    x
        Shape (n,) or (n, d), n at least 2, finite.

    Returns
    -------
    ClosestPair
        Indices `first` < `second`, and the `gap` between the two rows.

    Raises
    ------
    ValueError
        If even the smallest distance overflows.

    Examples
    --------
    >>> first, second, gap = closest_pair(np.sin(range(23)))
    >>> first, second, round(gap, 5)
    (8, 14, 0.00125)
    """
    rows = real_array(_rows(x), "x")
    if len(rows) < 2:
        raise ValueError(f"x must have at least two rows to compare, got {len(rows)}")
    with np.errstate(over="ignore"):  # infinite distances are not the smallest, or refused
        best = _closest_numbers(rows) if rows.ndim == 1 else _closest_rows(rows)
    if best.gap == np.inf:
        raise ValueError(f"x must have two rows whose distance fits in float64, got {shown(x)}: scale them")
    return best


def _closest_numbers(numbers: NDArray[np.float64]) -> ClosestPair:
    """On a line only neighbours in order can be closest."""
    order = np.argsort(numbers, kind="stable")
    gaps = np.diff(numbers[order])
    at = int(np.argmin(gaps))
    first, second = sorted((int(order[at]), int(order[at + 1])))
    return ClosestPair(first, second, float(gaps[at]))


def _closest_rows(rows: NDArray[np.float64]) -> ClosestPair:
    best = ClosestPair(0, 1, np.inf)
    for i in range(len(rows) - 1):
        distances = norms(rows[i + 1 :] - rows[i])
        at = int(np.argmin(distances))
        if distances[at] < best.gap:
            best = ClosestPair(i, i + 1 + at, float(distances[at]))
    return best


def _rows(x: ArrayLike) -> NDArray[np.float64]:
    """`x` as numbers or rows, infinities allowed, NaN not."""
    array = real_array(x, "x", infinite=True)
    if array.ndim not in (1, 2) or array.size == 0:
        raise ValueError(f"x must have shape (n,) or (n, d) and hold something, got shape {array.shape}")
    return array
