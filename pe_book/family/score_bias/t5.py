"""The learned numbers that T5 adds to scores, one for each bucket of offsets and each head."""

from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.family.offsets import whole_offsets
from pe_book.inputs.checking import (
    finite_positions,
    flag,
    one_of,
    real_array,
    require_whole,
    room_for,
    whole_number,
)
from pe_book.inputs.shapes import Scores

Rule = Literal["exact", "float32"]
RULES = ("exact", "float32")
_MOST_BUCKETS, _FARTHEST = 4096, 2**31  # what is compared in whole numbers stays within a second


def t5_bucket(
    key_minus_query: ArrayLike,
    *,
    n_buckets: int = 32,
    max_distance: int = 128,
    bidirectional: bool = True,
    rule: Rule = "exact",
) -> NDArray[np.int64]:
    r"""Which of its learned numbers T5 adds to a score: one for each small offset, then wider buckets.

    With b buckets a side, E = ⌊b/2⌋ of them exact and W = b − E wide, and n the distance,

    .. math:: n \ \text{ if } n < E, \qquad \min\Bigl(b - 1,\; \allowbreak E + \Bigl\lfloor
        \frac{\log(n/E)}{\log(M/E)}\,W \Bigr\rfloor\Bigr) \allowbreak \ \text{ otherwise}

    M is `max_distance`. The last bucket begins before it: see :func:`t5_last_bucket`.

    Parameters
    ----------
    key_minus_query
        Offsets in tokens, whole, any shape.
    n_buckets
        How many in all, up to 4096; a bidirectional model has half of them for keys ahead.
    max_distance
        M, up to 2^31: the wide buckets are laid out to fill the distances from E to M.
    bidirectional
        As in the encoder. Otherwise, as in the decoder, all keys ahead share bucket 0.
    rule
        ``"exact"``: the formula, decided in whole numbers. ``"float32"``: each step rounded to the nearest
        float32, logarithms too. In most settings the two agree. Where they differ, libraries differ by
        machine: the logarithm of theirs may be off by the last bit, and give the exact bucket.

    Returns
    -------
    NDArray[np.int64]
        The shape of `key_minus_query`, from 0 to n_buckets - 1.

    Raises
    ------
    ValueError
        If `n_buckets` is odd in a bidirectional model, or `max_distance` is among the exact ones.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.t5_bucket([-1, -7, -8, -128, 1])
    array([ 1,  7,  8, 15, 17])

    References
    ----------
    :cite:t:`raffel2020`, section 2.1, and its code, ``_relative_position_bucket``.
    """
    offsets = finite_positions(key_minus_query, "key_minus_query")
    require_whole(offsets, "key_minus_query", "offsets")
    side, both, farthest = _setting(n_buckets, max_distance, bidirectional)
    rounded = one_of(rule, RULES, "rule") == "float32"
    ahead = np.where(offsets > 0, side, 0) if both else 0
    distance = np.abs(offsets) if both else np.maximum(-offsets, 0)
    if rounded:
        return np.asarray(ahead + _in_float32(distance, side, farthest), dtype=np.int64)
    begins = _begins(side, farthest)
    return np.asarray(ahead + np.searchsorted(begins, distance, side="right") - 1, dtype=np.int64)


def t5_bias(
    weight: ArrayLike,
    queries: ArrayLike,
    keys: ArrayLike,
    *,
    max_distance: int = 128,
    bidirectional: bool = True,
    rule: Rule = "exact",
) -> Scores:
    r"""What T5 adds to each score: a learned number of the head for the bucket of the offset.

    .. math:: b^{(h)}_{ij} = w_{\,\mathrm{bucket}(p^K_j - p^Q_i),\,h}

    T5 adds it to scores that are not divided by √d: ``attention(q, k, v, bias=…, scale=1)``. Its layers share
    one `weight`.

    Parameters
    ----------
    weight
        Shape (n_buckets, h), as ``relative_attention_bias.weight`` of a checkpoint.
    queries, keys
        Whole positions in tokens, shape (..., n_q) and (..., n_k).
    max_distance, bidirectional, rule
        As for :func:`t5_bucket`; `n_buckets` is the number of rows of `weight`.

    Returns
    -------
    NDArray[np.float64]
        Shape (..., h, n_q, n_k).

    Raises
    ------
    ValueError
        If `weight` is no table, or its number of rows does not fit.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.t5_bias([[0.0], [-1.0], [-2.0], [-3.0]], [2], range(3), max_distance=4, bidirectional=False)
    array([[[-2., -1.,  0.]]])

    References
    ----------
    :cite:t:`raffel2020`, section 2.1.
    """
    table = real_array(weight, "weight")
    if table.ndim != 2 or table.size == 0:
        raise ValueError(f"weight must have shape (n_buckets, h), got shape {table.shape}")
    try:
        _setting(len(table), max_distance, bidirectional)
    except ValueError as error:
        if "n_buckets" not in str(error):
            raise
        rows = f"{len(table)} rows of weight, shape {table.shape}; is it transposed?"
        raise ValueError(f"{error}: these are the {rows}") from None
    difference = whole_offsets(queries, keys)
    room_for(3 * 8 * difference.size * table.shape[1], "weight, queries and keys", difference.shape)
    found = t5_bucket(
        difference, n_buckets=len(table), max_distance=max_distance, bidirectional=bidirectional, rule=rule
    )
    return np.ascontiguousarray(np.moveaxis(table[found], -1, -3))  # (..., h, n_q, n_k)


def t5_boundaries(
    *, n_buckets: int = 32, max_distance: int = 128, bidirectional: bool = True
) -> NDArray[np.int64]:
    """The distance at which each bucket for keys behind the query begins, in order.

    The settings are those of :func:`t5_bucket`.

    Returns
    -------
    NDArray[np.int64]
        One distance in tokens for each bucket of a side; two that are equal leave the first bucket empty.

    Examples
    --------
    >>> t5_boundaries()
    array([ 0,  1,  2,  3,  4,  5,  6,  7,  8, 12, 16, 23, 32, 46, 64, 91])
    """
    side, _, farthest = _setting(n_buckets, max_distance, bidirectional)
    return _begins(side, farthest).copy()


def t5_last_bucket(*, n_buckets: int = 32, max_distance: int = 128, bidirectional: bool = True) -> int:
    """The distance from which on all keys behind the query share the last bucket.

    In tokens; the settings are those of :func:`t5_bucket`.

    Examples
    --------
    >>> t5_last_bucket(), t5_last_bucket(bidirectional=False)
    (91, 113)
    """
    side, _, farthest = _setting(n_buckets, max_distance, bidirectional)
    return int(_begins(side, farthest)[-1])


def _setting(n_buckets: int, max_distance: int, bidirectional: bool) -> tuple[int, bool, int]:
    """Buckets of a side, whether keys ahead have a side of their own, and the largest distance."""
    both = flag(bidirectional, "bidirectional")
    count = whole_number(n_buckets, "n_buckets", least=4 if both else 2, most=_MOST_BUCKETS)
    if both and count % 2:
        raise ValueError(f"n_buckets must be even, half for keys ahead, got {count}; 32 is usual")
    side = count // 2 if both else count
    farthest = whole_number(max_distance, "max_distance", least=1, most=_FARTHEST)
    if farthest <= side // 2:
        raise ValueError(f"max_distance must be more than the {side // 2} exact offsets, got {farthest}")
    return side, both, farthest


@lru_cache(maxsize=64)
def _begins(side: int, farthest: int) -> NDArray[np.int64]:
    """Where each bucket begins: the smallest n with n^W >= M^j E^(W-j) for the wide bucket number j."""
    exact = side // 2
    wide = side - exact
    steps = np.arange(1, wide)
    roots = exact * (farthest / exact) ** (steps / wide)
    first = np.ceil(roots).astype(np.int64)
    near = np.round(roots).astype(np.int64)
    # float64 decides all but what stands on a whole number: there the powers are compared
    for step in np.flatnonzero(np.abs(roots - near) <= 1e-12 * roots):
        number, power = int(near[step]), int(steps[step])
        reached = number**wide >= farthest**power * exact ** (wide - power)
        first[step] = number if reached else number + 1
    begins = np.concatenate([np.arange(exact + 1), first])  # (b,)
    begins.flags.writeable = False
    return begins


def _in_float32(distance: NDArray[np.float64], side: int, farthest: int) -> NDArray[np.int64]:
    """The formula with each step rounded to float32, logarithms to nearest."""
    exact = side // 2
    ratio = np.maximum(distance, exact).astype(np.float32) / np.float32(exact)
    logarithm = np.log(ratio.astype(np.float64)).astype(np.float32)
    share = logarithm / np.float32(np.log(farthest / exact)) * np.float32(side - exact)
    wide = np.minimum(exact + share.astype(np.int64), side - 1)
    return np.asarray(np.where(distance < exact, distance, wide), dtype=np.int64)
