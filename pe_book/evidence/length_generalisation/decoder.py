"""A pre-LN decoder whose positional encoding is exchanged and nothing else."""

from __future__ import annotations

import math

from torch import Tensor, nn

from pe_book.evidence.length_generalisation.members import Nothing, Shape, member


class Block(nn.Module):
    """Attention and two layers of four times the width, each behind a norm and added to what came in."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        d = shape.width
        self.heads = shape.heads
        self.before, self.between = nn.LayerNorm(d), nn.LayerNorm(d)
        self.inward, self.outward = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x: Tensor, positions: Nothing, bias: Tensor, layer: int) -> Tensor:
        """One layer, shape (batch, n, width) in and out."""
        b, n, d = x.shape
        split = self.inward(self.before(x)).view(b, n, 3, self.heads, d // self.heads)
        q, k, v = split.permute(2, 0, 3, 1, 4)  # (batch, heads, n, head)
        q, k = positions.turned(q, k, layer)
        read = positions.attended(q, k, v, bias, layer).transpose(1, 2).reshape(b, n, d)
        x = x + self.outward(read)
        out: Tensor = x + self.down(nn.functional.gelu(self.up(self.between(x))))
        return out


class Decoder(nn.Module):
    """Token ids in, a score for each word of the vocabulary out."""

    def __init__(self, name: str, vocabulary: int, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        # drawn first and in one order, so that members of one seed begin with the same matrices
        self.words = nn.Embedding(vocabulary, shape.width)
        nn.init.normal_(self.words.weight, std=shape.width**-0.5)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.last, self.named = nn.LayerNorm(shape.width), nn.Linear(shape.width, vocabulary, bias=False)
        self.positions = member(name)(shape)

    def forward(self, words: Tensor) -> Tensor:
        """Scores, shape (batch, n, vocabulary), of token ids, shape (batch, n)."""
        x = self.positions.added(self.words(words) * math.sqrt(self.shape.width))
        bias = self.positions.bias(words.shape[1])
        for layer, block in enumerate(self.blocks):
            x = block(x, self.positions, bias, layer)
        scores: Tensor = self.named(self.last(x))
        return scores


def groups(decoder: Decoder, rate: float, decay: float) -> list[dict[str, object]]:
    """What is trained: matrices that decay, the rest, and a few numbers at twenty times the rate."""
    fast = tuple(f"positions.{one}." for one in decoder.positions.fast)
    named = list(decoder.named_parameters())
    quick = [p for name, p in named if name.startswith(fast)]
    taken = {id(p) for p in quick}
    matrices = [p for name, p in named if name.startswith("blocks.") and p.dim() > 1]
    taken |= {id(p) for p in matrices}
    rest = [p for _, p in named if id(p) not in taken]
    found = [
        {"params": matrices, "weight_decay": decay, "rate": rate},
        {"params": rest, "weight_decay": 0.0, "rate": rate},
        {"params": quick, "weight_decay": 0.0, "rate": 20 * rate},
    ]
    return [one for one in found if one["params"]]
