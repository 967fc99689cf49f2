"""The sinusoidal encoding as a module: a table that every cast, move and load leaves exactly rounded."""

from collections.abc import Callable
from threading import RLock
from typing import Any, Self

import torch
from numpy.typing import NDArray
from torch import Tensor

from pe_book.inputs.checking import (
    Ladder,
    Layout,
    base_above_one,
    even_width,
    known_ladder,
    known_layout,
    room_for,
    whole_number,
)
from pe_book.nn.functional.table import scattered, table
from pe_book.nn.kernels.float64 import rounded, waves
from pe_book.nn.modules.added import AddedEncoding, on_one_device
from pe_book.nn.tensors import checked_device, checked_dtype, memory_on, tracing

_ENTRIES_AT_A_TIME = 2**23  # of rows computed on a device: the steps on the way hold about ten times as much
_replacing = RLock()  # of all modules: a lock of their own could be neither copied nor pickled


class SinusoidalEncoding(AddedEncoding):
    r"""The sinusoidal encoding of 2017, added to embeddings: dropout(x + PE).

    The rows are in `table`, each entry rounded once from its exact value. It follows from the arguments, so
    it is no part of the ``state_dict``, nor a buffer that data-parallel processes would send to each other:
    a checkpoint does not depend on `max_len`, and each process has rows for its own lengths. What torch sees
    is a buffer without rows. Wherever it is converted, moved or allocated (``.half()``, ``.to(...)``,
    ``.to_empty(...)``), the table is made anew.

    Positions past the table are no error. Up to twice its length, or that of `x`, the table grows; farther
    out the rows are computed and not kept, at about the price of a table if they are close together, else at
    some twenty times that. Growing replaces the table by a longer one, and a call works on the one it found,
    so that threads may share a module.

    `positions` that are on a device are never read back: their rows are computed there in float64, and those
    that the table has are taken from it. This costs sines and cosines at every call; positions that are given
    on the CPU do not. In a compiled graph, rows past the table are computed in the graph, and in an exported
    graph or a trace all rows are. An entry that was computed so is within ``1e-15`` of the exact one at any
    position before it is rounded, so that hardly any is then rounded to its other neighbour.

    Parameters
    ----------
    d_model
        Width of the encoding: even, at least 2.
    max_len
        Rows to begin with, at least 1.
    dropout
        Probability with which an entry of the sum is dropped in training, as in section 5.4 of the paper.
    scale
        Whether to multiply `x` by √d_model, as in section 3.4 of the paper: for rows of an embedding that are
        drawn as small as 1/√d_model. Behind torch's ``nn.Embedding`` it drowns the positions. Changed in
        0.1.0: False by default, as in :class:`~pe_book.nn.modules.learned.LearnedEncoding`; it was True.
    batch_first
        Whether a batch is (batch, seq, d_model) or (seq, batch, d_model).
    base, layout, ladder
        As for :func:`pe_book.sinusoidal.formula.encode`.
    device, dtype
        Of the table; without them, torch's defaults. float32, float16, bfloat16 or float64.

    Attributes
    ----------
    table : torch.Tensor
        Shape (n, d_model), n at least `max_len`: row p is the encoding of position p.

    Examples
    --------
    >>> import pe_book as pe
    >>> add_positions = pe.nn.SinusoidalEncoding(6, max_len=16).eval()
    >>> embeddings = torch.ones(2, 3, 6)  # batch, seq, d_model
    >>> add_positions(embeddings).shape
    torch.Size([2, 3, 6])
    >>> add_positions(embeddings[:, :1], start=100).shape  # one more token, with 100 in the cache
    torch.Size([2, 1, 6])
    >>> left_padded = torch.tensor([[0, 0, 1], [0, 1, 2]])
    >>> bool((add_positions(embeddings, positions=left_padded)[1] == add_positions(embeddings)[1]).all())
    True

    References
    ----------
    :cite:t:`vaswani2017`, sections 3.4, 3.5 and 5.4.

    See Also
    --------
    pe_book.nn.functional.table.table : what the buffer holds.
    """

    _like: Tensor

    def __init__(
        self,
        d_model: int,
        *,
        max_len: int = 2048,
        dropout: float = 0.1,
        scale: bool = False,
        batch_first: bool = True,
        base: float = 10000.0,
        layout: Layout = "interleaved",
        ladder: Ladder = "paper",
        device: torch.device | str | int | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(even_width(d_model), dropout=dropout, scale=scale, batch_first=batch_first)
        self.max_len = whole_number(max_len, "max_len", least=1)
        self.base = base_above_one(base)
        self.layout, self.ladder = known_layout(layout), known_ladder(ladder)
        where = checked_device(device)
        number = torch.get_default_dtype() if dtype is None else dtype
        checked_dtype(number, where)
        room_for(self.max_len * self.d_model * number.itemsize, "max_len", max_len, most=memory_on(where))
        self.table = self._made(self.max_len, number, where)
        # what torch sees of the table: its dtype and its device
        self.register_buffer("_like", self.table.new_empty(0, self.d_model), persistent=False)

    def reset_parameters(self) -> None:
        """Make the table anew, where the module is and as long as it is."""
        with _replacing:
            self.table = self._made(len(self.table), self._like.dtype, self._like.device)

    def extra_repr(self) -> str:
        """The arguments, for ``repr``."""
        return (
            f"{self.d_model}, max_len={self.max_len}, scale={self.scale}, batch_first={self.batch_first}, "
            f"base={self.base:g}, layout={self.layout!r}, ladder={self.ladder!r}"
        )

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Whatever torch does to every tensor of a module (casts, moves, ``to_empty``) comes by here."""
        with _replacing:
            before = self._like
            if before.is_meta:
                try:
                    fn(before)
                except NotImplementedError:
                    # a meta tensor has nothing to copy: let an empty one show the way
                    self._like = torch.empty(0, self.d_model, dtype=before.dtype, device="cpu")
            try:
                # torch leaves its methods without types
                super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
                if not self._is_usable_on(self._like.device):
                    self.table = self._made(len(self.table), self._like.dtype, self._like.device)
                elif self._like.is_shared():  # type: ignore[no-untyped-call]
                    self.table.share_memory_()  # type: ignore[no-untyped-call]
            except BaseException:
                self._like = before
                raise
        return self

    def _device(self) -> torch.device:
        return self._like.device

    def _rows_from(self, start: int, seq_len: int, device: torch.device) -> Tensor:
        end = start + seq_len
        if graph_outlives_table():
            return self._computed(torch.arange(start, end, device=device))
        if torch.compiler.is_compiling():
            if end > len(self.table) or not self._is_usable_on(device):
                return self._computed(torch.arange(start, end, device=device))
            return self.table[start:end]
        kept = self._reaching(end, seq_len, device)
        if end <= len(kept):
            return kept[start:end]
        return self._made(seq_len, kept.dtype, device, start)

    def _rows_at(self, positions: Tensor, found: NDArray[Any] | None, device: torch.device) -> Tensor:
        if found is None:
            return self._without_reading(positions, device)
        end = int(found.max()) + 1 if found.size else 0
        kept = self._reaching(end, found.shape[-1] if found.ndim else 1, device)
        if end <= len(kept):
            return kept[positions]
        return scattered(found, self.d_model, **self._conventions(), dtype=kept.dtype, device=device)

    def _without_reading(self, positions: Tensor, device: torch.device) -> Tensor:
        """The rows of positions whose values are not known here: those of the table where it has them."""
        compiling = torch.compiler.is_compiling()
        if graph_outlives_table() or (compiling and not self._is_usable_on(device)):
            return self._computed(positions)
        kept = self.table if compiling else self._reaching(0, 0, device)
        inside = (positions >= 0) & (positions < len(kept))
        near = kept[torch.where(inside, positions, 0)]
        return torch.where(inside[..., None], near, self._computed(positions))

    def _computed(self, positions: Tensor) -> Tensor:
        """The rows of any positions, by operations that a graph can hold."""

        def rows(some: Tensor) -> Tensor:
            made = waves(some, self.d_model, self.base, self.ladder, self.layout)
            return rounded(made, self._like.dtype).to(some.device)

        at_a_time = max(1, _ENTRIES_AT_A_TIME // self.d_model)
        if torch.compiler.is_compiling() or tracing() or positions.numel() <= at_a_time:
            return rows(positions)
        ends = tuple(range(at_a_time, positions.numel(), at_a_time))
        made = torch.cat([rows(some) for some in torch.tensor_split(positions.flatten(), ends)])
        return made.reshape(*positions.shape, self.d_model)

    def _reaching(self, end: int, seq_len: int, device: torch.device) -> Tensor:
        """The table on `device`, with rows up to `end` if they are to be had."""
        kept = self.table
        if self._like.is_meta and device.type != "meta":  # load_state_dict(assign=True) leaves buffers there
            self._like = torch.empty(0, self.d_model, dtype=self._like.dtype, device=device)
        if not self._is_usable_on(self._like.device):
            kept = self._replaced(0, len(kept))
        on_one_device(kept.device, device)
        length = len(kept)
        if length < end <= 2 * max(length, seq_len):
            kept = self._replaced(end, max(end, 2 * length))
        return kept

    def _replaced(self, end: int, length: int) -> Tensor:
        """The table, of `length` rows if it had to be replaced; another thread may have done it."""
        with _replacing:
            if len(self.table) < end or not self._is_usable_on(self._like.device):
                length = max(length, len(self.table))
                self.table = self._made(length, self._like.dtype, self._like.device)
            return self.table

    def _is_usable_on(self, device: torch.device) -> bool:
        """Whether the table is of use on `device`: a fully sharded module moves the buffer without a word."""
        return self.table.dtype == self._like.dtype and self.table.device == device

    def _made(self, seq_len: int, dtype: torch.dtype, device: torch.device, start: int = 0) -> Tensor:
        return table(seq_len, self.d_model, **self._conventions(), start=start, dtype=dtype, device=device)

    def _conventions(self) -> dict[str, Any]:
        return {"base": self.base, "layout": self.layout, "ladder": self.ladder}


def graph_outlives_table() -> bool:
    """Whether the graph that is made now must not lean on the table: it outlives the module."""
    # torch 2.9 says of every graph that it is exported: its graphs compute the rows, which are the same
    return torch.compiler.is_exporting() or tracing()
