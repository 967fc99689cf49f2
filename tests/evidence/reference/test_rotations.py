"""What the page on conventions decides about rotary: lines that differ, partners, directions, rows of 1."""

from typing import Any

import numpy as np
import pytest

import pe_book as pe
from pe_book.config import reading
from pe_book.evidence.reference import rotations
from pe_book.evidence.reference.rotations import (
    exponent_is_of_the_slice,
    given_as_halves,
    mixed,
    ones_hide_the_pairing,
    scores_mirrored,
    turned,
)
from pe_book.evidence.reference.turned_rows import EXTENDED, rounded_turn, scaled_by
from pe_book.family.rotary.recovering import recovered


def test_every_convention_is_what_its_name_says() -> None:
    row = np.arange(1.0, 9.0)
    rows = turned(row, 3, rotary_dim=4)
    assert np.flatnonzero(rows["neighbours in the last columns"] != row).tolist() == [4, 5, 6, 7]
    assert np.flatnonzero(rows["halves in the first columns"] != row).tolist() == [0, 1, 2, 3]
    assert np.flatnonzero(rows["halves in the last columns: MiniCPM3"] != row).tolist() == [4, 5, 6, 7]
    stopped = np.where(np.arange(4) < 2, pe.frequencies(8), 0)  # p-RoPE, written as such
    (of_both,) = (one for name, one in rows.items() if name.startswith("neighbours, slow pairs stopped"))
    np.testing.assert_array_equal(of_both, pe.rotate(row, 3, frequencies=stopped))
    assert np.flatnonzero(rows["halves, slow pairs stopped: p-RoPE"] != row).tolist() == [0, 1, 4, 5]
    np.testing.assert_allclose(
        pe.rotate(rows["neighbours, clockwise"], 6), rows["neighbours: this book, the paper"], atol=1e-14
    )
    assert len({tuple(one) for one in rows.values()}) == len(rows)


def test_neighbours_given_as_halves_score_as_neighbours_and_hide_in_a_row_of_ones() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 8))
    for width in (None, 4):
        given = given_as_halves(x, 5, rotary_dim=width) @ given_as_halves(y, 2, rotary_dim=width)
        turned_apart = [pe.rotate(z, m, rotary_dim=width, side="last") for z, m in ((x, 5), (y, 2))]
        np.testing.assert_allclose(given, turned_apart[0] @ turned_apart[1], atol=1e-13)
    unit = given_as_halves(np.eye(6)[3], 1, rotary_dim=4)  # column 1 of the slice
    assert np.flatnonzero(unit).tolist() == [2, 4]
    assert ones_hide_the_pairing(8)


@pytest.mark.parametrize("broken", ["mixed", "halves"])
def test_a_pairing_that_does_not_hide_is_noticed(broken: str, monkeypatch: Any) -> None:
    def another(x: Any, position: float) -> Any:
        if broken == "halves":  # clean, and column 1 keeps a part
            return pe.rotate(x, position, layout="halves")
        return mixed(x, position, table="halves", turn="interleaved")

    monkeypatch.setattr(rotations, "given_as_halves", another)
    assert not ones_hide_the_pairing(8)


def loop_of_code(row: np.ndarray, table: str, turn: str) -> list[float]:
    """The same by columns: which pair's cosine stands in a column, and which column is exchanged with it."""
    d, half = len(row), len(row) // 2
    found = []
    for c in range(d):
        pair = c // 2 if table == "interleaved" else c % half
        other = (c ^ 1) if turn == "interleaved" else (c + half) % d
        sign = -1 if other > c else 1
        angle = 10000.0 ** (-2 * pair / d)
        found.append(row[c] * np.cos(angle) + sign * row[other] * np.sin(angle))
    return found


@pytest.mark.parametrize("table", ["interleaved", "halves"])
@pytest.mark.parametrize("turn", ["interleaved", "halves"])
def test_mixed_pairing_is_what_code_does_that_mixes(table: Any, turn: Any) -> None:
    row = np.arange(1.0, 7.0)
    found = mixed(row, 1, table=table, turn=turn)
    np.testing.assert_allclose(found, loop_of_code(row, table, turn), atol=1e-15)
    assert np.allclose(found, pe.rotate(row, 1, layout=turn)) == (table == turn)
    lengths = np.linalg.norm(mixed(np.eye(6), 1, table=table, turn=turn), axis=1)
    assert np.allclose(lengths, 1) == (table == turn)


def test_a_ladder_of_the_head_where_a_slice_turns_is_noticed(monkeypatch: Any) -> None:
    assert exponent_is_of_the_slice().evidence["layers"] > 100
    of_the_head = reading.ladder_of

    def as_wide_as_a_head(width: int, **base: float) -> Any:
        return of_the_head(2 * width, **base)[: width // 2]

    monkeypatch.setattr(reading, "ladder_of", as_wide_as_a_head)
    assert not exponent_is_of_the_slice()


def test_the_other_direction_exchanges_positions() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 8))
    assert scores_mirrored(x, y, 5, 2)
    assert not scores_mirrored(x, x, 5, 2)  # equal rows cannot tell, so nothing is shown


# What a turned row of ones gives away, held to programs whose frequencies and factor are known -------------

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
