"""Which position each token of a real batch has: behind padding, and in rows that hold several sentences.

Torch modules take what these functions return as their argument ``positions``.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import real_array, room_for, whole_number
from pe_book.inputs.wording import shown


def position_ids(mask: ArrayLike) -> NDArray[np.int64]:
    r"""The position of every token of a padded batch: how many real tokens stand before it in its row.

    .. math:: p_j = \max\Bigl(0,\; \sum_{l \le j} m_l - 1\Bigr)

    For a real token that is its place in its own sentence, wherever the padding is. Padding gets a valid
    position too, which no real token may attend to.

    Parameters
    ----------
    mask
        Shape (seq_len,) or (..., seq_len): 1 or True for a token, 0 or False for padding.

    Returns
    -------
    NDArray[np.int64]
        The shape of `mask`, in tokens. The next token of a row has the position ``mask.sum(-1)``.

    Raises
    ------
    ValueError
        If an entry is neither 0 nor 1, as in an additive mask.

    Examples
    --------
    >>> position_ids([0, 0, 1, 1, 1])
    array([0, 0, 0, 1, 2])

    See Also
    --------
    packed_positions : several sentences in one row.
    """
    tokens = real_array(_numbers(mask), "mask", infinite=True)
    if tokens.ndim == 0:
        raise ValueError(f"mask must have a last axis of tokens, got the single value {tokens:g}")
    wrong = (tokens != 0) & (tokens != 1)
    if wrong.any():
        odd = tokens[wrong].flat[0]
        raise ValueError(f"mask must hold 1 for a token and 0 for padding, got {odd}; an additive mask of 0 "
                         "and -inf is another thing: pass mask == 0")  # fmt: skip
    return np.maximum(np.cumsum(tokens, axis=-1, dtype=np.int64) - 1, 0)


def packed_positions(lengths: ArrayLike) -> NDArray[np.int64]:
    r"""The positions in a row that holds several sentences one after the other: each starts again at 0.

    .. math:: (0, \dots, n_1 - 1,\; 0, \dots, n_2 - 1,\; \dots)

    Parameters
    ----------
    lengths
        Shape (number of sentences,): how many tokens each has, at least 1.

    Returns
    -------
    NDArray[np.int64]
        Shape (sum of `lengths`,), in tokens.

    Examples
    --------
    >>> packed_positions([3, 2])
    array([0, 1, 2, 0, 1])

    See Also
    --------
    position_ids : one sentence a row, with padding.
    """
    if real_array(lengths, "lengths").ndim != 1 or len(np.asarray(lengths)) == 0:
        raise ValueError(f"lengths must be a list of at least one length, got {shown(lengths)}")
    counts = np.asarray(lengths).tolist()
    sizes = [whole_number(count, "every entry of lengths", least=1) for count in counts]
    room_for(2 * 8 * sum(sizes), "lengths", lengths)
    return np.concatenate([np.arange(size, dtype=np.int64) for size in sizes])  # (n,)


def _numbers(mask: Any, depth: int = 0) -> Any:
    """Booleans as 0 and 1, in arrays and tensors of every library alike; all else as it is."""
    if isinstance(mask, list | tuple) and depth <= 64:
        return [_numbers(row, depth + 1) for row in mask]
    is_boolean = isinstance(mask, bool) or str(getattr(mask, "dtype", "")).endswith("bool")
    return mask * 1 if is_boolean else mask
