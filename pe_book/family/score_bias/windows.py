"""Windows: a query sees the keys near it and, if asked, the first of the text."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.family.offsets import offsets
from pe_book.inputs.checking import flag, listed_positions, whole_number

_FARTHEST = 2**55  # beyond all differences of positions, and within float64


def window_mask(
    queries: ArrayLike, keys: ArrayLike, *, window: int, sinks: int = 0, causal: bool = True
) -> NDArray[np.bool_]:
    r"""Which keys a query may see: those less than a window away, and the first of the text.

    .. math:: 0 \le p^Q_i - p^K_j < w \qquad \text{or} \qquad
              0 \le p^K_j < s \ \text{ and } \ p^K_j \le p^Q_i

    Parameters
    ----------
    queries, keys
        Positions in tokens, shape (..., n_q) and (..., n_k).
    window
        w: how many keys a causal query sees, itself among them, so that the farthest is w - 1 tokens behind.
    sinks
        s: how many tokens at the beginning, positions 0 … s - 1, stay visible from everywhere behind them.
    causal
        Whether keys ahead are hidden. Otherwise those less than a window ahead are seen too, and the kept
        first ones from everywhere.

    Returns
    -------
    NDArray[np.bool_]
        Shape (..., n_q, n_k), True where the key is seen: the ``attn_mask`` of torch. As a bias:
        ``np.where(mask, 0, -np.inf)``.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.window_mask(range(5), range(5), window=2, sinks=1).astype(int)
    array([[1, 0, 0, 0, 0],
           [1, 1, 0, 0, 0],
           [1, 1, 1, 0, 0],
           [1, 0, 1, 1, 0],
           [1, 0, 0, 1, 1]])

    References
    ----------
    Windows: :cite:t:`beltagy2020`, section 3.1. Kept first tokens: :cite:t:`xiao2024`, section 3.2.
    """
    size = min(whole_number(window, "window", least=1), _FARTHEST)
    first = min(whole_number(sinks, "sinks", least=0), _FARTHEST)
    only_behind = flag(causal, "causal")
    difference, where = offsets(queries, keys), listed_positions(keys, "keys")
    near = np.abs(difference) < size
    kept = (where >= 0) & (where < first)
    seen = near | kept[..., None, :]  # (..., n_q, n_k)
    return np.asarray(seen & (difference <= 0) if only_behind else seen)
