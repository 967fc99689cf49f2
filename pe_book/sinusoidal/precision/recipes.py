r"""The table with some of its numbers rounded, and as common code computes it.

Four things can be rounded on the way from a position to a row: the position, the frequency, their product
(the angle), and the finished sine or cosine. Each is rounded here on its own, or all of them, in float32,
float16 or bfloat16 (:cite:t:`kalamkar2019`).

Reference: :cite:t:`vaswani2017`, section 3.5, for the table.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import (
    Ladder,
    Layout,
    base_above_one,
    finite_positions,
    known_ladder,
    known_layout,
    one_of,
    physical_memory,
    room_for,
)
from pe_book.inputs.pairs import join
from pe_book.inputs.shapes import PerPair, Rows
from pe_book.inputs.wording import shown
from pe_book.numerics.angles import sines_and_cosines
from pe_book.numerics.chunks import bounded_width
from pe_book.numerics.products import sines_and_cosines_of_products
from pe_book.numerics.rounding import FORMATS, known_format, round_to
from pe_book.sinusoidal.formula import frequencies

STAGES = ("positions", "frequencies", "angles", "table")
RECIPES = ("exp", "power", "nearest")


def encode_rounded(
    positions: ArrayLike,
    d_model: int,
    *,
    rounded: str | Sequence[str],
    dtype: str,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
) -> Rows:
    r"""The sinusoidal encoding with some of its four numbers rounded to a format, and all else in float64.

    .. math::

        \mathrm{table}\Bigl(\sin\bigl(\mathrm{angle}(\mathrm{position}(p) \allowbreak \cdot
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

    rounded_positions = kept("positions", checked)
    omega = kept("frequencies", frequencies(width, base=base, ladder=ladder))
    beyond = np.isinf(rounded_positions)
    finite = np.where(beyond, 0, rounded_positions)  # infinity has no sine
    if "angles" in stages:
        with np.errstate(invalid="ignore"):
            angles = kept("angles", finite[..., np.newaxis] * omega)  # (..., d_model/2)
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
) -> Rows:
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
    >>> from pe_book.sinusoidal.precision import error
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
        column = _round(checked, dtype)[..., np.newaxis]  # (..., 1)
        angles = _round(column * omega, dtype)
        return join(_round(np.sin(angles), dtype), _round(np.cos(angles), dtype), "interleaved")


def recipe_frequencies(
    d_model: int, *, frequencies_by: str = "exp", dtype: str = "float32", base: float = 10000.0
) -> PerPair:
    """The frequencies of :func:`recipe`: every operation of their formula, shown there, rounded once.

    Parameters
    ----------
    d_model, frequencies_by, dtype, base
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


def _room_for_rows(positions: NDArray[np.float64], width: int) -> None:
    needed = 5 * 8 * positions.size * width  # the rows, and what they are rounded from
    room_for(needed, "the result of positions and d_model", (*positions.shape, width), most=physical_memory())


def _round(x: ArrayLike, dtype: str) -> NDArray[np.float64]:
    """As :func:`~pe_book.numerics.rounding.round_to`; infinity and NaN stay what they are, as in hardware."""
    array = np.asarray(x, dtype=np.float64)
    if dtype != "bfloat16":  # numpy has the other two, and is faster
        with np.errstate(over="ignore"):
            return array.astype(dtype).astype(np.float64)
    finite = np.isfinite(array)
    return np.where(finite, round_to(np.where(finite, array, 0), dtype), array)
