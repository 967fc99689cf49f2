"""Decides what the chapter on context extension says: which angles are new, and what lies how far apart."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.config.reading import read_config
from pe_book.evidence.family.passkey import FOUND, LENGTHS
from pe_book.evidence.family.recorded import recorded
from pe_book.evidence.verdict import Verdict
from pe_book.family.context_extension.interpolation import dynamic_factor, ntk_aware, turns
from pe_book.family.context_extension.ramps import yarn
from pe_book.family.rotary import rotate
from pe_book.sinusoidal.formula import frequencies

Array = NDArray[np.float64]
ROUND = 2 * np.pi
D = 128


def in_new_angles(trained: ArrayLike, scaled: ArrayLike, length: float, asked: float) -> NDArray[np.intp]:
    """The pairs that had not gone round in training and go beyond their arc in `asked` tokens.

    >>> in_new_angles([1, 0.01, 0.001], [1, 0.01, 0.00025], 100, 400).tolist()
    [1]
    """
    before, after = turns(trained, length), turns(scaled, asked)
    return np.flatnonzero((before < 1) & (after > before * (1 + 1e-9)))


def first_new(trained: ArrayLike, scaled: ArrayLike, length: float) -> float:
    """After how many tokens the first pair goes beyond the arc that training covered.

    >>> first_new([1, 0.01, 0.001], [1, 0.005, 0.00025], 100)
    200.0
    """
    before, after = turns(trained, length), turns(scaled, length)
    slow = before < 1
    return float(length * (before[slow] / after[slow]).min())


def factor_to_reach(trained: ArrayLike, length: float, asked: float) -> float:
    """The factor of NTK-aware scaling for which no pair goes beyond its arc in `asked` tokens.

    >>> round(factor_to_reach([1, 0.1, 0.01, 0.001], 100, 400), 6)
    8.0
    """
    slow = int(np.flatnonzero(turns(trained, length) < 1)[0])
    return float((asked / length) ** ((np.size(trained) - 1) / slow))


def farthest_from_met(trained: ArrayLike, length: int, asked: int) -> Array:
    """For each pair, how far an angle of `asked` tokens can be from the nearest of training, in radians.

    >>> farthest_from_met([np.pi / 2, np.pi / 8], 4, 8).round(3).tolist()
    [0.0, 1.571]
    """
    found = []
    for omega in np.asarray(trained, dtype=np.float64):
        met = np.sort(np.arange(length) * omega % ROUND)
        met = np.concatenate([[met[-1] - ROUND], met, [met[0] + ROUND]])
        later = np.arange(length, asked) * omega % ROUND
        after = np.searchsorted(met, later).clip(1, len(met) - 1)
        found.append(np.minimum(later - met[after - 1], met[after] - later).max())
    return np.array(found)


def fast_pairs_meet_nothing_new(trained: ArrayLike, length: int, asked: int) -> Verdict:
    """Whether every pair that went round stays close to what it met, and no other does."""
    gone, far = turns(trained, length) >= 1, farthest_from_met(trained, length, asked)
    fast, slow = float(far[gone].max()), float(far[~gone].min()) if not gone.all() else np.inf
    return Verdict(fast < slow, {"pairs gone round: at most": fast, "the others: at least": slow})


def ramps_apart(
    trained: ArrayLike, factor: float, length: float, *, truncate: bool = True
) -> tuple[int, float]:
    """Where the ramp of libraries and that of the paper lie furthest apart: the pair, and the quotient.

    >>> pair, quotient = ramps_apart(frequencies(128), 16, 4096)
    >>> pair, round(quotient, 2)
    (38, 3.04)
    """
    library = yarn(trained, factor, length, ramp="library", truncate=truncate)
    quotient = library / yarn(trained, factor, length)
    apart = np.maximum(quotient, 1 / quotient)
    return int(apart.argmax()), float(apart.max())


def dynamic_scores(distances: ArrayLike, text: int, length: int, factor: float, *, kept: bool) -> Array:
    """Scores of ones over ones at the end of a text under dynamic scaling, over the width.

    Keys that are `kept` have the ladder of the length at which they were read, the others that of now.
    """
    omega, ones = frequencies(D), np.ones(D)
    now = ntk_aware(omega, dynamic_factor(text, length, factor))
    query = rotate(ones, text - 1, frequencies=now)
    found = []
    for position in text - 1 - np.asarray(distances, dtype=np.int64):
        then = ntk_aware(omega, dynamic_factor(int(position) + 1, length, factor)) if kept else now
        found.append(query @ rotate(ones, int(position), frequencies=then) / D)
    return np.array(found)


def cached_keys_off_by(distance: int, text: int, length: int, factor: float) -> Array:
    """For each pair, the angle between a key kept under dynamic scaling and the key turned anew, at most π.

    >>> float(cached_keys_off_by(100, 4096, 4096, 2).max())
    0.0
    """
    omega, position = frequencies(D), text - 1 - distance
    then, now = (ntk_aware(omega, dynamic_factor(n, length, factor)) for n in (position + 1, text))
    turned = position * (then - now) % ROUND
    return np.minimum(turned, ROUND - turned)


def cached_keys_stray(text: int, length: int, factor: float) -> Verdict:
    """Whether scores with cached keys are others, and those with keys turned anew fit the ladder of now."""
    near = np.arange(201)
    anew = dynamic_scores(near, text, length, factor, kept=False)
    kept = dynamic_scores(near, text, length, factor, kept=True)
    moved = float(np.abs(anew - kept).max())
    return Verdict(moved > 1e-9, {"largest difference": moved, "spread of the scores": float(anew.std())})


def best_where_longest(method: str) -> Verdict:
    """Whether a method finds a hidden number least often in the shortest text and most often in the longest.

    >>> bool(best_where_longest("YaRN"))
    False
    """
    shortest, longest = ({name: found[at] for name, found in FOUND.items()} for at in (0, -1))
    worst, best = min(shortest, key=shortest.__getitem__), max(longest, key=longest.__getitem__)
    return Verdict(
        worst == best == method, {"least often in the shortest": worst, "most often in the longest": best}
    )


def never_found() -> list[tuple[str, int]]:
    """The methods and lengths at which a hidden number was found in no trial.

    >>> never_found()
    [('NTK-aware', 32768)]
    """
    return [
        (name, length)
        for name, shares in FOUND.items()
        for length, share in zip(LENGTHS, shares, strict=True)
        if share == 0
    ]


def bases_apart(names: Iterable[str]) -> dict[int, float]:
    """Of recorded configs, how many times the smallest base is the largest, for each longest position.

    >>> bases_apart(["gemma-2-9b", "llama-3-8b"])
    {8192: 50.0}
    """
    found: dict[int, list[float]] = {}
    for name in names:
        reading = read_config(recorded(name)["config"])
        found.setdefault(reading.max_len or 0, []).append(reading.scalings[0].base)
    return {length: max(bases) / min(bases) for length, bases in found.items()}
