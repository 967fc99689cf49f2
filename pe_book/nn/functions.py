r"""The definitions of the sinusoidal encoding on tensors: names and conventions of the numpy functions.

Every angle is formed in float64, whatever the dtype that comes in or goes out, and the result is cast last,
in one rounding. Results are float64, as the numpy definitions have them, unless a ``dtype`` argument says
otherwise or rows that have a dtype already are moved. Everything can be differentiated by what is real:
positions, offsets, rows. On a device without float64 (``"mps"``) the float64 work is done on the CPU.

The values in a tensor are checked where that costs nothing, on the CPU outside of graphs, traces and
``torch.vmap``; elsewhere checking would wait for the device, and NaN gives NaN.
"""

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pe_book.arrays import overlaps_itself
from pe_book.checking import (
    Ladder,
    Layout,
    base_above_one,
    even_width,
    known_ladder,
    known_layout,
    room_for,
    whole_number,
)
from pe_book.nn.float64 import rounded, waves
from pe_book.nn.tensors import (
    Positions,
    checked_device,
    checked_dtype,
    dense,
    described,
    memory_on,
    real_positions,
)
from pe_book.sinusoidal import computing
from pe_book.sinusoidal.pieces import bounded_width
from pe_book.wording import shown

_WIDEST = 2**16  # of a table, as in pe_book.sinusoidal.computing


def frequencies(d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper") -> Tensor:
    r"""The angle, in radians, by which each (sin, cos) pair turns from one token to the next.

    .. math:: \omega_i = \text{base}^{-2i/d_\text{model}}, \qquad i = 0, 1, \dots, d_\text{model}/2 - 1

    Parameters
    ----------
    d_model, base, ladder
        As for :func:`pe_book.sinusoidal.formula.frequencies`.

    Returns
    -------
    Tensor
        Shape (d_model/2,), float64, in radians per token.

    Examples
    --------
    >>> frequencies(4)
    tensor([1.0000, 0.0100], dtype=torch.float64)

    See Also
    --------
    pe_book.sinusoidal.formula.frequencies : the definition.
    """
    pairs, base = even_width(d_model) // 2, checked_base(base)
    room_for(4 * 8 * pairs, "d_model", d_model)
    rungs = pairs if known_ladder(ladder) == "paper" else max(pairs - 1, 1)
    return torch.pow(base, -torch.arange(pairs, dtype=torch.float64) / rungs)


def wavelengths(d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper") -> Tensor:
    r"""The number of tokens after which each (sin, cos) pair has turned once.

    .. math:: \lambda_i = 2\pi / \omega_i

    Parameters
    ----------
    d_model, base, ladder
        As for :func:`pe_book.sinusoidal.formula.frequencies`.

    Returns
    -------
    Tensor
        Shape (d_model/2,), float64, in tokens.

    Examples
    --------
    >>> wavelengths(4)
    tensor([  6.2832, 628.3185], dtype=torch.float64)

    See Also
    --------
    pe_book.sinusoidal.formula.wavelengths : the definition.
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
    r"""The sinusoidal encoding of each position: one sine and one cosine for every frequency.

    .. math::

        \begin{aligned}
        PE_{(pos, 2i)} &= \sin(pos / 10000^{2i/d_\text{model}}) \\
        PE_{(pos, 2i+1)} &= \cos(pos / 10000^{2i/d_\text{model}})
        \end{aligned}

    (:cite:t:`vaswani2017`, section 3.5), with `base` for 10000.

    Parameters
    ----------
    positions
        In tokens: an integer or floating tensor of any shape, taken at the values that it holds (a bfloat16
        tensor cannot hold 257), or what the numpy function takes. Fractions and negative numbers are allowed.
    d_model, base, layout, ladder
        As for :func:`pe_book.sinusoidal.formula.encode`.
    dtype
        float64, float32, float16 or bfloat16: what the float64 values are rounded to, once. As in numpy,
        `encode` is the definition and float64 unless told otherwise, :func:`table` what a model keeps and
        float32; in a sum with embeddings pass their dtype, or the sum is float64.

    Returns
    -------
    Tensor
        Shape positions.shape + (d_model,), without unit, on the device of `positions`. In float64 an entry is
        within ``1e-15`` of the exact one at whole positions, and within ``1.5e-15`` at others.

    Raises
    ------
    ValueError, TypeError
        If `positions` are sparse, nested or quantized, or `dtype` is float64 on a device that has none.

    Examples
    --------
    >>> encode(torch.tensor([0, 2]), 4)
    tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
            [ 0.9093, -0.4161,  0.0200,  0.9998]], dtype=torch.float64)

    See Also
    --------
    table : consecutive positions, correctly rounded.
    pe_book.sinusoidal.formula.encode : the definition.
    """
    places = real_positions(positions, "positions")
    checked_dtype(dtype, places.device)
    width, base = bounded_width(d_model), checked_base(base)
    if not torch.compiler.is_compiling():
        needed = 8 * 8 * places.numel() * width  # with the steps on the way
        room_for(needed, "positions and d_model", (*places.shape, width), most=memory_on(places.device))
    rows = waves(places, width, base, known_ladder(ladder), known_layout(layout))
    return rounded(rows, dtype).to(places.device)


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
    r"""The sinusoidal encoding of consecutive positions, each entry rounded once from its exact value.

    Row r is the encoding of position start + r.

    Parameters
    ----------
    seq_len, d_model, base, layout, ladder, start
        As for :func:`pe_book.sinusoidal.computing.table`, which computes the rows.
    dtype
        float32, float16 or bfloat16: every entry is the nearest number of that format. float64: every entry
        is within ``ERROR_BOUND`` of :mod:`pe_book.sinusoidal.computing` of the exact value. Without it, that
        of `out`, or float32.
    device
        Where the rows go; without it, torch's default device.
    out
        A tensor of shape (seq_len, d_model) and this dtype to write to, on any device.

    Returns
    -------
    Tensor
        Shape (seq_len, d_model), without unit: `out`, or a new tensor.

    Raises
    ------
    ValueError, TypeError
        If `out` has another shape, dtype or device than asked, or two of its entries share memory.

    Examples
    --------
    >>> table(2, 4, start=1)
    tensor([[ 0.8415,  0.5403,  0.0100,  0.9999],
            [ 0.9093, -0.4161,  0.0200,  0.9998]])
    >>> table(2, 4, dtype=torch.bfloat16)[1]
    tensor([0.8398, 0.5391, 0.0100, 1.0000], dtype=torch.bfloat16)

    See Also
    --------
    encode : for positions that are not consecutive, or fractional.
    pe_book.sinusoidal.computing.table : the definition.
    """
    shape = (whole_number(seq_len, "seq_len", least=0), even_width(d_model))
    if dtype is None:
        dtype = out.dtype if isinstance(out, Tensor) else torch.float32
    if out is None:
        place = checked_device(device)
    elif described(out) != f"{dtype} of shape {shape}":
        raise ValueError(f"out must be {dtype} of shape {shape}, got {described(out)}")
    elif device is not None and torch.empty(0, device=checked_device(device)).device != out.device:
        raise ValueError(f"device must be that of out, {out.device}, or be left out; got {device}")
    else:
        place = out.device
    if out is not None:
        dense(out, "out")
        if overlaps_itself(shape, out.stride(), 1):
            got = f"got strides {out.stride()} for shape {shape}; clone it first"
            raise ValueError(f"out must have a place in memory for each entry, {got}")
    checked_dtype(dtype, place)
    if shape[1] > _WIDEST:
        raise ValueError(f"d_model must be at most {_WIDEST} for a table, got {shown(d_model)}")
    on_meta = out is None and place.type == "meta"
    room_for(shape[0] * shape[1] * dtype.itemsize, "seq_len", seq_len, most=memory_on(place))
    numbers = np.empty((0 if on_meta else shape[0], shape[1]), _in_numpy(dtype))
    rounding = "bfloat16" if dtype == torch.bfloat16 else None
    computing.write(numbers, base=base, layout=layout, ladder=ladder, start=start, rounding=rounding)
    if on_meta:
        return torch.empty(shape, dtype=dtype, device=place)
    if out is None:
        return _in_torch(numbers, dtype, place)
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


def checked_base(base: float) -> float:
    """The base of a ladder, refused as the numpy functions refuse it, in a graph by operations alone.

    >>> checked_base(50)
    50.0
    """
    if not torch.compiler.is_compiling():  # the check calls numpy, whose calls would become part of a graph
        return base_above_one(base)
    if not base > 1:
        raise ValueError(f"base must be greater than 1, so that frequencies fall: got {base}")
    return base
