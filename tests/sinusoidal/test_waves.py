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

from pe_book.sinusoidal.distance import kernel, similarity
from pe_book.sinusoidal.distance.offsets import closest_offset, offset_distance
from pe_book.sinusoidal.formula import encode, frequencies, wavelengths
from pe_book.sinusoidal.waves import column_range, quiet_columns, turning_pairs, waking_length
from pe_book.sinusoidal.waves.aliasing import alias, multiplied
from pe_book.sinusoidal.waves.digits import digits, read_dials
from tests import exactly
from tests.seeds import examples_drawn

WIDTHS = st.sampled_from([2, 4, 6, 8, 16, 64, 128])
few = examples_drawn(30)


# Properties -------------------------------------------------------------------------------------------------


def test_small_distances_keep_their_digits() -> None:
    # for a small angle the chord is the angle, to relative accuracy angle**2 / 24
    assert offset_distance(1e-9, 2) == pytest.approx(1e-9, rel=1e-12, abs=0)
    assert 2 * (1 - math.cos(1e-9)) == 0  # what the other form would have made of it


@few
@given(
    n=st.integers(2, 60),
    d=WIDTHS,
    base=st.floats(1.5, 1e6),
    ladder=st.sampled_from(["paper", "tensor2tensor"]),
)
def test_ranges_counts_and_distances_agree_with_a_loop(n: int, d: int, base: float, ladder: Any) -> None:
    given: dict[str, Any] = {"base": base, "ladder": ladder}
    table = encode(range(n), d, **given)
    ranges = [max(column) - min(column) for column in table.T.tolist()]
    assert column_range(n, d, **given).tolist() == ranges
    assert quiet_columns(n, d, threshold=0.25, **given) == sum(r < 0.25 for r in ranges)
    turned = sum((n - 1) / wave >= 1 for wave in wavelengths(d, **given).tolist())
    assert turning_pairs(n, d, **given) == turned
    apart = np.linalg.norm(table[1:] - table[0], axis=1)
    np.testing.assert_allclose(offset_distance(range(1, n), d, **given), apart, atol=1e-12)
    k, distance = closest_offset(n - 1, d, **given)
    assert distance == pytest.approx(float(apart.min()), abs=1e-12)
    assert apart[k - 1] == pytest.approx(distance, abs=1e-12)


@few
@given(number=st.integers(0, 10**12), radix=st.integers(2, 16), extra=st.integers(0, 3))
def test_digits_make_the_number_again(number: int, radix: int, extra: int) -> None:
    shown = digits(number, radix=radix)
    assert all(0 <= digit < radix for digit in shown)
    assert sum(int(digit) * radix**j for j, digit in enumerate(shown[::-1])) == number
    padded = digits(number, radix=radix, places=len(shown) + extra)
    assert padded.tolist() == [0] * extra + shown.tolist()


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


def test_the_dials_of_width_eight_read_by_hand() -> None:
    slowest, third, second, first = read_dials(759, 8, reading_error=1 / 20)
    assert [r.pair for r in (slowest, third, second, first)] == [3, 2, 1, 0]
    assert slowest.shown == 759
    assert [r.within for r in (slowest, third, second, first)] == pytest.approx([50, 5, 0.5, 0.05])
    assert third.shown == pytest.approx(759 - 200 * np.pi)  # one whole turn lost
    assert second.shown == pytest.approx(759 - 12 * 20 * np.pi)
    assert first.shown == pytest.approx(759 - 120 * 2 * np.pi)


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
        (lambda: digits(759, places=2), "places must be at least 3 to show 759 in radix 10, got 2"),
        (lambda: read_dials(6284, 8, reading_error=0.05), "position must be at least 0 and below 6283.19"),
        (lambda: alias([1.0, -2e8]), "frequencies must lie within ±1e\\+08"),
    ],
)
def test_a_bad_value_is_named(call: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()


# Far out, and at the ends of what there is ------------------------------------------------------------------


def test_distances_lose_nothing_far_out() -> None:
    for d, base, ladder in ((64, 10000.0, "paper"), (6, 500.0, "tensor2tensor")):
        for k in (2**50 + 1, -(10**15) - 7, 2**53, 2.0**40 + 0.5, 0.25):
            exact = 2 * mpmath.norm([sine for sine, _ in exactly.waves(mpmath.mpf(k) / 2, d, base, ladder)])
            found = float(offset_distance(k, d, base=base, ladder=ladder))
            assert found == pytest.approx(float(exact), rel=0, abs=1e-15 * math.sqrt(2 * d))


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

    def found(n: int, at_once: int) -> tuple[Any, ...]:
        monkeypatch.setattr("pe_book.numerics.chunks._AT_ONCE", at_once)
        summed = offset_distance(offsets, 6), similarity(offsets, 6), kernel(offsets, rates)
        return closest_offset(n, 2), column_range(n, 8).tolist(), summed

    for n in (709, 710, 711, 720):
        *whole, summed = found(n, 2**20)
        assert (whole[0][0] == 710) == (n >= 710)
        for at_once in (1, 10, 71):
            *pieces, others = found(n, at_once)
            assert pieces == whole
            np.testing.assert_allclose(others, summed, rtol=0, atol=4e-16)


def test_the_search_for_the_last_column_that_wakes_crosses_its_blocks() -> None:
    rows = encode(np.arange(60_000), 2)
    ranges = np.maximum.accumulate(rows) - np.minimum.accumulate(rows)
    late = 1 + int(np.argmax(ranges.min(axis=1) >= 1.99999999))
    assert waking_length(2, threshold=1.99999999) == late > 2**15


@few
@given(
    d=WIDTHS,
    threshold=st.floats(0.01, 1.99) | st.sampled_from([0.1, 1.0, 1.75, 1.76]),
    base=st.sampled_from([1.5, 10.0, 1000.0]),
    ladder=st.sampled_from(["paper", "tensor2tensor"]),
)
# the faster pair wakes later: its crest falls between
@example(d=4, threshold=0.921, base=1.05, ladder="paper")
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


def test_longer_than_any_wave_every_pair_has_turned() -> None:
    assert turning_pairs(10**400, 8) == turning_pairs(10**5000, 8, base=1e300) == 4
    assert turning_pairs(2**70, 8, base=1e300) == 1


def test_dials_are_read_far_out_to_a_part_of_their_hand() -> None:
    position, base = 2**50 + 12_345, 1e18
    readings = read_dials(position, 16, reading_error=0.001, base=base)
    assert readings[-1].left.tolist() == [position]
    with mpmath.workdps(60):
        for reading in readings:
            rate = exactly.angle(1, reading.pair, 16, base)
            exact = float(mpmath.fmod(position, 2 * mpmath.pi / rate))
            assert reading.shown == pytest.approx(exact, rel=1e-14, abs=1e-15 / float(rate))


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
