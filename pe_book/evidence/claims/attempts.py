"""What decides the claims about the first attempts: C014 to C028."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.claims.claim import Change, Decided
from pe_book.evidence.verdict import Verdict
from pe_book.evidence.why.first_attempts import (
    moves_by_at_most_its_step,
    neighbour_is_nearest,
    one_gap,
    one_map_for_each_shift,
    one_middle,
)
from pe_book.numerics.rounding import collisions, round_to
from pe_book.sinusoidal.formula import encode, frequencies
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
from pe_book.why.norms import share_of_squares
from pe_book.why.sines import one_sine

Array = NDArray[np.float64]
Code = Callable[[int], Array]


def _counted(*, width: int = 512) -> Verdict:
    made = append(np.zeros((4, width)), count(4)).shape[1]
    return Verdict(count(4).tolist() == [1, 2, 3, 4] and made == 513, {"width": made})


def _lakh(*, pages: int = 500) -> Verdict:
    return Verdict(count(pages * 200)[-1] == 100_000, {"words": int(count(pages * 200)[-1])})


def _dominates_at_once() -> Verdict:
    share = share_of_squares(4, 512)
    return Verdict(share > 0.5, {"short": 100 * share})


def _dominates_later(*, scale: float = 1.0) -> Verdict:
    share = share_of_squares(100 * scale, 512)
    return Verdict(share > 0.9, {"long": 100 * share})


def _small_is_enough() -> Verdict:
    """Whether the same four words condition better once their positions are divided by 512."""
    small, raw, many = (
        condition_number(with_constant(code))
        for code in (over_maximum(4, maximum=512), count(4), over_maximum(512, maximum=512))
    )
    return Verdict(small < raw, {"small": small, "many": many})


def _conditioning(*, standardised: bool = False) -> Verdict:
    def features(n: int) -> Array:
        code = count(n)
        return with_constant((code - code.mean()) / code.std() if standardised else code)

    short, long = (condition_number(features(n)) for n in (4, 1000))
    return Verdict(long > 1000 * short, {"short": short, "long": long})


def _sine_is_smoother(*, step: float = 1.0) -> Verdict:
    sine = float(np.abs(np.diff(one_sine(np.arange(20) * step))).max())
    ratio = float(np.diff(over_last(20)).max())
    return Verdict(sine < ratio, {"sine": sine, "ratio": ratio})


def _sine_steps_further() -> Verdict:
    return Verdict(not _sine_is_smoother())


def _everywhere_is_enough(*, function: Callable[[Array], Array] = np.floor) -> Verdict:
    return moves_by_at_most_its_step(function, np.linspace(-10, 10, 401))


def _sine_is_continuous() -> Verdict:
    return moves_by_at_most_its_step(np.sin, np.linspace(-10, 10, 401))


def _no_shift(*, constant: float = 1.0) -> Verdict:
    moved = [(shear(10) @ [p, constant])[0] == p + 10 for p in range(100)]
    return Verdict(not all(moved))


def _shear_and_score() -> Verdict:
    large, small = np.linalg.svd(shear(10), compute_uv=False)
    told = all(counting_query(p) @ counting_key(3) == 3 - p for p in range(100))
    return Verdict(told and not _no_shift(), {"large": float(large), "little": float(small)})


def _steps(code: Callable[[int], Array]) -> list[float]:
    return [float(np.linalg.norm(code(p + 1) - code(p))) for p in (1, 1001)]


def _row(p: int) -> Array:
    return encode(p, 512)


def _sinusoid_differs(*, code: Callable[[int], Array] = _row) -> Verdict:
    near, far = _steps(code)
    return Verdict(abs(near - far) > 1e-9, {"step": near})


def _sinusoid_equal() -> Verdict:
    return Verdict(not _sinusoid_differs() and float(np.ptp(np.diff(count(1002)))) == 0)


def _gaps(*, code: Code = over_length) -> Verdict:
    found = [np.diff(code(n)) for n in (4, 40)]
    right = [np.allclose(gap, told, atol=1e-12) for gap, told in zip(found, (0.25, 0.025), strict=True)]
    last = float(np.diff(over_last(40))[0])
    return Verdict(all(right), {"over the last": last})


def _fixed(n: int) -> Array:
    return over_maximum(n, maximum=512)


def _gap_moves(*, code: Code = _fixed) -> Verdict:
    return Verdict(not one_gap(code))


def _gap_stays_and_collides() -> Verdict:
    found = collisions(round_to(_fixed(512), "bfloat16"))
    first, second = found.first or (-1, -1)
    return Verdict(bool(one_gap(_fixed)) and found.first is not None, {"first": first, "second": second})


def _end_to_end(*, code: Code = over_last) -> Verdict:
    three, five = code(3).tolist(), code(5).tolist()
    return Verdict(three == [0, 0.5, 1] and five == [0, 0.25, 0.5, 0.75, 1])


def _second_words(code: Code) -> list[float]:
    return [float(code(n)[1]) for n in (2, 4)]


def _one_half(*, code: Code = over_last) -> Verdict:
    found = _second_words(code)
    return Verdict(found == [1, 1 / 2], {"over the length": float(over_length(4)[1])})


def _one_third(*, code: Code = over_last) -> Verdict:
    found = _second_words(code)
    from_one = _second_words(over_length_from_one)[1]
    return Verdict(found == [1, 1 / 3], {"by the program": found[1], "from one": from_one})


def _counted_from_one() -> Verdict:
    return _one_half(code=over_length_from_one)


def _same_place(*, code: Code = over_last) -> Verdict:
    second, fourth = _second_words(code)
    return Verdict(second == fourth, {"of two": second, "of four": fourth})


def _middle() -> Verdict:
    return one_middle(over_last)


def _decay(p: Array) -> Array:
    return np.exp(-0.1 * p)


def _needs_a_period() -> Verdict:
    p = np.arange(50.0)
    returns = bool((np.diff(_decay(p)) >= 0).any())
    return Verdict(not one_map_for_each_shift(_decay(p)) or returns)


def _law_and_bound(*, code: Callable[[Array], Array] | None = None) -> Verdict:
    def pair(p: Array) -> Array:
        return encode(p, 2)

    p = np.arange(-50.0, 50.0)
    rows = (code or pair)(p)
    grows = float(_decay(p).max())
    bounded = float(np.abs(rows).max()) <= 1 < grows
    return Verdict(bounded and bool(one_map_for_each_shift(rows)), {"decay": grows})


def _returns(*, d_model: int = 512) -> Verdict:
    apart = float(np.abs(encode(2000 * math.pi, d_model) - encode(0, d_model)).max())
    return Verdict(apart < 1e-9, {"apart": apart})


def _nearest(*, d_model: int = 16) -> Verdict:
    found = neighbour_is_nearest(frequencies(d_model), within=100_000)
    return Verdict(bool(found) and bool(_returns(d_model=8)), {"neighbour": found.evidence["neighbour"]})


DECIDED = {
    "C014": Decided(
        _counted,
        fails_with=Change(
            "counting begins with 0", of=f"{__name__}.count", put=lambda n: np.arange(float(n))
        ),
    ),
    "C015": Decided(_lakh, fails_with=Change("the book has 400 pages", {"pages": 400})),
    "C016": Decided(
        _dominates_at_once,
        _dominates_later,
        fails_with=Change("positions are divided by 100", {"scale": 0.01}),
    ),
    "C017": Decided(
        _small_is_enough,
        _conditioning,
        fails_with=Change("the counts are standardised", {"standardised": True}),
    ),
    "C018": Decided(
        _sine_is_smoother,
        instead=_sine_steps_further,
        fails_with=Change("positions go on by a hundredth of a token", {"step": 0.01}),
    ),
    "C019": Decided(
        _everywhere_is_enough,
        instead=_sine_is_continuous,
        fails_with=Change("the function that has a value everywhere is the modulus", {"function": np.abs}),
    ),
    "C020": Decided(
        _no_shift,
        instead=_shear_and_score,
        fails_with=Change("the constant beside the count is 0", {"constant": 0.0}),
    ),
    "C021": Decided(
        _sinusoid_differs,
        instead=_sinusoid_equal,
        fails_with=Change("the code is the sine of the square", {"code": lambda p: np.sin([float(p * p)])}),
    ),
    "C022": Decided(_gaps, fails_with=Change("one divides by the last position", {"code": over_last})),
    "C023": Decided(
        _gap_moves,
        instead=_gap_stays_and_collides,
        fails_with=Change("one divides by the length of the sentence", {"code": over_length}),
    ),
    "C024": Decided(_end_to_end, fails_with=Change("one divides by the length", {"code": over_length})),
    "C025": Decided(
        _one_half,
        _counted_from_one,
        _one_third,
        fails_with=Change("one divides by the length", {"code": over_length}),
    ),
    "C026": Decided(
        _same_place, instead=_middle, fails_with=Change("the code is the count", {"code": count})
    ),
    "C027": Decided(
        _needs_a_period,
        _law_and_bound,
        fails_with=Change("the code is the modulus of a sine", {"code": lambda p: np.abs(np.sin(p))}),
    ),
    "C028": Decided(_returns, instead=_nearest, fails_with=Change("the width is 8", {"d_model": 8})),
}
