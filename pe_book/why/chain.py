"""The recurrent chain that attention replaced, and what each of the two costs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pe_book.inputs.checking import finite_result, flag, real_array, room_for, whole_number
from pe_book.inputs.shapes import Rows


class OperationCounts(NamedTuple):
    """What :func:`operation_counts` returns."""

    chain: int
    product: int
    chain_steps: int
    product_steps: int
    scores: int


def recurrent_chain(x: ArrayLike, w_state: ArrayLike, w_input: ArrayLike, *, linear: bool = False) -> Rows:
    r"""The states of a recurrent network that reads the rows of `x` one by one, from a state of zeros.

    The shape of network of :cite:t:`elman1990`, with tanh and without added constants.

    .. math:: h_p = \tanh(h_{p-1} W_h + x_p W_x), \qquad h_{-1} = 0

    Parameters
    ----------
    x
        One row for each token: shape (n, d_model).
    w_state
        What the old state contributes to the new one: shape (d_state, d_state).
    w_input
        What the token contributes: shape (d_model, d_state).
    linear
        Leave the tanh out.

    Returns
    -------
    NDArray[np.float64]
        Shape (n, d_state): the state after each token; the last row has read everything.

    Raises
    ------
    ValueError
        If a state overflows.

    Examples
    --------
    >>> recurrent_chain([[1.0], [0.0]], [[1.0]], [[1.0]]).round(4)
    array([[0.7616],
           [0.642 ]])
    >>> recurrent_chain([[0.0], [1.0]], [[1.0]], [[1.0]]).round(4)  # the other order, another last state
    array([[0.    ],
           [0.7616]])
    >>> recurrent_chain([[1.0], [2.0]], [[1.0]], [[1.0]], linear=True)
    array([[1.],
           [3.]])
    """
    rows, w_h, w_x = real_array(x, "x"), real_array(w_state, "w_state"), real_array(w_input, "w_input")
    for matrix, name in ((rows, "x"), (w_h, "w_state"), (w_x, "w_input")):
        if matrix.ndim != 2:
            raise ValueError(f"{name} must be a matrix, got shape {matrix.shape}")
    if w_h.shape[0] != w_h.shape[1]:
        raise ValueError(f"w_state must be square, got shape {w_h.shape}")
    if w_x.shape != (rows.shape[1], w_h.shape[0]):
        raise ValueError(
            f"w_input must have shape {(rows.shape[1], w_h.shape[0])} to fit x and w_state, got {w_x.shape}"
        )
    squash = (lambda z: z) if flag(linear, "linear") else np.tanh
    room_for(8 * len(rows) * len(w_h), "x and w_state", (rows.shape, w_h.shape))
    states = np.zeros((len(rows), len(w_h)))
    state = np.zeros(len(w_h))
    for p, row in enumerate(rows):
        with np.errstate(over="ignore", invalid="ignore"):  # refused by name
            z = state @ w_h + row @ w_x  # (d_state,)  waits for the state before it
        state = squash(finite_result(z, "x", "a state", given=rows))
        states[p] = state
    return states


def operation_counts(seq_len: int, d_model: int, *, everything: bool = False) -> OperationCounts:
    r"""Multiplications and waiting steps of one layer: a recurrent chain against self-attention.

    .. math:: \text{chain: } n\,d^2 \text{ in } n \text{ steps}, \qquad
              \text{product: } n^2 d \text{ in } 1 \text{ step}

    The terms of Table 1 of :cite:t:`vaswani2017`, without constant factors or the projections.

    Parameters
    ----------
    seq_len, d_model
        Number of tokens n and width d, each at least 1.
    everything
        Count instead every multiplication in the matrix products of one head whose queries, keys, values and
        states have width d: :math:`2nd^2` for the chain, :math:`3nd^2 + 2n^2d` for the product.

    Returns
    -------
    OperationCounts
        ``chain`` and ``product`` in multiplications, ``chain_steps`` and ``product_steps`` in steps that wait
        for one another, ``scores`` the number of entries of the score matrix, n².

    Examples
    --------
    >>> operation_counts(10, 2)
    OperationCounts(chain=40, product=200, chain_steps=10, product_steps=1, scores=100)
    >>> operation_counts(10, 2, everything=True)[:2]
    (80, 520)
    """
    n, d = whole_number(seq_len, "seq_len", least=1), whole_number(d_model, "d_model", least=1)
    chain, product = n * d**2, n**2 * d
    if flag(everything, "everything"):
        chain, product = 2 * chain, 3 * chain + 2 * product
    return OperationCounts(chain=chain, product=product, chain_steps=n, product_steps=1, scores=n**2)
