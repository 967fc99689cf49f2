"""Attention as plain numpy, with and without a causal mask.

Rows are tokens: ``x`` has shape (n, d), and a weight matrix acts from the right, ``x @ w``. Leading axes are
heads or a batch.
"""

from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import finite_result, flag, matrices, positive_number, real_array, room_for
from pe_book.inputs.shapes import Rows, Scores


def attention_weights(
    q: ArrayLike,
    k: ArrayLike,
    *,
    bias: ArrayLike | None = None,
    causal: bool = False,
    scale: float | None = None,
    scale_bias: bool = False,
) -> Scores:
    r"""How much each query takes from each key: the softmax over keys of scaled dot products.

    The softmax of equation (1) of :cite:t:`vaswani2017`, with a bias B added to the scores.

    .. math:: \mathrm{softmax}\left(\frac{QK^T}{\sqrt{d_k}} + B\right)

    Parameters
    ----------
    q, k
        Queries, shape (..., n_q, head_dim), and keys, shape (..., n_k, head_dim); leading axes broadcast.
    bias
        B, broadcast to the scores, shape (..., n_q, n_k). An entry of ``-inf`` forbids a key.
    causal
        Let query p see the keys 0 … p. Needs as many queries as keys.
    scale
        What dot products are multiplied by instead of :math:`1/\sqrt{d_k}`: 1 for T5, which does not divide.
    scale_bias
        Whether the bias is scaled too, as in Falcon-RW, which divides the sum of score and bias.

    Returns
    -------
    NDArray[np.float64]
        Shape (..., n_q, n_k): not negative, each row summing to 1.

    Raises
    ------
    ValueError
        If scores overflow or would take more than 1 GiB, or a query has no key left.

    Examples
    --------
    >>> attention_weights([[1.0, 0.0]], [[1.0, 0.0], [1.0, 5.0]])
    array([[0.5, 0.5]])
    """
    queries, keys, only_behind = matrices(q, "q"), matrices(k, "k"), flag(causal, "causal")
    factor = None if scale is None else positive_number(scale, "scale")
    of_the_sum = flag(scale_bias, "scale_bias")
    if queries.shape[-1] != keys.shape[-1]:
        raise ValueError(f"q and k must have the same head_dim, got shapes {queries.shape} and {keys.shape}")
    shape = (*_broadcast(queries, keys, "q and k"), queries.shape[-2], keys.shape[-2])
    room_for(24 * prod(shape), "q and k", (queries.shape, keys.shape))  # scores, masked, weights
    with np.errstate(over="ignore", invalid="ignore"):  # refused below, by name
        scores = _scaled(queries @ np.swapaxes(keys, -1, -2), factor, queries.shape[-1])  # (..., n_q, n_k)
        fits = np.isfinite(scores)
        if bias is not None:
            added = _addend(bias, scores.shape)
            scores = scores + (_scaled(added, factor, queries.shape[-1]) if of_the_sum else added)
            fits &= np.isfinite(scores) | np.isneginf(added)
    if not fits.all():
        sizes = f"{np.abs(queries).max():g} and {np.abs(keys).max():g}"
        raise ValueError(
            "q, k and bias must keep every score finite in float64; these overflow, got q and k up to "
            f"{sizes}: make them smaller"
        )
    if only_behind:
        n_q, n_k = scores.shape[-2:]
        if n_q != n_k:
            raise ValueError(
                f"causal=True needs as many queries as keys, got {n_q} and {n_k}; say which keys a query may "
                "see with a bias of 0 and -inf (the newest query alone needs none)"
            )
        scores = np.where(np.tri(n_q, dtype=bool), scores, -np.inf)
    largest = scores.max(axis=-1, keepdims=True)
    if np.isneginf(largest).any():
        query = int(np.argwhere(np.isneginf(largest[..., 0]))[0][-1])
        raise ValueError(
            f"bias must leave every query at least one key, got -inf for every key of query {query}"
        )
    weights = np.exp(scores - largest)  # the largest exponent is 0, so nothing overflows
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True), dtype=np.float64)


def attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    bias: ArrayLike | None = None,
    causal: bool = False,
    scale: float | None = None,
    scale_bias: bool = False,
) -> Rows:
    r"""Scaled dot-product attention: for each query, the average of the values under its attention weights.

    Equation (1) of :cite:t:`vaswani2017`, here with a bias B.

    .. math::

        \mathrm{Attention}(Q, K, V) \allowbreak
        = \mathrm{softmax}\left(\frac{QK^T}{\sqrt{d_k}} + B\right) V

    Parameters
    ----------
    q, k, bias, causal, scale, scale_bias
        As for :func:`attention_weights`.
    v
        Values, one for each key: shape (..., n_k, value_dim).

    Returns
    -------
    NDArray[np.float64]
        Shape (..., n_q, value_dim): one row for each query.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.attention([[1.0, 0.0]], [[1.0, 0.0], [1.0, 5.0]], [[2.0], [4.0]])
    array([[3.]])
    """
    values = matrices(v, "v")
    weights = attention_weights(q, k, bias=bias, causal=causal, scale=scale, scale_bias=scale_bias)
    if weights.shape[-1] != values.shape[-2]:
        raise ValueError(
            f"v must have one row for each of the {weights.shape[-1]} keys, got shape {values.shape}"
        )
    lead = _broadcast(weights, values, "the weights of q and k, and v,")
    room_for(8 * prod((*lead, weights.shape[-2], values.shape[-1])), "v", values.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        return finite_result(weights @ values, "v", "an average", given=values)  # (..., n_q, value_dim)


def self_attention(
    x: ArrayLike,
    w_q: ArrayLike,
    w_k: ArrayLike,
    w_v: ArrayLike,
    *,
    bias: ArrayLike | None = None,
    causal: bool = False,
) -> Rows:
    r"""Attention of a sequence to itself: queries, keys and values are three linear images of the same rows.

    Sections 3.2.1 and 3.2.2 of :cite:t:`vaswani2017`, for one head.

    .. math:: y_i = \sum_j a_{ij}\, x_j W_V, \qquad
              a_{ij} = \frac{\exp(s_{ij})}{\sum_m \exp(s_{im})}, \qquad
              s_{ij} = \frac{(x_i W_Q)\cdot(x_j W_K)}{\sqrt{d_k}}

    Parameters
    ----------
    x
        One row for each token: shape (..., n, d_model).
    w_q, w_k, w_v
        Shape (..., d_model, head_dim); a leading axis of length h gives h heads at once.
    bias, causal
        As for :func:`attention_weights`.

    Returns
    -------
    NDArray[np.float64]
        Shape (..., n, head_dim): one row for each token.

    Examples
    --------
    >>> x = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    >>> from pe_book.why.layers import power_of_two_layer
    >>> self_attention(x, *power_of_two_layer(2)).round(4)
    array([[0.8 , 0.6 ],
           [0.6 , 0.8 ],
           [0.75, 0.75]])
    """
    rows = matrices(x, "x")
    asked, found = matrices(w_q, "w_q").shape, matrices(w_k, "w_k").shape
    if asked[-1] != found[-1]:
        raise ValueError(f"w_q and w_k must have as many columns, head_dim, got shapes {asked} and {found}")
    q, k, v = (_project(rows, w, name) for w, name in ((w_q, "w_q"), (w_k, "w_k"), (w_v, "w_v")))
    return attention(q, k, v, bias=bias, causal=causal)


def _project(rows: NDArray[np.float64], weights: ArrayLike, name: str) -> NDArray[np.float64]:
    matrix = matrices(weights, name)
    if matrix.shape[-2] != rows.shape[-1]:
        raise ValueError(f"{name} must have {rows.shape[-1]} rows, the width of x, got shape {matrix.shape}")
    lead = _broadcast(rows, matrix, f"x and {name}")
    room_for(8 * prod((*lead, rows.shape[-2], matrix.shape[-1])), f"x and {name}", (rows.shape, matrix.shape))
    with np.errstate(over="ignore", invalid="ignore"):
        return finite_result(rows @ matrix, f"x or {name}", "their product", given=rows)  # (..., n, head_dim)


def _broadcast(a: NDArray[np.float64], b: NDArray[np.float64], names: str) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError as error:
        raise ValueError(
            f"{names} must have leading axes that broadcast, got {a.shape} and {b.shape}"
        ) from error


def _scaled(scores: NDArray[np.float64], factor: float | None, width: int) -> NDArray[np.float64]:
    return np.asarray(scores / np.sqrt(width) if factor is None else scores * factor)


def _addend(bias: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    added = real_array(bias, "bias", infinite=True)
    if np.isposinf(added).any():
        raise ValueError("bias must be finite, got inf; only -inf, which forbids a key, may stand in it")
    try:
        return np.broadcast_to(added, shape)  # (..., n_q, n_k)
    except ValueError as error:
        raise ValueError(f"bias must broadcast to the scores, shape {shape}, got {added.shape}") from error
