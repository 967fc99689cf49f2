r"""The columns as waves: how far each moves, how often each turns, and how far apart two positions stay.

Everything here follows from the ladder of frequencies :math:`\omega_i`. Column ranges and turns say which
columns tell the first n tokens apart; the distance between two positions, a function of their offset alone,
says by how much; aliasing says what becomes of a frequency too fast for whole positions.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.checking import (
    Ladder,
    base_above_one,
    finite_positions,
    known_ladder,
    physical_memory,
    real_array,
    real_number,
    room_for,
    whole_number,
)
from pe_book.pairs import join
from pe_book.sinusoidal.angles import sines_and_cosines
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.pieces import MOST_ENTRIES, bounded_width, pieces, refuse_endless
from pe_book.wording import shown

QUIET = 0.1  # the chapter's word for a column that hardly moves: 5 percent of the range of a whole wave

_FASTEST = 1e8  # a float64 of this size is spaced by 1.5e-8
_MOST_WHEELS = 2**16  # of a number: each takes one division of what is left of it


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
    for rows in _table_in_pieces(n, width, base, ladder):
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

    .. math:: \min \{ n : \text{every column has a range of at least the threshold over } 0, \dots, n-1 \}

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
        far = "the slowest hand needs more than 2**53 tokens for a turn"
        raise ValueError(f"base must be smaller, got {base:g}: at d_model = {width}, {far}")
    # a crest is at most half a step from a whole position, so one turn of a slow hand wakes both columns
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
    d_model
        Width of the encoding: even, at least 2.
    base, ladder
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


def digits(number: int, *, radix: int = 10, places: int | None = None) -> NDArray[np.int64]:
    r"""The digits that an odometer with `radix` marks on each wheel shows, the slowest wheel first.

    .. math:: \left\lfloor \text{number} / \text{radix}^{\,j} \right\rfloor \bmod \text{radix},
        \qquad j = \text{places}-1, \dots, 0

    With ``radix=2`` these are the bits of a counter.

    Parameters
    ----------
    number
        A whole number, at least 0, that needs at most 65536 wheels.
    radix
        Marks on a wheel: a whole number, at least 2 and at most 2**63.
    places
        Number of wheels, at least 1; without it, as many as the number needs.

    Returns
    -------
    NDArray[np.int64]
        Shape (places,), every entry in 0, …, radix-1.

    Raises
    ------
    ValueError
        If `number` needs more than `places` digits.

    Examples
    --------
    >>> digits(759)
    array([7, 5, 9])
    >>> digits(5, radix=2, places=4)
    array([0, 1, 0, 1])
    """
    rest = whole_number(number, "number", least=0)
    radix = whole_number(radix, "radix", least=2, most=2**63)
    if rest.bit_length() > _MOST_WHEELS * math.log2(radix):
        most = f"must need at most {_MOST_WHEELS} wheels"
        raise ValueError(f"number {most}, got {shown(number)} in radix {shown(radix)}")
    wheels: list[int] = []
    while rest or not wheels:
        rest, digit = divmod(rest, radix)
        wheels.append(digit)
    if places is None:
        places = len(wheels)
    places = whole_number(places, "places", least=1)
    if places < len(wheels):
        what = f"{shown(number)} in radix {shown(radix)}"
        raise ValueError(f"places must be at least {len(wheels)} to show {what}, got {places}")
    room_for(8 * places, "places", places)
    result = np.zeros(places, dtype=np.int64)
    result[places - len(wheels) :] = wheels[::-1]
    return result


class Reading(NamedTuple):
    """What one dial says about a position, and what is left open once it has spoken.

    Attributes
    ----------
    pair
        The number of the pair.
    shown
        The position modulo the wavelength, in tokens: all that the hand shows.
    modulo
        The wavelength, in tokens.
    within
        How many tokens the misreading of the hand is worth.
    left
        Shape (m,): the positions that this dial and every slower one leave open, in tokens.
    """

    pair: int
    shown: float
    modulo: float
    within: float
    left: NDArray[np.float64]


def read_dials(
    position: float, d_model: int, *, misread: float, base: float = 10000.0, ladder: Ladder = "paper"
) -> list[Reading]:
    r"""What the dials say about a position, one after the other, the slowest first.

    Pair i shows the position modulo :math:`\lambda_i`, to within :math:`\text{misread} / \omega_i` tokens. Of
    the positions that it leaves open, those stay that lie where the next slower pair allows.

    Parameters
    ----------
    position
        In tokens: at least 0 and below the longest wavelength, so that the slowest hand has lost no turn; at
        most 2**53.
    d_model
        Width of the encoding: even, at least 2.
    misread
        How far a hand may be misread, in radians: above 0, and at most π, where the hand says nothing.
    base, ladder
        As for :func:`column_range`.

    Returns
    -------
    list of Reading
        d_model/2 readings, the slowest pair first.

    Raises
    ------
    ValueError
        If more positions stay open than fit in memory.

    Examples
    --------
    >>> [len(reading.left) for reading in read_dials(759, 8, misread=1 / 20)]
    [1, 1, 1, 1]
    >>> read_dials(759, 8, misread=1 / 20)[-1].left.round(6)
    array([759.])

    See Also
    --------
    digits : what an odometer with wheels shows.
    """
    width = bounded_width(d_model)
    rates = frequencies(width, base=base, ladder=ladder)
    longest = 2 * np.pi / float(rates[-1])
    position, misread = real_number(position, "position"), real_number(misread, "misread")
    if not 0 <= position < longest:
        wave = f"{longest:g}, the longest wavelength"
        raise ValueError(f"position must be at least 0 and below {wave}: got {position:g}")
    if not 0 < misread <= np.pi:
        raise ValueError(f"misread must be above 0 radians, and at most pi, got {misread:g}")
    sines, cosines = sines_and_cosines(
        finite_positions(position, "position"), width, base_above_one(base), known_ladder(ladder)
    )
    hands = np.mod(np.arctan2(sines, cosines), 2 * np.pi)
    readings: list[Reading] = []
    left, allowed = np.array([position]), 0.0
    for pair in range(len(rates) - 1, -1, -1):
        modulo, within = 2 * np.pi / float(rates[pair]), misread / float(rates[pair])
        hand = float(hands[pair]) / float(rates[pair])
        if readings:
            reach, away = (
                allowed + within,
                left - position,
            )  # turns are counted from the position: exact far out
            first, last = np.ceil((away - reach) / modulo), np.floor((away + reach) / modulo)
            counts = np.maximum(last - first + 1, 0)
            room_for(5 * 8 * int(counts.sum()), "misread", misread)  # turns, and four times in finding them
            each = np.repeat(np.cumsum(counts) - counts, counts.astype(np.int64))
            turns = np.unique(np.repeat(first, counts.astype(np.int64)) + np.arange(len(each)) - each)
            left = position + modulo * turns
        readings.append(Reading(pair, hand, modulo, within, left))
        allowed = within
    return readings


def offset_distance(
    offsets: ArrayLike, d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper"
) -> NDArray[np.float64]:
    r"""The Euclidean distance between the encodings of any two positions that lie `offsets` tokens apart.

    .. math::

        \lVert PE(p+k) - PE(p) \rVert^2 = 2 \sum_i (1 - \cos k\omega_i) = 4 \sum_i \sin^2(k\omega_i/2)

    The position p has cancelled. The right-hand form is the one computed: 1 - cos loses half the digits of a
    small angle.

    Parameters
    ----------
    offsets
        In tokens: any shape; real and negative offsets are allowed, to ±2**53.
    d_model
        Width of the encoding: even, at least 2.
    base, ladder
        As for :func:`column_range`.

    Returns
    -------
    NDArray[np.float64]
        The shape of `offsets`, without unit, every entry between 0 and :math:`\sqrt{2 d_\text{model}}`, and
        within ``1e-15`` times that of the exact distance, however large the offset is.

    Examples
    --------
    >>> offset_distance([0, 1, 6], 8).round(4)
    array([0.    , 0.9641, 0.6577])

    See Also
    --------
    closest_offset : the offset at which this is smallest.
    """
    k = np.abs(finite_positions(offsets, "offsets"))
    width, base, ladder = bounded_width(d_model), base_above_one(base), known_ladder(ladder)
    halves, squares = k.ravel() / 2, np.empty(k.size)
    for some in pieces(k.size, width // 2):
        sines, _ = sines_and_cosines(halves[some], width, base, ladder)
        squares[some] = np.square(sines).sum(axis=-1)
    return (2 * np.sqrt(squares)).reshape(k.shape)


def closest_offset(
    n: int, d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper"
) -> tuple[int, float]:
    r"""The offset among 1, …, n whose two positions lie closest together, and their distance.

    Parameters
    ----------
    n
        Largest offset looked at, in tokens, at least 1: positions 0, …, n have no other offsets.
    d_model
        Width of the encoding: even, at least 2.
    base, ladder
        As for :func:`column_range`.

    Returns
    -------
    tuple[int, float]
        The offset in tokens (the smallest one, if several are equally close) and the distance, without unit.
        Every offset is tried; nothing is estimated.

    Raises
    ------
    ValueError
        If the offsets take more than ``2**30`` sines.

    Examples
    --------
    >>> offset, distance = closest_offset(1000, 2)
    >>> offset, f"{distance:.8f}"
    (710, '0.00006029')

    See Also
    --------
    offset_distance : the distance at given offsets.
    """
    n, width = whole_number(n, "n", least=1), bounded_width(d_model)
    refuse_endless(n, width // 2, "n", n, width)
    best, distance = 0, np.inf
    for some in pieces(n, width // 2):
        offsets = np.arange(some.start + 1, some.stop + 1)
        distances = offset_distance(offsets, d_model, base=base, ladder=ladder)
        nearest = int(distances.argmin())
        if distances[nearest] < distance:
            best, distance = int(offsets[nearest]), float(distances[nearest])
    return best, distance


def alias(frequencies: ArrayLike) -> NDArray[np.float64]:
    r"""The slowest frequency that no whole position tells from the given one: its alias.

    .. math:: \omega - 2\pi \operatorname{round}(\omega / 2\pi) \in [-\pi, \pi]

    At a whole position p the two angles differ by whole turns. A negative alias turns backwards.

    Parameters
    ----------
    frequencies
        In radians per token: any shape.

    Returns
    -------
    NDArray[np.float64]
        The shape of `frequencies`, in radians per token.

    Raises
    ------
    ValueError
        If a frequency is above 10⁸, where float64 blurs its alias.

    Examples
    --------
    >>> alias([1, 10, 100, 1000]).round(4)
    array([ 1.    , -2.5664, -0.531 ,  0.9735])
    """
    given = real_array(frequencies, "frequencies")
    if (largest := float(np.abs(given).max(initial=0))) > _FASTEST:
        limit = f"frequencies must lie within ±{_FASTEST:g}, where float64 knows the alias to 8 decimals"
        raise ValueError(f"{limit}: got {largest:g}")
    return np.asarray(given - 2 * np.pi * np.round(given / (2 * np.pi)), dtype=np.float64)


def multiplied(positions: ArrayLike, d_model: int, *, base: float = 10000.0) -> NDArray[np.float64]:
    r"""A mistake, to be studied: the encoding with the product in place of the quotient.

    .. math:: \sin(p \cdot 10000^{2i/d}), \quad \cos(p \cdot 10000^{2i/d})

    Parameters
    ----------
    positions
        In tokens: any shape. At whole positions each frequency is seen as its :func:`alias`. No position
        times a frequency may be above 10⁸ radians, where float64 knows the angle to 7 decimals.
    d_model
        Width of the encoding: even, at least 2.
    base
        Greater than 1; the paper uses 10000.

    Returns
    -------
    NDArray[np.float64]
        The shape of `positions` with d_model at its end, without unit, in the interleaved order of columns.

    Examples
    --------
    >>> multiplied([0, 1], 4).round(4)
    array([[ 0.    ,  1.    ,  0.    ,  1.    ],
           [ 0.8415,  0.5403, -0.5064,  0.8623]])

    See Also
    --------
    alias : how fast its hands are seen to turn.
    """
    places, width = finite_positions(positions), bounded_width(d_model)
    rates = frequencies(width, base=base)
    farthest, allowed = float(np.abs(places).max(initial=0)), _FASTEST * float(rates[-1])
    if farthest > allowed:
        limit = f"so that no angle is above {_FASTEST:g}, where float64 knows it to 7 decimals"
        raise ValueError(f"positions must lie within ±{allowed:g}, {limit}: got {farthest:g}")
    needed = 3 * 8 * places.size * width  # the result, and the angles, sines and cosines on the way
    room_for(needed, "the result of positions and d_model", (*places.shape, width), most=physical_memory())
    angles = places[..., np.newaxis] / rates
    return join(np.sin(angles), np.cos(angles), "interleaved")


def _table_in_pieces(n: int, width: int, base: float, ladder: Ladder) -> Iterator[NDArray[np.float64]]:
    for some in pieces(n, width):
        yield encode(np.arange(some.start, some.stop), width, base=base, ladder=ladder)


def _first_turn_wakes(rates: NDArray[np.float64], threshold: float) -> int:
    """The tokens at which the last of these pairs has woken; each does so within its first turn."""
    quarters = np.arange(5)[:, np.newaxis] * (np.pi / 2) / rates
    extremes = np.concatenate([np.floor(quarters), np.ceil(quarters)])
    # the last row while some pair sleeps, and the last row when all are awake
    asleep, awake = 0, math.ceil(2 * np.pi / float(rates.min(initial=1))) + 1
    while awake - asleep > 1:
        last = (asleep + awake) // 2
        angles = np.minimum(np.vstack([extremes, np.full(len(rates), last)]), last) * rates
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
    for rows in _table_in_pieces(n, width, base, ladder):
        lows = np.minimum.accumulate(np.concatenate([[lowest], rows[:, :columns]]))[1:]
        highs = np.maximum.accumulate(np.concatenate([[highest], rows[:, :columns]]))[1:]
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
