"""What the page on conventions decides about rotary: lines that differ, partners, directions."""

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
