"""The learned table: one row of parameters for every position, and what is done past its last row.

The table is a list of vectors that training fills; nothing computes a row. So it ends, and what happens to
the first position past the end is a decision: :func:`lookup` has the four that are published.
"""

from math import erf, exp, factorial, pi, sqrt
from typing import Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.checking import (
    finite_positions,
    finite_result,
    one_of,
    real_number,
    room_for,
    table_of,
    whole_number,
)
from pe_book.scaling import norms, scaled, scaled_rows
from pe_book.wording import shown

Beyond = Literal["refuse", "clamp", "interpolate", "wrap"]
Align = Literal["ends", "half-pixels"]

BEYOND: tuple[Beyond, ...] = ("refuse", "clamp", "interpolate", "wrap")
ALIGN: tuple[Align, ...] = ("ends", "half-pixels")


def initial(max_len: int, d_model: int, *, std: float = 0.02, seed: int) -> NDArray[np.float64]:
    r"""A table before training: independent normal numbers, the same for the same `seed`.

    .. math:: P_{pc} \sim \mathcal{N}(0, \sigma^2)

    Parameters
    ----------
    max_len
        Number of rows: the positions 0 … max_len - 1, at least 1.
    d_model
        Width, at least 1. It may be odd: there are no pairs here.
    std
        σ, above 0. BERT draws with 0.02 and redraws what is more than two σ away; the code of GPT-2 has
        0.01.
    seed
        Of the generator, a whole number of at least 0.

    Returns
    -------
    NDArray[np.float64]
        Shape (max_len, d_model), without unit.

    Examples
    --------
    >>> initial(512, 768, seed=0).shape
    (512, 768)

    References
    ----------
    :cite:t:`devlin2019`; :cite:t:`radford2019`.
    """
    shape = whole_number(max_len, "max_len", least=1), whole_number(d_model, "d_model", least=1)
    sigma = real_number(std, "std")
    if sigma <= 0:
        raise ValueError(f"std must be above 0, got {sigma:g}; 0.02 is usual")
    generator = np.random.default_rng(whole_number(seed, "seed", least=0))
    room_for(8 * shape[0] * shape[1], "max_len and d_model", shape)
    with np.errstate(over="ignore"):
        return finite_result(sigma * generator.normal(size=shape), "std", "a row", given=[sigma])


def lookup(weight: ArrayLike, positions: ArrayLike, *, beyond: Beyond = "refuse") -> NDArray[np.float64]:
    r"""The rows of a table at `positions`, and one of four answers past its last row n - 1.

    .. math::

        \text{clamp: } P_{\min(p,\, n-1)} \qquad \text{wrap: } P_{p \bmod n} \qquad
        \text{interpolate: row } p \text{ of the table resized to } \max_j p_j + 1 \text{ rows}

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
        roads = "train a longer table, or choose beyond='clamp', 'interpolate' or 'wrap'"
        raise ValueError(f"positions must be below {n}, the number of rows, got {largest}; {roads}")
    if rule == "interpolate":
        if largest * n >= 2**62:
            raise ValueError(
                f"positions must be below {2**62 // n} to stretch {n} rows to them, got {largest}"
            )
        return _between(table, index * (n - 1), largest)
    return np.asarray(table[np.minimum(index, n - 1) if rule == "clamp" else index % n])


def resize(weight: ArrayLike, seq_len: int, *, align: Align = "ends") -> NDArray[np.float64]:
    r"""A table of n rows stretched or squeezed to m = `seq_len` rows, linearly between neighbours.

    .. math::

        \text{ends: } s_i = i\,\frac{n-1}{m-1} \qquad
        \text{half-pixels: } s_i = \Bigl(i + \tfrac12\Bigr)\frac{n}{m} - \tfrac12,
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
    return np.asarray(np.clip((table / lengths) @ (table / lengths).T, -1.0, 1.0))


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
    r"""How far the next row is, in rows' norms: the mean distance of neighbours over the mean norm of a row.

    Parameters
    ----------
    weight
        The table, shape (n, d), n at least 2.

    Returns
    -------
    float
        √2 on average for rows drawn independently, 0 for equal rows.

    Raises
    ------
    ValueError
        If `weight` is zero everywhere.

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

    Raises
    ------
    ValueError
        If every row is constant.

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
    offset = np.subtract.outer(np.arange(len(table)), np.arange(len(table))) + len(table) - 1
    means = np.bincount(offset.ravel(), centred.ravel()) / np.bincount(offset.ravel())
    return float(1 - np.square(centred - means[offset]).sum() / np.square(centred).sum())


def narrowed_std(std: float, cut: float = 2.0) -> float:
    r"""The standard deviation of a normal number that is drawn again until it lies within `cut` deviations.

    .. math:: \sigma\,\sqrt{1 - \frac{2c\,\varphi(c)}{2\Phi(c) - 1}}

    Parameters
    ----------
    std
        σ, above 0.
    cut
        c, above 0; the code of BERT has 2.

    Returns
    -------
    float
        In the unit of `std`.

    Examples
    --------
    >>> round(narrowed_std(1.0), 4)
    0.8796
    """
    sigma, c = real_number(std, "std"), real_number(cut, "cut")
    if not (sigma > 0 and c > 0):
        raise ValueError(f"std and cut must be above 0, got {sigma:g} and {c:g}")
    if c < 1:  # the difference below would cancel; these are the two integrals, term by term
        terms = [(-c * c / 2) ** k / factorial(k) for k in range(16)]
        squares, whole = (sum(t / (2 * k + odd) for k, t in enumerate(terms)) for odd in (3, 1))
        return sigma * (c * sqrt(squares / whole))
    density = exp(-(min(c, 50.0) ** 2) / 2) / sqrt(2 * pi)  # nothing is left of it long before 50
    return sigma * sqrt(1 - 2 * min(c, 50.0) * density / erf(c / sqrt(2)))


def parameters(max_len: int, d_model: int) -> int:
    """Number of parameters of a table.

    Parameters
    ----------
    max_len, d_model
        Rows and width, whole numbers of at least 1.

    Returns
    -------
    int

    Examples
    --------
    >>> parameters(512, 768)
    393216
    """
    return whole_number(max_len, "max_len", least=1) * whole_number(d_model, "d_model", least=1)


def _between(table: NDArray[np.float64], places: NDArray[np.int64], unit: int) -> NDArray[np.float64]:
    """The table at `places`, counted in parts of a row of 1/unit, linearly between neighbours."""
    below, rest = np.divmod(places, unit)
    share = (rest / unit)[..., np.newaxis]
    return np.asarray((1 - share) * table[below] + share * table[np.minimum(below + 1, len(table) - 1)])


def _whole_positions(values: ArrayLike, name: str = "positions") -> NDArray[np.int64]:
    real = finite_positions(values, name)
    whole = real.astype(np.int64)
    wrong = (real < 0) | (whole != real)
    if wrong.any():
        reason = "a table has a row for each of these and for nothing else"
        raise ValueError(f"{name} must be whole and at least 0, got {real[wrong][0]:g}; {reason}")
    return whole
