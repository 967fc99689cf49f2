"""The classes that go wrong in the chapter on production, as it prints them, for the how-to on tests."""

from typing import Any

import torch
from torch import Tensor, nn


class Classic(nn.Module):
    """The class that everybody has met: a table in a buffer, one addition, one dropout."""

    rows: Tensor

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.1) -> None:
        super().__init__()
        ladder = 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)
        angle = torch.arange(max_len)[:, None] * ladder
        rows = torch.empty(max_len, d_model)
        rows[:, 0::2] = angle.sin()
        rows[:, 1::2] = angle.cos()
        self.register_buffer("rows", rows[None])
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Any:
        """The sums of words and rows, (b, n, d), from position 0 on."""
        return self.drop(x + self.rows[:, : x.size(1)])


class Plain(Classic):
    """Its table is an attribute, which no cast of the module reaches."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.1) -> None:
        super().__init__(d_model, max_len, dropout)
        rows = self.rows
        del self.rows
        self.rows = rows


class Early(Classic):
    """Drops out the rows before the sum, and no words."""

    def forward(self, x: Tensor) -> Any:
        """The sums of words and dropped rows, (b, n, d)."""
        return x + self.drop(self.rows[:, : x.size(1)])


class Unsaved(Classic):
    """Leaves its table out of the checkpoint, and nobody makes it again."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.1) -> None:
        super().__init__(d_model, max_len, dropout)
        rows = self.rows
        del self.rows
        self.register_buffer("rows", rows, persistent=False)


class Angles(nn.Module):
    """Forms angles on the fly, in the format of its frequencies."""

    omega: Tensor

    def __init__(self, d_model: int, max_len: int | None = None, dropout: float = 0.1) -> None:
        super().__init__()
        ladder = 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)
        self.register_buffer("omega", ladder)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Any:
        """The sums of words and rows, (b, n, d), from position 0 on."""
        p = torch.arange(x.size(1), dtype=self.omega.dtype)
        angle = p[:, None] * self.omega
        pairs = torch.stack([angle.sin(), angle.cos()], -1)
        return self.drop(x + pairs.flatten(-2))


class Window:
    """What a cache still holds: the first two tokens and the latest four."""

    kept: list[int]

    def __init__(self) -> None:
        self.kept, self.seen = [], 0

    def add(self) -> None:
        """The next token comes."""
        self.kept.append(self.seen)
        self.seen += 1
        self.kept = self.kept[:2] + self.kept[2:][-4:]

    def take_back(self, n: int) -> None:
        """A draft of n tokens was rejected."""
        self.seen -= n
        self.kept = [p for p in self.kept if p < self.seen]
