"""The products of the two-level table in one compiled loop, for those who have numba.

Numpy multiplies complex numbers of 128 bits, keeps them for a moment, and then rounds them to 32 bits. A
compiled loop does both at once. Its products differ from numpy's by roundings that the error bound covers, so
the table that comes out is the same.
"""

import numba
import numpy as np
from numpy.typing import NDArray

_TILE = 16  # rows of the fine edge, which stay in the cache while all blocks pass by


@numba.njit(nogil=True)
def multiply(
    out: NDArray[np.floating],
    coarse: NDArray[np.float64],
    turned: NDArray[np.float64],
    fine_cosine: NDArray[np.float64],
    fine_sine: NDArray[np.float64],
) -> None:  # pragma: no cover - compiled
    r"""Write :math:`\sin\omega_i(aB + b)` and :math:`\cos\omega_i(aB + b)` for each block a and each row b.

    .. math::

        \begin{aligned}
        \sin \omega_i(aB + b) &= \sin \omega_i aB \cos \omega_i b \\
        &\quad + \cos \omega_i aB \sin \omega_i b \\
        \cos \omega_i(aB + b) &= \cos \omega_i aB \cos \omega_i b \\
        &\quad - \sin \omega_i aB \sin \omega_i b
        \end{aligned}

    Column by column that is one formula, ``coarse * fine_cosine + turned * fine_sine``, in every layout.
    `out` has shape (blocks * rows, d_model) and any float type; `coarse`, the first row of each block, and
    `turned`, that row a quarter turn on, (blocks, d_model); `fine_cosine` and `fine_sine`, of the fine angle
    in the columns of both of its pair, (rows, d_model).

    >>> out = np.empty((1, 2))
    >>> sine, cosine = np.sin(32.0), np.cos(32.0)
    >>> edge = np.array([[sine, cosine]]), np.array([[cosine, -sine]])
    >>> multiply(out, *edge, np.full((1, 2), np.cos(5.0)), np.full((1, 2), np.sin(5.0)))
    >>> out.round(4), np.sin(37.0).round(4)
    (array([[-0.6435,  0.7654]]), np.float64(-0.6435))
    """
    rows = fine_cosine.shape[0]
    for first in range(0, rows, _TILE):
        for block in range(coarse.shape[0]):
            for row in range(first, min(first + _TILE, rows)):
                to = block * rows + row
                for column in range(coarse.shape[1]):
                    out[to, column] = (
                        coarse[block, column] * fine_cosine[row, column]
                        + turned[block, column] * fine_sine[row, column]
                    )


@numba.njit(nogil=True)
def multiply_searching(
    out: NDArray[np.float32],
    coarse: NDArray[np.float64],
    turned: NDArray[np.float64],
    fine_cosine: NDArray[np.float64],
    fine_sine: NDArray[np.float64],
    window: float,
    rows: NDArray[np.intp],
    columns: NDArray[np.intp],
) -> int:  # pragma: no cover - compiled
    """Write the products of :func:`multiply`, and list those with a boundary of float32 within a window.

    `window` is how far a boundary may lie from a product to both sides. `rows` and `columns` are filled with
    what is found, as places in `out`. Returned is how many there are; if that is more than `rows` has room
    for, only the first of them are listed.

    >>> out, where = np.empty((1, 2), np.float32), (np.empty(4, int), np.empty(4, int))
    >>> edge = np.array([[0.75, 1 + 2.0**-24]]), np.zeros((1, 2))
    >>> multiply_searching(out, *edge, np.ones((1, 2)), np.zeros((1, 2)), 1e-15, *where)
    1
    >>> where[1][0]
    np.int64(1)
    """
    count, width, height = 0, coarse.shape[1], fine_cosine.shape[0]
    for first in range(0, height, _TILE):
        for block in range(coarse.shape[0]):
            for row in range(first, min(first + _TILE, height)):
                to, found = block * height + row, False
                for column in range(width):
                    value = (
                        coarse[block, column] * fine_cosine[row, column]
                        + turned[block, column] * fine_sine[row, column]
                    )
                    out[to, column] = value
                    found |= np.float32(value - window) != np.float32(value + window)
                if not found:
                    continue
                for column in range(width):
                    value = (
                        coarse[block, column] * fine_cosine[row, column]
                        + turned[block, column] * fine_sine[row, column]
                    )
                    if np.float32(value - window) != np.float32(value + window):
                        if count < len(rows):
                            rows[count], columns[count] = to, column
                        count += 1
    return count
