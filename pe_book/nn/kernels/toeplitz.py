"""A vector of offsets spread over queries and keys: each row is the row above, moved by one."""

import numpy as np
import torch
from torch import Tensor

from pe_book.nn.tensors import is_eager


def spread(by_offset: Tensor, n_q: int, n_k: int, out: Tensor | None = None) -> Tensor:
    """The bias of consecutive positions, in one copy, from that of offsets, shape (h, n_q + n_k - 1).

    Its shape is (1, h, n_q, n_k), as that of `out`. Entry (h, i, j) is that of the offset j - i:
    ``by_offset[h, n_q - 1 - i + j]``.

    >>> spread(torch.tensor([[-2.0, -1.0, 0.0, 9.0, 9.0]]), 3, 3)
    tensor([[[[ 0.,  9.,  9.],
              [-1.,  0.,  9.],
              [-2., -1.,  0.]]]])
    """
    if n_q == 1 and out is None:
        return by_offset[None, :, None]  # (1, h, 1, n_k)
    if not _in_memory(by_offset):
        # rows from the last query up are a view; torch has no negative strides, so turning them is the copy
        spreaded = by_offset.unfold(-1, n_k, 1).flip(-2)[None]  # (1, h, n_q, n_k)
        return spreaded if out is None else out.copy_(spreaded)
    if out is None:
        out = by_offset.new_empty(1, by_offset.shape[0], n_q, n_k)
    rows = np.lib.stride_tricks.sliding_window_view(by_offset.detach().numpy(), n_k, axis=-1)[:, ::-1]
    np.copyto(out.detach().numpy()[0], rows)
    return out


def _in_memory(x: Tensor) -> bool:
    """Whether numpy may read `x`: on the CPU, outside of graphs and traces, recorded by nobody."""
    recorded = x.requires_grad and torch.is_grad_enabled()
    return x.device.type == "cpu" and is_eager() and not recorded
