"""What a turned row of ones gives away of how frequencies were scaled, and which stage was rounded."""

from typing import Any, NamedTuple

import numpy as np

from pe_book.family.context_extension import scale_frequencies
from pe_book.family.rotary import rotate
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

    >>> scaled_by("linear", 4, 2, 1000)
    (array([0.5  , 0.005]), 1.0)
    """
    options = EXTENDED[name]
    if not options:
        return frequencies(d), 1.0
    if options["method"] not in ("linear", "ntk"):
        options = options | {"original_len": original_len}
    return scale_frequencies(frequencies(d), factor=factor, **options)


class Seen(NamedTuple):
    """What rounding leaves of the rows of ones at the end of a text, turned."""

    different: int  # how many rows there are, equal ones counted once
    fastest_off: float  # the largest error in the fastest pair; NaN where an entry is no number
    others_off: float  # the same in all other pairs


def rounded_turn(length: int, d: int, *, rounded: str, dtype: str, last: int = 64) -> Seen:
    """The last rows of a text of a length, ones turned by angles of which one stage is rounded to a format.

    The stages are ``"positions"``, ``"frequencies"``, ``"angles"`` and ``"table"``, the finished cosines and
    sines; the formats ``"bfloat16"``, ``"float16"`` and ``"float32"``.

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
