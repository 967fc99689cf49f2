"""What a turned row of ones gives away: frequencies, the factor on it, and which stage was rounded."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pe_book.family.context_extension import scale_frequencies
from pe_book.family.rotary import rotate
from pe_book.inputs.checking import Layout, real_array
from pe_book.inputs.pairs import join, split
from pe_book.inputs.shapes import PerPair
from pe_book.sinusoidal.formula import frequencies
from pe_book.sinusoidal.precision.recipes import encode_rounded

# how a model's frequencies may have been scaled, and what `scale_frequencies` is told
EXTENDED: dict[str, dict[str, Any]] = {
    "none": {},
    "linear": {"method": "linear"},
    "ntk": {"method": "ntk"},
    "llama3": {"method": "llama3"},
    "yarn, the paper's ramp": {"method": "yarn", "ramp": "paper"},
    "yarn, the ramp of libraries": {"method": "yarn", "ramp": "library"},
}


def scaled_by(name: str, d: int, factor: float, original_len: float) -> tuple[PerPair, float]:
    """The frequencies of a head under one of the methods of ``EXTENDED``, and the factor that goes with them.

    Examples
    --------
    >>> scaled_by("linear", 4, 2, 1000)
    (array([0.5  , 0.005]), 1.0)
    """
    options = EXTENDED[name]
    if not options:
        return frequencies(d), 1.0
    if options["method"] not in ("linear", "ntk"):
        options = options | {"original_len": original_len}
    return scale_frequencies(frequencies(d), factor=factor, **options)


def recovered(rows: ArrayLike, positions: ArrayLike, *, layout: Layout) -> tuple[PerPair, PerPair]:
    """The frequencies and the factors of a program, from what it makes of a row of ones.

    The angle of a pair at position 1 is its frequency, to as many digits as the row has. Farther positions
    give more of them: each says by how many whole turns it can be off, and the estimate before says by which.

    Parameters
    ----------
    rows : array_like
        Shape (n, d): rows of ones, turned. Of a head that turns in part, the columns of the slice.
    positions : array_like
        Shape (n,): 0, 1, and then as many more as are wanted, each at most a thousand times the one before.
    layout : str
        How the program pairs columns: ``"interleaved"`` or ``"halves"``.

    Returns
    -------
    frequencies : NDArray[np.float64]
        Shape (d/2,), radians per token; below 0 where the program turns clockwise.
    factors : NDArray[np.float64]
        Shape (d/2,): the length of each pair at position 1 over that of a pair of ones. 1 in a rotation.

    Examples
    --------
    >>> where = [0, 1, 100]
    >>> omega, factors = recovered(2 * rotate(np.ones((3, 4)), where), where, layout="interleaved")
    >>> omega.round(6), factors.round(6)
    (array([1.  , 0.01]), array([2., 2.]))
    """
    where, found = real_array(positions, "positions"), real_array(rows, "rows")
    if where.ndim != 1 or list(where[:2]) != [0, 1] or (np.diff(where) <= 0).any():
        raise ValueError(f"positions must begin with 0 and 1 and rise, got {positions!r}")
    if found.ndim != 2 or len(found) != len(where) or found.shape[1] % 2:
        raise ValueError(f"rows must have shape ({len(where)}, d), d even, got {found.shape}")
    a, b = split(found, layout)
    pairs = a + 1j * b
    omega: PerPair = np.angle(pairs[1] / pairs[0])
    for position, turned_pairs in zip(where[2:], pairs[2:], strict=True):
        left_over = np.angle(turned_pairs / pairs[0] * np.exp(-1j * omega * position))
        omega = omega + left_over / position
    factors: PerPair = np.abs(pairs[1]) / np.sqrt(2)
    return omega, factors


class Seen(NamedTuple):
    """What rounding leaves of the rows of ones at the end of a text, turned."""

    different: int  # how many rows there are, equal ones counted once
    fastest_off: float  # the largest error in the fastest pair; NaN where an entry is no number
    others_off: float  # the same in all other pairs


def rounded_turn(length: int, d: int, *, rounded: str, dtype: str, last: int = 64) -> Seen:
    """The last rows of a text, ones turned by angles of which one stage is rounded to a format.

    Parameters
    ----------
    length : int
        Of the text, in tokens.
    d : int
        Width of the head.
    rounded : str
        ``"positions"``, ``"frequencies"``, ``"angles"`` or ``"table"``, the finished cosines and sines.
    dtype : str
        ``"bfloat16"``, ``"float16"`` or ``"float32"``.
    last : int
        How many rows are looked at.

    Returns
    -------
    Seen

    Examples
    --------
    >>> rounded_turn(512, 8, rounded="positions", dtype="bfloat16").different
    33
    """
    where = np.arange(length - last, length)
    exact = rotate(np.ones((last, d)), where)
    sines, cosines = split(encode_rounded(where, d, rounded=rounded, dtype=dtype), "interleaved")
    rows = join(cosines - sines, cosines + sines, "interleaved")
    off = np.abs(rows - exact)
    kinds = np.unique(np.nan_to_num(rows, nan=9.0), axis=0)  # no entry is 9, and NaN would equal no other
    return Seen(len(kinds), float(off[:, :2].max()), float(off[:, 2:].max()))
