r"""Positions remapped instead of frequencies: a long text is read with distances a model has been trained on.

Both methods here leave the frequencies and change the *distance* at which a query sees a key. No assignment
of one position to each token gives such distances, so a score is computed from the distance itself.

References: :cite:t:`su2023rerope`; :cite:t:`an2024`.
"""

import math
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.family.context_extension.interpolation import checked_frequencies
from pe_book.inputs.arrays import without_axes
from pe_book.inputs.checking import (
    Layout,
    finite_positions,
    finite_result,
    known_layout,
    physical_memory,
    positive_number,
    real_array,
    room_for,
    whole_number,
)
from pe_book.inputs.pairs import split
from pe_book.inputs.shapes import Scores


def rectified_distance(
    distance: ArrayLike, window: float, *, stride: float = math.inf
) -> NDArray[np.float64]:
    r"""ReRoPE: distances up to a window as they are, those beyond it in steps `stride` times smaller.

    .. math::

        f(t) = \begin{cases} t & t \le w \\ w + (t - w)/k & t > w \end{cases}

    With an infinite stride every key behind the window is seen at the distance w.

    Parameters
    ----------
    distance
        Query minus key, in tokens, any shape. A key ahead, at a negative distance, is treated as its mirror
        image.
    window
        w, in tokens, above 0.
    stride
        k, at least 1, or infinity.

    Returns
    -------
    NDArray[np.float64]
        The shape of `distance`, in tokens.

    Examples
    --------
    >>> rectified_distance(range(7), 4)
    array([0., 1., 2., 3., 4., 4., 4.])
    >>> rectified_distance(range(7), 4, stride=2)
    array([0. , 1. , 2. , 3. , 4. , 4.5, 5. ])

    References
    ----------
    :cite:t:`su2023rerope`.
    """
    t, w = finite_positions(distance, "distance"), positive_number(window, "window")
    number = without_axes(stride)
    endless = isinstance(number, Real) and number == math.inf
    k = math.inf if endless else positive_number(stride, "stride")
    if k < 1:
        raise ValueError(f"stride must be at least 1, so that distances shrink, got {k:g}")
    far = np.abs(t)
    return np.sign(t) * np.where(far <= w, far, w + np.maximum(far - w, 0) / k)


def dual_chunk_distance(
    queries: ArrayLike, keys: ArrayLike, *, chunk: int, original_len: int
) -> NDArray[np.float64]:
    r"""Dual Chunk Attention: the distance at which each query sees each key, never above the trained length.

    The text is cut into chunks of s tokens; let a query at i be :math:`a` chunks behind a key at j, and write
    :math:`i', j'` for the places within their chunks. A query sees a key of its own chunk at the distance
    i - j. Keys are placed by :math:`j'` everywhere. For keys of the chunk before, the first c - s places of a
    query go on behind that chunk, so that neighbours stay neighbours, and later ones stay at c - 1; for all
    chunks further back every query stands at c - 1.

    .. math::

        t_{ij} = \begin{cases}
        i - j & a \le 0 \\
        \min(s + i',\ c - 1) - j' & a = 1 \\
        c - 1 - j' & a > 1
        \end{cases}

    Parameters
    ----------
    queries, keys
        Positions in tokens, whole, 0 or more: shapes (n_q,) and (n_k,).
    chunk
        s, in tokens, at least 1 and less than `original_len`.
    original_len
        c, the trained length in tokens.

    Returns
    -------
    NDArray[np.float64]
        Shape (n_q, n_k), in tokens. Keys ahead, which causal attention never asks for, are at their true
        distance, which is negative.

    Examples
    --------
    Chunks of 3 for a model trained on 5 tokens:

    >>> dual_chunk_distance([7], range(8), chunk=3, original_len=5)
    array([[4., 3., 2., 4., 3., 2., 1., 0.]])

    References
    ----------
    :cite:t:`an2024`, section 3.
    """
    i, j = (
        _whole_positions(queries, "queries")[:, np.newaxis],  # (n_q, 1)
        _whole_positions(keys, "keys"),  # (n_k,)
    )
    s, c = whole_number(chunk, "chunk", least=1), whole_number(original_len, "original_len", least=2)
    if s >= c:
        raise ValueError(f"chunk must be less than original_len, {c}, got {s}")
    room_for(
        6 * 8 * i.size * j.size, "the distances of queries and keys", (i.size, j.size), most=physical_memory()
    )
    apart = i // s - j // s
    near, far = np.minimum(s + i % s, c - 1) - j % s, c - 1 - j % s
    return np.select([apart == 1, apart > 1], [near, far], default=i - j)


def scores_at(
    q: ArrayLike,
    k: ArrayLike,
    distance: ArrayLike,
    frequencies: ArrayLike,
    *,
    layout: Layout = "interleaved",
) -> Scores:
    r"""The products of queries and keys as rotary encoding has them, at distances that are given.

    .. math::

        \begin{aligned}
        s_{mn} = \sum_i\ & (a_i a_i' + b_i b_i') \cos(t_{mn}\omega_i) \\
        {}+{} & (a_i b_i' - b_i a_i') \sin(t_{mn}\omega_i)
        \end{aligned}

    for a query with the pairs :math:`(a_i, b_i)` and a key with :math:`(a_i', b_i')`.

    Parameters
    ----------
    q, k
        Shapes (n_q, d) and (n_k, d), not rotated.
    distance
        Shape (n_q, n_k): query minus key, in tokens.
    frequencies
        Shape (d/2,), radians per token.
    layout
        Of the pairs; see :func:`~pe_book.family.rotary.rotate`.

    Returns
    -------
    NDArray[np.float64]
        Shape (n_q, n_k), not divided by √d.

    Examples
    --------
    >>> scores_at([[1, 0]], [[0, 1]], [[1]], [np.pi / 6]).round(9)
    array([[0.5]])

    See Also
    --------
    pe_book.family.rotary.rotate : where a position for each token is enough.
    """
    rows = real_array(q, "q"), real_array(k, "k")
    apart, omega = finite_positions(distance, "distance"), checked_frequencies(frequencies)
    for name, x in zip("qk", rows, strict=True):
        if x.ndim != 2 or x.shape[1] != 2 * omega.size:
            raise ValueError(
                f"{name} must have shape (n, {2 * omega.size}), two columns for each pair, got {x.shape}"
            )
    if apart.shape != (len(rows[0]), len(rows[1])):
        raise ValueError(f"distance must have shape {(len(rows[0]), len(rows[1]))}, got {apart.shape}")
    room_for(6 * 8 * apart.size, "distance", apart.shape, most=physical_memory())
    layout = known_layout(layout)
    (a, b), (a_key, b_key) = (split(x, layout) for x in rows)
    total = np.zeros(apart.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        for i, frequency in enumerate(omega):
            along = np.outer(a[:, i], a_key[:, i]) + np.outer(b[:, i], b_key[:, i])  # (n_q, n_k)
            across = np.outer(a[:, i], b_key[:, i]) - np.outer(b[:, i], a_key[:, i])  # (n_q, n_k)
            total += along * np.cos(apart * frequency) + across * np.sin(apart * frequency)
    return finite_result(total, "q", "its product with a key", given=rows[0])


def _whole_positions(values: ArrayLike, name: str) -> NDArray[np.float64]:
    found = finite_positions(values, name)
    if found.ndim != 1 or (found < 0).any() or (found != np.floor(found)).any():
        raise ValueError(f"{name} must be a list of whole positions, 0 or more, got shape {found.shape}")
    return found
