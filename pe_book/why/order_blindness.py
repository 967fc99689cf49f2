"""Attention as plain numpy, in one layer and in several, with and without a causal mask.

Rows are tokens: ``x`` has shape (n, d), and a weight matrix acts from the right, ``x @ w``. Leading axes are
heads or a batch.
"""

from collections.abc import Iterable
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.checking import finite_result, flag, matrices, real_array, room_for, whole_number
from pe_book.wording import shown


class Layer(NamedTuple):
    """The three weight matrices of one attention head, each of shape (d_model, head_dim)."""

    w_q: NDArray[np.float64]
    w_k: NDArray[np.float64]
    w_v: NDArray[np.float64]


def attention_weights(
    q: ArrayLike, k: ArrayLike, *, bias: ArrayLike | None = None, causal: bool = False
) -> NDArray[np.float64]:
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
    if queries.shape[-1] != keys.shape[-1]:
        raise ValueError(f"q and k must have the same head_dim, got shapes {queries.shape} and {keys.shape}")
    shape = (*_broadcast(queries, keys, "q and k"), queries.shape[-2], keys.shape[-2])
    room_for(24 * prod(shape), "q and k", (queries.shape, keys.shape))  # scores, masked, weights
    with np.errstate(over="ignore", invalid="ignore"):  # refused below, by name
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        fits = np.isfinite(scores)
        if bias is not None:
            added = _addend(bias, scores.shape)
            scores = scores + added
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
    q: ArrayLike, k: ArrayLike, v: ArrayLike, *, bias: ArrayLike | None = None, causal: bool = False
) -> NDArray[np.float64]:
    r"""Scaled dot-product attention: for each query, the average of the values under its attention weights.

    Equation (1) of :cite:t:`vaswani2017`, here with a bias B.

    .. math:: \mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{QK^T}{\sqrt{d_k}} + B\right) V

    Parameters
    ----------
    q, k, bias, causal
        As for :func:`attention_weights`.
    v
        Values, one for each key: shape (..., n_k, value_dim).

    Returns
    -------
    NDArray[np.float64]
        Shape (..., n_q, value_dim): one row for each query.

    Examples
    --------
    >>> attention([[1.0, 0.0]], [[1.0, 0.0], [1.0, 5.0]], [[2.0], [4.0]])
    array([[3.]])
    """
    values = matrices(v, "v")
    weights = attention_weights(q, k, bias=bias, causal=causal)
    if weights.shape[-1] != values.shape[-2]:
        raise ValueError(
            f"v must have one row for each of the {weights.shape[-1]} keys, got shape {values.shape}"
        )
    lead = _broadcast(weights, values, "the weights of q and k, and v,")
    room_for(8 * prod((*lead, weights.shape[-2], values.shape[-1])), "v", values.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        return finite_result(weights @ values, "v", "an average", given=values)


def self_attention(
    x: ArrayLike,
    w_q: ArrayLike,
    w_k: ArrayLike,
    w_v: ArrayLike,
    *,
    bias: ArrayLike | None = None,
    causal: bool = False,
) -> NDArray[np.float64]:
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
    >>> self_attention(x, *power_of_two_layer(2)).round(4)
    array([[0.8 , 0.6 ],
           [0.6 , 0.8 ],
           [0.75, 0.75]])
    """
    rows = matrices(x, "x")
    q, k, v = (_project(rows, w, name) for w, name in ((w_q, "w_q"), (w_k, "w_k"), (w_v, "w_v")))
    return attention(q, k, v, bias=bias, causal=causal)


def stacked_attention(x: ArrayLike, layers: Iterable[Layer], *, causal: bool = False) -> NDArray[np.float64]:
    r"""Self-attention layers one above the other, each added to what it read (the residual connection).

    Section 3.1 of :cite:t:`vaswani2017`, without feed-forward layer and normalisation.

    .. math:: X^{(l+1)} = X^{(l)} + \mathrm{SelfAttention}_l(X^{(l)})

    Parameters
    ----------
    x
        One row for each token: shape (..., n, d_model).
    layers
        From the bottom up, each with ``w_v`` of shape (d_model, d_model), so that its output can be added.
    causal
        Whether every layer is causal.

    Returns
    -------
    NDArray[np.float64]
        Shape (..., n, d_model); the rows of `x` if there are no layers.

    Raises
    ------
    ValueError
        If a layer's output does not have the shape of its input, or a sum overflows.

    Examples
    --------
    >>> stacked_attention([[1.0, 0.0]], [power_of_two_layer(2)] * 3)
    array([[8., 0.]])
    """
    rows, only_behind = matrices(x, "x"), flag(causal, "causal")
    try:
        stack = iter(layers)
    except TypeError as error:
        raise TypeError(
            f"layers must be a list of layers, three matrices each, got {shown(layers)}"
        ) from error
    for number, layer in enumerate(stack):
        three: object = layer
        if not isinstance(three, tuple | list) or len(three) != 3:
            raise TypeError(f"layers[{number}] must be three matrices, w_q, w_k and w_v, got {shown(layer)}")
        try:
            change = self_attention(rows, *layer, causal=only_behind)
        except (ValueError, TypeError) as error:
            raise type(error)(f"layers[{number}] must fit x: {error}") from error
        if change.shape != rows.shape:
            raise ValueError(
                f"layers[{number}] must keep the shape {rows.shape}, got {change.shape} from its w_v"
            )
        with np.errstate(over="ignore"):
            rows = finite_result(rows + change, "x", f"what layers[{number}] adds to it", given=rows)
    return rows


def power_of_two_layer(d_model: int) -> Layer:
    r"""The head that weighs rows by powers of two and averages the rows themselves.

    .. math:: W_Q = \sqrt{d}\,\ln 2 \cdot I, \quad W_K = W_V = I, \quad
              \text{so that } a_{ij} \propto 2^{x_i \cdot x_j}

    The root undoes the scaling of the scores, the logarithm turns powers of e into powers of two, and rows of
    whole numbers give fractions.

    Parameters
    ----------
    d_model
        Width, at least 1.

    Returns
    -------
    Layer
        Three matrices of shape (d_model, d_model).

    Examples
    --------
    >>> attention_weights(power_of_two_layer(1).w_q, [[0.0], [2.0]])  # powers 1 and 4
    array([[0.2, 0.8]])
    """
    d = whole_number(d_model, "d_model", least=1)
    room_for(5 * 8 * d * d, "d_model", d)
    return Layer(w_q=np.sqrt(d) * np.log(2) * np.eye(d), w_k=np.eye(d), w_v=np.eye(d))


def random_layers(n_layers: int, d_model: int, *, seed: int) -> list[Layer]:
    r"""Layers with weights drawn from a normal distribution of variance 1/d_model.

    With that variance, rows of unit variance get scores of variance 1. Larger weights saturate the softmax:
    each row then looks at one row alone, and what tells two orders apart can fall below the last bit.

    Parameters
    ----------
    n_layers, d_model
        How many layers, 0 or more, and their width, at least 1.
    seed
        Of numpy's default generator, a whole number of at least 0.

    Returns
    -------
    list of Layer
        From the bottom up.

    Examples
    --------
    >>> [layer.w_q.shape for layer in random_layers(2, 8, seed=0)]
    [(8, 8), (8, 8)]
    """
    count, d = whole_number(n_layers, "n_layers", least=0), whole_number(d_model, "d_model", least=1)
    room_for(24 * count * d * d, "n_layers and d_model", (count, d))
    generator = np.random.default_rng(whole_number(seed, "seed", least=0))
    if count == 0:
        return []
    drawn = generator.normal(0.0, d**-0.5, (count, 3, d, d))
    return [Layer(w_q, w_k, w_v) for w_q, w_k, w_v in drawn]


def _project(rows: NDArray[np.float64], weights: ArrayLike, name: str) -> NDArray[np.float64]:
    matrix = matrices(weights, name)
    if matrix.shape[-2] != rows.shape[-1]:
        raise ValueError(f"{name} must have {rows.shape[-1]} rows, the width of x, got shape {matrix.shape}")
    lead = _broadcast(rows, matrix, f"x and {name}")
    room_for(8 * prod((*lead, rows.shape[-2], matrix.shape[-1])), f"x and {name}", (rows.shape, matrix.shape))
    with np.errstate(over="ignore", invalid="ignore"):
        return finite_result(rows @ matrix, f"x or {name}", "their product", given=rows)


def _broadcast(a: NDArray[np.float64], b: NDArray[np.float64], names: str) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError as error:
        raise ValueError(
            f"{names} must have leading axes that broadcast, got {a.shape} and {b.shape}"
        ) from error


def _addend(bias: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    added = real_array(bias, "bias", infinite=True)
    if np.isposinf(added).any():
        raise ValueError("bias must be finite, got inf; only -inf, which forbids a key, may stand in it")
    try:
        return np.broadcast_to(added, shape)
    except ValueError as error:
        raise ValueError(f"bias must broadcast to the scores, shape {shape}, got {added.shape}") from error
