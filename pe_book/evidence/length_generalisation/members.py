"""The positional encodings of the study, each as the place where it enters a decoder: modules of ``pe.nn``.

A member is trained in one way and tested in several: ``"as trained"``, and those that its class lists, such
as a window at test time or the frequencies of a longer context.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

import pe_book as pe

PLAIN = "as trained"


@dataclass(frozen=True)
class Shape:
    """Of a decoder: the length it is trained at, width, heads, layers, and how far it is tested."""

    length: int
    width: int
    heads: int
    layers: int
    times: int = 10

    @property
    def head(self) -> int:
        """Width of a head."""
        return self.width // self.heads


class Nothing(nn.Module):
    """No positional encoding: the causal mask alone."""

    ways: tuple[str, ...] = ("window",)
    fast: tuple[str, ...] = ()
    """Parameters of few numbers that scores need larger than others: trained at twenty times the rate."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape, self.way = shape, PLAIN

    def added(self, x: Tensor) -> Tensor:
        """Embeddings with what is added to them, shape (batch, n, width)."""
        return x

    def turned(self, q: Tensor, k: Tensor, layer: int) -> tuple[Tensor, Tensor]:
        """Queries and keys, shape (batch, heads, n, head)."""
        return q, k

    def bias(self, n: int) -> Tensor:
        """What is added to scores, masked: shape (1 or heads, n, n)."""
        return self.mask(n)

    def mask(self, n: int) -> Tensor:
        """Zero where a word sees another and -inf elsewhere, shape (1, n, n)."""
        window = self.shape.length if self.way == "window" else n
        seen = pe.nn.window_mask(range(n), range(n), window=window)
        return torch.zeros(n, n).masked_fill(~seen, -torch.inf)[None]

    def attended(self, q: Tensor, k: Tensor, v: Tensor, bias: Tensor, layer: int) -> Tensor:
        """What attention reads, shape (batch, heads, n, head)."""
        return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)


class Sinusoidal(Nothing):
    """The table of 2017, added to embeddings of unit variance."""

    ways: tuple[str, ...] = ("window", "interpolated", "moved")
    shifted = False

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self.encoding = pe.nn.SinusoidalEncoding(shape.width, max_len=shape.times * shape.length, dropout=0)

    def added(self, x: Tensor) -> Tensor:
        """With the rows of the positions; moved, from the first that was not trained on."""
        n = x.shape[1]
        if self.way == "moved":
            moved: Tensor = self.encoding(x, start=self.shape.length)
            return moved
        if self.way == "interpolated" and n > self.shape.length:
            places = torch.arange(n) * (self.shape.length / n)
            return x + pe.nn.encode(places, self.shape.width).float()
        first = 0
        if self.training and self.shifted:
            first = int(torch.randint((self.shape.times - 1) * self.shape.length + 1, ()))
        out: Tensor = self.encoding(x, start=first)
        return out


class SinusoidalShifted(Sinusoidal):
    """The same, where each training step begins its texts at a position drawn from all that are tested."""

    ways = ("window",)
    shifted = True


class SinusoidalTenth(Nothing):
    """The same rows, each number a tenth."""

    ways = ()

    def added(self, x: Tensor) -> Tensor:
        """With a tenth of the rows of the positions."""
        rows = pe.nn.encode(torch.arange(x.shape[1]), self.shape.width)
        return x + 0.1 * rows.float()


class SinusoidalAppended(Nothing):
    """Rows of half the width in the place of half of the columns, added to nothing."""

    ways = ()

    def added(self, x: Tensor) -> Tensor:
        """Half the columns of the words, and rows beside them."""
        half = self.shape.width // 2
        rows = pe.nn.encode(torch.arange(x.shape[1]), half).float()
        return torch.cat([x[..., :half], rows.expand(len(x), -1, -1)], dim=-1)


class Learned(Nothing):
    """A trained row for each position of the trained length."""

    ways = ("wrap", "interpolate")

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self.encoding = pe.nn.LearnedEncoding(
            shape.width, max_len=shape.length, beyond="clamp", dropout=0, std=0.7
        )

    def added(self, x: Tensor) -> Tensor:
        """With the row of each position; past the end, by the way that is tested."""
        self.encoding.beyond = "clamp" if self.way == PLAIN else self.way
        out: Tensor = self.encoding(x)
        return out


class Shaw(Nothing):
    """Vectors for offsets up to 16 on keys and on values, of its own in each layer."""

    ways = ()

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self.vectors = nn.ModuleList(pe.nn.RelativeVectors(shape.head, clip=16) for _ in range(shape.layers))

    def attended(self, q: Tensor, k: Tensor, v: Tensor, bias: Tensor, layer: int) -> Tensor:
        """With vectors on keys and values."""
        places = range(q.shape[-2])
        out: Tensor = self.vectors[layer](q, k, v, places, places, bias=bias)
        return out


class T5(Nothing):
    """A learned number for each of 32 buckets, up to the trained length, in each head."""

    ways = ()
    fast: tuple[str, ...] = ("score_bias",)

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self.score_bias = self.made(shape)

    def made(self, shape: Shape) -> nn.Module:
        """The module of the bias."""
        return pe.nn.T5Bias(shape.heads, bidirectional=False, max_distance=shape.length)

    def bias(self, n: int) -> Tensor:
        """The module's bias, masked."""
        out: Tensor = self.score_bias(n, causal=True)[0]
        return out


class T5AtOneRate(T5):
    """The same, where its numbers are trained at the rate of everything else."""

    fast = ()


class ALiBi(T5):
    """A slope for each head, fixed."""

    fast = ()

    def made(self, shape: Shape) -> nn.Module:
        """The module of the bias."""
        return pe.nn.ALiBiBias(shape.heads)


class KERPLE(T5):
    """A logarithm of the distance, with two learned numbers for each head."""

    def made(self, shape: Shape) -> nn.Module:
        """The module of the bias."""
        return pe.nn.KERPLEBias(shape.heads)


class Rotary(Nothing):
    """Queries and keys turned in all pairs of columns."""

    ways: tuple[str, ...] = ("window", "linear", "ntk", "yarn")
    still = 0
    """Of two layers, how many are left as they are."""

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self.encoding = self.at(shape.length)

    def at(self, n: int) -> nn.Module:
        """As trained, or with the frequencies for a text of n words."""
        trained, omega, factor = self.shape.length, pe.frequencies(self.shape.head), 1.0
        times = n / trained
        if times > 1 and self.way == "linear":
            omega, factor = pe.scale_frequencies(omega, method="linear", factor=times)
        if times > 1 and self.way == "ntk":
            omega, factor = pe.scale_frequencies(omega, method="ntk", factor=times)
        if times > 1 and self.way == "yarn":
            omega, factor = pe.scale_frequencies(omega, method="yarn", factor=times, original_len=trained)
        return pe.nn.RotaryEncoding(
            self.shape.head,
            layout="halves",
            heads_first=True,
            frequencies=omega,
            attention_factor=factor,
            max_len=self.shape.times * trained,
        )

    def bias(self, n: int) -> Tensor:
        """The mask; the turns for this length are made here."""
        self.encoding = self.at(n)  # modules of one setting share a table
        return self.mask(n)

    def turned(self, q: Tensor, k: Tensor, layer: int) -> tuple[Tensor, Tensor]:
        """Turned by their positions."""
        return (q, k) if self.still and layer % 2 else self.encoding(q, k)


class RotaryEverySecond(Rotary):
    """Rotary in every second layer; the others have the mask alone."""

    ways = ("window",)
    still = 1


class RotaryWindow(Rotary):
    """Rotary, where a word sees a quarter of the trained length, in training and later."""

    ways = ()

    def mask(self, n: int) -> Tensor:
        """As of every mask, in a window."""
        seen = pe.nn.window_mask(range(n), range(n), window=self.shape.length // 4)
        return torch.zeros(n, n).masked_fill(~seen, -torch.inf)[None]


MEMBERS: dict[str, type[Nothing]] = {
    "none": Nothing,
    "sinusoidal": Sinusoidal,
    "sinusoidal, shifted": SinusoidalShifted,
    "learned": Learned,
    "Shaw": Shaw,
    "T5": T5,
    "ALiBi": ALiBi,
    "KERPLE": KERPLE,
    "rotary": Rotary,
    "rotary, every second layer": RotaryEverySecond,
    "rotary, window": RotaryWindow,
    "sinusoidal, a tenth": SinusoidalTenth,
    "sinusoidal, appended": SinusoidalAppended,
    "T5, one rate": T5AtOneRate,
}


def member(name: str) -> type[Nothing]:
    """A member by its name.

    >>> member("sinus")
    Traceback (most recent call last):
        ...
    ValueError: member must be one of none, sinusoidal, …, T5, one rate, got 'sinus'
    """
    if name not in MEMBERS:
        known = list(MEMBERS)
        raise ValueError(f"member must be one of {known[0]}, {known[1]}, …, {known[-1]}, got {name!r}")
    return MEMBERS[name]
