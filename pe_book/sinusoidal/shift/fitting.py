"""What least squares and gradient descent find where the shift theorem has a closed form.

Reference: the property that is fitted is stated in :cite:t:`vaswani2017`, section 3.5.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import (
    even_width,
    finite_result,
    real_array,
    real_number,
    room_for,
    table_of,
    whole_number,
)
from pe_book.inputs.shapes import Matrix, PerPosition
from pe_book.inputs.wording import shown
from pe_book.numerics.scaling import scaled, unscaled
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.shift import shift

PRESENT = 1e-10  # a direction counts as present above this share of the largest; far above rounding, 1e-16


def fit_shift(source: ArrayLike, target: ArrayLike, *, rcond: float = PRESENT) -> Matrix:
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
        Shape (e, d): acts on column vectors, as :func:`~pe_book.sinusoidal.shift.shift_matrix` does.

    Raises
    ------
    ValueError
        If the numbers of rows differ, or the matrix does not fit in float64.

    Examples
    --------
    >>> import pe_book as pe
    >>> from pe_book.sinusoidal.formula import encode
    >>> from pe_book.sinusoidal.shift import shift_matrix
    >>> fitted = pe.fit_shift(pe.encode(range(1000), 4), pe.encode(range(10, 1010), 4))
    >>> bool(np.allclose(fitted, pe.shift_matrix(10, 4)))
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
    found = np.ascontiguousarray(np.linalg.lstsq(x, y, rcond=rcond)[0].T, dtype=np.float64)  # (e, d)
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
        reached = np.ldexp(x @ m.T, of_x + of_m - of_y)  # (n, e)
    given = np.ldexp(m, of_m)
    finite_result(reached, "matrix", "what it makes of source, in the unit of target,", given=given)
    missed, of_missed = scaled(reached - y)
    residual = np.asarray(np.linalg.norm(missed) / np.linalg.norm(y))
    return float(unscaled(residual, of_missed, "matrix", "the residual"))


def gradient_descent(
    source: ArrayLike, target: ArrayLike, steps: float, *, start: ArrayLike | None = None
) -> Matrix:
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
    whole_way = np.ldexp(y.T @ (u * learned), of_y - of_x - of_found)  # (e, r)
    found = matrix + (whole_way - (matrix @ directions.T) * gone) @ directions  # (e, d)
    return unscaled(np.ascontiguousarray(found), of_found, "target", "the matrix from source to it")


def shift_residual(table: ArrayLike, k: int) -> float:
    r"""The part of a table, moved by k rows, that even the best matrix misses: 0 if one matrix shifts it.

    .. math:: \min_M \sqrt{\frac{\sum_p \lVert M\,\text{table}_p - \text{table}_{p+k} \rVert^2}
        {\sum_p \lVert \text{table}_{p+k} \rVert^2}}

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


def shift_errors(matrix: ArrayLike, positions: ArrayLike, k: float) -> PerPosition:
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
    >>> from pe_book.sinusoidal.shift import shift_matrix
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
    missed, of_missed = scaled(here @ np.ldexp(m, -down).T - np.ldexp(there, -down))  # (..., d), ()
    errors = np.asarray(np.linalg.norm(missed, axis=-1) / np.sqrt(width / 2))
    return unscaled(errors, of_missed + down, "matrix", "what it misses")


def _empty_map(x: NDArray[np.float64], y: NDArray[np.float64]) -> Matrix:
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
