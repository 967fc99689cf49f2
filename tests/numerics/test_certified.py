"""Holds pe_book.numerics.certified to its word: what a bound leaves open, and its one rounding."""

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_book.numerics.certified import (
    SMALL,
    TINY,
    TINY_BOUND,
    CertifiedEntries,
    round_all_certified,
    round_certified,
    round_number,
    rounded,
    sieve,
    tiny_sine,
    undecided,
)
from pe_book.numerics.exact import nearest_frequencies
from pe_book.numerics.rounding import FORMATS, spacing
from tests import exactly
from tests.seeds import examples_drawn

few = examples_drawn(100)
FORMAT = st.sampled_from(sorted(FORMATS))
NUMBERS = st.floats(-1, 1, allow_subnormal=True) | st.floats(-1e-4, 1e-4) | st.floats(-1e-37, 1e-37)


def by_fractions(value: Fraction, rounding: str) -> float:
    """The nearest number of a format, ties to even, in rational arithmetic."""
    bits, least, _ = FORMATS[rounding]
    if value == 0:
        return 0.0
    exponent = 0
    while abs(value) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    while abs(value) < Fraction(2) ** exponent and exponent > least:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, least) - bits + 1)
    return float(round(value / unit) * unit)  # Python rounds a fraction's tie to even


@few
@given(x=NUMBERS, rounding=FORMAT)
def test_one_rounding_of_a_float64(x: float, rounding: str) -> None:
    right = by_fractions(Fraction(x), rounding)
    with np.errstate(under="ignore"):
        assert float(rounded(np.array([x]), rounding)[0]) == right
    assert round_number(mpmath.mpf(x), rounding) == right


@few
@given(x=st.floats(-1, 1), rounding=FORMAT, side=st.sampled_from([-1, 0, 1]))
def test_ties_and_what_is_a_hair_beside_them(x: float, rounding: str, side: int) -> None:
    nearest = by_fractions(Fraction(x), rounding)
    tie = Fraction(nearest) + Fraction(float(spacing(nearest, rounding))) / 2
    hair = Fraction(side, 2**300)
    with mpmath.mp.workprec(500):
        value = mpmath.mpf((tie + hair).numerator) / (tie + hair).denominator
        assert round_number(value, rounding) == by_fractions(tie + hair, rounding)


@few
@given(x=st.floats(-1, 1), rounding=FORMAT, bound=st.sampled_from([2.0**-50, 2.0**-40, 2.0**-30]))
def test_what_is_not_left_open_rounds_alike_within_the_window(x: float, rounding: str, bound: float) -> None:
    values = np.array([[x]])
    left_open = len(undecided(values, bound, rounding)[0])
    nearby = {float(rounded(np.array([x + t * bound]), rounding)[0]) for t in np.linspace(-2, 2, 41)}
    assert left_open or len(nearby) == 1
    assert not left_open or len(nearby) > 1


def test_the_window_is_twice_the_bound_on_both_sides() -> None:
    boundary, bound = 1 + 2.0**-24, 2.0**-45
    for factor, left_open in ((1.9, 1), (-1.9, 1), (2.1, 0), (-2.1, 0)):
        values = np.array([[0.5, 0.5, boundary + factor * bound]])
        rows, columns = undecided(values, bound, "float32")
        assert (rows.tolist(), columns.tolist()) == ([0] * left_open, [2] * left_open)


def sifted(values: Any, rounding: str) -> Any:
    add, mask = sieve(rounding)
    return (np.asarray(values).view(np.uint64).astype(np.uint32) + add) & mask == 0


@few
@given(
    x=st.floats(SMALL, 1),
    rounding=FORMAT,
    sign=st.sampled_from([-1, 1]),
    units=st.integers(-10, 10),
)
def test_the_sieve_lets_no_boundary_slip_through(x: float, rounding: str, sign: int, units: int) -> None:
    nearest = by_fractions(Fraction(x), rounding)
    boundary = nearest + float(spacing(nearest, rounding)) / 2  # a float64: the formats have fewer bits
    value = sign * (boundary + units * 2.0**-53)
    if SMALL <= abs(value) <= 1:
        assert sifted([value], rounding)[0]


@few
@given(
    p=st.integers(-(2**53), 2**53).filter(bool),
    log_base=st.floats(1, 300),
    pair=st.integers(1, 31),
)
def test_tiny_sines_keep_their_relative_bound(p: int, log_base: float, pair: int) -> None:
    base = 10.0**log_base
    omega = float(nearest_frequencies(64, base, "paper")[pair])
    if abs(p * omega) > TINY:
        return
    with mpmath.mp.workprec(2000):
        right = mpmath.sin(p * mpmath.mpf(base) ** (-mpmath.mpf(pair) / 32))
        found = mpmath.mpf(float(tiny_sine(np.array([p * omega]))[0]))
        assert abs(found / right - 1) < TINY_BOUND


@few
@given(
    rows=st.lists(st.integers(-3000, 3000), min_size=1, max_size=6),
    base=st.sampled_from([3.0, 1e4, 1e12, 1e60, 1e300]),
    rounding=FORMAT,
    d=st.sampled_from([2, 8, 64]),
)
def test_many_entries_are_settled_as_each_alone(rows: list[int], base: float, rounding: str, d: int) -> None:
    positions, columns = (part.ravel() for part in np.meshgrid(np.array(rows), np.arange(d), indexing="ij"))
    found = round_all_certified(positions, columns, d, base, "paper", rounding=rounding)
    options: dict[str, Any] = {"d_model": d, "base": base, "ladder": "paper", "rounding": rounding}
    alone = [
        round_certified(p, c // 2, cosine=c % 2 == 1, **options)
        for p, c in zip(positions.tolist(), columns.tolist(), strict=True)
    ]
    assert found.tolist() == alone
    assert np.array_equal(np.signbit(found), np.signbit(alone))


def test_entries_in_and_beside_some_rows() -> None:
    certified = CertifiedEntries(np.array([5, 6, 9]), np.array([0, 1, 2]), np.array([0.1, 0.2, 0.3]))
    assert certified.outside(6, 3).positions.tolist() == [5, 9]
    assert certified.joined(CertifiedEntries.none()).n_bytes() == certified.n_bytes() == 3 * 24


@pytest.mark.parametrize("base", [1e20, 1e60, 1e300])
def test_a_sine_far_below_every_format_is_settled_with_its_sign(base: float) -> None:
    # the last frequency of width 4 is base**-0.5
    for p in (3, -3):
        found = round_certified(p, 1, cosine=False, d_model=4, base=base, ladder="paper", rounding="float32")
        assert found == float(np.float32(p / math.sqrt(base)))
        assert math.copysign(1, found) == math.copysign(1, p)


@pytest.mark.parametrize("rounding", ["float32", "float16"])
@pytest.mark.parametrize("bits", [192, 66])  # two bits of doubt cannot round
def test_an_entry_gets_as_many_bits_as_it_needs(
    bits: int, rounding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pe_book.numerics.certified.WORKING_BITS", bits)
    options: dict[str, Any] = {"d_model": 6, "base": 10000.0, "ladder": "paper", "rounding": rounding}
    for p in (0, 1, 355, -7, 2**53):
        for cosine, right in enumerate(exactly.wave(p, 1, 6)):
            found = round_certified(p, 1, cosine=bool(cosine), **options)
            with mpmath.mp.workdps(60):
                assert found == by_fractions(Fraction(str(right)), rounding)
