r"""Pairs of columns turned by given cosines and sines: the arithmetic of rotary encoding on tensors.

A column is a product, another product, and their sum or difference, each rounded by itself in float32 or
wider; 16-bit rows are rounded once more at the end. So the bits of a row depend on that row alone: not on the
length of a call, the number of heads or of threads, nor on whether the caller's memory is written.
"""

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from pe_book.inputs.checking import Layout
from pe_book.inputs.pairs import PART_AXIS, split
from pe_book.nn.pairs import join, side_by_side
from pe_book.nn.tensors import is_eager

_GRAIN = 2**15  # numbers that torch does not share among threads
_BLOCK = 2**17  # numbers that a thread turns at a time: they and their products fit its cache
_A_VECTOR = 8  # complex numbers that processors multiply at once

Parts = tuple[Tensor, Tensor] | None


def turns_of(angles: Tensor, layout: Layout, factor: float = 1.0) -> Tensor:
    """Cosines and sines, times a factor, in the form in which rows of a layout are multiplied by them.

    Of angles of shape (..., d/2). Interleaved, (..., d/2, 2): the cosine and the sine of each pair. Halves,
    (..., 2, d): all cosines twice, and all sines twice, the first time with a minus.

    >>> quarter = torch.tensor([torch.pi / 2])
    >>> turns_of(quarter, "interleaved").round() + 0, turns_of(quarter, "halves", 2.0).round() + 0
    (tensor([[0., 1.]]), tensor([[ 0.,  0.],
            [-2.,  2.]]))
    """
    cos, sin = angles.cos() * factor, angles.sin() * factor
    if side_by_side(layout):
        return torch.stack([cos, sin], dim=-1)
    return torch.stack([torch.cat([cos, cos], dim=-1), torch.cat([-sin, sin], dim=-1)], dim=-2)


def folded(turns: Tensor, layout: Layout) -> Tensor:
    """What a table keeps of :func:`turns_of`: of the halves, each cosine and sine once, shape (..., 2, d/2).

    >>> folded(turns_of(torch.tensor([0.0]), "halves"), "halves")
    tensor([[1.],
            [0.]])
    """
    return turns if side_by_side(layout) else turns.chunk(2, dim=-1)[1].contiguous()


def unfolded(kept: Tensor, layout: Layout) -> Tensor:
    """The inverse of :func:`folded`."""
    if side_by_side(layout):
        return kept
    cos, sin = kept.unbind(-2)
    return torch.stack([torch.cat([cos, cos], dim=-1), torch.cat([-sin, sin], dim=-1)], dim=-2)


def turned(x: Tensor, turns: Tensor, layout: Layout, first: int = 0) -> Tensor:
    """New rows, of which the columns from `first` on are turned; any transformation of torch goes through.

    `turns` is in float32 or wider, and broadcasts to the rows.

    >>> quarter = turns_of(torch.tensor([torch.pi / 2]), "interleaved")
    >>> turned(torch.tensor([1.0, 2.0, 3.0]), quarter.float(), "interleaved").round()
    tensor([-2.,  1.,  3.])
    """
    if not _is_plain(x):
        return _by_formula(x, turns, layout, first)
    if x.requires_grad and torch.is_grad_enabled():
        result: Tensor = _Turned.apply(x, turns, layout, first)  # type: ignore[no-untyped-call]  # torch's
        return result
    return _copied(x, turns, layout, first)


def few_and_alike(q: Tensor, k: Tensor) -> bool:
    """Whether queries and keys can be turned in one go, and are so few that it is faster."""
    return (
        is_eager()
        and _is_memory(q)
        and _is_memory(k)
        and q.dtype == k.dtype
        and q.layout == k.layout == torch.strided
        and q.numel() + k.numel() <= _GRAIN
        and not (q.is_nested or k.is_nested)
        and q.dim() == k.dim() > 2
        and (q.dim() == 3 or math.prod(q.shape[:-3]) == 1)
        and not (torch.is_grad_enabled() and (q.requires_grad or k.requires_grad))
    )


def turned_together(
    q: Tensor, k: Tensor, turns: Tensor, layout: Layout, first: int = 0, *, heads: int, parts: Parts = None
) -> tuple[Tensor, Tensor]:
    """Few queries and keys turned in one go: a step is fast if few operations are begun.

    `parts` is what :func:`parted` makes of `turns`, where a caller has it.
    """
    both = torch.cat([q, k], dim=heads)
    if parts and parts[0].shape[-1] == q.shape[-1]:
        both = _turn_halves(both.to(turns.dtype), *parts, in_place=True).to(q.dtype)
    elif _width(turns, layout) == q.shape[-1]:
        both = _turn(both.to(turns.dtype), turns, layout, in_place=True).to(q.dtype)
    else:
        both = _copied(both, turns, layout, first)
    of_q, of_k = both.split_with_sizes([q.shape[heads], k.shape[heads]], heads)
    return of_q, of_k


def parted(turns: Tensor, layout: Layout) -> Parts:
    """Cosines and sines of halves, one by one; None of neighbours, which are multiplied as they stand."""
    if side_by_side(layout):
        return None
    cos, sin = turns.unbind(PART_AXIS[layout])
    return cos, sin


def turn_in_place(x: Tensor, turns: Tensor, layout: Layout, first: int = 0) -> None:
    """Write the turned columns of the slice over the given ones, and nothing else.

    >>> x = torch.tensor([1.0, 2.0, 3.0])
    >>> turn_in_place(x, turns_of(torch.tensor([torch.pi]), "interleaved").float(), "interleaved", first=1)
    >>> x.round()
    tensor([ 1., -2., -3.])
    """
    part = x if (width := _width(turns, layout)) == x.shape[-1] else x.narrow(-1, first, width)
    if _is_plain(x):
        _write(part, part, turns, layout)
    else:
        part.copy_(_by_formula(part, turns, layout, 0))


class _Turned(torch.autograd.Function):
    """The turn, whose derivative is the turn back: nothing of `x` is kept for it."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, turns: Tensor, layout: Layout, first: int) -> Tensor:
        """Turn."""
        ctx.save_for_backward(turns)
        ctx.layout, ctx.first = layout, first
        return _copied(x, turns, layout, first)

    @staticmethod
    def backward(ctx: Any, *given: Tensor) -> Any:
        """Turn back."""
        cos, sin = ctx.saved_tensors[0].unbind(PART_AXIS[ctx.layout])
        back = torch.stack([cos, -sin], dim=PART_AXIS[ctx.layout])
        return turned(given[0], back, ctx.layout, ctx.first), None, None, None


def _width(turns: Tensor, layout: Layout) -> int:
    return 2 * turns.shape[-2] if side_by_side(layout) else turns.shape[-1]


def _by_formula(x: Tensor, turns: Tensor, layout: Layout, first: int) -> Tensor:
    """The definition by operations that a graph can hold."""
    end = first + _width(turns, layout)
    wide = x[..., first:end].to(turns.dtype)
    cos, sin = turns.unbind(PART_AXIS[layout])
    if side_by_side(layout):
        a, b = split(wide, layout)
        new = join(a * cos - b * sin, a * sin + b * cos, layout)
    else:
        new = wide * cos + wide.roll(wide.shape[-1] // 2, -1) * sin
    if end - first == x.shape[-1]:
        return new.to(x.dtype)
    return torch.cat([x[..., :first], new.to(x.dtype), x[..., end:]], dim=-1)


def _copied(x: Tensor, turns: Tensor, layout: Layout, first: int) -> Tensor:
    """A turned copy of memory of the CPU."""
    width = _width(turns, layout)
    if width == x.shape[-1]:
        if x.dtype == turns.dtype and (_is_one_block(x) or _multiplies_vectors(x, turns, layout)):
            return _turn(x, turns, layout, in_place=False)
        if x.numel() <= _GRAIN:
            return _turn(x.to(turns.dtype), turns, layout, in_place=True).to(x.dtype)
    result = torch.empty_like(x)
    if width == x.shape[-1]:
        _write(result, x, turns, layout)
        return result
    result[..., :first] = x[..., :first]
    result[..., first + width :] = x[..., first + width :]
    _write(result.narrow(-1, first, width), x.narrow(-1, first, width), turns, layout)
    return result


def _write(into: Tensor, x: Tensor, turns: Tensor, layout: Layout) -> None:
    """Turn `x` into a tensor of its shape, perhaps itself, in blocks that stay in the processor's cache."""
    room: Tensor | None = None
    whole = _is_one_block(x) or (into is x and _multiplies_vectors(x, turns, layout))
    for target, source, some in [(into, x, turns)] if whole else _blocks(into, x, turns):
        if source.dtype == turns.dtype:
            if target is not source:
                target.copy_(source)
            _turn(target, some, layout, in_place=True)
        else:
            if room is None or room.shape != source.shape:
                room = torch.empty_like(source, dtype=turns.dtype)
            target.copy_(_turn(room.copy_(source), some, layout, in_place=True))


def _turn(x: Tensor, turns: Tensor, layout: Layout, *, in_place: bool) -> Tensor:
    """Turn rows of the dtype of `turns`."""
    if side_by_side(layout) and _multiplies_vectors(x, turns, layout):
        numbers = torch.view_as_complex(x.view(*x.shape[:-1], x.shape[-1] // 2, 2))
        factors = torch.view_as_complex(turns)
        if in_place:
            numbers.mul_(factors)
            return x
        return torch.view_as_real(numbers * factors).view(x.shape)
    cos, sin = turns.unbind(PART_AXIS[layout])
    if not side_by_side(layout):
        return _turn_halves(x, cos, sin, in_place=in_place)
    pairs = x.view(*x.shape[:-1], x.shape[-1] // 2, 2)
    crossed = pairs.flip(-1).mul_(sin.unsqueeze(-1))
    products = pairs.mul_(cos.unsqueeze(-1)) if in_place else pairs * cos.unsqueeze(-1)
    products.select(-1, 0).sub_(crossed.select(-1, 0))
    products.select(-1, 1).add_(crossed.select(-1, 1))
    return x if in_place else products.view(x.shape)


def _turn_halves(x: Tensor, cos: Tensor, sin: Tensor, *, in_place: bool) -> Tensor:
    crossed = x.roll(x.shape[-1] // 2, -1).mul_(sin)
    return (x.mul_(cos) if in_place else x * cos).add_(crossed)


def _is_one_block(x: Tensor) -> bool:
    return x.numel() <= _BLOCK * torch.get_num_threads()


def _blocks(into: Tensor, x: Tensor, turns: Tensor) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """The three cut alike, always along the axis whose entries lie farthest apart."""
    if _is_one_block(x) or max(x.shape[:-1], default=1) == 1:
        yield into, x, turns
        return
    axis = max(range(-x.dim(), -1), key=lambda i: (x.shape[i] > 1, x.stride(i)))
    size = x.shape[axis]
    step = max(1, _BLOCK * torch.get_num_threads() * size // x.numel())
    own = axis - 1  # `turns` has one more axis at the end
    shared = turns.dim() < -own or turns.shape[own] == 1
    for begin in range(0, size, step):
        length = min(step, size - begin)
        target, source = into.narrow(axis, begin, length), x.narrow(axis, begin, length)
        some = turns if shared else turns.narrow(own, begin, length)
        yield from _blocks(target, target if into is x else source, some)


def _multiplies_vectors(x: Tensor, turns: Tensor, layout: Layout) -> bool:
    """Whether torch multiplies all of `x` as complex numbers, and by whole vectors.

    What is left over it multiplies one by one, with a fused sum that has other bits.
    """
    if not side_by_side(layout) or x.dtype != turns.dtype or x.shape[-1] % (2 * _A_VECTOR):
        return False
    if (count := x.numel() // 2) > _GRAIN:
        shares = min(torch.get_num_threads(), -(-count // _GRAIN))
        if count % (_A_VECTOR * shares):
            return False
    even = x.is_contiguous() or (x.stride(-1) == 1 and not any(step % 2 for step in x.stride()[:-1]))
    return even and not x.storage_offset() % 2


def _is_plain(x: Tensor) -> bool:
    """Whether `x` is memory of the CPU that no graph, trace or transformation of torch stands before."""
    return is_eager() and _is_memory(x)


def _is_memory(x: Tensor) -> bool:
    return (
        type(x) in (Tensor, torch.nn.Parameter)
        and x.is_cpu
        and not x.is_neg()
        and forward_ad.unpack_dual(x).tangent is None  # type: ignore[no-untyped-call]  # torch's
    )
