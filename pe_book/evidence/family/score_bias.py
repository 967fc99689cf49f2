"""Decides what the chapter on score bias says: how far a head sees, and which forms of a bias are one."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.verdict import Verdict
from pe_book.family.score_bias import alibi_bias, alibi_key_bias
from pe_book.family.score_bias.kerple import kerple_bias
from pe_book.family.score_bias.t5 import t5_bias, t5_boundaries, t5_bucket, t5_last_bucket
from pe_book.inputs.checking import per_head, positive_number, whole_number
from pe_book.numerics.rounding import round_to
from pe_book.why.order_blindness import attention_weights

Array = NDArray[np.float64]
Bias = Callable[[ArrayLike, ArrayLike, ArrayLike], Array]
CAP = 50.0  # attn_logit_softcapping of Gemma 2


def from_the_first_key(slopes: ArrayLike, queries: ArrayLike, keys: ArrayLike) -> Array:
    """The slope times the position of the key, as BLOOM adds it, whatever the query.

    >>> from_the_first_key([0.5], [2], range(3))
    array([[[0. , 0.5, 1. ]]])
    """
    bias = alibi_key_bias(slopes, keys)
    return np.asarray(np.broadcast_to(bias - bias[..., :1], (len(bias), np.size(queries), np.size(keys))))


FORMS: dict[str, Bias] = {"distance": alibi_bias, "key": from_the_first_key}


def half_life(slopes: ArrayLike) -> Array:
    """After how many tokens the weight of a key has halved, at equal contents.

    >>> half_life([0.5, 0.0625]).round(2)
    array([ 1.39, 11.09])
    """
    return np.asarray(np.log(2) / per_head(slopes, "slopes", above_zero=True))


def share_near(slope: float, near: int, length: int) -> float:
    """The share of the weight that the nearest keys get, of a text in which all contents score the same.

    >>> round(share_near(0.5, 10, 1024), 4)
    0.9933
    """
    return float(last_row(slope, length)[-near:].sum())


def last_row(slope: float, length: int) -> Array:
    """The weights of the last of so many words whose contents all score the same; a slope of 0 is no bias.

    >>> last_row(0.5, 3).round(3)
    array([0.186, 0.307, 0.506])
    """
    count = whole_number(length, "length", least=1)
    return _of_equal(alibi_bias([slope], [count - 1], range(count))[0, 0])


def falls_by_half(slopes: ArrayLike, *, bias: Bias = alibi_bias) -> Verdict:
    """Whether the weight of a key one half-life further back is half as large, in every head."""
    far = half_life(slopes)
    own = [
        float(np.exp(bias([m], [r], [0]) - bias([m], [r], [r])).item())
        for m, r in zip(per_head(slopes, "slopes"), far, strict=True)
    ]
    return Verdict(np.allclose(own, 1 / 2), {"least": min(own), "most": max(own)})


def nearest_hold(slope: float, near: int, length: int, *, bias: Bias = alibi_bias) -> Verdict:
    """Whether the nearest keys of a text hold (1 − e^(−mr)) / (1 − e^(−mn)) of the weight."""
    row = _of_equal(bias([slope], [length - 1], range(length))[0, 0])
    found, formula = float(row[-near:].sum()), np.expm1(-slope * near) / np.expm1(-slope * length)
    return Verdict(bool(np.isclose(found, formula)), {"found": found, "formula": float(formula)})


def content_decides(slope: float, farther: int, *, bias: Bias = alibi_bias) -> Verdict:
    """Whether a key further back wins exactly if its content scores more than slope times tokens higher."""
    lead = slope * farther

    def weights(ahead: float) -> Array:
        q, k = np.ones((1, 1)), np.array([[ahead], [0.0]])
        return np.asarray(attention_weights(q, k, bias=bias([slope], [farther], [0, farther])[0])[0])

    less, equal, more = (weights(lead + step) for step in (-0.01, 0, 0.01))
    wins = less[0] < less[1] and bool(np.isclose(*equal)) and more[0] > more[1]
    return Verdict(wins, {"lead that draws": lead, "weight with a hundredth more": float(more[0])})


def favours_the_nearest(slopes: ArrayLike, length: int, *, bias: Bias = alibi_bias) -> Verdict:
    """Whether at equal contents the weight falls with every token of distance, in every head."""
    rows = bias(slopes, [length - 1], range(length))[:, 0]
    least = float(np.diff(rows, axis=-1).min())
    return Verdict(least > 0, {"least fall of a score": least})


def same_by_key(length: int, *, by_key: Bias = from_the_first_key) -> Verdict:
    """Whether a causal softmax gives random contents the same weights with the distance and with the key."""
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, 3, length, 8))
    slopes, places = np.array([0.5, 0.0625, 0.00390625]), range(length)
    whole, short = (
        attention_weights(q, k, bias=bias(slopes, places, places), causal=True)
        for bias in (alibi_bias, by_key)
    )
    worst = float(np.abs(whole - short).max())
    return Verdict(worst < 1e-12, {"words": length, "largest difference of a weight": worst})


def nearest_weight(slope: float, length: int, form: str, through: str) -> float:
    """The weight of the nearest key of the last query, with equal contents that score 0.

    >>> [round(nearest_weight(0.5, 1024, form, "a sigmoid"), 3) for form in FORMS]
    [0.5, 1.0]
    """
    return float(THROUGH[through](FORMS[form]([slope], [length - 1], range(length))[0, 0])[-1])


def kerple_overtakes(slope: float, r1: float, r2: float, *, upto: int = 2**16) -> int:
    """The distance from which on KERPLE leaves a key more weight than a slope does.

    >>> kerple_overtakes(0.5, 2.0, 1.0)
    10
    """
    far = np.arange(upto)
    more = kerple_bias([r1], [r2], [0], -far)[0, 0] > alibi_bias([slope], [0], -far)[0, 0]
    if not more[-1]:
        raise ValueError(f"upto must reach the distance from which on KERPLE leaves more, got {upto}")
    return int(np.flatnonzero(~more)[-1]) + 1


def sparsemax(scores: ArrayLike) -> Array:
    """The weights nearest to some scores of all that are not negative and sum to 1.

    >>> sparsemax([0.0, 0.5, 1.0])
    array([0.  , 0.25, 0.75])

    References
    ----------
    :cite:t:`martins2016`, algorithm 1.
    """
    row = np.asarray(scores, dtype=np.float64)
    falling = np.sort(row)[::-1]
    over = (np.cumsum(falling) - 1) / np.arange(1, row.size + 1)  # what each is to lose, if so many stay
    return np.asarray(np.maximum(row - over[np.flatnonzero(falling > over)[-1]], 0))


def who_forgets(slope: float, length: int) -> list[str]:
    """Through what of the table both forms of a bias give the nearest key one weight, and not two far apart.

    >>> who_forgets(0.5, 4096)
    ['softmax', 'sparsemax']
    """
    apart = {
        through: abs(nearest_weight(slope, length, "key", through) - right)
        for through in THROUGH
        for right in [nearest_weight(slope, length, "distance", through)]
    }
    between = {through: gap for through, gap in apart.items() if 1e-12 < gap < 0.1}
    if between:
        raise ValueError(f"length must leave the forms the same or far apart, got {between}")
    return [through for through, gap in apart.items() if gap <= 1e-12]


def beside_sink(scores: ArrayLike, sink: float) -> Array:
    """The weights of the keys of one query by their scores, beside a sink logit: they sum to less than 1.

    >>> beside_sink([0.0, 0.0, 0.0], 0.0)
    array([0.25, 0.25, 0.25])
    """
    return _of_equal(np.append(scores, sink))[:-1]


def kept(slope: float, words: int, sink: float, form: str = "distance") -> float:
    """The share of the weight that so many equal words keep beside a sink logit, for the last of them.

    >>> round(kept(np.log(2), 3, 0.0), 3)  # 7/4 beside 1
    0.636
    """
    bias = FORMS[form]([slope], [words - 1], range(words))[0, 0]
    return float(beside_sink(bias, sink).sum())


def sink_sees_a_row(words: int, sink: float = 0.0, *, by_key: Bias = from_the_first_key) -> Verdict:
    """Whether by key a sink is lower by slope times position, so that row 0 alone is as by distance."""
    rng, slope = np.random.default_rng(0), 0.5
    lower, alike = [], []
    for i in range(words):
        contents, places = rng.normal(size=i + 1), range(i + 1)
        distance, key = (contents + form([slope], [i], places)[0, 0] for form in (alibi_bias, by_key))
        found = beside_sink(key, sink)
        lower.append(np.abs(found - beside_sink(distance, sink - slope * i)).max())
        alike.append(np.abs(found - beside_sink(distance, sink)).max())
    worst, least = float(max(lower)), float(min(alike[1:]))
    holds = worst < 1e-12 and alike[0] < 1e-12 and least > 1e-3
    return Verdict(holds, {"most from a lower sink": worst, "least from the same sink": least})


def sink_is_a_factor(words: int, sink: float = 0.7) -> Verdict:
    """Whether a sink logit multiplies each row of a softmax by σ(log Σ e^s − β), for random scores."""
    scores = np.random.default_rng(0).normal(size=(words, words))
    off = []
    for row in scores:
        factor = 1 / (1 + np.exp(sink - np.log(np.exp(row).sum())))
        off.append(np.abs(beside_sink(row, sink) - factor * _of_equal(row)).max())
    return Verdict(max(off) < 1e-12, {"largest difference of a weight": float(max(off))})


def order_stays_hidden(words: int, sink: float = 0.7) -> Verdict:
    """Whether attention beside a sink logit is permutation equivariant where nothing else knows positions."""
    rng = np.random.default_rng(0)
    rows, order = rng.normal(size=(words, 4)), rng.permutation(words)

    def attended(x: Array) -> Array:
        return np.array([beside_sink(x @ query, sink) @ x for query in x])

    worst = float(np.abs(attended(rows[order]) - attended(rows)[order]).max())
    return Verdict(worst < 1e-12, {"words": words, "largest difference of an output": worst})


def little_beyond(slope: float, near: int, length: int, *, spread: float = 0.0) -> Verdict:
    """Whether all keys farther back than `near` get at most e^(−m·near) of the weight.

    The contents of the keys score the same; with a spread, those farther back score at random.
    """
    bias = alibi_bias([slope], [length - 1], range(length))[0, 0]
    bias[:-near] += np.random.default_rng(0).normal(0, spread, length - near)
    far, bound = float(_of_equal(bias)[:-near].sum()), float(np.exp(-slope * near))
    return Verdict(far <= bound * (1 + 1e-9), {"far": far, "bound": bound})


def taken_by_one(slope: float, back: int, lead: float) -> float:
    """The share of a word so far back, the first of a text, whose content leads all others by so many points.

    >>> round(taken_by_one(1 / 256, 1100, 12), 3)
    0.897
    """
    bias = alibi_bias([slope], [back], range(back + 1))[0, 0]
    return float(_of_equal(bias + lead * (np.arange(back + 1) == 0))[0])


def distinct_biases(slope: float, length: int, dtype: str) -> int:
    """How many different biases the last of so many queries has, in a format.

    >>> distinct_biases(0.5, 4096, "bfloat16")
    769
    """
    row = alibi_bias([slope], [length - 1], range(length))[0, 0]
    return len(np.unique(round_to(row, dtype)))


def left_of(slope: float, length: int, dtype: str) -> int:
    """How many of so many equal words have a weight above 0 once the weights are rounded to a format.

    >>> left_of(0.5, 4096, "float16")
    33
    """
    return int(np.count_nonzero(round_to(last_row(slope, length), dtype)))


def rules_apart(n_buckets: int, max_distance: int, *, upto: int = 4096) -> list[int]:
    """The distances behind a causal query whose bucket a logarithm rounded to the nearest float32 changes.

    >>> rules_apart(5, 686)
    [14, 98]
    """
    behind = -np.arange(upto + 1)
    sizes: dict[str, Any] = {"n_buckets": n_buckets, "max_distance": max_distance, "bidirectional": False}
    exact, rounded = (t5_bucket(behind, **sizes, rule=rule) for rule in ("exact", "float32"))
    return np.flatnonzero(exact != rounded).tolist()


def settings_apart(most_buckets: int, farthest: int) -> list[tuple[int, int, list[int]]]:
    """The settings of a causal T5, up to so many buckets and such a distance, that a rounding changes.

    The two rules can differ at a distance alone that is a boundary but for the rounding of float32.

    >>> settings_apart(6, 700)
    [(5, 686, [14, 98])]
    """
    found = []
    for n_buckets in range(3, most_buckets + 1):
        exact = n_buckets // 2
        wide = n_buckets - exact
        sizes = np.arange(exact + 1, farthest + 1)[:, None]
        begins = exact * (sizes / exact) ** (np.arange(1, wide) / wide)
        close = np.abs(begins - np.rint(begins)) < 1e-5 * begins
        for size in sizes[close.any(axis=1), 0].tolist():
            if apart := rules_apart(n_buckets, size, upto=size):
                found.append((n_buckets, size, apart))
    return found


def begins_by_powers(n_buckets: int, max_distance: int, *, bidirectional: bool) -> Verdict:
    """Whether every wide bucket begins at the least n with n^W of at least M^t E^(W−t), in whole numbers."""
    begins = t5_boundaries(n_buckets=n_buckets, max_distance=max_distance, bidirectional=bidirectional)
    exact = len(begins) // 2
    wide = len(begins) - exact
    slips = 0
    for step in range(1, wide):
        n, bound = int(begins[exact + step]), max_distance**step * exact ** (wide - step)
        slips += not (n**wide >= bound > (n - 1) ** wide)
    return Verdict(slips == 0, {"wide buckets": wide, "slips": slips})


def last_is_the_same(max_distance: int, length: int, *, bidirectional: bool = False) -> Verdict:
    """Whether all keys from the last bucket on share it, on each side that has buckets, in a text."""
    sizes: dict[str, Any] = {"max_distance": max_distance, "bidirectional": bidirectional}
    last = t5_last_bucket(**sizes)
    sides = (-1, 1) if bidirectional else (-1,)
    rows = [t5_bucket(side * np.arange(last - 1, length), **sizes) for side in sides]
    shared = all(len(set(row[1:])) == 1 and row[0] != row[1] for row in rows)
    return Verdict(shared, {"last bucket begins at": last, "length": length, "sides": len(sides)})


def moves_along(moved: int, *, bias: Callable[[Array, Array, Array], Array] | None = None) -> Verdict:
    """Whether T5's biases with random numbers stay where all words move on: nothing absolute enters."""
    weight = np.random.default_rng(0).normal(size=(32, 4))
    places = np.arange(300.0)
    here, there = ((bias or t5_bias)(weight, at, at) for at in (places, places + moved))
    return Verdict(np.array_equal(here, there), {"moved by": moved, "words": len(places)})


def divided_slope(slope: float, width: int) -> float:
    """The slope that is left where the sum of score and bias is divided by the root of the width.

    >>> divided_slope(0.5, 64)
    0.0625
    """
    return float(slope / positive_number(width, "width") ** 0.5)


def divided_half_life(slope: float, width: int, *, scale_bias: bool = True) -> float:
    """After how many tokens a weight has halved where the sum of score and bias is divided.

    >>> round(divided_half_life(0.5, 64), 2)
    11.09
    """
    q, k = np.zeros((1, width)), np.zeros((2, width))
    far, near = attention_weights(q, k, bias=alibi_bias([slope], [1], [0, 1])[0], scale_bias=scale_bias)[0]
    return float(np.log(2) / np.log(near / far))


def sum_is_divided(slope: float, width: int, *, scale_bias: bool = True) -> Verdict:
    """Whether weights with the sum divided are those of the divided slope, for random contents."""
    q, k = np.random.default_rng(0).normal(size=(2, 32, width))
    places, less = range(32), divided_slope(slope, width)
    found, right = (
        attention_weights(q, k, bias=alibi_bias([m], places, places)[0], causal=True, scale_bias=divided)
        for m, divided in ((slope, scale_bias), (less, False))
    )
    worst = float(np.abs(found - right).max())
    return Verdict(worst < 1e-12, {"slope that is left": less, "largest difference of a weight": worst})


def _of_equal(row: Array) -> Array:
    """The weights of one query whose keys all score 0, with this bias for each."""
    return np.asarray(attention_weights([[0.0]], np.zeros((len(row), 1)), bias=row[None])[0])


#: What weights are made of the scores of a row, by the name in the table.
THROUGH: dict[str, Callable[[Array], Array]] = {
    "softmax": _of_equal,
    "sparsemax": sparsemax,
    "bfloat16 and softmax": lambda bias: _of_equal(np.asarray(round_to(bias, "bfloat16"), dtype=np.float64)),
    "a soft cap and softmax": lambda bias: _of_equal(CAP * np.tanh(bias / CAP)),
    "a softmax beside a sink logit of 0": lambda bias: beside_sink(bias, 0.0),
    "a sigmoid": lambda bias: np.asarray(1 / (1 + np.exp(-bias[-1:]))),  # of the nearest alone
}
