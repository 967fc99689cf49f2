"""What exercises in code say of arrays that came back."""

import numpy as np
import pytest
from numpy.typing import NDArray

import pe_book as pe
from pe_book.inputs.answers import answer, difference

ROWS = pe.encode(range(5), 8)
TURN = pe.shift_matrix(3, 6)
FAR = pe.encode(range(4000, 4005), 8)
TOLD = {
    "transposed": (ROWS.T, ROWS, ["transposed"]),
    "a matrix transposed": (TURN.T, TURN, ["transposed"]),
    "transposed float32": (TURN.T.astype("float32"), TURN, ["transposed"]),
    "halves": (pe.encode(range(5), 8, layout="halves"), ROWS, ["in halves"]),
    "a matrix in halves": (pe.shift_matrix(3, 6, layout="halves"), TURN, ["in halves"]),
    "exchanged": (ROWS[:, [1, 0, 3, 2, 5, 4, 7, 6]], ROWS, ["exchanged"]),
    "a row less": (ROWS[1:], ROWS, ["shape (4, 8)", "shape (5, 8)"]),
    "a number off": (ROWS + 1e-6 * (np.arange(40) == 2).reshape(5, 8), ROWS, ["[0, 2] is 1e-06, expected 0"]),
    "the last digits": (ROWS * (1 + 1e-7), ROWS, ["expected", "float32 on the way"]),
    "float32, cast back": (
        ROWS.astype("float32").astype(float),
        ROWS,
        ["float32 on the way: compute in float64"],
    ),
    "angles in float32": (FAR.astype("float32").astype(float), FAR + 1e-5, ["float32 on the way"]),
    "not a number": (np.where(ROWS == 1, np.nan, ROWS), ROWS, ["[0, 1] is nan, expected 1"]),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_came_is_told(name):
    came, due, words = TOLD[name]
    said = difference(came, due, within=1e-12)
    assert [word for word in words if word not in said] == [], said
    parts = said.partition(";")[0].removeprefix("the number at ").partition(", expected ")
    assert parts[0].split(" is ")[-1] != parts[2]


def test_what_is_far_off_has_nothing_to_do_with_precision():
    for came in (ROWS + 1e-6 * (ROWS == 1), ROWS + 0.01, np.zeros_like(ROWS)):
        assert "float32" not in difference(came, ROWS, within=1e-12)


@pytest.mark.parametrize("due", [ROWS, TURN, np.eye(4), np.arange(3), np.array(0.5), np.ones((2, 3, 4))])
def test_what_is_due_is_right(due):
    assert difference(np.array(due), due) == ""
    assert difference(due + 1e-9, due) == ""


PAIR = tuple[int, float]
OTHER = {  # what comes, what is due, and what is said
    "float16": (ROWS.astype("float16"), np.ndarray, "an array of numpy in float16", "numpy in float64"),
    "float32": (
        ROWS.astype("float32"),
        np.ndarray,
        "in float32",
        "float64: compute in float64, numpy's default",
    ),
    "a list": (ROWS.tolist(), np.ndarray, "a list", "an array of numpy in float64"),
    "None": (None, np.ndarray, "None", "an array of numpy in float64"),
    "words": (np.array(["a"]), NDArray[np.int64], "an array of numpy in <U1", "numpy in int64"),
    "an array": (ROWS, float, "an array of numpy in float64", "a number in float64"),
    "a float32": (np.float32(0.1), float, "the number 0.1 in float32", "a number in float64"),
    "a half": (0.5, int, "the number 0.5 in float64", "a whole number"),
    "an int": (1, bool, "an int", "True or False"),
    "True": (True, int, "a bool", "a whole number"),
    "a number": (3.0, PAIR, "the number 3", "a tuple of a whole number and a number in float64"),
    "one of three": ((1, 2.0, []), PAIR, "a tuple of an int, the number 2 in float64 and a list", "a tuple"),
    "an empty tuple": ((), PAIR | None, "a tuple of nothing", "a number in float64 or None"),
    "two letters": ("ab", PAIR, "a str", "a tuple"),
    "lists by name": ({1: [], 2: []}, dict[int, np.ndarray], "a dictionary with a list below", "in float64"),
    "a set": ({1}, dict, "a set", "a dictionary"),
}
SAME = [
    (ROWS, ROWS, np.ndarray),
    (np.eye(3, dtype="float32"), np.eye(3), np.ndarray),
    (ROWS.astype("float16"), ROWS.astype("float16"), NDArray[np.float16]),
    ([np.int64(2), 1], (2, 1.0), PAIR),
    (np.array([2.0, 0.5]), (2, 0.5), PAIR),
    (np.bool_(True), True, bool),
    (np.array(3), 3, int),
    (None, None, PAIR | None),
    ({"a": 1}, {"a": 1}, dict),
    ({"a": 1}, {"a": 1.0}, dict[str, float]),
]


def returning(came, due):
    def solve():
        return came

    solve.__annotations__["return"] = due
    return answer(solve)


@pytest.mark.parametrize("name", OTHER)
def test_another_kind_is_told(name):
    came, due, *words = OTHER[name]
    with pytest.raises(AssertionError, match=r"^solve returns .*, expected ") as told:
        returning(came, due)()
    for word, part in zip(words, str(told.value).split(", expected "), strict=True):
        assert word in part


@pytest.mark.parametrize(("came", "taken", "due"), SAME)
def test_what_holds_the_same_is_taken(came, taken, due):
    found = returning(came, due)()
    assert type(found) is type(taken)
    assert np.array_equal(found, taken)


def test_a_tensor_is_told_and_taken_where_it_is_due():
    torch = pytest.importorskip("torch")
    with pytest.raises(AssertionError, match="returns a torch tensor, expected an array of numpy in float64"):
        returning(torch.tensor(ROWS), np.ndarray)()
    with pytest.raises(AssertionError, match="returns an array of numpy in float64, expected a torch tensor"):
        returning(ROWS, torch.Tensor)()
    assert returning(torch.ones(2), torch.Tensor)().shape == (2,)
    assert returning(torch.tensor(True), bool)() is True


def test_a_kind_that_is_written_down_later_is_known():
    """As where annotations are postponed."""
    assert returning((1, 2), "tuple[int, float]")() == (1, 2.0)
