"""Decides what the chapter on rotary position says: what follows from turning, and what does not."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.verdict import Verdict
from pe_book.family.rotary import rotate, rotate_back
from pe_book.inputs.checking import real_array
from pe_book.why.order_blindness import attention, attention_weights

Array = NDArray[np.float64]
Turn = Callable[[Array, ArrayLike], Array]
MOVED = 1000


def scores_of(q: ArrayLike, k: ArrayLike, distances: ArrayLike, *, turn: Turn = rotate) -> Array:
    """The score of a query at each distance behind a key at position 0, undivided.

    >>> scores_of([1, 0], [1, 0], [0, 1]).round(3)
    array([1.  , 0.54])
    """
    return np.asarray(turn(real_array(q, "q"), distances) @ real_array(k, "k"))


def share_rising(scores: ArrayLike) -> float:
    """The share of steps to the next distance in which a score goes up.

    >>> share_rising([3, 2, 4])
    0.5
    """
    return float((np.diff(real_array(scores, "scores")) > 0).mean())


def unturned(x: ArrayLike, positions: ArrayLike) -> Array:
    """Rows at positions that nothing tells of: what the mask does by itself.

    >>> unturned([1, 2], [0, 1])
    array([[1., 2.],
           [1., 2.]])
    """
    rows = real_array(x, "x")
    shape = np.broadcast_shapes(rows.shape[:-1], np.shape(positions))
    return np.broadcast_to(rows, (*shape, rows.shape[-1]))


def gained(x: ArrayLike, positions: ArrayLike) -> Array:
    """Rows that are turned, and then multiplied column by column, as by a norm with a gain.

    >>> gained([1, 1], 0)
    array([1., 2.])
    """
    turned = rotate(x, positions)
    return turned * np.arange(1, turned.shape[-1] + 1)


def as_large_far_away(pairs: int, distance: float, *, d: int = 128, turn: Turn = rotate) -> Verdict:
    """Whether scores of random queries and keys are as often larger, in size, far away as near.

    Five standard deviations of a fair coin are left to chance.
    """
    q, k = np.random.default_rng(0).normal(size=(2, pairs, d))
    near, far = (np.einsum("nd,nd->n", turn(q, [m]), k) for m in (0, distance))
    share = float((np.abs(far) > np.abs(near)).mean())
    return Verdict(abs(share - 0.5) < 2.5 / np.sqrt(pairs), {"pairs": pairs, "larger far away": share})


def relative(q: ArrayLike, k: ArrayLike, *, turn: Turn = rotate, moved: float = MOVED) -> Verdict:
    """Whether the score of two rows stays where both move on, at several distances."""
    places = np.arange(0, 50, 7)
    rows_q, rows_k = real_array(q, "q"), real_array(k, "k")
    here = turn(rows_q, places) @ turn(rows_k, [3]).T
    there = turn(rows_q, places + moved) @ turn(rows_k, [3 + moved]).T
    worst = float(np.abs(here - there).max())
    return Verdict(worst < 1e-9 * float(np.abs(here).max()), {"moved by": moved, "largest change": worst})


def marked(words: int, *, start: bool = True, turn: Turn = rotate) -> Verdict:
    """Whether equal words under a causal mask get outputs that all differ, behind a start token or not."""
    rows = np.tile([1.0, 0.5, -0.5, 1.0], (words + start, 1))
    if start:
        rows[0] = [-1.0, 1.0, 1.0, 0.0]
    turned = turn(rows, np.arange(len(rows)))
    outputs = (attention_weights(turned, turned, causal=True) @ rows)[int(start) :]
    apart = min(float(np.abs(a - b).max()) for i, a in enumerate(outputs) for b in outputs[i + 1 :])
    return Verdict(apart > 1e-6, {"words": words, "two outputs differ by at least": apart})


def keys_as_values(words: int, *, turn: Turn = rotate) -> Verdict:
    """Whether equal words get unequal outputs if the turned keys are the values, and equal ones if not."""
    outputs, plain = _with_values(words, 0, turn)
    apart = float(np.abs(outputs - outputs[0]).max())
    same = float(np.abs(plain - plain[0]).max())
    return Verdict(apart > 1e-3 and same < 1e-12, {"turned values": apart, "plain values": same})


def turned_back(words: int, *, moved: int = MOVED, turn: Turn = rotate, back: Turn = rotate_back) -> Verdict:
    """Whether outputs over turned values stay where the text moves on, once they are turned back."""
    (here, _), (there, _) = (_with_values(words, start, turn) for start in (0, moved))
    places = np.arange(words)
    before = float(np.abs(here - there).max())
    after = float(np.abs(back(here, places) - back(there, places + moved)).max())
    return Verdict(after < 1e-9 < 1e-3 < before, {"as they are": before, "turned back": after})


def _with_values(words: int, start: int, turn: Turn) -> tuple[Array, Array]:
    """Outputs of equal words over turned keys as values, and over values that are not turned."""
    rows = np.tile([1.0, 0.5, -0.5, 1.0], (words, 1))
    turned = turn(rows, np.arange(start, start + words))
    return attention(turned, turned, turned), attention(turned, turned, rows)
