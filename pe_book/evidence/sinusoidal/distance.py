"""What the chapter on distance decides about kernels, score matrices and blends."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.verdict import Verdict
from pe_book.sinusoidal.distance import relative_part
from pe_book.sinusoidal.formula import encode


class Heads(NamedTuple):
    """Of each head: the share of its score matrix, and of its scores over some positions, in [0, 1]."""

    relative: NDArray[np.float64]  # of the matrix, that sees the offset alone
    silent: NDArray[np.float64]  # of the scores, that softmax ignores


def points_back(scores: ArrayLike, d_model: int) -> Verdict:
    """Every earlier position scores above zero, and the one as far ahead scores exactly the opposite.

    A score is off by at most :math:`d^2 2^{-54}`: d steps, each losing :math:`2^{-53}` of a sum up to d/2.
    """
    table = np.asarray(scores, dtype=np.float64)
    least = float(table[np.tril_indices(len(table), -1)].min())
    mirrored = float(np.abs(table + table.T).max())
    bound = 2 * d_model**2 * 2.0**-54
    return Verdict(
        least > 0 and mirrored <= bound,
        {"least score of an earlier position": least, "largest mirrored sum": mirrored, "rounding": bound},
    )


def sees_the_offset_alone(scores: ArrayLike) -> Verdict:
    """Scores are one number along every diagonal: what a pair of positions gets depends on its offset alone.

    Relative to the largest score: products of some hundred terms differ by some 1e-14 of it.
    """
    table, bound = np.asarray(scores, dtype=np.float64), 1e-12
    n = len(table)
    widest = max(float(np.ptp(np.diagonal(table, k))) for k in range(1 - n, n))
    relative = widest / float(np.abs(table).max())
    return Verdict(relative <= bound, {"largest difference along a diagonal": relative, "bound": bound})


def silent_share(scores: ArrayLike) -> float:
    """The share of the energy of some scores that is one number for all keys of a query: softmax ignores it.

    It is the squared mean of each query times the number of keys, summed, over the sum of all squares.

    >>> silent_share([[3, 3, 3], [1, 0, -1]])
    0.9310344827586207
    """
    table = np.asarray(scores, dtype=np.float64)
    return float(table.shape[1] * np.square(table.mean(axis=1)).sum() / np.square(table).sum())


def heads_before_training(count: int, d_model: int, head_dim: int, n: int, *, seed: int) -> Heads:
    """What the score matrices of `count` untrained heads make of the positions 0, …, n-1.

    A head is W_Q^T W_K with independent standard normal entries; a share does not depend on their scale.

    >>> heads = heads_before_training(200, 8, 4, 6, seed=0)
    >>> f"{heads.relative.mean():.2f}"  # 1/8 is to be expected
    '0.13'
    """
    random = np.random.default_rng(seed)
    rows = encode(range(n), d_model)
    relative, silent = [], []
    for _ in range(count):
        query, key = random.normal(size=(2, head_dim, d_model))
        m = query.T @ key
        relative.append(np.square(relative_part(m)).sum() / np.square(m).sum())
        silent.append(silent_share(rows @ m @ rows.T))
    return Heads(np.array(relative), np.array(silent))


def blend_looks_like_its_ends(similarities: ArrayLike) -> Verdict:
    """From some distance on, a blend half and half is more like its ends than like the position between.

    With an end it has the product (s(0) + s(k))/2, with the middle s(k/2); the middle wins up to one k alone.
    """
    s = np.asarray(similarities, dtype=np.float64)
    even = np.arange(2, len(s), 2)
    ends_win = (s[0] + s[even]) / 2 > s[even // 2]
    first = int(even[ends_win.argmax()]) if ends_win.any() else -1
    once = first > 2 and bool(ends_win[even >= first].all())
    return Verdict(once, {"from": first, "to": int(even[-1])})
