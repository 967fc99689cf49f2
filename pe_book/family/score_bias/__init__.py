r"""Biases on scores: each head adds a number to a score that depends on the distance alone.

ALiBi stands here: a slope for each head, and the bias that it makes, as a table or by keys alone. Beside it
are T5's learned numbers (:mod:`~pe_book.family.score_bias.t5`), KERPLE's two learned numbers a head
(:mod:`~pe_book.family.score_bias.kerple`) and windows (:mod:`~pe_book.family.score_bias.windows`).

Reference: :cite:t:`press2022`, section 3.
"""

import numpy as np
from numpy.typing import ArrayLike

from pe_book.family.offsets import offsets
from pe_book.inputs.checking import (
    finite_result,
    listed_positions,
    per_head,
    positive_number,
    room_for,
    whole_number,
)
from pe_book.inputs.shapes import PerHead, Scores

_LARGEST_EXPONENT = 1000  # 2**-1000 is still a float64 of full precision


def alibi_slopes(n_heads: int, *, bias_max: float = 8.0) -> PerHead:
    r"""One slope for each head, in points of score a token: a geometric sequence that ends at 2^-8.

    For h heads, h a power of two, head number i = 1 … h has

    .. math:: m_i = 2^{-\,8\,i/h}

    For other numbers the slopes of the largest power of two below come first, then every other slope of twice
    that many heads, from the steepest on, as in the authors' code.

    Parameters
    ----------
    n_heads
        h, at least 1. For some heads of a larger model take a slice: ``alibi_slopes(32)[8:16]``.
    bias_max
        The 8 in the exponent; ``alibi_bias_max`` of MPT.

    Returns
    -------
    NDArray[np.float64]
        Shape (h,), each above 0 and below 1.

    Raises
    ------
    ValueError
        If `bias_max` is above 1000.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.alibi_slopes(8)[:3], pe.alibi_slopes(6).round(4)
    (array([0.5  , 0.25 , 0.125]), array([0.25  , 0.0625, 0.0156, 0.0039, 0.5   , 0.125 ]))

    References
    ----------
    :cite:t:`press2022`, section 3, and ``get_slopes`` of its code for numbers that are no power of two.
    """
    heads = whole_number(n_heads, "n_heads", least=1)
    most = positive_number(bias_max, "bias_max")
    if most > _LARGEST_EXPONENT:
        raise ValueError(f"bias_max must be at most {_LARGEST_EXPONENT}, got {most:g}; 8 is usual")
    room_for(4 * 8 * heads, "n_heads", heads)
    full = 2 ** (heads.bit_length() - 1)
    shares = np.arange(1, full + 1) / full
    between = np.arange(1, 2 * (heads - full), 2) / (2 * full)
    return np.asarray(np.exp2(-most * np.concatenate([shares, between])), dtype=np.float64)  # (h,)


def alibi_bias(slopes: ArrayLike, queries: ArrayLike, keys: ArrayLike) -> Scores:
    r"""What ALiBi adds to each score: minus the slope of the head times the distance.

    .. math:: b^{(h)}_{ij} = -m_h\,\lvert p^Q_i - p^K_j \rvert

    The source defines it for keys behind the query, under a causal mask. Keys ahead get what keys as far
    behind get.

    Parameters
    ----------
    slopes
        Shape (h,), in points a token, none below 0; :func:`alibi_slopes` has the usual ones.
    queries, keys
        Positions in tokens, shape (..., n_q) and (..., n_k). For one new query at position 100 with a cache:
        ``[100]`` and ``range(101)``.

    Returns
    -------
    NDArray[np.float64]
        Shape (..., h, n_q, n_k), to be added to the scores after they are divided by √d.

    Raises
    ------
    ValueError
        If a slope is below 0, or the bias does not fit in memory or float64.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.alibi_bias([0.5], [3], range(3))
    array([[[-1.5, -1. , -0.5]]])

    References
    ----------
    :cite:t:`press2022`, section 3 and figure 3.

    See Also
    --------
    alibi_key_bias : one row for all queries, the same weights under a causal mask.
    """
    steep = per_head(slopes, "slopes")
    distance = np.abs(offsets(queries, keys))[..., None, :, :]  # (..., 1, n_q, n_k)
    room_for(2 * 8 * distance.size * len(steep), "slopes, queries and keys", (len(steep), *distance.shape))
    with np.errstate(over="ignore"):
        bias = -steep[:, None, None] * distance  # (..., h, n_q, n_k)
    return finite_result(bias, "slopes", "a slope times a distance", given=steep)


def alibi_key_bias(slopes: ArrayLike, keys: ArrayLike) -> Scores:
    r"""ALiBi by keys alone: one row for all queries, which gives the same weights under a causal mask.

    .. math:: b^{(h)}_{j} = m_h\,\bigl(p^K_j - \max_l p^K_l\bigr)

    For a key behind the query this is :math:`-m_h(p^Q_i - p^K_j)` and a number that all keys of the query
    share, which a softmax does not see. The last key has 0, so that the small numbers stand where the weights
    are large. Keys ahead would be favoured: mask them.

    Parameters
    ----------
    slopes
        Shape (h,), in points a token, none below 0.
    keys
        Positions in tokens, shape (..., n_k).

    Returns
    -------
    NDArray[np.float64]
        Shape (..., h, 1, n_k).

    Raises
    ------
    ValueError
        If a slope is below 0, or the bias does not fit in memory or float64.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.alibi_key_bias([0.5], range(3))
    array([[[-1. , -0.5,  0. ]]])

    References
    ----------
    :cite:t:`press2022`, whose code adds the bias in this form.
    """
    steep, where = per_head(slopes, "slopes"), listed_positions(keys, "keys")
    room_for(4 * 8 * where.size * len(steep), "slopes and keys", (len(steep), *where.shape))
    behind = where - where.max(axis=-1, keepdims=True)  # (..., n_k)
    with np.errstate(over="ignore"):
        bias = steep[:, None, None] * behind[..., None, None, :]  # (..., h, 1, n_k)
    return finite_result(bias, "slopes", "a slope times a distance", given=steep)
