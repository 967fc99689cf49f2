r"""The columns as waves: how far each moves over the first n tokens, and how often each pair turns.

Column ranges and turns say which columns tell these tokens apart; :mod:`pe_book.sinusoidal.distance.offsets`
says by how much, and :mod:`pe_book.sinusoidal.waves.aliasing` what becomes of a frequency too fast for
whole positions.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pe_book.inputs.checking import Ladder, real_number, whole_number
from pe_book.numerics.chunks import MOST_ENTRIES, bounded_width, chunks, refuse_endless
from pe_book.sinusoidal.formula import encode, frequencies

QUIET = 0.1  # the chapter's word for a column that hardly moves: 5 percent of the range of a whole wave


def column_range(
    n: int, d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper"
) -> NDArray[np.float64]:
    r"""The largest minus the smallest entry of each column over the positions 0, …, n-1.

    .. math::

        \max_{0 \le p < n} PE_{(p, j)} - \min_{0 \le p < n} PE_{(p, j)}, \qquad j = 0, \dots, d_\text{model}-1

    Parameters
    ----------
    n
        Number of tokens, at least 1.
    d_model
        Width of the encoding: even, at least 2.
    base
        Greater than 1; the paper uses 10000.
    ladder
        ``"paper"`` or ``"tensor2tensor"``.

    Returns
    -------
    NDArray[np.float64]
        Shape (d_model,), in the interleaved order of columns, without unit, every entry in [0, 2].

    Raises
    ------
    ValueError
        If the rows have more than ``2**30`` entries.

    Examples
    --------
    >>> column_range(20, 8).round(3)
    array([1.991, 1.99 , 1.   , 1.323, 0.189, 0.018, 0.019, 0.   ])

    See Also
    --------
    quiet_columns : how many of these ranges stay below a threshold.
    """
    n, width = whole_number(n, "n", least=1), bounded_width(d_model)
    refuse_endless(n, width, "n", n, width)
    lowest, highest = np.full(width, np.inf), np.full(width, -np.inf)
    for rows in _table_in_chunks(n, width, base, ladder):
        lowest, highest = np.minimum(lowest, rows.min(axis=0)), np.maximum(highest, rows.max(axis=0))
    return np.asarray(highest - lowest, dtype=np.float64)


def quiet_columns(
    n: int, d_model: int, *, threshold: float = QUIET, base: float = 10000.0, ladder: Ladder = "paper"
) -> int:
    r"""The number of columns whose range over the positions 0, …, n-1 is smaller than `threshold`.

    Parameters
    ----------
    n
        Number of tokens, at least 1.
    d_model
        Width of the encoding: even, at least 2.
    threshold
        The range from which on a column counts as moving: above 0, at most 2.
    base, ladder
        As for :func:`column_range`.

    Returns
    -------
    int
        Between 0 and `d_model`.

    Examples
    --------
    >>> quiet_columns(50, 128), quiet_columns(100, 128)
    (51, 42)
    """
    threshold = _threshold(threshold)
    return int(np.count_nonzero(column_range(n, d_model, base=base, ladder=ladder) < threshold))


def waking_length(
    d_model: int, *, threshold: float = QUIET, base: float = 10000.0, ladder: Ladder = "paper"
) -> int:
    r"""The smallest number of tokens at which no column is quiet.

    .. math:: \min \{ n : \text{every column has a range} \allowbreak
        \text{ of at least the threshold} \allowbreak \text{ over } 0, \dots, n-1 \}

    A range never shrinks as n grows. A slow hand passes its extremes next to the quarters of its first turn,
    so that its length is found by bisection; for a fast one the rows are gone through in order.

    Parameters
    ----------
    d_model
        Width of the encoding: even, at least 2.
    threshold
        As for :func:`quiet_columns`, but below 2: no column of whole positions has the range of a whole wave.
    base, ladder
        As for :func:`quiet_columns`.

    Returns
    -------
    int
        In tokens, at least 2.

    Raises
    ------
    ValueError
        If `threshold` is so near to 2 that ``2**30`` entries of the table do not decide, or the slowest pair
        needs more than 2**53 tokens for a turn.

    Examples
    --------
    >>> waking_length(128)
    3907

    See Also
    --------
    quiet_columns : how many columns are quiet at a given length.
    """
    threshold, width = _threshold(threshold), bounded_width(d_model)
    if threshold == 2:
        raise ValueError("threshold must be below 2: no column ever has the range of a whole wave, got 2")
    rates = frequencies(width, base=base, ladder=ladder)
    if 2 * np.pi / rates[-1] > 2**53:
        far = "the slowest pair needs more than 2**53 tokens for a turn"
        raise ValueError(f"base must be smaller, got {base:g}: at d_model = {width}, {far}")
    # a crest is at most half a step from a whole position, so one turn of a slow pair moves both columns
    slow = rates <= 2 * math.acos(threshold / 2) * (1 - 1e-9)
    wakes = _first_turn_wakes(rates[slow], threshold)
    fast = 2 * int(np.count_nonzero(~slow))
    return max(wakes, _search_wakes(fast, threshold, width, base, ladder)) if fast else wakes


def turning_pairs(n: int, d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper") -> int:
    r"""The number of (sin, cos) pairs that complete a turn between the first and the last of n tokens.

    Between them lie n-1 steps, so pair i is counted when :math:`(n-1)\,\omega_i \ge 2\pi`.

    Parameters
    ----------
    n
        Number of tokens, at least 1.
    d_model, base, ladder
        As for :func:`column_range`.

    Returns
    -------
    int
        Between 0 and d_model/2.

    Examples
    --------
    >>> turning_pairs(7, 8), turning_pairs(8, 8)
    (0, 1)
    """
    steps = float(min(whole_number(n, "n", least=1) - 1, 2**1023))  # longer than any wave, and a float64
    rates = frequencies(bounded_width(d_model), base=base, ladder=ladder)
    return int(np.count_nonzero(steps * rates >= 2 * np.pi))


def _table_in_chunks(n: int, width: int, base: float, ladder: Ladder) -> Iterator[NDArray[np.float64]]:
    for some in chunks(n, width):
        yield encode(np.arange(some.start, some.stop), width, base=base, ladder=ladder)


def _first_turn_wakes(rates: NDArray[np.float64], threshold: float) -> int:
    """The tokens at which the last of these pairs has woken; each does so within its first turn."""
    quarters = np.arange(5)[:, np.newaxis] * (np.pi / 2) / rates  # (5, m)
    extremes = np.concatenate([np.floor(quarters), np.ceil(quarters)])  # (10, m)
    # the last row while some pair sleeps, and the last row when all are awake
    asleep, awake = 0, math.ceil(2 * np.pi / float(rates.min(initial=1))) + 1
    while awake - asleep > 1:
        last = (asleep + awake) // 2
        angles = np.minimum(np.vstack([extremes, np.full(len(rates), last)]), last) * rates  # (11, p)
        moved = np.minimum(np.ptp(np.sin(angles), axis=0), np.ptp(np.cos(angles), axis=0))
        if (moved >= threshold).all():
            awake = last
        else:
            asleep = last
            rates, extremes = rates[moved < threshold], extremes[:, moved < threshold]
    return awake + 1


def _search_wakes(columns: int, threshold: float, width: int, base: float, ladder: Ladder) -> int:
    """The tokens at which the last of the first `columns` has woken, found by going through the rows."""
    seen, n = 0, MOST_ENTRIES // width
    lowest, highest = np.full(columns, np.inf), np.full(columns, -np.inf)
    for rows in _table_in_chunks(n, width, base, ladder):
        lows = np.minimum.accumulate(np.concatenate([[lowest], rows[:, :columns]]))[1:]  # (r, columns)
        highs = np.maximum.accumulate(np.concatenate([[highest], rows[:, :columns]]))[1:]  # (r, columns)
        awake = np.flatnonzero((highs - lows >= threshold).all(axis=1))
        if awake.size:
            return seen + int(awake[0]) + 1
        seen, lowest, highest = seen + len(rows), lows[-1], highs[-1]
    raise ValueError(f"threshold must be smaller, got {threshold}: not every column reaches it in {n} tokens")


def _threshold(value: float) -> float:
    threshold = real_number(value, "threshold")
    if not 0 < threshold <= 2:
        whole = "the range of a whole wave"
        raise ValueError(f"threshold must be above 0 and at most 2, {whole}: got {threshold}")
    return threshold
