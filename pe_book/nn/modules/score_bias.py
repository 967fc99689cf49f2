"""ALiBi as a module, in the form that stays fast in ``scaled_dot_product_attention``."""

from collections.abc import Callable, Sequence
from typing import Self

import torch
from torch import Tensor

from pe_book.family.score_bias import alibi_slopes
from pe_book.inputs.checking import positive_number, room_for
from pe_book.inputs.wording import shown
from pe_book.nn.functional.score_bias import alibi_key_bias, linear
from pe_book.nn.modules.score_bias_form import ScoreBias, check_positions
from pe_book.nn.tensors import Positions, checked_device, memory_on


class ALiBiBias(ScoreBias):
    r"""ALiBi: each head takes its slope times the distance from a score.

    Under a causal mask :meth:`by_keys` gives the same weights from one row for all queries, which is all
    that a decoding step needs. Slopes are float32 whatever becomes of the model, and no part of the
    ``state_dict``.

    Parameters
    ----------
    n_heads
        Number of query heads of the model, at least 1, also where several share keys.
    bias_max
        As for :func:`pe_book.family.score_bias.alibi_slopes`.
    heads
        Which of them this module has, where several processes share the heads: ``range(8, 16)``. Slopes
        follow from the number of all heads, so eight of 32 are not a model of eight.
    device
        Of the bias; without it, torch's default.

    Attributes
    ----------
    slopes : torch.Tensor
        Shape (h,), float32.

    Examples
    --------
    >>> import pe_book as pe
    >>> bias = pe.nn.ALiBiBias(8)
    >>> bias(5, causal=True).shape, bias.by_keys(5).shape
    (torch.Size([1, 8, 5, 5]), torch.Size([1, 8, 1, 5]))

    The newest token, with 100 in the cache:

    >>> bool((bias(1, start=100) == bias(101)[:, :, 100:]).all())
    True

    References
    ----------
    :cite:t:`press2022`, section 3.
    """

    slopes: Tensor

    def __init__(
        self,
        n_heads: int,
        *,
        bias_max: float = 8.0,
        heads: Sequence[int] | None = None,
        device: torch.device | str | int | None = None,
    ) -> None:
        super().__init__(n_heads, heads=heads)
        self.bias_max = positive_number(bias_max, "bias_max")
        self.register_buffer("slopes", self._made(checked_device(device)), persistent=False)

    def by_keys(self, n_k: int | None = None, *, keys: Positions | None = None) -> Tensor:
        """One row for all queries: the same weights under a causal mask, and in a decoding step.

        Parameters
        ----------
        n_k
            How many keys there are, at the positions 0, 1, 2, ….
        keys
            Or their positions, shape (n_k,) or (batch, n_k).

        Returns
        -------
        Tensor
            float32, shape (1, h, 1, n_k) or (batch, h, 1, n_k). The last key has 0; keys ahead of a query
            would be favoured, so hide them.
        """
        if (n_k is None) == (keys is None):
            raise ValueError(f"n_k or keys must be given, not both, got {shown(n_k)} and {shown(keys)}")
        if keys is None:
            count = self._count(n_k, "n_k")
            if not torch.compiler.is_compiling():
                room_for(4 * 8 * count * len(self.heads), "n_k", n_k, most=memory_on(self.slopes.device))
            keys = torch.arange(count, device=self.slopes.device)
        where = check_positions(keys, "keys")
        bias = alibi_key_bias(self.slopes, where)
        return bias if where.dim() == 2 else bias[None]  # (1 or batch, h, 1, n_k)

    def _bias(self, away: Tensor) -> Tensor:
        return linear(self.slopes, away)

    def _made(self, device: torch.device) -> Tensor:
        every = torch.from_numpy(alibi_slopes(self.n_heads, bias_max=self.bias_max)[list(self.heads)])
        return every.to(device, torch.float32)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Whatever torch does to every tensor of a module, slopes stay what they are, in float32."""
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]  # torch's
        self.slopes = self._made(self.slopes.device)
        return self

    def _options(self) -> str:
        return f"bias_max={self.bias_max:g}"

    def _device(self) -> torch.device:
        return self.slopes.device
