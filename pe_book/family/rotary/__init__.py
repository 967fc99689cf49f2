r"""Rotary encoding: queries and keys are turned by their positions, and scores know the difference only.

Which columns are turned (the slice), which two of them form a pair (the layout), and which width stands in
the exponent of the frequencies are three choices. Code differs in each, and weights trained with one choice
compute something else with another. Several axes, as of an image, are in :mod:`pe_book.family.rotary.axes`.

Reference: :cite:t:`su2021`, section 3.2.
"""

import math
from typing import Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import (
    Ladder,
    Layout,
    base_above_one,
    even_width,
    finite_positions,
    finite_result,
    known_ladder,
    known_layout,
    one_of,
    physical_memory,
    real_array,
    room_for,
    within_reach,
)
from pe_book.inputs.pairs import join, split
from pe_book.inputs.shapes import Pairs, PerPair, Rows
from pe_book.inputs.wording import shown
from pe_book.numerics.angles import sines_and_cosines
from pe_book.numerics.chunks import WIDEST
from pe_book.sinusoidal.formula import frequencies as ladder_of

Side = Literal["first", "last"]
SIDES = ("first", "last")


def rotate(
    x: ArrayLike,
    positions: ArrayLike,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
    rotary_dim: int | None = None,
    side: Side = "first",
    frequencies: ArrayLike | None = None,
) -> Rows:
    r"""Queries or keys, each pair of columns turned anticlockwise by its position times its frequency.

    .. math::

        \begin{aligned}
        a' &= a \cos(m\omega_i) - b \sin(m\omega_i) \\
        b' &= a \sin(m\omega_i) + b \cos(m\omega_i)
        \end{aligned}

    for the pair :math:`(a, b)` number i of a row at position m (equations 14 and 15 of the source). The score
    of a turned query and a turned key depends on their positions through the difference alone.

    Parameters
    ----------
    x
        Shape (..., d): queries or keys of one head or of many, positions along the axis before the last.
    positions
        In tokens: real, of any sign, up to 2**53; broadcast against the shape of `x` without its last axis.
        For x of shape (h, n, d) that is one position for each of the n rows, or ``[100]`` for a cached step.
    base, ladder
        Of the frequencies, as for :func:`~pe_book.sinusoidal.formula.frequencies`, whose width is
        `rotary_dim`.
    layout
        ``"interleaved"``: pair i is in columns (2i, 2i+1) of the slice, as in the source.
        ``"halves"``: in columns (i, i + rotary_dim/2), as in most code.
    rotary_dim
        The width of the slice that is turned: even, at most d. All of d if not given.
    side
        Whether the slice is the ``"first"`` `rotary_dim` columns or the ``"last"``.
    frequencies
        Shape (rotary_dim/2,), radians per token, instead of those of `base` and `ladder`: what
        context extension makes, or 0 for a pair that is not turned.

    Returns
    -------
    NDArray[np.float64]
        The shape of `x` (broadcast with that of `positions`); every pair keeps its length. Without
        `frequencies` the sines and cosines are within ``1e-15`` at every position. With them an angle is one
        product in float64, off by ``1.1e-16`` of itself.

    Raises
    ------
    ValueError
        If a width is odd or too large, shapes do not fit, both `frequencies` and another `base` or `ladder`
        are given, or the result does not fit in float64.

    Examples
    --------
    A quarter turn of the first pair, in both layouts:

    >>> import pe_book as pe
    >>> pe.rotate([1, 2, 3, 4], 1, frequencies=[np.pi / 2, 0]).round(9)
    array([-2.,  1.,  3.,  4.])
    >>> pe.rotate([1, 2, 3, 4], 1, frequencies=[np.pi / 2, 0], layout="halves").round(9)
    array([-3.,  2.,  1.,  4.])

    References
    ----------
    :cite:t:`su2021`, section 3.2.2 and 3.4.2.

    See Also
    --------
    rotate_back : the inverse.
    pe_book.sinusoidal.shift.shift : the same map with k = -m, on rows of the sinusoidal table.
    """
    rows = real_array(x, "x")
    if rows.ndim == 0:
        raise ValueError(f"x must have a last axis of dimensions, got the single number {float(rows)}")
    width, side = slice_of(rows.shape[-1], rotary_dim, side)
    where = finite_positions(positions, "positions")
    layout = known_layout(layout)
    rows = _spread(rows, where.shape, "positions", where.shape)  # (..., d)
    sin, cos = _turns(where, width, base, ladder, frequencies)
    turned = slice(width) if side == "first" else slice(rows.shape[-1] - width, None)
    a, b = split(rows[..., turned], layout)
    result = rows.copy()
    with np.errstate(over="ignore"):
        result[..., turned] = join(a * cos - b * sin, a * sin + b * cos, layout)
    return finite_result(result, "x", "a pair turned by its angle", given=rows)


def rotate_back(
    x: ArrayLike,
    positions: ArrayLike,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
    rotary_dim: int | None = None,
    side: Side = "first",
    frequencies: ArrayLike | None = None,
) -> Rows:
    """The inverse of :func:`rotate`: each pair turned clockwise by its position times its frequency.

    Attention over values that were turned like keys returns a sum of turned vectors; turned back by the
    position of the query, it is a sum of values turned by their *relative* position. Arguments and result are
    as for :func:`rotate`.

    Examples
    --------
    >>> rotate_back(rotate([1, 2, 3, 4], 7), 7).round(9)
    array([1., 2., 3., 4.])

    See Also
    --------
    rotate : the way there.
    """
    return rotate(
        x, -finite_positions(positions, "positions"), base=base, layout=layout, ladder=ladder,
        rotary_dim=rotary_dim, side=side, frequencies=frequencies,
    )  # fmt: skip


def proportional_frequencies(head_dim: int, rotary_dim: int, *, base: float = 10000.0) -> PerPair:
    r"""The frequencies of p-RoPE: the ladder of the whole head, and 0 below its first rotary_dim/2 rungs.

    .. math::

        \omega_i = \text{base}^{-2i/d_\text{head}} \quad (i < d_\text{rot}/2), \qquad \omega_i = 0 \quad
        \text{(the others)}

    Pairs are those of the whole head, so a pair that does not turn still spans it: under
    ``layout="halves"`` column i and column i + head_dim/2. Partial rotary of a slice is
    ``rotate(x, m, rotary_dim=...)`` instead: the width in the exponent is that of the slice, and so are the
    pairs. Of two pairs with one number they share the first alone.

    Parameters
    ----------
    head_dim
        Width of the head: even, at least 2.
    rotary_dim
        How many columns turn: even, at most `head_dim`.
    base
        As for :func:`~pe_book.sinusoidal.formula.frequencies`.

    Returns
    -------
    NDArray[np.float64]
        Shape (head_dim/2,), radians per token.

    Examples
    --------
    >>> proportional_frequencies(8, 4)
    array([1. , 0.1, 0. , 0. ])

    References
    ----------
    :cite:t:`barbero2024`.
    """
    head = head_width(head_dim, "head_dim")
    width, _ = slice_of(head, rotary_dim, "first")
    return np.where(np.arange(head // 2) < width // 2, ladder_of(head, base=base), 0.0)


def slice_of(d: int, rotary_dim: int | None, side: object) -> tuple[int, Side]:
    """The width of the slice that is turned and its side, checked against the width of the head."""
    if rotary_dim is None:
        return head_width(d, "the length of x along its last axis"), known_side(side)
    width = head_width(rotary_dim, "rotary_dim")
    if width > d:
        raise ValueError(f"rotary_dim must be at most the width of the head, {d}, got {width}")
    return width, known_side(side)


def head_width(value: object, name: str) -> int:
    """The width of a head or of a slice of it: even, and such that its frequencies can be computed."""
    width = even_width(value, name)
    if width > WIDEST:
        raise ValueError(f"{name} must be at most {WIDEST}, got {shown(value)}")
    return width


def known_side(value: object) -> Side:
    """`value`, refused unless it is ``"first"`` or ``"last"``."""
    return cast(Side, one_of(value, SIDES, "side"))


def given_frequencies(values: ArrayLike, pairs: int, base: float, ladder: Ladder) -> PerPair:
    """Frequencies that take the place of those of base and ladder, which then have to be the defaults."""
    if (base, ladder) != (10000.0, "paper"):
        raise ValueError(f"frequencies must stand alone, got base={base:g} and ladder={ladder!r} beside them")
    omega = real_array(values, "frequencies")
    if omega.shape != (pairs,):
        raise ValueError(f"frequencies must have shape ({pairs},), one for each pair, got {omega.shape}")
    return within_reach(omega, "frequencies")


def _spread(rows: Rows, lead: tuple[int, ...], name: str, given: tuple[int, ...]) -> Rows:
    """Rows broadcast beside places of some leading axes, refused where they do not fit or have no room."""
    try:
        shape = (*np.broadcast_shapes(rows.shape[:-1], lead), rows.shape[-1])
    except ValueError:
        axes = f"the shape of x without its last axis, {rows.shape[:-1]}"
        raise ValueError(f"{name} must broadcast against {axes}, got shape {given}") from None
    room_for(4 * 8 * math.prod(shape), f"the result of x and {name}", shape, most=physical_memory())
    return np.broadcast_to(rows, shape)


def _turns(
    positions: NDArray[np.float64], width: int, base: float, ladder: Ladder, frequencies: ArrayLike | None
) -> tuple[Pairs, Pairs]:
    """Sine and cosine of every position times every frequency; those of -m to the last bit those of m."""
    base, ladder = base_above_one(base), known_ladder(ladder)
    if frequencies is None:
        sin, cos = sines_and_cosines(np.abs(positions), width, base, ladder)
        return np.sign(positions)[..., np.newaxis] * sin, cos  # (..., rotary_dim/2)
    omega = given_frequencies(frequencies, width // 2, base, ladder)
    angles = positions[..., np.newaxis] * omega  # (..., rotary_dim/2)
    return np.sin(angles), np.cos(angles)
