"""What decides the claims about sines and cosines: C029 to C037."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.claims.claim import Change, Decided
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
    apart = float(np.abs(np.cos(GRID) - np.sin(GRID + ahead)).max())
    turned = float(np.abs(np.sin(GRID + 2 * np.pi) - np.sin(GRID)).max())
    bounded = max(np.abs(np.sin(GRID)).max(), np.abs(np.cos(GRID)).max()) <= 1
    return Verdict(bool(bounded) and max(apart, turned) < 1e-13)


def _period_bounds(*, function: Callable[[Array], Array] = np.tan) -> Verdict:
    x = np.pi / 2 - np.array([1e-2, 1e-3, 1e-5])
    periodic = np.allclose(function(x + 2 * np.pi), function(x), rtol=1e-8)
    largest = float(np.abs(function(x)).max())
    return Verdict(periodic and largest <= 1, {"largest": largest})


def _circle_bounds() -> Verdict:
    rows = encode(range(100), 2)
    return Verdict(float(np.abs((rows**2).sum(axis=1) - 1).max()) < 1e-14)


def _printed(*, first: int = 0) -> Verdict:
    found = one_sine(np.arange(first, first + 3))
    said = {"one": float(found[1]), "two": float(found[2])}
    return Verdict(bool(np.abs(found - [0, 0.841, 0.909]).max() < 5e-4), said)


def _four_numbers(*, words: Sequence[str] = WORDS) -> Verdict:
    return Verdict(len(one_sine(range(len(words)))) == 4)


def _five_numbers(*, words: Sequence[str] = WORDS) -> Verdict:
    found = one_sine(range(len(words)))
    return Verdict(len(found) == 5, {"last": float(found[-1])})


def _whole_positions_meet(*, decimals: int = 15) -> Verdict:
    return Verdict(collisions(np.round(one_sine(range(500)), decimals)).first is not None)


def _real_positions_meet() -> Verdict:
    found = closest_pair(one_sine(range(356)))
    meets = abs(math.sin(1 + 2 * math.pi) - math.sin(1)) < 1e-14
    return Verdict(meets and found.gap > 0, {"one": found[0], "other": found[1], "gap": found.gap})


def _equal_in_float64() -> Verdict:
    return Verdict(collisions(one_sine(range(20_000))).first is not None)


def _equal_when_rounded(*, dtype: str = "float16", decimals: int = 2) -> Verdict:
    sine = one_sine(range(512))
    rounded, cast = collisions(np.round(sine, decimals)), collisions(round_to(sine, dtype))
    if rounded.first is None or cast.first is None:
        return Verdict(False)
    (a, b), (c, d) = rounded.first, cast.first
    distinct = rounded.distinct
    return Verdict(True, {"a": a, "b": b, "c": c, "d": d, "distinct": distinct})


def _sine_of_a_third(third: float) -> float:
    return abs(math.sin(third) - float(harmonic_pairs(1)[4]))


def _third_rounded() -> Verdict:
    return Verdict(_sine_of_a_third(0.33) < 1e-9, {"off": _sine_of_a_third(0.33)})


def _third(*, third: float = 1 / 3) -> Verdict:
    first = np.abs(harmonic_pairs(1)[:2] - [math.sin(1), math.cos(1)]).max()
    return Verdict(bool(first < 1e-15) and _sine_of_a_third(third) < 1e-15)


def _never_close(*, omega: ArrayLike = HARMONICS) -> Verdict:
    return neighbour_is_nearest(omega, within=4260)


def _shared_period(*, pairs: int = 3) -> Verdict:
    period = harmonic_period(pairs)
    returned = float(np.abs(harmonic_pairs(period, pairs) - harmonic_pairs(0, pairs)).max())
    three, one = (float(distance_from_start(omega, 1000).min()) for omega in (HARMONICS, HARMONICS[:1]))
    evidence = {"turns": round(period / (2 * math.pi)), "three": three, "single": one}
    return Verdict(returned < 1e-12 and three > one and pairs > 1, evidence)


def _slower(*, divisors: Sequence[float] = (1, 2, 3)) -> Verdict:
    waves = 2 * np.pi * np.array(divisors)
    turned = [harmonic_pairs(wave)[2 * i : 2 * i + 2] for i, wave in enumerate(waves)]
    back = np.abs(np.array(turned) - [0, 1]).max() < 1e-13
    slowest = float(2 * np.pi / frequencies(6)[-1])
    evidence = {"harmonic": float(2 * np.pi * 3), "geometric": slowest}
    return Verdict(bool(back) and bool((np.diff(waves) > 0).all()), evidence)


DECIDED = {
    "C029": Decided(
        _quarter, fails_with=Change("the quarter turn has the other sign", {"ahead": -np.pi / 2})
    ),
    "C030": Decided(
        _period_bounds,
        instead=_circle_bounds,
        fails_with=Change("the function with a period is the cosine", {"function": np.cos}),
    ),
    "C031": Decided(_printed, fails_with=Change("positions are counted from 1", {"first": 1})),
    "C032": Decided(
        _four_numbers,
        instead=_five_numbers,
        fails_with=Change("the sentence has four words", {"words": WORDS[:4]}),
    ),
    "C033": Decided(
        _whole_positions_meet,
        _real_positions_meet,
        fails_with=Change("values are rounded to two decimals", {"decimals": 2}),
    ),
    "C034": Decided(
        _equal_in_float64,
        _equal_when_rounded,
        fails_with=Change("values are rounded to twelve decimals", {"decimals": 12}),
    ),
    "C035": Decided(
        _third_rounded,
        _third,
        fails_with=Change("a third is written with two decimals", {"third": 0.33}),
    ),
    "C036": Decided(
        _never_close,
        _shared_period,
        fails_with=Change(
            "the frequencies are those of the sinusoid of width 64", {"omega": frequencies(64)}
        ),
    ),
    "C037": Decided(_slower, fails_with=Change("every divisor is 1", {"divisors": (1, 1, 1)})),
}
