"""What exercises in code say of arrays that came back."""

import numpy as np
import pytest

import pe_book as pe
from pe_book.inputs.answers import difference

ROWS = pe.encode(range(5), 8)
TURN = pe.shift_matrix(3, 6)
TOLD = {
    "float32": (ROWS.astype("float32"), ROWS, ["float32", "due is float64"]),
    "float16": (ROWS.astype("float16"), ROWS, ["float16", "due is float64"]),
    "a list": (ROWS.tolist(), ROWS, ["a list comes back", "(5, 8)"]),
    "nothing": (None, ROWS, ["a NoneType comes back"]),
    "a number": (0.5, ROWS, ["a float comes back"]),
    "words": (np.array(["a"]), ROWS, ["an array of <U1"]),
    "transposed": (ROWS.T, ROWS, ["transposed"]),
    "a matrix transposed": (TURN.T, TURN, ["transposed"]),
    "transposed float32": (TURN.T.astype("float32"), TURN, ["transposed"]),
    "halves": (pe.encode(range(5), 8, layout="halves"), ROWS, ["in halves"]),
    "a matrix in halves": (pe.shift_matrix(3, 6, layout="halves"), TURN, ["in halves"]),
    "exchanged": (ROWS[:, [1, 0, 3, 2, 5, 4, 7, 6]], ROWS, ["exchanged"]),
    "a row less": (ROWS[1:], ROWS, ["shape (4, 8)", "shape (5, 8)"]),
    "a number off": (ROWS + 1e-6 * (np.arange(40) == 2).reshape(5, 8), ROWS, ["[0, 2] is 1e-06, due is 0"]),
    "the last digits": (ROWS * (1 + 1e-7), ROWS, ["due is"]),
    "not a number": (np.where(ROWS == 1, np.nan, ROWS), ROWS, ["[0, 1] is nan, due is 1"]),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_came_is_told(name):
    came, due, words = TOLD[name]
    said = difference(came, due, within=1e-12)
    assert [word for word in words if word not in said] == [], said
    parts = said.removeprefix("the number at ").partition(", due is ")
    assert parts[0].split(" is ")[-1] != parts[2]


@pytest.mark.parametrize("due", [ROWS, TURN, np.eye(4), np.arange(3), np.array(0.5), np.ones((2, 3, 4))])
def test_what_is_due_is_right(due):
    assert difference(np.array(due), due) == ""
    assert difference(due + 1e-9, due) == ""


def test_a_tensor_is_told():
    torch = pytest.importorskip("torch")
    assert "a torch tensor comes back" in difference(torch.tensor(ROWS), ROWS)
