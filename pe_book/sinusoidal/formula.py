"""The sinusoidal encoding: frequencies, wavelengths, and the row of a position.

Reference: :cite:t:`vaswani2017`, section 3.5; the second ladder and the second layout are those of the
authors' own code, tensor2tensor (:cite:t:`vaswani2018tensor2tensor`).
"""

import numpy as np
from numpy.typing import ArrayLike

from pe_book.inputs.checking import (
    Ladder,
    Layout,
    base_above_one,
    even_width,
    finite_positions,
    known_ladder,
    known_layout,
    physical_memory,
    room_for,
)
from pe_book.inputs.pairs import join
from pe_book.inputs.pairs import permutation as permutation  # both have been imported from here
from pe_book.inputs.pairs import relayout as relayout
from pe_book.inputs.shapes import PerPair, Rows
from pe_book.numerics.angles import sines_and_cosines
from pe_book.numerics.chunks import bounded_width


def frequencies(d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper") -> PerPair:
    r"""The angle, in radians, by which each (sin, cos) pair turns from one token to the next.

    .. math:: \omega_i = \text{base}^{-2i/d_\text{model}}, \qquad i = 0, 1, \dots, d_\text{model}/2 - 1

    That is ``ladder="paper"``. ``ladder="tensor2tensor"`` is what the authors' released code computes,
    :math:`\omega_i = \text{base}^{-i/(d_\text{model}/2 - 1)}`: its last frequency is exactly 1/base.

    Parameters
    ----------
    d_model
        Width of the encoding: even, at least 2.
    base
        Greater than 1; the paper uses 10000.
    ladder
        ``"paper"`` or ``"tensor2tensor"``.

    Returns
    -------
    NDArray[np.float64]
        Shape (d_model/2,), in radians per token: the first is 1, and none is larger than the one before.

    Raises
    ------
    ValueError
        If `d_model` is odd, below 2 or too large for memory, `base` is not a number from above 1 to
        ``1e300``, or `ladder` is unknown.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.frequencies(4)
    array([1.  , 0.01])
    >>> pe.frequencies(4, ladder="tensor2tensor")
    array([1.e+00, 1.e-04])

    References
    ----------
    :cite:t:`vaswani2017`, section 3.5; :cite:t:`vaswani2018tensor2tensor`.

    See Also
    --------
    wavelengths : the same ladder, as tokens per turn.
    """
    pairs = even_width(d_model) // 2
    room_for(4 * 8 * pairs, "d_model", d_model)
    base = base_above_one(base)
    # With one pair the second ladder has no last rung to reach; tensor2tensor then divides by 1.
    rungs = pairs if known_ladder(ladder) == "paper" else max(pairs - 1, 1)
    return np.power(base, -np.arange(pairs) / rungs)


def wavelengths(d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper") -> PerPair:
    r"""The number of tokens after which each (sin, cos) pair has turned once.

    .. math:: \lambda_i = 2\pi / \omega_i = 2\pi \cdot \text{base}^{2i/d_\text{model}}

    Parameters
    ----------
    d_model, base, ladder
        As for :func:`frequencies`.

    Returns
    -------
    NDArray[np.float64]
        Shape (d_model/2,), in tokens. The first is 2π. Under the paper's ladder the last is
        2π·base^((d_model-2)/d_model), short of the 2π·base that the tensor2tensor ladder reaches.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.wavelengths(4).round(3)
    array([  6.283, 628.319])

    References
    ----------
    :cite:t:`vaswani2017`, section 3.5.

    See Also
    --------
    frequencies : the same ladder, as radians per token.
    """
    return 2 * np.pi / frequencies(d_model, base=base, ladder=ladder)


def encode(
    positions: ArrayLike,
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
) -> Rows:
    r"""The sinusoidal encoding of each position: one sine and one cosine for every frequency.

    .. math::

        \begin{aligned}
        PE_{(pos, 2i)} &= \sin(pos / 10000^{2i/d_\text{model}}) \\
        PE_{(pos, 2i+1)} &= \cos(pos / 10000^{2i/d_\text{model}})
        \end{aligned}

    (section 3.5, the two displayed equations, unnumbered there), with `base` for 10000.
    ``layout="interleaved"`` puts the pair i in columns (2i, 2i+1), as printed; ``layout="halves"`` puts it in
    columns (i, i + d_model/2), all sines before all cosines, as the authors' code does.

    Parameters
    ----------
    positions
        In tokens, counted from 0: any shape; real and negative positions are allowed, within ±2**53.
    d_model
        Width of the encoding: even, from 2 to ``2**20``.
    base
        Greater than 1; the paper uses 10000.
    layout
        ``"interleaved"`` or ``"halves"``.
    ladder
        ``"paper"`` or ``"tensor2tensor"``; see :func:`frequencies`.

    Returns
    -------
    NDArray[np.float64]
        Shape positions.shape + (d_model,), without unit, every entry in [-1, 1] and within ``1e-15`` of the
        exact value at every position; :func:`pe_book.numerics.angles.sines_and_cosines` has the errors.

    Raises
    ------
    ValueError, TypeError
        If a position is NaN, infinite, complex, boolean, text or beyond ±2**53, or `positions` is masked or a
        tensor that numpy cannot read; if `d_model` is odd, below 2 or above ``2**20``; if the result does not
        fit into memory; if `base` is not a number from above 1 to ``1e300``; if `layout` or `ladder` is
        unknown.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.encode(1, 6).round(4)
    array([0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.    ])
    >>> pe.encode([0, 1, 2], 6, layout="halves").shape
    (3, 6)

    References
    ----------
    :cite:t:`vaswani2017`, section 3.5.

    See Also
    --------
    pe_book.inputs.pairs.relayout : from one order of columns to the other.
    """
    checked, width = finite_positions(positions), bounded_width(d_model)
    base, layout, ladder = base_above_one(base), known_layout(layout), known_ladder(ladder)
    room_for(2 * 8 * checked.size * width, "positions", positions, most=physical_memory())
    # Of the angles checked[..., np.newaxis] * frequencies(width), as if no product were rounded.
    sines, cosines = sines_and_cosines(checked, width, base, ladder)
    return join(sines, cosines, layout)  # (..., d_model)
