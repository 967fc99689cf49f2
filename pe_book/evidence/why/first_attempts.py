"""The decisions of the chapter on first attempts: what a code keeps, where it repeats, what it cannot do."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.verdict import Verdict
from pe_book.numerics.rounding import collisions, round_to
from pe_book.why.first_attempts import add
from pe_book.why.norms import layer_norm
from pe_book.why.requirements import Code

#: What the chapter asks of a code, by the field of :class:`~pe_book.why.requirements.Measured` that answers.
DEMANDS = {
    "distinct": "different",
    "distinct_bfloat16": "different, bfloat16",
    "margin": "different, margin",
    "second_word": "the same",
    "largest": "small",
    "step_ratio": "even",
    "shift_residual": "one map",
    "goes_on": "open",
}


def lost_in_layer_norm(words: ArrayLike, code: ArrayLike, *, rounding: float = 1e-11) -> Verdict:
    """Whether a layer norm returns the same rows with a code added as without it.

    Parameters
    ----------
    words
        Embeddings, shape (n, d).
    code
        What is added, shape (n,) or (n, d).
    rounding
        The largest difference that counts as rounding: codes of some thousands are exact to about 1e-12, and
        what is normed has size 1.

    Returns
    -------
    Verdict
        With the largest difference.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(2, 8))
    >>> bool(lost_in_layer_norm(rows, [1000, 2000])), bool(lost_in_layer_norm(rows, np.eye(2, 8)))
    (True, False)
    """
    gap = float(np.abs(layer_norm(add(words, code)) - layer_norm(words)).max())
    return Verdict(gap < rounding, {"largest difference": gap, "rounding": rounding})


def kept_by_a_norm(
    norm: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    words: ArrayLike,
    counts: ArrayLike,
    *,
    rounding: float = 1e-11,
) -> Verdict:
    """Whether the average of a normed row tells which count was added to its word, whatever the word.

    Parameters
    ----------
    norm
        Function of rows, shape (n, d) to the same.
    words
        Embeddings, shape (n, d); each gets each count.
    counts
        At least two different numbers.
    rounding
        As for :func:`lost_in_layer_norm`.

    Returns
    -------
    Verdict
        With the smallest distance between the averages of one count and those of the next.

    Examples
    --------
    >>> from pe_book.why.norms import rms_norm
    >>> rows = np.random.default_rng(0).normal(size=(2, 512))
    >>> bool(kept_by_a_norm(rms_norm, rows, [1, 9])), bool(kept_by_a_norm(layer_norm, rows, [1, 9]))
    (True, False)
    """
    rows = np.asarray(words, dtype=np.float64)
    averages = np.array([np.mean(norm(rows + number), axis=1) for number in np.unique(counts)])
    gaps = averages[1:].min(axis=1) - averages[:-1].max(axis=1)
    return Verdict(
        gaps.size > 0 and bool(np.all(gaps > rounding)), {"smallest gap": float(gaps.min(initial=np.inf))}
    )


def refuses(code: Code, seq_len: int) -> Verdict:
    """Whether a code refuses a sentence of some length, with a message, instead of returning anything.

    Parameters
    ----------
    code
        Function from a number of tokens to their codes.
    seq_len
        Number of tokens.

    Returns
    -------
    Verdict
        With what the code answers.

    Examples
    --------
    >>> from pe_book.why.first_attempts import over_last
    >>> bool(refuses(over_last, 1)), bool(refuses(over_last, 2))
    (True, False)
    """
    try:
        answer = str(code(seq_len))
    except ValueError as error:
        return Verdict(True, {"answer": str(error)})
    return Verdict(False, {"answer": answer})


def one_gap(code: Code, *, lengths: Sequence[int] = (2, 4, 40, 512), rounding: float = 1e-12) -> Verdict:
    """Whether neighbours are equally far apart in every sentence, whatever its length.

    Parameters
    ----------
    code
        Function from a number of tokens to one number for each.
    lengths
        Of the sentences, at least 2 each.
    rounding
        The largest difference of two gaps that counts as rounding; codes are of size 1.

    Returns
    -------
    Verdict
        With the smallest and the largest gap.

    Examples
    --------
    >>> bool(one_gap(lambda n: np.arange(n) / 512)), bool(one_gap(lambda n: np.arange(n) / n))
    (True, False)
    """
    gaps = np.concatenate([np.diff(code(n)) for n in lengths])
    return Verdict(
        float(np.ptp(gaps)) < rounding, {"smallest": float(gaps.min()), "largest": float(gaps.max())}
    )


def one_middle(code: Code, *, longest: int = 511, rounding: float = 1e-12) -> Verdict:
    """Whether the middle word has the same code in every sentence of odd length, from 3 words on.

    Parameters
    ----------
    code
        Function from a number of tokens to one number for each.
    longest
        Up to this length, in tokens.
    rounding
        As for :func:`one_gap`.

    Returns
    -------
    Verdict
        With the smallest and the largest code of a middle word.

    Examples
    --------
    >>> from pe_book.why.first_attempts import over_last, over_length
    >>> bool(one_middle(over_last)), bool(one_middle(over_length))
    (True, False)
    """
    middles = np.array([code(n)[n // 2] for n in range(3, longest + 1, 2)])
    return Verdict(
        float(np.ptp(middles)) < rounding,
        {"smallest": float(middles.min()), "largest": float(middles.max())},
    )


def no_divisor_leaves_more(positions: ArrayLike, dtype: str, *, below: int) -> Verdict:
    """Whether dividing positions by any whole number leaves no more of them different in a format.

    Parameters
    ----------
    positions
        Shape (n,).
    dtype
        A name that :func:`~pe_book.numerics.rounding.round_to` knows.
    below
        Divisors from 1 to this, without it.

    Returns
    -------
    Verdict
        With the number of different values as they are, and the most that a divisor leaves.

    Examples
    --------
    >>> bool(no_divisor_leaves_more(np.arange(300), "bfloat16", below=8))
    True
    """
    p = np.asarray(positions, dtype=np.float64)
    undivided = collisions(round_to(p, dtype)).distinct
    most = max(collisions(round_to(p / divisor, dtype)).distinct for divisor in range(1, below))
    return Verdict(most <= undivided, {"undivided": undivided, "most": most})


def moves_by_at_most_its_step(
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    x: ArrayLike,
    *,
    steps: Sequence[float] = (1.0, 1e-1, 1e-3, 1e-6),
    rounding: float = 1e-14,
) -> Verdict:
    """Whether a step of h moves the value of a function by at most h.

    Parameters
    ----------
    function
        Of an array, entry by entry.
    x
        Where to step from, shape (n,), up to a few dozen in size.
    steps
        The steps h.
    rounding
        What x + h and the two values may lose.

    Returns
    -------
    Verdict
        With the largest excess over h.

    Examples
    --------
    >>> x = np.linspace(-5, 5, 101)
    >>> bool(moves_by_at_most_its_step(np.sin, x)), bool(moves_by_at_most_its_step(np.floor, x))
    (True, False)
    """
    points = np.asarray(x, dtype=np.float64)
    excess = max(float(np.abs(function(points + h) - function(points)).max()) - h for h in steps)
    return Verdict(excess < rounding, {"excess": excess, "steps": len(steps)})


def near_repeat_is_explained(first: int, second: int, *, rounding: float = 1e-4) -> Verdict:
    r"""Whether two positions have nearly one sine for both reasons: a mirror, and a number of turns.

    In :math:`\sin a - \sin b = 2 \cos\frac{a+b}{2} \sin\frac{a-b}{2}` both factors are small if a + b is
    nearly an odd multiple of π, and a − b an even one.

    Parameters
    ----------
    first, second
        Positions, the second larger.
    rounding
        How far the two quotients may be from π: a fraction with a denominator of some hundreds comes that
        near.

    Returns
    -------
    Verdict
        With the two denominators and how far the two fractions are from π.

    Examples
    --------
    >>> found = near_repeat_is_explained(11, 344)
    >>> bool(found), found.evidence["odd"], found.evidence["even"]
    (True, 113, 106)
    """
    total, difference = first + second, second - first
    odd, even = max(1, round(total / math.pi)), max(1, round(difference / math.pi))
    off = [abs(total / odd - math.pi), abs(difference / even - math.pi)]
    return Verdict(
        odd % 2 == 1 and even % 2 == 0 and max(off) < rounding,
        {"odd": odd, "even": even, "sum off by": off[0], "difference off by": off[1]},
    )


def one_map_for_each_shift(
    table: ArrayLike, *, offsets: Sequence[int] = (1, 2, 7, 20), rounding: float = 1e-9
) -> Verdict:
    """Whether one linear map, for each offset k, takes the code of every position p to that of p + k.

    Parameters
    ----------
    table
        The codes of positions 0, 1, 2, …: shape (n,) or (n, d), many more rows than columns.
    offsets
        The offsets k, in tokens, each less than n − d.
    rounding
        How large the residual of the best map may be, as part of the codes.

    Returns
    -------
    Verdict
        With the largest residual.

    Raises
    ------
    ValueError
        If so few rows are left that some map fits them, whatever they are.

    Examples
    --------
    >>> p = np.arange(100.0)
    >>> bool(one_map_for_each_shift(np.exp(-p / 10))), bool(one_map_for_each_shift(np.abs(np.sin(p))))
    (True, False)
    """
    codes = np.asarray(table, dtype=np.float64).reshape(len(np.asarray(table)), -1)
    if len(codes) - max(offsets) <= 2 * codes.shape[1]:
        raise ValueError(f"table must have many more rows than columns and offsets, got shape {codes.shape}")
    residuals = []
    for k in offsets:
        before, after = codes[:-k], codes[k:]
        best = np.linalg.lstsq(before, after, rcond=None)[0]
        residuals.append(float(np.linalg.norm(after - before @ best) / np.linalg.norm(after)))
    return Verdict(max(residuals) < rounding, {"largest residual": max(residuals), "offsets": len(offsets)})


def distance_from_start(frequencies: ArrayLike, within: int) -> NDArray[np.float64]:
    r"""How far the (sin, cos) row of each position is from that of position 0.

    .. math:: \Bigl(\sum_i (2 \sin\tfrac{k\,\omega_i}{2})^2\Bigr)^{1/2}

    Parameters
    ----------
    frequencies
        ω, in radians per token, shape (m,).
    within
        Positions k = 1, …, `within`.

    Returns
    -------
    NDArray[np.float64]
        Shape (within,); entry 0 is the distance of the neighbour.

    Examples
    --------
    >>> distance_from_start([np.pi], 2).round(12)
    array([2., 0.])
    """
    k = np.arange(1, within + 1)
    total = np.zeros(within)
    for omega in np.asarray(frequencies, dtype=np.float64):
        total += (2 * np.sin(k * omega / 2)) ** 2
    return np.sqrt(total)


def neighbour_is_nearest(frequencies: ArrayLike, *, within: int) -> Verdict:
    """Whether no position comes nearer to the start than its neighbour does.

    Parameters
    ----------
    frequencies, within
        As for :func:`distance_from_start`.

    Returns
    -------
    Verdict
        With the nearest position and its distance, and that of the neighbour.

    Examples
    --------
    >>> bool(neighbour_is_nearest([1.0], within=100)), bool(neighbour_is_nearest([0.1], within=20))
    (False, True)
    """
    distance = distance_from_start(frequencies, within)
    nearest = int(distance.argmin())
    return Verdict(
        nearest == 0,
        {"nearest": nearest + 1, "distance": float(distance[nearest]), "neighbour": float(distance[0])},
    )
