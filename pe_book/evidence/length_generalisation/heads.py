"""What a head of a trained decoder looks at: its weights, and how much of its scores the offset explains."""

from __future__ import annotations

from typing import cast

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.length_generalisation.decoder import Block, Decoder
from pe_book.evidence.length_generalisation.members import PLAIN
from pe_book.evidence.length_generalisation.miniature import decoder, run_of
from pe_book.evidence.length_generalisation.tasks import BACK, TASKS
from pe_book.nn.trial.training import one_thread

Array = NDArray[np.float64]
NEAR = 16  # offsets from 1 on over which scores are compared: at 0 a word meets itself
TEXTS = 64


def weights_of(made: Decoder, words: torch.Tensor, layer: int = 0) -> torch.Tensor:
    """The attention of one layer for token ids of shape (batch, n): shape (batch, heads, n, n).

    What attention reads from the rows of a unit matrix are its weights, whatever is done to its scores.
    """
    b, n = words.shape
    positions = made.positions
    with torch.no_grad():
        x = positions.added(made.words(words) * made.shape.width**0.5)
        bias = positions.bias(n)
        for number, block in enumerate(made.blocks):
            if number == layer:
                break
            x = block(x, positions, bias, number)
        last = cast(Block, made.blocks[layer])
        split = last.inward(last.before(x)).view(b, n, 3, last.heads, -1)
        q, k, _ = split.permute(2, 0, 3, 1, 4)
        q, k = positions.turned(q, k, layer)
        head = q.shape[-1]
        unit = torch.split(torch.eye(n), head, dim=1)
        parts = []
        for part in unit:
            v = torch.nn.functional.pad(part, (0, head - part.shape[1])).expand(*q.shape[:2], n, head)
            nothing = torch.zeros_like(v)
            own = positions.attended(q, k, nothing, bias, layer)  # what vectors on values add
            parts.append((positions.attended(q, k, v, bias, layer) - own)[..., : part.shape[1]])
    return torch.cat(parts, dim=-1)


def texts(length: int, many: int = TEXTS, seed: int = 7) -> torch.Tensor:
    """Texts that nobody was trained on."""
    words, _ = TASKS["back"].draw(np.random.default_rng([2**31, seed]), many, length)
    return torch.from_numpy(words)


def trained_weights(member: str, times: int = 1, way: str = PLAIN, seed: int = 0) -> Array:
    """The mean attention of the trained head over many texts, shape (n, n)."""
    return _mean(decoder(member, seed), times, way)


def untrained_weights(member: str, seed: int = 0) -> Array:
    """The same before the first step."""
    return _mean(_untrained(member, seed), 1, PLAIN)


def _untrained(member: str, seed: int) -> Decoder:
    torch.manual_seed(seed)
    return Decoder(member, TASKS["back"].vocabulary, run_of(member, seed).shape).eval()


def _mean(made: Decoder, times: int, way: str) -> Array:
    made.positions.way = way
    with one_thread():
        found = weights_of(made, texts(times * made.shape.length))
    made.positions.way = PLAIN
    return np.asarray(found.mean(dim=(0, 1)).double().numpy())


def on_target(weights: Array, first: int = BACK, last: int | None = None) -> float:
    """The mean weight of the word asked for, of queries from `first` on and before `last`."""
    queries = np.arange(max(first, BACK), last or len(weights))
    return float(weights[queries, queries - BACK].mean())


def scores(member: str, times: int = 1, seed: int = 0, *, trained: bool = True) -> Array:
    """Logarithms of weights, averaged over texts: scores but for a number that all keys of a query share."""
    made = decoder(member, seed) if trained else _untrained(member, seed)
    with one_thread():
        found = weights_of(made, texts(times * made.shape.length)).clamp_min(1e-30).log()
    return np.asarray(found.mean(dim=(0, 1)).double().numpy())


def near(table: Array, first: int, last: int) -> Array:
    """Scores of queries from `first` on and before `last`, by offset back from 1 to 16, less their mean."""
    queries = np.arange(first, last)[:, None]
    rows: Array = table[queries, queries - np.arange(1, NEAR + 1)]
    return np.asarray(rows - rows.mean(axis=1, keepdims=True))


def spread(table: Array, first: int, last: int) -> float:
    """How far near scores of one query lie apart, as their standard deviation in points."""
    return float(near(table, first, last).std())


def explained(table: Array, first: int, last: int) -> float:
    """The share of the variance of near scores that the offset alone explains, R²."""
    return share_explained(near(table, first, last))


def share_explained(rows: ArrayLike) -> float:
    """Of scores of shape (queries, offsets), the share of their squares that means over queries explain.

    >>> share_explained([[2, 0, -2], [0, 0, 0]])
    0.5
    """
    whole = np.asarray(rows, dtype=float)
    left = whole - whole.mean(axis=0)
    return float(1 - (left**2).sum() / (whole**2).sum())
