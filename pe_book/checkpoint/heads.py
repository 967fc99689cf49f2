r"""Porting: trained weights moved between the two layouts of rotary pairs.

A checkpoint that was trained with one layout computes the same attention with the other once the rows that
make queries and keys stand in the other order, head by head. Nothing is computed: every number stays what it
is, so the products in a score are the same, summed in another order. Values and outputs stay.

Whole checkpoints are in :mod:`pe_book.checkpoint.plan`.
"""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.family.rotary import Side, head_width, slice_of
from pe_book.inputs.checking import Layout, any_array, physical_memory, room_for, whole_number
from pe_book.inputs.pairs import permutation
from pe_book.inputs.wording import shown
from pe_book.numerics.chunks import WIDEST


def head_order(
    head_dim: int, *, source: Layout, to: Layout, rotary_dim: int | None = None, side: Side = "first"
) -> NDArray[np.intp]:
    """The dimensions of one head of the `source` layout in the order in which the `to` layout lists them.

    Of shape (head_dim,): entry j names the dimension of the source that goes to j. The slice that is turned
    is the ``"first"`` or the ``"last"`` `rotary_dim` dimensions, or all of the head; the others stay. Both
    widths are even; how the slice is paired, before and after, is ``"interleaved"`` or ``"halves"``.

    :func:`pe_book.inputs.pairs.permutation` is the order of the slice alone; :func:`relayout_heads` applies
    this one to every head of a weight.

    >>> head_order(6, source="interleaved", to="halves")
    array([0, 2, 4, 1, 3, 5])
    >>> head_order(6, source="interleaved", to="halves", rotary_dim=4, side="last")
    array([0, 1, 2, 4, 3, 5])
    """
    head = head_width(head_dim, "head_dim")
    width, side = slice_of(head, rotary_dim, side)
    order, start = np.arange(head), 0 if side == "first" else head - width
    order[start : start + width] = start + permutation(width, source=source, to=to)
    return order


def relayout_heads(
    weight: Any,
    *,
    n_heads: int,
    source: Layout,
    to: Layout,
    head_dim: int | None = None,
    rotary_dim: int | None = None,
    side: Side = "first",
) -> Any:
    """The weight or bias of a projection to queries or keys, its rows moved to the `to` layout head by head.

    The norm of one head, of shape (head_dim,), is moved with ``n_heads=1``; the norm of a whole projection
    as its bias is; a norm of shape (n_heads, head_dim) flat. For a matrix that multiplies from the right,
    pass the transpose. No shape tells heads: a norm of one head that is given with ``n_heads=32`` is taken
    for the bias of 32 small ones, unless `head_dim` says how wide a head is.

    Parameters
    ----------
    weight
        Shape (n_heads × head_dim, …): an array, or a dense tensor of any dtype and device.
    n_heads
        How many heads the rows make: under grouped queries, keys have fewer than queries.
    source, to, rotary_dim, side
        As for :func:`head_order`.
    head_dim
        The width of a head, which the rows then have to make. Any even one if not given.

    Returns
    -------
    NDArray[Any] or Tensor
        A new one with shape, dtype and device of `weight`, which stays as it is. A tensor has no gradient.

    Raises
    ------
    ValueError, TypeError
        If the rows do not make `n_heads` heads of one even width, or `weight` is a tensor that is not dense.

    Examples
    --------
    Two heads of four dimensions, the rows numbered:

    >>> import pe_book as pe
    >>> pe.relayout_heads(np.arange(8), n_heads=2, source="interleaved", to="halves")
    array([0, 2, 1, 3, 4, 6, 5, 7])

    See Also
    --------
    pe_book.checkpoint.plan.plan_relayout : the same for a whole checkpoint.
    pe_book.checkpoint.agreement.check_port : whether both programs score alike.
    """
    heads, value = whole_number(n_heads, "n_heads", least=1), movable(weight, "weight")
    shape = tuple(value.shape)
    rows = shape[0] if shape else 0
    if rows % (2 * heads) or not 0 < rows <= heads * WIDEST:
        wanted = f"n_heads heads, here {shown(heads)}, of an even number of rows along its first axis"
        raise ValueError(f"weight must have {wanted}, got shape {shape}{_of_a_norm(shape)}")
    if head_dim is not None and rows != heads * head_width(head_dim, "head_dim"):
        wanted = f"{heads} heads of head_dim={shown(head_dim)}"
        raise ValueError(f"weight must have the rows of {wanted}, got shape {shape}{_of_a_norm(shape)}")
    order = head_order(rows // heads, source=source, to=to, rotary_dim=rotary_dim, side=side)
    room_for(3 * 8 * rows, "weight", shape, most=physical_memory())
    return taken(value, rows_of_heads(order, [True] * heads), "weight")


def _of_a_norm(shape: tuple[int, ...]) -> str:
    """What to do with the gains of a norm, by the shape that was given."""
    if len(shape) == 1:
        return "; the norm of one head is moved with n_heads=1"
    if len(shape) == 2:
        flat = "relayout_heads(weight.reshape(-1), ...).reshape(weight.shape)"
        return f"; the norms of all heads, a row for each, are moved flat: {flat}"
    return ""


def rows_of_heads(order: NDArray[np.intp], turned: Sequence[bool]) -> NDArray[np.intp]:
    """The rows of many heads: those of a turned one in the order that is given, of the others as they are."""
    heads = np.asarray(turned, dtype=bool)[:, np.newaxis]  # (h, 1)
    starts = len(order) * np.arange(len(heads))[:, np.newaxis]  # (h, 1)
    rows: NDArray[np.intp] = (starts + np.where(heads, order, np.arange(len(order)))).ravel()
    return rows


def movable(value: object, name: str) -> Any:
    """`value` as an array, or as the tensor it is without its gradient; refused unless it is dense."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.Tensor):
        return any_array(value, name)
    tensor = value.detach()
    # a class of its own may hold something else than its shape and dtype say: quantised numbers, or a shard
    if type(tensor) is not torch.Tensor or str(tensor.layout) != "torch.strided" or tensor.is_nested:
        kind = f"a {type(tensor).__name__} of layout {tensor.layout}"
        raise TypeError(f"{name} must be a plain dense tensor, got {kind}: use .to_dense() or .full_tensor()")
    if tensor.is_quantized:
        raise TypeError(f"{name} must be a plain dense tensor, got a quantised one: use .dequantize()")
    return tensor


def taken(value: Any, index: NDArray[np.intp], name: str, *, last_axis: bool = False) -> Any:
    """The entries of an array or a tensor along its first or its last axis, as a new one."""
    try:
        return value[..., index] if last_axis else value[index]
    except (NotImplementedError, RuntimeError) as error:  # formats of four bits and fewer
        raise TypeError(f"{name} must be of a dtype that torch can index, got {value.dtype}") from error
