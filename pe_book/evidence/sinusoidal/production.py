"""Decides what the chapter on production says of classes, batches and caches."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from pe_book.evidence.outcome import PASSED, outcome
from pe_book.evidence.verdict import Verdict
from pe_book.family.rotary import rotate
from pe_book.nn.trial.decoder import MISTAKES, Decoder
from pe_book.numerics.rounding import round_to
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.shift import shift
from pe_book.why.order_blindness import attention

Array = NDArray[np.float64]

LISTINGS = {
    "class Model(nn.Module): ...": ("import torch", "NameError"),
    "✓ Use a buffer": ("import torch", "SyntaxError"),
    "nn.Embedding(max_seq_len=512, d_model=512)": ("from torch import nn", "TypeError"),
    "torch.register_buffer": ("import torch", "AttributeError"),
}
"""Lines that go around in notes, each with the import before it and the error at which Python stops."""


def listings_stop(listings: Mapping[str, tuple[str, str]] = LISTINGS) -> Verdict:
    """Whether each of some lines of code stops, after its import, with the error named for it."""
    said = {}
    for line, (imports, _) in listings.items():
        namespace: dict[str, object] = {}
        exec(imports, namespace)
        said[line] = outcome(exec, line, namespace)
    return Verdict(all(said[line] == f"`{error}`" for line, (_, error) in listings.items()), said)


def error_of(rows: Tensor | ArrayLike, *, start: int = 0) -> float:
    """The largest distance of an entry from the encoding of its position, which is `start` in the first row.

    It is infinite if an entry is NaN.

    >>> error_of(encode(range(3, 5), 8), start=3), error_of(encode(range(3, 5), 8)) > 0.5
    (0.0, True)
    """
    found = rows.detach().double().numpy() if isinstance(rows, Tensor) else np.asarray(rows)
    off = np.abs(found - encode(np.arange(start, start + len(found)), found.shape[1]))
    return float(np.nan_to_num(off, nan=np.inf).max())


def scores_stay(here: tuple[float, Sequence[float]], there: tuple[float, Sequence[float]]) -> Verdict:
    """Whether a turned query scores its turned keys alike from two sets of places: its own, then theirs."""
    rng = np.random.default_rng(0)
    query, keys = rng.normal(size=16), rng.normal(size=(len(here[1]), 16))
    scores = [rotate(keys, places) @ rotate(query, place) for place, places in (here, there)]
    change = float(np.abs(scores[0] - scores[1]).max())
    return Verdict(change < 1e-12 * len(query), {"largest change": change})


def stamped_by_size(kept: Sequence[int], more: int, *, first: int = 2) -> list[int]:
    """The positions that the cached keys carry after `more` tokens that each got the size of the cache.

    Before, they carry the positions `kept`. Each token pushes out the oldest key but the first ones.

    >>> stamped_by_size([0, 1, 8, 9], 3)
    [0, 1, 4, 4]
    """
    stamps = list(kept)
    for _ in range(more):
        stamps = [*stamps[:first], *stamps[first + 1 :], len(stamps)]
    return stamps


def moved_by_packing(positions: ArrayLike, *, cut: bool, rotary: bool = False, seed: int = 0) -> float:
    """By what part of its norm the last output of the second of two packed sentences moves.

    Sentences of 3 and 2 words share a row of one attention head of width 16 with random weights, and
    `positions` has one for each of the five. The output for the last word is compared with what that word
    gets where its sentence stands alone. Where `cut`, the mask hides the first sentence from the second;
    where `rotary`, queries and keys are turned by the positions, instead of rows added to the words.

    >>> moved_by_packing([0, 1, 2, 0, 1], cut=True) < 1e-12
    True
    """
    rng = np.random.default_rng(seed)
    words, weights = rng.normal(size=(5, 16)), rng.normal(size=(3, 16, 16)) / 4

    def last(words: Array, places: NDArray[np.float64], hidden: NDArray[np.bool_]) -> Array:
        x = words if rotary else words + encode(places, 16)
        q, k, v = (x @ w for w in weights)
        if rotary:
            q, k = (np.stack([shift(row, p) for row, p in zip(rows, places, strict=True)]) for rows in (q, k))
        return np.asarray(attention(q, k, v, bias=np.where(hidden, -np.inf, 0.0))[-1])

    alone = last(words[3:], np.arange(2.0), np.zeros(2, dtype=bool))
    packed = last(words, np.asarray(positions, dtype=np.float64), (np.arange(5) < 3) & cut)
    return float(np.linalg.norm(packed - alone) / np.linalg.norm(alone))


def rounded_wrongly(rows: Tensor, true: Array) -> int:
    """How many entries of a tensor in float16 or bfloat16 are not the numbers nearest to the true ones.

    >>> true = np.array([1 + 2.0**-8 + 2.0**-30])
    >>> rounded_wrongly(torch.from_numpy(true).to(torch.bfloat16), true)
    1
    """
    return int((rows.double().numpy() != round_to(true, str(rows.dtype).removeprefix("torch."))).sum())


def differ(pairs: Sequence[tuple[Tensor, Tensor]]) -> float:
    """The largest difference between the two tensors of any pair; infinite for NaN or two shapes.

    >>> differ([(torch.zeros(2), torch.ones(2))]), differ([(torch.zeros(2), torch.zeros(3))])
    (1.0, inf)
    """
    if any(one.shape != other.shape for one, other in pairs):
        return float("inf")
    gaps = ((one - other).detach().abs().nan_to_num(nan=torch.inf) for one, other in pairs)
    return max(float(gap.max()) for gap in gaps)


def one_test_is_complete(results: Mapping[str, Mapping[str, str]], name: str) -> Verdict:
    """Whether one class, and no other, passes every check.

    `results` holds, by class, then by check, what :func:`outcome` said.
    """
    missed = {made: sum(said != PASSED for said in found.values()) for made, found in results.items()}
    return Verdict([made for made, count in missed.items() if not count] == [name], missed)


def catches(test: Callable[[Any, Array, Array], bool]) -> Verdict:
    """Whether a test passes the decoder without a mistake and fails it with any of :data:`MISTAKES`.

    It is called as ``test(model, x, other)``, with the words of two sentences, (1, 3, 16) and (1, 5, 16).
    """
    rng = np.random.default_rng(1)
    x, other = rng.normal(size=(1, 3, 16)), rng.normal(size=(1, 5, 16))
    right = bool(test(Decoder(), x, other))
    said = {name: bool(test(Decoder(**how), x, other)) for name, (_, how) in MISTAKES.items()}
    return Verdict(right and not any(said.values()), {"right": right, **said})
