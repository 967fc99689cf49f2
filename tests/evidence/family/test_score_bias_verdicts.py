"""The verdicts of the chapter on score bias: true of the definitions, and false of plausible mistakes."""

import math

import numpy as np
import pytest

import pe_book as pe
from pe_book.census import census
from pe_book.evidence.family import score_bias as verdicts
from pe_book.evidence.family.score_bias import beside_sink, from_the_first_key
from pe_book.family.score_bias import t5

SLOPES = pe.alibi_slopes(8)


def other_sign(slopes, queries, keys):
    """Points are added for distance."""
    return -pe.alibi_bias(slopes, queries, keys)


def twice(slopes, queries, keys):
    """The slope is counted twice."""
    return 2 * pe.alibi_bias(slopes, queries, keys)


def of_the_square(slopes, queries, keys):
    """Points for the square of the distance."""
    distance = np.subtract.outer(np.asarray(queries, float), np.asarray(keys, float))
    return -np.reshape(slopes, (-1, 1, 1)) * distance**2


MISTAKES = [other_sign, twice, of_the_square]


def test_half_lives_are_those_worked_out_by_hand():
    assert [f"{x:.3g}" for x in verdicts.half_life([1 / 2, 1 / 16, 1 / 256])] == ["1.39", "11.1", "177"]
    assert verdicts.falls_by_half(SLOPES)
    assert not any(verdicts.falls_by_half(SLOPES, bias=mistake) for mistake in MISTAKES)


@pytest.mark.parametrize("slope", [1 / 2, 1 / 16, 1 / 256])
def test_the_nearest_hold_their_share(slope):
    assert verdicts.nearest_hold(slope, 10, 1024)
    assert not any(verdicts.nearest_hold(slope, 10, 1024, bias=mistake) for mistake in MISTAKES)
    by_hand = sum(math.exp(-slope * n) for n in range(10)) / sum(math.exp(-slope * n) for n in range(1024))
    assert math.isclose(verdicts.share_near(slope, 10, 1024), by_hand)


@pytest.mark.parametrize(("slope", "farther"), [(1 / 2, 1), (1 / 16, 100), (1 / 256, 1000)])
def test_a_lead_of_slope_times_tokens_decides(slope, farther):
    assert verdicts.content_decides(slope, farther)
    assert not any(verdicts.content_decides(slope, farther, bias=mistake) for mistake in MISTAKES[:2])


def test_a_slope_favours_the_nearest():
    assert verdicts.favours_the_nearest(SLOPES, 200)
    assert not verdicts.favours_the_nearest([0.0], 200)
    assert not verdicts.favours_the_nearest(SLOPES, 200, bias=other_sign)
    wave = lambda s, q, k: np.cos(np.subtract.outer(q, k))[None]  # noqa: E731
    assert not verdicts.favours_the_nearest([1.0], 200, bias=wave)


def test_distance_and_key_are_one_method_under_a_causal_softmax():
    assert verdicts.same_by_key(40)
    assert verdicts.same_by_key(40, by_key=lambda s, q, k: from_the_first_key(s, q, k) - 7)
    assert not verdicts.same_by_key(40, by_key=lambda s, q, k: -from_the_first_key(s, q, k))
    assert not verdicts.same_by_key(40, by_key=lambda s, q, k: from_the_first_key(s, q, np.asarray(k) // 2))


def test_an_exact_softmax_and_sparsemax_forget_what_a_row_shares():
    assert verdicts.who_forgets(1 / 2, 4096) == ["softmax", "sparsemax"]
    # eight words: few numbers, all exact in bfloat16
    with pytest.raises(ValueError, match="soft cap"):
        verdicts.who_forgets(1 / 2, 8)


def dropped(scores, sink):
    """A kernel that knows of no sink."""
    return beside_sink(scores, -np.inf)


def test_weights_beside_a_sink_are_those_worked_out_by_hand(monkeypatch):
    halved = np.log(2)
    np.testing.assert_allclose(beside_sink([-2 * halved, -halved, 0], 0), np.array([1, 2, 4]) / 11)
    np.testing.assert_allclose(beside_sink([0, halved, 2 * halved], 0), np.array([1, 2, 4]) / 8)
    assert np.allclose([verdicts.kept(halved, 3, 0), verdicts.kept(halved, 3, 0, "key")], [7 / 11, 7 / 8])
    assert verdicts.kept(halved, 100, 0, "key") > 1 - 1e-12
    monkeypatch.setattr(verdicts, "beside_sink", dropped)
    assert np.allclose([verdicts.kept(halved, 3, 0), verdicts.kept(halved, 3, 0, "key")], 1)


def test_a_sink_sees_what_a_row_shares(monkeypatch):
    assert verdicts.sink_sees_a_row(64)
    assert verdicts.sink_sees_a_row(64, sink=-1.0)
    assert not verdicts.sink_sees_a_row(64, by_key=pe.alibi_bias)
    assert not verdicts.sink_sees_a_row(64, by_key=lambda m, q, k: from_the_first_key(m, q, k) - 7)
    monkeypatch.setattr(verdicts, "beside_sink", dropped)
    assert not verdicts.sink_sees_a_row(64)


def test_the_models_that_the_page_names_have_a_sink_where_it_says():
    for name in ("gpt_oss", "deepseek_v4", "hy_v4", "granite_swa", "mimo_v2_flash", "inkling2_text"):
        one = census().types.get(name)
        for layer in one.text.layers if one and one.text else ():
            assert layer.sink == (name != "mimo_v2_flash" or layer.attends == "window"), (name, layer)
    assert census().of_type("gpt_oss").text.layers[0].sink


def test_a_sink_is_a_factor_on_each_row_and_hides_order_unless_a_place_is_counted(monkeypatch):
    assert verdicts.sink_is_a_factor(64)
    assert verdicts.order_stays_hidden(20)
    monkeypatch.setattr(verdicts, "beside_sink", lambda row, sink: beside_sink(row, -sink))
    assert not verdicts.sink_is_a_factor(64)
    monkeypatch.setattr(verdicts, "beside_sink", lambda row, b: beside_sink(row - np.arange(len(row)), b))
    assert not verdicts.order_stays_hidden(20)


def test_weights_of_sixteen_bits_end_where_the_smallest_number_is_halved():
    """A weight rounds to 0 from half the smallest number on: 2**-25 in float16, 2**-134 in bfloat16."""
    for slope in (1 / 2, 1 / 256):
        for dtype, least in (("float16", 25), ("bfloat16", 134)):
            nearest = 1 - math.exp(-slope)  # its weight, of a geometric series
            assert verdicts.left_of(slope, 65536, dtype) == math.ceil(
                (math.log(nearest) + least * math.log(2)) / slope
            )
    assert verdicts.left_of(1 / 256, 4096, "float32") == 4096


def test_sparsemax_is_the_nearest_row_of_weights():
    rng = np.random.default_rng(0)
    for scores in rng.normal(size=(20, 6)):
        row = verdicts.sparsemax(scores)
        assert math.isclose(row.sum(), 1)
        assert (row >= 0).all()
        others = rng.dirichlet(np.full(6, 0.3), 200)
        assert (np.linalg.norm(others - scores, axis=1) >= np.linalg.norm(row - scores)).all()
        np.testing.assert_allclose(verdicts.sparsemax(scores + 7), row, atol=1e-12)


@pytest.mark.parametrize("slope", SLOPES)
def test_little_lies_beyond_equal_words_in_a_text_of_any_length(slope):
    assert all(verdicts.little_beyond(slope, 100, length) for length in (101, 400, 3200))


def test_a_flatter_slope_leaves_more_beyond(monkeypatch):
    monkeypatch.setattr(verdicts, "alibi_bias", lambda m, *places: pe.alibi_bias(m, *places) / 2)
    assert not verdicts.little_beyond(1 / 256, 1024, 16384)


def test_random_far_contents_have_no_such_bound():
    assert not verdicts.little_beyond(1 / 256, 1024, 16384, spread=4.0)
    by_hand = math.exp(12 - 1100 / 256) / (
        math.exp(12 - 1100 / 256) + sum(math.exp(-r / 256) for r in range(1100))
    )
    assert math.isclose(verdicts.taken_by_one(1 / 256, 1100, 12), by_hand)


def test_eight_neighbours_share_a_number_of_bfloat16_far_from_the_first():
    """2047.5 and the seven before it round to 2048, since numbers of bfloat16 are 8 apart below it."""
    shared = verdicts.nearest_weight(1 / 2, 4096, "key", "bfloat16 and softmax")
    assert 1 / 9 < shared <= 1 / 8


def test_where_a_rounded_logarithm_takes_another_bucket():
    assert verdicts.rules_apart(5, 686, upto=98) == [14, 98]  # the last distance is looked at too


def test_no_setting_in_which_the_rules_differ_is_passed_over():
    """Every setting in turn, those that the search passes over too."""
    found = [
        (n_buckets, size, apart)
        for n_buckets in (5, 15, 17, 19)
        for size in range(n_buckets // 2 + 1, 701)
        if (apart := verdicts.rules_apart(n_buckets, size))
    ]
    assert verdicts.settings_apart(20, 700) == found
    assert (15, 636, [206]) in found, "where no distance stands on a boundary"
    assert (17, 27, [12, 18]) in found, "where the ratio is no whole number"


@pytest.mark.parametrize(("n_buckets", "farthest"), [(32, 128), (10, 686)])
@pytest.mark.parametrize("bidirectional", [True, False])
def test_wide_buckets_begin_where_powers_say(n_buckets, farthest, bidirectional, monkeypatch):
    assert verdicts.begins_by_powers(n_buckets, farthest, bidirectional=bidirectional)
    later = t5.t5_boundaries(n_buckets=n_buckets, max_distance=farthest, bidirectional=bidirectional) + 1
    monkeypatch.setattr(verdicts, "t5_boundaries", lambda **sizes: later)
    assert not verdicts.begins_by_powers(n_buckets, farthest, bidirectional=bidirectional)


def test_kerple_leaves_more_than_a_slope_only_far_out():
    far = verdicts.kerple_overtakes(1 / 256, 2, 1)
    assert 2 * math.log(1 + far) < far / 256
    assert 2 * math.log(far) >= (far - 1) / 256
    assert far > 4096
    with pytest.raises(ValueError, match="upto"):
        verdicts.kerple_overtakes(1 / 256, 2, 1, upto=4096)


@pytest.mark.parametrize("bidirectional", [True, False])
def test_the_last_bucket_has_no_end(bidirectional, monkeypatch):
    both = {"bidirectional": bidirectional}
    assert verdicts.last_is_the_same(128, 4096, **both)
    assert verdicts.last_is_the_same(2048, 4096, **both)
    last = t5.t5_last_bucket(**both)
    for wrong in (last - 1, last + 1):
        monkeypatch.setattr(verdicts, "t5_last_bucket", lambda *, at=wrong, **sizes: at)
        assert not verdicts.last_is_the_same(128, 4096, **both)


def test_t5_moves_along_and_a_bias_that_knows_the_place_does_not():
    assert verdicts.moves_along(1000)
    assert not verdicts.moves_along(1000, bias=lambda w, q, k: pe.t5_bias(w, q, k) + np.asarray(k) / 1000)


def test_a_divided_sum_has_a_flatter_slope():
    assert verdicts.divided_slope(1 / 2, 64) == 1 / 16
    assert math.isclose(verdicts.divided_half_life(1 / 2, 64), 16 * math.log(2))
    assert math.isclose(verdicts.divided_half_life(1 / 2, 64, scale_bias=False), 2 * math.log(2))
    assert verdicts.sum_is_divided(1 / 2, 64)
    assert not verdicts.sum_is_divided(1 / 2, 64, scale_bias=False)  # divided before the bias is added
