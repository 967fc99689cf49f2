"""What a learned table looks like: the angles of its rows, and how much of its scores the offset explains."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import room_for, table_of, whole_number
from pe_book.inputs.wording import shown
from pe_book.numerics.scaling import norms, scaled, scaled_rows


def cosines(weight: ArrayLike) -> NDArray[np.float64]:
    r"""The cosine of the angle between any two rows of a table.

    .. math:: C_{pq} = \frac{P_p \cdot P_q}{\lVert P_p\rVert\,\lVert P_q\rVert}

    Parameters
    ----------
    weight
        The table, shape (n, d); no row is zero.

    Returns
    -------
    NDArray[np.float64]
        Shape (n, n), between -1 and 1.

    Raises
    ------
    ValueError
        If the result would take more than 1 GiB.

    Examples
    --------
    >>> cosines([[1.0, 0.0], [3.0, 4.0]]).round(3)
    array([[1. , 0.6],
           [0.6, 1. ]])
    """
    table = table_of(weight, "weight")
    room_for(8 * 2 * len(table) ** 2, "weight", table.shape)
    table = scaled_rows(table)[0]
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    if not lengths.all():
        raise ValueError(
            f"weight must have no zero row, row {int(np.argmin(lengths))} is zero; it has no angle"
        )
    return np.asarray(np.clip((table / lengths) @ (table / lengths).T, -1.0, 1.0))  # (n, n)


def mean_cosine(weight: ArrayLike, offset: int) -> float:
    """The mean cosine of two rows of a table that are `offset` rows apart.

    Parameters
    ----------
    weight
        The table, shape (n, d); no row is zero.
    offset
        In rows, from 0 to n - 1.

    Returns
    -------
    float
        Between -1 and 1.

    Examples
    --------
    >>> mean_cosine([[1, 0], [0, 2], [3, 0]], 1), mean_cosine([[1, 0], [0, 2], [3, 0]], 2)
    (0.0, 1.0)
    """
    between = cosines(weight)
    apart = whole_number(offset, "offset", least=0)
    if apart >= len(between):
        raise ValueError(
            f"offset must be at most {len(between) - 1} in a table of {len(between)} rows, got {shown(apart)}"
        )
    return float(np.diag(between, apart).mean())


def neighbour_distance(weight: ArrayLike) -> float:
    """How far the next row is, in rows' norms: the mean distance of neighbours over the mean norm of a row.

    Parameters
    ----------
    weight
        The table, shape (n, d), n at least 2; not zero everywhere.

    Returns
    -------
    float
        √2 on average for rows drawn independently, 0 for equal rows.

    Examples
    --------
    >>> neighbour_distance([[0, 1], [0, 1], [1, 0], [1, 0]]) == 2**0.5 / 3
    True
    """
    table = table_of(weight, "weight")
    if len(table) < 2:
        raise ValueError("weight must have at least 2 rows, so that one has a neighbour; got 1")
    if not table.any():
        raise ValueError(f"weight must not be zero everywhere, got shape {table.shape} of zeros")
    table = scaled(table)[0]  # a ratio has no scale
    return float(norms(np.diff(table, axis=0)).mean() / norms(table).mean())


def share_by_offset(scores: ArrayLike) -> float:
    r"""How much of the scores of queries and keys their offset explains.

    .. math:: 1 - \frac{\sum_{ij} (s_{ij} - \bar s_{i-j})^2}{\sum_{ij} s_{ij}^2}

    after each query's scores are centred (a constant in a row is lost in the softmax), where
    :math:`\bar s_k` is the mean of all centred scores with :math:`i - j = k`.

    Parameters
    ----------
    scores
        Shape (n, n): query p in row p, key q in column q; not all rows constant.

    Returns
    -------
    float
        From 0 to 1. For independent random scores about 2/n, since there are 2n - 1 offsets for n² scores.

    Examples
    --------
    >>> round(share_by_offset([[0, 1], [1, 0]]), 6), round(share_by_offset([[1, 0], [1, 0]]), 6)
    (1.0, 0.5)
    """
    table = table_of(scores, "scores")
    if table.shape[0] != table.shape[1]:
        raise ValueError(f"scores must be square, got shape {table.shape}")
    near = scaled(table)[0]  # a share has no scale
    if (table == table[:, :1]).all():
        raise ValueError(f"scores must vary within a row; all rows are constant, got {shown(scores)}")
    centred = scaled(near - near.mean(axis=1, keepdims=True))[0]
    offset = np.subtract.outer(np.arange(len(table)), np.arange(len(table))) + len(table) - 1  # (n, n)
    means = np.bincount(offset.ravel(), centred.ravel()) / np.bincount(offset.ravel())
    return float(1 - np.square(centred - means[offset]).sum() / np.square(centred).sum())
