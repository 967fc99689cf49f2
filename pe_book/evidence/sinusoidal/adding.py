"""What the chapter on adding measures, and the verdicts that its statements rest on.

Rows are tokens and a weight matrix acts from the right, as in :mod:`pe_book.sinusoidal.adding`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.verdict import Verdict
from pe_book.numerics.rounding import closest_pair
from pe_book.sinusoidal.adding import loudness, score_terms
from pe_book.sinusoidal.adding.reading import principal_variances
from pe_book.sinusoidal.adding.subspaces import ClosestSums
from pe_book.why.order_blindness import attention_weights

Array = NDArray[np.float64]
HEAD_DIM = 64

# Measurements ---------------------------------------------------------------------------------------------


class DifferentWords(NamedTuple):
    """How close two different words at different places come, and a bound for it.

    `dimensions` are those in which the places differ, `least` is how far any two words are apart in all
    others, and `gap` is the smallest distance of two sums with different words and different places.
    """

    dimensions: int
    least: float
    gap: float


def different_words(words: ArrayLike, places: ArrayLike, *, cut: float = 1e-6) -> DifferentWords:
    """The closest two sums that share neither the word nor the place, of at least two words and two places.

    In directions in which no two places differ, two sums differ by their words alone: that is the bound. The
    pairs of words are taken in the order of this bound until it exceeds the smallest distance found.
    Directions in which the places reach less than the part `cut` of what they do in the widest count as none;
    twice that reach is taken off the bound.

    >>> different_words([[0.0, 0], [5, 3]], [[0.0, 0], [1, 0]])
    DifferentWords(dimensions=1, least=3.0, gap=5.0)
    """
    x, p = np.asarray(words, float), np.asarray(places, float)
    _, reach, directions = np.linalg.svd(p[1:] - p[0])
    taken = int((reach > cut * reach[0]).sum())
    slack = 2 * float(reach[taken:].max(initial=0))
    outside = x @ directions[taken:].T
    steps = (p[:, np.newaxis] - p)[~np.eye(len(p), dtype=bool)]
    squares = (outside**2).sum(axis=1)
    apart = np.sqrt(np.maximum(squares[:, np.newaxis] + squares - 2 * outside @ outside.T, 0))
    first, second = np.triu_indices(len(x), 1)
    order = np.argsort(apart[first, second])
    gap = np.inf
    for chunk in np.array_split(order, len(order) // 128 + 1):
        # distances that come out of a difference of squares are good to half the digits
        if apart[first[chunk[0]], second[chunk[0]]] - slack > gap * (1 + 1e-6):
            break
        between = x[first[chunk]] - x[second[chunk]]
        found = (between**2).sum(axis=1)[:, np.newaxis] + (steps**2).sum(axis=1) + 2 * between @ steps.T
        gap = min(gap, float(np.sqrt(max(found.min(), 0))))
    return DifferentWords(taken, closest_pair(outside).gap - slack, gap)


def noticed_ratio(places: ArrayLike, ratio: float) -> float:
    r"""How much louder word-word is than place-place to a softmax, over heads drawn at random.

    .. math:: r^2 \sqrt{\frac{(1 - 1/n)\,\overline{\lVert p \rVert^2}}{\sum_m \lambda_m}}

    It is the root mean square of the first of the four tables over that of the last, for n places and words
    that are r times as long, the `ratio`. A softmax does not notice the mean of a query's scores. Of n
    unrelated words the mean over the keys takes 1/n away, of the places all that they have in common; the
    variances :math:`\lambda` are what is left. The expected square of :math:`u M v^\top` under independent
    weights is proportional to :math:`\lVert u \rVert^2 \lVert v \rVert^2`.

    >>> round(noticed_ratio([[1, 0], [-1, 0]], 1), 4)
    0.7071
    """
    p = np.asarray(places, float)
    lengths, left = float((p**2).sum(axis=1).mean()), float(principal_variances(p).sum())
    return ratio**2 * float(np.sqrt((1 - 1 / len(p)) * lengths / left))


def shares_recovered(places: ArrayLike, word_stds: ArrayLike) -> Array:
    """What ``recovered_place`` returns for each of many words, decomposed once.

    A word is given by the standard deviation of its entries as it is added.

    >>> shares_recovered([[1, 0], [-1, 0]], [0, 1, 2])
    array([1. , 0.5, 0.2])
    """
    variances = principal_variances(places)
    variances = variances[variances > 0]
    noise = np.square(np.asarray(word_stds, float))[:, np.newaxis]  # (m, 1)  beside at most (d_model,)
    shares: Array = (variances**2 / (variances + noise)).sum(axis=1) / variances.sum()
    return shares


def table_sizes(words: ArrayLike, places: ArrayLike, *, heads: int, seed: int, noticed: bool) -> Array:
    """Root mean squares of the four tables of scores, over heads with normal weights.

    The tables are word-word, word-place, place-word and place-place. Each head reads as many words of its own
    as there are places. Where `noticed`, each query's mean over the keys is taken out first, which no softmax
    notices.

    >>> sizes = table_sizes(np.ones((2, 4)), np.ones((2, 4)), heads=1, seed=0, noticed=False)
    >>> bool(np.ptp(sizes) < 1e-12)
    True
    """
    x, p, rng = np.asarray(words, float), np.asarray(places, float), np.random.default_rng(seed)
    squares = np.zeros(4)
    for head in range(heads):
        w_q, w_k = rng.normal(size=(2, p.shape[1], HEAD_DIM))
        tables = score_terms(x[head * len(p) : (head + 1) * len(p)], p, w_q, w_k)
        squares += [np.square(t - t.mean(axis=1, keepdims=True) * noticed).mean() for t in tables]
    return np.asarray(np.sqrt(squares / heads))


def largest_weight(words: ArrayLike, places: ArrayLike, *, fan_out: int, seed: int) -> float:
    r"""The largest softmax weight of a query, on average over queries and heads drawn by Glorot's rule.

    .. math:: \text{entries uniform on } \pm\sqrt{6 / (d_\text{model} + \text{fan out})}

    `fan_out` is d_model if one matrix is cut into heads, the width of a head if each has its own.

    >>> largest_weight(np.zeros((4, 2)), np.ones((4, 2)), fan_out=2, seed=0)
    0.25
    """
    rows, rng = np.asarray(words, float) + np.asarray(places, float), np.random.default_rng(seed)
    limit = np.sqrt(6 / (rows.shape[1] + fan_out))
    found = []
    for _ in range(8):
        w_q, w_k = rng.uniform(-limit, limit, size=(2, rows.shape[1], HEAD_DIM))
        found.append(attention_weights(rows @ w_q, rows @ w_k).max(axis=1).mean())
    return float(np.mean(found))


# Verdicts -------------------------------------------------------------------------------------------------


def no_row_of_the_table(codes: ArrayLike) -> Verdict:
    """Whether none of some codes, printed with two digits, can be a row of the sinusoidal table.

    The squares of the first two entries add up to 1, but for what rounding does to it.
    """
    pairs, half = np.asarray(codes, float)[:, :2], 0.005
    misses = np.abs((pairs**2).sum(axis=1) - 1)
    rounding = 2 * half * np.abs(pairs).sum(axis=1) + 2 * half**2
    return Verdict(
        (misses > rounding).all(), {"misses": float(misses.min()), "rounding": float(rounding.max())}
    )


def one_word_one_step(nearest: ClosestSums, places: ArrayLike) -> Verdict:
    """Whether the closest two sums are one word at neighbouring places, one step of the encoding apart."""
    p = np.asarray(places, float)
    (word, place), (word2, place2) = nearest.first, nearest.second
    step = float(np.linalg.norm(p[1] - p[0]))
    same = word == word2 and abs(place - place2) == 1
    return Verdict(same and abs(nearest.gap - step) < 1e-9, {"gap": nearest.gap, "step": step})


def mean_cosine_rises(words: ArrayLike, place: ArrayLike) -> Verdict:
    r"""Whether unrelated words that share a place turn towards each other as the chapter says.

    The mean cosine goes from 0 to :math:`1/(1 + r^2)` where words are r times as long; that of v drawn words
    is off by :math:`1/\sqrt{v\,d}`, a few thousandths for a thousand words.
    """
    x, p = np.asarray(words, float), np.asarray(place, float)

    def mean_cosine(rows: Array) -> float:
        units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return float((units @ units.T)[np.triu_indices(len(units), 1)].mean())

    apart, together = mean_cosine(x), mean_cosine(x + p)
    # the length of a place is that of the theory, not of the row that is judged
    expected = 1 / (1 + loudness(float(np.sqrt((x**2).mean())), x.shape[1]).ratio ** 2)
    found = {"apart": apart, "together": together, "expected": expected}
    return Verdict(abs(apart) < 0.01 and abs(together - expected) < 0.01, found)


def cosines_are_chance(words: ArrayLike, places: ArrayLike) -> Verdict:
    r"""Whether a word and a place are as orthogonal as random vectors: the root mean square cosine is 1/√d.

    Relative: the means of v words are off by a few parts in :math:`\sqrt{v}`.
    """
    x, p = (np.asarray(rows, float) for rows in (words, places))
    cosines = (x @ p.T) / np.outer(np.linalg.norm(x, axis=1), np.linalg.norm(p, axis=1))
    typical, chance = float(np.sqrt((cosines**2).mean())), 1 / float(np.sqrt(x.shape[1]))
    return Verdict(abs(typical / chance - 1) < 0.05, {"typical": typical, "chance": chance})


def equally_loud_at(ratio: float, words: ArrayLike, places: ArrayLike) -> Verdict:
    """Whether a softmax notices words and places alike where words are `ratio` times as long as places.

    The ratio of 20 heads varies by a fourth of 0.15; of one by a sixth, as few directions carry places.
    """
    x, p = np.asarray(words, float), np.asarray(places, float)
    scale = ratio * np.sqrt((p**2).sum(axis=1).mean() / (x**2).sum(axis=1).mean())
    sizes = table_sizes(scale * x, p, heads=20, seed=7, noticed=True)
    found = float(sizes[0] / sizes[3])
    return Verdict(abs(found - 1) < 0.15, {"word_over_place": found})


def takes_about(rows: Sequence[Mapping[str, Any]], ratio: str, times: int) -> Verdict:
    """Whether every recorded size takes about so many times as long as adding.

    "About" leaves a quarter, because machines differ in what a copy costs beside a product.
    """
    found = [float(row[ratio]) for row in rows]
    close = [abs(one / times - 1) < 1 / 4 for one in found]
    return Verdict(bool(found) and all(close), {"least": min(found), "most": max(found)})
