"""Key minus query on tensors: what relative methods are given, as :mod:`pe_book.family.offsets` has it."""

import math

import torch
from torch import Tensor

from pe_book.family.offsets import shape_of_pairs
from pe_book.inputs.checking import require_listed, require_whole, room_for
from pe_book.nn.tensors import (
    Positions,
    default_device,
    in_float64,
    memory_on,
    on_device,
    read,
    real_positions,
)


def offsets(queries: Positions, keys: Positions, device: torch.device | None = None) -> Tensor:
    """As :func:`pe_book.family.offsets.offsets`: int64 where both positions are, else float64.

    The result is on `device`, or where the first tensor of the two is.

    >>> offsets(torch.tensor([2]), torch.tensor([0, 1, 2]))
    tensor([[-2, -1,  0]])
    """
    at_query, at_key = listed_positions(queries, "queries"), listed_positions(keys, "keys")
    where = device or place_of(queries, keys)
    at_query, at_key = on_device(at_query, "queries", where), on_device(at_key, "keys", where)
    if at_query.is_floating_point() or at_key.is_floating_point():
        at_query, at_key = in_float64(at_query), in_float64(at_key)
    shape = shape_of_pairs(tuple(at_query.shape), tuple(at_key.shape))
    if not torch.compiler.is_compiling():
        room_for(3 * 8 * math.prod(shape), "queries and keys", shape, most=memory_on(where))
    return at_key[..., None, :] - at_query[..., :, None]  # (..., n_q, n_k)


def whole_offsets(queries: Positions, keys: Positions, device: torch.device | None = None) -> Tensor:
    """As :func:`offsets`, in int64, for what looks a number up by its offset.

    >>> whole_offsets([2], [0, 0.5])
    Traceback (most recent call last):
        ...
    ValueError: keys must hold whole positions, got 0.5
    """
    at_query, at_key = listed_positions(queries, "queries"), listed_positions(keys, "keys")
    require_whole_numbers(at_query, "queries", "positions")
    require_whole_numbers(at_key, "keys", "positions")
    where = device or place_of(queries, keys)
    return offsets(at_query.to(torch.int64), at_key.to(torch.int64), where)


def listed_positions(values: Positions, name: str) -> Tensor:
    """Positions with an axis to run along; a single number is refused, and none at all.

    >>> listed_positions(3, "queries")
    Traceback (most recent call last):
        ...
    ValueError: queries must have an axis of positions, shape (..., n), got the single number ...; write [...]
    """
    found = real_positions(values, name)
    require_listed(tuple(found.shape), name)
    return found


def require_whole_numbers(values: Tensor, name: str, what: str) -> None:
    """Refuse a fraction, where the numbers can be read without waiting for a device."""
    if values.is_floating_point() and (held := read(in_float64(values))) is not None:
        require_whole(held, name, what)


def place_of(*given: object) -> torch.device:
    """The device of the first tensor among arguments, or torch's default."""
    return next((x.device for x in given if isinstance(x, Tensor)), default_device())
