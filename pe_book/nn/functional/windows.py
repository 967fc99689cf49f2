"""Windows as tensors: the mask of :mod:`pe_book.family.score_bias.windows`."""

from torch import Tensor

from pe_book.inputs.checking import flag, whole_number
from pe_book.nn.offsets import listed_positions, offsets
from pe_book.nn.tensors import Positions, on_device

_FARTHEST = 2**55  # beyond all differences of positions, and within int64


def window_mask(
    queries: Positions, keys: Positions, *, window: int, sinks: int = 0, causal: bool = True
) -> Tensor:
    """As :func:`pe_book.family.score_bias.windows.window_mask`, for tensors: bool, shape (..., n_q, n_k).

    >>> import torch
    >>> import pe_book as pe
    >>> pe.nn.window_mask(range(3), range(3), window=2)
    tensor([[ True, False, False],
            [ True,  True, False],
            [False,  True,  True]])
    """
    size = min(whole_number(window, "window", least=1), _FARTHEST)
    first = min(whole_number(sinks, "sinks", least=0), _FARTHEST)
    only_behind = flag(causal, "causal")
    away = offsets(queries, keys)
    where = on_device(listed_positions(keys, "keys"), "keys", away.device)
    kept = (where >= 0) & (where < first)
    seen = (away.abs() < size) | kept[..., None, :]  # (..., n_q, n_k)
    return seen & (away <= 0) if only_behind else seen
