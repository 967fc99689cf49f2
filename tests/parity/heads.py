"""What whole attention is compared on: words and weights drawn at random, heads cut and joined."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

Matrix = NDArray[np.float64]


def words(n: int, width: int, *, seed: int = 1) -> Matrix:
    """Rows for n words, with entries in [-1, 1]."""
    return np.random.default_rng(seed).uniform(-1, 1, (n, width))


def filled(module: torch.nn.Module, *, out: str = "") -> torch.nn.Module:
    """A module in float64 with weights drawn at random: contents and positions weigh about the same.

    Each row of a projection has the sum 4 in absolute value, those of the one called `out` 1/4: so an output
    is of order 1, and an error is not made larger on its way. Tables of positions are drawn from [-2, 2].
    """
    import torch

    drawn = np.random.default_rng(0)
    module = module.double().eval()
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            values = drawn.uniform(-1, 1, tuple(parameter.shape))
            if "relative_attention_bias" in name:
                values *= 2
            elif values.ndim == 2:
                values = values**7  # a few large ones, so that sums do not average everything away
                values *= (0.25 if out and out in name else 4) / np.abs(values).sum(axis=1, keepdims=True)
            parameter.copy_(torch.from_numpy(values))
    return module


def batch(values: np.ndarray) -> torch.Tensor:
    """The same in torch, in float64, as a batch of one."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(values, dtype=np.float64))[None]


def projected(x: Matrix, linear: torch.nn.Linear) -> Matrix:
    """What a linear layer of torch makes of rows: x Wᵀ + b."""
    weight = linear.weight.detach().double().numpy()
    shift = 0.0 if linear.bias is None else linear.bias.detach().double().numpy()
    return x @ weight.T + shift


def split(rows: Matrix, heads: int) -> Matrix:
    """(n, h·d) as (h, n, d): the columns of a head stand together."""
    return np.moveaxis(rows.reshape(len(rows), heads, -1), 1, 0)


def cut(x: Matrix, heads: int, *linears: torch.nn.Linear) -> list[Matrix]:
    """What linear layers make of rows, each as (h, n, d)."""
    return [split(projected(x, one), heads) for one in linears]


def split_fused(rows: Matrix, heads: int) -> Matrix:
    """(n, h·3·d) as (3, h, n, d): of each head first the query, then the key, then the value."""
    return np.moveaxis(rows.reshape(len(rows), heads, 3, -1), (2, 1), (0, 1))


def joined(heads: Matrix) -> Matrix:
    """(h, n, d) as (n, h·d)."""
    return np.moveaxis(heads, 0, 1).reshape(heads.shape[1], -1)


def causal(n_queries: int, n_keys: int) -> torch.Tensor:
    """True where the last `n_queries` of `n_keys` words may see a key, with axes for batch and head."""
    import torch

    return torch.ones(n_queries, n_keys, dtype=torch.bool).tril(n_keys - n_queries)[None, None]


def hiding(seen: torch.Tensor) -> torch.Tensor:
    """A mask as what is added to scores in float64: the lowest number where nothing may be seen."""
    import torch

    lowest = torch.finfo(torch.float64).min
    return torch.zeros(seen.shape, dtype=torch.float64).masked_fill(~seen, lowest)
