r"""The definitions of the sinusoidal encoding on tensors: names and conventions of the numpy functions.

Every angle is formed in float64, whatever the dtype that comes in or goes out, and the result is cast last,
in one rounding. Results are float64, as the numpy definitions have them, unless a ``dtype`` argument says
otherwise or rows that have a dtype already are moved. Everything can be differentiated by what is real:
positions, offsets, rows. On a device without float64 (``"mps"``) the float64 work is done on the CPU.

The values in a tensor are checked where that costs nothing, on the CPU outside of graphs, traces and
``torch.vmap``; elsewhere checking would wait for the device, and NaN gives NaN.
"""

import math

import torch
from torch import Tensor

from pe_book.inputs.checking import (
    Ladder,
    Layout,
    base_above_one,
    even_width,
    known_ladder,
    known_layout,
    room_for,
)
from pe_book.nn.kernels.float64 import rounded, waves
from pe_book.nn.tensors import (
    Positions,
    checked_dtype,
    memory_on,
    real_positions,
)
from pe_book.numerics.chunks import bounded_width


def frequencies(d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper") -> Tensor:
    """As :func:`pe_book.sinusoidal.formula.frequencies`, for tensors: shape (d_model/2,), float64.

    >>> import pe_book as pe
    >>> pe.nn.frequencies(4)
    tensor([1.0000, 0.0100], dtype=torch.float64)
    """
    pairs, base = even_width(d_model) // 2, checked_base(base)
    room_for(4 * 8 * pairs, "d_model", d_model)
    rungs = pairs if known_ladder(ladder) == "paper" else max(pairs - 1, 1)
    return torch.pow(base, -torch.arange(pairs, dtype=torch.float64) / rungs)


def wavelengths(d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper") -> Tensor:
    """As :func:`pe_book.sinusoidal.formula.wavelengths`, for tensors: shape (d_model/2,), float64.

    >>> import pe_book as pe
    >>> pe.nn.wavelengths(4)
    tensor([  6.2832, 628.3185], dtype=torch.float64)
    """
    return 2 * math.pi / frequencies(d_model, base=base, ladder=ladder)


def encode(
    positions: Positions,
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
    dtype: torch.dtype = torch.float64,
) -> Tensor:
    """As :func:`pe_book.sinusoidal.formula.encode`, for tensors: float64 unless `dtype` says otherwise.

    Positions in an integer or floating tensor are taken at the values that it holds (a bfloat16 tensor
    cannot hold 257), and rows are on its device; they can be differentiated by real positions. In float64
    an entry is within ``1e-15`` of the exact one at whole positions, and within ``1.5e-15`` at others; to
    any other `dtype` that is rounded once. :func:`pe_book.nn.functional.table.table` is what a model keeps,
    correctly rounded and float32; in a sum with embeddings pass their dtype, or the sum is float64. Sparse,
    nested and quantized positions are refused, and float64 on a device that has none.

    >>> import pe_book as pe
    >>> pe.nn.encode(torch.tensor([0, 2]), 4)
    tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
            [ 0.9093, -0.4161,  0.0200,  0.9998]], dtype=torch.float64)
    """
    checked = real_positions(positions, "positions")
    checked_dtype(dtype, checked.device)
    width, base = bounded_width(d_model), checked_base(base)
    if not torch.compiler.is_compiling():
        needed = 8 * 8 * checked.numel() * width  # with the steps on the way
        room_for(needed, "positions and d_model", (*checked.shape, width), most=memory_on(checked.device))
    rows = waves(checked, width, base, known_ladder(ladder), known_layout(layout))
    return rounded(rows, dtype).to(checked.device)


def checked_base(base: float) -> float:
    """The base of a ladder, refused as the numpy functions refuse it, in a graph by operations alone."""
    if not torch.compiler.is_compiling():  # the check calls numpy, whose calls would become part of a graph
        return base_above_one(base)
    if not base > 1:
        raise ValueError(f"base must be greater than 1, so that frequencies fall: got {base}")
    return base
