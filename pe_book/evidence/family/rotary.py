"""Decides what the chapter on rotary position says: what follows from turning, and what does not."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.verdict import Verdict
from pe_book.family.rotary import rotate, rotate_back
from pe_book.inputs.checking import Layout, real_array
from pe_book.sinusoidal.formula import frequencies
from pe_book.why.order_blindness import attention, attention_weights

Array = NDArray[np.float64]
Turn = Callable[[Array, ArrayLike], Array]
MOVED = 1000


def scores_of(q: ArrayLike, k: ArrayLike, distances: ArrayLike) -> Array:
    """The score of a query at each distance behind a key at position 0, undivided.

    >>> scores_of([1, 0], [1, 0], [0, 1]).round(3)
    array([1.  , 0.54])
    """
    return np.asarray(rotate(q, distances) @ np.asarray(k, dtype=np.float64))


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
    rows = np.asarray(x, dtype=np.float64)
    shape = np.broadcast_shapes(rows.shape[:-1], np.shape(positions))
    return np.broadcast_to(rows, (*shape, rows.shape[-1]))


def spread_stays(pairs: int, distance: float, *, mean: float = 0, turn: Turn = rotate) -> Verdict:
    """Whether scores of random rows spread as far at a distance as at none; for normal rows with this mean.

    The ratio of two mean squares of scores is near one. Five of its standard deviations are left to chance.
    """
    q, k = mean + np.random.default_rng(0).normal(size=(2, pairs, 128))
    near, far = (np.einsum("nd,nd->n", turn(q, [m]), k) for m in (0, distance))
    ratio = float((far**2).mean() / (near**2).mean())
    room = 5 * np.sqrt(4 / pairs)  # a mean square of normal numbers is off by the root of 2 / pairs
    return Verdict(abs(np.log(ratio)) < room, {"pairs": pairs, "mean square, far over near": ratio})


def gained(gains: ArrayLike) -> Turn:
    """Rows that are turned, and then multiplied column by column, as by a norm with these gains.

    >>> gained([1, 2])(np.ones(2), 0)
    array([1., 2.])
    """
    return lambda x, positions: rotate(x, positions) * np.asarray(gains)


def gain_within_pairs_decides(draws: int) -> Verdict:
    """Whether gains keep scores relative where they are equal in each pair, and not once one pair differs."""
    rng = np.random.default_rng(0)
    kept, broken = 0, 0
    for _ in range(draws):
        q, k = rng.normal(size=(2, 8))
        equal = np.repeat(rng.uniform(0.5, 2, 4), 2)
        unequal = equal.copy()
        unequal[rng.integers(8)] *= 1.5
        kept += bool(relative(q, k, turn=gained(equal)))
        broken += not relative(q, k, turn=gained(unequal))
    return Verdict(kept == broken == draws, {"draws": draws, "equal, kept": kept, "unequal, broken": broken})


def normed(x: ArrayLike, positions: ArrayLike, *, centred: bool) -> Array:
    """Rows that are turned, and then divided by their length; first their mean is subtracted, or it is not.

    >>> normed([3.0, 4.0], 0, centred=False).tolist(), normed([3.0, 1.0], 0, centred=True).round(3).tolist()
    ([0.6, 0.8], [0.707, -0.707])
    """
    rows = rotate(x, positions)
    rows = rows - rows.mean(axis=-1, keepdims=True) if centred else rows
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True))


def only_a_mean_breaks_it(draws: int) -> Verdict:
    """Whether a norm without gains keeps scores relative if it subtracts no mean, and not if it does."""
    pairs = np.random.default_rng(0).normal(size=(draws, 2, 8))
    kept = sum(bool(relative(q, k, turn=partial(normed, centred=False))) for q, k in pairs)
    broken = sum(not relative(q, k, turn=partial(normed, centred=True)) for q, k in pairs)
    counts = {"draws": draws, "no mean, kept": kept, "mean subtracted, broken": broken}
    return Verdict(kept == broken == draws, counts)


def still_part(d: int, rotary_dim: int, most: int) -> Verdict:
    """Whether still columns add one number to a score at every distance up to `most`, and turned ones not."""
    rows = rotate(np.ones(d), np.arange(most + 1), rotary_dim=rotary_dim)
    still, turned = rows[:, rotary_dim:].sum(axis=1), rows[:, :rotary_dim].sum(axis=1)
    ranges = {"still": float(np.ptp(still)), "turned": float(np.ptp(turned))}
    return Verdict(ranges["still"] == 0 and ranges["turned"] > 1, ranges)


def one_hand_repeats(d: int, most: int, *, ladder: ArrayLike | None = None) -> Verdict:
    """Whether the fastest pair comes back to its best, the slowest keeps it, and the head does neither.

    Scores of equal hands at every distance up to `most`, as shares of the best.
    """
    omega = frequencies(d) if ladder is None else np.asarray(ladder)
    cosines = np.cos(np.outer(omega, np.arange(1, most + 1)))
    again, steady = float(cosines[0].max()), float(cosines[-1].min())
    away = float(cosines.mean(axis=0).max())
    distances = {"fastest at best": again, "slowest at least": steady, "head at best": away}
    return Verdict(again > 0.999 and steady > 0.999 > 0.99 > away, distances)


def relative(q: ArrayLike, k: ArrayLike, *, turn: Turn = rotate, moved: float = MOVED) -> Verdict:
    """Whether the score of two rows stays where both move on, at several distances."""
    places = np.arange(0, 50, 7)
    rows_q, rows_k = real_array(q, "q"), real_array(k, "k")
    here = turn(rows_q, places) @ turn(rows_k, [3]).T
    there = turn(rows_q, places + moved) @ turn(rows_k, [3 + moved]).T
    worst = float(np.abs(here - there).max())
    return Verdict(worst < 1e-9 * float(np.abs(here).max()), {"moved by": moved, "largest change": worst})


def tabled(layout: Layout, table: Layout) -> Turn:
    """Rows whose pairs are those of one layout, turned by a table written out for this or the other one.

    >>> tabled("halves", "halves")([1, 0, 0, 0], 1).round(3), tabled("halves", "interleaved")([0, 1, 0, 0], 0)
    (array([0.54 , 0.   , 0.841, 0.   ]), array([0., 1., 0., 0.]))
    """

    def turned(x: ArrayLike, positions: ArrayLike) -> Array:
        rows = real_array(x, "x")
        omega = frequencies(rows.shape[-1])
        spread = np.repeat(omega, 2) if table == "interleaved" else np.tile(omega, 2)
        angles = real_array(positions, "positions")[..., np.newaxis] * spread
        across = rotate(rows, 1, layout=layout, frequencies=np.full(omega.size, np.pi / 2))
        return np.asarray(rows * np.cos(angles) + across * np.sin(angles))

    return turned


def needs_its_own_table(q: ArrayLike, k: ArrayLike) -> Verdict:
    """Whether either pairing keeps scores relative with its own table of angles, and not with the other."""
    layouts: tuple[Layout, Layout] = ("interleaved", "halves")
    kept = {(a, b): bool(relative(q, k, turn=tabled(a, b))) for a in layouts for b in layouts}
    told = {f"pairs {a}, table {b}": value for (a, b), value in kept.items()}
    return Verdict(all(value == (a == b) for (a, b), value in kept.items()), told)


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
