"""Numbers that arrive as arrays: in which forms they are taken, and what is said of the others."""

import sys
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.wording import physical_memory, room_for, shown

LARGEST_EXACT = 2**53  # every whole number up to here is a float64; above it neighbours collapse
_KINDS = {"b": "booleans", "c": "complex numbers", "U": "text", "S": "text", "M": "dates", "m": "durations"}


def real_array(values: ArrayLike, name: str, *, infinite: bool = False) -> NDArray[np.float64]:
    """`values` as a new float64 array, refused unless every entry is a finite real number.

    Taken are numbers, nested sequences, arrays, and tensors on the CPU that numpy can read; not taken is what
    would lose something on the way: masks, gradients, imaginary parts, booleans that would become numbers.
    Infinities are taken too where `infinite` says so.

    >>> real_array([1, 2], "x")
    array([1., 2.])
    """
    array = _as_numbers(values, name)
    room_for(8 * array.size, name, values, most=physical_memory())
    with np.errstate(all="ignore"):
        result = array.astype(np.float64)
    wrong = ~np.isfinite(result)
    if wrong.any():
        made = np.isinf(result) & np.asarray(abs(array) != np.inf, dtype=bool)  # by the conversion
        wrong = (made | np.isnan(result)) if infinite else wrong
        if wrong.any():
            accepted = "not hold NaN" if infinite else "be finite"
            fits = " and fit in float64" if made.any() else ""
            raise ValueError(f"{name} must {accepted}{fits}, got {_first(array, wrong)}")
    return result


def table_of(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """`values` as a float64 array of shape (n, d), refused unless it is one and holds something.

    >>> table_of([[1, 2]], "x").shape
    (1, 2)
    """
    table = real_array(values, name)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(f"{name} must be a table of shape (n, d), not empty, got shape {table.shape}")
    return table


def matrices(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """`values` as a float64 array of shape (..., n, d), refused unless its last two axes hold something.

    >>> matrices([[[1, 2]]], "x").shape
    (1, 1, 2)
    """
    array = real_array(values, name)
    if array.ndim < 2 or 0 in array.shape:
        shape = f"shape (..., n, d), got {array.shape}"
        raise ValueError(f"{name} must have at least one row and one column, {shape}")
    return array


def finite_positions(values: ArrayLike, name: str = "positions") -> NDArray[np.float64]:
    """`values` as a float64 array of positions in tokens: any shape, real, negative allowed, to ±2**53.

    >>> finite_positions([0, -2, 1.5])
    array([ 0. , -2. ,  1.5])
    """
    result = real_array(values, name)
    far = np.abs(result) >= LARGEST_EXACT
    if far.any():  # at the edge itself the conversion may have moved the number
        array = _as_numbers(values, name)
        if array.dtype == np.float64 and isinstance(values, list | tuple | range):
            array = np.asarray(values, dtype=object)
        wrong = (array > LARGEST_EXACT) | (array < -LARGEST_EXACT)
        if wrong.any():
            limit = "positions must lie within ±2**53, where float64 tells neighbours apart"
            raise ValueError(f"{name}: {limit}, got {_first(array, wrong.astype(bool))}")
    return result


def listed_positions(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Positions with an axis to run along; a single number is refused, and none at all.

    >>> listed_positions(3, "queries")
    Traceback (most recent call last):
        ...
    ValueError: queries must have an axis of positions, shape (..., n), got the single number 3; write [3]
    """
    found = finite_positions(values, name)
    require_listed(found.shape, name, f"{float(found):g}" if found.ndim == 0 else "")
    return found


def require_listed(shape: tuple[int, ...], name: str, number: str = "...") -> None:
    """Refuse the shape of positions that are a single number, which the message writes, or none.

    >>> require_listed((0,), "keys")
    Traceback (most recent call last):
        ...
    ValueError: keys must hold at least one position, as [5] does, got shape (0,)
    """
    if not shape:
        raise ValueError(
            f"{name} must have an axis of positions, shape (..., n), got the single number {number}; "
            f"write [{number}]"
        )
    if 0 in shape:
        raise ValueError(f"{name} must hold at least one position, as [5] does, got shape {shape}")


def require_whole(values: NDArray[np.float64], name: str, what: str) -> None:
    """Refuse a fraction where one number stands for each whole offset.

    >>> require_whole(np.array([1.0, 2.0]), "keys", "positions")
    """
    broken = values != np.round(values)
    if broken.any():
        raise ValueError(f"{name} must hold whole {what}, got {values[broken][0]:g}")


def per_head(values: ArrayLike, name: str, *, above_zero: bool = False) -> NDArray[np.float64]:
    """One number for each head, refused unless it is a list of them, none below 0.

    >>> per_head(0.5, "slopes")
    Traceback (most recent call last):
        ...
    ValueError: slopes must have shape (h,), one number for each head, got shape (); write [0.5] for one head
    """
    found = real_array(values, name)
    if found.ndim != 1 or found.size == 0:
        cure = f"; write [{float(found):g}] for one head" if found.ndim == 0 else ""
        raise ValueError(
            f"{name} must have shape (h,), one number for each head, got shape {found.shape}{cure}"
        )
    low = found <= 0 if above_zero else found < 0
    if low.any():
        wanted = "be above 0" if above_zero else "not be below 0"
        raise ValueError(f"{name} must {wanted}, or far keys would gain: got {found[low][0]:g}")
    return found


def finite_result(
    array: NDArray[np.float64], name: str, what: str, *, given: ArrayLike | None = None
) -> NDArray[np.float64]:
    """`array`, refused if it holds NaN or infinity: what was computed from the argument does not fit.

    Give it the quantity that overflowed, before anything is divided by it: 1 / inf is a zero like any other.

    >>> finite_result(np.array([np.inf]), "x", "its square", given=[1e200, 3])
    Traceback (most recent call last):
        ...
    ValueError: x is too large: its square does not fit in float64; got numbers up to 1e+200: scale them down
    """
    if not np.isfinite(array).all():
        got = "infinity or NaN" if given is None else f"numbers up to {np.max(np.abs(given)):g}"
        raise ValueError(f"{name} is too large: {what} does not fit in float64; got {got}: scale them down")
    return array


def within_reach(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Numbers that may be multiplied by a position: refused beyond ±2**53, where products would overflow.

    >>> within_reach([0.5, 1e200], "frequencies")
    Traceback (most recent call last):
        ...
    ValueError: frequencies must lie within ±2**53, got 1e+200
    """
    array = np.asarray(values, dtype=np.float64)
    if (beyond := np.abs(array) > LARGEST_EXACT).any():
        raise ValueError(f"{name} must lie within ±2**53, got {array[beyond][0]:g}")
    return array


def any_array(values: object, name: str) -> NDArray[Any]:
    """`values` as an array of whatever it holds, for what moves entries and computes nothing.

    A masked array stays one, so that its mask can move with the entries.

    >>> any_array(["s0", "c0"], "x").shape
    (2,)
    """
    if isinstance(values, np.ma.MaskedArray):
        return values
    _refuse_what_numpy_would_lose(values, name, numbers=False)
    try:
        return np.asarray(values)
    except Exception as error:  # ragged lists, arrays of other libraries: each raises its own kind
        raise ValueError(f"{name} must be an array of one shape, got {shown(values)}") from error


def without_axes(value: object) -> object:
    """What an array or a tensor of no axes holds, as a number of Python; anything else as it is.

    >>> without_axes(np.array(7)), without_axes([7])
    (7, [7])
    """
    if isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray) and value.ndim == 0:
        return value.item()
    if (torch := sys.modules.get("torch")) and isinstance(value, torch.Tensor):
        return value.item() if value.dim() == 0 and not _why_no_array(value) else value
    return value


def overlaps_itself(shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> bool:
    """Whether two entries of an array of two axes share memory; strides and the size of an entry in one unit.

    >>> overlaps_itself((3, 2), (2, 1), 1), overlaps_itself((3, 2), (1, 1), 1)
    (False, True)
    """
    (rows, columns), (down, along) = shape, strides
    if columns > 1 and abs(along) < size:
        return rows > 0
    apart = np.arange(1, rows) * down if columns > 0 else np.empty(0)  # of two in one column
    nearest = np.clip(np.rint(apart / along), 1 - columns, columns - 1) if columns > 1 else 0
    return bool((np.abs(apart - nearest * along) < size).any())


def _as_numbers(values: ArrayLike, name: str) -> NDArray[Any]:
    """`values` as an array of integers, floats or Python's real numbers, or a message."""
    _refuse_what_numpy_would_lose(values, name)
    if isinstance(values, range):
        count = max(0, -((values.start - values.stop) // values.step))
        room_for(8 * count, name, values, most=physical_memory())
    try:
        array = np.asarray(values)
    except OverflowError:  # an integer beyond float64 beside a float
        array = np.asarray(values, dtype=object)
    except Exception as error:  # ragged lists, arrays of other libraries: each raises its own kind
        accepted = "must be a number or an array of one shape"
        raise ValueError(f"{name} {accepted}, got {shown(values)}") from error
    if array.dtype.kind == "O" and all(_is_real(entry) for entry in array.flat):
        try:
            array.astype(np.float64)
        except OverflowError:
            flags = [not np.isfinite(_float_of(entry)) for entry in array.flat]
            wrong = np.reshape(flags, array.shape)  # (...)
            fits = "must be finite and fit in float64"
            raise ValueError(f"{name} {fits}, got {_first(array, wrong)}") from None
    elif array.dtype.kind not in "iuf":
        kind = _KINDS.get(array.dtype.kind, "Python objects")
        raise TypeError(f"{name} must hold integers or floats, got {kind}: {shown(values)}")
    return array


def _refuse_what_numpy_would_lose(values: object, name: str, depth: int = 0, *, numbers: bool = True) -> None:
    if isinstance(values, list | tuple) and depth <= 64:  # numpy has 64 axes, and refuses the rest itself
        if not set(map(type, values)) <= {int, float}:
            for value in values:
                _refuse_what_numpy_would_lose(value, name, depth + 1, numbers=numbers)
    elif isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} must hold numbers, got a masked array; use .filled() or .compressed() first")
    elif numbers and isinstance(values, bool | np.bool_):
        raise TypeError(f"{name} must hold integers or floats, got booleans: {shown(values)}")
    elif (torch := sys.modules.get("torch")) and isinstance(values, torch.Tensor):
        refusal = _why_no_array(values)
        if refusal:
            raise TypeError(f"{name} must hold integers or floats, got {refusal}")


def _why_no_array(tensor: Any) -> str:
    """Why numpy cannot read a tensor, and what makes it readable; empty if it can."""
    if tensor.is_nested:
        return "a nested tensor; give one sequence at a time, or use .to_padded_tensor(0)"
    if str(tensor.layout) != "torch.strided":
        return f"a tensor of layout {tensor.layout}; use .to_dense()"
    if tensor.device.type == "meta":
        return "a tensor on the meta device, which holds no numbers; give one on the CPU"
    if tensor.device.type != "cpu":
        return f"a tensor on {tensor.device}; use .cpu()"
    if tensor.is_quantized:
        return "a quantized tensor; use .dequantize()"
    if tensor.requires_grad:
        return "a tensor that requires grad; use .detach()"
    try:
        tensor.numpy()
    except Exception:  # bfloat16 and the formats of 8 bits and fewer
        return f"a tensor of {tensor.dtype}, which numpy lacks; use .float()"
    return ""


def _is_real(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _float_of(value: Real) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _first(array: NDArray[Any], wrong: NDArray[np.bool_]) -> str:
    """The first offending entry, with its index where there is one."""
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    where = f" at index {index[0] if len(index) == 1 else index}" if index else ""
    return f"{shown(array[index])}{where}"
