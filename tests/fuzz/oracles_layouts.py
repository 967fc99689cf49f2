"""What rows and heads moved between layouts have to be, entry by entry."""

from typing import Any

import numpy as np
import torch

from tests.fuzz.precise import as_array, pair_of


def _reordered(column: int, d: int, source: str, to: str) -> int:
    pair, cosine = pair_of(column, d, to)
    return 2 * pair + cosine if source == "interleaved" else pair + cosine * (d // 2)


def relaid(result: Any, *, x: Any, source: str, to: str, axis: int) -> str:
    given = x.detach() if isinstance(result, torch.Tensor) else np.asarray(x)
    if result.shape != given.shape or result.dtype != given.dtype:
        return f"shape {result.shape}, {result.dtype}"
    d = given.shape[axis]
    order = [_reordered(column, d, source, to) for column in range(d)]
    if isinstance(result, torch.Tensor):
        wanted = torch.nan_to_num(given.index_select(axis, torch.tensor(order)))
        return (
            ""
            if result.is_meta or torch.equal(torch.nan_to_num(result.detach()), wanted)
            else "moved wrongly"
        )
    if not np.array_equal(
        np.ma.getmaskarray(result),
        np.ma.getmaskarray(x if isinstance(x, np.ma.MaskedArray) else given).take(order, axis),
    ):
        return "lost its mask"
    pairs = zip(np.ma.getdata(result).flat, given.take(order, axis).flat, strict=True)
    return "" if all(a is b or a == b or a != a for a, b in pairs) else "moved wrongly"


def permuted(result: Any, *, d: int, source: str, to: str) -> str:
    wanted = [_reordered(column, int(d), source, to) for column in range(int(d))]
    return "" if as_array(result).tolist() == wanted else "another order"


def heads_listed(
    result: Any, *, head_dim: int, source: str, to: str, rotary_dim: int | None, side: str
) -> str:
    head = int(head_dim)
    width = head if rotary_dim is None else int(rotary_dim)
    start = 0 if side == "first" else head - width
    wanted = list(range(head))
    wanted[start : start + width] = [start + _reordered(c, width, source, to) for c in range(width)]
    return "" if as_array(result).tolist() == wanted else "another order"


def heads_relaid(
    result: Any,
    *,
    weight: Any,
    n_heads: int,
    source: str,
    to: str,
    rotary_dim: int | None,
    side: str,
    **_: Any,
) -> str:
    given = weight if isinstance(weight, torch.Tensor | np.ndarray) else np.asarray(weight)
    head = len(given) // int(n_heads)
    width = head if rotary_dim is None else int(rotary_dim)
    start = 0 if side == "first" else head - width
    for first in range(0, len(given), head):
        turned = slice(first + start, first + start + width)
        for rows, there in (
            (turned, to),
            (slice(first, turned.start), source),
            (slice(turned.stop, first + head), source),
        ):
            if wrong := relaid(result[rows], x=given[rows], source=source, to=there, axis=0):
                return f"head {first // head} {wrong}"
    return ""
