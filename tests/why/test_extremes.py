"""Part I at the ends of float64, at sizes beyond memory, with what is no flag: answered or refused."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_book.numerics.rounding import closest_pair, collisions
from pe_book.why.chain import operation_counts, recurrent_chain
from pe_book.why.descent import condition_number, curvature, descend, largest_step, with_constant
from pe_book.why.first_attempts import add, count, over_last, over_length, over_length_from_one, over_maximum
from pe_book.why.layers import power_of_two_layer, random_layers, stacked_attention
from pe_book.why.norms import layer_norm, rms_norm, share_of_squares
from pe_book.why.order_blindness import attention, attention_weights, self_attention
from pe_book.why.requirements import ATTEMPTS, failures, measure, measure_all
from pe_book.why.sines import harmonic_pairs, harmonic_period
from tests.seeds import examples_drawn

few = examples_drawn(30)
powers = st.integers(-900, 900)
ONE = np.ones((2, 2))
HUGE = [10**12, 2**63, 10**30, 10**400, 10**5000]


@pytest.fixture(autouse=True)
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


# What has no scale is the same at every scale


@few
@given(powers)
def test_norms_of_rows_do_not_depend_on_their_scale(power):
    rows = np.array([[1.0, 2.0, 4.0], [3.0, -1.0, 0.5]])
    for norm in (layer_norm, rms_norm):
        np.testing.assert_array_equal(norm(np.ldexp(rows, power)), norm(rows))


def test_neighbours_in_float64_are_one_standard_deviation_from_their_mean():
    np.testing.assert_array_equal(layer_norm([1.0, np.nextafter(1, 2)]), [-1, 1])
    np.testing.assert_allclose(layer_norm([1e200, -1e308, 3e307]).mean(), 0, atol=1e-15)
    np.testing.assert_array_equal(layer_norm([1.5e308, 1.5e308, -1.5e308]), layer_norm([1, 1, -1]))


def test_rows_without_numbers_and_rows_that_vary_in_nothing_are_refused():
    for norm in (layer_norm, rms_norm):
        with pytest.raises(ValueError, match=r"x must have at least one number in a row, got shape \(3, 0\)"):
            norm(np.zeros((3, 0)))
    with pytest.raises(ValueError, match=r"x must not have a row of equal numbers.*got one in shape"):
        layer_norm(np.full((2, 3), 1e308))


@few
@given(powers)
def test_the_condition_of_features_does_not_depend_on_their_scale(power):
    features = with_constant([1.0, 2.0, 3.0, 4.0])
    assert condition_number(np.ldexp(features, power)) == condition_number(features)


def test_curvatures_and_steps_that_leave_float64_are_refused():
    features = with_constant([1.0, 2.0])
    np.testing.assert_array_equal(curvature(np.ldexp(features, 300)), np.ldexp(curvature(features), 600))
    assert largest_step(np.ldexp(features, -300)) == np.ldexp(largest_step(features), 600)
    for far in (600, -600):
        with pytest.raises(ValueError, match=r"features is too (large|small): the largest curvature"):
            curvature(np.ldexp(features, far))
        with pytest.raises(ValueError, match="features must have squares within float64, got numbers up to"):
            largest_step(np.ldexp(features, far))


@pytest.mark.parametrize(
    ("number", "share"), [(1e200, 1.0), (-1e308, 1.0), (1e-200, 0.0), (0, 0.0), (2**40, 1.0)]
)
def test_shares_of_squares_that_leave_float64(number, share):
    assert share_of_squares(number, 4) == pytest.approx(share, rel=1e-15)


@few
@given(st.integers(-300, 300))
def test_the_closest_pair_is_the_same_at_every_scale(power):
    rows = np.array([[0.0, 0.0], [3.0, 4.0], [9.0, 1.0]])
    assert closest_pair(rows * 10.0**power)[:2] == (0, 1)
    assert closest_pair(rows * 10.0**power).gap == pytest.approx(5 * 10.0**power, rel=1e-12)


def test_a_small_distance_between_large_rows_is_no_collision():
    assert closest_pair([[1e200, 0], [0, 1e-200], [0, 0]]) == (1, 2, 1e-200)
    assert closest_pair([[1e200, 0], [1e200, 0], [0, 1e-200]]) == (0, 1, 0)
    assert closest_pair([1e308, -1e308, 1e308 - 1e300]).gap == pytest.approx(1e300)
    for far in ([1.7e308, -1.7e308], [[1.7e308, 0], [-1.7e308, 0]], [[1.5e308, 0], [0, 1.5e308]]):
        with pytest.raises(
            ValueError, match=r"x must have two rows whose distance fits in float64, got \[.*scale"
        ):
            closest_pair(far)


# What overflows is refused by the name of what was given


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: recurrent_chain([[1e200]] * 2, [[1e200]], [[1e200]], linear=True),
            "x is too large: a state",
        ),
        (lambda: recurrent_chain([[1e308, -1e308]], np.eye(1), [[10], [10]]), "x is too large: a state"),
        (
            lambda: descend([[1.0], [2.0]], [1, 1], step=1e9, n_steps=60),
            "step, features and targets must be smaller",
        ),
        (lambda: descend([[1e200]], [1], step=1, n_steps=1), "step, features and targets must be smaller"),
        (lambda: add([[1e308]], [1e308]), r"x is too large: its sum with code.*1e\+308"),
        (lambda: attention(ONE * 1e200, ONE * -1e200, ONE), "q, k and bias must keep every score finite"),
        (lambda: attention(ONE, ONE, ONE, bias=ONE * -1e308), None),
        (lambda: self_attention(ONE * 1e200, ONE * 1e200, ONE, ONE), "x or w_q is too large: their product"),
        (
            lambda: stacked_attention(ONE * 1e200, [power_of_two_layer(2)]),
            r"layers\[0\] must fit x: .*overflow",
        ),
        (lambda: stacked_attention(ONE, [(ONE, ONE, ONE * 1e308)]), "too large"),
        (lambda: measure(lambda n: np.arange(n) * 1e200), "code must return numbers whose squares fit"),
        (lambda: measure(lambda n: np.arange(n) * 1e-300), "code must return numbers whose squares fit"),
    ],
)
def test_overflow_is_refused(call, message):
    if message is None:
        np.testing.assert_array_equal(call(), ONE)
    else:
        with pytest.raises(ValueError, match=message):
            call()


def test_a_score_below_all_numbers_is_not_taken_for_a_key_that_is_forbidden():
    with pytest.raises(ValueError, match="q, k and bias must keep every score finite"):
        attention_weights([[1e200, 0]], [[-1e200, 0], [0, 1]])
    with pytest.raises(ValueError, match="q, k and bias must keep every score finite"):
        attention_weights([[1e154, 0]], [[-1e154, 0], [0, 1]], bias=[[-1.5e308, 0]])
    np.testing.assert_array_equal(attention_weights([[1.0]], [[1.0], [2.0]], bias=[[0, -np.inf]]), [[1, 0]])


# Sizes are refused before memory is asked for


@pytest.mark.parametrize("size", HUGE, ids=lambda size: f"{size.bit_length()} bits")
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("seq_len", count),
        ("seq_len", over_length),
        ("seq_len", over_length_from_one),
        ("seq_len", over_last),
        ("seq_len", lambda size: over_maximum(size, maximum=2)),
        ("seq_len", lambda size: measure(count, seq_len=size)),
        ("seq_len", measure_all),
        ("pairs", lambda size: harmonic_pairs([1, 2], size)),
        ("n_steps", lambda size: descend([[1.0]], [1.0], step=1, n_steps=size)),
        ("d_model", power_of_two_layer),
        ("n_layers and d_model", lambda size: random_layers(2, size, seed=0)),
        ("n_layers and d_model", lambda size: random_layers(size, 2, seed=0)),
    ],
)
def test_sizes_are_refused_with_what_they_would_take(name, call, size):
    with pytest.raises(
        ValueError, match=rf"^{name} must be smaller: .* would take .* of memory, and 1\.0 GiB"
    ) as refused:
        call(size)
    assert len(str(refused.value)) < 200


def test_scores_are_refused_before_they_are_computed():
    many = np.broadcast_to(0.0, (10**5, 1))
    with pytest.raises(
        ValueError, match=r"q and k must be smaller: \(\(100000, 1\), \(100000, 1\)\) would take 223"
    ):
        attention_weights(many, many)
    with pytest.raises(ValueError, match="x and w_state must be smaller"):
        recurrent_chain(many, np.broadcast_to(0.0, (5000, 5000)), np.broadcast_to(0.0, (1, 5000)))


def test_a_period_too_long_for_float64_says_how_many_pairs_have_one():
    with pytest.raises(ValueError, match=r"pairs must be at most (\d+), .* got about 1\.00e\+400") as refused:
        harmonic_period(10**400)
    most = int(str(refused.value).split("at most ")[1].split(",")[0])
    assert np.isfinite(harmonic_period(most))
    with pytest.raises(ValueError, match=f"at most {most}"):
        harmonic_period(most + 1)


def test_counts_of_operations_are_exact_at_any_size():
    assert operation_counts(10**30, 10**5).product == 10**65
    with pytest.raises(ValueError, match="d_model must be a whole number from 1 to"):
        share_of_squares(1, 10**400)
    with pytest.raises(ValueError, match="maximum must be a whole number from 1 to"):
        over_maximum(4, maximum=2**53 + 1)


def test_no_positions_have_pairs_too():
    assert harmonic_pairs([], 3).shape == (0, 6)


# Flags, and arguments of another kind


@pytest.mark.parametrize("flag", ["no", "False", 1, 0, None, np.ones(2)], ids=str)
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("linear", lambda flag: recurrent_chain([[1.0]], [[1.0]], [[1.0]], linear=flag)),
        ("everything", lambda flag: operation_counts(2, 2, everything=flag)),
        ("causal", lambda flag: attention_weights(ONE, ONE, causal=flag)),
        ("causal", lambda flag: attention(ONE, ONE, ONE, causal=flag)),
        ("causal", lambda flag: self_attention(ONE, ONE, ONE, ONE, causal=flag)),
        ("causal", lambda flag: stacked_attention(ONE, [], causal=flag)),
    ],
)
def test_what_is_no_flag_does_not_count_as_one(name, call, flag):
    with pytest.raises(TypeError, match=f"{name} must be True or False, got"):
        call(flag)


@pytest.mark.parametrize("masked", ["bias", "x"])
def test_masks_are_not_lost(masked):
    half = np.ma.array(ONE, mask=[[0, 1], [0, 0]])
    with pytest.raises(TypeError, match=f"{masked} must hold numbers, got a masked array"):
        attention(ONE, ONE, ONE, bias=half) if masked == "bias" else collisions(half)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stacked_attention(ONE, 3), "layers must be a list of layers, three matrices each, got 3"),  # type: ignore[arg-type]
        (lambda: stacked_attention(ONE, [ONE]), r"layers\[0\] must be three matrices"),  # type: ignore[list-item]
        (lambda: stacked_attention(ONE, [(ONE, ONE, "w")]), r"layers\[0\] must fit x: w_v must hold"),  # type: ignore[list-item]
        (lambda: measure(3), "code must be a function from a number of tokens to their rows, got 3"),  # type: ignore[arg-type]
        (lambda: failures(None), r"measured must be what measure\(...\) returns, got None"),  # type: ignore[arg-type]
        (lambda: failures((1, 2)), "measured must be what measure"),  # type: ignore[arg-type]
    ],
)
def test_arguments_of_another_kind_are_refused_by_name(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_failures_are_judged_by_the_length_that_was_measured():
    short = measure(ATTEMPTS["counting"], seq_len=64)
    assert short.seq_len == 64
    assert failures(short) == {"largest", "goes_on"}  # 64 counts are different numbers of bfloat16
    assert "distinct_bfloat16" in failures(measure(ATTEMPTS["counting"], seq_len=512))
