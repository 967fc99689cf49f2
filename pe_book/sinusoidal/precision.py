r"""What rounding does to the table: how far off a table is, which roundings do harm, and what recipes lose.

Four things can be rounded on the way from a position to a row: the position, the frequency, their product
(the angle), and the finished sine or cosine. Each is rounded here on its own, or all of them, in float32,
float16 or bfloat16 (:cite:t:`kalamkar2019`).

Reference: :cite:t:`vaswani2017`, section 3.5, for the table; :cite:t:`goldberg1991` for the unit in the last
place.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.checking import (
    Ladder,
    Layout,
    base_above_one,
    finite_positions,
    known_ladder,
    known_layout,
    one_of,
    physical_memory,
    real_array,
    room_for,
    whole_start,
)
from pe_book.pairs import join
from pe_book.sinusoidal import computing
from pe_book.sinusoidal.angles import sines_and_cosines
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.phases import exact_entry, exact_frequencies
from pe_book.sinusoidal.pieces import bounded_width
from pe_book.sinusoidal.products import sines_and_cosines_of_products
from pe_book.why.rounding import FORMATS, known_format, round_to, spacing
from pe_book.wording import shown

STAGES = ("positions", "frequencies", "angles", "table")
RECIPES = ("exp", "power", "nearest")

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
    >>> from pe_book.sinusoidal.formula import encode
    >>> error(encode(range(100), 64).astype("float32")).misrounded
    0
    >>> error(encode(range(100), 64).astype("float16"), dtype="float32").misrounded
    6332
    >>> worst = error(encode(range(100), 64), start=1, dtype="float32")  # one position late
    >>> round(worst.largest, 4)
    0.9583

    See Also
    --------
    pe_book.sinusoidal.computing.table : the exact table, correctly rounded.
    """
    values = real_array(table, "table")
    if values.ndim != 2 or values.size == 0:
        raise ValueError(f"table must have shape (n, d_model) and hold something, got shape {values.shape}")
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
    slow = np.abs(positions)[:, np.newaxis] * frequencies(width, base=base, ladder=ladder) < _FIRST_TURN
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


def encode_rounded(
    positions: ArrayLike,
    d_model: int,
    *,
    rounded: str | Sequence[str],
    dtype: str,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
) -> NDArray[np.float64]:
    r"""The sinusoidal encoding with some of its four numbers rounded to a format, and all else in float64.

    .. math::

        \mathrm{table}\Bigl(\sin\bigl(\mathrm{angle}(\mathrm{position}(p) \cdot
        \mathrm{frequency}(\omega_i))\bigr)\Bigr)

    where each of the four words is the rounding of that stage, if it is named in `rounded`, or nothing.

    Parameters
    ----------
    positions
        In tokens: any shape, real, to ±2**53.
    d_model, base, layout, ladder
        As for :func:`pe_book.sinusoidal.formula.encode`.
    rounded
        One of ``"positions"``, ``"frequencies"``, ``"angles"`` and ``"table"``, or several of them.
    dtype
        ``"bfloat16"``, ``"float16"`` or ``"float32"``, or numpy's name for it. Each number is rounded once,
        straight from float64. An angle that is not rounded loses nothing, however far the position is.

    Returns
    -------
    NDArray[np.float64]
        Shape positions.shape + (d_model,). NaN where a position or an angle is beyond the largest number of
        the format, as for float16 above 65504: infinity has no sine.

    Examples
    --------
    >>> encode_rounded([256, 257], 2, rounded="positions", dtype="bfloat16").round(3)
    array([[-0.999, -0.04 ],
           [-0.999, -0.04 ]])
    >>> encode_rounded([256, 257], 2, rounded="table", dtype="bfloat16").round(3)
    array([[-1.   , -0.04 ],
           [-0.574,  0.82 ]])

    References
    ----------
    :cite:t:`vaswani2017`, section 3.5.
    """
    try:
        stages = [rounded] if isinstance(rounded, str) else list(rounded)
    except TypeError:
        stages = []
    if not stages:
        raise ValueError(f"rounded must name at least one of {', '.join(STAGES)}, got {shown(rounded)}")
    stages = [one_of(stage, STAGES, "rounded") for stage in stages]
    dtype, layout = known_format(dtype), known_layout(layout)
    width, base, ladder = bounded_width(d_model), base_above_one(base), known_ladder(ladder)
    checked = finite_positions(positions)
    _room_for_rows(checked, width)

    def kept(stage: str, x: NDArray[np.float64]) -> NDArray[np.float64]:
        return _round(x, dtype) if stage in stages else x

    places = kept("positions", checked)
    omega = kept("frequencies", frequencies(width, base=base, ladder=ladder))
    beyond = np.isinf(places)
    finite = np.where(beyond, 0, places)  # infinity has no sine
    if "angles" in stages:
        with np.errstate(invalid="ignore"):
            angles = kept("angles", finite[..., np.newaxis] * omega)
            sines, cosines = np.sin(angles), np.cos(angles)
    elif "frequencies" in stages:
        sines, cosines = sines_and_cosines_of_products(finite, omega)
    else:
        sines, cosines = sines_and_cosines(finite, width, base, ladder)
    sines[beyond], cosines[beyond] = np.nan, np.nan
    return join(kept("table", sines), kept("table", cosines), layout)


def recipe(
    positions: ArrayLike,
    d_model: int,
    *,
    frequencies_by: str = "exp",
    dtype: str = "float32",
    base: float = 10000.0,
) -> NDArray[np.float64]:
    r"""The table as common code computes it, every operation in one format, rounded once and correctly.

    .. math:: \omega_i = e^{2i \cdot (-\ln(\text{base})/d)} \quad\text{or}\quad
        \omega_i = 1 / \text{base}^{2i/d}

    then position times frequency, then sine and cosine. IEEE arithmetic rounds sums and products so; of an
    exponential or a sine it is the best a library can do. Real ones are a last digit worse here and there,
    and differ from one processor to the next.

    Parameters
    ----------
    positions
        In tokens: any shape, real, to ±2**53.
    d_model, base
        As for :func:`pe_book.sinusoidal.formula.encode`; no number of the recipe may overflow the format.
    frequencies_by
        ``"exp"``, the first form; ``"power"``, the second; ``"nearest"``, the number nearest to each exact
        frequency, as a stored constant would be.
    dtype
        ``"bfloat16"``, ``"float16"`` or ``"float32"``, or numpy's name for it.

    Returns
    -------
    NDArray[np.float64]
        Shape positions.shape + (d_model,), interleaved: numbers of the format. NaN where a position is beyond
        its end: infinity has no sine.

    Examples
    --------
    >>> table = recipe(range(4096), 512)
    >>> found = error(table, dtype="float32")
    >>> f"{found.misrounded / found.entries:.0%} wrong, by up to {found.largest:.0e}"
    '89% wrong, by up to 2e-04'

    References
    ----------
    :cite:t:`vaswani2017`, section 3.5, for what is computed.
    """
    omega = recipe_frequencies(d_model, frequencies_by=frequencies_by, dtype=dtype, base=base)
    checked = finite_positions(positions)
    _room_for_rows(checked, 2 * len(omega))
    with np.errstate(invalid="ignore"):
        places = _round(checked, dtype)[..., np.newaxis]
        angles = _round(places * omega, dtype)
        return join(_round(np.sin(angles), dtype), _round(np.cos(angles), dtype), "interleaved")


def recipe_frequencies(
    d_model: int, *, frequencies_by: str = "exp", dtype: str = "float32", base: float = 10000.0
) -> NDArray[np.float64]:
    r"""The frequencies of :func:`recipe`: every operation of their formula in one format, rounded once.

    .. math:: \omega_i = e^{2i \cdot (-\ln(\text{base})/d)} \quad\text{or}\quad
        \omega_i = 1 / \text{base}^{2i/d}

    Parameters
    ----------
    d_model, base
        As for :func:`pe_book.sinusoidal.formula.encode`; no number of the recipe may overflow the format.
    frequencies_by, dtype
        As for :func:`recipe`.

    Returns
    -------
    NDArray[np.float64]
        Shape (d_model/2,), in radians per token: numbers of the format.

    Raises
    ------
    ValueError
        If `d_model` or `base` overflows the format, which would make frequencies of 0 by way of infinity.

    Examples
    --------
    >>> off = recipe_frequencies(512) / frequencies(512) - 1
    >>> round(float(np.abs(off).max() * 2**24))  # in units of 2**-24, the most that one rounding costs
    9

    References
    ----------
    :cite:t:`vaswani2017`, section 3.5, for what is computed.
    """
    base, width, dtype = base_above_one(base), bounded_width(d_model), known_format(dtype)
    way = one_of(frequencies_by, RECIPES, "frequencies_by")

    def r(x: ArrayLike) -> NDArray[np.float64]:
        return _round(x, dtype)

    rounded: dict[str, dict[str, float]] = {
        "exp": {"d_model": width - 2},
        "power": {"d_model": width, "base": base},
        "nearest": {},
    }
    for name, value in rounded[way].items():
        if np.isinf(r(value)):
            end = f"within {FORMATS[dtype].largest:g}, the end of {dtype}"
            raise ValueError(f"{name} must keep every number of the recipe {way!r} {end}: got {value:g}")
    i2 = r(2 * np.arange(width // 2))
    if way == "exp":
        return r(np.exp(r(i2 * r(-np.log(base) / width))))
    if way == "power":
        return r(1 / r(r(base) ** r(i2 / r(width))))
    return r(frequencies(width, base=base))


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
    pe_book.why.rounding.collisions : the first equal rows of any table, and how many differ.
    """
    last: int = 2 ** FORMATS[known_format(dtype)].significant_bits
    return last, last + 1


def _room_for_rows(positions: NDArray[np.float64], width: int) -> None:
    needed = 5 * 8 * positions.size * width  # the rows, and what they are rounded from
    room_for(needed, "the result of positions and d_model", (*positions.shape, width), most=physical_memory())


def _round(x: ArrayLike, dtype: str) -> NDArray[np.float64]:
    """As :func:`~pe_book.why.rounding.round_to`; infinity and NaN stay what they are, as in hardware."""
    array = np.asarray(x, dtype=np.float64)
    if dtype != "bfloat16":  # numpy has the other two, and is faster
        with np.errstate(over="ignore"):
            return array.astype(dtype).astype(np.float64)
    finite = np.isfinite(array)
    return np.where(finite, round_to(np.where(finite, array, 0), dtype), array)
