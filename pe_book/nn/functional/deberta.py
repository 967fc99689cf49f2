r"""DeBERTa's scores on tensors: :mod:`pe_book.family.relative.deberta`, in the dtype of queries and keys."""

from typing import cast

import torch
from torch import Tensor

from pe_book.family.relative.deberta import (
    CONVENTIONS,
    HALF,
    Convention,
    _require_alike,
    _require_counts,
    span_of,
)
from pe_book.family.relative.log_buckets import edges_of
from pe_book.family.relative.offsets import require_table
from pe_book.inputs.checking import one_of, whole_number
from pe_book.nn.functional.relative import gathered, require_alike, require_matrices
from pe_book.nn.offsets import require_whole_numbers, whole_offsets
from pe_book.nn.tensors import Positions, constant_in_graphs, on_device, real_positions


def deberta_log_bucket(query_minus_key: Positions, *, n_buckets: int, max_position: int) -> Tensor:
    """As :func:`pe_book.family.relative.log_buckets.deberta_log_bucket`, for tensors: int64, on their device.

    >>> import pe_book as pe
    >>> pe.nn.deberta_log_bucket([-3, 130, 511], n_buckets=256, max_position=512)
    tensor([ -3, 130, 255])
    """
    offsets = real_positions(query_minus_key, "query_minus_key")
    require_whole_numbers(offsets, "query_minus_key", "offsets")
    return _bucket(offsets.to(torch.int64), _edges(n_buckets, max_position, "n_buckets"))


def deberta_offsets(
    queries: Positions, keys: Positions, *, span: int, max_position: int | None = None
) -> Tensor:
    """As :func:`pe_book.family.relative.deberta.deberta_offsets`, for tensors: int64, on their device.

    >>> import pe_book as pe
    >>> pe.nn.deberta_offsets([0, 1, 2], [0, 1, 2], span=1)
    tensor([[1, 0, 0],
            [1, 1, 0],
            [1, 1, 1]])
    """
    return _offsets(queries, keys, whole_number(span, "span", least=1, most=2**53), max_position, "span")


def deberta_bias(
    q: Tensor,
    k: Tensor,
    position_keys: Tensor | None,
    position_queries: Tensor | None,
    queries: Positions,
    keys: Positions,
    *,
    convention: Convention,
    max_position: int | None = None,
) -> Tensor:
    """As :func:`pe_book.family.relative.deberta.deberta_bias`, for tensors: in the dtype of `q`.

    It goes to ``scaled_dot_product_attention`` as ``attn_mask``, beside ``scale=1/(t * d)**0.5`` for t terms.

    >>> import pe_book as pe
    >>> one, table = torch.tensor([[3.0]]), torch.tensor([[1.0], [2.0]])
    >>> pe.nn.deberta_bias(one, one, table, None, [0], [0], convention="library") * 2**0.5
    tensor([[6.0000]])
    """
    _require_contents(q, k)
    convention = cast(Convention, one_of(convention, CONVENTIONS, "convention"))
    given = {"position_keys": position_keys, "position_queries": position_queries}
    tables = {name: table for name, table in given.items() if table is not None}
    for name, table in tables.items():
        require_matrices(table, name, on=q.device)
        require_table(tuple(table.shape), name, tuple(q.shape[:-2]), q.shape[-1])
    span = span_of([table.shape[-2] for table in tables.values()] or [2])
    how = (span, max_position if tables else None, HALF)
    index = on_device(_offsets(queries, keys, *how), "queries and keys", q.device)
    counts = (q.shape[-2], k.shape[-2])
    _require_counts(tuple(index.shape), counts)
    total = q.new_zeros((*q.shape[:-2], *counts))
    if position_keys is not None:
        total = total + gathered(q, position_keys, index)
    if position_queries is not None:
        if convention == "paper":  # δ(j, i), for a key j and a query i
            reverse = on_device(_offsets(keys, queries, *how), "queries and keys", q.device)
            index = reverse.mT  # (..., n_q, n_k)
        total = total + gathered(k, position_queries, index.mT).mT  # (..., n_q, n_k)
    divided: Tensor = total / ((1 + len(tables)) * q.shape[-1]) ** 0.5
    return divided


def deberta_scores(
    q: Tensor,
    k: Tensor,
    position_keys: Tensor | None,
    position_queries: Tensor | None,
    queries: Positions,
    keys: Positions,
    *,
    convention: Convention,
    max_position: int | None = None,
) -> Tensor:
    """As :func:`pe_book.family.relative.deberta.deberta_scores`, for tensors: in the dtype of `q`.

    >>> import pe_book as pe
    >>> one, table = torch.tensor([[1.0]]), torch.tensor([[5.0], [7.0]])
    >>> pe.nn.deberta_scores(one, one, table, table, [0], [0], convention="library") * 3**0.5
    tensor([[15.0000]])
    """
    _require_contents(q, k)
    terms = 1 + (position_keys is not None) + (position_queries is not None)
    added = deberta_bias(
        q, k, position_keys, position_queries, queries, keys, max_position=max_position, convention=convention
    )
    scores: Tensor = q @ k.mT / (terms * q.shape[-1]) ** 0.5 + added  # (..., n_q, n_k)
    return scores


def _offsets(queries: Positions, keys: Positions, half: int, max_position: int | None, name: str) -> Tensor:
    behind = -whole_offsets(queries, keys)
    if max_position is not None:
        behind = _bucket(behind, _edges(half, max_position, name))
    return (behind + half).clamp(0, 2 * half - 1)


def _require_contents(q: Tensor, k: Tensor) -> None:
    require_matrices(q, "q")
    require_alike(k, "k", q)
    _require_alike(tuple(q.shape), tuple(k.shape))


@constant_in_graphs
def _edges(n_buckets: int, max_position: int, name: str) -> list[int]:
    """The edges of buckets as a graph holds them: it cannot follow whole numbers of many digits."""
    return [int(edge) for edge in edges_of(n_buckets, max_position, name)]


def _bucket(offsets: Tensor, edges: list[int]) -> Tensor:
    distance = offsets.abs()
    wide = torch.searchsorted(torch.tensor(edges, device=offsets.device), distance) + len(edges)
    return torch.where(distance <= len(edges), offsets, offsets.sign() * wide)
