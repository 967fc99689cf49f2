"""Key minus query, for every query and every key: what relative methods are given instead of places."""

from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import listed_positions, require_whole, room_for
from pe_book.inputs.shapes import Scores


def offsets(queries: ArrayLike, keys: ArrayLike) -> Scores:
    r"""Key minus query, in tokens, for every query and every key.

    .. math:: \Delta_{ij} = p^K_j - p^Q_i

    Parameters
    ----------
    queries, keys
        Positions in tokens, shape (..., n_q) and (..., n_k). Leading axes are a batch, as of texts
        that are padded on the left: as many before queries as before keys, or none before one of them.

    Returns
    -------
    NDArray[np.float64]
        Shape (..., n_q, n_k): negative where the key stands behind the query.

    Raises
    ------
    ValueError
        If one of them is a single number or empty, or leading axes do not fit, or fit by accident.

    Examples
    --------
    One new query at position 2, and three keys:

    >>> offsets([2], [0, 1, 2])
    array([[-2., -1.,  0.]])
    """
    return _differences(listed_positions(queries, "queries"), listed_positions(keys, "keys"))


def whole_offsets(queries: ArrayLike, keys: ArrayLike) -> NDArray[np.int64]:
    """As :func:`offsets`, in whole numbers, for what looks a number up by its offset.

    >>> whole_offsets([2], [0, 0.5])
    Traceback (most recent call last):
        ...
    ValueError: keys must hold whole positions, got 0.5
    """
    at_query, at_key = listed_positions(queries, "queries"), listed_positions(keys, "keys")
    require_whole(at_query, "queries", "positions")
    require_whole(at_key, "keys", "positions")
    # differences reach 2**54, where float64 no longer tells neighbours apart
    return _differences(at_query.astype(np.int64), at_key.astype(np.int64))


def shape_of_pairs(queries: tuple[int, ...], keys: tuple[int, ...]) -> tuple[int, ...]:
    """The shape (..., n_q, n_k) of what has an entry for every query and key, from the shapes of positions.

    >>> shape_of_pairs((2, 5), (3,))
    (2, 5, 3)
    """
    lead, other = queries[:-1] or keys[:-1], keys[:-1] or queries[:-1]
    if not axes_fit(lead, other):
        raise ValueError(
            "queries and keys must have the same leading axes, or one of them none, got shapes "
            f"{queries} and {keys}"
        )
    return (*(max(pair) for pair in zip(lead, other, strict=True)), queries[-1], keys[-1])


def axes_fit(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether leading axes are as many, each as long as its partner or 1; else they would fit by accident.

    >>> axes_fit((2, 1), (2, 8)), axes_fit((8,), (2, 8))
    (True, False)
    """
    return len(one) == len(other) and all(a == b or 1 in (a, b) for a, b in zip(one, other, strict=True))


def _differences(at_query: NDArray[Any], at_key: NDArray[Any]) -> NDArray[Any]:
    shape = shape_of_pairs(at_query.shape, at_key.shape)
    room_for(3 * 8 * prod(shape), "queries and keys", shape)
    return np.asarray(at_key[..., None, :] - at_query[..., :, None])  # (..., n_q, n_k)
