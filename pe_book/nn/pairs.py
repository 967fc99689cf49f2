"""The order of columns on tensors: the same rows with each pair side by side, or split in halves."""

import torch
from torch import Tensor

from pe_book.inputs.checking import Layout, even_width, known_layout, room_for, whole_number
from pe_book.inputs.pairs import PART_AXIS, split
from pe_book.nn.tensors import default_device, described, is_tensor, require_dense


def permutation(d: int, *, source: Layout, to: Layout) -> Tensor:
    """As :func:`pe_book.inputs.pairs.permutation`, for tensors: shape (d,), int64.

    >>> import pe_book as pe
    >>> pe.nn.permutation(6, source="interleaved", to="halves")
    tensor([0, 2, 4, 1, 3, 5])
    """
    source, to = known_layout(source, "source"), known_layout(to, "to")
    columns = even_width(d, "d")
    room_for(2 * 8 * columns, "d", d)
    return _order(columns, source, to, default_device())


def relayout(x: Tensor, *, source: Layout, to: Layout, axis: int = -1) -> Tensor:
    """As :func:`pe_book.inputs.pairs.relayout`, for tensors: of any dtype, on any device.

    >>> import pe_book as pe
    >>> pe.nn.relayout(torch.tensor([0, 1, 10, 11]), source="interleaved", to="halves")
    tensor([ 0, 10,  1, 11])
    """
    if not is_tensor(x):
        raise TypeError(f"x must be a tensor, got {described(x)}; pe_book.relayout takes arrays")
    require_dense(x, "x")
    axis = whole_number(axis, "axis")
    if not -x.dim() <= axis < x.dim():
        raise ValueError(f"axis must name an axis of a tensor of shape {tuple(x.shape)}, got {axis}")
    length = even_width(x.shape[axis], f"the length of x along axis {axis % x.dim()}")
    source, to = known_layout(source, "source"), known_layout(to, "to")
    return x.index_select(axis, _order(length, source, to, x.device))


def _order(d: int, source: Layout, to: Layout, device: torch.device) -> Tensor:
    return join(*split(torch.arange(d, device=device), source), to)


def side_by_side(layout: Layout) -> bool:
    """Whether the two columns of a pair are neighbours, so that a pair can be read as one complex number."""
    return PART_AXIS[layout] == -1


def join(sine: Tensor, cosine: Tensor, layout: Layout) -> Tensor:
    """Rows from their sines and cosines: :func:`pe_book.inputs.pairs.join` on tensors.

    >>> join(torch.tensor([0, 1]), torch.tensor([10, 11]), "halves")
    tensor([ 0,  1, 10, 11])
    """
    pairs = torch.stack([sine, cosine], dim=PART_AXIS[layout])  # (..., d/2, 2) or (..., 2, d/2)
    return pairs.flatten(-2)
