"""What decides the claims about waves, the heatmap and uniqueness: C056 to C068."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.claims.claim import FLOAT32, Change, Decided, equal
from pe_book.evidence.sinusoidal.waves import counter, steps_are_equal, still_bits
from pe_book.evidence.verdict import Verdict
from pe_book.numerics.rounding import collisions, round_to
from pe_book.sinusoidal.distance import first_rise, similarity
from pe_book.sinusoidal.distance.offsets import closest_offset, offset_distance
from pe_book.sinusoidal.distance.spread import effective_ranks
from pe_book.sinusoidal.formula import encode, frequencies, wavelengths
from pe_book.sinusoidal.waves import column_range, quiet_columns, turning_pairs, waking_length

Array = NDArray[np.float64]
FIRST = [1.0, 0.96466162, 0.93057204, 0.89768713, 0.86596432]  # frequencies that go around for width 512
LAST = [1.1970850e-4, 1.1547820e-4, 1.1139739e-4, 1.0746078e-4, 1.0366329e-4]


def _fast_then_slow(
    *, words: int = 50, d_model: int = 128, threshold: float = 0.1, backwards: bool = False
) -> Verdict:
    """Whether the first columns go up and down all the way, and the last ones hardly move."""
    ranges = column_range(words, d_model)
    shown = ranges[::-1] if backwards else ranges
    evidence = {"sine": float(ranges[-2]), "quiet": int((ranges < threshold).sum())}
    return Verdict(bool((shown[:20] > 1.97).all() and (shown[-20:] < threshold).all()), evidence)


def _rows_differ(*, positions: ArrayLike = range(50), d_model: int = 128) -> Verdict:
    rows = encode(positions, d_model)
    apart = np.linalg.norm(rows[:, None] - rows[None], axis=-1)
    np.fill_diagonal(apart, np.inf)
    p, q = np.unravel_index(int(apart.argmin()), apart.shape)
    evidence = {"apart": float(apart.min()), "steps": abs(int(p) - int(q))}
    return Verdict(not equal(apart.min(), 0), evidence)


def _all_awake(*, n: int = 100, d_model: int = 128, threshold: float = 0.1, finer: float = 0.01) -> Verdict:
    quiet, still = (quiet_columns(n, d_model, threshold=least) for least in (threshold, finer))
    evidence = {"quiet": quiet, "still": still, "turning": turning_pairs(n, d_model), "pairs": d_model // 2}
    return Verdict(quiet == 0, evidence)


def _awake_later(*, d_model: int = 128, threshold: float = 0.1, finer: float = 0.01) -> Verdict:
    length, earlier = (waking_length(d_model, threshold=least) for least in (threshold, finer))
    quiet = [quiet_columns(n, d_model, threshold=threshold) for n in (length - 1, length)]
    all_vary = bool((column_range(2, d_model) > 0).all())
    return Verdict(quiet[1] == 0 < quiet[0] and all_vary, {"from": length, "hundredth": earlier})


def _bits(*, radix: int = 2) -> Verdict:
    shown = counter(range(64), 6, radix=radix)
    steps = [(np.flatnonzero(np.diff(shown[:, j])) + 1).tolist() for j in range(6)]
    return Verdict(steps == [list(range(2**j, 64, 2**j)) for j in range(6)])


def _doubles(*, base: float = 10000.0, d_model: int = 512) -> Verdict:
    waves = wavelengths(d_model, base=base)
    ratio = float(waves[1] / waves[0])
    return Verdict(equal(ratio, 2), {"ratio": ratio, "octave": 1 / math.log2(ratio)})


def _geometric_as_bits(
    *, words: int = 100, bits: int = 10, d_model: int = 512, threshold: float = 0.1
) -> Verdict:
    """Whether both periods are a progression, and slow bits and slow columns stand still in a short text."""
    waves = wavelengths(d_model)
    rungs = [periods[1:] / periods[:-1] for periods in (waves, 2.0 ** np.arange(1, 9))]
    flips = np.abs(np.diff(counter(range(words), bits), axis=0)).sum(axis=1)
    steps = np.linalg.norm(np.diff(encode(range(words), d_model), axis=0), axis=1)
    even = all(equal(rung, rung[0]) and rung[0] > 1 for rung in rungs)
    evidence = {
        "still": still_bits(words, bits),
        "quiet": quiet_columns(words, d_model, threshold=threshold),
        "fewest": int(flips.min()),
        "flips": int(flips.max()),
        "step": float(steps[0]),
        "width": 2 * math.log2(10000),
    }
    stand_still = min(evidence["still"], evidence["quiet"]) > 0
    unlike = equal(waves[0], 2 * math.pi) and equal(steps, steps[0]) and flips.min() < flips.max()
    return Verdict(even and unlike and stand_still, evidence)


def _printed_frequencies(*, base: float = 10000.0) -> Verdict:
    """Whether the frequencies are what is printed, with as many digits."""
    found = frequencies(512, base=base)
    first, last = ([float(f"{value:.7e}") for value in part] for part in (found[:5], found[-5:]))
    return Verdict(first == [float(f"{value:.7e}") for value in FIRST] and last == LAST)


def _fill_the_space(*, share: float = 0.99, rows: Array | None = None) -> Verdict:
    ranks = effective_ranks(encode(range(50), 128) if rows is None else rows, energy=share)
    return Verdict(ranks.energy >= 50, {"directions": ranks.energy, "percent": 100 * share})


def _few_directions() -> Verdict:
    table = encode(range(50), 128)
    return Verdict(equal(np.linalg.norm(table, axis=1), 8) and effective_ranks(table).energy < 20)


def _unique(*, decimals: int = 15, d_model: int = 2) -> Verdict:
    """Column 0 alone, and every row as it is written down."""
    rows = encode(range(500), d_model)
    column, written = collisions(rows[:, 0]), collisions(np.round(rows, decimals))
    return Verdict(column.first is written.first is None, {"distinct": column.distinct})


def _margin_everywhere(*, narrow: int = 2) -> Verdict:
    k, apart = closest_offset(1000, narrow)
    return Verdict(apart > 0.1, {"offset": k, "apart": apart})


def _margin_when_wide(*, widths: Sequence[int] = (16, 32), within: int = 100_000) -> Verdict:
    found = [closest_offset(within, d) for d in widths]
    evidence = {"neighbour": float(found[0][1]), "wide": widths[0], "wider": widths[-1]}
    return Verdict(all(k == 1 for k, _ in found), evidence)


def _cosine_helps(*, other: float = 1 + 2 * np.pi) -> Verdict:
    """Whether the cosine tells position 1 from another one with its sine."""
    (sine, cosine), (same, told) = encode(1, 2), encode(other, 2)
    return Verdict(equal(sine, same) and not equal(cosine, told))


def _within_a_turn(*, within: float = np.pi - 1, d_model: int = 4) -> Verdict:
    """Whether it does so within a turn, and after a whole turn the second pair."""
    apart = float(np.abs(encode(1 + 2 * np.pi, d_model) - encode(1, d_model)).max())
    return Verdict(bool(_cosine_helps(other=within)) and not equal(apart, 0), {"apart": apart})


def _falls_steadily(*, within: int = 200, d_model: int = 512) -> Verdict:
    rise = first_rise(similarity(range(within), d_model))
    return Verdict(rise is None, {"rise": rise or within})


def _falls_on_the_whole(
    *, d_model: int = 512, stretch: int = 500, farthest: int = 5000, beyond: int = 50_000
) -> Verdict:
    """Whether averages over stretches of offsets fall as far as some offset, and no more beyond it."""
    shares = similarity(range(beyond), d_model) / (d_model / 2)
    means = shares.reshape(-1, stretch).mean(axis=1)
    falls, rises = (np.diff(part) for part in np.split(means, [farthest // stretch]))
    found = {"first": float(means[0]), "last": float(means[farthest // stretch - 1])}
    past = means[farthest // stretch :]
    found |= {"low": float(past.min()), "high": float(past.max())}
    found |= {"lowest": float(shares[farthest:].min()), "highest": float(shares[farthest:].max())}
    return Verdict(bool((falls < 0).all() and (rises > 0).any()), found)


def _small_steps(*, step: float = 1.0, d_model: int = 512) -> Verdict:
    moved, radius = float(offset_distance(step, d_model)), float(np.linalg.norm(encode(0, d_model)))
    return Verdict(moved < 1, {"step": moved, "turn": math.degrees(step), "radius": radius})


def _smooth_and_even(*, dtype: str = "float64") -> Verdict:
    speed, step = math.sqrt(float(np.square(frequencies(512)).sum())), 1e-4
    close = equal(float(offset_distance(step, 512)) / step, speed, FLOAT32)
    rows = encode(range(50), 512)
    steps = steps_are_equal(rows if dtype == "float64" else round_to(rows, dtype))
    return Verdict(close and bool(steps), {"speed": speed})


def _on_a_sphere(*, rows: Array | None = None, d_model: int = 512, farthest: int = 10**9) -> Verdict:
    table = encode([0, 1, 50, 10**6, farthest], d_model) if rows is None else rows
    largest, length = float(np.abs(table).max()), float(np.linalg.norm(table[0]))
    zeros = float((encode(0, d_model) == 0).mean())
    on_it = equal(np.linalg.norm(table, axis=1), math.sqrt(d_model / 2))
    return Verdict(on_it and largest <= 1, {"largest": largest, "length": length, "zeros": zeros})


NORMAL = np.random.default_rng(0).normal(size=(50, 128))

DECIDED = {
    "C056": Decided(_fast_then_slow),
    "C057": Decided(_rows_differ),
    "C058": Decided(_all_awake, _awake_later),
    "C059": Decided(_bits),
    "C060": Decided(_doubles, _geometric_as_bits),
    "C061": Decided(_printed_frequencies),
    "C062": Decided(_fill_the_space, instead=_few_directions),
    "C063": Decided(_unique),
    "C064": Decided(_margin_everywhere, _margin_when_wide),
    "C065": Decided(_cosine_helps, _within_a_turn),
    "C066": Decided(_falls_steadily, _falls_on_the_whole),
    "C067": Decided(_small_steps, _smooth_and_even),
    "C068": Decided(_on_a_sphere),
}
FAILS_WITH = {
    "C056": Change("the columns stand in reverse order", {"backwards": True}),
    "C057": Change(
        "words stand one turn apart, at width 2", {"positions": 2 * np.pi * np.arange(5), "d_model": 2}
    ),
    "C058": Change("there are {n:,} words", {"n": 5000}),
    "C059": Change("one counts in threes", {"radix": 3}),
    "C060": Change("each wavelength is twice the one before", {"base": 2.0**256}),
    "C061": Change("the base is {base:,.0f}", {"base": 10001.0}),
    "C062": Change("every row has a direction of its own", {"rows": 8 * np.eye(50, 128)}),
    "C063": Change(
        "rows of width {d_model} are rounded to {decimals} decimals", {"d_model": 2, "decimals": 2}
    ),
    "C064": Change("the widths are 4 and 8", {"widths": (4, 8)}),
    "C065": Change("the other position is a whole turn on", {"within": 1 + 2 * np.pi}),
    "C066": Change("one looks {within} tokens far", {"within": 40}),
    "C067": Change("the step is a tenth of a token", {"step": 0.1}),
    "C068": Change("the rows are drawn at random", {"rows": NORMAL}),
}
