"""Relative vectors on tensors, in the dtype of the rows: as :mod:`pe_book.family.relative` defines them."""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from pe_book.family.relative.offsets import as_many, beside_rows, odd_clip, require_table
from pe_book.inputs.checking import flag, whole_number
from pe_book.nn.offsets import whole_offsets
from pe_book.nn.tensors import (
    DTYPES,
    Positions,
    described,
    is_tensor,
    on_device,
    require_dense,
    require_rows,
)


def clipped_offsets(queries: Positions, keys: Positions, *, clip: int) -> Tensor:
    """As :func:`pe_book.family.relative.clipped_offsets`, for tensors: int64, on the device of the positions.

    >>> import pe_book as pe
    >>> pe.nn.clipped_offsets([0, 1, 2], [0, 1, 2], clip=1)
    tensor([[1, 2, 2],
            [0, 1, 2],
            [0, 0, 1]])
    """
    return _clipped(queries, keys, whole_number(clip, "clip", least=0, most=2**53))


def relative_scores(q: Tensor, vectors: Tensor, queries: Positions, keys: Positions) -> Tensor:
    """As :func:`pe_book.family.relative.relative_scores`, for tensors: in the dtype of `q`, undivided.

    >>> import pe_book as pe
    >>> q, vectors = torch.eye(2), torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> pe.nn.relative_scores(q, vectors, [0, 1], [0, 1])
    tensor([[3., 5.],
            [2., 4.]])
    """
    require_matrices(q, "q")
    return _scores(q, vectors, queries, keys, "vectors")


def relative_values(weights: Tensor, vectors: Tensor, queries: Positions, keys: Positions) -> Tensor:
    """As :func:`pe_book.family.relative.relative_values`, for tensors: in the dtype of `weights`.

    >>> import pe_book as pe
    >>> weights, vectors = torch.tensor([[1.0, 0.0], [0.5, 0.5]]), torch.tensor([[1.0], [3.0], [5.0]])
    >>> pe.nn.relative_values(weights, vectors, [0, 1], [0, 1])
    tensor([[3.],
            [2.]])
    """
    require_matrices(weights, "weights")
    return _values(weights, vectors, queries, keys, "vectors")


def shaw_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    key_vectors: Tensor,
    value_vectors: Tensor | None = None,
    *,
    queries: Positions,
    keys: Positions,
    bias: Tensor | None = None,
    causal: bool = False,
) -> Tensor:
    """As :func:`pe_book.family.relative.shaw_attention`, for tensors: in the dtype of `q`.

    Without `value_vectors` the scores go to ``scaled_dot_product_attention`` as its mask. With them the
    weights are needed themselves, which it does not return. A query without a key gets NaN.

    >>> import pe_book as pe
    >>> q, vectors = torch.zeros(2, 4), torch.tensor([[0.0], [1.0], [2.0]])
    >>> pe.nn.shaw_attention(q, q, torch.zeros(2, 1), torch.zeros(3, 4), vectors, queries=[0, 1], keys=[0, 1])
    tensor([[1.5000],
            [0.5000]])
    """
    require_matrices(q, "q")
    for rows, name in ((k, "k"), (v, "v")):
        require_alike(rows, name, q)
    shapes = [tuple(rows.shape) for rows in (q, k, v)]
    if shapes[0][-1] != shapes[1][-1]:
        raise ValueError(f"q and k must have the same width, got shapes {shapes[0]}, {shapes[1]}")
    try:
        torch.broadcast_shapes(*(shape[:-2] for shape in shapes))  # type: ignore[no-untyped-call]  # torch gives it no types
    except RuntimeError:
        raise ValueError(f"q, k and v must have leading axes that broadcast, got shapes {shapes}") from None
    behind = flag(causal, "causal")
    added = _scores(q, key_vectors, queries, keys, "key_vectors") / q.shape[-1] ** 0.5
    as_many(k.shape[-2], added.shape[-1], "keys", "k")
    as_many(v.shape[-2], added.shape[-1], "keys", "v")
    if bias is not None:
        added = added + _fitting(bias, added)
    if behind:
        ahead = on_device(whole_offsets(queries, keys), "queries and keys", q.device) > 0
        ahead = ahead.reshape(beside_rows(tuple(ahead.shape), tuple(q.shape[:-2])))  # (..., n_q, n_k)
        added = added.masked_fill(ahead, -torch.inf)
    if value_vectors is None:
        return scaled_dot_product_attention(q, k, v, attn_mask=added)
    weights = (q @ k.mT / q.shape[-1] ** 0.5 + added).softmax(-1)  # (..., n_q, n_k)
    offsets = _values(weights, value_vectors, queries, keys, "value_vectors")
    as_many(v.shape[-1], offsets.shape[-1], "value_vectors", "v", "columns")
    outputs: Tensor = weights @ v + offsets  # (..., n_q, value_dim)
    return outputs


def gathered(rows: Tensor, table: Tensor, index: Tensor) -> Tensor:
    """The product of each row with the row of a table that the index names: multiplied first, then gathered.

    >>> gathered(torch.tensor([[1.0, 2.0]]), torch.eye(2), torch.tensor([[1, 0, 1]]))
    tensor([[2., 1., 2.]])
    """
    shape = beside_rows(tuple(index.shape), tuple(rows.shape[:-2]))
    lead = torch.broadcast_shapes(shape[:-2], rows.shape[:-2])  # type: ignore[no-untyped-call]  # torch gives it no types
    products = rows @ table.to(rows.dtype).mT  # (..., n, rows)
    whole = products.expand(*lead, *products.shape[-2:])  # (..., n, rows)
    return whole.gather(-1, index.reshape(shape).expand(*lead, *shape[-2:]))  # (..., n, m)


def require_matrices(x: object, name: str, *, on: torch.device | None = None) -> None:
    """Refuse what is no dense floating tensor of shape (..., n, d) that holds something, on a device.

    >>> require_matrices(torch.zeros(3), "q")
    Traceback (most recent call last):
        ...
    ValueError: q must have at least one row and one column, shape (..., n, d), got (3,)
    """
    try:
        require_rows(x)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}{str(error).removeprefix('x')}") from None
    assert isinstance(x, Tensor)
    shape = tuple(x.shape)
    if len(shape) < 2 or 0 in shape:
        raise ValueError(f"{name} must have at least one row and one column, shape (..., n, d), got {shape}")
    if on is not None and x.device != on:
        raise ValueError(f"{name} must be on {on}, as the others are, got a tensor on {x.device}")


def require_alike(x: object, name: str, q: Tensor) -> None:
    """Refuse what is no matrix in the dtype of the queries and on their device.

    >>> require_alike(torch.zeros(3, 2).half(), "k", torch.zeros(3, 2))
    Traceback (most recent call last):
        ...
    TypeError: k must have the dtype of q, torch.float32, got torch.float16
    """
    require_matrices(x, name, on=q.device)
    assert isinstance(x, Tensor)
    if x.dtype != q.dtype:
        raise TypeError(f"{name} must have the dtype of q, {q.dtype}, got {x.dtype}")


def _clipped(queries: Positions, keys: Positions, most: int) -> Tensor:
    return whole_offsets(queries, keys).clamp(-most, most) + most


def _scores(q: Tensor, vectors: Tensor, queries: Positions, keys: Positions, name: str) -> Tensor:
    require_matrices(vectors, name, on=q.device)
    require_table(tuple(vectors.shape), name, tuple(q.shape[:-2]), q.shape[-1])
    found = _clipped(queries, keys, odd_clip(vectors.shape[-2], name))
    index = on_device(found, "queries and keys", q.device)
    as_many(q.shape[-2], index.shape[-2], "queries", "q")
    return gathered(q, vectors, index)


def _values(weights: Tensor, vectors: Tensor, queries: Positions, keys: Positions, name: str) -> Tensor:
    require_matrices(vectors, name, on=weights.device)
    lead = tuple(weights.shape[:-2])
    require_table(tuple(vectors.shape), name, lead, None)
    found = _clipped(queries, keys, odd_clip(vectors.shape[-2], name))
    index = on_device(found, "queries and keys", weights.device)
    as_many(weights.shape[-2], index.shape[-2], "queries", "weights")
    as_many(weights.shape[-1], index.shape[-1], "keys", "weights")
    shape = beside_rows(tuple(index.shape), lead)
    whole = torch.broadcast_shapes(shape, weights.shape)  # type: ignore[no-untyped-call]  # torch gives it no types
    summed = weights.new_zeros((*whole[:-1], vectors.shape[-2]))  # (..., n_q, rows)
    places = index.reshape(shape).expand(whole)  # (..., n_q, n_k)
    summed = summed.scatter_add(-1, places, weights.expand(whole))
    added: Tensor = summed @ vectors.to(weights.dtype)  # (..., n_q, d)
    return added


def _fitting(bias: Tensor, scores: Tensor) -> Tensor:
    if not is_tensor(bias) or bias.dtype not in DTYPES:
        raise TypeError(f"bias must be a tensor of floats to add, got {described(bias)}")
    require_dense(bias, "bias")
    if bias.device != scores.device:
        raise ValueError(f"bias must be on {scores.device}, as q is, got a tensor on {bias.device}")
    try:
        return bias.to(scores.dtype).expand(scores.shape)
    except RuntimeError:
        got = f"shape {tuple(scores.shape)}, got {tuple(bias.shape)}"
        raise ValueError(f"bias must broadcast to the scores, {got}") from None
