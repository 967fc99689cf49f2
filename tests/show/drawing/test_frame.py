"""Frames: equal columns of what can be shown, and a file that loses at most the seventh digit."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.texts import filled, in_print
from tests.seeds import examples_drawn


@pytest.mark.parametrize(
    ("columns", "error", "why"),
    [
        ({"x": []}, ValueError, "at least one row"),
        ({"x": [1, 2], "y": [1]}, ValueError, "equally long"),
        ({"x": [float("nan")]}, ValueError, "is nan"),
        ({"x": [[1, 2]]}, TypeError, r"a cell of 'x' is \[1, 2\]"),
    ],
)
def test_what_is_no_data_is_refused(columns, error, why):
    with pytest.raises(error, match=why):
        Frame(columns)


def test_an_unknown_column_is_named():
    with pytest.raises(KeyError, match="there is no column 'z'; there are 'x'"):
        Frame({"x": [1]})["z"]
    with pytest.raises(ValueError, match="no row of the frame"):
        Frame({"x": [1]}).where({"x": 2})


def test_cells_are_plain_and_one_value_fills_a_column():
    frame = Frame(
        {"n": [0, np.int64(7)], "v": np.float32([1, 2]), "t": "a", "b": [True, np.False_], "e": None}
    )
    assert frame.columns == {
        "n": [0, 7],
        "v": [1.0, 2.0],
        "t": ["a", "a"],
        "b": ["yes", "no"],
        "e": [None, None],
    }


def test_rows_are_chosen_by_value_and_by_presence():
    frame = Frame({"x": [0, 1, 2], "word": ["a", None, "b"]})
    assert frame.where("word")["x"].tolist() == [0, 2]
    assert frame.where({"word": "b"})["x"].tolist() == [2]
    assert frame.where(None) is frame


def test_the_file_is_exact_to_six_digits():
    frame = Frame({"n": [0, 7, 3], "value": [-0.0, 1 / 3, 1e-7], "text": ["a,b", None, 'c"']})
    assert frame.csv() == 'n,value,text\n0,0,"a,b"\n7,0.333333,\n3,1e-07,"c"""\n'


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
@examples_drawn(100)
def test_the_file_loses_at_most_the_seventh_digit(values):
    read = list(csv.reader(io.StringIO(Frame({"x": values}).csv())))
    assert read[0] == ["x"]
    assert [float(row[0]) for row in read[1:]] == pytest.approx(values, rel=5.0001e-6, abs=0)
    assert ["-0"] not in read


@pytest.mark.parametrize("template", ["a 3", "3 {n}", "−2"])
def test_typed_numbers_are_refused(template):
    with pytest.raises(ValueError, match="types a number"):
        filled(template, {"n": 1})


@pytest.mark.parametrize("template", ["float32", "2π", "{n} pairs"])
def test_names_and_fields_are_not_typed_numbers(template):
    assert filled(template, {"n": 1}).format(n=1)


def test_a_minus_is_printed_before_numbers_alone():
    assert in_print("-1 and x-1 and e-3, (-0.5)") == "−1 and x-1 and e-3, (−0.5)"
