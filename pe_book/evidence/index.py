"""What the front page decides: which numbers of which word change when the words change places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.verdict import Verdict
from pe_book.sinusoidal.formula import encode
from pe_book.why.layers import power_of_two_layer
from pe_book.why.order_blindness import self_attention

Vector = tuple[int, ...]


def outputs(
    order: str, vectors: Mapping[str, Vector], *, places: bool = False, causal: bool = False, layers: int = 1
) -> NDArray[np.float64]:
    """What attention returns for each word of a sentence, in the order of the sentence, of shape (n, d).

    The words are separated by spaces, and each has a vector, all of one even width d. With `places` the
    sinusoidal encoding of its position is added to each word first; `causal`, each word sees itself and the
    words before it alone. The same layer is applied so many times.

    >>> outputs("a b", {"a": (1, 0), "b": (0, 1)}).round(2)
    array([[0.67, 0.33],
           [0.33, 0.67]])
    """
    rows = np.array([vectors[word] for word in order.split()], dtype=np.float64)
    if places:
        rows = rows + encode(range(len(rows)), rows.shape[1])
    for _ in range(layers):
        rows = self_attention(rows, *power_of_two_layer(rows.shape[1]), causal=causal)
    return rows


def by_word(
    order: str, vectors: Mapping[str, Vector], *, places: bool = False
) -> dict[str, NDArray[np.float64]]:
    """The :func:`outputs` of a sentence by word, each of shape (d,), in the order of the sentence.

    >>> by_word("a b", {"a": (1, 0), "b": (0, 1)})["b"].round(2)
    array([0.33, 0.67])
    """
    return dict(zip(order.split(), outputs(order, vectors, places=places), strict=True))


def no_word_changes(
    one: Mapping[str, ArrayLike], other: Mapping[str, ArrayLike], *, within: float = 1e-12
) -> Verdict:
    """Whether every word has the same numbers in both orders."""
    moved = _changes(one, other)
    return Verdict(max(moved.values()) < within, moved)


def every_word_changes(
    one: Mapping[str, ArrayLike], other: Mapping[str, ArrayLike], *, by: float = 0.1
) -> Verdict:
    """Whether every word has other numbers in the other order."""
    moved = _changes(one, other)
    return Verdict(min(moved.values()) > by, moved)


def wrong_entries(slipped: ArrayLike, position: int) -> Sequence[int]:
    """The dimensions in which a row, to three decimals, is not the encoding of its position.

    The row has shape (d,) and is interleaved, the position is in tokens.

    >>> wrong_entries(encode(1, 6), 1), wrong_entries(encode(1, 6, base=100), 1)
    ([], [2, 3, 4, 5])
    """
    row = np.asarray(slipped, dtype=np.float64)
    right = encode(position, row.size)
    return [c for c in range(row.size) if f"{row[c]:.3f}" != f"{right[c]:.3f}"]


def _changes(one: Mapping[str, ArrayLike], other: Mapping[str, ArrayLike]) -> dict[str, float]:
    return {word: float(np.abs(np.subtract(one[word], other[word])).max()) for word in one}
