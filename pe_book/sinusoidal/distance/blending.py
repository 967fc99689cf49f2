"""Between two positions: the straight blend of two rows, which is no row of the encoding."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import (
    Ladder,
    Layout,
    base_above_one,
    finite_positions,
    known_ladder,
    physical_memory,
    real_number,
    room_for,
)
from pe_book.inputs.shapes import Rows
from pe_book.numerics.angles import sines_and_cosines
from pe_book.numerics.chunks import bounded_width
from pe_book.sinusoidal.formula import encode


class Blend(NamedTuple):
    """What a straight blend makes of each pair: its length (1 is right) and its error of angle in radians."""

    length: NDArray[np.float64]
    turn: NDArray[np.float64]


def blend(
    first: ArrayLike,
    second: ArrayLike,
    fraction: float,
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
) -> Rows:
    r"""The straight blend of the encodings of two positions. It is not the encoding of a position between.

    .. math:: (1 - \alpha)\, PE(p) + \alpha\, PE(q)

    For that, give :math:`(1 - \alpha) p + \alpha q` to :func:`~pe_book.sinusoidal.formula.encode`.

    Parameters
    ----------
    first, second
        p and q, positions in tokens: any shapes that broadcast; real and negative positions are allowed.
    fraction
        α, in [0, 1]: 0 gives the encoding of `first`, 1 that of `second`.
    d_model, base, layout, ladder
        As for :func:`~pe_book.sinusoidal.formula.encode`.

    Returns
    -------
    NDArray[np.float64]
        The broadcast shape of the positions, followed by d_model; without unit, shorter than an encoding.

    Examples
    --------
    >>> blend(1, 2, 0.5, 2).round(4), encode(1.5, 2).round(4)
    (array([0.8754, 0.0621]), array([0.9975, 0.0707]))

    See Also
    --------
    blend_pairs : what goes wrong, pair by pair.
    """
    alpha, width = _fraction(fraction), bounded_width(d_model)
    ends = finite_positions(first, "first"), finite_positions(second, "second")
    try:
        shape = np.broadcast_shapes(ends[0].shape, ends[1].shape)
    except ValueError:
        shapes = f"{ends[0].shape} and {ends[1].shape}"
        raise ValueError(f"first and second must have shapes that broadcast, got {shapes}") from None
    needed = 4 * 8 * math.prod(shape) * width  # the result, and what is added up in it
    room_for(needed, "the result of first and second", (*shape, width), most=physical_memory())
    p, q = (encode(x, width, base=base, layout=layout, ladder=ladder) for x in ends)
    return np.asarray((1 - alpha) * p + alpha * q, dtype=np.float64)


def blend_pairs(
    offset: float, fraction: float, d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper"
) -> Blend:
    r"""What the straight blend of two positions `offset` tokens apart makes of each pair.

    A point of the chord of angle :math:`\theta_i = k\omega_i` instead of a point of the arc:

    .. math::

        u_i = \cos\tfrac{\theta_i}{2}, \quad
        v_i = (2\alpha - 1) \sin\tfrac{\theta_i}{2}, \qquad
        \text{length}_i = \sqrt{u_i^2 + v_i^2}, \quad
        \text{turn}_i = \operatorname{atan2}(v_i, u_i) - \left(\alpha - \tfrac12\right) \theta_i

    with :math:`u_i` along and :math:`v_i` across the hand of the position in the middle.

    Parameters
    ----------
    offset
        k, second position minus first, in tokens: one real number, of any sign, to ±2**53. Far out a turn is
        as exact as the float64 :math:`(\alpha - 1/2) k`.
    fraction
        α, in [0, 1].
    d_model, base, ladder
        As for :func:`~pe_book.sinusoidal.formula.encode`.

    Returns
    -------
    Blend
        Two arrays of shape (d_model/2,). The length is in [0, 1]; the turn is the angle of the blended pair
        minus that of the encoding at the fractional position, in (-π, π] radians. A pair of length 0 points
        nowhere: its turn means nothing.

    Examples
    --------
    >>> blend_pairs(1, 0.5, 4).length.round(4)
    array([0.8776, 1.    ])

    See Also
    --------
    blend : the rows themselves.
    """
    alpha = _fraction(fraction)
    k = finite_positions(real_number(offset, "offset"), "offset")
    ladder_of = bounded_width(d_model), base_above_one(base), known_ladder(ladder)
    across, along = sines_and_cosines(k / 2, *ladder_of)
    across = (2 * alpha - 1) * across
    sin, cos = sines_and_cosines((alpha - 0.5) * k, *ladder_of)  # where the encoding between stands
    turn = np.arctan2(across * cos - along * sin + 0.0, along * cos + across * sin)
    return Blend(np.hypot(along, across), turn)


def _fraction(value: float) -> float:
    alpha = real_number(value, "fraction")
    if not 0 <= alpha <= 1:
        where = "0 is the first position and 1 the second"
        raise ValueError(f"fraction must lie between 0 and 1 ({where}), got {alpha:g}")
    return alpha
