"""The first attempts: small tables by hand, then the ledger's claims C014 to C037, one test each."""

import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from pe_book.evidence.claims import stands
from pe_book.evidence.why import first_attempts as verdicts
from pe_book.evidence.why.first_attempts import DEMANDS
from pe_book.numerics.rounding import FORMATS, closest_pair, collisions, round_to, spacing
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.why.counting import shear
from pe_book.why.descent import condition_number, largest_step, with_constant
from pe_book.why.first_attempts import (
    add,
    append,
    count,
    over_last,
    over_length,
    over_length_from_one,
    over_maximum,
)
from pe_book.why.norms import layer_norm, rms_norm, share_of_squares
from pe_book.why.requirements import ATTEMPTS, failures, measure, measure_all
from pe_book.why.sines import harmonic_pairs, harmonic_period, one_sine
from tests.seeds import examples_drawn

# planted in the package: file, what stands there, what is planted; the numbers of the page have to move
PLANTED = {
    "length": [("pe_book/why/first_attempts.py", "return np.arange(n) / n", "return np.arange(n) / (n + 1)")],
    "base": [
        ("pe_book/sinusoidal/formula.py", "np.power(base, ", "np.power(1.5 * base, "),
        ("pe_book/numerics/exact.py", "context.log(base)", "context.log(1.5 * base)"),
    ],
}

NORMALISATIONS = (over_length, over_length_from_one, over_last)
few = examples_drawn(50)


def table(n, pairs):
    return harmonic_pairs(np.arange(n), pairs)


# exact small tables


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (over_length, ["0", "1/4", "1/2", "3/4"]),
        (over_length_from_one, ["1/4", "1/2", "3/4", "1"]),
        (over_last, ["0", "1/3", "2/3", "1"]),
        (lambda n: over_maximum(n, maximum=512), ["0", "1/512", "2/512", "3/512"]),
    ],
)
def test_four_words_under_four_normalisations(code, expected):
    assert code(4).tolist() == [float(Fraction(value)) for value in expected]


@few
@given(st.integers(2, 2000))
def test_where_each_normalisation_begins_and_ends(n):
    assert (over_length(n)[0], over_length(n)[-1]) == (0, (n - 1) / n)
    assert (over_length_from_one(n)[0], over_length_from_one(n)[-1]) == (1 / n, 1)
    assert (over_last(n)[0], over_last(n)[-1]) == (0, 1)
    for code in NORMALISATIONS:
        assert (np.diff(code(n)) > 0).all()


@few
@given(st.integers(1, 9), st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=5))
def test_harmonic_pairs_one_at_a_time(pairs, positions):
    found = harmonic_pairs(positions, pairs)
    assert found.shape == (len(positions), 2 * pairs)
    for row, p in zip(found, positions, strict=True):
        expected = [wave(p / (i + 1)) for i in range(pairs) for wave in (math.sin, math.cos)]
        np.testing.assert_allclose(row, expected, rtol=0, atol=1e-15)


def test_positions_of_any_shape():
    assert one_sine(3).shape == ()
    assert one_sine([[0, 1], [2, -1.5]]).shape == (2, 2)
    assert harmonic_pairs(np.zeros((2, 5)), 4).shape == (2, 5, 8)


@pytest.mark.parametrize("code", [count, *NORMALISATIONS])
@pytest.mark.parametrize("bad", [0, -1, 2.5, "4", True])
def test_lengths_are_refused(code, bad):
    with pytest.raises((ValueError, TypeError), match="seq_len must be a whole number"):
        code(bad)


def test_what_has_no_answer_is_refused():
    with pytest.raises(ValueError, match="maximum must be a whole number from 1 to 9007199254740992, got 0"):
        over_maximum(4, maximum=0)
    with pytest.raises(ValueError, match="seq_len must be a whole number of at least 2, got 1"):
        over_last(1)
    with pytest.raises(ValueError, match="pairs must be a whole number of at least 1, got 0"):
        harmonic_pairs(1, 0)
    with pytest.raises(ValueError, match="code must have 3 rows"):
        append(np.zeros((3, 2)), count(4))
    with pytest.raises(ValueError, match="code must have 1 or 2 columns"):
        add(np.zeros((3, 2)), np.zeros((3, 5)))
    with pytest.raises(ValueError, match=r"x must have shape \(n, d\)"):
        append(np.zeros(3), count(3))


# the ledger


def test_c014_counting_makes_513_of_512():
    assert stands("C014")
    assert count(4).tolist() == [1, 2, 3, 4]
    x = np.random.default_rng(0).standard_normal((4, 512))
    appended = append(x, count(4))
    assert appended.shape == (4, 513)
    np.testing.assert_array_equal(appended[:, :512], x)
    assert appended[:, 512].tolist() == [1, 2, 3, 4]
    # the other design keeps the width: the same number on every coordinate of a row
    for number, (row, word) in enumerate(zip(add(x, count(4)), x, strict=True), start=1):
        np.testing.assert_array_equal(row, [value + number for value in word])


def test_c015_a_book_of_500_pages_has_one_lakh_words():
    found = stands("C015")
    assert found
    assert round_to(found.evidence["words"], "float16") == np.inf


def test_c016_an_appended_count_takes_over_the_layer_norm():
    assert stands("C016")
    words = np.random.default_rng(0).standard_normal(512)
    for p, coordinate, others in [(4, 3.92, 0.986), (100, 22.06, 0.223), (100_000, 22.6274, 2.29e-4)]:
        normed = layer_norm(append([words], [float(p)]))[0]
        assert normed[-1] == pytest.approx(coordinate, abs=0.05)
        assert normed[:-1].std() == pytest.approx(others, rel=0.05)
        assert p**2 / (p**2 + 512) == pytest.approx({4: 0.0303, 100: 0.9513, 100_000: 1}[p], abs=1e-4)
    # no coordinate of n can pass sqrt(n - 1); a lone large one tends to it
    assert normed[-1] < math.sqrt(512)
    assert normed[-1] == pytest.approx(math.sqrt(512), rel=1e-6)
    assert verdicts.lost_in_layer_norm([words] * 3, [4.0, 100.0, 1000.0])  # added, it is gone
    assert share_of_squares(4, 512) == pytest.approx(0.0303, abs=1e-4)
    # in bfloat16 it is the word that goes: neighbours are 4 apart at 1000, and 16 at 4000
    assert set(round_to(words + 1000, "bfloat16")) == {996.0, 1000.0, 1004.0}
    assert set(round_to(words + 4000, "bfloat16")) == {4000.0}
    # a norm that subtracts no mean keeps the count
    assert rms_norm(words + 4).mean() == pytest.approx(4 / math.sqrt(17), abs=0.01)


def test_c017_large_numbers_are_a_matter_of_conditioning():
    assert stands("C017")
    expected = {4: (55.78, 0.2395), 100: (1.3745e4, 5.91e-4), 1000: (1.337e6, 5.991e-6)}
    expected[100_000] = (1.3333e10, 6.0e-10)
    for n, (condition, step) in expected.items():
        features = with_constant(count(n))
        assert condition_number(features) == pytest.approx(condition, rel=1e-3)
        assert largest_step(features) == pytest.approx(step, rel=1e-3)
        standardised = with_constant((count(n) - count(n).mean()) / count(n).std())
        assert condition_number(standardised) == pytest.approx(1, rel=1e-9)
    # a fixed maximum makes the numbers small and the short sentence worse
    short = condition_number(with_constant(over_maximum(4, maximum=512)))
    assert short > 1000 * condition_number(with_constant(count(4)))


def test_c018_a_sine_at_integers_is_as_discrete_and_steps_further():
    assert stands("C018")
    sine = np.abs(np.diff(one_sine(range(20))))
    assert sine[2] == pytest.approx(0.768177, abs=5e-7)
    assert sine.max() > np.diff(over_last(20)).max()
    torch = pytest.importorskip("torch")
    weight = torch.ones(1, requires_grad=True)
    positions = torch.arange(4.0)
    (weight * positions).sum().backward()
    assert positions.grad is None
    assert not positions.requires_grad
    assert weight.grad.item() == 6.0  # the whole numbers pass their gradient on to what is learned


def test_c019_a_value_everywhere_is_not_continuity():
    found = stands("C019")
    assert found
    assert found.evidence["excess"] > 0.8  # rounding down has a value everywhere, and jumps by 1


def test_c020_counting_has_a_shift_and_a_relative_score():
    found = stands("C020")
    assert found
    large, small = (found.evidence[size] for size in ("large", "little"))
    assert large == pytest.approx(10.0990195, abs=1e-7)
    assert small == pytest.approx(0.0990195, abs=1e-7)
    assert large * small == pytest.approx(1, abs=1e-14)
    turn = np.array([[math.cos(1), math.sin(1)], [-math.sin(1), math.cos(1)]])
    np.testing.assert_allclose(np.linalg.svd(turn, compute_uv=False), 1, atol=1e-15)
    assert measure(ATTEMPTS["counting"]).shift_residual < 1e-12


def test_c021_a_count_steps_by_one_vector_and_the_sinusoid_by_one_length():
    found = stands("C021")
    assert found
    assert found.evidence["step"] == pytest.approx(3.714270365, abs=1e-9)
    early, late = (encode(p + 1, 512) - encode(p, 512) for p in (1, 1001))
    assert np.linalg.norm(early - late) > 1


def test_c022_the_gap_depends_on_the_length():
    found = stands("C022")
    assert found
    assert found.evidence["over the last"] == pytest.approx(0.0256410, abs=5e-8)
    np.testing.assert_allclose(np.diff(over_last(4)), 1 / 3, atol=1e-15)


def test_c023_a_fixed_maximum_has_one_gap_and_too_little_resolution():
    found = stands("C023")
    assert found
    assert (found.evidence["first"], found.evidence["second"]) == (256, 257)
    assert spacing([0.5, 0.999], "bfloat16").tolist() == [1 / 256, 1 / 256]
    # it does not end: it outgrows 1
    assert over_maximum(601, maximum=512)[[511, 512, 600]].tolist() == [511 / 512, 1, 600 / 512]


def test_c024_from_end_to_end():
    assert stands("C024")
    with pytest.raises(ValueError, match="at least 2"):
        over_last(1)


def test_c025_the_second_word_of_two_and_of_four():
    found = stands("C025")
    assert found
    assert [found.evidence[way] for way in ("by the program", "from one", "over the length")] == [
        1 / 3,
        1 / 2,
        1 / 4,
    ]
    assert [over_maximum(n, maximum=512)[1] for n in (2, 4)] == [1 / 512, 1 / 512]


def test_c026_a_ratio_keeps_the_place_in_the_sentence_and_loses_the_index():
    assert stands("C026")
    assert over_last(101)[50] == 0.5
    for n in (3, 5, 101):
        assert over_length(n)[n // 2] < 0.5 < over_length_from_one(n)[n // 2]  # under this formula alone


def test_c027_the_shift_law_does_not_need_a_period():
    assert stands("C027")
    p = np.arange(50)
    np.testing.assert_array_equal(with_constant(p) @ shear(7).T, with_constant(p + 7))
    # and a period alone gives no law: |sin| has one, and no affine map moves it on
    assert not verdicts.one_map_for_each_shift(np.abs(np.sin(p)))
    assert measure(lambda n: np.abs(np.sin(np.arange(n)))).shift_residual > 0.1


def test_c028_the_whole_row_never_returns():
    # the ratio of the first two frequencies at 512 is 10^(1/64): were it a/b, then a^64 = 10 b^64
    assert stands("C028")
    assert frequencies(512)[0] / frequencies(512)[1] == pytest.approx(10 ** (1 / 64), rel=1e-14)
    assert sympy.minimal_polynomial(sympy.root(10, 64), sympy.Symbol("x")).as_poly().degree() == 64
    for d_model in (16, 64, 512):
        assert verdicts.neighbour_is_nearest(frequencies(d_model), within=100_000)
    nearest = verdicts.neighbour_is_nearest(frequencies(8), within=100_000).evidence["nearest"]
    assert nearest == 69_115 == round(11 * 2000 * math.pi)
    for d_model in (2, 4, 8):  # over the reals these do return, but not at an integer
        period = 2 * math.pi * 10 ** {2: 0, 4: 2, 8: 3}[d_model]
        np.testing.assert_allclose(encode(period, d_model), encode(0, d_model), atol=1e-11)
        assert not period.is_integer()


def test_c029_sine_and_cosine():
    assert stands("C029")
    x = np.linspace(-4 * np.pi, 4 * np.pi, 10_001)
    assert np.abs(np.sin(x + np.pi) - np.sin(x)).max() > 1.9  # half of it is no period


def test_c030_a_period_does_not_bound():
    found = stands("C030")
    assert found
    assert found.evidence["largest"] > 9e4
    rows = table(100, 1)
    np.testing.assert_allclose((rows**2).sum(axis=1), 1, atol=1e-15)  # this bounds


def test_c031_the_first_three_sines():
    found = stands("C031")
    assert found
    assert [found.evidence[p] for p in ("one", "two")] == pytest.approx([0.841470985, 0.909297427], abs=5e-10)


def test_c032_five_words_have_five_numbers():
    assert stands("C032")
    codes = one_sine(range(5))
    np.testing.assert_allclose(codes, [0, 0.841471, 0.909297, 0.141120, -0.756802], rtol=0, atol=5e-7)


def test_c033_no_two_integers_share_a_sine():
    assert stands("C033")
    sine = one_sine(range(5000))
    assert collisions(one_sine(range(1_000_000))) == (None, 1_000_000, 1_000_000)
    closest = [(23, (8, 14), 1.24910907e-3), (100, (11, 55), 2.35033e-4), (356, (11, 344), 1.32955467e-7)]
    for n, pair, gap in closest:
        found = closest_pair(sine[:n])
        assert found[:2] == pair
        exact = sympy.Abs(sympy.sin(pair[0]) - sympy.sin(pair[1])).evalf(30)
        assert float(exact) == pytest.approx(gap, rel=1e-5)
        assert found.gap == pytest.approx(float(exact), rel=1e-8)
    assert closest_pair(sine)[:2] == (11, 344)
    # sum and difference are numerators of neighbouring convergents of pi
    convergents = sympy.continued_fraction_convergents(sympy.continued_fraction_iterator(sympy.pi))
    numerators = [next(convergents).p for _ in range(4)]
    assert numerators == [3, 22, 333, 355]
    assert numerators[2:] == [344 - 11, 344 + 11]
    for a, b in [(22, 0.00885130929), (44, 0.0177019251), (355, 3.01443534e-5), (710, 6.02887067e-5)]:
        assert abs(math.sin(a)) == pytest.approx(b, rel=1e-8)
    assert sympy.sin(2 * sympy.pi) == sympy.sin(0)  # over the reals it does return


def test_c034_which_positions_coincide_after_rounding():
    assert stands("C034")
    sine = one_sine(range(60_000))
    decimals = {1: (5, 11), 2: (10, 12), 3: (11, 55), 4: (177, 178), 5: (168, 187)}
    assert {n: collisions(np.round(sine, n)).first for n in decimals} == decimals
    formats = {"bfloat16": (8, 52), "float16": (177, 178), "float32": (42589, 43299)}
    assert {dtype: collisions(round_to(sine, dtype)).first for dtype in formats} == formats
    assert collisions(sine.astype(np.float32)).first == (42589, 43299)
    assert collisions(sine.astype(np.float16)).first == (177, 178)
    assert [collisions(np.round(sine[:512], n)).distinct for n in (2, 3)] == [196, 323]
    assert collisions(round_to(sine[:512], "float16")).distinct == 348


def test_c035_the_third_harmonic_is_a_third_and_not_0_33():
    found = stands("C035")
    assert found
    assert found.evidence["off"] > 3e-3
    expected = [0.841471, 0.540302, 0.479426, 0.877583, 0.327195, 0.944957]
    np.testing.assert_allclose(harmonic_pairs(1), expected, rtol=0, atol=5e-7)


def test_a_period_too_long_for_float64_says_how_many_pairs_have_one():
    with pytest.raises(ValueError, match=r"pairs must be at most (\d+), .* got about 1\.00e\+400") as refused:
        harmonic_period(10**400)
    most = int(str(refused.value).split("at most ")[1].split(",")[0])
    assert np.isfinite(harmonic_period(most))
    with pytest.raises(ValueError, match=f"at most {most}"):
        harmonic_period(most + 1)


def test_c036_harmonics_share_one_exact_period():
    assert stands("C036")
    for pairs, turns in [(3, 6), (4, 12), (5, 60), (6, 60), (8, 840)]:
        assert math.lcm(*range(1, pairs + 1)) == turns
        period = 2 * math.pi * turns
        assert harmonic_period(pairs) == period
        np.testing.assert_allclose(harmonic_pairs(period, pairs), harmonic_pairs(0, pairs), atol=1e-11)
        assert np.abs(harmonic_pairs(period / 2, pairs) - harmonic_pairs(0, pairs)).max() > 0.5
    distances = np.linalg.norm(table(4300, 3) - table(1, 3), axis=1)
    expected = {38: 0.349992, 113: 0.113523, 377: 0.0103618, 4260: 4.22021e-4}
    for k, distance in expected.items():
        assert distances[k] == pytest.approx(distance, abs=1e-6)
    assert np.linalg.norm(harmonic_pairs(377, 4) - harmonic_pairs(0, 4)) == pytest.approx(0.0105970, abs=1e-6)
    assert collisions(table(4300, 3)).first is None


def test_c037_each_pair_is_slower_and_the_slowest_only_linearly():
    assert stands("C037")
    for pairs in (3, 8, 64):
        wavelengths = 2 * math.pi * np.arange(1, pairs + 1)
        for i in (0, pairs - 1):
            turned = harmonic_pairs(wavelengths[i], pairs)[2 * i : 2 * i + 2]
            np.testing.assert_allclose(turned, [0, 1], atol=1e-13)
        assert (np.diff(1 / wavelengths) < 0).all()
    geometric = 2 * math.pi / frequencies(128)
    assert geometric[-1] / geometric[0] > 100 * wavelengths[-1] / wavelengths[0]


# what the chapter shows


def test_the_table_marks_what_fails():
    show = pytest.importorskip("pe_book.show.why.first_attempts")
    table = show.requirements_table()
    *attempts, encoding = measure_all().values()
    results = [encoding, *attempts]  # what one came for stands right behind the name of the demand
    assert len(table.columns) == len(results) + 1
    for row, field in zip(table.cells, DEMANDS, strict=True):
        marked = ["✗" in cell for cell in row[1:]]
        assert marked == [field in failures(found) for found in results]
    failed = sum(len(failures(found)) for found in results)
    assert sum("✗" in cell for row in table.cells for cell in row) == failed


def test_the_table_measures_the_demands_that_the_chapter_makes():
    """Six demands at the beginning; eight rows at the end, each under the name of a demand."""
    page = Path(__file__).resolve().parents[2] / "docs" / "why" / "first-attempts.md"
    text = page.read_text(encoding="utf-8")
    demanded = text.split("(sec:attempts:wishes)=")[1].split("(sec:attempts:counting)=")[0]
    names = {name.lower() for name in re.findall(r"\*\*([\w ]+)\*\*:", demanded)}
    rows = list(DEMANDS.values())
    assert names == {row.split(",")[0] for row in rows}
    assert len(names) == 6
    explained = re.findall(r"^\| ([\w ,]+) \|.*`(\w+)` \|$", text, re.MULTILINE)
    assert [(field, row) for row, field in explained] == list(DEMANDS.items())


def test_short_sentences_are_counted_exactly_in_the_formats_of_the_table():
    for dtype in FORMATS:
        np.testing.assert_array_equal(round_to(count(12), dtype), count(12))
    torch = pytest.importorskip("torch")
    eight_bits = torch.tensor(count(12)).to(torch.float8_e5m2).double().tolist()
    assert eight_bits[:9] == [1, 2, 3, 4, 5, 6, 7, 8, 8]  # which is why the chapter says which formats


def test_dividing_by_a_length_is_what_moves_the_second_word():
    moved = {name for name, found in measure_all().items() if "second_word" in failures(found)}
    assert moved == {name for name in ATTEMPTS if "len" in name}


def test_a_norm_without_the_mean_keeps_it():
    torch = pytest.importorskip("torch")
    x = np.random.default_rng(1).normal(3, 7, size=(2, 5, 16))
    expected = torch.nn.functional.rms_norm(torch.tensor(x), (16,), eps=0.0).numpy()
    np.testing.assert_allclose(rms_norm(x), expected, rtol=0, atol=1e-13)
    with pytest.raises(ValueError, match="row of zeros"):
        rms_norm([[0.0, 0.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match="single number"):
        rms_norm(1.0)
