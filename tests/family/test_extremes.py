"""Part III at the ends of float64, at sizes beyond memory, with what is no flag: answered or refused."""

import math
import warnings

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_book.family.doors import attend, stack, turn
from pe_book.family.doors.models import model
from pe_book.family.learned import lookup, padded_positions, resize
from pe_book.family.learned.counting import bert_tensors, count, gpt2_tensors
from pe_book.family.learned.initialisation import initial, narrowed_std
from pe_book.family.learned.measures import cosines, mean_cosine, neighbour_distance, share_by_offset
from pe_book.family.members import members
from pe_book.family.members.properties import measure
from pe_book.family.score_bias.t5 import t5_bucket, t5_last_bucket
from tests.seeds import examples_drawn

few = examples_drawn(30)
TABLE = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]])
EQUAL = [[1.0, 0.0]] * 3
HUGE = [10**12, 2**63, 10**30, 10**400, 10**5000]


@pytest.fixture(autouse=True)
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@few
@given(st.integers(-900, 900))
def test_what_has_no_scale_is_the_same_at_every_scale(power):
    scaled = np.ldexp(TABLE, power)
    np.testing.assert_array_equal(cosines(scaled), cosines(TABLE))
    assert mean_cosine(scaled, 1) == mean_cosine(TABLE, 1)
    assert neighbour_distance(scaled) == neighbour_distance(TABLE)
    assert share_by_offset(np.ldexp(np.eye(3), power)) == share_by_offset(np.eye(3))


def test_rows_of_very_different_size_have_a_cosine():
    assert cosines([[1e-300, 0], [3e200, 4e200]])[0, 1] == pytest.approx(0.6)
    assert share_by_offset([[1.0, 1.0], [1e-200, 2e-200]]) == pytest.approx(0.75)


@pytest.mark.parametrize("cut", [1e-300, 1e-9, 1e-4, 0.5, 0.999, 1.0, 2.0, 40.0, 1e300])
def test_a_narrow_cut_loses_no_digits_and_a_wide_one_changes_nothing(cut):
    with mpmath.workdps(700):
        c = mpmath.mpf(cut)
        wide = cut > 100
        true = 1 if wide else mpmath.sqrt(1 - 2 * c * mpmath.npdf(c) / (2 * mpmath.ncdf(c) - 1))
        if cut < 1e-100:  # beyond 700 digits: a uniform number between -c and c
            true = c / mpmath.sqrt(3)
        assert abs(narrowed_std(1.0, cut) / true - 1) < 1e-14


def test_a_far_position_is_stretched_to_without_the_table_between():
    far = 2**40
    found = lookup(TABLE, [0, far // 2, far], beyond="interpolate")
    np.testing.assert_array_equal(found, TABLE)
    near = lookup(TABLE, range(8), beyond="interpolate")
    np.testing.assert_array_equal(near, resize(TABLE, 8))
    with pytest.raises(ValueError, match=r"positions must be below \d+ to stretch 4096 rows to them"):
        lookup(np.ones((4096, 2)), [2**53], beyond="interpolate")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: neighbour_distance(np.zeros((3, 2))), "weight must not be zero everywhere"),
        (lambda: share_by_offset(np.zeros((2, 3))), "scores must be square"),
        (lambda: share_by_offset(np.full((2, 2), 1e308)), "scores must vary within a row"),
        (lambda: initial(4, 4, std=1e308, seed=0), "std is too large: a row"),
        (lambda: turn([[1.7e308, 1.7e308]], [np.pi / 4]), "x is too large: a turned row"),
        (lambda: attend([[1e200, 0]]), "contents is too large: a score"),
        (lambda: attend(EQUAL, "input", step=1e300, positions=[0, 1, 2**53]), "step is too large|within ±2"),
        (lambda: attend(EQUAL, "score", slope=1e308, positions=[0, 2**20, 2**50]), "slope is too large"),
        (lambda: stack(EQUAL, layers=999), "contents is too large: a score"),
        (lambda: stack([[0.0, 0.0]], layers=10**12), "layers must be a whole number from 1 to 1000"),
        (lambda: t5_bucket(3, n_buckets=2**60), "n_buckets must be a whole number from 4 to"),
        (lambda: t5_bucket(3, max_distance=10**400), r"max_distance must be .* got about 1\.00e\+400"),
        (lambda: t5_last_bucket(max_distance=2**40), "max_distance must be a whole number from 1 to"),
        (
            lambda: padded_positions([1, 2], padding_idx=10**400),
            r"padding_idx must be .* got about 1\.00e\+400",
        ),
    ],
)
def test_what_leaves_float64_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_slope_is_looked_at_even_behind_a_closed_door():
    with pytest.raises(TypeError, match="slope must be one real number, got 'steep'"):
        attend(EQUAL, "input", slope="steep")  # type: ignore[arg-type]


@pytest.mark.parametrize("size", HUGE, ids=lambda size: f"{size.bit_length()} bits")
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("length and width", lambda size: members(length=size)),
        ("max_len and d_model", lambda size: initial(size, 2, seed=0)),
        ("max_len and d_model", lambda size: initial(2, size, seed=0)),
        ("seq_len", lambda size: resize(TABLE, size)),
        ("layers", lambda size: bert_tensors(layers=size)),
        ("layers", lambda size: gpt2_tensors(layers=size)),
    ],
)
def test_sizes_are_refused_with_what_they_would_take(name, call, size):
    with pytest.raises(
        ValueError, match=rf"^{name} must be smaller: .* would take .* of memory, and 1\.0 GiB"
    ):
        call(size)


def test_tables_of_many_rows_are_refused_before_they_are_compared():
    many = np.broadcast_to(1.0, (10**5, 2))
    with pytest.raises(ValueError, match=r"weight must be smaller: \(100000, 2\) would take 149"):
        cosines(many)
    with pytest.raises(ValueError, match=r"contents must be smaller: \(100000, 2\)"):
        attend(many)
    with pytest.raises(ValueError, match=r"positions must be smaller: \(100000,\)"):
        lookup(np.broadcast_to(1.0, (1, 1000)), np.zeros(10**5, dtype=int))


@pytest.mark.parametrize("flag", ["no", 1, None, np.ones(2)], ids=str)
def test_what_is_no_flag_does_not_count_as_one(flag):
    with pytest.raises(TypeError, match="causal must be True or False, got"):
        attend(EQUAL, causal=flag)
    for function in (lambda **given: t5_bucket(3, **given), t5_last_bucket):
        with pytest.raises(TypeError, match="bidirectional must be True or False, got"):
            function(bidirectional=flag)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: measure(None), r"member must be one of members\(\), got None"),  # type: ignore[arg-type]
        (lambda: count(None), "shapes must be a mapping from names to shapes, got None"),  # type: ignore[arg-type]
        (lambda: count({"w": 3}), r"shapes\['w'\] must be a tuple of whole numbers, got 3"),  # type: ignore[dict-item]
        (lambda: count({"w": (2.0,)}), r"every entry of shapes\['w'\] must be a whole number"),  # type: ignore[dict-item]
        (lambda: attend(EQUAL, ["input"]), r"doors must be among .* got \['input'\]"),  # type: ignore[arg-type]
    ],
)
def test_arguments_of_another_kind_are_refused_by_name(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_a_model_is_named_by_text():
    with pytest.raises(ValueError, match=r"name must be one of Transformer.*got array"):
        model(np.array(["T5", "BERT"]))  # type: ignore[arg-type]
    assert math.prod((12, 32)) * 2 == model("T5").parameters
