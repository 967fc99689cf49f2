"""The decisions of the chapter on waves, and the measurements of its look-up and of its margins."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.outcome import PASSED, outcome
from pe_book.evidence.verdict import Verdict
from pe_book.sinusoidal.distance.offsets import offset_distance
from pe_book.sinusoidal.formula import frequencies
from pe_book.sinusoidal.waves.digits import digits


def steps_are_equal(rows: ArrayLike, *, bound: float = 1e-12) -> Verdict:
    """Whether a code takes the same step from each position to the next."""
    steps = np.linalg.norm(np.diff(np.asarray(rows, dtype=np.float64), axis=0), axis=1)
    shortest, longest = float(steps.min()), float(steps.max())
    return Verdict(
        len(steps) > 1 and longest - shortest < bound, {"shortest step": shortest, "longest step": longest}
    )


def widths_are_even(ladder: Callable[..., ArrayLike], asked: float) -> Verdict:
    """Whether a ladder takes the even widths, and refuses the odd ones and a number asked for.

    Whole numbers are tried up to two above the one asked for.
    """

    def takes(width: float) -> bool:
        return outcome(lambda: np.size(ladder(width)) > 0) == PASSED

    even = [takes(width) for width in range(2, int(asked) + 3, 2)]
    odd = [takes(width) for width in range(1, int(asked) + 3, 2)]
    found = {"even": sum(even), "of": len(even), "odd": sum(odd), "asked": takes(asked)}
    return Verdict(all(even) and not any(odd) and not found["asked"], found)


def all_hands_return(distance: float, d_model: int, *, base: float = 10000.0, bound: float = 1e-9) -> Verdict:
    """Whether every hand makes whole turns over a distance, each :math:`B^{2/d}` times as many as the next.

    `bound` is on the distance of a number of turns from whole: rounding leaves about 1e-13 of a thousand.
    """
    turns = distance * frequencies(d_model, base=base) / (2 * np.pi)
    whole = np.round(turns)
    ratio = float(base ** (2 / d_model))
    returned = bool(np.abs(turns - whole).max() < bound and whole[-1] > 0)
    quotient = float(whole[0] / whole[1]) if whole[1] else 0.0
    evidence = {"first": float(turns[0]), "second": float(turns[1]), "quotient": quotient, "ratio": ratio}
    return Verdict(returned and np.allclose(whole[:-1], ratio * whole[1:], rtol=bound), evidence)


def counter(positions: Sequence[int], places: int, *, radix: int = 2) -> NDArray[np.int64]:
    """What a counter shows at each position, the fastest place first.

    >>> counter([1, 2], 3).tolist()
    [[1, 0, 0], [0, 1, 0]]
    """
    return np.array([digits(p, radix=radix, places=places) for p in positions])[:, ::-1]


def still_bits(n: int, places: int) -> int:
    """How many bits keep one value among the first n positions.

    >>> still_bits(100, 10), still_bits(1024, 10)
    (3, 0)
    """
    return int((np.ptp(counter(range(n), places), axis=0) == 0).sum())


def bits_are_independent(n: int) -> Verdict:
    """Whether among the first n positions each bit takes both values, whatever the others show."""
    places = len(digits(n - 1, radix=2))
    shown = {tuple(row) for row in counter(range(n), places).tolist()}
    alone = [
        row for row in shown for j in range(places) if (*row[:j], 1 - row[j], *row[j + 1 :]) not in shown
    ]
    return Verdict(not alone, {"bits": places, "without a partner": len(set(alone))})


def lookup_weight(rows: ArrayLike, *, gain: float = 1.0) -> float:
    r"""The weight that softmax gives the right row, on average, when rows are both queries and keys.

    .. math:: \frac1n \sum_p \frac{e^{g\,x_p \cdot x_p/\sqrt d}}{\sum_q e^{g\,x_p \cdot x_q/\sqrt d}}

    A head sets the `gain` g by the size of its two matrices.

    >>> lookup_weight([[0, 0], [0, 0]]), round(lookup_weight([[2, 0], [0, 2]], gain=100), 4)
    (0.5, 1.0)
    """
    x = np.asarray(rows, dtype=np.float64)
    scores = gain * (x @ x.T) / np.sqrt(x.shape[1])
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return float(np.mean(np.diag(weights) / weights.sum(axis=1)))


def lookup_gain(rows: ArrayLike, share: float, *, most: float = 1e6) -> float:
    """The gain at which :func:`lookup_weight` reaches a share, by bisection to twelve digits.

    For rows of equal length that are all different, the weight rises with the gain, from 1/n towards 1. A
    share that is not reached between the gains 0 and `most` is refused.

    >>> abs(lookup_gain([[1, 0], [0, 1]], 0.9) - 2**0.5 * float(np.log(9))) < 1e-9
    True
    """
    low, high = 0.0, most
    if not lookup_weight(rows, gain=low) < share <= lookup_weight(rows, gain=high):
        raise ValueError(f"share must be reached by a gain between 0 and {most:g}: {share:g} is not")
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if lookup_weight(rows, gain=middle) < share:
            low = middle
        else:
            high = middle
    return high


def margin_records(n: int, d_model: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The offsets among 1, …, n that bring two positions closer than every smaller one, and how close.

    :func:`pe_book.sinusoidal.distance.offsets.closest_offset` finds the last record alone.

    >>> offsets, distances = margin_records(1000, 2)
    >>> offsets.tolist(), f"{distances[-1]:.7f}"
    ([1, 6, 19, 25, 44, 333, 710], '0.0000603')
    """
    distances = offset_distance(np.arange(1, n + 1), d_model)
    smallest = np.minimum.accumulate(distances)
    at = np.flatnonzero(np.diff(smallest, prepend=np.inf) < 0)
    return at + 1, distances[at]
