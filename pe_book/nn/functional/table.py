"""Tables of consecutive and of scattered positions as tensors, rounded once from the exact values."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pe_book.inputs.arrays import overlaps_itself
from pe_book.inputs.checking import Ladder, Layout, even_width, room_for, whole_number
from pe_book.inputs.wording import shown
from pe_book.nn.tensors import (
    checked_device,
    checked_dtype,
    described,
    memory_on,
    require_dense,
)
from pe_book.sinusoidal import computing

_WIDEST = 2**16  # of a table, as in pe_book.sinusoidal.computing


def table(
    seq_len: int,
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
    start: int = 0,
    dtype: torch.dtype | None = None,
    device: torch.device | str | int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """As :func:`pe_book.sinusoidal.computing.table`, which computes the rows, for tensors.

    In float32, float16 or bfloat16 every entry is the nearest number of that format, in float64 within
    ``ERROR_BOUND`` of the exact value. Without `dtype` it is that of `out`, or float32; without `device`,
    torch's default. `out` is a tensor of shape (seq_len, d_model) to write to, on any device; one of
    another shape, dtype or device than asked, or with two entries in one place, is refused.

    >>> import pe_book as pe
    >>> pe.nn.table(2, 4, dtype=torch.bfloat16)[1]
    tensor([0.8398, 0.5391, 0.0100, 1.0000], dtype=torch.bfloat16)
    """
    shape = (whole_number(seq_len, "seq_len", least=0), even_width(d_model))
    if dtype is None:
        dtype = out.dtype if isinstance(out, Tensor) else torch.float32
    if out is None:
        where = checked_device(device)
    elif described(out) != f"{dtype} of shape {shape}":
        raise ValueError(f"out must be {dtype} of shape {shape}, got {described(out)}")
    elif device is not None and torch.empty(0, device=checked_device(device)).device != out.device:
        raise ValueError(f"device must be that of out, {out.device}, or be left out; got {device}")
    else:
        where = out.device
    if out is not None:
        require_dense(out, "out")
        if overlaps_itself(shape, out.stride(), 1):
            got = f"got strides {out.stride()} for shape {shape}; clone it first"
            raise ValueError(f"out must have a place in memory for each entry, {got}")
    checked_dtype(dtype, where)
    if shape[1] > _WIDEST:
        raise ValueError(f"d_model must be at most {_WIDEST} for a table, got {shown(d_model)}")
    on_meta = out is None and where.type == "meta"
    room_for(shape[0] * shape[1] * dtype.itemsize, "seq_len", seq_len, most=memory_on(where))
    numbers = np.empty((0 if on_meta else shape[0], shape[1]), _in_numpy(dtype))
    rounding = "bfloat16" if dtype == torch.bfloat16 else None
    computing.write(numbers, base=base, layout=layout, ladder=ladder, start=start, rounding=rounding)
    if on_meta:
        return torch.empty(shape, dtype=dtype, device=where)
    if out is None:
        return _in_torch(numbers, dtype, where)
    with torch.no_grad():
        return out.copy_(_in_torch(numbers, dtype, out.device))


def scattered(
    positions: NDArray[Any],
    d_model: int,
    *,
    base: float,
    layout: Layout,
    ladder: Ladder,
    dtype: torch.dtype,
    device: torch.device,
) -> Tensor:
    """The rows of :func:`table` at any whole positions: what the modules add far out.

    >>> rows = scattered(
    ...     np.array([2, 0]), 4, base=10000.0, layout="halves", ladder="paper",
    ...     dtype=torch.float32, device=torch.device("cpu"),
    ... )
    >>> torch.equal(rows, table(3, 4, layout="halves")[[2, 0]])
    True
    """
    conventions: dict[str, Any] = {"base": base, "layout": layout, "ladder": ladder}
    rounding = "bfloat16" if dtype == torch.bfloat16 else None
    numbers = computing.rows(positions, d_model, **conventions, dtype=_in_numpy(dtype), rounding=rounding)
    return _in_torch(numbers, dtype, device)


def _in_numpy(dtype: torch.dtype) -> str:
    """The numpy dtype that holds the numbers of a torch dtype."""
    return "float32" if dtype == torch.bfloat16 else str(dtype).removeprefix("torch.")


def _in_torch(numbers: NDArray[Any], dtype: torch.dtype, device: torch.device) -> Tensor:
    with torch.inference_mode(False):  # a table that is kept must be of use in training too
        # float32 that holds bfloat16 numbers: nothing is rounded
        return torch.from_numpy(numbers).to(dtype).to(device)
