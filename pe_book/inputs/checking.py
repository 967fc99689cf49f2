"""What every definition accepts, and what it says when it is given something else.

Each helper takes the value and the name of the argument, and returns the value in the form the definitions
compute with. A message names the argument, the value, and what would do. Checks of arrays, from
:mod:`pe_book.inputs.arrays`, are at hand here; words of messages come from :mod:`pe_book.inputs.wording`.

So every public function raises ValueError or TypeError for what the description of a parameter rules out,
for NaN, infinities, text and booleans where numbers are wanted, and for more than memory holds. A section
"Raises" says what else.
"""

from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from numbers import Integral, Real
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from pe_book.inputs.arrays import (
    any_array,
    finite_positions,
    finite_result,
    listed_positions,
    matrices,
    per_head,
    real_array,
    require_listed,
    require_whole,
    table_of,
    within_reach,
    without_axes,
)
from pe_book.inputs.wording import physical_memory, room_for, shown

__all__ = [
    "LADDERS", "LAYOUTS", "Ladder", "Layout",
    "any_array", "axis_of", "base_above_one", "even_width", "finite_positions", "finite_result", "flag",
    "known_ladder", "known_layout", "listed_positions", "matrices", "numpy_dtype", "one_of", "per_head",
    "physical_memory", "positive_number", "real_array", "real_number", "require_listed",
    "require_whole", "room_for", "table_of", "whole_number", "whole_start", "within_reach",
]  # fmt: skip

Layout = Literal["interleaved", "halves"]
Ladder = Literal["paper", "tensor2tensor"]

LAYOUTS = ("interleaved", "halves")
LADDERS = ("paper", "tensor2tensor")

_ALL_NAMED, _LONGEST_NAME = 8, 60  # words that an error lists, letters of a name that are compared
_LARGEST_BASE = 1e300  # leaves room for 2*pi*base inside float64


def flag(value: object, name: str) -> bool:
    """`value` as a bool, refused unless it is True or False.

    >>> flag("no", "causal")
    Traceback (most recent call last):
        ...
    TypeError: causal must be True or False, got 'no'
    """
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {shown(value)}")
    return bool(value)


def whole_number(value: object, name: str, *, least: int | None = None, most: int | None = None) -> int:
    """`value` as an int, refused unless it is a whole number from `least` to `most`.

    >>> whole_number(8, "n_heads", least=1)
    8
    """
    accepted = "a whole number"
    if least is not None:
        accepted += f" of at least {least}" if most is None else f" from {shown(least)} to {shown(most)}"
    elif most is not None:
        accepted += f" of at most {shown(most)}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be {accepted}, got {shown(value)}")
    number = int(value)
    if (least is not None and number < least) or (most is not None and number > most):
        raise ValueError(f"{name} must be {accepted}, got {shown(value)}")
    return number


def whole_start(value: object, *, least: int | None = None, most: int | None = None) -> int:
    """The position of the first row as an int: a whole number, or an array or a tensor that holds one.

    >>> whole_start(np.array(7))
    7
    """
    return whole_number(without_axes(value), "start", least=least, most=most)


def even_width(value: object, name: str = "d_model") -> int:
    """`value` as an int, refused unless it is an even number of dimensions, 2 or more.

    >>> even_width(7)
    Traceback (most recent call last):
        ...
    ValueError: d_model must be even, because dimensions come in (sin, cos) pairs: got 7; use 6 or 8
    """
    width = whole_number(value, name, least=2)
    if width % 2:
        near = f"use {shown(width - 1)} or {shown(width + 1)}"
        raise ValueError(
            f"{name} must be even, because dimensions come in (sin, cos) pairs: got {shown(width)}; {near}"
        )
    return width


def real_number(value: object, name: str) -> float:
    """`value` as a float, refused unless it is one finite real number.

    >>> real_number(2, "factor")
    2.0
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name} must be one real number, got {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = np.inf
    if not np.isfinite(number):
        raise ValueError(f"{name} must be finite and fit in float64, got {shown(value)}")
    return number


def positive_number(value: object, name: str) -> float:
    """`value` as a float, refused unless it is one finite real number above 0.

    >>> positive_number(2, "std")
    2.0
    """
    number = real_number(value, name)
    if number <= 0:
        raise ValueError(f"{name} must be above 0, got {number:g}")
    return number


def base_above_one(value: object, name: str = "base") -> float:
    """`value` as a float, refused unless it can be the base of a ladder of frequencies.

    >>> base_above_one(1)
    Traceback (most recent call last):
        ...
    ValueError: base must be greater than 1, so that frequencies fall: got 1; the paper uses 10000
    """
    base = real_number(value, name)
    if base <= 1:
        reason = "so that frequencies fall"
        raise ValueError(f"{name} must be greater than 1, {reason}: got {shown(value)}; the paper uses 10000")
    if base > _LARGEST_BASE:
        raise ValueError(
            f"{name} must be at most {_LARGEST_BASE:g}, got {shown(value)}; the paper uses 10000"
        )
    return base


def one_of(value: object, accepted: Sequence[str], name: str) -> str:
    """`value`, refused unless it is one of the `accepted` words.

    >>> one_of("rows", ("row-first", "column-first"), "order")
    Traceback (most recent call last):
        ...
    ValueError: order must be 'row-first' or 'column-first', got 'rows'
    """
    if not isinstance(value, str) or value not in accepted:
        raise ValueError(f"{name} must be {_choices(value, accepted)}, got {shown(value)}")
    return value


def _choices(value: object, accepted: Sequence[str]) -> str:
    """What to write instead: every word, or of many those that are spelt alike.

    >>> _choices("lama", ["llama", "mistral", *"abcdefgh"])
    "one of 10 known names, such as 'llama'"
    """
    if len(accepted) <= _ALL_NAMED:
        return " or ".join(map(repr, accepted))
    alike = get_close_matches(value[:_LONGEST_NAME], accepted) if isinstance(value, str) else []
    return f"one of {len(accepted)} known names, such as {' or '.join(map(repr, alike or accepted[:1]))}"


def known_layout(value: object, name: str = "layout") -> Layout:
    """`value`, refused unless it is ``"interleaved"`` or ``"halves"``.

    >>> known_layout("halves")
    'halves'
    """
    try:
        return cast(Layout, one_of(value, LAYOUTS, name))
    except ValueError as error:
        raise ValueError(f"{error}: neighbours are called 'interleaved', rotate_half is 'halves'") from None


def known_ladder(value: object, name: str = "ladder") -> Ladder:
    """`value`, refused unless it is ``"paper"`` or ``"tensor2tensor"``.

    >>> known_ladder("paper")
    'paper'
    """
    return cast(Ladder, one_of(value, LADDERS, name))


def numpy_dtype(value: object, accepted: Sequence[str], name: str = "dtype") -> str:
    """The name of a dtype that numpy would understand, refused unless it is one of the `accepted`.

    >>> numpy_dtype(np.float32, ("float32", "float16")), numpy_dtype("f2", ("float32", "float16"))
    ('float32', 'float16')
    """
    spelt: object = value
    if isinstance(value, np.dtype):
        spelt = value.str  # says the order of bytes too
    elif value is float or (isinstance(value, type) and issubclass(value, np.generic)):
        spelt = value.__name__
    for word in accepted:
        if isinstance(spelt, str) and spelt in _spellings(word):
            return word
    raise ValueError(f"{name} must be {' or '.join(map(repr, accepted))}, got {shown(value)}")


@cache
def _spellings(word: str) -> frozenset[str]:
    """Every text that numpy takes for this dtype."""
    kind = np.sctypeDict.get(word)
    if kind is None:  # one that numpy lacks, as bfloat16
        return frozenset([word])
    dtype = np.dtype(kind)
    code = dtype.str[1:]
    names = [name for name, named in np.sctypeDict.items() if named is kind and isinstance(name, str)]
    return frozenset([*names, dtype.char, code, "=" + code, dtype.str])


def axis_of(array: NDArray[Any], axis: object, name: str = "axis") -> int:
    """`axis` as an index from 0, refused unless `array` has that axis.

    >>> axis_of(np.zeros((2, 3)), -1)
    1
    """
    index = whole_number(axis, name)
    if not -array.ndim <= index < array.ndim:
        raise ValueError(f"{name} must name an axis of an array of shape {array.shape}, got {shown(index)}")
    return index % array.ndim
