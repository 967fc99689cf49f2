"""The shift theorem: one fixed rotation moves every row of the sinusoidal table by k tokens.

The matrix is closed-form. What least squares and gradient descent find instead is here too, and the way
from any rotation to its frequencies.

Reference: the property is stated in :cite:t:`vaswani2017`, section 3.5, without the matrix.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.checking import (
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
    table_of,
    whole_number,
)
from pe_book.pairs import join, split
from pe_book.scaling import scaled, unscaled
from pe_book.sinusoidal.angles import sines_and_cosines
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.pieces import bounded_width
from pe_book.wording import shown

PRESENT = 1e-10  # a direction counts as present above this share of the largest; far above rounding, 1e-16


def shift(
    x: ArrayLike,
    k: ArrayLike,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
) -> NDArray[np.float64]:
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
    >>> from pe_book.sinusoidal.formula import encode
    >>> bool(np.allclose(shift(encode([3, 4], 6), 10), encode([13, 14], 6)))
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
    s, c = split(rows, layout)
    with np.errstate(over="ignore"):
        result = join(s * cos + c * sin, c * cos - s * sin, layout)
    return finite_result(result, "x", "a pair turned by its angle", given=rows)


def shift_matrix(
    k: float,
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
) -> NDArray[np.float64]:
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
    d_model
        Width of the encoding: even, at least 2.
    base, layout, ladder
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
    >>> shift_matrix(1, 2).round(4)
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
    sin, cos = _turn(offset, _width_of_a_matrix(d_model), base, ladder)
    return _pair_blocks(cos, sin, layout)


def generator(
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
) -> NDArray[np.float64]:
    r"""The velocity of the encoding: the skew-symmetric matrix A with dPE/dp = A PE(p) and exp(kA) = T_k.

    .. math:: A = \operatorname{diag}(A_0, \dots, A_{d/2-1}), \qquad
        A_i = \begin{pmatrix} 0 & \omega_i \\ -\omega_i & 0 \end{pmatrix}

    Parameters
    ----------
    d_model
        Width of the encoding: even, at least 2.
    base, layout, ladder
        As for :func:`~pe_book.sinusoidal.formula.encode`.

    Returns
    -------
    NDArray[np.float64]
        Shape (d_model, d_model), radians per token.

    Examples
    --------
    >>> generator(4)
    array([[ 0.  ,  1.  ,  0.  ,  0.  ],
           [-1.  ,  0.  ,  0.  ,  0.  ],
           [ 0.  ,  0.  ,  0.  ,  0.01],
           [ 0.  ,  0.  , -0.01,  0.  ]])

    See Also
    --------
    shift_matrix : its exponential.
    rotation_planes : the way back, from any skew-symmetric matrix to its frequencies.
    """
    omega = frequencies(_width_of_a_matrix(d_model), base=base, ladder=ladder)
    return _pair_blocks(np.zeros_like(omega), omega, layout)


def fit_shift(source: ArrayLike, target: ArrayLike, *, rcond: float = PRESENT) -> NDArray[np.float64]:
    r"""The least-squares matrix that takes each row of `source` to the same row of `target`.

    .. math:: M = \arg\min_M \sum_n \lVert M x_n - y_n \rVert^2

    Where the rows leave M open it is the smallest one: zero on every direction that no row of `source` has.
    For two pieces of a sinusoidal table that is T_k on the span of the rows and 0 beside it, not T_k.

    Parameters
    ----------
    source, target
        Shapes (n, d) and (n, e): n pairs of rows.
    rcond
        Directions whose singular value is below `rcond` times the largest count as not present. The default
        keeps rounding errors of the table out of M, so that every machine finds the same matrix.

    Returns
    -------
    NDArray[np.float64]
        Shape (e, d): acts on column vectors, as :func:`shift_matrix` does.

    Raises
    ------
    ValueError
        If the numbers of rows differ, or the matrix does not fit in float64.

    Examples
    --------
    >>> from pe_book.sinusoidal.formula import encode
    >>> fitted = fit_shift(encode(range(1000), 4), encode(range(10, 1010), 4))
    >>> bool(np.allclose(fitted, shift_matrix(10, 4)))
    True

    See Also
    --------
    relative_residual : how much a matrix leaves unexplained.
    gradient_descent : what training has found of it after some steps.
    """
    (x, of_x), (y, of_y) = _tables(source, target)
    rcond = real_number(rcond, "rcond")
    if not 0 <= rcond < 1:
        raise ValueError(f"rcond must be at least 0 and below 1, got {rcond:g}; 1e-10 is the default")
    _empty_map(x, y)
    found = np.ascontiguousarray(np.linalg.lstsq(x, y, rcond=rcond)[0].T, dtype=np.float64)
    return unscaled(found, of_y - of_x, "target", "the matrix from source to it")


def relative_residual(matrix: ArrayLike, source: ArrayLike, target: ArrayLike) -> float:
    r"""The part of `target` that `matrix` misses: 0 is a perfect map, 1 is as bad as answering zero.

    .. math:: \sqrt{\textstyle\sum_n \lVert M x_n - y_n \rVert^2 \big/ \sum_n \lVert y_n \rVert^2}

    Parameters
    ----------
    matrix
        Shape (e, d): acts on column vectors.
    source, target
        Shapes (n, d) and (n, e): n pairs of rows.

    Returns
    -------
    float
        Without unit, 0 or more.

    Raises
    ------
    ValueError
        If `target` is zero, or so small that the residual does not fit in float64.

    Examples
    --------
    >>> relative_residual([[0, 1], [1, 0]], [[3, 4]], [[4, 3]])
    0.0
    """
    (x, of_x), (y, of_y) = _tables(source, target)
    m, of_m = scaled(real_array(matrix, "matrix"))
    if m.shape != (y.shape[1], x.shape[1]):
        wanted = (y.shape[1], x.shape[1])
        raise ValueError(f"matrix must have shape {wanted} to take source to target, got {m.shape}")
    if not y.any():
        relative = "a residual relative to nothing has no meaning"
        raise ValueError(f"target must not be zero everywhere, got {len(y)} rows of zeros: {relative}")
    with np.errstate(over="ignore"):
        reached = np.ldexp(x @ m.T, of_x + of_m - of_y)
    given = np.ldexp(m, of_m)
    finite_result(reached, "matrix", "what it makes of source, in the unit of target,", given=given)
    missed, of_missed = scaled(reached - y)
    residual = np.asarray(np.linalg.norm(missed) / np.linalg.norm(y))
    return float(unscaled(residual, of_missed, "matrix", "the residual"))


def gradient_descent(
    source: ArrayLike, target: ArrayLike, steps: float, *, start: ArrayLike | None = None
) -> NDArray[np.float64]:
    r"""What plain gradient descent has found after so many steps, for the task of :func:`fit_shift`.

    .. math:: M \leftarrow M - \eta \textstyle\sum_n (M x_n - y_n)\, x_n^\top, \qquad \eta = 1/\sigma_1^2

    No step is taken. The direction with the singular value :math:`\sigma` keeps the share
    :math:`(1 - \sigma^2/\sigma_1^2)^\text{steps}` of its error, so the sum over all steps has a closed form.

    Parameters
    ----------
    source, target
        Shapes (n, d) and (n, e): n pairs of rows.
    steps
        A whole number of at least 0, or infinity for the limit. In the limit, directions below 1e-10 of the
        largest stay as they were: they would need about 1e20 steps.
    start
        Shape (e, d): the matrix before the first step; zero without it.

    Returns
    -------
    NDArray[np.float64]
        Shape (e, d): acts on column vectors.

    Raises
    ------
    ValueError
        If `source` is zero, or the matrix does not fit in float64.

    Examples
    --------
    >>> gradient_descent([[1, 0], [0, 0.5]], [[1, 0], [0, 0.5]], 2).round(4)
    array([[1.    , 0.    ],
           [0.    , 0.4375]])

    See Also
    --------
    fit_shift : the limit, from zero.
    """
    (x, of_x), (y, of_y) = _tables(source, target)
    given: object = steps
    endless = isinstance(given, float | np.floating) and given == np.inf
    count = np.inf if endless else real_number(steps, "steps")
    if count < 0 or not (endless or count.is_integer()):
        raise ValueError(f"steps must be a whole number of at least 0, or infinity: got {count:g}")
    shape = (y.shape[1], x.shape[1])
    matrix, of_matrix = scaled(_empty_map(x, y) if start is None else real_array(start, "start"))
    if matrix.shape != shape:
        raise ValueError(f"start must have shape {shape} to take source to target, got {matrix.shape}")
    u, sizes, directions = np.linalg.svd(x, full_matrices=False)
    if sizes[0] == 0:
        raise ValueError(f"source must not be zero everywhere, got {len(x)} rows of zeros: there is no step")
    shares = sizes / sizes[0]
    if endless:
        gone = np.where(shares > PRESENT, 1.0, 0.0)
    else:
        with np.errstate(divide="ignore", invalid="ignore"):  # the largest is right after one step
            gone = -np.expm1(count * np.log1p(-np.square(shares)))
        gone[shares == 1] = 1.0 if count else 0.0
    learned = gone / np.where(sizes > 0, sizes, 1)
    sizes_of = [of for of, part in ((of_matrix, matrix), (of_y - of_x, y)) if part.any()]
    of_found = max(sizes_of, default=0)
    matrix = np.ldexp(matrix, of_matrix - of_found)
    whole_way = np.ldexp(y.T @ (u * learned), of_y - of_x - of_found)
    found = matrix + (whole_way - (matrix @ directions.T) * gone) @ directions
    return unscaled(np.ascontiguousarray(found), of_found, "target", "the matrix from source to it")


def shift_residual(table: ArrayLike, k: int) -> float:
    r"""The part of a table, moved by k rows, that even the best matrix misses: 0 if one matrix shifts it.

    .. math:: \min_M \sqrt{\textstyle\sum_p \lVert M\,\text{table}_p - \text{table}_{p+k} \rVert^2 \big/
        \sum_p \lVert \text{table}_{p+k} \rVert^2}

    On rows that are linearly independent it is 0 whatever the table: it takes more rows than columns to fail.

    Parameters
    ----------
    table
        Shape (n, d): one row for each position, without gaps.
    k
        The offset in rows: at least 0, less than n. The fit has n - k pairs of rows.

    Returns
    -------
    float
        Without unit, between 0 and 1.

    Raises
    ------
    ValueError
        If the table is zero from row k on.

    Examples
    --------
    >>> from pe_book.sinusoidal.formula import encode
    >>> shift_residual(encode(range(210), 8), 10) < 1e-9
    True
    >>> round(shift_residual([[0], [1], [0], [0]], 1), 4)
    1.0

    See Also
    --------
    fit_shift : the best matrix.
    """
    rows = real_array(table, "table")
    k = whole_number(k, "k", least=0)
    if rows.ndim != 2 or k >= len(rows):
        more = f"more than k = {shown(k)} rows"
        raise ValueError(f"table must have shape (n, d) with {more}, got shape {rows.shape}")
    here, there = rows[: len(rows) - k], rows[k:]
    if not there.any():
        raise ValueError(f"table must not be zero from row k on, got k = {k}: there is nothing to reach")
    return relative_residual(fit_shift(here, there), here, there)


def shift_errors(matrix: ArrayLike, positions: ArrayLike, k: float) -> NDArray[np.float64]:
    r"""How far a matrix misses the row k tokens on, position by position, relative to the length of a row.

    .. math:: \lVert M\,PE(p) - PE(p+k) \rVert \big/ \sqrt{d/2}

    Parameters
    ----------
    matrix
        Shape (d, d): acts on column vectors, in the interleaved layout.
    positions
        In tokens: any shape.
    k
        The offset in tokens: one real number.

    Returns
    -------
    NDArray[np.float64]
        The shape of `positions`, without unit.

    Examples
    --------
    >>> bool(shift_errors(shift_matrix(10, 8), 10**6, 10) < 1e-9)
    True

    See Also
    --------
    relative_residual : the same over all rows at once.
    """
    m = real_array(matrix, "matrix")
    if m.ndim != 2 or m.shape[0] != m.shape[1]:
        raise ValueError(f"matrix must be square, got shape {m.shape}")
    width = even_width(len(m), "the width of matrix")
    offset = real_number(k, "k")
    here = encode(positions, width)
    there = shift(here, offset)  # not at positions + k, a sum that rounds
    down = max(scaled(m)[1], 0)
    missed, of_missed = scaled(here @ np.ldexp(m, -down).T - np.ldexp(there, -down))
    errors = np.asarray(np.linalg.norm(missed, axis=-1) / np.sqrt(width / 2))
    return unscaled(errors, of_missed + down, "matrix", "what it misses")


def rotation_planes(matrix: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""The frequencies of a skew-symmetric matrix, and perpendicular axes in which it is a list of rotations.

    .. math:: Q^\top A\, Q = \operatorname{diag}(A_1, \dots, A_m, 0, \dots, 0), \qquad
        A_i = \begin{pmatrix} 0 & \omega_i \\ -\omega_i & 0 \end{pmatrix}, \quad
        \omega_1 \ge \dots \ge \omega_m > 0

    Parameters
    ----------
    matrix
        Shape (d, d), skew-symmetric: :math:`A^\top = -A`. Any d, odd too.

    Returns
    -------
    frequencies : NDArray[np.float64]
        Shape (m,), falling, in the unit of `matrix` (radians per token for a generator). What is below 1e-13
        of the largest counts as 0.
    axes : NDArray[np.float64]
        Q, shape (d, d), orthogonal. Columns 2i and 2i+1 span the plane of the frequency i, sine axis first;
        the last d - 2m columns do not move.

    Raises
    ------
    ValueError
        If the matrix is not skew-symmetric to 1e-12 of its largest entry.

    Examples
    --------
    >>> rotation_planes(generator(4))[0]
    array([1.  , 0.01])

    See Also
    --------
    generator : the matrix of the sinusoidal encoding.
    """
    a = real_array(matrix, "matrix")
    if a.ndim != 2 or a.shape[0] != a.shape[1] or a.size == 0:
        raise ValueError(f"matrix must be square, got shape {a.shape}")
    a, of_a = scaled(a)
    if (off := np.abs(a + a.T).max()) > 1e-12 * (largest := np.abs(a).max()):
        part = f"got A + A.T of {off / largest:.2g} times the largest entry"
        raise ValueError(
            f"matrix must be skew-symmetric, its transpose its negative, {part}; use (A - A.T) / 2"
        )
    if not a.any():
        return np.zeros(0), np.eye(len(a))
    # iA is Hermitian; an eigenvector x + iy of it with eigenvalue ω > 0 gives Ax = ωy and Ay = -ωx:
    # the cosine axis is x, the sine axis is y, which is taken from Ax because slow planes are the least exact
    values, vectors = np.linalg.eigh(1j * a)
    moving = np.flatnonzero(values > 1e-13 * values[-1])[::-1]
    axes = np.zeros((len(a), 0))
    for i in moving:
        cosine = _perpendicular(vectors[:, i].real, axes)
        sine = _perpendicular(a @ cosine, np.column_stack([axes, cosine]))
        axes = np.column_stack([axes, sine, cosine])
    still = np.linalg.svd(axes.T)[2][2 * len(moving) :].T
    omega = unscaled(values[moving], of_a, "matrix", "its fastest frequency")
    return omega, np.column_stack([axes, still])


def _perpendicular(vector: NDArray[np.float64], axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """The direction of `vector` without its part along `axes`; twice, since once leaves rounding."""
    for _ in range(2):
        vector = vector - axes @ (axes.T @ vector)
    return np.asarray(vector / np.linalg.norm(vector))


def _turn(
    offsets: NDArray[np.float64], width: int, base: float, ladder: Ladder
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sine and cosine of every offset times every frequency; of -k to the last bit those of k mirrored."""
    sin, cos = sines_and_cosines(np.abs(offsets), width, base_above_one(base), known_ladder(ladder))
    return np.sign(offsets)[..., np.newaxis] * sin, cos


def _width_of_a_matrix(d_model: int) -> int:
    width = bounded_width(d_model)
    room_for(8 * width**2, "d_model", width)
    return width


def _pair_blocks(
    diagonal: NDArray[np.float64], off: NDArray[np.float64], layout: Layout
) -> NDArray[np.float64]:
    """The matrix whose block for pair i is [[diagonal_i, off_i], [-off_i, diagonal_i]]."""
    sin, cos = split(np.arange(2 * len(off)), known_layout(layout))
    matrix = np.zeros((2 * len(off), 2 * len(off)))
    matrix[sin, sin] = matrix[cos, cos] = diagonal
    matrix[sin, cos], matrix[cos, sin] = off, -off
    return matrix


def _empty_map(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrix that takes every row of x to zero, refused where the memory for one of its shape lacks."""
    shape = (y.shape[1], x.shape[1])
    room_for(8 * math.prod(shape), "the matrix from source to target", shape)
    return np.zeros(shape)


def _tables(
    source: ArrayLike, target: ArrayLike
) -> tuple[tuple[NDArray[np.float64], int], tuple[NDArray[np.float64], int]]:
    """Both tables, each with a power of two taken out of it."""
    x, y = table_of(source, "source"), table_of(target, "target")
    if len(x) != len(y):
        raise ValueError(f"source and target must have equally many rows, got {len(x)} and {len(y)}")
    return scaled(x), scaled(y)
