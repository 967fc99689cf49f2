"""The decisions of the chapter on numbering words: what a code keeps, where it repeats, what it cannot do."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.verdict import Verdict
from pe_book.numerics.rounding import collisions, round_to
from pe_book.why.first_attempts import add
from pe_book.why.norms import layer_norm
from pe_book.why.requirements import Code

#: Codes of some thousands are exact to about 1e-12, and what is normed has size 1.
ROUNDING = 1e-11

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


def lost_in_layer_norm(words: ArrayLike, code: ArrayLike) -> Verdict:
    """Whether a layer norm returns the same rows with a code added as without it."""
    gap = float(np.abs(layer_norm(add(words, code)) - layer_norm(words)).max())
    return Verdict(gap < ROUNDING, {"largest difference": gap, "rounding": ROUNDING})


def kept_by_a_norm(
    norm: Callable[[NDArray[np.float64]], NDArray[np.float64]], words: ArrayLike, counts: ArrayLike
) -> Verdict:
    """Whether the average of a normed row tells which count was added to its word, whatever the word."""
    rows = np.asarray(words, dtype=np.float64)
    averages = np.array([np.mean(norm(rows + number), axis=1) for number in np.unique(counts)])
    gaps = averages[1:].min(axis=1) - averages[:-1].max(axis=1)
    smallest = float(gaps.min(initial=np.inf))
    return Verdict(gaps.size > 0 and smallest > ROUNDING, {"smallest gap": smallest})


def refuses(code: Code, seq_len: int) -> Verdict:
    """Whether a code refuses a sentence of some length, with a message, instead of returning anything."""
    try:
        answer = str(code(seq_len))
    except ValueError as error:
        return Verdict(True, {"answer": str(error)})
    return Verdict(False, {"answer": answer})


def one_gap(code: Code, *, lengths: Sequence[int] = (2, 4, 40, 512)) -> Verdict:
    """Whether neighbours are equally far apart in every sentence, whatever its length."""
    return _one_number(np.concatenate([np.diff(code(n)) for n in lengths]))


def one_middle(code: Code) -> Verdict:
    """Whether the middle word has the same code in every sentence of odd length, from 3 words on."""
    return _one_number(np.array([code(n)[n // 2] for n in range(3, 512, 2)]))


def _one_number(found: NDArray[np.float64]) -> Verdict:
    smallest, largest = float(found.min()), float(found.max())
    return Verdict(largest - smallest < 1e-12, {"smallest": smallest, "largest": largest})


def no_divisor_leaves_more(positions: ArrayLike, dtype: str, *, below: int) -> Verdict:
    """Whether dividing positions by any whole number leaves no more of them different in a format."""
    p = np.asarray(positions, dtype=np.float64)
    undivided = collisions(round_to(p, dtype)).distinct
    most = max(collisions(round_to(p / divisor, dtype)).distinct for divisor in range(1, below))
    return Verdict(most <= undivided, {"undivided": undivided, "most": most})


def moves_by_at_most_its_step(
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]], x: ArrayLike
) -> Verdict:
    """Whether a step of h moves the value of a function by at most h.

    `x` is up to a few dozen in size: 1e-14 is what x + h and the two values may lose.
    """
    points, steps = np.asarray(x, dtype=np.float64), (1.0, 1e-1, 1e-3, 1e-6)
    excess = max(float(np.abs(function(points + h) - function(points)).max()) - h for h in steps)
    return Verdict(excess < 1e-14, {"excess": excess, "steps": len(steps)})


def near_repeat_is_explained(first: int, second: int) -> Verdict:
    r"""Whether two positions have nearly one sine for both reasons: a mirror, and a number of turns.

    In :math:`\sin a - \sin b = 2 \cos\frac{a+b}{2} \sin\frac{a-b}{2}` both factors are then small.
    """
    total, difference = first + second, second - first
    odd, even = max(1, round(total / math.pi)), max(1, round(difference / math.pi))
    off = [abs(total / odd - math.pi), abs(difference / even - math.pi)]
    return Verdict(
        odd % 2 == 1 and even % 2 == 0 and max(off) < 1e-4,
        {"odd": odd, "even": even, "sum off by": off[0], "difference off by": off[1]},
    )


def one_map_for_each_shift(table: ArrayLike) -> Verdict:
    """Whether one linear map, for each offset k, takes the code of every position p to that of p + k.

    A table with too few rows to tell, which some map fits whatever they are, is refused.
    """
    offsets = 1, 2, 7, 20
    codes = np.asarray(table, dtype=np.float64).reshape(len(np.asarray(table)), -1)
    if len(codes) - max(offsets) <= 2 * codes.shape[1]:
        raise ValueError(f"table must have many more rows than columns and offsets, got shape {codes.shape}")
    residuals = []
    for k in offsets:
        before, after = codes[:-k], codes[k:]
        best = np.linalg.lstsq(before, after, rcond=None)[0]
        residuals.append(float(np.linalg.norm(after - before @ best) / np.linalg.norm(after)))
    return Verdict(max(residuals) < 1e-9, {"largest residual": max(residuals), "offsets": len(offsets)})


def distance_from_start(frequencies: ArrayLike, within: int) -> NDArray[np.float64]:
    r"""How far the (sin, cos) rows of the positions 1, …, `within` are from that of position 0.

    .. math:: \Bigl(\sum_i (2 \sin\tfrac{k\,\omega_i}{2})^2\Bigr)^{1/2}

    >>> distance_from_start([np.pi], 2).round(12)
    array([2., 0.])
    """
    k = np.arange(1, within + 1)
    total = np.zeros(within)
    for omega in np.asarray(frequencies, dtype=np.float64):
        total += (2 * np.sin(k * omega / 2)) ** 2
    return np.sqrt(total)


def neighbour_is_nearest(frequencies: ArrayLike, *, within: int) -> Verdict:
    """Whether no position comes nearer to the start than its neighbour does."""
    distance = distance_from_start(frequencies, within)
    nearest = int(distance.argmin())
    return Verdict(
        nearest == 0,
        {"nearest": nearest + 1, "distance": float(distance[nearest]), "neighbour": float(distance[0])},
    )
