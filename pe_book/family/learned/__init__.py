"""The learned table: one row of parameters for every position, and what is done past its last row.

The table is a list of vectors that training fills; nothing computes a row. So it ends, and what happens to
the first position past the end is a decision: :func:`lookup` has the four that are published.
"""

from typing import Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import finite_positions, one_of, room_for, table_of, whole_number
from pe_book.inputs.shapes import Rows, Table

Beyond = Literal["refuse", "clamp", "interpolate", "wrap"]
Align = Literal["ends", "half-pixels"]
BEYOND: tuple[Beyond, ...] = ("refuse", "clamp", "interpolate", "wrap")
ALIGN: tuple[Align, ...] = ("ends", "half-pixels")


def lookup(weight: ArrayLike, positions: ArrayLike, *, beyond: Beyond = "refuse") -> Rows:
    r"""The rows of a table at `positions`, and one of four answers past its last row n - 1.

    .. math:: P_p, \qquad 0 \le p < n

    .. math::

        \text{clamp: } P_{\min(p,\, n-1)} \qquad \text{wrap: } P_{p \bmod n} \qquad
        \text{interpolate: row } p \text{ of the table}
        \allowbreak \text{ resized to } \max_j p_j + 1 \text{ rows}

    Parameters
    ----------
    weight
        The table, shape (n, d).
    positions
        Whole numbers of at least 0, any shape, in tokens. Numpy would count -1 from the end; here it is
        refused.
    beyond
        What to do if a position is past the end. With ``"interpolate"`` *all* rows move as soon as one
        position does not fit, and they depend on the largest: :func:`resize` with its ends aligned. So in a
        padded batch a short text gets other rows beside a long one than alone.

    Returns
    -------
    NDArray[np.float64]
        The shape of `positions` followed by d.

    Raises
    ------
    ValueError, TypeError
        If a position is past the end and `beyond` is ``"refuse"``, or is ``"interpolate"`` and its place in
        the table is no longer a whole number of 64 bits.

    Examples
    --------
    >>> weight = [[0.0], [1.0], [4.0], [9.0]]
    >>> lookup(weight, [3, 4, 5], beyond="clamp").ravel()
    array([9., 9., 9.])
    >>> lookup(weight, [3, 4, 5], beyond="wrap").ravel()
    array([9., 0., 1.])
    >>> lookup(weight, 4)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: positions must be below 4, the number of rows, got 4; train a longer table, or ...

    References
    ----------
    Refuse: :cite:t:`devlin2019`, in the code. Interpolate: :cite:t:`dosovitskiy2021`, section 3.2. Wrap:
    :cite:t:`beltagy2020`.

    See Also
    --------
    resize : the interpolation, with both ways to lay the new rows over the old.
    """
    table = table_of(weight, "weight")
    n, index = len(table), _whole_positions(positions)
    rule = cast(Beyond, one_of(beyond, BEYOND, "beyond"))
    largest = int(index.max(initial=0))
    room_for(4 * 8 * index.size * table.shape[1], "positions", index.shape)
    if largest < n:
        return np.asarray(table[index])
    if rule == "refuse":
        choices = "train a longer table, or choose beyond='clamp', 'interpolate' or 'wrap'"
        raise ValueError(f"positions must be below {n}, the number of rows, got {largest}; {choices}")
    if rule == "interpolate":
        if largest * n >= 2**62:
            raise ValueError(
                f"positions must be below {2**62 // n} to stretch {n} rows to them, got {largest}"
            )
        return _between(table, index * (n - 1), largest)
    return np.asarray(table[np.minimum(index, n - 1) if rule == "clamp" else index % n])


def resize(weight: ArrayLike, seq_len: int, *, align: Align = "ends") -> Table:
    r"""A table of n rows stretched or squeezed to m = `seq_len` rows, linearly between neighbours.

    .. math::

        \text{ends: } s_i = i\,\frac{n-1}{m-1} \qquad
        \text{half-pixels: } s_i = \Bigl(i + \tfrac12\Bigr)\frac{n}{m} - \tfrac12, \allowbreak
        \text{ cut to } [0, n-1]

    and row i of the result is what stands at place :math:`s_i` of the old table.

    Parameters
    ----------
    weight
        The table, shape (n, d).
    seq_len
        Number of rows wanted, at least 1, more or fewer than n.
    align
        ``"ends"`` lays first on first and last on last (``align_corners=True`` in PyTorch); ``"half-pixels"``
        takes rows for tiles of one width and lays edge on edge (``align_corners=False``).

    Returns
    -------
    NDArray[np.float64]
        Shape (seq_len, d).

    Examples
    --------
    >>> resize([[0.0], [1.0], [4.0], [9.0]], 8).ravel().round(2)
    array([0.  , 0.43, 0.86, 1.86, 3.14, 4.71, 6.86, 9.  ])
    >>> resize([[0.0], [1.0], [4.0], [9.0]], 8, align="half-pixels").ravel()
    array([0.  , 0.25, 0.75, 1.75, 3.25, 5.25, 7.75, 9.  ])

    References
    ----------
    :cite:t:`dosovitskiy2021`, section 3.2, interpolates the table of a grid of image patches.
    """
    table = table_of(weight, "weight")
    n, m = len(table), whole_number(seq_len, "seq_len", least=1)
    room_for(8 * m * (4 * table.shape[1] + 4), "seq_len", m)
    i = np.arange(m)
    # places as whole multiples of 1/unit, so that a row that falls on an old row is that row
    if one_of(align, ALIGN, "align") == "ends":
        unit = max(m - 1, 1)
        places = i * (n - 1)
    else:
        unit = 2 * m
        places = np.clip((2 * i + 1) * n - m, 0, unit * (n - 1))
    return _between(table, places, unit)


def padded_positions(tokens: ArrayLike, *, padding_idx: int = 1) -> NDArray[np.int64]:
    r"""The row that each token of a padded batch takes in fairseq and RoBERTa.

    .. math:: \text{row}_t = \text{padding\_idx} + m_t \sum_{u \le t} m_u, \qquad
        m_t = [\,\text{token}_t \ne \text{padding\_idx}\,]

    Real tokens are counted from padding_idx + 1; every padding token takes row padding_idx. So a text of L
    tokens needs a table of L + padding_idx + 1 rows: 514 for RoBERTa's 512.

    Parameters
    ----------
    tokens
        Whole numbers, shape (..., n): ids of tokens.
    padding_idx
        The id of the padding token, at least 0.

    Returns
    -------
    NDArray[np.int64]
        The shape of `tokens`.

    Examples
    --------
    >>> padded_positions([[0, 31, 8, 2, 1, 1]])
    array([[2, 3, 4, 5, 1, 1]])

    References
    ----------
    :cite:t:`ott2019`; :cite:t:`liu2019`.
    """
    ids = _whole_positions(tokens, "tokens")
    if ids.ndim == 0:
        raise ValueError(f"tokens must have a last axis, the sequence, got the single number {int(ids)}")
    padding = whole_number(padding_idx, "padding_idx", least=0, most=2**53)
    real = (ids != padding).astype(np.int64)
    return np.asarray(np.cumsum(real, axis=-1) * real + padding)


def parameters(max_len: int, d_model: int) -> int:
    """Number of parameters of a table.

    Parameters
    ----------
    max_len, d_model
        Rows and width, whole numbers of at least 1.

    Examples
    --------
    >>> parameters(512, 768)
    393216
    """
    return whole_number(max_len, "max_len", least=1) * whole_number(d_model, "d_model", least=1)


def _between(table: NDArray[np.float64], places: NDArray[np.int64], unit: int) -> NDArray[np.float64]:
    """The table at `places`, counted in parts of a row of 1/unit, linearly between neighbours."""
    below, rest = np.divmod(places, unit)
    share = (rest / unit)[..., np.newaxis]  # (..., 1)
    return np.asarray((1 - share) * table[below] + share * table[np.minimum(below + 1, len(table) - 1)])


def _whole_positions(values: ArrayLike, name: str = "positions") -> NDArray[np.int64]:
    real = finite_positions(values, name)
    whole = real.astype(np.int64)
    wrong = (real < 0) | (whole != real)
    if wrong.any():
        reason = "a table has a row for each of these and for nothing else"
        raise ValueError(f"{name} must be whole and at least 0, got {real[wrong][0]:g}; {reason}")
    return whole
