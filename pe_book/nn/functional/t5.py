"""T5's buckets and their bias as tensors: the definitions of :mod:`pe_book.family.score_bias.t5`."""

import math
from collections.abc import Sequence

import torch
from numpy.typing import ArrayLike
from torch import Tensor

from pe_book.family.score_bias.t5 import RULES, Rule, t5_boundaries
from pe_book.inputs.checking import one_of, real_array
from pe_book.nn.functional.score_bias import computed_in, room_for_heads
from pe_book.nn.offsets import place_of, require_whole_numbers, whole_offsets
from pe_book.nn.tensors import (
    DTYPES,
    Positions,
    constant_in_graphs,
    described,
    real_positions,
    require_dense,
)


def t5_bucket(
    key_minus_query: Positions,
    *,
    n_buckets: int = 32,
    max_distance: int = 128,
    bidirectional: bool = True,
    rule: Rule = "exact",
) -> Tensor:
    """As :func:`pe_book.family.score_bias.t5.t5_bucket`, for tensors: int64, on the device of the offsets.

    With ``rule="float32"`` the operations are those of the libraries. On a boundary the logarithm of the
    device decides, which may be one float32 from the nearest: devices differ there, and so do libraries.

    >>> import pe_book as pe
    >>> pe.nn.t5_bucket(torch.tensor([-1, -7, -8, -128, 1]))
    tensor([ 1,  7,  8, 15, 17])
    """
    found = real_positions(key_minus_query, "key_minus_query")
    require_whole_numbers(found, "key_minus_query", "offsets")
    rounded = one_of(rule, RULES, "rule") == "float32"
    begins = boundaries(n_buckets, max_distance, bidirectional)
    return bucketed(found.to(torch.int64), begins, bool(bidirectional), max_distance if rounded else None)


def t5_bias(
    weight: Tensor | ArrayLike,
    queries: Positions,
    keys: Positions,
    *,
    max_distance: int = 128,
    bidirectional: bool = True,
    rule: Rule = "exact",
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """As :func:`pe_book.family.score_bias.t5.t5_bias`, for tensors: shape (..., h, n_q, n_k), float32.

    >>> import pe_book as pe
    >>> weight = torch.tensor([[0.0], [-1.0], [-2.0], [-3.0]])
    >>> pe.nn.t5_bias(weight, [2], range(3), max_distance=4, bidirectional=False)
    tensor([[[-2., -1.,  0.]]])
    """
    device = place_of(weight, queries)
    table = _table(weight, device)
    number = computed_in(dtype, device)
    rounded = one_of(rule, RULES, "rule") == "float32"
    begins = _boundaries_of_rows(table, max_distance, bidirectional)
    away = whole_offsets(queries, keys, device)
    room_for_heads(away, table.shape[1], number, "weight, queries and keys")
    found = bucketed(away, begins, bool(bidirectional), max_distance if rounded else None)
    return looked_up(table.to(number), found).to(dtype)  # (..., h, n_q, n_k)


def bucketed(away: Tensor, begins: Sequence[int], both: bool, farthest: int | None) -> Tensor:
    """What remains of :func:`t5_bucket` after its checks; `farthest` where the rule is that of float32."""
    distance = away.abs() if both else (-away).clamp(min=0)
    side = len(begins)
    if farthest is None:
        at = torch.tensor(begins, dtype=torch.int64, device=away.device)
        bucket = torch.bucketize(distance, at, right=True) - 1
    else:
        bucket = _in_float32(distance, side, farthest)
    return bucket + side * (away > 0) if both else bucket


def looked_up(table: Tensor, found: Tensor) -> Tensor:
    """The number of each head for buckets of shape (..., n_q, n_k), contiguous."""
    each = table.t().contiguous().index_select(1, found.flatten())  # (h, n)
    apart = each.reshape(table.shape[1], *found.shape)  # (h, n_q, n_k)  with axes of a batch behind h
    return apart.movedim(0, -3).contiguous()  # (..., h, n_q, n_k)


@constant_in_graphs
def boundaries(n_buckets: int, max_distance: int, bidirectional: bool) -> list[int]:
    """Where the buckets of a side begin; a graph holds them as constants.

    >>> boundaries(8, 20, True)
    [0, 1, 2, 7]
    """
    begins = t5_boundaries(n_buckets=n_buckets, max_distance=max_distance, bidirectional=bidirectional)
    return [int(begin) for begin in begins]


def _in_float32(distance: Tensor, side: int, farthest: int) -> Tensor:
    """The libraries' operations, in their order."""
    exact = side // 2
    share = torch.log(distance.clamp(min=exact).float() / exact) / math.log(farthest / exact) * (side - exact)
    wide = (exact + share.to(torch.int64)).clamp(max=side - 1)
    return torch.where(distance < exact, distance, wide)


def _table(weight: Tensor | ArrayLike, device: torch.device) -> Tensor:
    """Learned numbers as a tensor of two axes that hold something."""
    if not isinstance(weight, Tensor):
        table = torch.from_numpy(real_array(weight, "weight")).to(device)
    elif weight.dtype not in DTYPES:
        raise TypeError(f"weight must hold floats, got {described(weight)}")
    else:
        require_dense(weight, "weight")
        table = weight
    if table.dim() != 2 or 0 in table.shape:
        raise ValueError(f"weight must have shape (n_buckets, h), got shape {tuple(table.shape)}")
    return table


def _boundaries_of_rows(table: Tensor, max_distance: int, bidirectional: bool) -> list[int]:
    try:
        return boundaries(len(table), max_distance, bidirectional)
    except ValueError as error:
        if "n_buckets" not in str(error):
            raise
        rows = f"{len(table)} rows of weight, shape {tuple(table.shape)}; is it transposed?"
        raise ValueError(f"{error}: these are the {rows}") from None
