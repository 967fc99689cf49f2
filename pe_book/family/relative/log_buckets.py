"""The logarithmic buckets into which later versions of DeBERTa sort offsets, decided by whole numbers."""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import finite_positions, require_whole, whole_number

MOST_BUCKETS = 1024  # the edges of more are whole powers with too many digits


def deberta_log_bucket(query_minus_key: ArrayLike, *, n_buckets: int, max_position: int) -> NDArray[np.int64]:
    r"""The bucket of an offset in later versions: itself up to half of the buckets, then ever wider ones.

    With m = n_buckets/2, M = max_position and r the offset,

    .. math::

        \begin{aligned}
        & r && \text{ if } |r| \le m, \\
        & \operatorname{sgn}(r)\,(m + t) && \text{ otherwise}
        \end{aligned}

    with

    .. math:: t = \Bigl\lceil \frac{\log(|r|/m)}{\log((M-1)/m)}\,(m - 1) \Bigr\rceil

    Decided by whole numbers: the logarithms are compared as the powers :math:`|r|^{m-1}` and
    :math:`(M-1)^t\, m^{m-1-t}`. The paper has no buckets; this is ``make_log_bucket_position`` of its code.

    Parameters
    ----------
    query_minus_key
        Offsets in tokens, whole, any shape.
    n_buckets
        On each side: even, from 4 to 1024.
    max_position
        M: the offset M - 1 gets the last bucket. At least n_buckets/2 + 2.

    Returns
    -------
    NDArray[np.int64]
        The shape of `query_minus_key`, from -n_buckets to n_buckets. The two ends are of offsets from M on,
        for which the code counts on; both meet the same row of a table.

    Raises
    ------
    ValueError
        If an offset is a fraction, or the buckets do not fit.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.deberta_log_bucket([-3, 128, 129, 130, 511, 512], n_buckets=256, max_position=512)
    array([ -3, 128, 129, 130, 255, 256])

    References
    ----------
    :cite:t:`he2021`, ``DeBERTa/deberta/da_utils.py`` of the code.
    """
    offsets = finite_positions(query_minus_key, "query_minus_key")
    require_whole(offsets, "query_minus_key", "offsets")
    return bucket_of(offsets.astype(np.int64), edges_of(n_buckets, max_position, "n_buckets"))


@lru_cache(maxsize=64)
def _edges(n_buckets: int, max_position: int) -> NDArray[np.int64]:
    mid, last = n_buckets // 2, max_position - 1
    found = []
    for t in range(mid):
        limit = last**t * mid ** (mid - 1 - t)
        edge = int(mid * (last / mid) ** (t / (mid - 1)))
        while edge ** (mid - 1) > limit:
            edge -= 1
        while (edge + 1) ** (mid - 1) <= limit:
            edge += 1
        found.append(edge)
    edges = np.array(found, dtype=np.int64)
    edges.flags.writeable = False
    return edges


def edges_of(n_buckets: object, max_position: object, name: str) -> NDArray[np.int64]:
    """The largest distance of every bucket from n_buckets/2 on, refused where buckets do not fit.

    >>> edges_of(4, 10, "n_buckets")
    array([2, 9])
    """
    count = whole_number(n_buckets, name, least=4, most=MOST_BUCKETS)
    if count % 2:
        raise ValueError(f"{name} must be even, half of the buckets being exact, got {count}")
    least = count // 2 + 2
    return _edges(count, whole_number(max_position, "max_position", least=least, most=2**53))


def bucket_of(offsets: NDArray[np.int64], edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """The bucket of each offset, by the largest distances of the buckets from the middle one on.

    >>> bucket_of(np.array([-1, 3, 10]), edges_of(4, 10, "n_buckets"))
    array([-1,  3,  4])
    """
    distance = np.abs(offsets)
    wide = len(edges) + np.searchsorted(edges, distance)
    return np.asarray(np.where(distance <= len(edges), offsets, np.sign(offsets) * wide), dtype=np.int64)
