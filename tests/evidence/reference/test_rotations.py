"""What the page on conventions decides about rotary: lines that differ, partners, directions."""

from typing import Any

import numpy as np
import pytest

import pe_book as pe
from pe_book.evidence.reference import rotations
from pe_book.evidence.reference.rotations import (
    exponent_is_of_the_slice,
    mixed,
    partner,
    scores_mirrored,
    turned,
)


def test_the_partner_is_the_column_that_fills() -> None:
    unit = np.eye(8)[0]
    assert partner(pe.rotate(unit, 1)) == 1
    assert partner(pe.rotate(unit, 1, layout="halves")) == 4
    assert partner(pe.rotate(unit, 1, layout="halves", rotary_dim=4)) == 2


def test_every_convention_is_what_its_name_says() -> None:
    row = np.arange(1.0, 9.0)
    rows = turned(row, 3, rotary_dim=4)
    assert np.flatnonzero(rows["neighbours in the last columns"] != row).tolist() == [4, 5, 6, 7]
    assert np.flatnonzero(rows["halves in the first columns"] != row).tolist() == [0, 1, 2, 3]
    assert np.flatnonzero(rows["halves, slow pairs stopped: p-RoPE"] != row).tolist() == [0, 1, 4, 5]
    np.testing.assert_allclose(
        pe.rotate(rows["neighbours, clockwise"], 6), rows["neighbours: this book, the paper"], atol=1e-14
    )
    assert len({tuple(one) for one in rows.values()}) == len(rows)


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
    monkeypatch.setattr(rotations, "frequencies", lambda d, base: np.ones(d // 2))
    assert not exponent_is_of_the_slice()


def test_the_other_direction_exchanges_positions() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 8))
    assert scores_mirrored(x, y, 5, 2)
    assert not scores_mirrored(x, x, 5, 2)  # equal rows cannot tell, so nothing is shown


@pytest.mark.parametrize("wrong", [{"base": 500.0}, {"layout": "halves"}])
def test_another_rotation_is_another_row(wrong: dict) -> None:
    row = np.arange(1.0, 7.0)
    right = turned(row, 1, rotary_dim=4)["neighbours: this book, the paper"]
    assert np.abs(pe.rotate(row, 1, **wrong) - right).max() > 0.05
