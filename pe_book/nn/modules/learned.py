"""A learned row for each position, and the four published answers to a position that has none."""

from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pe_book.family.learned import BEYOND, Beyond
from pe_book.inputs.checking import one_of, real_number, room_for, whole_number
from pe_book.nn.modules.added import AddedEncoding, on_one_device
from pe_book.nn.tensors import checked_device, checked_dtype, memory_on


class LearnedEncoding(AddedEncoding):
    r"""A trainable row for each position, added to embeddings: dropout(x + weight[position]).

    Parameters
    ----------
    d_model
        Width of the embeddings, at least 1; odd widths are no trouble here.
    max_len
        Number of rows, at least 1: the positions 0, …, max_len-1 have one. Changed in 0.1.0: given by name,
        so that it cannot be taken for the width; it came first.
    beyond
        What a position past the last row gets. ``"refuse"``: an error. ``"clamp"``: the last row. ``"wrap"``:
        the row of position mod max_len. ``"interpolate"``: the table is stretched by linear interpolation to
        the largest position asked for, ends aligned, and then *every* position gets a stretched row. In a
        padded batch this moves the rows of a short text because of a long one beside it, and with a cache of
        keys it makes the rows of new tokens disagree with those already in the cache.
    dropout
        Probability with which an entry of the sum is dropped in training.
    scale
        Whether to multiply `x` by √d_model.
    batch_first
        Whether a batch is (batch, seq, d_model) or (seq, batch, d_model).
    std
        Standard deviation of the normal distribution that the rows are drawn from, 0 or more.
    device, dtype
        Of `weight`; without them, torch's defaults. float32, float16, bfloat16 or float64.

    Attributes
    ----------
    weight : torch.nn.Parameter
        Shape (max_len, d_model).

    Raises
    ------
    ValueError
        If the rows ask for more memory than there is.

    Notes
    -----
    Positions on a device are not read back. With ``"refuse"`` one past the end then fails in torch's own
    lookup, which on a GPU stops the process; positions given on the CPU are refused by name.

    Examples
    --------
    >>> import pe_book as pe
    >>> add_positions = pe.nn.LearnedEncoding(6, max_len=16).eval()
    >>> add_positions(torch.zeros(2, 3, 6)).shape
    torch.Size([2, 3, 6])
    >>> add_positions.rows(positions=torch.tensor([[0, 0, 1], [0, 1, 2]])).shape
    torch.Size([2, 3, 6])
    >>> add_positions(torch.zeros(2, 3, 6), start=14)
    Traceback (most recent call last):
        ...
    ValueError: position 16 is past the last row, 15: max_len is 16; train more rows, or set beyond

    See Also
    --------
    pe_book.family.learned : the definitions, and where each answer comes from.
    """

    def __init__(
        self,
        d_model: int,
        *,
        max_len: int,
        beyond: Beyond = "refuse",
        dropout: float = 0.1,
        scale: bool = False,
        batch_first: bool = True,
        std: float = 0.02,
        device: torch.device | str | int | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        width = whole_number(d_model, "d_model", least=1)
        super().__init__(width, dropout=dropout, scale=scale, batch_first=batch_first)
        self.max_len = whole_number(max_len, "max_len", least=1)
        self.beyond = one_of(beyond, BEYOND, "beyond")
        self.std = real_number(std, "std")
        if self.std < 0:
            raise ValueError(f"std must be 0 or more, got {std!r}; 0.02 is the default")
        where = checked_device(device)
        number = torch.get_default_dtype() if dtype is None else dtype
        checked_dtype(number, where)
        room_for(self.max_len * width * number.itemsize, "max_len", max_len, most=memory_on(where))
        self.weight = nn.Parameter(torch.empty(self.max_len, width, device=where, dtype=number))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw every row anew: normal, mean 0, standard deviation `std`."""
        nn.init.normal_(self.weight, std=self.std)

    def extra_repr(self) -> str:
        """The arguments, for ``repr``."""
        return (
            f"{self.d_model}, max_len={self.max_len}, beyond={self.beyond!r}, scale={self.scale}, "
            f"batch_first={self.batch_first}, std={self.std:g}"
        )

    def _device(self) -> torch.device:
        return self.weight.device

    def _rows_from(self, start: int, seq_len: int, device: torch.device) -> Tensor:
        end = start + seq_len
        if self.beyond != "refuse":
            positions = torch.arange(start, end, device=device)
            last = end - 1 if seq_len and not torch.compiler.is_compiling() else None
            return self._looked_up(positions, last, device)
        on_one_device(self.weight.device, device)
        if end > self.max_len:
            raise ValueError(self._no_row(end - 1))
        return self.weight[start:end]

    def _rows_at(self, positions: Tensor, found: NDArray[Any] | None, device: torch.device) -> Tensor:
        return self._looked_up(
            positions, None if found is None or not found.size else int(found.max()), device
        )

    def _looked_up(self, positions: Tensor, highest: int | None, device: torch.device) -> Tensor:
        """The rows of any positions; the highest of them, where it is known."""
        on_one_device(self.weight.device, device)
        if self.beyond == "refuse":
            if highest is not None and highest >= self.max_len:
                raise ValueError(self._no_row(highest))
        elif self.beyond == "clamp":
            positions = positions.clamp(max=self.max_len - 1)
        elif self.beyond == "wrap":
            positions = positions.fmod(self.max_len)  # a negative position stays one, for embedding to refuse
        elif positions.numel():
            return self._stretched(positions, highest)
        return nn.functional.embedding(positions, self.weight)

    def _stretched(self, positions: Tensor, highest: int | None) -> Tensor:
        r"""Row p of the table stretched to the length n: p (max_len - 1) / (n - 1) in rows of `weight`."""
        rows = self.max_len
        if highest is not None and highest * (rows - 1) >= 2**63:
            raise ValueError(f"position {highest} is too far to stretch {rows} rows to")
        last = positions.max().clamp(min=max(rows - 1, 1))
        row_scaled = positions * (rows - 1)  # whole numbers until the weight is one division of them
        before = row_scaled // last
        after = (before + 1).clamp(max=rows - 1)
        weight = self.weight.float() if self.weight.element_size() < 4 else self.weight
        share = ((row_scaled - before * last).to(weight.dtype) / last).unsqueeze(-1)
        low, high = (nn.functional.embedding(row, weight) for row in (before, after))
        return torch.lerp(low, high, share).to(self.weight.dtype)

    def _no_row(self, position: int) -> str:
        reach = f"position {position} is past the last row, {self.max_len - 1}: max_len is {self.max_len}"
        return f"{reach}; train more rows, or set beyond"
