"""What a count can do: its shift is a matrix, and two counts make a score of their difference."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import finite_positions, real_number


def shear(k: float) -> NDArray[np.float64]:
    r"""The matrix that moves a count, kept beside a constant 1, by `k` places.

    .. math:: \begin{pmatrix} 1 & k \\ 0 & 1 \end{pmatrix} \begin{pmatrix} p \\ 1 \end{pmatrix} =
              \begin{pmatrix} p + k \\ 1 \end{pmatrix}

    Parameters
    ----------
    k
        Offset in tokens, any sign.

    Returns
    -------
    NDArray[np.float64]
        Shape (2, 2); acts on the column vector (count, 1).

    Examples
    --------
    >>> shear(3) @ [2, 1]
    array([5., 1.])
    """
    return np.array([[1.0, real_number(k, "k")], [0.0, 1.0]])


def counting_query(positions: ArrayLike) -> NDArray[np.float64]:
    """The query (1, −q) that makes a score out of counts; its dot product with a key is key minus query.

    Parameters
    ----------
    positions
        Positions q of the queries, in tokens, any shape, real.

    Returns
    -------
    NDArray[np.float64]
        The shape of `positions`, and one more axis of 2.

    Examples
    --------
    >>> counting_query(7) @ counting_key(10)
    np.float64(3.0)
    """
    q = finite_positions(positions)
    return np.stack([np.ones_like(q), -q], axis=-1)  # (..., 2)


def counting_key(positions: ArrayLike) -> NDArray[np.float64]:
    """The key (j, 1) that goes with :func:`counting_query`.

    Parameters
    ----------
    positions
        Positions j of the keys, in tokens, any shape, real.

    Returns
    -------
    NDArray[np.float64]
        The shape of `positions`, and one more axis of 2.

    Examples
    --------
    >>> counting_key([10, 11])
    array([[10.,  1.],
           [11.,  1.]])
    """
    j = finite_positions(positions)
    return np.stack([j, np.ones_like(j)], axis=-1)  # (..., 2)
