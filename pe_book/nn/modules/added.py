"""What the modules share: rows, one for each token, are added to the embeddings, and then dropout."""

import math
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pe_book.inputs.arrays import LARGEST_EXACT
from pe_book.inputs.checking import flag, real_number, room_for, whole_number
from pe_book.nn.tensors import (
    DTYPES,
    INTEGERS,
    described,
    is_tensor,
    memory_on,
    on_device,
    read,
    refuse_scripting,
    require_dense,
    send_without_waiting,
)


class AddedEncoding(nn.Module):
    """The step dropout(x · factor + rows), in which a subclass says what the rows are."""

    def __init__(self, d_model: int, *, dropout: float, scale: bool, batch_first: bool) -> None:
        super().__init__()
        if not 0 <= real_number(dropout, "dropout") <= 1:
            raise ValueError(f"dropout must be a probability from 0 to 1, got {dropout!r}")
        self.d_model = d_model
        self.scale, self.batch_first = flag(scale, "scale"), flag(batch_first, "batch_first")
        self.dropout = nn.Dropout(float(dropout))

    __prepare_scriptable__ = refuse_scripting  # what torch.jit.script calls first

    def forward(self, x: Tensor, *, start: int | Tensor = 0, positions: Tensor | None = None) -> Tensor:
        r"""The embeddings with their positions added: dropout(x + rows), with x · √d_model if `scale` is set.

        Parameters
        ----------
        x
            Embeddings: float32, float16, bfloat16 or float64. Shape (batch, seq, d_model) if the module is
            `batch_first`, else (seq, batch, d_model); or (seq, d_model), one sequence without a batch.
        start
            The position of the first token: with a cache of keys, the number of tokens before this call. A
            whole number, or a tensor that holds one. Refused where `x` has two axes and more than one row:
            those may be tokens of one sentence, or one new token of each of several. The first is written
            ``x[None]``, the second ``x[:, None]``.
        positions
            An integer tensor of shape (seq,), or (1, seq), for all sequences, or (batch, seq), in this order
            whatever `batch_first` is: for left padding and packed sequences. Takes the place of `start`.

        Returns
        -------
        Tensor
            The shape and dtype of `x`. The sum is formed in float32 or wider and rounded to that dtype last.

        Raises
        ------
        ValueError, TypeError
            If `x` or `positions` has another shape or dtype, a position is negative or above 2**53, both
            `start` and `positions` are given, or module and `x` are on different devices.

        Notes
        -----
        Values are looked at where that costs nothing: in a `start` that is a number, and in tensors on the
        CPU, `positions` for an `x` on a device included. Tensors on a device, in a compiled graph, a trace or
        under ``torch.vmap`` are never read back, so that no step waits for the device.
        """
        seq_len, first = self._sequence_length(x), checked_start(start)
        if positions is not None:
            self._fits(positions, x, seq_len)
        elif x.dim() == 2 and seq_len > 1 and (isinstance(first, Tensor) or first != 0):
            both = f"{seq_len} tokens of one sentence or one token of each of {seq_len}"
            got = described(first) if isinstance(first, Tensor) else first
            ways = "write x[None] for the first, x[:, None] for the second, or give positions"
            raise ValueError(
                f"start must be 0 for x of shape {tuple(x.shape)}, which may be {both}: got {got}; {ways}"
            )
        rows = self._rows(seq_len, first, positions, x.device)
        if x.dim() == 3 and not self.batch_first:
            rows = rows.unsqueeze(1) if rows.dim() == 2 else rows.transpose(0, 1)
        factor = math.sqrt(self.d_model) if self.scale else 1.0
        wide = x.float() if x.element_size() < 4 else x  # 16 bits would round factor, product and sum
        summed: Tensor = self.dropout(torch.add(rows, wide, alpha=factor).to(x.dtype))
        return summed

    def rows(
        self, seq_len: int | None = None, *, start: int | Tensor = 0, positions: Tensor | None = None
    ) -> Tensor:
        """The rows alone, for a model that adds them elsewhere: no scale, no sum, no dropout.

        Parameters
        ----------
        seq_len
            How many rows, from `start`. Left out where `positions` are given.
        start
            As for :meth:`forward`.
        positions
            An integer tensor of any shape, in the place of `seq_len` and `start`.

        Returns
        -------
        Tensor
            Shape (seq_len, d_model) or positions.shape + (d_model,), whatever `batch_first` is, in the dtype
            and on the device of the module. A new tensor: to write to it changes nothing in the module.
        """
        if (seq_len is None) == (positions is None):
            raise TypeError("rows takes seq_len or positions, one of the two; got both or neither")
        if positions is not None:
            check_whole(positions, "positions")
        elif not torch.compiler.is_compiling():
            seq_len = whole_number(seq_len, "seq_len", least=0, most=LARGEST_EXACT)
            room_for(4 * self.d_model * seq_len, "seq_len", seq_len, most=memory_on(self._device()))
        return self._rows(seq_len or 0, checked_start(start), positions, self._device()).clone()

    def _rows(
        self, seq_len: int, start: int | Tensor, positions: Tensor | None, device: torch.device
    ) -> Tensor:
        """The rows that `forward` and `rows` ask for, on a device, from arguments of the right shapes."""
        if positions is None:
            if isinstance(start, Tensor):
                consecutive = on_device(start, "start", device) + torch.arange(seq_len, device=device)
                return self._rows_at(consecutive, None, device)
            if not 0 <= start <= LARGEST_EXACT - seq_len:
                raise ValueError(f"start must be from 0 to 2**53 - {seq_len}, got {start}")
            return self._rows_from(start, seq_len, device)
        if isinstance(start, Tensor) or start != 0:
            raise ValueError(
                f"start and positions exclude each other, give one; got start={start} and positions"
            )
        found = read(positions)
        if found is None:
            return self._rows_at(on_device(positions, "positions", device).to(torch.int64), None, device)
        if found.size and int(found.min()) < 0:
            hint = "give padding any position from 0, and mask it"
            raise ValueError(f"positions must be 0 or more, got {int(found.min())}; {hint}")
        if found.size and int(found.max()) > LARGEST_EXACT:
            raise ValueError(
                f"positions must be at most 2**53, where float64 is exact, got {int(found.max())}"
            )
        return self._rows_at(send_without_waiting(positions.to(torch.int64), device), found, device)

    def _rows_from(self, start: int, seq_len: int, device: torch.device) -> Tensor:
        """The rows of consecutive positions, shape (seq_len, d_model)."""
        raise NotImplementedError

    def _rows_at(self, positions: Tensor, found: NDArray[Any] | None, device: torch.device) -> Tensor:
        """The rows of any positions, int64 and on `device`; their values again, where they could be read."""
        raise NotImplementedError

    def _device(self) -> torch.device:
        """Where the module is."""
        raise NotImplementedError

    def _sequence_length(self, x: Tensor) -> int:
        if not is_tensor(x) or x.dtype not in DTYPES:
            accepted = "a tensor of embeddings in float32, float16, bfloat16 or float64"
            hint = "; embed token ids first" if is_tensor(x) and x.dtype in INTEGERS else ""
            raise TypeError(f"x must be {accepted}, got {described(x)}{hint}")
        require_dense(x, "x")
        if x.dim() not in (2, 3) or x.shape[-1] != self.d_model:
            batch = "(batch, seq, d_model)" if self.batch_first else "(seq, batch, d_model)"
            wanted = (
                f"{batch} or (seq, d_model), with d_model={self.d_model} and batch_first={self.batch_first}"
            )
            other = "; move the axis of that length to the end" if self.d_model in x.shape[:-1] else ""
            raise ValueError(f"x must have shape {wanted}: got {tuple(x.shape)}{other}")
        return x.shape[-2 if self.batch_first else 0]

    def _fits(self, positions: Tensor, x: Tensor, seq_len: int) -> None:
        """Refuse positions that are not one for each token."""
        check_whole(positions, "positions")
        shape = tuple(positions.shape)
        wanted: list[tuple[int, ...]] = [(seq_len,)]
        if x.dim() == 3:
            wanted += [(x.shape[0 if self.batch_first else 1], seq_len), (1, seq_len)]
        if not any(shape == one for one in wanted):
            here = " or ".join(map(str, dict.fromkeys(wanted)))
            raise ValueError(
                f"positions must have shape (seq,), (batch, seq) or (1, seq), here {here}, got {shape}"
            )


def on_one_device(own: torch.device, other: torch.device) -> None:
    """Refuse embeddings on another device than the module's."""
    if own != other:
        raise ValueError(f"x is on {other}, the module on {own}; move one of them with .to(...)")


def check_whole(values: Tensor, name: str) -> None:
    """Refuse what is no dense tensor of integers."""
    if not is_tensor(values) or values.dtype not in INTEGERS:
        raise TypeError(f"{name} must be an integer tensor, got {described(values)}")
    require_dense(values, name)


def checked_start(start: int | Tensor) -> int | Tensor:
    """A `start` as a number, or as an int64 tensor without axes where it cannot be read."""
    if type(start) is int and 0 <= start <= LARGEST_EXACT:
        return start
    if isinstance(start, Tensor):
        check_whole(start, "start")
        if start.dim():
            each = "for a start of each sequence give positions=start[:, None] + torch.arange(seq)"
            raise ValueError(f"start must be one whole number, got shape {tuple(start.shape)}; {each}")
        found = read(start)
        if found is None:
            return start.to(torch.int64)
        start = int(found)
    if torch.compiler.is_compiling():
        return start
    return whole_number(start, "start", least=0, most=LARGEST_EXACT)
