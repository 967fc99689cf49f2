"""What decides the claims about sines and cosines: C029 to C037."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.claims.claim import FITTED, Change, Decided, equal
from pe_book.evidence.verdict import Verdict
from pe_book.evidence.why.first_attempts import distance_from_start, neighbour_is_nearest
from pe_book.numerics.rounding import closest_pair, collisions, round_to
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.why.sines import harmonic_pairs, harmonic_period, one_sine

Array = NDArray[np.float64]
WORDS = ("River", "bank", "killed", "the", "lion")
HARMONICS = (1.0, 1 / 2, 1 / 3)
GRID: Array = np.linspace(-4 * np.pi, 4 * np.pi, 2001)


def _quarter(*, ahead: float = np.pi / 2) -> Verdict:
    agree = equal(np.cos(GRID), np.sin(GRID + ahead)) and equal(np.sin(GRID + 2 * np.pi), np.sin(GRID))
    bounded = max(np.abs(np.sin(GRID)).max(), np.abs(np.cos(GRID)).max()) <= 1
    return Verdict(bool(bounded) and agree)


def _period_bounds(*, function: Callable[[Array], Array] = np.tan, before: float = 1e-5) -> Verdict:
    x = np.pi / 2 - np.geomspace(1e-2, before, 4)
    periodic = equal(function(x + 2 * np.pi), function(x), FITTED)
    largest = float(np.abs(function(x)).max())
    return Verdict(periodic and largest <= 1, {"largest": largest})


def _circle_bounds() -> Verdict:
    doubled = _period_bounds(function=lambda x: 2 * np.sin(x))
    circle = equal((encode(range(100), 2) ** 2).sum(axis=1), 1)
    return Verdict(circle and not doubled, {"doubled": doubled.evidence["largest"]})


def _printed(*, angle: float = 1.0) -> Verdict:
    found = one_sine(angle * np.arange(3))
    said = {"one": float(found[1]), "two": float(found[2])}
    return Verdict([f"{value:.3f}" for value in found] == ["0.000", "0.841", "0.909"], said)


def _five_numbers(*, words: Sequence[str] = WORDS) -> Verdict:
    found = one_sine(range(len(words)))
    return Verdict(len(found) == 5, {"last": float(found[-1])})


def _real_positions_meet(*, within: int = 356) -> Verdict:
    found = closest_pair(one_sine(range(within)))
    meets = equal(math.sin(1 + 2 * math.pi), math.sin(1))
    return Verdict(meets and found.gap > 0, {"one": found[0], "other": found[1], "gap": found.gap})


def _equal_when_rounded(*, words: int = 512, dtype: str = "float16", decimals: int = 2) -> Verdict:
    sine = one_sine(range(words))
    rounded, cast = collisions(np.round(sine, decimals)), collisions(round_to(sine, dtype))
    if rounded.first is None or cast.first is None:
        return Verdict(False)
    (a, b), (c, d) = rounded.first, cast.first
    distinct = rounded.distinct
    return Verdict(True, {"a": a, "b": b, "c": c, "d": d, "distinct": distinct})


def _sine_of_a_third(third: float) -> float:
    return abs(math.sin(third) - float(harmonic_pairs(1)[4]))


def _third_rounded() -> Verdict:
    return Verdict(equal(_sine_of_a_third(0.33), 0), {"off": _sine_of_a_third(0.33)})


def _third(*, third: float = 1 / 3) -> Verdict:
    first = equal(harmonic_pairs(1)[:4], [math.sin(1), math.cos(1), math.sin(0.5), math.cos(0.5)])
    return Verdict(first and equal(_sine_of_a_third(third), 0))


def _shared_period(*, pairs: int = 3, within: int = 1000) -> Verdict:
    period = harmonic_period(pairs)
    returned = equal(harmonic_pairs(period, pairs), harmonic_pairs(0, pairs))
    three, one = (float(distance_from_start(omega, within).min()) for omega in (HARMONICS, HARMONICS[:1]))
    evidence = {"turns": round(period / (2 * math.pi)), "three": three, "single": one}
    return Verdict(returned and three > one and pairs > 1, evidence)


def _slower(*, divisors: Sequence[float] = (1, 2, 3)) -> Verdict:
    waves = 2 * np.pi * np.array(divisors)
    turned = [harmonic_pairs(wave)[2 * i : 2 * i + 2] for i, wave in enumerate(waves)]
    slowest = float(2 * np.pi / frequencies(2 * len(waves))[-1])
    evidence = {"harmonic": float(waves[-1]), "geometric": slowest, "pairs": len(waves)}
    return Verdict(equal(turned, [[0, 1]] * len(waves)) and bool((np.diff(waves) > 0).all()), evidence)


DECIDED = {
    "C029": Decided(_quarter),
    "C030": Decided(
        lambda: bool(np.abs(encode(range(100), 2)).max() <= 1), because=_period_bounds, instead=_circle_bounds
    ),
    "C031": Decided(_printed),
    "C032": Decided(lambda words=WORDS: len(one_sine(range(len(words)))) == 4, instead=_five_numbers),
    "C033": Decided(
        lambda decimals=15: collisions(np.round(one_sine(range(500)), decimals)).first is not None,
        _real_positions_meet,
    ),
    "C034": Decided(
        lambda most=20_000: collisions(one_sine(range(most))).first is not None, _equal_when_rounded
    ),
    "C035": Decided(_third_rounded, _third),
    "C036": Decided(lambda omega=HARMONICS: neighbour_is_nearest(omega, within=4260), _shared_period),
    "C037": Decided(_slower),
}
FAILS_WITH = {
    "C029": Change("the quarter turn has the other sign", {"ahead": -np.pi / 2}),
    "C030": Change("the function with a period is the cosine", {"function": np.cos}),
    "C031": Change("angles are in degrees", {"angle": math.pi / 180}),
    "C032": Change("the sentence has four words", {"words": WORDS[:4]}),
    "C033": Change("values are rounded to {decimals} decimals", {"decimals": 2}),
    "C034": Change("values are rounded to {decimals} decimals", {"decimals": 12}),
    "C035": Change("a third is written with two decimals", {"third": 0.33}),
    "C036": Change("the frequencies are those of the sinusoid of width 64", {"omega": frequencies(64)}),
    "C037": Change("every divisor is 1", {"divisors": (1, 1, 1)}),
}
