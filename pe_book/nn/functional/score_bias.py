r"""Biases on scores as tensors: the definitions of :mod:`pe_book.family.score_bias`.

A bias is float32 unless `dtype` says otherwise, whatever the slopes or weights are: an attention kernel adds
it to scores in float32, and in bfloat16 neighbouring distances share a number from a few hundred tokens on.
It is computed in float32, or in float64 where that is asked for, from differences of positions that are
exact, and can be differentiated by slopes, weights and rates. It is on their device, or on that of the
queries where they are no tensor.
"""

import math

import torch
from numpy.typing import ArrayLike
from torch import Tensor

from pe_book.family import score_bias as definition
from pe_book.inputs.checking import per_head, room_for
from pe_book.nn.offsets import listed_positions, offsets, place_of
from pe_book.nn.tensors import (
    Positions,
    checked_dtype,
    default_device,
    described,
    in_float64,
    memory_on,
    on_device,
    read,
    require_dense,
)


def alibi_slopes(n_heads: int, *, bias_max: float = 8.0) -> Tensor:
    """As :func:`pe_book.family.score_bias.alibi_slopes`, for tensors: shape (h,), float64.

    >>> import pe_book as pe
    >>> pe.nn.alibi_slopes(4)
    tensor([0.2500, 0.0625, 0.0156, 0.0039], dtype=torch.float64)
    """
    return torch.from_numpy(definition.alibi_slopes(n_heads, bias_max=bias_max)).to(default_device())


def alibi_bias(
    slopes: Tensor | ArrayLike, queries: Positions, keys: Positions, *, dtype: torch.dtype = torch.float32
) -> Tensor:
    """As :func:`pe_book.family.score_bias.alibi_bias`, for tensors: shape (..., h, n_q, n_k), float32.

    In float32 an entry is within two roundings of the exact one: 2**-23 of it. Slopes can be learned.

    >>> import pe_book as pe
    >>> pe.nn.alibi_bias([0.5], torch.tensor([2]), torch.arange(3))
    tensor([[[-1.0000, -0.5000,  0.0000]]])
    """
    steep, device = head_numbers(slopes, "slopes", place_of(slopes, queries))
    number = computed_in(dtype, device)
    away = offsets(queries, keys, device)
    room_for_heads(away, len(steep), number, "slopes, queries and keys")
    bias = linear(steep.to(number), away)  # (..., h, n_q, n_k)
    bias = bias.to(dtype)
    refuse_infinity(bias, steep, "slopes", "a slope times a distance")
    return bias


def alibi_key_bias(
    slopes: Tensor | ArrayLike, keys: Positions, *, dtype: torch.dtype = torch.float32
) -> Tensor:
    """As :func:`pe_book.family.score_bias.alibi_key_bias`, for tensors: shape (..., h, 1, n_k), float32.

    >>> import pe_book as pe
    >>> pe.nn.alibi_key_bias([0.5], torch.arange(3))
    tensor([[[-1.0000, -0.5000,  0.0000]]])
    """
    steep, device = head_numbers(slopes, "slopes", place_of(slopes, keys))
    number = computed_in(dtype, device)
    where = on_device(listed_positions(keys, "keys"), "keys", device)
    behind = (where - where.amax(dim=-1, keepdim=True))[..., None, None, :]  # (..., 1, 1, n_k)
    room_for_heads(behind, len(steep), number, "slopes and keys")
    bias = steep.to(number)[:, None, None] * behind.to(number)  # (..., h, 1, n_k)
    bias = bias.to(dtype)
    refuse_infinity(bias, steep, "slopes", "a slope times a distance")
    return bias


def kerple_bias(
    r1: Tensor | ArrayLike,
    r2: Tensor | ArrayLike,
    queries: Positions,
    keys: Positions,
    *,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """As :func:`pe_book.family.score_bias.kerple.kerple_bias`, for tensors: (..., h, n_q, n_k), float32.

    >>> import pe_book as pe
    >>> pe.nn.kerple_bias([1.0], [1.0], torch.tensor([3]), torch.arange(3))
    tensor([[[-1.3863, -1.0986, -0.6931]]])
    """
    height, device = head_numbers(r1, "r1", place_of(r1, r2, queries), above_zero=True)
    rate, _ = head_numbers(r2, "r2", device, above_zero=True)
    if len(height) != len(rate):
        raise ValueError(f"r1 and r2 must have one number for each head, got {len(height)} and {len(rate)}")
    number = computed_in(dtype, device)
    away = offsets(queries, keys, device)
    room_for_heads(away, len(rate), number, "r1, r2, queries and keys")
    bias = logarithmic(height.to(number), rate.to(number), away)  # (..., h, n_q, n_k)
    both = torch.cat([height, rate])  # (2h,)
    bias = bias.to(dtype)
    refuse_infinity(bias, both, "r1 or r2", "their bias")
    return bias


def linear(slopes: Tensor, away: Tensor) -> Tensor:
    """What remains of :func:`alibi_bias` after its checks, in the dtype of the slopes."""
    behind = (-away.abs()).to(slopes.dtype)[..., None, :, :]  # (..., 1, n_q, n_k)
    return slopes[:, None, None] * behind  # (..., h, n_q, n_k)


def logarithmic(r1: Tensor, r2: Tensor, away: Tensor) -> Tensor:
    """What remains of :func:`kerple_bias` after its checks, in the dtype of its numbers."""
    distance = away.abs().to(r2.dtype)[..., None, :, :]  # (..., 1, n_q, n_k)
    return -r1[:, None, None] * (r2[:, None, None] * distance).log1p()  # (..., h, n_q, n_k)


def computed_in(dtype: torch.dtype, device: torch.device) -> torch.dtype:
    """The dtype of the arithmetic: float64 where that is asked for, else float32."""
    checked_dtype(dtype, device)
    return torch.float64 if dtype == torch.float64 else torch.float32


def head_numbers(
    values: Tensor | ArrayLike, name: str, device: torch.device, *, above_zero: bool = False
) -> tuple[Tensor, torch.device]:
    """One number for each head as a tensor, refused as numpy's are where they can be read; and its device.

    >>> head_numbers(torch.tensor([0.5, -1.0]), "slopes", torch.device("cpu"))
    Traceback (most recent call last):
        ...
    ValueError: slopes must not be below 0, or far keys would gain: got -1
    """
    if not isinstance(values, Tensor):
        return torch.from_numpy(per_head(values, name, above_zero=above_zero)).to(device), device
    require_dense(values, name)
    if values.is_complex() or values.dtype == torch.bool:
        raise TypeError(f"{name} must hold integers or floats, got {described(values)}")
    if values.dim() != 1 or values.shape[0] == 0:
        raise ValueError(
            f"{name} must have shape (h,), one number for each head, got shape {tuple(values.shape)}"
        )
    if (held := read(in_float64(values))) is not None:
        per_head(held, name, above_zero=above_zero)
    return on_device(values, name, device), device


def room_for_heads(each: Tensor, heads: int, number: torch.dtype, names: str) -> None:
    """Refuse a bias of so many heads that has no room in memory, outside of graphs."""
    if not torch.compiler.is_compiling():
        needed = 2 * number.itemsize * math.prod(each.shape) * heads
        room_for(needed, names, (heads, *each.shape), most=memory_on(each.device))


def refuse_infinity(bias: Tensor, given: Tensor, name: str, what: str) -> None:
    """Refuse a bias whose farthest entry does not fit in its dtype: it would hide the key.

    >>> refuse_infinity(torch.tensor([-torch.inf]), torch.tensor([1e38]), "slopes", "it")
    Traceback (most recent call last):
        ...
    ValueError: slopes is too large: it does not fit in float32; got numbers up to 1e+38: scale them down
    """
    largest = given.detach().max()
    # numbers of a usual size cannot overflow but in float16, so that the entries need not be read
    held = read(in_float64(largest))
    usual = 0 if bias.dtype == torch.float16 else 2**53
    if held is None or held <= usual or not bias.numel():
        return
    if not torch.isfinite(bias).all():
        number = str(bias.dtype).removeprefix("torch.")
        got = f"got numbers up to {float(held):g}: scale them down"
        raise ValueError(f"{name} is too large: {what} does not fit in {number}; {got}")
