"""What the page on conventions decides about rotary: lines that differ, partners, directions."""

import numpy as np
import pytest

import pe_book as pe
from pe_book.evidence.reference.rotations import partner, scores_mirrored, turned


def test_the_partner_is_the_column_that_fills() -> None:
    unit = np.eye(8)[0]
    assert partner(pe.rotate(unit, 1)) == 1
    assert partner(pe.rotate(unit, 1, layout="halves")) == 4
    assert partner(pe.rotate(unit, 1, layout="halves", rotary_dim=4)) == 2


def test_every_convention_is_what_its_name_says() -> None:
    row = np.arange(1.0, 9.0)
    rows = turned(row, 3, rotary_dim=4)
    assert np.flatnonzero(rows["last columns"] != row).tolist() == [4, 5, 6, 7]
    assert np.flatnonzero(rows["first columns, halves"] != row).tolist() == [0, 1, 2, 3]
    assert np.flatnonzero(rows["p-RoPE, halves"] != row).tolist() == [0, 1, 4, 5]
    np.testing.assert_allclose(pe.rotate(rows["clockwise"], 6), rows["this book, the paper"], atol=1e-14)
    assert len({tuple(one) for one in rows.values()}) == len(rows)


def test_the_other_direction_exchanges_positions() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 8))
    assert scores_mirrored(x, y, 5, 2)
    assert not scores_mirrored(x, x, 5, 2)  # equal rows cannot tell, so nothing is shown


@pytest.mark.parametrize("wrong", [{"base": 500.0}, {"layout": "halves"}])
def test_another_rotation_is_another_row(wrong: dict) -> None:
    row = np.arange(1.0, 7.0)
    right = turned(row, 1, rotary_dim=4)["this book, the paper"]
    assert np.abs(pe.rotate(row, 1, **wrong) - right).max() > 0.05
