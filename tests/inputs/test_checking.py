"""What every definition accepts: one kind of message, whatever comes."""

import re
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from pe_book.inputs import arrays, checking, wording
from pe_book.inputs.checking import (
    base_above_one,
    even_width,
    finite_positions,
    finite_result,
    flag,
    numpy_dtype,
    real_array,
    real_number,
    room_for,
    whole_number,
)

torch = pytest.importorskip("torch")

FORMATS = ("float32", "float16", "float64", "bfloat16")


def test_a_flag_is_true_or_false_and_nothing_that_counts_as_true():
    assert flag(True, "causal") is True
    assert flag(np.False_, "causal") is False
    for value in ("no", "False", 1, 0, None, [], np.array(True)):
        with pytest.raises(TypeError, match="causal must be True or False, got"):
            flag(value, "causal")


@pytest.mark.parametrize("value", [10**400, -(10**5000), 10**24, 10**4300], ids=wording.shown)
def test_integers_of_any_length_are_shown_and_never_break_the_message(value):
    with pytest.raises(ValueError, match=r"n must be a whole number from 1 to 9, got about -?1\.\d\de\+\d+$"):
        whole_number(value, "n", least=1, most=9)
    with pytest.raises(ValueError, match=r"d_model must be even.* got (about )?[\d.e+]+; use "):
        even_width(abs(value) + 1)


def test_a_whole_number_may_have_two_ends():
    assert whole_number(np.uint8(3), "n", least=1, most=3) == 3
    with pytest.raises(ValueError, match="n must be a whole number of at most 3, got 4"):
        whole_number(4, "n", most=3)


class Broken:
    def __repr__(self):
        raise RuntimeError("no words")


def test_what_cannot_be_shown_is_named_by_its_class():
    with pytest.raises(TypeError, match="n must be a whole number, got <Broken instance at 0x"):
        whole_number(Broken(), "n")


@pytest.mark.parametrize(
    "value", [[10**5000], {"a": 10**5000}, np.array([10**5000], dtype=object), "x" * 10**6]
)
def test_what_is_shown_is_short_in_every_container(value):
    assert 0 < len(wording.shown(value)) <= 60


# real_array


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (3, 3.0),
        ([1, 2.5], [1.0, 2.5]),
        ((np.float16(0.5), np.int8(-3)), [0.5, -3.0]),
        (range(3), [0.0, 1.0, 2.0]),
        ([[]], [[]]),
        (np.array([1, 2], dtype=object), [1.0, 2.0]),
        ([Fraction(1, 4), 2], [0.25, 2.0]),
        ([2**64], [2.0**64]),
        ([2**70, 0.5], [2.0**70, 0.5]),
        (np.longdouble("1.5"), 1.5),
        (mpmath.mpf("0.25"), 0.25),
        (torch.tensor([1, 2]), [1.0, 2.0]),
        (torch.tensor([1.5], dtype=torch.float16), [1.5]),
        ([torch.tensor(1.5), 2], [1.5, 2.0]),
        (np.ones((2, 1), order="F"), [[1.0], [1.0]]),
    ],
)
def test_numbers_are_taken_from_every_container_that_loses_none(given, expected):
    found = real_array(given, "x")
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, expected)
    assert found.shape == np.shape(expected)


def test_the_array_is_a_new_one():
    mine = np.zeros(3)
    real_array(mine, "x")[0] = 1
    assert mine[0] == 0


WRONG_KINDS = [
    (np.ma.array([1.0, 2.0], mask=[0, 1]), r"x must hold numbers, got a masked array; use \.filled"),
    (torch.ones(2, requires_grad=True), r"got a tensor that requires grad; use \.detach\(\)"),
    (torch.ones(2, dtype=torch.bfloat16), r"tensor of torch\.bfloat16.*use \.float\(\)"),
    (torch.ones(2, device="meta"), "a tensor on the meta device"),
    (torch.ones(2).to_sparse(), r"torch\.sparse_coo; use \.to_dense\(\)"),
    (torch.nested.nested_tensor([torch.ones(2)], layout=torch.jagged), "a nested tensor"),
    (torch.ones(2, dtype=torch.complex64), "got complex numbers"),
    ([True, 2.0], "got booleans"),
    ("six", "got text: 'six'"),
    (None, "got Python objects: None"),
    (np.array(["2020-01-01"], dtype="datetime64[D]"), "got dates"),
]
WRONG_VALUES = [
    ([[1, 2], [3]], r"x must be a number or an array of one shape, got \[\[1, 2\], \[3\]\]"),
    ([[1.0, -np.inf]], r"x must be finite, got -inf at index \(0, 1\)$"),
    ([0.5, 10**400], r"got about 1\.00e\+400 at index 1$"),
    (np.longdouble("1e400"), r"fit in float64, got 1e\+400$"),
    (range(10**30), r"x must be smaller: range\(.*\) would take .* of memory, and there are"),
]
REFUSED = [*((*one, TypeError) for one in WRONG_KINDS), *((*one, ValueError) for one in WRONG_VALUES)]


@pytest.mark.parametrize(("given", "message", "kind"), REFUSED, ids=wording.shown)
def test_everything_else_is_refused_by_one_kind_of_message(given, message, kind):
    with pytest.raises(kind, match=message) as refused:
        real_array(given, "x")
    assert str(refused.value).startswith("x must ")
    assert len(str(refused.value)) < 200


def test_infinities_are_taken_where_asked_for_but_none_that_a_conversion_makes():
    np.testing.assert_array_equal(real_array([-np.inf, 1], "x", infinite=True), [-np.inf, 1])
    with pytest.raises(ValueError, match="x must not hold NaN, got nan"):
        real_array([np.inf, np.nan], "x", infinite=True)
    with pytest.raises(ValueError, match=r"fit in float64, got 1e\+400 at index 1"):
        real_array(np.array([np.inf, np.longdouble("1e400")]), "x", infinite=True)


def test_a_tensor_is_known_without_loading_torch(monkeypatch):
    monkeypatch.delitem(arrays.sys.modules, "torch")
    assert real_array([1.0], "x") == [1.0]


# positions

EDGE = 2**53


@pytest.mark.parametrize(
    "given",
    [
        EDGE,
        [-EDGE, 0.5],
        np.array([EDGE], dtype=np.uint64),
        np.array([float(EDGE)]),
        np.array([EDGE], dtype=np.longdouble),
        np.array([EDGE, 1], dtype=object),
        torch.tensor([EDGE]),
    ],
)
def test_positions_reach_two_to_the_53(given):
    assert np.abs(finite_positions(given)).max() == EDGE


@pytest.mark.parametrize(
    "given",
    [
        EDGE + 1,
        [0.5, -EDGE - 1],
        (0.5, np.int64(EDGE + 1)),
        2.0**60,
        [2**63, -1],
        10**400,
        np.array([EDGE + 1], dtype=np.uint64),
        np.array([np.longdouble(EDGE) + 1]),
        np.array([EDGE + 1, 1], dtype=object),
        torch.tensor([EDGE + 1]),
        range(EDGE, EDGE + 2),
    ],
)
def test_positions_beyond_are_refused_in_every_dtype_and_container(given):
    with pytest.raises(ValueError, match=r"^positions(:| must) .*(within ±2\*\*53|fit in float64).*, got "):
        finite_positions(given)


# sizes, results and dtypes


def test_a_size_is_refused_with_what_it_would_take_and_what_there_is():
    room_for(2**30, "seq_len", 5)
    with pytest.raises(
        ValueError, match=r"seq_len must be smaller: 5 would take 1\.0 GiB of memory, and 1\.0 GiB"
    ):
        room_for(2**30 + 1, "seq_len", 5)
    memory = re.escape(wording.amount(checking.physical_memory()))
    with pytest.raises(
        ValueError, match=rf"about 1\.00e\+5000 would take .* bytes of memory, and there are {memory}"
    ):
        room_for(10**5000, "d", 10**5000, most=checking.physical_memory())


def test_a_result_that_overflowed_is_refused_with_the_size_that_did_it():
    assert finite_result(np.array(1.0), "x", "its square") == 1
    with (
        np.errstate(over="ignore"),
        pytest.raises(ValueError, match=r"x is too large: its square .* up to 1e\+200"),
    ):
        finite_result(np.square([1e200, -2.0]), "x", "its square", given=[1e200, -2.0])


@pytest.mark.parametrize(
    ("name", "spellings"),
    [
        ("float32", ["float32", np.float32, np.dtype("float32"), "f4", "=f4", np.dtype("f4").str, "single"]),
        ("float64", [float, "float", "d", np.double]),
        ("float16", ["half", np.half, "e"]),
        ("bfloat16", ["bfloat16"]),
    ],
)
def test_a_dtype_is_what_numpy_calls_one(name, spellings):
    assert {numpy_dtype(given, FORMATS) for given in spellings} == {name}


@pytest.mark.parametrize(
    "given",
    [None, "float8", ">f4", np.dtype(">f4"), int, bool, "i4", 4, np.floating, "a", "f4,f4", [],
     np.zeros(1, "f4"), torch.float32, "longdouble", object, "", "=", np.dtype("f4,f4")],
)  # fmt: skip
def test_what_is_no_dtype_that_fits_is_refused(given):
    with pytest.raises(
        ValueError, match="dtype must be 'float32' or 'float16' or 'float64' or 'bfloat16', got"
    ):
        numpy_dtype(given, FORMATS)
    if given == "float8":
        with pytest.raises(ValueError, match="dtype must be 'float32', got 'f8'"):
            numpy_dtype("f8", ("float32",))


@pytest.mark.parametrize("base", [1, -100, float("inf"), 1e301, 10**400])
def test_a_base_lies_above_one_and_leaves_room_within_float64(base):
    assert base_above_one(1e300) == 1e300
    with pytest.raises(ValueError, match="base must be"):
        base_above_one(base)


def test_a_real_number_fits_in_float64():
    assert real_number(Fraction(1, 2), "k") == 0.5
    for value in (10**400, np.longdouble("1e400"), float("nan")):
        with pytest.raises(ValueError, match="k must be finite and fit in float64, got"):
            real_number(value, "k")
