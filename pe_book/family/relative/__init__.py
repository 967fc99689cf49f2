r"""Relative vectors: a learned vector for each offset between two words, on keys and on values.

The offset is key minus query, clipped to -K … K, so that a table of 2K+1 rows serves texts of any length.
Scores are products of queries with the rows of the table, gathered afterwards by offset; nothing of the size
n²·d is made. DeBERTa, whose offsets have vectors of their own in queries too, is in
:mod:`pe_book.family.relative.deberta`.

Reference: :cite:t:`shaw2018`, sections 3.1 to 3.3.
"""

from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.family.offsets import whole_offsets
from pe_book.family.relative.offsets import (
    as_many,
    beside_rows,
    checked_vectors,
    fitting_bias,
    gathered,
    odd_clip,
)  # fmt: skip
from pe_book.inputs.checking import finite_result, flag, matrices, room_for, whole_number
from pe_book.inputs.shapes import Rows, Scores
from pe_book.why.order_blindness import attention_weights


def clipped_offsets(queries: ArrayLike, keys: ArrayLike, *, clip: int) -> NDArray[np.int64]:
    r"""Which row of a table of 2K+1 vectors belongs to a query and a key: their clipped offset, plus K.

    .. math:: \max(-K, \min(K, j - i)) + K

    for a query at position i and a key at position j: key minus query (section 3.2 of the source).

    Parameters
    ----------
    queries, keys
        Positions in tokens, whole, shape (..., n_q) and (..., n_k). Leading axes are a batch, as of texts
        that are padded on the left: the same for both, or none for one.
    clip
        K, at least 0: how many tokens away an offset is still told from the next.

    Returns
    -------
    NDArray[np.int64]
        Shape (..., n_q, n_k), from 0 to 2K.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.clipped_offsets(range(4), range(4), clip=2)
    array([[2, 3, 4, 4],
           [1, 2, 3, 4],
           [0, 1, 2, 3],
           [0, 0, 1, 2]])

    References
    ----------
    :cite:t:`shaw2018`, section 3.2.

    See Also
    --------
    pe_book.family.relative.deberta.deberta_offsets : DeBERTa's, query minus key.
    """
    most = whole_number(clip, "clip", least=0, most=2**53)
    return np.clip(whole_offsets(queries, keys), -most, most) + most


def relative_scores(q: ArrayLike, vectors: ArrayLike, queries: ArrayLike, keys: ArrayLike) -> Scores:
    r"""What the offsets add to the scores: each query times the vector of its offset from each key.

    The second term of equation (5), not yet divided by √d:

    .. math:: s_{ij} = q_i \cdot a^K_{ij}, \qquad a^K_{ij} = w^K_{\mathrm{clip}(j - i,\, K)}

    Parameters
    ----------
    q
        Queries, shape (..., n_q, d); of several heads (..., h, n_q, d).
    vectors
        Shape (2K+1, d), the same for all heads, as in section 3.3 of the source; or (h, 2K+1, d). The middle
        row is that of offset 0, the last one of keys that stand K tokens ahead or more.
    queries, keys
        As for :func:`clipped_offsets`. Leading axes are those of `q`; the axis of heads may be left out.

    Returns
    -------
    NDArray[np.float64]
        Shape (..., n_q, n_k).

    Raises
    ------
    ValueError
        If shapes do not fit, or fit by accident; if the number of vectors is even.

    Examples
    --------
    >>> import pe_book as pe
    >>> q = [[1.0, 0.0], [0.0, 1.0]]
    >>> vectors = [[1, 2], [3, 4], [5, 6]]  # of offsets -1, 0 and 1
    >>> pe.relative_scores(q, vectors, [0, 1], [0, 1])
    array([[3., 5.],
           [2., 4.]])

    References
    ----------
    :cite:t:`shaw2018`, equations (4) and (5).
    """
    return _scores(matrices(q, "q"), vectors, queries, keys, "vectors")


def relative_values(weights: ArrayLike, vectors: ArrayLike, queries: ArrayLike, keys: ArrayLike) -> Rows:
    r"""What the offsets add to the outputs: the average of their vectors under the attention weights.

    The second part of the sum of equation (3):

    .. math:: \sum_j \alpha_{ij}\, a^V_{ij}, \qquad a^V_{ij} = w^V_{\mathrm{clip}(j - i,\, K)}

    Weights that meet the same row are added up first; then one product with the table is left.

    Parameters
    ----------
    weights
        Of each key, for each query: shape (..., n_q, n_k); of several heads (..., h, n_q, n_k).
    vectors, queries, keys
        As for :func:`relative_scores`.

    Returns
    -------
    NDArray[np.float64]
        Shape (..., n_q, d).

    Raises
    ------
    ValueError
        As :func:`relative_scores`.

    Examples
    --------
    >>> import pe_book as pe
    >>> vectors = [[1, 2], [3, 4], [5, 6]]
    >>> pe.relative_values([[1.0, 0.0], [0.5, 0.5]], vectors, [0, 1], [0, 1])
    array([[3., 4.],
           [2., 3.]])

    References
    ----------
    :cite:t:`shaw2018`, equation (3).
    """
    return _values(matrices(weights, "weights"), vectors, queries, keys, "vectors")


def shaw_attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    key_vectors: ArrayLike,
    value_vectors: ArrayLike | None = None,
    *,
    queries: ArrayLike,
    keys: ArrayLike,
    bias: ArrayLike | None = None,
    causal: bool = False,
) -> Rows:
    r"""Attention with a vector for each offset, added to keys and to values.

    Equations (3) and (4), the softmax between them as usual; the score is computed as in equation (5).

    .. math::

        z_i = \sum_j \alpha_{ij} (v_j + a^V_{ij}), \qquad
        \alpha_{ij} = \mathrm{softmax}_j\, e_{ij}, \qquad
        e_{ij} = \frac{q_i \cdot (k_j + a^K_{ij})}{\sqrt d}

    Parameters
    ----------
    q, k
        Shape (..., n_q, d) and (..., n_k, d).
    v
        Shape (..., n_k, value_dim).
    key_vectors
        As `vectors` of :func:`relative_scores`.
    value_vectors
        Shape (2K+1, value_dim) or (h, 2K+1, value_dim); without them the offsets act on scores alone. Their K
        may be another one.
    queries, keys
        As for :func:`relative_scores`: one query at its position gets what it gets among all others.
    bias
        Added to the divided scores, as for :func:`~pe_book.why.order_blindness.attention`; ``-inf`` forbids a
        key, such as padding or another text.
    causal
        Let a query see the keys at its own position and before it. Positions decide, not rows.

    Returns
    -------
    NDArray[np.float64]
        Shape (..., n_q, value_dim).

    Raises
    ------
    ValueError
        If shapes do not fit, or fit by accident; if scores overflow or a query has no key left.

    Examples
    --------
    >>> import pe_book as pe
    >>> q = k = np.zeros((2, 4))  # no content: offsets alone
    >>> vectors = [[0.0], [1.0], [2.0]]
    >>> pe.shaw_attention(q, k, np.zeros((2, 1)), np.zeros((3, 4)), vectors, queries=[0, 1], keys=[0, 1])
    array([[1.5],
           [0.5]])

    References
    ----------
    :cite:t:`shaw2018`, equations (3) to (5).
    """
    rows, values, behind = matrices(q, "q"), matrices(v, "v"), flag(causal, "causal")
    added = _scores(rows, key_vectors, queries, keys, "key_vectors") / np.sqrt(rows.shape[-1])
    as_many(matrices(k, "k").shape[-2], added.shape[-1], "keys", "k")
    as_many(values.shape[-2], added.shape[-1], "keys", "v")
    if bias is not None:
        added = added + fitting_bias(bias, added.shape)
    if behind:
        ahead = whole_offsets(queries, keys) > 0
        ahead = ahead.reshape(beside_rows(ahead.shape, rows.shape[:-2]))  # (..., n_q, n_k)
        added = np.where(ahead, -np.inf, added)
    weights = attention_weights(rows, k, bias=added)
    if value_vectors is None:
        offsets: Rows | float = 0.0
    else:
        offsets = _values(weights, value_vectors, queries, keys, "value_vectors")
        as_many(values.shape[-1], offsets.shape[-1], "value_vectors", "v", "columns")
    with np.errstate(over="ignore", invalid="ignore"):
        result = weights @ values + offsets  # (..., n_q, value_dim)
    return finite_result(result, "v", "an average", given=values)


def _scores(
    rows: NDArray[np.float64], vectors: ArrayLike, queries: ArrayLike, keys: ArrayLike, name: str
) -> Scores:
    table = checked_vectors(vectors, name, rows.shape[:-2], rows.shape[-1])
    index = clipped_offsets(queries, keys, clip=odd_clip(table.shape[-2], name))
    as_many(rows.shape[-2], index.shape[-2], "queries", "q")
    return gathered(rows, table, index, "q")


def _values(
    shares: NDArray[np.float64], vectors: ArrayLike, queries: ArrayLike, keys: ArrayLike, name: str
) -> Rows:
    lead = shares.shape[:-2]
    table = checked_vectors(vectors, name, lead)
    index = clipped_offsets(queries, keys, clip=odd_clip(table.shape[-2], name))
    as_many(shares.shape[-2], index.shape[-2], "queries", "weights")
    as_many(shares.shape[-1], index.shape[-1], "keys", "weights")
    shape = beside_rows(index.shape, lead)
    whole = np.broadcast_shapes(shape, shares.shape)
    n, rows = prod(whole[:-1]), table.shape[-2]
    room_for(8 * (3 * prod(whole) + n * (rows + table.shape[-1])), "weights", whole)
    spread = np.broadcast_to(index.reshape(shape), whole)  # (..., n_q, n_k)
    own = rows * np.arange(n).repeat(whole[-1])  # each query has bins of its own
    each = np.broadcast_to(shares, whole)  # (..., n_q, n_k)
    summed = np.bincount(spread.ravel() + own, each.ravel(), n * rows)
    with np.errstate(over="ignore", invalid="ignore"):
        result = summed.reshape(*whole[:-1], rows) @ table  # (..., n_q, d)
    return finite_result(result, "weights", "an average", given=shares)
