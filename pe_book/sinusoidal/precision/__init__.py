r"""How far off a table is, and from where on a format cannot tell whole positions apart.

Which roundings on the way do harm, and what common recipes lose, is in
:mod:`pe_book.sinusoidal.precision.recipes`.

Reference: :cite:t:`goldberg1991` for the unit in the last place.
"""

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pe_book.inputs.checking import Ladder, Layout, known_layout, real_array, whole_start
from pe_book.inputs.pairs import join
from pe_book.numerics.chunks import bounded_width
from pe_book.numerics.exact import exact_entry, exact_frequencies
from pe_book.numerics.rounding import FORMATS, known_format, spacing
from pe_book.sinusoidal import computing
from pe_book.sinusoidal.formula import encode, frequencies

_ULPS_WITHIN = 1e-3  # what float64 cannot judge so finely is judged in multiple precision
_FIRST_TURN = 2.0**-9  # radians: the sine of a smaller angle is known to a part of itself
_RELATIVE = 1e-15  # that part


class Error(NamedTuple):
    """How far a table is from the exact one."""

    ulps: float  # the worst error, in units in the last place of the exact value
    misrounded: int  # entries that are not the nearest number of the format
    entries: int
    largest: float  # the worst error, absolute


def error(
    table: ArrayLike,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
    start: int = 0,
    dtype: str | None = None,
) -> Error:
    r"""The error of a table: in units in the last place, as a number of wrong entries, and absolute.

    One unit in the last place of an exact value v is the distance between neighbouring numbers of the format
    there, :math:`2^{e-s+1}` for :math:`2^e \le |v| < 2^{e+1}` and s significant bits. A correctly rounded
    entry is off by half a unit at most. Near a zero of a sine the unit is tiny, and the same absolute error
    is very many units.

    Parameters
    ----------
    table
        Shape (n, d_model): the candidate. Row r is taken for the encoding of position start + r.
    base, layout, ladder
        What the candidate ought to be; see :func:`pe_book.sinusoidal.formula.encode`.
    start
        The position of the first row, in tokens; whole.
    dtype
        The format to judge it in: ``"float32"``, ``"float16"`` or ``"bfloat16"``, or numpy's name for it. If
        None, the dtype of `table`. An entry that is not a number of that format counts as misrounded.

    Returns
    -------
    Error
        `ulps`, right to a thousandth of a unit; `misrounded`, counted exactly; `entries`; `largest`.

    Raises
    ------
    ValueError
        If `dtype` is None and `table` has a dtype that is none of the three.

    Examples
    --------
    >>> import pe_book as pe
    >>> from pe_book.sinusoidal.formula import encode
    >>> pe.error(pe.encode(range(100), 64).astype("float32")).misrounded
    0
    >>> pe.error(pe.encode(range(100), 64).astype("float16"), dtype="float32").misrounded
    6332
    >>> worst = pe.error(pe.encode(range(100), 64), start=1, dtype="float32")  # one position late
    >>> round(worst.largest, 4)
    0.9583

    See Also
    --------
    pe_book.sinusoidal.computing.table : the exact table, correctly rounded.
    """
    values = real_array(table, "table")
    if values.ndim != 2 or values.size == 0 or values.shape[1] % 2:
        shape = "shape (n, d_model) with an even d_model, n at least 1"
        raise ValueError(f"table must have {shape}, got shape {values.shape}")
    if dtype is None:
        dtype = np.asarray(table).dtype.name
        if dtype not in FORMATS:
            raise ValueError(f"dtype must be given for a table of {dtype}: one of {', '.join(FORMATS)}")
    rounding, start = known_format(dtype), whole_start(start, least=-(2**53), most=2**53)
    width = bounded_width(values.shape[1])
    asked: dict[str, Any] = {"base": base, "layout": layout, "ladder": ladder}
    holder = np.empty(values.shape, "float16" if rounding == "float16" else "float32")
    nearest = computing.write(holder, rounding=rounding, start=start, **asked)
    positions = np.arange(start, start + len(values))
    exact = encode(positions, width, **asked)
    with np.errstate(over="ignore"):  # a table may be as wrong as it likes
        off, unit = np.abs(values - exact), spacing(exact, rounding)
    numbers = np.arange(width // 2)
    pair = join(numbers, numbers, known_layout(layout))  # of each column
    is_cosine = join(numbers < 0, numbers >= 0, layout)
    turned = np.abs(positions)[:, np.newaxis] * frequencies(width, base=base, ladder=ladder)
    slow = turned < _FIRST_TURN  # (n, d_model/2)
    is_tiny = slow[:, pair] & ~is_cosine
    within = np.where(is_tiny, _RELATIVE * np.abs(exact), computing.ERROR_BOUND)
    doubtful = (off > 0) & (_ULPS_WITHIN * unit < within)
    omegas = exact_frequencies(width, base=base, ladder=ladder) if doubtful.any() else ()
    for row, column in np.argwhere(doubtful).tolist():
        omega = omegas[pair[column]]
        precise = exact_entry(Fraction(start + row), omega, cosine=bool(is_cosine[column]))
        off[row, column] = float(abs(precise - float(values[row, column])))
        unit[row, column] = spacing(float(precise), rounding)
    misrounded = int(np.count_nonzero(values != nearest))
    with np.errstate(over="ignore"):
        worst = float((off / unit).max())
    if math.isinf(worst):
        raise ValueError(
            f"table is too large, got {np.abs(values).max():g}: off by more units than float64 counts"
        )
    return Error(worst, misrounded, values.size, float(off.max()))


def first_collision(dtype: str) -> tuple[int, int]:
    r"""The first two whole positions that a format rounds to one number.

    .. math:: \bigl(2^s, \; 2^s + 1\bigr)

    for s significant bits: up to :math:`2^s` every whole number fits, and the next lies halfway between two
    that do.

    Parameters
    ----------
    dtype
        ``"bfloat16"``, ``"float16"`` or ``"float32"``.

    Returns
    -------
    tuple of int
        In tokens.

    Examples
    --------
    >>> [first_collision(dtype) for dtype in ("bfloat16", "float16", "float32")]
    [(256, 257), (2048, 2049), (16777216, 16777217)]

    See Also
    --------
    pe_book.numerics.rounding.collisions : the first equal rows of any table, and how many differ.
    """
    last: int = 2 ** FORMATS[known_format(dtype)].significant_bits
    return last, last + 1
