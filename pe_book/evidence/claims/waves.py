"""What decides the claims about waves, the heatmap and uniqueness: C056 to C068."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.claims.claim import Change, Decided
from pe_book.evidence.sinusoidal.waves import steps_are_equal
from pe_book.evidence.verdict import Verdict
from pe_book.numerics.rounding import collisions, round_to
from pe_book.sinusoidal.distance import first_rise, similarity
from pe_book.sinusoidal.distance.offsets import closest_offset, offset_distance
from pe_book.sinusoidal.distance.spread import effective_ranks
from pe_book.sinusoidal.formula import encode, frequencies, wavelengths
from pe_book.sinusoidal.waves import column_range, quiet_columns, turning_pairs, waking_length
from pe_book.sinusoidal.waves.digits import digits

Array = NDArray[np.float64]
FIRST = [1.0, 0.96466162, 0.93057204, 0.89768713, 0.86596432]  # frequencies that go around for width 512
LAST = [1.1970850e-4, 1.1547820e-4, 1.1139739e-4, 1.0746078e-4, 1.0366329e-4]


def _fast_then_slow(*, base: float = 10000.0) -> Verdict:
    ranges = column_range(50, 128, base=base)
    evidence = {"sine": float(ranges[-2]), "quiet": int((ranges < 0.1).sum())}
    return Verdict(bool((ranges[:20] > 1.97).all()) and ranges[-2] < 0.006, evidence)


def _rows_differ(*, positions: ArrayLike = range(50), d_model: int = 128) -> Verdict:
    rows = encode(positions, d_model)
    apart = np.linalg.norm(rows[:, None] - rows[None], axis=-1)
    np.fill_diagonal(apart, np.inf)
    p, q = np.unravel_index(int(apart.argmin()), apart.shape)
    evidence = {"apart": float(apart.min()), "steps": abs(int(p) - int(q))}
    return Verdict(float(apart.min()) > 1e-9, evidence)


def _all_awake(*, n: int = 100) -> Verdict:
    quiet, still = (quiet_columns(n, 128, threshold=least) for least in (0.1, 0.01))
    return Verdict(quiet == 0, {"quiet": quiet, "still": still, "turning": turning_pairs(n, 128)})


def _awake_later() -> Verdict:
    length, earlier = (waking_length(128, threshold=least) for least in (0.1, 0.01))
    wakes = quiet_columns(length, 128) == 0 < quiet_columns(length - 1, 128)
    all_vary = bool((column_range(2, 128) > 0).all())
    return Verdict(wakes and all_vary, {"from": length, "hundredth": earlier})


def _bits(*, radix: int = 2) -> Verdict:
    counter = np.array([digits(p, radix=radix, places=6) for p in range(64)])[:, ::-1]
    steps = [(np.flatnonzero(np.diff(counter[:, j])) + 1).tolist() for j in range(6)]
    return Verdict(steps == [list(range(2**j, 64, 2**j)) for j in range(6)])


def _doubles(*, base: float = 10000.0) -> Verdict:
    waves = wavelengths(512, base=base)
    ratio = float(waves[1] / waves[0])
    return Verdict(abs(ratio - 2) < 1e-9, {"ratio": ratio, "octave": 1 / math.log2(ratio)})


def _geometric_as_bits(*, waves: Array | None = None) -> Verdict:
    found = wavelengths(512) if waves is None else waves
    rungs = [periods[1:] / periods[:-1] for periods in (found, 2.0 ** np.arange(1, 9))]
    even = all(float(np.ptp(rung)) < 1e-9 and rung[0] > 1 for rung in rungs)
    return Verdict(even and float(found[0]) > 6, {"width": 2 * math.log2(10000)})


def _printed_frequencies(*, base: float = 10000.0) -> Verdict:
    found = frequencies(512, base=base)
    close = np.allclose(found[:5], FIRST, rtol=1e-8) and np.allclose(found[-5:], LAST, rtol=5e-8)
    return Verdict(bool(close))


def _fill_the_space() -> Verdict:
    ranks = effective_ranks(encode(range(50), 128))
    return Verdict(ranks.energy >= 50, {"directions": ranks.energy})


def _few_directions(*, rows: Array | None = None) -> Verdict:
    table = encode(range(50), 128) if rows is None else rows
    on_sphere = np.allclose(np.linalg.norm(table, axis=1), 8, rtol=1e-12)
    return Verdict(bool(on_sphere) and effective_ranks(table).energy < 20)


def _unique(*, decimals: int = 15) -> Verdict:
    """Column 0 alone, and with it every row."""
    column = np.round(encode(range(500), 2)[:, 0], decimals)
    return Verdict(collisions(column).first is None, {"distinct": collisions(column).distinct})


def _margin_everywhere() -> Verdict:
    k, apart = closest_offset(1000, 2)
    return Verdict(apart > 0.1, {"offset": k, "narrow": apart})


def _margin_when_wide(*, widths: Sequence[int] = (16, 32)) -> Verdict:
    found = [closest_offset(100_000, d) for d in widths]
    return Verdict(all(k == 1 for k, _ in found), {"wide": float(found[0][1])})


def _cosine_helps() -> Verdict:
    apart = np.abs(encode(3 + 2 * np.pi, 2) - encode(3, 2)).max()
    return Verdict(bool(apart > 1e-9))


def _another_pair_helps(*, turn: float = 2 * np.pi) -> Verdict:
    apart = float(np.abs(encode(3 + turn, 4) - encode(3, 4)).max())
    return Verdict(not _cosine_helps() and apart > 0.01, {"apart": apart})


def _falls_steadily(*, within: int = 200) -> Verdict:
    rise = first_rise(similarity(range(within), 512))
    return Verdict(rise is None, {"rise": rise or within})


def _falls_at_first(*, within: int = 43) -> Verdict:
    falls = first_rise(similarity(range(within), 512)) is None
    far = [float(similarity(k, 512)) / 256 for k in (1, 100, 5000)]
    return Verdict(
        falls and far == sorted(far, reverse=True), {"neighbour": far[0], "far": far[1], "last": far[2]}
    )


def _small_steps(*, step: float = 1.0) -> Verdict:
    moved = float(offset_distance(step, 512))
    return Verdict(moved < 1, {"step": moved, "turn": math.degrees(step)})


def _smooth_and_even(*, dtype: str = "float64") -> Verdict:
    speed = math.sqrt(float(np.square(frequencies(512)).sum()))
    close = math.isclose(float(offset_distance(1e-6, 512)) / 1e-6, speed, rel_tol=1e-5)
    rows = encode(range(50), 512)
    steps = steps_are_equal(rows if dtype == "float64" else round_to(rows, dtype))
    return Verdict(close and bool(steps), {"speed": speed})


def _on_a_sphere(*, rows: Array | None = None) -> Verdict:
    table = encode([0, 1, 50, 10**6, 10**9], 512) if rows is None else rows
    long = np.allclose(np.linalg.norm(table, axis=1), 16, rtol=1e-13, atol=0)
    return Verdict(bool(long) and float(np.abs(table).max()) <= 1)


NORMAL = np.random.default_rng(0).normal(size=(50, 128))

DECIDED = {
    "C056": Decided(_fast_then_slow, fails_with=Change("the base is 10", {"base": 10.0})),
    "C057": Decided(
        _rows_differ,
        fails_with=Change(
            "words stand one turn apart, at width 2", {"positions": 2 * np.pi * np.arange(5), "d_model": 2}
        ),
    ),
    "C058": Decided(_all_awake, _awake_later, fails_with=Change("there are 5,000 words", {"n": 5000})),
    "C059": Decided(_bits, fails_with=Change("one counts in threes", {"radix": 3})),
    "C060": Decided(
        _doubles, _geometric_as_bits, fails_with=Change("the base is 2 to the 256", {"base": 2.0**256})
    ),
    "C061": Decided(_printed_frequencies, fails_with=Change("the base is 10,001", {"base": 10001.0})),
    "C062": Decided(
        _fill_the_space,
        _few_directions,
        fails_with=Change("the rows are drawn at random", {"rows": NORMAL}),
    ),
    "C063": Decided(_unique, fails_with=Change("values are rounded to two decimals", {"decimals": 2})),
    "C064": Decided(
        _margin_everywhere,
        _margin_when_wide,
        fails_with=Change("the widths are 4 and 8", {"widths": (4, 8)}),
    ),
    "C065": Decided(
        _cosine_helps,
        _another_pair_helps,
        fails_with=Change("the second pair has made one whole turn, too", {"turn": 200 * np.pi}),
    ),
    "C066": Decided(
        _falls_steadily, _falls_at_first, fails_with=Change("one looks 40 tokens far", {"within": 40})
    ),
    "C067": Decided(
        _small_steps,
        _smooth_and_even,
        fails_with=Change("the step is a tenth of a token", {"step": 0.1}),
    ),
    "C068": Decided(_on_a_sphere, fails_with=Change("the rows are drawn at random", {"rows": NORMAL})),
}
