"""The how-to on conventions: a turned row gives away partner, direction and frequency."""

import pytest

import pe_book as pe
from tests.howto.cells import cells, printed, run

ANSWER = cells("which-convention")[0]
YOURS = """    return pe.rotate(
        row, 1, layout="halves")
"""


def answered(program: str) -> list[str]:
    assert YOURS in ANSWER
    return printed(ANSWER.replace(YOURS, f"    return {program}\n"))


def test_another_base_prints_another_answer():
    usual, other = (answered(f'pe.rotate(row, 1, layout="halves", base={base})') for base in (1e4, 5e5))
    assert usual[:-1] != other[:-1]
    assert [line.split(" by ")[0] for line in usual] == [line.split(" by ")[0] for line in other]
    assert [float(line.split(" by +")[1]) for line in other[:3]] == pytest.approx(
        pe.frequencies(6, base=5e5), abs=1e-6
    )


def test_partner_slice_and_direction_are_printed():
    assert answered("pe.rotate(row, 1)")[0].startswith("0 with 1 by +")
    assert answered("pe.rotate(row, -1)")[0].startswith("0 with 1 by -")
    sliced = answered('pe.rotate(row, 1, layout="halves", rotary_dim=4)')
    assert sliced[0].startswith("0 with 2")
    assert sliced[4:6] == ["4 stays", "5 stays"]


def test_a_table_of_three_decimals_is_read_with_its_digits():
    names = run("which-convention", 0, 1, 2)
    short = pe.encode([0, 1], 6, layout="halves", ladder="tensor2tensor").round(3)
    assert names["readings"](short) == []
    assert names["readings"](short, digits=3) == names["readings"](names["printout"])
