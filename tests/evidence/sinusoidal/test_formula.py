"""What the chapter on the formula decides: true of the real thing, false of a planted mistake."""

import numpy as np
import pytest

from pe_book.evidence.sinusoidal import formula as verdicts
from pe_book.inputs.pairs import permutation
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.shift import shift_matrix


def test_a_row_that_looks_right_and_rows_that_do_not():
    assert verdicts.looks_right(encode(1, 6))
    assert verdicts.looks_right(verdicts.slips(1, 6)["exponent $i/d$"])
    assert not verdicts.looks_right(encode(4, 6))  # its first sine is negative
    assert not verdicts.looks_right(1.2 * encode(1, 6))
    assert not verdicts.looks_right(np.roll(encode(1, 6), 1))


def test_the_first_negative_cosine_and_its_neighbours():
    assert verdicts.turns_negative_at(158, 4)  # half of pi, times 100
    assert not verdicts.turns_negative_at(157, 4)
    assert not verdicts.turns_negative_at(159, 4)
    assert not verdicts.turns_negative_at(158 + 628, 4)  # negative again, not for the first time


def test_lines_that_print_alike_are_noticed():
    rows = verdicts.mistaken_rows(1, 8)
    assert verdicts.lines_differ(rows, shown=6)
    assert not verdicts.lines_differ(rows, shown=2)  # many begin with sin 1, cos 1
    assert not verdicts.lines_differ({"one": [0.841], "two": [0.843]}, digits=2)  # printed with two
    assert not verdicts.lines_differ({**rows, "once more": rows["halves"] + 1e-9}, shown=6)


def test_a_row_off_the_circle_is_noticed():
    assert verdicts.on_circles(encode(4095, 512))
    own = verdicts.slips(1, 8)["cosine with its own exponent, $(2i+1)/d$"]
    assert verdicts.on_circles(own).evidence["gap"] > 0.1
    assert not verdicts.on_circles(own)
    assert not verdicts.on_circles(encode(4095, 512).astype("float16"))


@pytest.mark.parametrize("width", [6, 8, 512])
def test_the_three_quick_tests_single_out_the_printed_formula(width):
    zeroth, first = verdicts.mistaken_rows(0, width), verdicts.mistaken_rows(1, width)
    assert verdicts.three_tests_single_out(verdicts.PRINTED, zeroth, first)
    assert not verdicts.three_tests_single_out("halves", zeroth, first)
    # a slip past column 2 gets through, and the verdict says so
    late = encode(1, width)
    late[4:] = encode(1, width, base=1000)[4:]
    assert not verdicts.three_tests_single_out(
        verdicts.PRINTED, {**zeroth, "late": encode(0, width)}, {**first, "late": late}
    )


def test_the_rows_are_the_formula_six_conventions_and_five_slips():
    rows = verdicts.mistaken_rows(1, 8)
    assert next(iter(rows)) == verdicts.PRINTED
    assert [len(verdicts.other_conventions(1, 8)), len(verdicts.slips(1, 8)), len(rows)] == [6, 5, 12]
    np.testing.assert_allclose(verdicts.slips(1, 6)["exponent $i/d$"], encode(1, 6, base=100), rtol=1e-13)
    np.testing.assert_allclose(verdicts.row_to_diagnose(), encode(1, 6, base=1e8), rtol=1e-13)


def test_a_layer_follows_its_columns_only_if_every_weight_does():
    order = permutation(8, source="interleaved", to="halves")
    layer = verdicts.random_block(8, 16, seed=1)
    meaning = np.random.default_rng(2).normal(size=(5, 8))
    stream = meaning + encode(range(5), 8)
    there = meaning[:, order] + encode(range(5), 8, layout="halves")
    moved = layer.permuted(order)
    assert verdicts.computes_the_same_in(order, layer, moved, stream, there)
    assert not verdicts.computes_the_same_in(order, layer, layer, stream, there)
    for forgotten in ("gain", "constant", "read", "write", "added"):
        weights = {**vars(moved), forgotten: getattr(layer, forgotten)}
        assert not verdicts.computes_the_same_in(order, layer, verdicts.Block(**weights), stream, there), (
            forgotten
        )
    unmoved_table = meaning[:, order] + encode(range(5), 8)
    assert not verdicts.computes_the_same_in(order, layer, moved, stream, unmoved_table)


def test_changes_are_those_of_the_tables_themselves():
    changes = verdicts.changes_by_convention(50, 512)
    silent = [name for name, (_, product) in changes.items() if product < verdicts.NONE_BELOW]
    assert len(silent) == 3
    assert "base $1000$" not in silent
    table, other = encode(range(50), 512), encode(range(50), 512, base=1000)
    assert changes["base $1000$"][0] == np.abs(table - other).max()


@pytest.mark.parametrize(
    "mistake",
    [
        lambda k, d, **given: shift_matrix(k, d, **given).T,
        lambda k, d, **given: shift_matrix(k, d),  # the base is ignored
        lambda k, d, **given: shift_matrix(7, d, **given),
        lambda k, d, **given: shift_matrix(k, 16, **given)[:d, :d],
    ],
)
def test_the_matrix_of_a_shift_depends_on_offset_width_and_base(mistake, monkeypatch):
    assert verdicts.shifts_depend_on(7, 8)
    monkeypatch.setattr(verdicts, "shift_matrix", mistake)
    assert not verdicts.shifts_depend_on(7, 8)
