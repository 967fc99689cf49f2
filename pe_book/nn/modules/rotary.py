"""Rotary encoding as a module: queries and keys turned by their positions, whatever their dtype."""

import torch
from numpy.typing import ArrayLike
from torch import Tensor

from pe_book.family.rotary import Side, head_width, slice_of
from pe_book.inputs.checking import Ladder, Layout, flag, whole_number
from pe_book.nn.kernels.memory import check_apart, check_writable
from pe_book.nn.kernels.rotary import turn_in_place, turned
from pe_book.nn.modules.rotary_cache import RotaryCache
from pe_book.nn.tensors import DTYPES, described, is_tensor, require_dense


class RotaryEncoding(RotaryCache):
    r"""Rotary encoding of queries and keys: each pair of columns turned by position times frequency.

    Cosines and sines come from angles that are exact at every position, and are kept in float32 whatever
    becomes of the model: ``.half()``, ``.to(torch.bfloat16)`` and autocast do not touch them. Queries and
    keys of 16 bits are turned in float32 and rounded once; those of float64 are turned in float64, by sines
    and cosines that are computed at each call. The table follows from the arguments, so it is no part of the
    ``state_dict``; wherever the module is moved or allocated (``.to(...)``, ``.to_empty(...)``), it is there.

    Positions past the table are no error. Up to twice its length, or that of the call, the table grows;
    farther out cosines and sines are computed and not kept. So they are for `positions` on a device, which
    are never read back, and in compiled graphs where the table ends or positions are given; exported graphs
    and traces do without the table. Positions are whole and at least 0;
    :func:`pe_book.nn.functional.rotary.rotate` takes real ones and negative ones.

    Parameters
    ----------
    head_dim
        Width of a head.
    base, layout, ladder, rotary_dim, side, frequencies
        As for :func:`pe_book.family.rotary.rotate`. What a model turns with is in a record of
        ``pe.rotary_from_config``, as in the last example;
        :func:`pe_book.family.context_extension.scale_frequencies` makes frequencies of your own.
    attention_factor
        On the turned columns of queries, and on those of keys. So it enters twice what these columns add to
        a score; columns that are not turned are left as they are.
    max_len
        Rows of the table to begin with, at least 1.
    device
        Of the table; without it, torch's default.

    Attributes
    ----------
    table : torch.Tensor
        float32: cosines and sines of the positions 0, 1, 2, …, in the form of
        :func:`pe_book.nn.kernels.rotary.turns_of`.

    Examples
    --------
    >>> encoding = RotaryEncoding(64)
    >>> q, k = torch.randn(2, 8, 5, 64), torch.randn(2, 2, 5, 64)  # eight heads share two of keys
    >>> turned_q, turned_k = encoding(q, k)
    >>> turned_q.shape, turned_k.shape
    (torch.Size([2, 8, 5, 64]), torch.Size([2, 2, 5, 64]))

    The fifth token by itself, with four in the cache:

    >>> last_q, last_k = encoding(q[:, :, 4:], k[:, :, 4:], start=4)
    >>> bool((last_q == turned_q[:, :, 4:]).all())
    True

    With the frequencies and the factor of a model, from its config:

    >>> import pe_book as pe
    >>> yarn = {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 4096}
    >>> layer, *_ = pe.rotary_from_config({"model_type": "llama", "head_dim": 64, "rope_scaling": yarn})
    >>> model = RotaryEncoding(
    ...     layer.head_dim, layout=layer.layout, rotary_dim=layer.rotary_dim, side=layer.side,
    ...     frequencies=layer.frequencies, attention_factor=layer.attention_factor,
    ... )
    >>> round(model.attention_factor, 4)
    1.1386

    References
    ----------
    :cite:t:`su2021`, section 3.2.

    See Also
    --------
    pe_book.nn.functional.rotary.rotate : one tensor in float64, at positions of any kind.
    pe_book.config.reading.rotary_from_config : a model's frequencies and factor, layer by layer.
    """

    def __init__(
        self,
        head_dim: int,
        *,
        base: float = 10000.0,
        layout: Layout = "interleaved",
        ladder: Ladder = "paper",
        rotary_dim: int | None = None,
        side: Side = "first",
        frequencies: ArrayLike | None = None,
        attention_factor: float = 1.0,
        max_len: int = 2048,
        device: torch.device | str | int | None = None,
    ) -> None:
        head = whole_number(head_dim, "head_dim", least=2)
        if rotary_dim is None:
            head_width(head, "head_dim")
        width, known_side = slice_of(head, rotary_dim, side)
        super().__init__(
            width, base=base, layout=layout, ladder=ladder, frequencies=frequencies,
            attention_factor=attention_factor, max_len=max_len, device=device,
        )  # fmt: skip
        self.head_dim, self.side = head, known_side
        self._first = 0 if known_side == "first" else head - width

    def forward(
        self,
        q: Tensor,
        k: Tensor,
        positions: Tensor | None = None,
        *,
        start: int | Tensor = 0,
        in_place: bool = False,
    ) -> tuple[Tensor, Tensor]:
        r"""Queries and keys of the same tokens, turned.

        Parameters
        ----------
        q
            Queries: float32, float16, bfloat16 or float64, shape (batch, h, n, head_dim), or without a batch.
        k
            Keys, of as many rows; the number of their heads may be another. Of keys that are cached before
            they are turned there are more than queries: turn each with :meth:`turn` then.
        positions
            An integer tensor of shape (n,), or (1, n), for all sequences, or (batch, n).
        start
            The position of the first row, in the place of `positions`: with a cache of keys, the number of
            tokens before this call. A whole number, or a tensor that holds one.
        in_place
            Whether to write to the memory of `q` and `k` and return these. Refused where gradients are
            recorded, and where entries of either or of both stand in one place.

        Returns
        -------
        tuple of Tensor
            Both turned, each in its shape and dtype.
        """
        in_place = flag(in_place, "in_place")
        for x, name in ((q, "q"), (k, "k")):
            self._check(x, name, positions, in_place)
        if q.shape[-2] != k.shape[-2]:
            each = "use turn(q, ...) and turn(k, ...) for rows of other tokens"
            raise ValueError(f"k must have as many rows as q, {q.shape[-2]}, got {k.shape[-2]}; {each}")
        if in_place:
            check_apart(q, k)
        turns = self._turns_for(q, positions, start)
        alike = q.dim() == k.dim() and _wide(q) == _wide(k)
        others = turns if alike else self._turns_for(k, positions, start)
        return self._turned(q, turns, in_place), self._turned(k, others, in_place)

    def turn(
        self,
        x: Tensor,
        positions: Tensor | None = None,
        *,
        start: int | Tensor = 0,
        in_place: bool = False,
    ) -> Tensor:
        """Queries alone, or keys alone, turned: arguments and result as for :meth:`forward`.

        Parameters
        ----------
        x
            Shape (batch, h, n, head_dim), or without a batch, or (n, head_dim).
        positions, start, in_place
            As for :meth:`forward`.

        Returns
        -------
        Tensor
            The shape and dtype of `x`.
        """
        in_place = flag(in_place, "in_place")
        self._check(x, "x", positions, in_place)
        return self._turned(x, self._turns_for(x, positions, start), in_place)

    def extra_repr(self) -> str:
        """The arguments, for ``repr``."""
        ladder = f"base={self.base:g}, ladder={self.ladder!r}"
        return (
            f"{self.head_dim}, {ladder if self._omega is None else 'frequencies=...'}, "
            f"layout={self.layout!r}, rotary_dim={self.rotary_dim}, side={self.side!r}, "
            f"attention_factor={self.attention_factor:g}, max_len={self.max_len}"
        )

    def _turned(self, x: Tensor, turns: Tensor, in_place: bool) -> Tensor:
        if not in_place:
            return turned(x, turns, self.layout, self._first)
        turn_in_place(x, turns, self.layout, self._first)
        return x

    def _turns_for(self, x: Tensor, positions: Tensor | None, start: int | Tensor) -> Tensor:
        """Cosines and sines that broadcast to the rows of `x`."""
        found = self._turns(x.shape[-2], start, positions, x.device, _wide(x))
        if positions is None or positions.dim() == 1:
            return found
        return found[0] if positions.shape[0] == 1 else found.unsqueeze(1)

    def _check(self, x: Tensor, name: str, positions: Tensor | None, in_place: bool) -> None:
        """Refuse what are no queries or keys of this width, or have other rows than there are positions."""
        if not is_tensor(x) or x.dtype not in DTYPES:
            accepted = "a tensor of float32, float16, bfloat16 or float64"
            raise TypeError(f"{name} must be {accepted}, got {described(x)}")
        require_dense(x, name)
        if x.dim() < 2 or x.shape[-1] != self.head_dim:
            wanted = f"(batch, heads, n, {self.head_dim})"
            raise ValueError(f"{name} must have shape {wanted}, or fewer axes before n: got {tuple(x.shape)}")
        if x.device != self.table.device and x.device != self._place.device and not self._place.is_meta:
            place = f"on {self._place.device}, where the module is"
            raise ValueError(f"{name} must be {place}, got it on {x.device}; move one of them with .to(...)")
        if positions is not None:
            _check_positions(positions, x, name)
        if in_place:
            check_writable(x, name)


def _wide(x: Tensor) -> torch.dtype:
    """The dtype in which rows are turned."""
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def _check_positions(positions: Tensor, x: Tensor, name: str) -> None:
    """Refuse positions that are not one for each row, or one for each row of each sequence."""
    if not is_tensor(positions):
        raise TypeError(f"positions must be an integer tensor, got {described(positions)}")
    n, shape = x.shape[-2], tuple(positions.shape)
    fitting = [(n,), (1, n)] + ([(x.shape[0], n)] if x.dim() == 4 else [])
    if not any(shape == one for one in fitting):
        here = " or ".join(map(str, dict.fromkeys(fitting)))
        rows = f"for {name} of shape {tuple(x.shape)}"
        raise ValueError(f"positions must have shape (n,), (1, n) or (batch, n), {here} {rows}, got {shape}")
