"""The buckets of offsets in which T5 keeps its learned biases."""

from math import log

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import finite_positions, flag, room_for, whole_number


def t5_bucket(
    key_minus_query: ArrayLike, *, n_buckets: int = 32, max_distance: int = 128, bidirectional: bool = True
) -> NDArray[np.int64]:
    r"""Which of its learned numbers T5 adds to a score: one for each small offset, then wider buckets.

    With b buckets a side, half of them exact, and n the distance,

    .. math:: n \ \text{ if } n < b/2, \qquad \min\Bigl(b - 1,\; \allowbreak \tfrac b2 + \Bigl\lfloor
        \frac{\log(2n/b)}{\log(2M/b)}\,\tfrac b2 \Bigr\rfloor\Bigr) \allowbreak \ \text{ otherwise}

    M is `max_distance`. The last bucket begins before it: see :func:`t5_last_bucket`.

    Parameters
    ----------
    key_minus_query
        Offsets in tokens, whole, any shape.
    n_buckets
        How many in all; a bidirectional model has half of them for keys ahead.
    max_distance
        M: from here on the formula would need another bucket.
    bidirectional
        As in the encoder. Otherwise, as in the decoder, all keys ahead share bucket 0.

    Returns
    -------
    NDArray[np.int64]
        The shape of `key_minus_query`, from 0 to n_buckets - 1.

    Raises
    ------
    ValueError
        If `n_buckets` is no multiple of 4, or `max_distance` is among the exact ones.

    Examples
    --------
    >>> t5_bucket([-1, -7, -8, -128, 1])
    array([ 1,  7,  8, 15, 17])

    References
    ----------
    :cite:t:`raffel2020`, section 2.1, and its code, ``_relative_position_bucket``.
    """
    offsets = finite_positions(key_minus_query, "key_minus_query")
    if (offsets != np.round(offsets)).any():
        raise ValueError(
            f"key_minus_query must hold whole offsets, got {offsets[offsets != np.round(offsets)][0]:g}"
        )
    count, both = (
        whole_number(n_buckets, "n_buckets", least=4, most=2**53),
        flag(bidirectional, "bidirectional"),
    )
    if count % 4:
        raise ValueError(f"n_buckets must be a multiple of 4, got {count}; 32 is usual")
    side = count // 2 if both else count
    exact = side // 2
    farthest = whole_number(max_distance, "max_distance", least=1, most=2**53)
    if farthest <= exact:
        raise ValueError(f"max_distance must be more than the {exact} exact offsets, got {farthest}")
    ahead = np.where(offsets > 0, side, 0) if both else 0
    distance = np.abs(offsets) if both else np.maximum(-offsets, 0)
    share = np.log(np.maximum(distance, exact) / exact) / log(farthest / exact)
    wide = np.minimum(exact + (share * (side - exact)).astype(np.int64), side - 1)
    return np.asarray(ahead + np.where(distance < exact, distance, wide), dtype=np.int64)


def t5_last_bucket(*, n_buckets: int = 32, max_distance: int = 128, bidirectional: bool = True) -> int:
    """The distance from which on all keys behind the query share the last bucket.

    Parameters
    ----------
    n_buckets, max_distance, bidirectional
        As for :func:`t5_bucket`.

    Returns
    -------
    int
        In tokens.

    Examples
    --------
    >>> t5_last_bucket(), t5_last_bucket(bidirectional=False)
    (91, 113)
    """
    farthest = whole_number(max_distance, "max_distance", least=1)
    room_for(10 * 8 * farthest, "max_distance", farthest)
    side = t5_bucket(
        -np.arange(farthest + 1),
        n_buckets=n_buckets,
        max_distance=max_distance,
        bidirectional=bidirectional,
    )
    return int(np.argmax(side == side[-1]))
