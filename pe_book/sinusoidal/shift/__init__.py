"""The shift theorem: one fixed rotation moves every row of the sinusoidal table by k tokens.

What least squares and gradient descent find in its place is in :mod:`pe_book.sinusoidal.shift.fitting`, the
way from any rotation to its frequencies in :mod:`pe_book.sinusoidal.shift.planes`.

Reference: the property is stated in :cite:t:`vaswani2017`, section 3.5, without the matrix.
"""

import math

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
    physical_memory,
    real_array,
    real_number,
    room_for,
)
from pe_book.inputs.pairs import join, split
from pe_book.inputs.shapes import Matrix, Pairs, Rows
from pe_book.numerics.angles import sines_and_cosines
from pe_book.numerics.chunks import bounded_width, width_of_a_matrix
from pe_book.sinusoidal.formula import frequencies


def shift(
    x: ArrayLike,
    k: ArrayLike,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
) -> Rows:
    r"""The rows of `x` moved by `k` tokens: every (sin, cos) pair turned by its own angle.

    .. math::

        \begin{aligned}
        \sin' &= \phantom{-}\sin \cdot \cos(k\omega_i) + \cos \cdot \sin(k\omega_i) \\
        \cos' &= -\sin \cdot \sin(k\omega_i) + \cos \cdot \cos(k\omega_i)
        \end{aligned}

    If a row of `x` is the encoding of p, the row that comes back is the encoding of p + k. It equals
    ``x @ shift_matrix(k, d_model).T``, in 2 multiplications an entry instead of d_model.

    Parameters
    ----------
    x
        Shape (..., d_model): rows of a table, or any vectors whose last axis holds (sin, cos) pairs.
    k
        The offset in tokens: real, of any sign, up to 2**53. An array is broadcast against the shape of `x`
        without its last axis.
    base, layout, ladder
        As the rows were made; see :func:`~pe_book.sinusoidal.formula.encode`.

    Returns
    -------
    NDArray[np.float64]
        The shape of `x` (broadcast with that of `k`), without unit; every row keeps its length. An entry is
        within ``2e-15`` of the exact one, times the length of its pair, however large `k` is.

    Raises
    ------
    ValueError
        If the last axis of `x` has odd length, the shapes do not fit or make more than memory holds, or the
        result does not fit in float64.

    Examples
    --------
    >>> import pe_book as pe
    >>> from pe_book.sinusoidal.formula import encode
    >>> bool(np.allclose(pe.shift(pe.encode([3, 4], 6), 10), pe.encode([13, 14], 6)))
    True

    References
    ----------
    :cite:t:`vaswani2017`, section 3.5.

    See Also
    --------
    shift_matrix : the same map, as a matrix for column vectors.
    """
    rows = real_array(x, "x")
    if rows.ndim == 0:
        raise ValueError(f"x must have a last axis of dimensions, got the single number {float(rows)}")
    width = bounded_width(even_width(rows.shape[-1], "the length of x along its last axis"))
    offsets = finite_positions(k, "k")
    layout = known_layout(layout)
    try:
        shape = np.broadcast_shapes(rows.shape[:-1], offsets.shape)
    except ValueError:
        axes = f"the shape of x without its last axis, {rows.shape[:-1]}"
        raise ValueError(f"k must broadcast against {axes}, got shape {offsets.shape}") from None
    needed = 4 * 8 * math.prod(shape) * width  # the result, and the products that are added up in it
    room_for(needed, "the result of x and k", (*shape, width), most=physical_memory())
    sin, cos = _turn(offsets, width, base, ladder)
    s, c = split(rows, layout)  # (..., d_model/2)
    with np.errstate(over="ignore"):
        result = join(s * cos + c * sin, c * cos - s * sin, layout)  # (..., d_model)
    return finite_result(result, "x", "a pair turned by its angle", given=rows)


def shift_matrix(
    k: float,
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
) -> Matrix:
    r"""The matrix T_k that takes the encoding of p, as a column vector, to that of p + k, whatever p is.

    .. math::

        T_k = \operatorname{diag}(R_0, \dots, R_{d/2-1}), \qquad
        R_i = \begin{pmatrix} \cos k\omega_i & \sin k\omega_i \\
        -\sin k\omega_i & \cos k\omega_i \end{pmatrix}

    It is orthogonal, so :math:`T_k^{-1} = T_k^\top = T_{-k}`. A table stores encodings as rows: use
    ``rows @ shift_matrix(k, d_model).T``. Without the transpose, rows move *back* by k.

    Parameters
    ----------
    k
        The offset in tokens: one real number, of any sign, up to 2**53.
    d_model, base, layout, ladder
        As for :func:`~pe_book.sinusoidal.formula.encode`. With ``layout="halves"`` the blocks lie spread out:
        pair i fills rows and columns i and i + d_model/2.

    Returns
    -------
    NDArray[np.float64]
        Shape (d_model, d_model), without unit; every entry within ``1e-15``, however large `k` is.

    Raises
    ------
    ValueError
        If a matrix of that width does not fit in memory.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.shift_matrix(1, 2).round(4)
    array([[ 0.5403,  0.8415],
           [-0.8415,  0.5403]])

    References
    ----------
    :cite:t:`vaswani2017`, section 3.5, states that the matrix exists.

    See Also
    --------
    shift : the same map on rows, without building the matrix.
    generator : the matrix A with exp(k A) = T_k.
    """
    offset = finite_positions(real_number(k, "k"), "k")
    sin, cos = _turn(offset, width_of_a_matrix(d_model), base, ladder)
    return _pair_blocks(cos, sin, layout)


def generator(
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
) -> Matrix:
    r"""The velocity of the encoding: the skew-symmetric matrix A with dPE/dp = A PE(p) and exp(kA) = T_k.

    .. math:: A = \operatorname{diag}(A_0, \dots, A_{d/2-1}), \qquad
        A_i = \begin{pmatrix} 0 & \omega_i \\ -\omega_i & 0 \end{pmatrix}

    Parameters
    ----------
    d_model, base, layout, ladder
        As for :func:`~pe_book.sinusoidal.formula.encode`.

    Returns
    -------
    NDArray[np.float64]
        Shape (d_model, d_model), radians per token.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.generator(4)
    array([[ 0.  ,  1.  ,  0.  ,  0.  ],
           [-1.  ,  0.  ,  0.  ,  0.  ],
           [ 0.  ,  0.  ,  0.  ,  0.01],
           [ 0.  ,  0.  , -0.01,  0.  ]])

    See Also
    --------
    shift_matrix : its exponential.
    pe_book.sinusoidal.shift.planes.rotation_planes : the way back, from a skew-symmetric matrix.
    """
    omega = frequencies(width_of_a_matrix(d_model), base=base, ladder=ladder)
    return _pair_blocks(np.zeros_like(omega), omega, layout)


def _turn(offsets: NDArray[np.float64], width: int, base: float, ladder: Ladder) -> tuple[Pairs, Pairs]:
    """Sine and cosine of every offset times every frequency; of -k to the last bit those of k mirrored."""
    sin, cos = sines_and_cosines(np.abs(offsets), width, base_above_one(base), known_ladder(ladder))
    return np.sign(offsets)[..., np.newaxis] * sin, cos  # (..., d_model/2)


def _pair_blocks(diagonal: NDArray[np.float64], off: NDArray[np.float64], layout: Layout) -> Matrix:
    """The matrix whose block for pair i is [[diagonal_i, off_i], [-off_i, diagonal_i]]."""
    sin, cos = split(np.arange(2 * len(off)), known_layout(layout))  # (d_model/2,)
    matrix = np.zeros((2 * len(off), 2 * len(off)))
    matrix[sin, sin] = matrix[cos, cos] = diagonal
    matrix[sin, cos], matrix[cos, sin] = off, -off
    return matrix
