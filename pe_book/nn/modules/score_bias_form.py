"""What the modules of biases have in common: lengths or positions in, a bias of four axes out."""

import math
from collections.abc import Sequence

import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from pe_book.inputs.checking import flag, per_head, real_array, room_for, whole_number, whole_start
from pe_book.inputs.wording import shown
from pe_book.nn.kernels.toeplitz import spread
from pe_book.nn.offsets import listed_positions, offsets, require_whole_numbers, whole_offsets
from pe_book.nn.tensors import Positions, described, is_tensor, memory_on, on_device, refuse_scripting


class ScoreBias(nn.Module):
    """A bias that depends on the offset of key and query alone; a subclass says which.

    Parameters
    ----------
    n_heads
        Query heads, at least 1; a module cannot know them, and one head fits scores of any number.
    heads
        Which of them the module has; all, if not given.
    """

    _whole = False  # whether positions have to be whole

    __prepare_scriptable__ = refuse_scripting  # what torch.jit.script calls first

    def __init__(self, n_heads: int, *, heads: Sequence[int] | None = None) -> None:
        super().__init__()
        self.n_heads = whole_number(n_heads, "n_heads", least=1)
        room_for(4 * 8 * self.n_heads, "n_heads", n_heads)
        self.heads = range(self.n_heads) if heads is None else known_heads(heads, self.n_heads)

    def forward(
        self,
        n_q: int,
        n_k: int | None = None,
        *,
        start: int | Tensor | None = None,
        causal: bool = False,
        out: Tensor | None = None,
    ) -> Tensor:
        r"""The bias of consecutive positions.

        Parameters
        ----------
        n_q
            How many queries there are.
        n_k
            How many keys, at the positions 0, 1, 2, …; without it, those up to the last query.
        start
            The position of the first query: with a cache, the number of tokens before this call. Where
            numbers of queries and keys differ, it has to be given.
        causal
            Whether keys ahead of a query get ``-inf``; then each query has to find its own key among them:
            `start` is at most n_k - n_q, which is its value with a cache. ``scaled_dot_product_attention``
            takes a bias or ``is_causal``, not both.
        out
            float32, contiguous, of shape (1, h, n_q, n_k), to write to; not where gradients are recorded.

        Returns
        -------
        Tensor
            float32, shape (1, h, n_q, n_k).
        """
        rows, columns, first = self._extent(n_q, n_k, start)
        only_behind = flag(causal, "causal")
        if only_behind and first + rows > columns:
            own = "start + n_q must be at most n_k with causal=True, so that each query sees its own key"
            given = f"got start={first}, n_q={rows}, n_k={columns}"
            ways = "start=n_k - n_q fits behind a cache, and at() takes keys at other positions"
            raise ValueError(f"{own}: {given}; {ways}")
        away = torch.arange(1 - rows - first, columns - first, device=self._device())  # (n_q + n_k - 1,)
        bias = self._bias(away[None])[:, 0]  # (h, n_q + n_k - 1)
        if only_behind:
            bias = bias.masked_fill(away > 0, -torch.inf)
        if out is not None:
            check_out(out, bias, rows, columns)
        return spread(bias, rows, columns, out)

    def at(self, queries: Positions, keys: Positions | None = None, *, causal: bool = False) -> Tensor:
        r"""The bias at any positions: padding on the left, packed texts, a window of cached keys.

        Parameters
        ----------
        queries
            Positions, shape (n_q,) or (batch, n_q).
        keys
            The same of keys; without them, those of the queries.
        causal
            Whether keys ahead of a query get ``-inf``. Keys of padding and of other texts are yours to hide.

        Returns
        -------
        Tensor
            float32, shape (1, h, n_q, n_k) or (batch, h, n_q, n_k).
        """
        given = (
            check_positions(queries, "queries"),
            check_positions(queries if keys is None else keys, "keys"),
        )
        away = (whole_offsets if self._whole else offsets)(*given, self._device())
        if not torch.compiler.is_compiling():
            shape = (len(self.heads), *away.shape)
            room_for(2 * 4 * math.prod(shape), "queries and keys", shape, most=memory_on(self._device()))
        bias = self._bias(away)
        if flag(causal, "causal"):
            bias = bias.masked_fill((away > 0)[..., None, :, :], -torch.inf)
        return bias if bias.dim() == 4 else bias[None]  # (1 or batch, h, n_q, n_k)

    def by_offset(self, offsets: Positions) -> Tensor:
        """The bias of each offset: what :meth:`forward` spreads, and what a ``score_mod`` looks up.

        Parameters
        ----------
        offsets
            Key minus query, shape (n,).

        Returns
        -------
        Tensor
            float32, shape (h, n).
        """
        away = on_device(listed_positions(offsets, "offsets"), "offsets", self._device())
        if away.dim() != 1:
            raise ValueError(f"offsets must have shape (n,), got {tuple(away.shape)}")
        if self._whole:
            require_whole_numbers(away, "offsets", "offsets")
        return self._bias((away.to(torch.int64) if self._whole else away)[None])[:, 0]

    def extra_repr(self) -> str:
        """The arguments, for ``repr``."""
        part = "" if len(self.heads) == self.n_heads else f"heads={list(self.heads)}"
        return ", ".join(filter(None, (str(self.n_heads), part, self._options())))

    def _bias(self, away: Tensor) -> Tensor:
        """Of offsets of shape (..., n_q, n_k): float32, shape (..., h, n_q, n_k)."""
        raise NotImplementedError

    def _device(self) -> torch.device:
        raise NotImplementedError

    def _options(self) -> str:
        return ""

    def _extent(self, n_q: int, n_k: int | None, start: int | Tensor | None) -> tuple[int, int, int]:
        """How many queries and keys, and where the first query stands."""
        rows = self._count(n_q, "n_q")
        in_graph = torch.compiler.is_compiling()
        columns = None if n_k is None else self._count(n_k, "n_k")
        if start is None:
            if columns is not None and columns != rows:
                which = "the position of the first query, such as n_k - n_q behind a cache"
                raise ValueError(
                    f"start must be given for {shown(rows)} queries and {shown(columns)} keys: {which}"
                )
            start = 0
        first = start if isinstance(start, int) and in_graph else whole_start(start, least=0)
        columns = first + rows if columns is None else columns
        if not in_graph:
            shape = (1, len(self.heads), rows, columns)
            room_for(4 * math.prod(shape), "n_q and n_k", shape, most=memory_on(self._device()))
        return rows, columns, first

    @staticmethod
    def _count(value: int | None, name: str) -> int:
        if isinstance(value, int) and torch.compiler.is_compiling():  # checks would become part of a graph
            return value
        return whole_number(value, name, least=1)


def known_heads(heads: Sequence[int], n_heads: int) -> tuple[int, ...]:
    """Some of the heads of a model, refused if one is none of them."""
    try:
        found = tuple(whole_number(head, "heads", least=0, most=n_heads - 1) for head in heads)
    except TypeError:
        raise TypeError(f"heads must hold whole numbers, such as range(8, 16), got {shown(heads)}") from None
    if not found or len(set(found)) < len(found):
        raise ValueError(f"heads must name each head once, and at least one, got {shown(heads)}")
    return found


def check_positions(values: Positions, name: str) -> Tensor:
    """Positions of one text, or of each text of a batch; another shape would broadcast into heads."""
    found = listed_positions(values, name)
    if found.dim() > 2:
        raise ValueError(f"{name} must have shape (n,) or (batch, n), got {tuple(found.shape)}")
    return found


def check_out(out: Tensor, bias: Tensor, n_q: int, n_k: int) -> None:
    """Refuse a buffer that is not the bias in size, dtype and place, or where gradients would be lost."""
    shape = (1, bias.shape[0], n_q, n_k)
    if not is_tensor(out) or described(out) != f"torch.float32 of shape {shape}":
        raise ValueError(f"out must be torch.float32 of shape {shape}, got {described(out)}")
    if out.device != bias.device or not out.is_contiguous():
        got = f"got strides {out.stride()} on {out.device}"
        raise ValueError(f"out must be contiguous, on {bias.device}, {got}")
    if torch.is_grad_enabled() and (bias.requires_grad or out.requires_grad):
        raise ValueError(
            "out must be left out where gradients are recorded, got a buffer; or use torch.no_grad()"
        )


def positive_of_each(values: ArrayLike, name: str, n_heads: int) -> tuple[float, ...]:
    """A number above 0 for each head, from one for all or one for each."""
    given = real_array(values, name)
    found = per_head(given[None] if given.ndim == 0 else given, name, above_zero=True)
    if len(found) not in (1, n_heads):
        raise ValueError(f"{name} must be one number, or one for each of {n_heads} heads, got {len(found)}")
    return tuple(float(number) for number in found) * (n_heads // len(found))
