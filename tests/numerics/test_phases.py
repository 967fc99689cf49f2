"""Holds pe_book.numerics.phases to its word: exact phases, and sines and cosines within 5/8 u."""

import sys
import threading
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pe_book.evidence.sinusoidal import ledger
from pe_book.numerics import phases
from pe_book.numerics.exact import exact_entry, exact_frequencies, nearest_frequencies, precisely
from pe_book.numerics.phases import SINE_COSINE_BOUND, phase_steps, sine_cosine, steps_of_a_turn
from pe_book.sinusoidal.formula import frequencies
from tests import exactly
from tests.seeds import examples_drawn

few = examples_drawn(60)
TURN = 2**64
FARTHEST = 2**53


def worst(positions: list[int], d: int, base: float, ladder: Any = "paper") -> float:
    """The largest error of a sine or cosine, in units of 2**-53, by mpmath alone."""
    sines, cosines = sine_cosine(np.array(positions), *phase_steps(d, base, ladder))
    right = np.array([exactly.waves(p, d, base, ladder) for p in positions])  # (n, d/2, 2)
    found = np.stack([sines, cosines], axis=-1).astype(object)
    with mpmath.mp.workprec(300):
        return float(np.abs(found - right).max() * 2**53)


@few
@given(
    d=st.sampled_from([2, 4, 30, 128]),
    base=st.floats(1.0001, 1e9),
    ladder=st.sampled_from(["paper", "tensor2tensor"]),
)
def test_a_step_is_a_whole_number_and_a_small_rest(d: int, base: float, ladder: Any) -> None:
    whole, rest = phase_steps(d, base, ladder)
    assert whole.dtype == np.uint64
    assert np.abs(rest).max() <= 0.5
    np.testing.assert_allclose(
        whole / TURN * 2 * np.pi, frequencies(d, base=base, ladder=ladder), rtol=1e-12, atol=1e-18
    )
    with mpmath.mp.workprec(250):
        for i in (0, d // 2 - 1):
            turns = exactly.angle(1, i, d, base, ladder) / (2 * mpmath.pi)
            assert abs(turns * TURN - int(whole[i]) - mpmath.mpf(float(rest[i]))) < 2.0**-53


def test_the_arrays_that_are_kept_cannot_be_changed() -> None:
    for array in phase_steps(8):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@few
@given(
    p=st.integers(-FARTHEST, FARTHEST),
    base=st.sampled_from([1.5, 100.0, 10000.0, 500000.0, 1e6, 1e8]),
    ladder=st.sampled_from(["paper", "tensor2tensor"]),
)
@example(p=FARTHEST, base=10000.0, ladder="paper")
@example(p=-FARTHEST, base=1e8, ladder="tensor2tensor")
def test_sines_and_cosines_keep_their_bound_everywhere(p: int, base: float, ladder: Any) -> None:
    assert SINE_COSINE_BOUND == 0.625 * 2.0**-53
    assert worst([p, p // 2**20, p % 1000], 8, base, ladder) < 0.625


def test_the_ledger_of_the_bound_adds_up() -> None:
    assert 0.55 < ledger.edge_bound() < 0.625
    assert round(ledger.edge_bound(), 2) == 0.59  # as the docstring says
    # with a term fewer in either series the bound would not hold
    assert ledger.edge_bound() + ledger.truncation(fewer=1) > 0.625
    assert ledger.edge_bound() + ledger.truncation(cosine=True, fewer=1) > 0.625
    assert ledger.truncation() + ledger.truncation(cosine=True) < 0.0002


def test_the_steps_of_a_turn_are_exact_to_twice_the_precision() -> None:
    near, left_over = steps_of_a_turn()
    assert len(near) == phases.STEPS == 256
    with mpmath.mp.workprec(200):
        for step, (number, rest) in enumerate(zip(near.tolist(), left_over.tolist(), strict=True)):
            angle = 2 * mpmath.pi * step / 256
            for part, more, function in (
                (number.real, rest.real, mpmath.sin),
                (number.imag, rest.imag, mpmath.cos),
            ):
                assert abs(mpmath.mpf(part) + more - function(angle)) < mpmath.mpf(2) ** -105
                assert abs(more) <= 2.0**-54
    assert near[[0, 64, 128, 192]].tolist() == [1j, 1, -1j, -1]


@pytest.mark.parametrize(
    "turned", [0, 2**55 - 1, 2**55, 2**56, 2**62 - 1, 2**62, 2**63, 2**64 - 2**55 - 1, 2**64 - 1]
)
def test_phases_at_the_seams_between_two_steps(turned: int) -> None:
    found = phases._wave(np.array([[turned]], np.uint64))[0, 0]
    with mpmath.mp.workprec(200):
        angle = 2 * mpmath.pi * turned / TURN
        for part, function in ((found.real, mpmath.sin), (found.imag, mpmath.cos)):
            assert abs(mpmath.mpf(float(part)) - function(angle)) < 0.625 * mpmath.mpf(2) ** -53


def test_near_the_ends_and_the_middle_of_a_quarter_turn() -> None:
    # continued fractions of pi: 355 is nearly 113 half turns, and so on
    nearly_whole = [22, 333, 355, 103993, 104348, 208341, 312689, 833719, 1146408, 4272943, 5419351, 80143857]
    for p in nearly_whole:
        assert worst([p, 2 * p, -p, p // 2, p // 4, 3 * p // 4], 2, 10000.0) < 0.625
    # the error relative to a tiny sine is small as well
    sine, _ = sine_cosine(np.array([80143857]), *phase_steps(2))
    assert sine[0, 0] == pytest.approx(float(mpmath.sin(80143857)), rel=1e-9, abs=0)


def test_exact_entries_of_whole_and_broken_positions() -> None:
    omega = exact_frequencies(6, bits=300)[1]
    with mpmath.mp.workprec(300):
        for place in (7, Fraction(-5, 2), Fraction(0.1), 2**53):
            angle = (
                mpmath.mpf(place.numerator) / place.denominator * mpmath.mpf(10000) ** (-mpmath.mpf(1) / 3)
            )
            sine = exact_entry(place, omega, cosine=False, bits=300)
            cosine = exact_entry(place, omega, cosine=True, bits=300)
            assert abs(sine - mpmath.sin(angle)) < mpmath.mpf(2) ** -240
            assert abs(cosine - mpmath.cos(angle)) < mpmath.mpf(2) ** -240


def test_more_bits_are_more_bits() -> None:
    coarse, fine = exact_frequencies(6, bits=60), exact_frequencies(6, bits=600)
    with precisely(700) as context:
        root = context.mpf(10000) ** (-context.mpf(1) / 3)
        assert 0 < abs(coarse[1] - root) < context.ldexp(root, -60)
        assert abs(fine[1] - root) < context.ldexp(root, -600)


@pytest.mark.parametrize("base", [1.5, 10000.0, 1e12, 1e300])
@pytest.mark.parametrize("ladder", ["paper", "tensor2tensor"])
def test_every_frequency_is_exact_in_its_own_digits_and_rounded_once(base: float, ladder: Any) -> None:
    d = 130
    exact, near = exact_frequencies(d, base=base, ladder=ladder), nearest_frequencies(d, base, ladder)
    with mpmath.mp.workprec(400):
        for i, (omega, number) in enumerate(zip(exact, near.tolist(), strict=True)):
            right = exactly.angle(1, i, d, base, ladder)
            assert abs(mpmath.mpf(omega) / right - 1) < mpmath.mpf(2) ** -190
            assert abs(mpmath.mpf(number) - right) <= np.spacing(number) / 2


def test_threads_do_not_share_a_precision() -> None:
    bits, found = [53, 200, 900, 64], {}

    def ask(number: int) -> None:
        values = []
        for _ in range(100):
            with precisely(number) as context:
                values.append(context.sqrt(2))
        found[number] = values

    asked = [threading.Thread(target=ask, args=(number,)) for number in bits]
    patience = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in asked:
            thread.start()
        for thread in asked:
            thread.join()
    finally:
        sys.setswitchinterval(patience)
    for number in bits:
        with precisely(number) as context:
            assert set(found[number]) == {context.sqrt(2)}
