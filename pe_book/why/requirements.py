"""What one can ask of a code for positions, each question as a number that any code can be measured by.

A code is a function from a sentence length to one number or one row for each position.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pe_book.inputs.checking import real_array, room_for, whole_number
from pe_book.inputs.wording import shown
from pe_book.numerics.rounding import closest_pair, collisions, round_to
from pe_book.sinusoidal.formula import encode
from pe_book.why.first_attempts import count, over_last, over_length, over_length_from_one, over_maximum
from pe_book.why.sines import harmonic_pairs, one_sine

Code = Callable[[int], NDArray[np.float64]]

ATTEMPTS: Mapping[str, Code] = MappingProxyType(
    {
        "counting": count,
        "pos / 512": lambda seq_len: over_maximum(seq_len, maximum=512),
        "pos / len": over_length,
        "(pos + 1) / len": over_length_from_one,
        "pos / (len − 1)": over_last,
        "one sine": lambda seq_len: one_sine(range(seq_len)),
        "three harmonic pairs": lambda seq_len: harmonic_pairs(range(seq_len)),
    }
)


class Measured(NamedTuple):
    """What a code does in sentences of 2, 4, 8, … up to `seq_len` tokens."""

    distinct: int  #: different rows in the longest sentence, in float64
    distinct_bfloat16: int  #: different rows in the longest sentence after rounding to bfloat16
    margin: float  #: distance of the two closest rows of the longest sentence, in its longest steps
    second_word: float  #: how far the second word's row moves when its sentence gets longer
    largest: float  #: the largest magnitude of any entry
    step_ratio: float  #: the longest step between neighbours, divided by the shortest
    shift_residual: float  #: what one affine map for "one place on" leaves unexplained, 0 to 1
    goes_on: bool  #: whether ten times as many tokens have different codes, none above 1 or what was before
    seq_len: int  #: the length of the longest sentence; `distinct` and `distinct_bfloat16` are out of so many


#: A residual, a ratio less 1 or an excess over 1 below this is rounding.
ROUNDING = 1e-9


def measure(code: Code, *, seq_len: int = 512) -> Measured:
    r"""A code put to the eight questions.

    Steps are Euclidean distances between the rows of neighbouring positions, over all the sentences. The
    residual is that of one least-squares fit for all neighbours in all the sentences,

    .. math:: \min_{A, b} \sqrt{\frac{\sum \lVert c_{p+1} - A c_p - b \rVert^2}
                                     {\sum \lVert c_{p+1} - \bar{c} \rVert^2}}

    Parameters
    ----------
    code
        Function from a number of tokens n to an array of shape (n,) or (n, d).
    seq_len
        Length of the longest sentence in tokens, at least 4.

    Returns
    -------
    Measured
        One number for each question, and the length that they were asked for.

    Raises
    ------
    ValueError
        If `code` returns one row for all positions, numbers whose squares leave float64, or so many columns
        that a fit through these rows proves nothing.

    Examples
    --------
    >>> measure(count, seq_len=512).distinct_bfloat16
    384
    >>> sorted(failures(measure(count)))
    ['distinct_bfloat16', 'goes_on', 'largest']
    """
    seq_len = whole_number(seq_len, "seq_len", least=4)
    room_for(8 * 10 * seq_len, "seq_len", seq_len)  # of the narrowest code
    if not callable(code):
        raise TypeError(f"code must be a function from a number of tokens to their rows, got {shown(code)}")
    lengths = [2]
    while lengths[-1] < seq_len:
        lengths.append(min(2 * lengths[-1], seq_len))
    tables = [_table(code, n) for n in lengths]
    longest = tables[-1]
    room_for(8 * 10 * longest.size, "seq_len", seq_len)
    if longest.shape[1] + 1 >= seq_len - 1:
        fits = f"an affine map of {longest.shape[1]} columns fits any {seq_len - 1} steps exactly"
        raise ValueError(f"seq_len must be more than the columns of the code + 2, got {seq_len}: {fits}")
    largest = max(float(np.abs(table).max()) for table in tables)
    if largest != 0 and not 1e-140 < largest < 1e140:
        raise ValueError(
            f"code must return numbers whose squares fit in float64, got up to {largest:g}: scale them"
        )
    if not np.ptp(longest, axis=0).any():
        same = f"and this one gives every position the same row, got {shown(longest[0])}"
        raise ValueError(f"code must tell positions apart, {same}")
    before = np.vstack([table[:-1] for table in tables])  # (p, d)  the steps of all tables
    after = np.vstack([table[1:] for table in tables])  # (p, d)
    steps = np.linalg.norm(after - before, axis=1)
    return Measured(
        distinct=collisions(longest).distinct,
        distinct_bfloat16=collisions(round_to(longest, "bfloat16")).distinct,
        margin=closest_pair(longest).gap / float(np.linalg.norm(np.diff(longest, axis=0), axis=1).max()),
        second_word=max(float(np.linalg.norm(table[1] - longest[1])) for table in tables),
        largest=largest,
        step_ratio=float(steps.max() / steps.min()) if steps.min() > 0 else float("inf"),
        shift_residual=_residual(before, after),
        goes_on=_extends(code, 10 * seq_len, max(1.0, largest)),
        seq_len=seq_len,
    )


def failures(measured: Measured) -> frozenset[str]:
    """The questions that a code does not pass, by name of the field of :class:`Measured`.

    Passing is: all rows distinct, also in bfloat16; no two rows closer than the longest step; a second word
    that does not move; no entry beyond 1; steps of one length; nothing left unexplained by one affine map;
    longer sentences with distinct rows that are no larger. What is off by less than :data:`ROUNDING` passes.

    Parameters
    ----------
    measured
        From :func:`measure`, which notes the length that it measured.

    Returns
    -------
    frozenset of str
        Empty if nothing fails.

    Examples
    --------
    >>> sorted(failures(measure(over_length)))
    ['distinct_bfloat16', 'second_word', 'shift_residual', 'step_ratio']
    """
    if not isinstance(measured, Measured):
        raise TypeError(f"measured must be what measure(...) returns, got {shown(measured)}")
    passed = {
        "distinct": measured.distinct == measured.seq_len,
        "distinct_bfloat16": measured.distinct_bfloat16 == measured.seq_len,
        "margin": measured.margin > 1 - ROUNDING,
        "second_word": measured.second_word < ROUNDING,
        "largest": measured.largest < 1 + ROUNDING,
        "step_ratio": measured.step_ratio < 1 + ROUNDING,
        "shift_residual": measured.shift_residual < ROUNDING,
        "goes_on": measured.goes_on,
    }
    return frozenset(name for name, good in passed.items() if not good)


def measure_all(seq_len: int = 512) -> dict[str, Measured]:
    """Every attempt, and the encoding of :cite:t:`vaswani2017` at width 64, put to the eight questions.

    Parameters
    ----------
    seq_len
        As for :func:`measure`.

    Returns
    -------
    dict from str to Measured
        In the order of ``ATTEMPTS``, then ``"2017"``.

    Examples
    --------
    >>> [name for name, found in measure_all(128).items() if not failures(found)]
    ['2017']
    """
    # of the widest code
    room_for(8 * 64 * 10 * whole_number(seq_len, "seq_len", least=4), "seq_len", seq_len)
    codes: dict[str, Code] = {**ATTEMPTS, "2017": lambda n: encode(range(n), 64)}
    return {name: measure(code, seq_len=seq_len) for name, code in codes.items()}


def _table(code: Code, n: int) -> NDArray[np.float64]:
    table = real_array(code(n), "code")
    if table.ndim not in (1, 2) or len(table) != n:
        raise ValueError(f"code must return shape ({n},) or ({n}, d) for {n} tokens, got shape {table.shape}")
    return table.reshape(n, -1)  # (n, d)


def _residual(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    features = np.column_stack([before, np.ones(len(before))])  # (p, d + 1)
    fitted = features @ np.linalg.lstsq(features, after, rcond=None)[0]  # (p, d)
    return float(np.linalg.norm(after - fitted) / np.linalg.norm(after - after.mean(axis=0)))


def _extends(code: Code, n: int, bound: float) -> bool:
    try:
        table = _table(code, n)
    except ValueError:
        return False
    return collisions(table).distinct == n and bool(np.abs(table).max() < bound + ROUNDING)
