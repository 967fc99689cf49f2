"""Sines and cosines without the rounding of the angle, against multiple precision, near and far."""

import math
import tracemalloc

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pe_book.numerics import angles
from pe_book.numerics.angles import sines_and_cosines
from pe_book.sinusoidal.formula import encode
from tests import exactly
from tests.seeds import examples_drawn

PROMISED = 1e-15  # of every entry, at every position
WHOLE, REAL = 1.8e-16, 8e-16  # what the docstring derives from numpy's own sine
UNIT_ROUNDOFF = 2.0**-53

widths = st.one_of(st.integers(1, 300).map(lambda pairs: 2 * pairs), st.just(4096))
bases = st.one_of(
    st.sampled_from([10000.0, 500.0, 1e6, 1e12, 1e300, math.nextafter(1, 2)]),
    st.floats(-16, 300).map(
        lambda exponent: max(1 + 10**exponent, math.nextafter(1, 2)) if exponent < 0 else 10**exponent + 1
    ),
)
ladders = st.sampled_from(["paper", "tensor2tensor"])
whole_positions = st.one_of(
    st.integers(-(2**53), 2**53),
    st.integers(0, 53).flatmap(lambda bits: st.integers(-(2**bits), 2**bits)),
)
real_positions = st.one_of(
    st.floats(-(2.0**53), 2.0**53),
    st.floats(-300, 53).map(lambda bits: 2.0**bits),
    st.integers(-(2**50), 2**50).map(lambda halves: halves + 0.5),
)
few = examples_drawn(80)


def some_pairs(d_model, data):
    drawn = data.draw(st.lists(st.integers(0, d_model // 2 - 1), max_size=3))
    return {0, d_model // 4, d_model // 2 - 1, *drawn}


def errors(position, d_model, base, ladder, pairs):
    row = encode(position, d_model, base=base, ladder=ladder)
    for pair in pairs:
        sine, cosine = exactly.wave(position, pair, d_model, base, ladder)
        yield float(abs(row[2 * pair] - sine))
        yield float(abs(row[2 * pair + 1] - cosine))


@pytest.mark.parametrize(("positions", "bound"), [(whole_positions, WHOLE), (real_positions, REAL)])
@few
@given(widths, bases, ladders, st.data())
def test_every_entry_is_right(positions, bound, d_model, base, ladder, data):
    drawn = errors(data.draw(positions), d_model, base, ladder, some_pairs(d_model, data))
    assert max(drawn) < bound < PROMISED


@pytest.mark.parametrize("position", [0, 1, 2**30, 10**12, 2**50, 2**53 - 1, 2**53, -(2**53)])
@pytest.mark.parametrize("ladder", ["paper", "tensor2tensor"])
def test_all_pairs_of_a_width_at_the_places_where_the_plain_formula_fails(position, ladder):
    assert max(errors(position, 512, 10000.0, ladder, range(256))) < WHOLE


@few
@given(
    st.one_of(st.integers(-(2**20), 2**20), st.floats(-1e6, 1e6), st.floats(-280, 0).map(lambda b: 2.0**b)),
    st.floats(3, 300).map(lambda exponent: 10**exponent),
    ladders,
)
@example(0.3, 1e300, "paper")
@example(-51.21954988654232, 3.217783062883192e90, "paper")
@example(-1, 1e19, "tensor2tensor")
def test_a_tiny_sine_is_right_beside_its_own_size(position, base, ladder):
    d_model = 16
    row = encode(position, d_model, base=base, ladder=ladder)
    for pair in range(d_model // 2):
        sine, _ = exactly.wave(position, pair, d_model, base, ladder)
        if 1e-290 < abs(exactly.angle(position, pair, d_model, base, ladder)) < 1:
            assert abs(row[2 * pair] / sine - 1) < 16 * UNIT_ROUNDOFF, pair


@pytest.mark.parametrize("position", [math.pi, 355, -6134899525417045, 4e15 + 0.5])
def test_the_first_angle_is_the_position_itself(position):
    # Near a whole number of half turns its sine is tiny, and right beside its own size.
    assert encode(position, 8)[:2].tolist() == exactly.row(position, 8)[:2].tolist()


def test_one_unit_of_phase_in_radians():
    with mpmath.workprec(200):
        unit = 2 * mpmath.pi / 2**64
        assert abs((mpmath.mpf(angles._HIGH) + mpmath.mpf(angles._LOW)) / unit - 1) < mpmath.mpf(2) ** -78
    # 26 bits, and a phase keeps 26: no product is rounded
    assert math.frexp(angles._HIGH)[0] * 2**26 % 1 == 0
    assert -int(angles._LEADING_BITS) == 2 * int(angles._HALF_OF_THE_REST) == 2 ** (63 - 26)


@few
@given(
    st.lists(st.one_of(whole_positions, real_positions), min_size=1, max_size=300),
    st.integers(1, 200).map(lambda pairs: 2 * pairs),
    ladders,
)
def test_a_position_gets_the_same_bits_alone_and_in_company(positions, d_model, ladder):
    positions = np.array(positions, dtype=np.float64)
    sines, cosines = sines_and_cosines(positions, d_model, 10000.0, ladder)
    assert sines.shape == cosines.shape == (positions.size, d_model // 2)
    for position, sine, cosine in zip(positions, sines, cosines, strict=True):
        alone = sines_and_cosines(position.reshape(()), d_model, 10000.0, ladder)
        assert alone[0].tolist() == sine.tolist()
        assert alone[1].tolist() == cosine.tolist()


@pytest.mark.parametrize(("rows", "d_model"), [(4096, 512), (1, 65536), (40_000, 2), (3, 65536)])
def test_memory_is_the_result_twice_and_a_little(rows, d_model):
    positions = np.arange(rows) + 2.0**40 + 0.25
    encode(positions[:1], d_model)  # so that the frequencies are known
    tracemalloc.start()
    result = encode(positions, d_model)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    on_the_way = 16 * 8 * max(2**14, d_model // 2)
    assert peak < 1.25 * (2 * result.nbytes + 2 * positions.nbytes + on_the_way)
