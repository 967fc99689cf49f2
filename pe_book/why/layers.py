"""Attention in several layers, and layers to try it with."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pe_book.inputs.checking import finite_result, flag, matrices, room_for, whole_number
from pe_book.inputs.shapes import Rows, Weights
from pe_book.inputs.wording import shown
from pe_book.why.order_blindness import self_attention


class Layer(NamedTuple):
    """The three weight matrices of one attention head, each of shape (d_model, head_dim)."""

    w_q: Weights
    w_k: Weights
    w_v: Weights


def stacked_attention(x: ArrayLike, layers: Iterable[Layer], *, causal: bool = False) -> Rows:
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
    >>> from pe_book.why.order_blindness import attention_weights
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
