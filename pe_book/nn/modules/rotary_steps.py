"""What the layers of a step have in common: cosines and sines of its positions, and that its rows fit."""

from typing import NamedTuple

import torch
from torch import Tensor

from pe_book.nn.kernels.rotary import few_and_alike
from pe_book.nn.modules.rotary_cache import RotaryCache
from pe_book.nn.tensors import is_at_hand, read

_SHARED = 2**20  # numbers that layers have from each other, of a step or a prefill
_FEW = 16  # positions that a call is known by


class Call(NamedTuple):
    """What a call with few queries and keys depends on beside the setting of the table."""

    where: object  # the positions
    q: torch.Size
    k: torch.Size
    dtype: torch.dtype
    heads: int  # their axis
    head_dim: int


class RotarySteps(RotaryCache):
    """The part of :class:`~pe_book.nn.modules.rotary.RotaryEncoding` that layers of a model share."""

    head_dim: int
    heads_first: bool | None
    _first: int

    def _call(
        self, q: Tensor, k: Tensor, positions: Tensor | None, start: int | Tensor, in_place: bool
    ) -> Call | None:
        """What this call is known by, if it is one of few rows that are turned in one go."""
        if in_place is not False or type(start) is not int or not few_and_alike(q, k):
            return None
        where: object = start
        if positions is not None:
            if type(positions) is not Tensor or not positions.is_cpu or positions.numel() > _FEW:
                return None
            where = start, positions.dtype, positions.tolist()
        heads = -3 if self.heads_first else -2
        return Call(where, q.shape, k.shape, q.dtype, heads, self.head_dim)

    def _turns_for(self, x: Tensor, positions: Tensor | None, start: int | Tensor) -> Tensor:
        """Cosines and sines that broadcast to the rows of `x`, which the layers of a step have in common."""
        step = self._step(x, positions, start)
        if step is None:
            return self._spread(x, positions, start)
        known = self._held.step
        if known is not None and known[0] == step:
            return known[1]
        with torch.inference_mode(False):  # a layer that trains may ask next
            found = self._spread(x, positions, start)
        if is_at_hand(found) and found.numel() <= _SHARED:
            self._held.step = step, found
        return found

    def _step(self, x: Tensor, positions: Tensor | None, start: int | Tensor) -> tuple[object, ...] | None:
        """What cosines and sines of a call depend on beside the setting; None where it cannot be known."""
        if not is_at_hand(x) or type(start) is not int or not x.is_cpu or not self.table.is_cpu:
            return None
        where: object = start
        if positions is not None:
            found = read(positions)
            if found is None or found.size > _SHARED:
                return None
            where = start, positions.shape, positions.dtype, found.tobytes()
        return where, self._rows(x), wide(x), x.dim(), self.heads_first

    def _spread(self, x: Tensor, positions: Tensor | None, start: int | Tensor) -> Tensor:
        found = self._turns(self._rows(x), start, positions, x.device, wide(x))
        if positions is not None and positions.dim() == 2:
            if positions.shape[0] > 1:
                return found.unsqueeze(1 if self.heads_first else 2)
            found = found[0]
        return found if self.heads_first or x.dim() == 2 else found.unsqueeze(-3)

    def _rows(self, x: Tensor) -> int:
        return x.shape[-2 if self.heads_first or x.dim() == 2 else -3]


def wide(x: Tensor) -> torch.dtype:
    """The dtype in which rows are turned."""
    return torch.float64 if x.dtype == torch.float64 else torch.float32
