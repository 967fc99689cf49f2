"""Holds pe_book.sinusoidal.waves, and what the chapter says with it, to their word."""

import itertools
import math
import tracemalloc
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp, mpf

from pe_book.evidence.claims import stands
from pe_book.evidence.sinusoidal import waves as verdicts
from pe_book.sinusoidal.distance import kernel, similarity
from pe_book.sinusoidal.distance.offsets import closest_offset, offset_distance
from pe_book.sinusoidal.formula import encode, frequencies, wavelengths
from pe_book.sinusoidal.waves import column_range, quiet_columns, turning_pairs, waking_length
from pe_book.sinusoidal.waves.aliasing import alias, multiplied
from pe_book.sinusoidal.waves.digits import digits, read_dials
from tests.seeds import examples_drawn

# planted in the package: file, what stands there, what is planted; the numbers of the page have to move
PLANTED = {
    "base": [
        ("pe_book/sinusoidal/formula.py", "np.power(base, ", "np.power(1.5 * base, "),
        ("pe_book/numerics/exact.py", "context.log(base)", "context.log(1.5 * base)"),
    ],
}

WIDTHS = st.sampled_from([2, 4, 6, 8, 16, 64, 128])
few = examples_drawn(30)


# Exact small tables -----------------------------------------------------------------------------------------


def test_the_dials_of_width_eight_are_a_decimal_odometer() -> None:
    np.testing.assert_allclose(wavelengths(8) / (2 * np.pi), [1, 10, 100, 1000], rtol=1e-14)
    assert digits(759).tolist() == [7, 5, 9]
    assert digits(759, places=4).tolist() == [0, 7, 5, 9]
    turns = 759 * frequencies(8) / (2 * np.pi)
    assert np.floor(turns).tolist() == [120, 12, 1, 0]  # 759/6.2832 = 120.8, and a tenth each time


def test_a_column_of_two_rows_has_the_difference_as_its_range() -> None:
    expected = [math.sin(1), 1 - math.cos(1), math.sin(0.01), 1 - math.cos(0.01)]
    np.testing.assert_allclose(column_range(2, 4), expected, rtol=1e-12, atol=1e-16)


def test_one_row_has_no_range_and_no_turn() -> None:
    assert column_range(1, 6).tolist() == [0.0] * 6
    assert quiet_columns(1, 6) == 6
    assert turning_pairs(1, 6) == 0


def test_a_turn_is_counted_when_the_steps_cover_it() -> None:
    # 2*pi lies between 6 and 7 steps; 20*pi between 62 and 63; n tokens have n-1 steps
    assert [turning_pairs(n, 8) for n in (7, 8, 63, 64)] == [0, 1, 1, 2]


def test_the_distance_of_neighbours_at_width_two_is_a_chord() -> None:
    assert offset_distance(1, 2) == pytest.approx(2 * math.sin(0.5), rel=1e-15)
    assert offset_distance([[0, 3], [1, -1]], 2).shape == (2, 2)


def test_the_alias_is_found_by_taking_whole_turns_away() -> None:
    np.testing.assert_allclose(
        alias([1, 10, 100, 1000]), [1, 10 - 4 * np.pi, 100 - 32 * np.pi, 1000 - 318 * np.pi], rtol=1e-12
    )
    assert alias(0.0) == 0
    assert alias(frequencies(512)).tolist() == frequencies(512).tolist()  # the paper's ladder folds nothing


# Properties -------------------------------------------------------------------------------------------------


@few
@given(p=st.integers(-1000, 1000), k=st.integers(-1000, 1000), d=WIDTHS)
def test_distance_depends_on_the_offset_alone(p: int, k: int, d: int) -> None:
    rows = encode([p, p + k], d)
    assert np.linalg.norm(rows[1] - rows[0]) == pytest.approx(float(offset_distance(k, d)), abs=1e-10)
    assert offset_distance(k, d) == offset_distance(-k, d)
    assert 0 <= offset_distance(k, d) <= np.sqrt(2 * d)


@few
@given(k=st.integers(-(10**6), 10**6), d=WIDTHS)
def test_the_two_forms_of_the_distance_agree(k: int, d: int) -> None:
    cosines = 2 * np.sum(1 - np.cos(k * frequencies(d)))
    assert offset_distance(k, d) ** 2 == pytest.approx(float(cosines), rel=1e-9, abs=1e-9)


def test_small_distances_keep_their_digits() -> None:
    # for a small angle the chord is the angle, to relative accuracy angle**2 / 24
    assert offset_distance(1e-9, 2) == pytest.approx(1e-9, rel=1e-12, abs=0)
    assert 2 * (1 - math.cos(1e-9)) == 0  # what the other form would have made of it


@few
@given(n=st.integers(1, 60), d=WIDTHS, ladder=st.sampled_from(["paper", "tensor2tensor"]))
def test_ranges_and_counts_agree_with_a_loop_over_the_columns(n: int, d: int, ladder: Any) -> None:
    table = encode(range(n), d, ladder=ladder)
    ranges = [max(column) - min(column) for column in table.T.tolist()]
    assert column_range(n, d, ladder=ladder).tolist() == ranges
    assert quiet_columns(n, d, threshold=0.25, ladder=ladder) == sum(r < 0.25 for r in ranges)
    turned = sum((n - 1) / wave >= 1 for wave in wavelengths(d, ladder=ladder).tolist())
    assert turning_pairs(n, d, ladder=ladder) == turned


@few
@given(n=st.integers(1, 400), d=WIDTHS)
def test_more_tokens_never_quieten_a_column(n: int, d: int) -> None:
    assert (column_range(n + 1, d) >= column_range(n, d)).all()
    assert quiet_columns(n + 1, d) <= quiet_columns(n, d)
    assert turning_pairs(n + 1, d) >= turning_pairs(n, d)


@few
@given(number=st.integers(0, 10**12), radix=st.integers(2, 16), extra=st.integers(0, 3))
def test_digits_make_the_number_again(number: int, radix: int, extra: int) -> None:
    shown = digits(number, radix=radix)
    assert all(0 <= digit < radix for digit in shown)
    assert sum(int(digit) * radix**j for j, digit in enumerate(shown[::-1])) == number
    padded = digits(number, radix=radix, places=len(shown) + extra)
    assert padded.tolist() == [0] * extra + shown.tolist()


@few
@given(base=st.floats(1.5, 1e6), ladder=st.sampled_from(["paper", "tensor2tensor"]))
def test_base_and_ladder_reach_every_count(base: float, ladder: Any) -> None:
    table = encode(range(40), 16, base=base, ladder=ladder)
    quiet = np.count_nonzero(table.max(axis=0) - table.min(axis=0) < 0.1)
    assert quiet_columns(40, 16, base=base, ladder=ladder) == quiet
    turned = np.count_nonzero(39 / wavelengths(16, base=base, ladder=ladder) >= 1)
    assert turning_pairs(40, 16, base=base, ladder=ladder) == turned
    apart = np.linalg.norm(table[1:] - table[0], axis=1)
    np.testing.assert_allclose(offset_distance(range(1, 40), 16, base=base, ladder=ladder), apart, atol=1e-12)
    k, distance = closest_offset(39, 16, base=base, ladder=ladder)
    assert distance == pytest.approx(float(apart.min()), abs=1e-12)
    assert apart[k - 1] == pytest.approx(distance, abs=1e-12)


@few
@given(n=st.integers(1, 300), d=WIDTHS)
def test_the_closest_offset_is_the_first_minimum_of_a_full_search(n: int, d: int) -> None:
    distances = [float(offset_distance(k, d)) for k in range(1, n + 1)]
    k, distance = closest_offset(n, d)
    assert distance == pytest.approx(min(distances), rel=1e-14)
    assert distances[k - 1] == pytest.approx(min(distances), rel=1e-14)


def test_the_search_crosses_its_blocks() -> None:
    # 710/113 and 103993/16551 are close to 2*pi; the second offset lies several blocks after the first
    assert closest_offset(103_992, 2)[0] == 710
    k, distance = closest_offset(103_993, 2)
    assert k == 103_993
    with mp.workdps(30):
        assert distance == pytest.approx(float(2 * abs(mp.sin(mpf(k) / 2))), rel=1e-6)


@few
@given(
    omega=st.floats(-1e4, 1e4, allow_nan=False),
    p=st.integers(-50, 50),
)
def test_an_alias_reads_the_same_at_whole_positions_and_is_the_slowest(omega: float, p: int) -> None:
    slow = float(alias(omega))
    assert abs(slow) <= np.pi * (1 + 1e-12)
    assert math.sin(slow * p) == pytest.approx(math.sin(omega * p), abs=1e-8)
    assert math.cos(slow * p) == pytest.approx(math.cos(omega * p), abs=1e-8)


@pytest.mark.parametrize("d", [2, 8, 64, 128])
def test_the_waking_length_is_the_first_without_a_quiet_column(d: int) -> None:
    n = waking_length(d)
    assert quiet_columns(n, d) == 0 < quiet_columns(n - 1, d)
    # the last to wake is the cosine of the slowest pair: 1 - cos((n-1) omega) has to reach 0.1
    assert n == 1 + math.ceil(math.acos(0.9) / frequencies(d)[-1])


def test_the_waking_length_hears_its_threshold_and_its_ladder() -> None:
    assert waking_length(8, threshold=0.5) > waking_length(8)
    assert waking_length(8, base=100) < waking_length(8) < waking_length(8, ladder="tensor2tensor")


def test_the_dials_of_width_eight_read_by_hand() -> None:
    slowest, third, second, first = read_dials(759, 8, reading_error=1 / 20)
    assert [r.pair for r in (slowest, third, second, first)] == [3, 2, 1, 0]
    assert slowest.shown == 759
    assert [r.within for r in (slowest, third, second, first)] == pytest.approx([50, 5, 0.5, 0.05])
    assert third.shown == pytest.approx(759 - 200 * np.pi)  # one whole turn lost
    assert second.shown == pytest.approx(759 - 12 * 20 * np.pi)
    assert first.shown == pytest.approx(759 - 120 * 2 * np.pi)


@few
@given(position=st.integers(0, 6000), reading_error=st.floats(0.001, 0.25))
def test_dials_read_well_enough_leave_the_position_alone(position: int, reading_error: float) -> None:
    readings = read_dials(position, 8, reading_error=reading_error)
    assert [len(reading.left) for reading in readings] == [1] * 4
    assert all(reading.left[0] == pytest.approx(position, abs=1e-8) for reading in readings)


def test_dials_read_badly_leave_several_positions_and_never_lose_the_right_one() -> None:
    readings = read_dials(759, 8, reading_error=1)
    assert len(readings[-1].left) > 1
    for reading in readings:
        assert np.abs(reading.left - 759).min() < 1e-9
        turns = (reading.left - reading.shown) / reading.modulo
        np.testing.assert_allclose(turns, np.round(turns), atol=1e-9)


@few
@given(d=WIDTHS, p=st.integers(-200, 200))
def test_multiplied_rows_turn_by_the_alias_of_the_product(d: int, p: int) -> None:
    row = multiplied(p, d)
    folded = alias(1 / frequencies(d))
    np.testing.assert_allclose(row[0::2], np.sin(p * folded), atol=1e-8)
    np.testing.assert_allclose(row[1::2], np.cos(p * folded), atol=1e-8)
    assert multiplied([[p]], d).shape == (1, 1, d)


# Plausible mistakes that must be refused --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: column_range(0, 8), "n must be a whole number of at least 1, got 0"),
        (lambda: column_range(20, 7), "d_model must be even"),
        (lambda: quiet_columns(20, 8, threshold=0), "threshold must be above 0 and at most 2"),
        (lambda: quiet_columns(20, 8, threshold=2.5), "threshold must be above 0 and at most 2"),
        (lambda: turning_pairs(20, 8, base=1), "base must be greater than 1"),
        (lambda: digits(-1), "number must be a whole number of at least 0"),
        (lambda: digits(9, radix=1), "radix must be a whole number from 2 to 9223372036854775808, got 1"),
        (lambda: digits(759, places=2), "places must be at least 3 to show 759 in radix 10, got 2"),
        (lambda: offset_distance(np.nan, 8), "offsets must be finite"),
        (lambda: closest_offset(0, 8), "n must be a whole number of at least 1, got 0"),
        (lambda: alias([1.0, np.inf]), "frequencies must be finite"),
        (lambda: read_dials(6284, 8, reading_error=0.05), "position must be at least 0 and below 6283.19"),
        (lambda: read_dials(-1, 8, reading_error=0.05), "position must be at least 0"),
        (lambda: read_dials(759, 8, reading_error=0), "reading_error must be above 0 radians"),
        (lambda: waking_length(8, threshold=3), "threshold must be above 0 and at most 2"),
        (lambda: multiplied([np.nan], 8), "positions must be finite"),
        (lambda: alias([1.0, -2e8]), "frequencies must lie within ±1e\\+08"),
    ],
)
def test_a_bad_value_is_named(call: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()


@pytest.mark.parametrize(
    ("function", "value"), [(column_range, 20.0), (turning_pairs, "20"), (closest_offset, True)]
)
def test_a_bad_type_is_named(function: Any, value: Any) -> None:
    with pytest.raises(TypeError, match="n must be a whole number"):
        function(value, 8)


# Claims of the ledger ---------------------------------------------------------------------------------------


def test_c029_sine_and_cosine_are_bounded_periodic_and_a_quarter_turn_apart() -> None:
    assert stands("C029")
    assert not stands("C029", ahead=-np.pi / 2)  # the wrong sign is the opposite wave


def test_c030_the_bound_comes_from_the_circle_not_from_the_period() -> None:
    assert stands("C030")
    table = encode(range(1000), 128)
    np.testing.assert_allclose(table[:, 0::2] ** 2 + table[:, 1::2] ** 2, 1, rtol=1e-14)


def test_c031_the_printed_sines_of_the_first_words() -> None:
    assert stands("C031")
    five = encode(range(5), 2)[:, 0]
    assert [f"{x:.3f}" for x in five[:3]] == ["0.000", "0.841", "0.909"]


def test_c048_the_last_wavelength_stops_short_of_the_papers_end() -> None:
    assert stands("C048")
    end = 2 * np.pi * 10000
    for d in (4, 6, 8, 128, 512, 4096):
        waves = wavelengths(d)
        assert waves[0] == pytest.approx(2 * np.pi, rel=1e-15)
        assert waves[-1] == pytest.approx(end * 10000 ** (-2 / d), rel=1e-12)
        assert waves[-1] < end
        assert wavelengths(d, ladder="tensor2tensor")[-1] == pytest.approx(end, rel=1e-12)
    shares = [wavelengths(d)[-1] / end for d in (6, 128, 512, 4096)]
    assert shares == sorted(shares)
    assert shares[0] < 0.05
    assert 0.96 < shares[2] < 0.97


def test_c049_the_wavelengths_are_a_geometric_progression() -> None:
    assert stands("C049")
    for d in (6, 128, 512):
        waves = wavelengths(d)
        np.testing.assert_allclose(waves[1:] / waves[:-1], 10000 ** (2 / d), rtol=1e-12)
    assert np.ptp(np.diff(wavelengths(128))) > 1000  # and not an arithmetic one


def test_c056_early_columns_swing_and_late_columns_hardly_move() -> None:
    assert stands("C056")
    ranges = column_range(50, 128)
    assert (ranges[:20] > 1.97).all()
    angle = 49 * frequencies(128)[-1]
    assert ranges[-2] == pytest.approx(math.sin(angle), rel=1e-12)
    assert ranges[-1] == pytest.approx(2 * math.sin(angle / 2) ** 2, rel=1e-9)
    assert ranges[-2] < 0.006
    assert ranges[-1] < 2e-5


def test_c057_the_closest_rows_of_the_heatmap_are_neighbours() -> None:
    found = stands("C057")
    assert found
    assert found.evidence["steps"] == 1
    k, distance = closest_offset(49, 128)
    assert k == 1
    assert distance == pytest.approx(found.evidence["apart"], rel=1e-12)
    assert distance > 1.95


def test_c058_a_hundred_words_do_not_wake_every_column() -> None:
    assert stands("C058")
    assert [quiet_columns(n, 128) for n in (50, 100, 500, 1000, 5000)] == [51, 42, 19, 10, 0]
    assert [quiet_columns(n, 128) for n in (3906, 3907)] == [1, 0]
    assert waking_length(128) == 3907
    assert turning_pairs(100, 128) == 20
    assert math.ceil(wavelengths(128)[-1] / 4) == 13_603  # a quarter wave of the last pair, in tokens


def test_c058_the_counts_of_the_base_model() -> None:
    lengths = (20, 50, 512, 5000)
    assert [quiet_columns(n, 512) for n in lengths] == [262, 208, 78, 0]
    assert [turning_pairs(n, 512) for n in lengths] == [31, 58, 123, 186]


def test_c059_bit_j_of_a_counter_changes_every_two_to_the_j() -> None:
    assert digits(5, radix=2).tolist() == [1, 0, 1]
    assert stands("C059")


def test_c060_neighbouring_waves_do_not_double() -> None:
    found = stands("C060")
    assert found
    assert 1.036 < found.evidence["ratio"] < 1.037
    assert 19 < found.evidence["octave"] < 20
    assert 10000 ** (2 / found.evidence["width"]) == pytest.approx(2, rel=1e-12)
    assert 26 < found.evidence["width"] < 27


def test_c060_a_pair_falls_behind_its_neighbour_slowly_and_a_bit_by_half() -> None:
    rates = frequencies(512)
    for i in (0, 100, 254):  # behind by the same angle at every rung, once hand i has turned
        behind = 2 * np.pi - rates[i + 1] * wavelengths(512)[i]
        assert behind == pytest.approx(2 * np.pi * (1 - 10000 ** (-2 / 512)), rel=1e-9)
        assert 0.22 < behind < 0.23


def test_c066_codes_move_apart_up_to_a_point_and_bits_do_not() -> None:
    assert stands("C066")
    distances = offset_distance(np.arange(1, 1001), 512)
    assert (np.diff(distances[:43]) > 0).all()
    assert distances[43] < distances[42]
    flips = [bin(a ^ b).count("1") for a, b in ((6, 7), (7, 8), (7, 15))]
    counted = [
        np.sum(digits(a, radix=2, places=4) != digits(b, radix=2, places=4))
        for a, b in ((6, 7), (7, 8), (7, 15))
    ]
    assert counted == flips == [1, 4, 1]  # 15 is farther from 7 than 8 is, and its bits are nearer
    assert verdicts.steps_are_equal(encode(range(50), 512))
    similarity = 1 - distances[0] ** 2 / 512  # rows of squared length 256
    assert 0.973 < similarity < 0.9731


def test_multiplied_rows_are_no_better_between_known_positions_than_random_ones() -> None:
    tables = {
        "printed": encode(range(100), 512),
        "multiplied": multiplied(range(100), 512),
        "random": np.random.default_rng(1).standard_normal((100, 512)),
    }
    known, asked = np.arange(0, 100, 2), np.arange(1, 99, 2)
    error = {}
    for name, table in tables.items():
        for centred in (True, False):  # the verdict hangs on neither choice
            rows, middle = (table - table[known].mean(axis=0), known.mean()) if centred else (table, 0.0)
            fit = np.linalg.lstsq(rows[known], known - middle, rcond=None)[0]
            error[name, centred] = np.abs(rows[asked] @ fit + middle - asked).mean()
    guess = np.abs(asked - known.mean()).mean()
    for centred in (True, False):
        assert error["printed", centred] < 1e-3
        assert error["multiplied", centred] > guess
        assert error["random", centred] > guess


def test_c061_the_printed_frequencies_of_width_512() -> None:
    assert stands("C061")


def test_c062_fifty_rows_fill_few_of_their_128_dimensions() -> None:
    assert stands("C062")
    table = encode(range(50), 128)
    np.testing.assert_allclose(np.linalg.norm(table, axis=1), 8, rtol=1e-14)
    squares = np.linalg.svd(table, compute_uv=False) ** 2
    assert squares.sum() == pytest.approx(50 * 64, rel=1e-12)
    share = np.cumsum(squares) / squares.sum()
    assert share[14] < 0.99 <= share[15]  # sixteen directions hold 99 percent
    noise = np.linalg.svd(np.random.default_rng(0).standard_normal((50, 128)), compute_uv=False) ** 2
    assert (np.cumsum(noise) / noise.sum())[15] < 0.6  # fifty random rows do not


def test_c063_column_zero_alone_tells_whole_positions_apart() -> None:
    assert stands("C063")
    column = encode(range(20_000), 2)[:, 0]
    gaps = np.diff(np.sort(column))
    assert gaps.min() > 0
    # sin p = sin q needs p - q or p + q to be a whole number of half turns; 355 comes closest, and is not one
    with mp.workdps(40):
        assert min(abs(mp.sin(mpf(k))) for k in range(1, 40_000)) == abs(mp.sin(mpf(355))) > 3e-5


def test_c063_the_cosine_alone_cannot_tell_p_from_minus_p() -> None:
    assert encode([-3, 3], 2)[:, 1].tolist() == [math.cos(3)] * 2
    assert encode(-3, 2)[0] != encode(3, 2)[0]


def test_c064_the_margin_depends_on_the_width() -> None:
    assert stands("C064")
    found = {d: closest_offset(100_000, d)[0] for d in (2, 4, 6, 8, 16, 32, 64, 128, 512)}
    assert found == {2: 710, 4: 84_823, 6: 32_082, 8: 69_115, 16: 1, 32: 1, 64: 1, 128: 1, 512: 1}


@pytest.mark.parametrize(("d", "k"), [(2, 710), (4, 84_823), (6, 32_082), (8, 69_115), (16, 1), (512, 1)])
def test_c064_the_margin_in_forty_digits(d: int, k: int) -> None:
    with mp.workdps(40):
        halves = [mpf(k) * mpf(10000) ** (-mpf(2 * i) / d) / 2 for i in range(d // 2)]
        exact = 2 * mp.sqrt(sum(mp.sin(half) ** 2 for half in halves))
        assert float(offset_distance(k, d)) == pytest.approx(float(exact), rel=1e-9)


def test_c064_the_return_of_width_eight_is_eleven_turns_of_every_hand() -> None:
    period = 2000 * np.pi  # a whole number of turns of each of the four hands
    assert abs(69_115 - 11 * period) < 0.05
    assert offset_distance(69_115, 8) == pytest.approx(
        float(offset_distance(69_115 - 11 * period, 8)), rel=1e-6
    )
    assert min(abs(10000 ** (2 / 6) % 1), 1 - 10000 ** (2 / 6) % 1) > 0.4  # no such ratio at width 6


def test_c064_the_table_returns_to_itself_over_the_reals_at_three_widths_only() -> None:
    for d, period in ((2, 2 * np.pi), (4, 200 * np.pi), (8, 2000 * np.pi)):
        np.testing.assert_allclose(encode(period, d), encode(0, d), atol=1e-11)
        assert d == 2 or verdicts.all_hands_return(period, d)
        assert offset_distance(round(period), d) > 1e-4
    # 10000**(2/d) is a root of the whole number 10**8, so it is rational only where it is whole
    assert [d for d in range(4, 200, 2) if round(10 ** (8 / d)) ** d == 10**8] == [4, 8]


# Far out, and at the ends of what there is ------------------------------------------------------------------


def test_distances_lose_nothing_far_out() -> None:
    for d, base, ladder in ((64, 10000.0, "paper"), (6, 500.0, "tensor2tensor")):
        rungs = d // 2 if ladder == "paper" else d // 2 - 1
        for k in (2**50 + 1, -(10**15) - 7, 2**53, 2.0**40 + 0.5, 0.25):
            with mpmath.workdps(60):
                angles = [mpmath.mpf(k) * mpmath.mpf(base) ** (mpmath.mpf(-i) / rungs) for i in range(d // 2)]
                exact = float(2 * mpmath.sqrt(mpmath.fsum(mpmath.sin(a / 2) ** 2 for a in angles)))
            found = float(offset_distance(k, d, base=base, ladder=ladder))  # type: ignore[arg-type]
            assert found == pytest.approx(exact, rel=0, abs=1e-15 * math.sqrt(2 * d))
            assert found == offset_distance(-k, d, base=base, ladder=ladder)  # type: ignore[arg-type]


def test_long_tables_and_many_offsets_need_little_memory() -> None:
    whole = 8 * 20_000 * 512
    for call in (
        lambda: column_range(20_000, 512),
        lambda: offset_distance(np.arange(20_000), 512),
        lambda: closest_offset(20_000, 512),
    ):
        call()
        tracemalloc.start()
        call()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < whole / 4


def test_pieces_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    offsets, rates = np.arange(-50, 60), frequencies(6)
    for n in (709, 710, 711, 720):
        monkeypatch.setattr("pe_book.numerics.chunks._AT_ONCE", 2**20)
        whole = (
            closest_offset(n, 2),
            offset_distance(offsets, 6),
            similarity(offsets, 6),
            kernel(offsets, rates),
        )
        ranges = column_range(n, 8)
        assert (whole[0][0] == 710) == (n >= 710)
        for at_once in (1, 10, 71):
            monkeypatch.setattr("pe_book.numerics.chunks._AT_ONCE", at_once)
            found = (
                closest_offset(n, 2),
                offset_distance(offsets, 6),
                similarity(offsets, 6),
                kernel(offsets, rates),
            )
            assert found[0] == whole[0]
            for a, b in zip(found[1:], whole[1:], strict=True):
                np.testing.assert_allclose(a, b, rtol=0, atol=4e-16)
            assert np.array_equal(column_range(n, 8), ranges)


def test_work_without_end_is_refused_with_its_amount() -> None:
    for call in (column_range, quiet_columns, closest_offset):
        with pytest.raises(
            ValueError, match=r"n must be smaller: 1000000000000 and d_model = 8 would take \d+ sines"
        ):
            call(10**12, 8)  # type: ignore[operator]


@few
@given(
    d=WIDTHS,
    threshold=st.floats(0.01, 1.99) | st.sampled_from([0.1, 1.0, 1.75, 1.76]),
    base=st.sampled_from([1.5, 10.0, 1000.0]),
    ladder=st.sampled_from(["paper", "tensor2tensor"]),
)
@example(
    d=4, threshold=0.921, base=1.05, ladder="paper"
)  # the faster pair wakes later: its crest falls between
def test_the_waking_length_is_where_the_last_column_wakes(
    d: int, threshold: float, base: float, ladder: Any
) -> None:
    convention: dict[str, Any] = {"threshold": threshold, "base": base, "ladder": ladder}
    n = waking_length(d, **convention)
    assert quiet_columns(n, d, **convention) == 0 < quiet_columns(n - 1, d, **convention)


def test_slow_ladders_wake_without_a_table_of_that_length() -> None:
    # the last cosine has moved by a tenth when its angle is arccos 0.9; no other column wakes later
    for d, base in ((512, 1e12), (6, 1e12), (2**16, 1e9)):
        expected = math.acos(0.9) / float(frequencies(d, base=base)[-1])
        assert waking_length(d, base=base) - 1 == pytest.approx(expected, rel=1e-12, abs=1)
    with pytest.raises(ValueError, match=r"base must be smaller, got 1e\+300: at d_model = 8"):
        waking_length(8, base=1e300)


def test_the_range_of_a_whole_wave_is_never_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pe_book.sinusoidal.waves.MOST_ENTRIES", 2**12)
    with pytest.raises(ValueError, match="threshold must be below 2"):
        waking_length(8, threshold=2)
    with pytest.raises(ValueError, match=r"threshold must be smaller, got 1\.99999999: .* 2048 tokens"):
        waking_length(2, threshold=1.99999999)


def test_longer_than_any_wave_every_pair_has_turned() -> None:
    assert turning_pairs(10**400, 8) == turning_pairs(10**5000, 8, base=1e300) == 4
    assert turning_pairs(2**70, 8, base=1e300) == 1


def test_an_odometer_shows_long_numbers_and_refuses_what_it_cannot() -> None:
    assert digits(10**5000).tolist() == [1] + [0] * 5000
    assert digits(2**63 - 1, radix=2**63).tolist() == [2**63 - 1]
    assert digits(3, places=10**6)[-2:].tolist() == [0, 3]
    with pytest.raises(ValueError, match=r"places must be smaller: 10000000000 would take 74\.5 GiB"):
        digits(5, places=10**10)
    with pytest.raises(ValueError, match=r"number must need at most 65536 digits, got about 1.00e"):
        digits(10**70000)
    with pytest.raises(ValueError, match="radix must be a whole number from 2 to 9223372036854775808"):
        digits(5, radix=2**63 + 1)
    with pytest.raises(
        ValueError, match=r"places must be at least 401 to show about 1\.00e\+400 in radix 10"
    ):
        digits(10**400, places=5)


def test_dials_are_read_far_out_to_a_part_of_their_hand() -> None:
    position, base = 2**50 + 12_345, 1e18
    readings = read_dials(position, 16, reading_error=0.001, base=base)
    assert readings[-1].left.tolist() == [position]
    with mpmath.workdps(60):
        for reading in readings:
            rate = mpmath.mpf(base) ** (mpmath.mpf(-reading.pair) / 8)
            exact = float(mpmath.fmod(position, 2 * mpmath.pi / rate))
            assert reading.shown == pytest.approx(exact, rel=1e-14, abs=1e-15 / float(rate))


def test_dials_that_leave_too_much_open_are_refused() -> None:
    with pytest.raises(ValueError, match=r"reading_error must be smaller: 0\.05 would take .* of memory"):
        read_dials(759, 4, reading_error=0.05, base=1e30)
    with pytest.raises(ValueError, match="reading_error must be above 0 radians, and at most pi, got 4"):
        read_dials(759, 8, reading_error=4)
    with pytest.raises(ValueError, match=r"2\*\*53"):
        read_dials(2.0**54, 8, reading_error=0.05, base=1e30)


@few
@given(position=st.integers(0, 6000), reading_error=st.floats(0.01, 3))
def test_what_the_dials_leave_open_is_all_that_they_allow(position: int, reading_error: float) -> None:
    readings = read_dials(position, 8, reading_error=reading_error)
    for before, after in itertools.pairwise(readings):
        turns = np.arange(-2000, 4000)
        places = after.shown + after.modulo * turns
        reach = before.within + after.within
        gaps = np.abs(places[:, np.newaxis] - before.left).min(axis=1)
        sure = np.abs(gaps - reach) > 1e-6
        allowed = places[(gaps < reach) & sure]
        assert np.isin(allowed.round(6), after.left.round(6)).all()
        assert (np.abs(after.left[:, np.newaxis] - before.left).min(axis=1) <= reach + 1e-6).all()
        assert (np.diff(after.left) > 0).all()


def test_the_mistake_is_computed_as_far_as_its_angles_are_known() -> None:
    p, d = 10_000, 8  # the fastest angle is 10**7
    with mpmath.workdps(60):
        angles = [mpmath.mpf(p) * mpmath.mpf(10000) ** (mpmath.mpf(i) / 4) for i in range(4)]
        exact = [float(f(a)) for a in angles for f in (mpmath.sin, mpmath.cos)]
    np.testing.assert_allclose(multiplied(p, d), exact, rtol=0, atol=1e-8)
    for bad, base in ((10**9, 10000.0), (2, 1e300), (2.0**53, 1e300)):
        with pytest.raises(
            ValueError, match=r"positions must lie within ±.* so that no angle is above 1e\+08"
        ):
            multiplied([0, bad], d, base=base)
