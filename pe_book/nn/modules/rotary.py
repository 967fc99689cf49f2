"""Rotary encoding as a module: queries and keys turned by their positions, whatever their dtype."""

from typing import Self

import torch
from numpy.typing import ArrayLike
from torch import Tensor

from pe_book.config.formats import ConfigLike
from pe_book.family.rotary import Side, head_width, slice_of
from pe_book.inputs.checking import Ladder, Layout, flag, whole_number
from pe_book.nn.kernels.memory import check_apart
from pe_book.nn.kernels.rotary import parted, turn_in_place, turned, turned_together
from pe_book.nn.modules.rotary_checks import check_heads, check_positions, check_rows, named_layout
from pe_book.nn.modules.rotary_config import arguments_of
from pe_book.nn.modules.rotary_steps import RotarySteps, wide


class RotaryEncoding(RotarySteps):
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
    layout
        Which columns form a pair: ``"halves"`` or ``"interleaved"``, as for
        :func:`pe_book.family.rotary.rotate`. It has to be named: the paper pairs neighbours and most code
        pairs halves, no shape tells them apart, and weights that were trained with one compute something else
        with the other. The names of models are no help either: Llama's weights pair halves as transformers
        has them, and neighbours as Meta does.
    heads_first
        Whether `q` and `k` are (batch, heads, n, head_dim), as in torch and transformers, or (batch, n,
        heads, head_dim), as in flash-attn and torchtune. It has to be given unless they are (n, head_dim):
        rows turned along the other axis have the right shape too.
    base, ladder, rotary_dim, side, frequencies
        As for :func:`pe_book.family.rotary.rotate`;
        :func:`pe_book.family.context_extension.scale_frequencies` makes frequencies of your own. Frequencies
        alone do not say for which texts they hold: of a record of
        :func:`pe_book.config.reading.rotary_from_config` take `attention_factor` and `valid_len` as well.
    attention_factor
        On the turned columns of queries, and on those of keys. So it enters twice what these columns add to
        a score; columns that are not turned are left as they are.
    valid_len
        How many positions the frequencies hold for, where scaling depends on the length of the text. Those
        from there on are refused; where they cannot be read, on a device or in a graph, they give NaN.
    max_len
        Rows of the table to begin with, at least 1.
    device
        Of the table; without it, torch's default.

    Attributes
    ----------
    table : torch.Tensor
        float32: cosines and sines of the positions 0, 1, 2, …, in the form of
        :func:`pe_book.nn.kernels.rotary.folded`. Modules of one setting on one device have one in common.

    Examples
    --------
    >>> import pe_book as pe
    >>> encoding = pe.nn.RotaryEncoding(64, layout="halves", heads_first=True)
    >>> q, k = torch.randn(2, 8, 5, 64), torch.randn(2, 2, 5, 64)  # eight heads share two of keys
    >>> turned_q, turned_k = encoding(q, k)
    >>> turned_q.shape, turned_k.shape
    (torch.Size([2, 8, 5, 64]), torch.Size([2, 2, 5, 64]))

    The fifth token by itself, with four in the cache:

    >>> last_q, last_k = encoding(q[:, :, 4:], k[:, :, 4:], start=4)
    >>> bool((last_q == turned_q[:, :, 4:]).all())
    True

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
        layout: Layout | None = None,
        heads_first: bool | None = None,
        base: float = 10000.0,
        ladder: Ladder = "paper",
        rotary_dim: int | None = None,
        side: Side = "first",
        frequencies: ArrayLike | None = None,
        attention_factor: float = 1.0,
        valid_len: int | None = None,
        max_len: int = 2048,
        device: torch.device | str | int | None = None,
    ) -> None:
        head = whole_number(head_dim, "head_dim", least=2)
        if rotary_dim is None:
            head_width(head, "head_dim")
        width, known_side = slice_of(head, rotary_dim, side)
        super().__init__(
            width, base=base, layout=named_layout(layout), ladder=ladder, frequencies=frequencies,
            attention_factor=attention_factor, valid_len=valid_len, max_len=max_len, device=device,
        )  # fmt: skip
        self.head_dim, self.side = head, known_side
        self.heads_first = None if heads_first is None else flag(heads_first, "heads_first")
        self._first = 0 if known_side == "first" else head - width

    @classmethod
    def from_config(
        cls,
        config: ConfigLike,
        *,
        layer: int,
        heads_first: bool | None = None,
        length: int | None = None,
        assume: str | None = None,
        max_len: int = 2048,
        device: torch.device | str | int | None = None,
    ) -> Self:
        """The module of one layer of a model, from its ``config.json``.

        What a model multiplies whole scores by, as ``score_factor`` of a record of
        :func:`pe_book.config.reading.rotary_from_config` says, stays with its attention. A config with a key
        that acts on position in another way, as ``llama_4_scaling_beta`` multiplies queries by a number that
        grows with their position and ``mrope_section`` gives a token of an image several positions, is
        refused: ``pe_book.nn.modules.rotary_config.arguments_of`` makes the arguments of a module that
        knowingly leaves it out.

        Parameters
        ----------
        config
            A path, a folder with a ``config.json``, a dictionary, or an object with ``to_dict``, as
            transformers has them.
        layer
            Which layer, from 0: layers of one model may turn at different frequencies, or not at all.
        heads_first, max_len, device
            As for the class.
        length
            How many tokens the longest text has, for scalings that depend on it (dynamic, LongRoPE). Without
            it they hold for the trained length, and later positions are refused. A model of transformers
            changes the frequencies in the midst of a text that grows past that length, and leaves keys in the
            cache as they were turned before; this module turns all of a text at those of `length`.
        assume
            As for :func:`pe_book.config.reading.rotary_from_config`.

        Raises
        ------
        ValueError
            If the layer does not turn, or a key acts beside the turns.

        Examples
        --------
        >>> import pe_book as pe
        >>> yarn = {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 4096}
        >>> config = {"model_type": "llama", "head_dim": 64, "rope_scaling": yarn}
        >>> encoding = pe.nn.RotaryEncoding.from_config(config, layer=0, heads_first=True)
        >>> encoding.layout, round(encoding.attention_factor, 4)
        ('halves', 1.1386)
        """
        arguments = arguments_of(config, layer, length, assume=assume)
        return cls(**arguments, heads_first=heads_first, max_len=max_len, device=device)

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
            Queries: float32, float16, bfloat16 or float64, shape (batch, h, n, head_dim), or (batch, n, h,
            head_dim) if `heads_first` is False; or without a batch.
        k
            Keys of the same tokens; the number of their heads may be another. Of keys that are cached before
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
        call = self._call(q, k, positions, start, in_place)
        known = self._held.call
        if call is not None and known is not None and known[0] == call:  # the layer before this one checked
            _, turns, parts = known
            return turned_together(q, k, turns, self.layout, self._first, heads=call.heads, parts=parts)
        for x, name in ((q, "q"), (k, "k")):
            self._check(x, name, positions, in_place)
        rows, others = self._rows(q), self._rows(k)
        if rows != others:
            heads = f"if these count heads, heads_first has to be {not self.heads_first}, "
            cure = f"{heads if q.dim() > 2 else ''}if tokens, turn(...) each with its own positions"
            raise ValueError(f"q and k must hold the same tokens, got {rows} rows and {others}: {cure}")
        if in_place:
            check_apart(q, k)
        turns = self._turns_for(q, positions, start)
        alike = q.dim() == k.dim() and wide(q) == wide(k)
        if call is not None and alike:
            self._held.call = call, turns, parted(turns, self.layout)
            return turned_together(q, k, turns, self.layout, self._first, heads=call.heads)
        same = turns if alike else self._turns_for(k, positions, start)
        return self._turned(q, turns, in_place), self._turned(k, same, in_place)

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
            As `q` of :meth:`forward`, or (n, head_dim).
        positions, start, in_place
            As for :meth:`forward`.

        Returns
        -------
        Tensor
            The shape and dtype of `x`.
        """
        self._check(x, "x", positions, in_place)
        return self._turned(x, self._turns_for(x, positions, start), in_place)

    def extra_repr(self) -> str:
        """The arguments, for ``repr``."""
        ladder = f"base={self.base:g}, ladder={self.ladder!r}"
        return (
            f"{self.head_dim}, {ladder if self._omega is None else 'frequencies=...'}, "
            f"layout={self.layout!r}, heads_first={self.heads_first}, rotary_dim={self.rotary_dim}, "
            f"side={self.side!r}, attention_factor={self.attention_factor:g}, valid_len={self.valid_len}, "
            f"max_len={self.max_len}"
        )

    def _turned(self, x: Tensor, turns: Tensor, in_place: bool) -> Tensor:
        if not in_place:
            return turned(x, turns, self.layout, self._first)
        turn_in_place(x, turns, self.layout, self._first)
        return x

    def _check(self, x: Tensor, name: str, positions: Tensor | None, in_place: bool) -> None:
        """Refuse what are no queries or keys of this width, or have other rows than there are positions."""
        check_rows(x, name, self.head_dim, in_place)
        check_heads(x, name, self.heads_first)
        if x.device != self.table.device and x.device != self._place.device and not self._place.is_meta:
            place = f"on {self._place.device}, where the module is"
            raise ValueError(f"{name} must be {place}, got it on {x.device}; move one of them with .to(...)")
        if positions is not None:
            check_positions(positions, x, name, self._rows(x))
