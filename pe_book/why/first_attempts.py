"""The codes one thinks of first: counting, and four ways to normalise a count.

Each is what a good guess leads to, and each is defined here so that it can be measured instead of argued
about. None is from a paper.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import finite_result, real_array, room_for, whole_number


def count(seq_len: int) -> NDArray[np.float64]:
    """The number of each word as people count, from 1.

    Parameters
    ----------
    seq_len
        Number of tokens, at least 1.

    Returns
    -------
    NDArray[np.float64]
        Shape (seq_len,). Position 0 has the count 1; every other definition of the book starts at 0.

    Examples
    --------
    >>> count(4)
    array([1., 2., 3., 4.])
    """
    return np.arange(1.0, _length(seq_len) + 1)


def over_maximum(seq_len: int, *, maximum: int) -> NDArray[np.float64]:
    r"""The position divided by one maximum for all sentences, :math:`pos / \text{maximum}`.

    Parameters
    ----------
    seq_len
        Number of tokens, at least 1.
    maximum
        The longest sentence that is expected, in tokens.

    Returns
    -------
    NDArray[np.float64]
        Shape (seq_len,), from 0; less than 1 as far as `maximum`, and larger beyond.

    Examples
    --------
    >>> over_maximum(4, maximum=512) * 512
    array([0., 1., 2., 3.])
    """
    return np.arange(_length(seq_len)) / whole_number(maximum, "maximum", least=1, most=2**53)


def over_length(seq_len: int) -> NDArray[np.float64]:
    r"""The position divided by the length of its own sentence, :math:`pos / \text{len}`, counting from 0.

    Parameters
    ----------
    seq_len
        Number of tokens, at least 1.

    Returns
    -------
    NDArray[np.float64]
        Shape (seq_len,), from 0 to 1 − 1/seq_len.

    Examples
    --------
    >>> over_length(4)
    array([0.  , 0.25, 0.5 , 0.75])
    """
    n = _length(seq_len)
    return np.arange(n) / n


def over_length_from_one(seq_len: int) -> NDArray[np.float64]:
    r"""The count divided by the length of its own sentence, :math:`(pos + 1) / \text{len}`.

    Parameters
    ----------
    seq_len
        Number of tokens, at least 1.

    Returns
    -------
    NDArray[np.float64]
        Shape (seq_len,), from 1/seq_len to 1.

    Examples
    --------
    >>> over_length_from_one(4)
    array([0.25, 0.5 , 0.75, 1.  ])
    """
    counts = count(seq_len)
    return counts / len(counts)


def over_last(seq_len: int) -> NDArray[np.float64]:
    r"""The position divided by the last one, :math:`pos / (\text{len} - 1)`: from 0 to 1 in every sentence.

    Parameters
    ----------
    seq_len
        Number of tokens, at least 2.

    Returns
    -------
    NDArray[np.float64]
        Shape (seq_len,), from 0 to 1, both reached.

    Examples
    --------
    >>> over_last(5)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    n = _length(seq_len, least=2)
    return np.arange(n) / (n - 1)


def add(x: ArrayLike, code: ArrayLike) -> NDArray[np.float64]:
    """Embeddings with a code added: one number is added to every coordinate of its row, a row to its row.

    Parameters
    ----------
    x
        Embeddings, shape (n, d).
    code
        Shape (n,) or (n, d).

    Returns
    -------
    NDArray[np.float64]
        Shape (n, d).

    Examples
    --------
    >>> add([[5, 6], [7, 8]], count(2))
    array([[ 6.,  7.],
           [ 9., 10.]])
    """
    rows, columns = _rows_and_columns(x, code)
    if columns.shape[1] not in (1, rows.shape[1]):
        raise ValueError(f"code must have 1 or {rows.shape[1]} columns to be added, got {columns.shape[1]}")
    with np.errstate(over="ignore"):
        return finite_result(rows + columns, "x", "its sum with code", given=rows)


def append(x: ArrayLike, code: ArrayLike) -> NDArray[np.float64]:
    """Embeddings with a code written behind them, which makes every row longer.

    Parameters
    ----------
    x
        Embeddings, shape (n, d).
    code
        Shape (n,) or (n, m).

    Returns
    -------
    NDArray[np.float64]
        Shape (n, d + 1) or (n, d + m).

    Examples
    --------
    >>> append([[5, 6], [7, 8]], count(2))
    array([[5., 6., 1.],
           [7., 8., 2.]])
    """
    return np.hstack(_rows_and_columns(x, code))  # (n, d + m)


def _length(seq_len: int, least: int = 1) -> int:
    n = whole_number(seq_len, "seq_len", least=least)
    room_for(16 * n, "seq_len", n)
    return n


def _rows_and_columns(x: ArrayLike, code: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both as matrices with the same number of rows; a code of one number per word becomes a column."""
    rows, columns = real_array(x, "x"), real_array(code, "code")
    if rows.ndim != 2:
        raise ValueError(f"x must have shape (n, d), one row for each word, got shape {rows.shape}")
    if columns.ndim == 1:
        columns = columns[:, None]  # (n, 1)
    if columns.ndim != 2 or len(columns) != len(rows):
        raise ValueError(f"code must have {len(rows)} rows, as many as x, got shape {np.shape(code)}")
    return rows, columns
