"""Frequencies too fast for whole positions, and the encoding that a wrong sign in the exponent makes."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import finite_positions, physical_memory, real_array, room_for
from pe_book.inputs.pairs import join
from pe_book.inputs.shapes import Rows
from pe_book.numerics.chunks import bounded_width
from pe_book.sinusoidal.formula import frequencies

_FASTEST = 1e8  # a float64 of this size is spaced by 1.5e-8


def alias(frequencies: ArrayLike) -> NDArray[np.float64]:
    r"""The slowest frequency that no whole position tells from the given one: its alias.

    .. math:: \omega - 2\pi \operatorname{round}(\omega / 2\pi) \in [-\pi, \pi]

    At a whole position p the two angles differ by whole turns. A negative alias turns backwards.

    Parameters
    ----------
    frequencies
        In radians per token: any shape.

    Returns
    -------
    NDArray[np.float64]
        The shape of `frequencies`, in radians per token.

    Raises
    ------
    ValueError
        If a frequency is above 10⁸, where float64 blurs its alias.

    Examples
    --------
    >>> alias([1, 10, 100, 1000]).round(4)
    array([ 1.    , -2.5664, -0.531 ,  0.9735])
    """
    given = real_array(frequencies, "frequencies")
    if (largest := float(np.abs(given).max(initial=0))) > _FASTEST:
        limit = f"frequencies must lie within ±{_FASTEST:g}, where float64 knows the alias to 8 decimals"
        raise ValueError(f"{limit}: got {largest:g}")
    return np.asarray(given - 2 * np.pi * np.round(given / (2 * np.pi)), dtype=np.float64)


def multiplied(positions: ArrayLike, d_model: int, *, base: float = 10000.0) -> Rows:
    r"""A mistake, to be studied: the encoding with the product in place of the quotient.

    .. math:: \sin(p \cdot 10000^{2i/d}), \quad \cos(p \cdot 10000^{2i/d})

    Parameters
    ----------
    positions
        In tokens: any shape. At whole positions each frequency is seen as its :func:`alias`. No position
        times a frequency may be above 10⁸ radians, where float64 knows the angle to 7 decimals.
    d_model
        Width of the encoding: even, at least 2.
    base
        Greater than 1; the paper uses 10000.

    Returns
    -------
    NDArray[np.float64]
        The shape of `positions` with d_model at its end, without unit, in the interleaved order of columns.

    Examples
    --------
    >>> multiplied([0, 1], 4).round(4)
    array([[ 0.    ,  1.    ,  0.    ,  1.    ],
           [ 0.8415,  0.5403, -0.5064,  0.8623]])

    See Also
    --------
    alias : how fast its hands are seen to turn.
    """
    checked, width = finite_positions(positions), bounded_width(d_model)
    rates = frequencies(width, base=base)
    farthest, allowed = float(np.abs(checked).max(initial=0)), _FASTEST * float(rates[-1])
    if farthest > allowed:
        limit = f"so that no angle is above {_FASTEST:g}, where float64 knows it to 7 decimals"
        raise ValueError(f"positions must lie within ±{allowed:g}, {limit}: got {farthest:g}")
    needed = 3 * 8 * checked.size * width  # the result, and the angles, sines and cosines on the way
    room_for(needed, "the result of positions and d_model", (*checked.shape, width), most=physical_memory())
    angles = checked[..., np.newaxis] / rates  # (..., d_model/2)
    return join(np.sin(angles), np.cos(angles), "interleaved")
