"""Each decision of the chapter on waves: true for the real thing, false for a plausible mistake."""

import numpy as np
import pytest

from pe_book.evidence.sinusoidal.waves import (
    all_hands_return,
    bits_are_independent,
    counter,
    lookup_gain,
    lookup_weight,
    margin_records,
    steps_are_equal,
    widths_are_even,
)
from pe_book.sinusoidal.distance.offsets import closest_offset, offset_distance
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.waves.aliasing import multiplied


def test_the_encoding_takes_equal_steps_and_a_counter_does_not() -> None:
    found = steps_are_equal(encode(range(50), 512))
    assert found
    assert found.evidence["longest step"] == pytest.approx(3.7143, abs=1e-4)
    bits = np.array([[p >> j & 1 for j in range(6)] for p in range(50)])
    assert np.array_equal(bits, counter(range(50), 6))
    assert not steps_are_equal(bits)
    assert not steps_are_equal(encode(range(50), 512).astype(np.float16))  # a table of few bits
    assert not steps_are_equal(encode([0, 1], 512))  # one step is equal to nothing


def test_widths_are_even_and_a_ladder_that_takes_others_is_noticed() -> None:
    found = widths_are_even(frequencies, 2 * np.log2(10000))
    assert found
    assert found.evidence == {"even": 14, "of": 14, "odd": 0, "asked": False}
    assert widths_are_even(frequencies, 27)  # an odd number is no width either
    assert not widths_are_even(frequencies, 26)  # this one is
    assert not widths_are_even(lambda d: frequencies(2 * round(d / 2)), 26.5)
    assert not widths_are_even(lambda d: frequencies(int(d)), 26.5)  # refuses the odd ones, not the fraction
    assert not widths_are_even(lambda d: frequencies(d if d % 4 == 0 else -1), 26.5)  # every other even one


@pytest.mark.parametrize("d", [4, 8])
def test_all_hands_return_after_the_longest_wave_where_its_ratio_is_whole(d: int) -> None:
    period = {4: 200, 8: 2000}[d] * np.pi
    found = all_hands_return(period, d)
    assert found
    assert found.evidence["quotient"] == pytest.approx(10000 ** (2 / d))  # m_0/m_1, and not its inverse
    assert all_hands_return(3 * period, d)


@pytest.mark.parametrize(
    ("distance", "d"),
    [
        (2 * np.pi * 10000, 6),  # where the sentence of the paper ends
        (6283, 8),  # the whole number beside the period
        (200 * np.pi, 8),  # the slowest hand is not back
        (0, 8),  # no distance is no return
    ],
)
def test_elsewhere_some_hand_is_not_back(distance: float, d: int) -> None:
    assert not all_hands_return(distance, d)


def test_the_look_up_hangs_on_the_gain_and_not_on_the_table() -> None:
    for n in (10, 100):
        printed, wrong = encode(range(n), 512), multiplied(range(n), 512)
        assert lookup_weight(printed) < 0.32 < 0.99 < lookup_weight(wrong)
        assert min(lookup_weight(printed, gain=20), lookup_weight(wrong, gain=20)) > 0.995
        assert 16 < lookup_gain(printed, 0.99) < 18
        assert lookup_gain(wrong, 0.99) < 1
        assert lookup_weight(printed, gain=lookup_gain(printed, 0.99)) == pytest.approx(0.99, abs=1e-9)
    # the gain stands for the size of the rows: twice the row is four times the score
    rows = encode(range(10), 512)
    assert lookup_weight(2 * rows) == pytest.approx(lookup_weight(rows, gain=4), rel=1e-12)


def test_a_look_up_among_equal_rows_cannot_succeed() -> None:
    assert lookup_weight(np.ones((4, 8)), gain=1000) == pytest.approx(1 / 4)
    with pytest.raises(ValueError, match="share must be reached"):
        lookup_gain(np.ones((4, 8)), 0.99)


@pytest.mark.parametrize("d", [2, 6, 8, 16, 64])
def test_the_records_of_a_margin_are_those_of_a_search_offset_by_offset(d: int) -> None:
    found, least = [], np.inf
    for k in range(1, 3001):
        distance = float(offset_distance(k, d))
        if distance < least:
            found.append(k)
            least = distance
    offsets, distances = margin_records(3000, d)
    assert offsets.tolist() == found
    np.testing.assert_allclose(distances, offset_distance(offsets, d), rtol=1e-13)
    assert (offsets[-1], distances[-1]) == (closest_offset(3000, d)[0], pytest.approx(least, rel=1e-13))


def test_bits_are_independent_up_to_a_power_of_two_alone() -> None:
    assert all(bits_are_independent(2**places) for places in range(1, 8))
    assert not any(bits_are_independent(n) for n in (3, 50, 63, 65, 100))
