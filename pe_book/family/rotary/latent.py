r"""Latent attention's rotary part: content is compared without position, and a few columns beside it turn.

Multi-head latent attention keeps a compressed row for each token and multiplies the map from there to the
keys into the queries. A rotation between the two would depend on the position and could not be multiplied in.
So position gets columns of its own, *decoupled* from content: every head's query has some, and all heads
share those of one key.

Reference: :cite:t:`deepseek2024v2`, section 2.1.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from pe_book.family.rotary import rotate
from pe_book.inputs.checking import Layout, finite_positions, finite_result, real_array
from pe_book.inputs.shapes import Scores


def decoupled_scores(
    q_content: ArrayLike,
    k_content: ArrayLike,
    q_rotary: ArrayLike,
    k_rotary: ArrayLike,
    queries: ArrayLike,
    keys: ArrayLike,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    frequencies: ArrayLike | None = None,
) -> Scores:
    r"""The scores of latent attention: those of content, and those of the few columns that are turned.

    .. math::

        s_{mn} = \frac{\langle q^C_m, k^C_n\rangle + \langle R_m q^R_m, R_n k^R_n\rangle}{\sqrt{d_C + d_R}}

    Parameters
    ----------
    q_content, k_content
        Shapes (h, n_q, d_C) and (h, n_k, d_C).
    q_rotary
        Shape (h, n_q, d_R), d_R even.
    k_rotary
        Shape (n_k, d_R): one key for all heads.
    queries, keys
        Positions in tokens: shapes (n_q,) and (n_k,).
    base, layout, frequencies
        Of the rotary columns, whose own width stands in the exponent; see
        :func:`~pe_book.family.rotary.rotate`.

    Returns
    -------
    NDArray[np.float64]
        Shape (h, n_q, n_k).

    Examples
    --------
    Content that is alike for every pair of tokens leaves the difference of positions:

    >>> same, turning = np.ones((1, 3, 2)), np.array([[1.0, 0.0]] * 3)
    >>> scores = decoupled_scores(same, same, turning[None], turning, [5, 6, 7], [5, 6, 7])
    >>> scores[0].round(3)
    array([[1.5  , 1.27 , 0.792],
           [1.27 , 1.5  , 1.27 ],
           [0.792, 1.27 , 1.5  ]])

    References
    ----------
    :cite:t:`deepseek2024v2`, equations 14 to 19.
    """
    content_q, content_k = real_array(q_content, "q_content"), real_array(k_content, "k_content")
    turned_q, shared = real_array(q_rotary, "q_rotary"), real_array(k_rotary, "k_rotary")
    for name, x, axes in (
        ("q_content", content_q, 3), ("k_content", content_k, 3), ("q_rotary", turned_q, 3),
        ("k_rotary", shared, 2),
    ):  # fmt: skip
        if x.ndim != axes:
            raise ValueError(f"{name} must have {axes} axes, got shape {x.shape}")
    if content_q.shape[::2] != content_k.shape[::2]:
        raise ValueError(
            f"k_content must have heads and columns of q_content, {content_q.shape}, got {content_k.shape}"
        )
    if turned_q.shape[:2] != content_q.shape[:2]:
        raise ValueError(
            f"q_rotary must have heads and rows of q_content, {content_q.shape}, got {turned_q.shape}"
        )
    if shared.shape != (content_k.shape[1], turned_q.shape[2]):
        wanted = (content_k.shape[1], turned_q.shape[2])
        raise ValueError(f"k_rotary must have shape {wanted}, one row for all heads, got {shared.shape}")
    at_q, at_k = finite_positions(queries, "queries"), finite_positions(keys, "keys")
    for name, at, n in (("queries", at_q, content_q.shape[1]), ("keys", at_k, content_k.shape[1])):
        if at.shape != (n,):
            raise ValueError(f"{name} must have shape ({n},), a position for each row, got {at.shape}")
    turned_q = rotate(turned_q, at_q, base=base, layout=layout, frequencies=frequencies)
    shared = rotate(shared, at_k, base=base, layout=layout, frequencies=frequencies)
    with np.errstate(over="ignore", invalid="ignore"):
        total = content_q @ content_k.swapaxes(1, 2) + turned_q @ shared.T  # (h, n_q, n_k)
    total = finite_result(total, "q_content", "a product with a key", given=content_q)
    return total / math.sqrt(content_q.shape[2] + turned_q.shape[2])
