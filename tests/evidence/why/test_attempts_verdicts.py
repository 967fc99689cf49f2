"""Every decision of the chapter on numbering words: true of the real thing, false of a plausible mistake."""

import numpy as np
import pytest

from pe_book.evidence.why import first_attempts as verdicts
from pe_book.evidence.why.training import line, loss_after, training_codes, updates_to_a_thousandth
from pe_book.numerics.rounding import closest_pair
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.why.descent import curvature, descend, with_constant
from pe_book.why.first_attempts import count, over_last, over_length, over_length_from_one, over_maximum
from pe_book.why.norms import layer_norm, rms_norm
from pe_book.why.sines import one_sine

WORDS = np.random.default_rng(0).standard_normal((4, 512))


def test_an_added_count_is_lost_in_a_layer_norm_and_an_added_row_is_not():
    assert verdicts.lost_in_layer_norm(WORDS, count(4))
    assert verdicts.lost_in_layer_norm(WORDS, 1000 * count(4))
    assert not verdicts.lost_in_layer_norm(WORDS, encode(range(4), 512))
    assert not verdicts.lost_in_layer_norm(WORDS, 1e-6 * WORDS[::-1])


def test_an_added_count_is_kept_by_rms_norm_and_by_no_norm_that_centres():
    shown = [*count(4), 1000, 4000]
    assert verdicts.kept_by_a_norm(rms_norm, WORDS, shown)
    assert not verdicts.kept_by_a_norm(layer_norm, WORDS, shown)
    # each average is above 0.9, and nobody can tell which count it was
    assert not verdicts.kept_by_a_norm(lambda rows: np.sign(rows.mean(axis=1, keepdims=True)), WORDS, shown)
    # rising for every single word, but one word's 2 looks like another word's 3
    assert not verdicts.kept_by_a_norm(rms_norm, WORDS + 2 * np.arange(4)[:, np.newaxis], shown)
    assert not verdicts.kept_by_a_norm(rms_norm, WORDS, [4])  # one count is not told from anything


def test_one_word_is_refused_by_the_last_formula_alone():
    assert verdicts.refuses(over_last, 1)
    assert "at least 2" in verdicts.refuses(over_last, 1).evidence["answer"]
    for code in (over_length, over_length_from_one, lambda n: np.zeros(n)):
        assert not verdicts.refuses(code, 1)


def test_one_gap_in_every_sentence_is_a_matter_of_the_divisor():
    assert verdicts.one_gap(lambda n: over_maximum(n, maximum=512))
    for code in (over_length, over_length_from_one, over_last, lambda n: one_sine(range(n))):
        assert not verdicts.one_gap(code)
    assert verdicts.one_gap(over_length, lengths=(4,))  # one sentence alone has one gap


def test_the_middle_word_is_one_number_under_one_formula():
    assert verdicts.one_middle(over_last)
    assert verdicts.one_middle(over_last).evidence["largest"] == 0.5
    for code in (over_length, over_length_from_one, lambda n: over_maximum(n, maximum=512)):
        assert not verdicts.one_middle(code)


def test_no_divisor_helps_bfloat16_and_a_format_can_be_helped():
    found = verdicts.no_divisor_leaves_more(np.arange(512), "bfloat16", below=1024)
    assert found
    assert found.evidence["most"] == found.evidence["undivided"] == 385
    past_the_end = [65520, 65552, 131072]  # all infinite, unless they are divided
    assert not verdicts.no_divisor_leaves_more(past_the_end, "float16", below=4)


def test_a_step_moves_the_sine_by_no_more_and_others_by_more():
    x = np.linspace(0, 4 * np.pi, 2000)
    assert verdicts.moves_by_at_most_its_step(np.sin, x)
    for function in (np.floor, lambda x: np.sin(2 * x), lambda x: 1.001 * np.sin(x)):
        assert not verdicts.moves_by_at_most_its_step(function, x)


def test_the_closest_sines_are_explained_by_two_fractions_for_pi():
    best = closest_pair(one_sine(range(5000)))
    assert verdicts.near_repeat_is_explained(best.first, best.second)
    assert not verdicts.near_repeat_is_explained(8, 14)  # a mirror image, and no whole turn
    assert not verdicts.near_repeat_is_explained(0, 710)  # whole turns, and no mirror image


def test_exponentials_counts_and_waves_obey_the_shift_law_and_bent_ones_do_not():
    p = np.arange(512)
    for table in (np.exp(-p / 10), with_constant(p), encode(p, 8)):
        assert verdicts.one_map_for_each_shift(table)
    for table in (np.abs(np.sin(p)), p, np.sin(p), np.log1p(p)):  # a count without its constant, a lone sine
        assert not verdicts.one_map_for_each_shift(table)
    with pytest.raises(ValueError, match="many more rows"):
        verdicts.one_map_for_each_shift(np.eye(30))  # any such table could be fitted


def test_the_row_of_width_8_comes_round_and_wider_ones_do_not():
    for d_model in (16, 64, 512):
        assert verdicts.neighbour_is_nearest(frequencies(d_model), within=100_000)
    found = verdicts.neighbour_is_nearest(frequencies(8), within=100_000)
    assert not found
    assert found.evidence["nearest"] == 69_115
    assert verdicts.neighbour_is_nearest(frequencies(8), within=5)  # it is nearly back at 6


def test_distances_are_those_of_the_rows():
    rows = encode(range(41), 12)
    expected = np.linalg.norm(rows[1:] - rows[0], axis=1)
    assert np.allclose(verdicts.distance_from_start(frequencies(12), 40), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["4 words, counted", "100 words, standardised"])
def test_the_losses_are_those_of_descent(name):
    code = training_codes()[name]
    features = with_constant(code)
    values = curvature(features)
    found = descend(features, line(code), step=2 / (values[0] + values[-1]), n_steps=200)
    assert np.allclose(loss_after(np.arange(201), code), found / found[0], rtol=0, atol=1e-12)
    assert updates_to_a_thousandth(code) == np.argmax(found <= 1e-3 * found[0])
