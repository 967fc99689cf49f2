"""The how-to on libraries: what its code says of rows that a program turned, and what the record refuses."""

import numpy as np
import pytest

import pe_book as pe
from pe_book.evidence.records.parity import recorded
from pe_book.evidence.reference.rotations import mixed
from pe_book.inputs.pairs import relayout
from pe_book.show.reference import libraries
from tests.howto.cells import cells, run

ANSWER = next(number for number, cell in enumerate(cells("pairing-in-libraries")) if "def pairing" in cell)
WHERE = [5, 600, 70_000]
ROWS = np.random.default_rng(1).normal(size=(3, 64))


@pytest.fixture(scope="module")
def pairing():
    return run("pairing-in-libraries", ANSWER)["pairing"]


@pytest.mark.parametrize("given", ["halves", "interleaved"])
@pytest.mark.parametrize("taken", ["halves", "interleaved"])
def test_what_goes_in_and_what_comes_out_are_told_with_the_factor(pairing, taken, given):
    turned = relayout(1.2 * pe.rotate(ROWS, WHERE, layout=taken), source=taken, to=given)
    assert pairing(ROWS, turned) == [(taken, given, "1.200")]


def test_rows_of_16_bits_will_do(pairing):
    turned = pe.rotate(ROWS, WHERE, layout="halves").astype(np.float16)
    assert pairing(ROWS.astype(np.float16), turned) == [("halves", "halves", "1.000")]


def test_mixed_pairing_and_a_head_that_turns_in_part_are_no_pairing(pairing):
    assert pairing(ROWS, np.array([mixed(row, 3, table="halves", turn="interleaved") for row in ROWS])) == []
    assert pairing(ROWS, pe.rotate(ROWS, WHERE, layout="halves", rotary_dim=16)) == []


def test_a_row_that_pairs_otherwise_than_what_was_run_is_refused():
    rows = {one.name: one for one in libraries.libraries()}
    mlx, timm = rows["MLX"], rows["timm"]
    said = "MLX pairs interleaved by 'mlx', which ran and paired halves"
    with pytest.raises(ValueError, match=said):
        libraries.runs(mlx._replace(pairs=timm.pairs), recorded())
    with pytest.raises(
        ValueError, match="timm pairs interleaved by 'timm of old', which ran and paired nothing"
    ):
        libraries.runs(timm._replace(run="timm of old"), recorded())
