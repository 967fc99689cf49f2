"""What a turned row of ones gives away, held to programs whose frequencies and factor are known."""

from typing import Any

import numpy as np
import pytest

import pe_book as pe
from pe_book.evidence.reference.rotations import mixed
from pe_book.evidence.reference.turned_rows import EXTENDED, rounded_turn, scaled_by
from pe_book.family.rotary.recovering import recovered

WHERE = [0, 1, 8, 64, 512, 4096]


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("name", EXTENDED)
def test_frequencies_and_factor_are_recovered(name: str, layout: Any) -> None:
    omega, on_rows = scaled_by(name, 64, 4, 4096)
    rows = on_rows * pe.rotate(np.ones((len(WHERE), 64)), WHERE, frequencies=omega, layout=layout)
    found, factors = recovered(rows, WHERE, layout=layout)
    np.testing.assert_allclose(found, omega, rtol=1e-11)
    np.testing.assert_allclose(factors, on_rows, rtol=1e-14)


def test_farther_positions_add_digits_to_slow_pairs_of_a_program_in_float32() -> None:
    omega = pe.frequencies(128)
    rows = pe.rotate(np.ones((len(WHERE), 128)), WHERE).astype("float32")
    off = [
        np.abs(recovered(rows[:n], WHERE[:n], layout="interleaved")[0] / omega - 1)[-1]
        for n in (2, len(WHERE))
    ]
    assert off[0] > 1e-4 > 1e-6 > off[1]


def test_the_other_direction_and_mixed_pairing_show() -> None:
    back = pe.rotate(np.ones((2, 8)), [0, -1])
    np.testing.assert_allclose(recovered(back, [0, 1], layout="interleaved")[0], -pe.frequencies(8))
    other = recovered(pe.rotate(np.ones((2, 8)), [0, 1]), [0, 1], layout="halves")[1]
    assert np.ptp(other) > 0.1  # read in the other layout, pairs have lengths of their own
    rows = [mixed(np.ones(8), position, table="halves", turn="interleaved") for position in (0, 1)]
    assert np.ptp(recovered(rows, [0, 1], layout="interleaved")[1]) > 0.1


def test_the_methods_of_the_table_differ_from_each_other() -> None:
    found = [np.append(*scaled_by(name, 8, 4, 1000)) for name in EXTENDED]
    apart = [np.abs(one - other).max() for i, one in enumerate(found) for other in found[:i]]
    assert min(apart) > 1e-5


@pytest.mark.parametrize(
    ("rows", "positions", "message"),
    [
        (np.ones((2, 4)), [1, 2], "positions must begin with 0 and 1"),
        (np.ones((3, 4)), [0, 1, 1], "positions must begin with 0 and 1 and rise"),
        (np.ones((3, 4)), [0, 1], r"rows must have shape \(2, d\), d even, got \(3, 4\)"),
        (np.ones((2, 3)), [0, 1], "d even"),
    ],
)
def test_rows_that_do_not_fit_are_refused(rows: Any, positions: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        recovered(rows, positions, layout="halves")


def test_each_rounding_leaves_what_the_page_says() -> None:
    seen = {
        stage: rounded_turn(32768, 128, rounded=stage, dtype="bfloat16")
        for stage in ("positions", "frequencies", "angles", "table")
    }
    assert seen["positions"].different == 1  # numbers of bfloat16 are 128 apart here
    assert (seen["frequencies"].different, seen["frequencies"].fastest_off) == (64, 0)
    assert seen["frequencies"].others_off > 1
    assert seen["angles"].fastest_off > 1
    assert max(seen["table"][1:]) < 2**-7
    assert rounded_turn(32768, 128, rounded="positions", dtype="float16").different == 5  # 16 apart
    assert np.isnan(rounded_turn(70000, 8, rounded="positions", dtype="float16").fastest_off)
