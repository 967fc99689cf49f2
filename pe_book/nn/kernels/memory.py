"""Which tensors may be written to in place: each entry in a place of its own, and recorded by nobody."""

from collections.abc import Sequence

import torch
from torch import Tensor


def check_writable(x: Tensor, name: str) -> None:
    """Refuse to write to what autograd records, or to entries that stand in one place."""
    if x.requires_grad and torch.is_grad_enabled():
        raise ValueError(
            f"in_place must be False where gradients are recorded, got {name} that requires grad; "
            "or use torch.no_grad()"
        )
    if not (torch.compiler.is_compiling() or x.is_contiguous() or _entries_apart(x.shape, x.stride())):
        got = f"got {name} with strides {x.stride()}; or use {name}.clone()"
        raise ValueError(f"in_place must be False for entries in one place, {got}")


def check_apart(q: Tensor, k: Tensor) -> None:
    """Refuse two tensors that may lie over each other: what both hold would be turned twice."""
    if torch.compiler.is_compiling() and q is not k:
        return
    if q is k or _may_overlap(q, k):
        got = "got k on top of q; or use k.clone()"
        raise ValueError(f"in_place must be False for q and k in the same memory, {got}")


def _may_overlap(q: Tensor, k: Tensor) -> bool:
    try:
        if q.untyped_storage().data_ptr() != k.untyped_storage().data_ptr() or q.is_meta:
            return False
    except (RuntimeError, NotImplementedError):  # what a transformation of torch stands before has no address
        return False
    (low, high), (other_low, other_high) = _reach(q), _reach(k)
    if high <= other_low or other_high <= low or low == high or other_low == other_high:
        return False
    if q.dtype != k.dtype or q.dim() != k.dim():
        return True
    axes = []
    for size, other, step, other_step in zip(q.shape, k.shape, q.stride(), k.stride(), strict=True):
        if step != other_step and min(size, other) > 1:
            return True
        if max(size, other) > 1:
            axes.append((step if size > 1 else other_step, 1 - size, other - 1))
    return _meet(int(q.storage_offset()) - int(k.storage_offset()), sorted(axes, reverse=True))


def _meet(target: int, axes: Sequence[tuple[int, int, int]]) -> bool:
    """Whether some steps of each axis, from its lowest number to its highest, add up to `target`."""
    if not axes:
        return target == 0
    (step, low, high), *rest = axes
    below, above = (sum(axis[0] * axis[side] for axis in rest) for side in (1, 2))
    first, last = max(low, -((above - target) // step)), min(high, (target - below) // step)
    return any(_meet(target - some * step, rest) for some in range(first, last + 1))


def _reach(x: Tensor) -> tuple[int, int]:
    """The first address of a tensor, and the one behind its last."""
    last = sum((size - 1) * step for size, step in zip(x.shape, x.stride(), strict=True))
    return x.data_ptr(), x.data_ptr() + (last + 1) * x.element_size() * bool(x.numel())


def _entries_apart(sizes: Sequence[int], steps: Sequence[int]) -> bool:
    """Whether each axis steps over all that the narrower ones reach, so that no two entries meet."""
    reach = 0
    for step, size in sorted(zip(steps, sizes, strict=True)):
        if size > 1:
            if step <= reach:
                return False
            reach += (size - 1) * step
    return True
