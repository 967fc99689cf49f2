"""What decides the claims about counting and normalising positions: C014 to C028."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.claims.claim import FITTED, FLOAT32, Change, Decided, equal, given
from pe_book.evidence.verdict import Verdict
from pe_book.evidence.why.first_attempts import (
    kept_by_a_norm,
    lost_in_layer_norm,
    moves_by_at_most_its_step,
    one_gap,
    one_map_for_each_shift,
    one_middle,
    refuses,
)
from pe_book.numerics.rounding import collisions, round_to
from pe_book.sinusoidal.distance.offsets import closest_offset, offset_distance
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.shift import shift_matrix
from pe_book.why.counting import counting_key, counting_query, shear
from pe_book.why.descent import condition_number, with_constant
from pe_book.why.first_attempts import (
    append,
    count,
    over_last,
    over_length,
    over_length_from_one,
    over_maximum,
)
from pe_book.why.norms import rms_norm, share_of_squares
from pe_book.why.sines import one_sine

Array = NDArray[np.float64]
Code = Callable[[int], Array]
WORDS = np.random.default_rng(0).normal(size=(4, 512))


def _counted(*, width: int = 512) -> Verdict:
    made = append(np.zeros((4, width)), count(4)).shape[1]
    return Verdict(count(4).tolist() == [1, 2, 3, 4] and made == 513, {"width": made})


def _lakh(*, pages: int = 500) -> Verdict:
    return Verdict(count(pages * 200)[-1] == 100_000, {"words": int(count(pages * 200)[-1])})


def _dominates_when_added(*, late: int = 100) -> Verdict:
    """Whether a layer norm leaves anything of large numbers that were added to all columns."""
    return Verdict(not lost_in_layer_norm(WORDS, count(late)[-4:]))


def _dominates_when_appended(
    *, early: int = 4, late: int = 100, scale: float = 1.0, width: int = 512
) -> Verdict:
    short, long = (share_of_squares(position * scale, width) for position in (early, late))
    added = share_of_squares(early * scale, 1)  # of each column, the word in it has a variance of 1
    kept = kept_by_a_norm(rms_norm, WORDS, [early, late]).evidence["smallest gap"]
    found = {"short": 100 * short, "long": 100 * long, "added": 100 * added, "kept": kept}
    return Verdict(short < 0.1 and long > 0.9, found)


def _small_is_enough(*, few: int = 4, maximum: int = 512) -> Verdict:
    """Whether the same few words condition better once their positions are divided by a maximum."""
    small, short, many, raw = (
        condition_number(with_constant(code))
        for code in (
            over_maximum(few, maximum=maximum), count(few),
            over_maximum(maximum, maximum=maximum), count(maximum),
        )
    )  # fmt: skip
    return Verdict(small < short, {"small": small, "many": many, "raw": raw})


def _conditioning(*, few: int = 4, most: int = 1000) -> Verdict:
    short, long = (condition_number(with_constant(count(n))) for n in (few, most))
    return Verdict(long > 1000 * short, {"short": short, "long": long})


def _gradient_is_lost(*, rounded: bool = False) -> Verdict:
    """Whether differences of a loss miss its gradient, where inputs are whole, or what is learned is."""
    x, (due, weights) = with_constant(count(20)), (np.sin(np.arange(20)), np.array([0.3, -0.2]))

    def loss(w: Array) -> float:
        return float(np.mean((x @ (np.round(w) if rounded else w) - due) ** 2) / 2)

    steps = 1e-3 * np.eye(2)
    differences = [(loss(weights + step) - loss(weights - step)) / (2 * step.max()) for step in steps]
    return Verdict(not equal(differences, x.T @ (x @ weights - due) / len(x), FLOAT32))


def _sine_is_as_discrete(*, words: int = 20) -> Verdict:
    """Whether a sine of whole numbers steps by more of its range than they do."""
    sine, counts = (
        float(np.abs(np.diff(code)).max() / np.ptp(code)) for code in (one_sine(range(words)), count(words))
    )
    return Verdict(sine > counts, {"sine": 100 * sine, "counts": 100 * counts})


def _everywhere_is_enough(*, function: Callable[[Array], Array] = np.floor) -> Verdict:
    return moves_by_at_most_its_step(function, np.linspace(-10, 10, 401))


def _sine_is_continuous() -> Verdict:
    return moves_by_at_most_its_step(np.sin, np.linspace(-10, 10, 401))


def _no_shift(*, constant: float = 1.0) -> Verdict:
    moved = [(shear(10) @ [p, constant])[0] == p + 10 for p in range(100)]
    return Verdict(not all(moved))


def _shear_and_score(*, offset: int = 10) -> Verdict:
    large, small = np.linalg.svd(shear(offset), compute_uv=False)
    told = all(counting_query(p) @ counting_key(3) == 3 - p for p in range(100))
    turns = equal(np.linalg.svd(shift_matrix(offset, 8), compute_uv=False), np.ones(8))
    found = {"large": float(large), "little": float(small)}
    return Verdict(told and turns and small < 1 < large and not _no_shift(), found)


def _steps(code: Callable[[int], Array]) -> list[float]:
    return [float(np.linalg.norm(code(p + 1) - code(p))) for p in (1, 1001)]


def _row(p: int) -> Array:
    return encode(p, 512)


def _sinusoid_equal(*, code: Callable[[int], Array] = _row, d_model: int = 512) -> Verdict:
    step = float(offset_distance(1, d_model))
    counts = np.ptp(np.diff(count(1002))) == 0 and bool(_shear_and_score())
    return Verdict(bool(counts) and equal(_steps(code), step), {"step": step})


def _gaps(*, code: Code = over_length) -> Verdict:
    found = [np.diff(code(n)) for n in (4, 40)]
    right = [equal(gap, told) for gap, told in zip(found, (0.25, 0.025), strict=True)]
    short, long = (float(np.diff(over_last(n))[0]) for n in (4, 40))
    return Verdict(all(right), {"short": short, "long": long})


def _fixed(n: int) -> Array:
    return over_maximum(n, maximum=512)


def _fails(*, maximum: int = 512) -> Verdict:
    """Whether a longer text leaves the interval from 0 to 1."""
    return Verdict(float(over_maximum(maximum + 2, maximum=maximum)[-1]) > 1)


def _gap_stays_and_collides() -> Verdict:
    found = collisions(round_to(_fixed(512), "bfloat16"))
    first, second = found.first or (-1, -1)
    fails = bool(_fails()) and found.first is not None
    return Verdict(bool(one_gap(_fixed)) and fails, {"first": first, "second": second})


def _end_to_end(*, code: Code = over_last) -> Verdict:
    three, five = code(3).tolist(), code(5).tolist()
    written = three == [0, 0.5, 1] and five == [0, 0.25, 0.5, 0.75, 1]
    other = dict(zip("abc", map(float, over_length(3)), strict=True))
    return Verdict(written and bool(refuses(over_last, 1)), other)


def _second_words(code: Code) -> list[float]:
    return [float(code(n)[1]) for n in (2, 4)]


def _one_half(*, code: Code = over_last) -> Verdict:
    found = _second_words(code)
    return Verdict(found == [1, 1 / 2], {"over the length": float(over_length(4)[1])})


def _one_third(*, code: Code = over_last, words: int = 4) -> Verdict:
    found = _second_words(code)
    from_one = _second_words(over_length_from_one)[1]
    return Verdict(found == [1, 1 / 3], {"by the program": found[1], "from one": from_one})


def _same_place(*, code: Code = over_last) -> Verdict:
    second, fourth = _second_words(code)
    return Verdict(second == fourth, {"of two": second, "of four": fourth})


def _decay(p: Array) -> Array:
    return np.exp(-0.1 * p)


def _needs_a_period(*, code: Callable[[Array], Array] = _decay) -> Verdict:
    """Whether a code without a period has no law."""
    p = np.arange(50.0)
    returns = bool((np.diff(code(p)) >= 0).any()) and bool((np.diff(code(p)) <= 0).any())
    return Verdict(not one_map_for_each_shift(code(p)) and not returns)


def _law_and_bound(*, tokens: float = 50) -> Verdict:
    p = np.arange(-tokens, tokens)
    rows = encode(p, 2)
    grows = float(_decay(p).max())
    bounded = float(np.abs(rows).max()) <= 1 < grows and not _returns(d_model=512)
    law = bool(one_map_for_each_shift(rows)) and not one_map_for_each_shift(np.abs(np.sin(p)))
    return Verdict(bounded and law, {"decay": grows})


def _turns(d_model: int, base: int = 10_000) -> int:
    """After how many turns of the first pair a row comes back, 0 for never.

    Frequencies of rational ratio do; that of neighbours, the base to the power -1 / pairs, is irrational
    unless the base is that power of a whole number.
    """
    pairs = d_model // 2
    root = round(base ** (1 / pairs))
    return root ** (pairs - 1) if root**pairs == base else 0


def _returns(*, d_model: int = 512, base: int = 10_000) -> Verdict:
    """Whether a row comes back over the real numbers."""
    turns = _turns(d_model, base)
    back = encode(2 * math.pi * turns, d_model, base=base)
    return Verdict(turns > 0 and equal(back, encode(0, d_model, base=base), FITTED))


def _nearest(*, narrow: int = 16, within: int = 100_000) -> Verdict:
    widths = [d for d in range(2, narrow, 2) if _returns(d_model=d)]
    nearest, apart = closest_offset(within, narrow)
    small = ", ".join(map(str, widths[:-1])) + f" and {widths[-1]}"
    return Verdict(
        nearest == 1 and bool(_returns(d_model=8)),
        {"neighbour": float(apart), "small": small, "largest": widths[-1], "turns": _turns(widths[-1])},
    )


DECIDED = {
    "C014": Decided(_counted),
    "C015": Decided(_lakh),
    "C016": Decided(_dominates_when_added, _dominates_when_appended),
    "C017": Decided(_small_is_enough, instead=_conditioning),
    "C018": Decided(_gradient_is_lost, instead=_sine_is_as_discrete),
    "C019": Decided(_sine_is_continuous, because=_everywhere_is_enough, instead=_sine_is_continuous),
    "C020": Decided(_no_shift, instead=_shear_and_score),
    "C021": Decided(_no_shift, because=lambda code=_row: not equal(*_steps(code)), instead=_sinusoid_equal),
    "C022": Decided(_gaps),
    "C023": Decided(_fails, because=lambda code=_fixed: not one_gap(code), instead=_gap_stays_and_collides),
    "C024": Decided(given(_end_to_end, code=over_length), _end_to_end),
    "C025": Decided(_one_half, given(_one_half, code=over_length_from_one), _one_third),
    "C026": Decided(_same_place, instead=given(one_middle, over_last)),
    "C027": Decided(_needs_a_period, instead=_law_and_bound),
    "C028": Decided(_returns, instead=_nearest),
}
FAILS_WITH = {
    "C014": Change("counting begins with 0", of=f"{__name__}.count", put=lambda n: np.arange(float(n))),
    "C015": Change("the book has {pages} pages", {"pages": 400}),
    "C016": Change("positions are multiplied by {scale}", {"scale": 0.01}),
    "C017": Change("there are {few} words, as many as one divides by", {"few": 512}),
    "C018": Change("what is learned is rounded, and not what comes in", {"rounded": True}),
    "C019": Change("the function that has a value everywhere is the modulus", {"function": np.abs}),
    "C020": Change("the constant beside the count is 0", {"constant": 0.0}),
    "C021": Change("the code is the sine of the square", {"code": lambda p: np.sin([float(p * p)])}),
    "C022": Change("one divides by the last position", {"code": over_last}),
    "C023": Change("one divides by the length of the sentence", {"code": over_length}),
    "C024": Change("one divides by the length", {"code": over_length}),
    "C025": Change("one divides by the length", {"code": over_length}),
    "C026": Change("the code is the count", {"code": count}),
    "C027": Change("the code that is tried without a period is the root", {"code": np.sqrt}),
    "C028": Change("the width is {d_model}", {"d_model": 8}),
}
