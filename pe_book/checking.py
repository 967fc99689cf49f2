"""What every definition accepts, and what it says when it is given something else.

Each helper takes the value and the name of the argument, and returns the value in the form the definitions
compute with. A message names the argument, the value, and what would do.
"""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

Layout = Literal["interleaved", "halves"]
Ladder = Literal["paper", "tensor2tensor"]

LAYOUTS = ("interleaved", "halves")
LADDERS = ("paper", "tensor2tensor")

_LARGEST_EXACT = 2**53  # every whole number up to here is a float64; above it neighbours collapse
_LARGEST_BASE = 1e300  # leaves room for 2*pi*base inside float64


def whole_number(value: object, name: str, *, least: int | None = None) -> int:
    """`value` as an int, refused unless it is a whole number of at least `least`.

    >>> whole_number(8, "n_heads", least=1)
    8
    """
    accepted = "a whole number" if least is None else f"a whole number of at least {least}"
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be {accepted}, got {_shown(value)}")
    if least is not None and value < least:
        raise ValueError(f"{name} must be {accepted}, got {_shown(value)}")
    return int(value)


def even_width(value: object, name: str = "d_model") -> int:
    """`value` as an int, refused unless it is an even number of dimensions, 2 or more.

    >>> even_width(7)
    Traceback (most recent call last):
        ...
    ValueError: d_model must be even, because dimensions come in (sin, cos) pairs: got 7; use 6 or 8
    """
    width = whole_number(value, name, least=2)
    if width % 2:
        near = f"use {width - 1} or {width + 1}"
        raise ValueError(
            f"{name} must be even, because dimensions come in (sin, cos) pairs: got {width}; {near}"
        )
    return width


def real_number(value: object, name: str) -> float:
    """`value` as a float, refused unless it is one finite real number.

    >>> real_number(2, "factor")
    2.0
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{name} must be one real number, got {_shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = np.inf
    if not np.isfinite(number):
        raise ValueError(f"{name} must be finite and fit in float64, got {_shown(value)}")
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
        raise ValueError(
            f"{name} must be greater than 1, {reason}: got {_shown(value)}; the paper uses 10000"
        )
    if base > _LARGEST_BASE:
        raise ValueError(
            f"{name} must be at most {_LARGEST_BASE:g}, got {_shown(value)}; the paper uses 10000"
        )
    return base


def real_array(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """`values` as a float64 array, refused unless every entry is a finite real number.

    >>> real_array([1, 2], "x")
    array([1., 2.])
    """
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(
            f"{name} must hold real numbers, got a masked array; fill or drop the masked entries first"
        )
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be a number or an array of one shape, got {_shown(values)}") from error
    if array.dtype.kind not in "iuf":
        kind = {"b": "booleans", "c": "complex numbers", "U": "text", "S": "text"}.get(
            array.dtype.kind, "Python objects"
        )
        raise TypeError(f"{name} must hold integers or floats, got {kind}: {_shown(values)}")
    result = array.astype(np.float64)
    wrong = ~np.isfinite(result)
    if wrong.any():
        raise ValueError(f"{name} must be finite, got {_first(array, wrong)}")
    return result


def finite_positions(values: ArrayLike, name: str = "positions") -> NDArray[np.float64]:
    """`values` as a float64 array of positions in tokens: any shape, real, negative allowed.

    >>> finite_positions([0, -2, 1.5])
    array([ 0. , -2. ,  1.5])
    """
    result = real_array(values, name)
    array = np.asarray(values)
    if array.dtype.kind in "iu":
        wrong = (array > _LARGEST_EXACT) | (array < -_LARGEST_EXACT)
        if wrong.any():
            limit = "whole positions must lie within ±2**53, where float64 is exact"
            raise ValueError(f"{name}: {limit}, got {_first(array, wrong)}")
    return result


def one_of(value: object, accepted: Sequence[str], name: str) -> str:
    """`value`, refused unless it is one of the `accepted` words.

    >>> one_of("rows", ("row-first", "column-first"), "order")
    Traceback (most recent call last):
        ...
    ValueError: order must be 'row-first' or 'column-first', got 'rows'
    """
    if not isinstance(value, str) or value not in accepted:
        choices = " or ".join(map(repr, accepted))
        raise ValueError(f"{name} must be {choices}, got {_shown(value)}")
    return value


def known_layout(value: object, name: str = "layout") -> Layout:
    """`value`, refused unless it is ``"interleaved"`` or ``"halves"``.

    >>> known_layout("halves")
    'halves'
    """
    return cast(Layout, one_of(value, LAYOUTS, name))


def known_ladder(value: object, name: str = "ladder") -> Ladder:
    """`value`, refused unless it is ``"paper"`` or ``"tensor2tensor"``.

    >>> known_ladder("paper")
    'paper'
    """
    return cast(Ladder, one_of(value, LADDERS, name))


def axis_of(array: NDArray[Any], axis: object, name: str = "axis") -> int:
    """`axis` as an index from 0, refused unless `array` has that axis.

    >>> axis_of(np.zeros((2, 3)), -1)
    1
    """
    index = whole_number(axis, name)
    if not -array.ndim <= index < array.ndim:
        raise ValueError(f"{name} must name an axis of an array of shape {array.shape}, got {index}")
    return index % array.ndim


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _first(array: NDArray[Any], wrong: NDArray[np.bool_]) -> str:
    """The first offending entry, with its index where there is one."""
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    where = f" at index {index[0] if len(index) == 1 else index}" if index else ""
    return f"{array[index]}{where}"
