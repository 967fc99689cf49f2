"""The sinusoidal encoding: exact small tables, properties, an independent library, and the usual mistakes."""

import math
import tracemalloc
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from pe_book.evidence.claims import stands
from pe_book.evidence.claims.programs import slices
from pe_book.evidence.sinusoidal import formula as verdicts
from pe_book.inputs.pairs import permutation, relayout
from pe_book.show.sinusoidal import formula as show
from pe_book.sinusoidal.formula import encode, frequencies, wavelengths
from tests.seeds import examples_drawn

# planted in the package: file, what stands there, what is planted; the numbers of the page have to move
PLANTED = {
    "base": [
        ("pe_book/sinusoidal/formula.py", "np.power(base, ", "np.power(1.5 * base, "),
        ("pe_book/numerics/exact.py", "context.log(base)", "context.log(1.5 * base)"),
    ],
    "exchanged": [
        (
            "pe_book/sinusoidal/formula.py",
            "sines, cosines = sines_and_cosines(",
            "cosines, sines = sines_and_cosines(",
        )
    ],
}

widths = st.integers(1, 2048).map(lambda pairs: 2 * pairs)
bases = st.one_of(
    st.floats(1.0, 1e300, exclude_min=True), st.just(10000.0), st.just(math.nextafter(1.0, 2.0))
)
ladders = st.sampled_from(["paper", "tensor2tensor"])
layouts = st.sampled_from(["interleaved", "halves"])
few = examples_drawn(40)
mpmath.mp.dps = 50


def exact_angle(position, pair, d_model, base=10000):
    """The angle of one pair, to fifty digits, straight from the printed formula."""
    return mpmath.mpf(position) / mpmath.mpf(base) ** (mpmath.mpf(2 * pair) / d_model)


def exact_row(position, d_model, base=10000):
    row = []
    for pair in range(d_model // 2):
        angle = exact_angle(position, pair, d_model, base)
        row += [float(mpmath.sin(angle)), float(mpmath.cos(angle))]
    return np.array(row)


# --- the ledger ------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "d_model", "base"), [(1, 6, 10000), (7, 8, 10000), (-3, 4, 100), (49, 12, 500)]
)
def test_c038_sine_in_column_2i_cosine_in_column_2i_plus_1_same_exponent(position, d_model, base):
    assert stands("C038")
    exact = exact_row(position, d_model, base)
    np.testing.assert_allclose(encode(position, d_model, base=base), exact, atol=2e-15)


def test_c039_even_columns_are_sines_when_columns_are_counted_from_zero():
    # Dot products cannot tell, so it looks at the entries of position 0.
    assert stands("C039")
    swapped = encode(np.arange(9), 4)[:, [1, 0, 3, 2]]
    assert swapped[0].tolist() != [0.0, 1.0, 0.0, 1.0]


def test_c040_i_counts_pairs_from_0_to_255_at_width_512():
    found = stands("C040")
    assert found
    assert found.evidence["last"] == 255
    row = encode(1, 512)
    np.testing.assert_allclose(row[[510, 511]], exact_row(1, 512)[[510, 511]], atol=2e-16)


@pytest.mark.parametrize("d_model", [2, 6, 512, 4096])
def test_c041_position_zero_is_exactly_0_1_0_1(d_model):
    assert stands("C041")
    assert encode(0, d_model).tolist() == [0.0, 1.0] * (d_model // 2)


def test_c042_three_entries_of_name():
    assert stands("C042")
    name = encode(1, 512)
    assert name[0] == pytest.approx(float(mpmath.sin(1)), abs=1e-15)
    assert name[1] == pytest.approx(float(mpmath.cos(1)), abs=1e-15)
    assert Fraction(2 * 128, 512) == Fraction(1, 2)  # so column 256 has the divisor 10000**(1/2)
    assert name[256] == pytest.approx(float(mpmath.sin(mpmath.mpf("0.01"))), abs=1e-17)
    assert f"{name[0]:.2f} {name[1]:.2f} {name[256]:.2f}" == "0.84 0.54 0.01"


def test_c043_entry_511_of_name_is_close_to_1_but_only_float32_makes_it_1():
    assert stands("C043")
    name = encode(1, 512)
    gap = 1 - mpmath.cos(exact_angle(1, 255, 512))
    assert 0 < name[511] < 1
    assert np.float32(name[511]) == np.float32(1)
    assert 1 - name[511] == pytest.approx(float(gap), rel=1e-7)
    # It is no flat line in a long text: the first position past a quarter turn has a negative cosine.
    quarter = int(mpmath.ceil(mpmath.pi / 2 / exact_angle(1, 255, 512)))
    assert quarter == 15153
    assert verdicts.turns_negative_at(quarter, 512)
    assert not verdicts.turns_negative_at(quarter - 1, 512)


def test_c044_river():
    assert stands("C044")


def test_c045_bank_has_divisors_21_54_and_464_2():
    found = stands("C045")
    assert found
    assert f"{found.evidence['second']:.2f} {found.evidence['third']:.1f}" == "21.54 464.2"
    bank = [0.841471, 0.540302, 0.046399, 0.998923, 0.002154, 0.999998]
    np.testing.assert_allclose(encode(1, 6), bank, atol=5e-7, rtol=0)
    assert not stands("C045", base=100.0)  # the row in circulation comes from the exponent i/d


def test_c046_sine_of_one_over_4_64_rounds_to_0_214():
    found = stands("C046")
    assert found
    assert found.evidence["sine"] == pytest.approx(0.2138527, abs=5e-8)
    rest = [math.cos(1 / 10000 ** (1 / 6)), math.sin(1 / 10000 ** (2 / 6)), math.cos(1 / 10000 ** (2 / 6))]
    assert [f"{x:.3f}" for x in rest] == ["0.977", "0.046", "0.999"]


def test_c047_the_program_and_the_table_printed_below_it_differ_by_a_sixth():
    found = stands("C047")
    assert found
    assert f"{found.evidence['apart']:.4f}" == "0.1666"


@pytest.mark.parametrize("d_model", [6, 128, 512])
def test_c048_the_longest_wavelength_falls_short_of_10000_turns_of_2_pi(d_model):
    assert stands("C048")
    waves = wavelengths(d_model)
    assert waves[0] == 2 * np.pi
    share = float(mpmath.mpf(10000) ** (mpmath.mpf(-2) / d_model))
    assert waves[-1] / (10000 * 2 * np.pi) == pytest.approx(share, rel=1e-14)
    assert f"{share:.3%}" == {6: "4.642%", 128: "86.596%", 512: "96.466%"}[d_model]
    assert wavelengths(d_model, ladder="tensor2tensor")[-1] == pytest.approx(10000 * 2 * np.pi, rel=1e-15)


@few
@given(st.integers(3, 2048).map(lambda pairs: 2 * pairs), st.floats(1.1, 1e6), ladders)
def test_c049_wavelengths_form_a_geometric_progression(d_model, base, ladder):
    waves = wavelengths(d_model, base=base, ladder=ladder)
    ratio = base ** (2 / d_model) if ladder == "paper" else base ** (1 / (d_model / 2 - 1))
    np.testing.assert_allclose(waves[1:] / waves[:-1], ratio, rtol=1e-13)


def test_c049_two_widths_have_one_rung_each():
    assert stands("C049")


def test_c050_the_released_code_is_not_a_reordering_of_the_printed_formula():
    found = stands("C050")
    assert found
    assert f"{found.evidence['apart']:.3f}" == "0.488"


@few
@given(widths)
def test_c051_exp_of_the_log_gives_the_same_frequencies(d_model):
    recipe = np.exp(np.arange(0, d_model, 2) * (-np.log(10000.0) / d_model))
    np.testing.assert_allclose(recipe, frequencies(d_model), rtol=1e-14)


def test_c051_in_float32_the_same_recipe_drifts_with_the_position():
    assert stands("C051")
    errors = []
    for seq_len in (50, 5000):
        errors.append(np.abs(slices(seq_len, 512, np.float32) - encode(np.arange(seq_len), 512)).max())
    assert errors[0] < 1e-5 < 1e-4 < errors[1] < 1e-3


def test_c052_four_positions_four_columns_base_100():
    assert stands("C052")


def test_c053_the_default_base_is_that_of_the_paper():
    found = stands("C053")  # read off the quoted sentence
    assert found
    assert found.evidence["base"] == 10000
    assert not stands("C053", words="a progression from 2π to 1000 · 2π")
    assert not stands("C053", base_model=256)


def test_c054_fifty_words_of_width_128():
    assert stands("C054")


def test_c055_at_width_7_textbook_programs_do_three_different_things_and_this_one_refuses():
    assert stands("C055")
    with pytest.raises(ValueError, match="broadcast"):
        slices(5, 7)
    with pytest.raises(ValueError, match=r"d_model must be even.*got 7; use 6 or 8"):
        encode(1, 7)


def test_c055_the_recipe_in_torch_raises_at_width_7():
    torch = pytest.importorskip("torch")
    table = torch.zeros(5, 7)
    angles = torch.arange(5.0)[:, None] * torch.exp(torch.arange(0, 7, 2).float() * (-math.log(10000.0) / 7))
    assert angles.shape == (5, 4)
    table[:, 0::2] = torch.sin(angles)
    with pytest.raises(RuntimeError):
        table[:, 1::2] = torch.cos(angles)


# --- properties ------------------------------------------------------------


@few
@given(widths, bases, ladders)
def test_frequencies_start_at_one_never_rise_and_stay_above_one_over_base(d_model, base, ladder):
    omega = frequencies(d_model, base=base, ladder=ladder)
    assert omega.shape == (d_model // 2,)
    assert omega.dtype == np.float64
    assert omega[0] == 1
    assert np.all(np.diff(omega) <= 0)
    assert np.all(omega >= 1 / base * (1 - 1e-12))
    np.testing.assert_allclose(wavelengths(d_model, base=base, ladder=ladder) * omega, 2 * np.pi, rtol=1e-15)


@examples_drawn(15)
@given(widths, st.floats(1.0001, 1e12), ladders, st.data())
def test_every_frequency_is_right_to_a_few_units_in_the_last_place(d_model, base, ladder, data):
    pair = data.draw(st.integers(0, d_model // 2 - 1))
    rungs = d_model // 2 if ladder == "paper" else max(d_model // 2 - 1, 1)
    exact = mpmath.mpf(base) ** (-mpmath.mpf(pair) / rungs)
    omega = frequencies(d_model, base=base, ladder=ladder)[pair]
    assert abs(mpmath.mpf(omega) / exact - 1) < 1e-14


@few
@given(
    arrays(np.float64, array_shapes(max_dims=3, max_side=4), elements=st.floats(-1e9, 1e9)),
    st.integers(1, 40).map(lambda pairs: 2 * pairs),
    bases,
    layouts,
    ladders,
)
def test_a_row_is_made_of_points_on_the_unit_circle(positions, d_model, base, layout, ladder):
    x = encode(positions, d_model, base=base, layout=layout, ladder=ladder)
    assert x.shape == (*positions.shape, d_model)
    assert x.dtype == np.float64
    pairs = relayout(x, source=layout, to="interleaved").reshape(*positions.shape, -1, 2)
    np.testing.assert_allclose(np.square(pairs).sum(axis=-1), 1, atol=1e-15)
    # Whatever the shape, each position gets the row it gets alone.
    alone = [encode(p, d_model, base=base, layout=layout, ladder=ladder) for p in positions.ravel()]
    np.testing.assert_allclose(x.reshape(-1, d_model), alone, atol=1e-15)


@few
@given(st.floats(-1e6, 1e6), st.integers(1, 32).map(lambda pairs: 2 * pairs))
def test_a_negative_position_turns_the_other_way(position, d_model):
    signs = np.tile([-1.0, 1.0], d_model // 2)
    np.testing.assert_allclose(encode(-position, d_model), signs * encode(position, d_model), atol=1e-15)


@few
@given(widths, bases)
def test_the_released_ladder_is_the_printed_one_of_a_width_two_smaller_and_one_rung_more(d_model, base):
    released = frequencies(d_model + 2, base=base, ladder="tensor2tensor")
    np.testing.assert_allclose(released[:-1], frequencies(d_model, base=base), rtol=1e-15)
    assert released[-1] == pytest.approx(1 / base, rel=1e-15)


@pytest.mark.parametrize("ladder", ["paper", "tensor2tensor"])
def test_a_single_pair_turns_one_radian_a_token_on_both_ladders(ladder):
    assert frequencies(2, ladder=ladder).tolist() == [1.0]


def test_whole_positions_never_share_a_row():
    table = encode(np.arange(2000), 2)
    assert np.linalg.norm(table[1:] - table[0], axis=1).min() > 1e-5
    # Real positions can: at width 8 every wavelength divides 2000 pi.
    np.testing.assert_allclose(encode(2000 * math.pi, 8), encode(0, 8), atol=1e-12)


def test_empty_and_scalar_positions():
    assert encode([], 6).shape == (0, 6)
    assert encode(np.zeros((2, 0, 3)), 6).shape == (2, 0, 3, 6)
    assert encode(3, 6).shape == (6,)
    assert encode(np.float32(0.5), 4).tolist() == encode(0.5, 4).tolist()
    assert encode(np.uint8(200), 4).tolist() == encode(200, 4).tolist()


# --- layouts ------------------------------------------------------------


def test_the_two_layouts_by_hand():
    row = encode(1, 6)
    assert encode(1, 6, layout="halves").tolist() == [row[0], row[2], row[4], row[1], row[3], row[5]]
    assert permutation(6, source="interleaved", to="halves").tolist() == [0, 2, 4, 1, 3, 5]
    assert permutation(6, source="halves", to="interleaved").tolist() == [0, 3, 1, 4, 2, 5]
    assert permutation(6, source="halves", to="halves").tolist() == [0, 1, 2, 3, 4, 5]


@few
@given(widths, layouts, layouts)
def test_permutations_of_opposite_directions_undo_each_other(d, source, to):
    there, back = permutation(d, source=source, to=to), permutation(d, source=to, to=source)
    np.testing.assert_array_equal(there[back], np.arange(d))
    np.testing.assert_array_equal(np.sort(there), np.arange(d))


@few
@given(st.integers(1, 20).map(lambda pairs: 2 * pairs), layouts, layouts, ladders)
def test_relayout_agrees_with_encoding_in_the_other_layout(d_model, source, to, ladder):
    positions = np.arange(7)
    there = relayout(encode(positions, d_model, layout=source, ladder=ladder), source=source, to=to)
    np.testing.assert_array_equal(there, encode(positions, d_model, layout=to, ladder=ladder))


def test_relayout_along_another_axis_keeps_dtype_and_leaves_its_input_alone():
    weight = np.arange(12, dtype=np.float32).reshape(4, 3)
    moved = relayout(weight, source="interleaved", to="halves", axis=0)
    assert moved.dtype == np.float32
    assert moved.tolist() == weight[[0, 2, 1, 3]].tolist()
    same = relayout(weight, source="halves", to="halves", axis=-2)
    same[:] = 0
    assert weight[3, 2] == 11


# --- an independent library ------------------------------------------------------------


@pytest.mark.parametrize("d_model", [2, 6, 64, 512])
def test_positional_encodings_has_the_printed_formula_and_the_interleaved_layout(d_model):
    torch = pytest.importorskip("torch")
    library = pytest.importorskip("positional_encodings.torch_encodings")
    theirs = library.PositionalEncoding1D(d_model)(torch.zeros(1, 60, d_model))[0].numpy()
    # float32: an angle below 60 is off by at most a few units of its last place
    np.testing.assert_allclose(encode(np.arange(60), d_model), theirs, atol=1e-5, rtol=0)
    if d_model > 2:
        other = encode(np.arange(60), d_model, layout="halves")
        assert np.abs(other - theirs).max() > 0.5
        mapped = relayout(theirs, source="interleaved", to="halves")
        np.testing.assert_allclose(other, mapped, atol=1e-5, rtol=0)
        assert np.abs(encode(np.arange(60), d_model, ladder="tensor2tensor") - theirs).max() > 0.01


def test_at_an_odd_width_positional_encodings_cuts_the_last_cosine():
    torch = pytest.importorskip("torch")
    library = pytest.importorskip("positional_encodings.torch_encodings")
    theirs = library.PositionalEncoding1D(7)(torch.zeros(1, 5, 7))[0].numpy()
    np.testing.assert_allclose(encode(range(5), 8)[:, :7], theirs, atol=1e-6, rtol=0)


# --- what the page shows --------------------------------------------------------------------


def test_the_mistaken_rows_are_the_mistakes_and_each_is_recognised():
    rows = verdicts.mistaken_rows(1, 6)
    circulated = [0.841, 0.540, 0.213, 0.977, 0.046, 0.999]
    matches = [name for name, row in rows.items() if np.allclose(row, circulated, atol=1e-3, rtol=0)]
    assert matches == ["exponent $i/d$"]
    np.testing.assert_allclose(rows["as printed in the paper"], exact_row(1, 6), atol=1e-15)
    doubled = [0.841471, 0.540302, 0.002154, 0.999998, 4.6416e-6, 1.0]
    np.testing.assert_allclose(rows["exponent $4i/d$"], doubled, atol=5e-7, rtol=0)
    multiplied = [0.8415, 0.5403, 0.4321, -0.9018, -0.7151, 0.6990]
    np.testing.assert_allclose(rows["multiplied, not divided"], multiplied, atol=5e-5, rtol=0)
    assert f"{verdicts.mistaken_rows(1, 8)['base $1000$'][2]:.4f}" == "0.1769"
    np.testing.assert_allclose(rows["base $1000$"], encode(1, 6, base=1000), atol=1e-15)
    np.testing.assert_allclose(rows["positions from $1$"], exact_row(2, 6), atol=1e-15)
    for width in (6, 8):  # as printed, no two lines of the table are alike
        printed = show.mistakes(1, width).cells
        assert len({cells[1:] for cells in printed}) == len(printed) == 12


@pytest.mark.parametrize("d_model", [2, 6, 8, 512])
def test_other_conventions_are_listed_among_the_rows_that_are_matched(d_model):
    rows = verdicts.mistaken_rows(3, d_model)
    released = encode(3, d_model, ladder="tensor2tensor")
    halves = encode(3, d_model, layout="halves")
    np.testing.assert_allclose(rows["halves"], halves, atol=1e-14)
    np.testing.assert_allclose(rows["ladder of the released code"], released, atol=1e-14)
    both = relayout(released, source="interleaved", to="halves")
    np.testing.assert_allclose(rows["halves and that ladder"], both, atol=1e-14)
    np.testing.assert_allclose(rows["halves, cosines first"], np.roll(halves, d_model // 2), atol=1e-14)


def test_rows_of_two_widths_can_print_alike():
    six, eight = verdicts.mistaken_rows(1, 6), verdicts.mistaken_rows(1, 8)
    np.testing.assert_allclose(six["base $1000$"], exact_row(1, 8)[:6], atol=1e-15)
    np.testing.assert_allclose(six["ladder of the released code"], eight["exponent $4i/d$"][:6], atol=1e-15)


def test_the_ladder_is_not_silent_in_the_entries_of_long_or_narrow_tables():
    name = "the ladder of the released code"
    changes = verdicts.changes_by_convention
    entries = [changes(n, d)[name][0] for n, d in ((50, 512), (100, 512), (1000, 512), (50, 8))]
    assert [f"{entry:.2f}" for entry in entries] == ["0.07", "0.14", "1.31", "1.85"]
    assert [f"{changes(50, d)[name][1]:.2f}" for d in (6, 8, 64)] == ["1.53", "1.25", "1.30"]


@few
@given(st.integers(1, 10), st.integers(1, 10), st.integers(2, 5))
def test_real_positions_collide_when_the_step_of_the_ladder_is_a_fraction(below, more, pairs):
    above = below + more
    base = (above / below) ** pairs  # so that base**(2/d) is above/below
    period = 2 * math.pi * above ** (pairs - 1)
    np.testing.assert_allclose(encode(period, 2 * pairs, base=base), encode(0, 2 * pairs), atol=1e-6)


def test_real_positions_do_not_collide_where_the_step_is_a_root_of_ten():
    np.testing.assert_allclose(10000 ** (2 / 512), 10 ** (1 / 64), rtol=1e-14)
    whole_turns = 2 * np.pi * np.arange(1, 2_000)
    assert np.linalg.norm(encode(whole_turns, 512) - encode(0, 512), axis=1).min() > 1
    assert np.linalg.norm(encode(whole_turns, 8) - encode(0, 8), axis=1).min() < 1e-6


def test_counting_from_one_turns_each_pair_by_its_own_frequency_in_every_row():
    table, later = (encode(np.arange(9) + start, 8).reshape(9, 4, 2) for start in (0, 1))
    turn = np.arctan2(later[..., 0], later[..., 1]) - np.arctan2(table[..., 0], table[..., 1])
    np.testing.assert_allclose(np.mod(turn, 2 * np.pi), np.tile(frequencies(8), (9, 1)), atol=1e-12)


def test_conventions_change_what_the_table_says():
    changes = verdicts.changes_by_convention(50, 512)
    silent = {name.split(":")[0] for name, (_, product) in changes.items() if product < verdicts.NONE_BELOW}
    assert silent == {"cosine first", "halves", "positions start at $1$"}
    ladder_entry, ladder_product = changes["the ladder of the released code"]
    assert f"{ladder_product:.3f}" == "0.488"
    assert 0.01 < ladder_entry < 0.1
    assert changes["both, as the code was released"][1] == pytest.approx(ladder_product, abs=1e-9)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (-1.0, "-1"),
        (0.84147, "0.8415"),
        (-0.41614, "-0.4161"),
        (1 - 5.373e-9, r"1 - 5.37\cdot 10^{-9}"),
        (4.6416e-6, r"4.64\cdot 10^{-6}"),
        (-4.6416e-6, r"-4.64\cdot 10^{-6}"),
        (-1 + 2e-6, r"-1 + 2.00\cdot 10^{-6}"),
    ],
)
def test_only_an_exact_one_is_printed_as_one(value, text):
    assert show.short(value) == text


def test_a_model_whose_columns_are_all_permuted_computes_the_same():
    rng = np.random.default_rng(5)
    d, order = 12, permutation(12, source="interleaved", to="halves")
    words, read, write = rng.normal(size=(6, d)), rng.normal(size=(d, 9)), rng.normal(size=(9, d))
    gain, constant, added = rng.normal(size=(3, d))

    def block(x, gain, constant, read, write, added):
        normed = (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True) * gain + constant
        return x + np.tanh(normed @ read) @ write + added

    weights = (gain, constant, read, write, added)
    moved = (gain[order], constant[order], read[order], write[:, order], added[order])
    one = block(words + encode(range(6), d), *weights)
    halves = encode(range(6), d, layout="halves")
    other = block(words[:, order] + halves, *moved)
    np.testing.assert_allclose(other, one[:, order], atol=1e-12)
    # Leave one side as it was and the result is another.
    assert np.abs(block(words + halves, *weights) - one).max() > 0.1
    for part in range(len(weights)):
        forgotten = block(words[:, order] + halves, *moved[:part], weights[part], *moved[part + 1 :])
        assert np.abs(forgotten - one[:, order]).max() > 0.1


def test_the_sine_of_the_first_pair_tells_whole_positions_apart():
    sines = np.sort(encode(np.arange(5000), 2)[:, 0])
    assert np.diff(sines).min() > 0
    assert abs(math.sin(355) - math.sin(0)) < 1e-4


# --- what must be refused ------------------------------------------------------------


@pytest.mark.parametrize(
    ("positions", "error", "message"),
    [
        (float("nan"), ValueError, "positions must be finite, got nan"),
        ([0, 1, float("inf")], ValueError, "positions must be finite, got inf at index 2"),
        ([[0.0, 1.0], [-np.inf, 2.0]], ValueError, r"got -inf at index \(1, 0\)"),
        (1j, TypeError, "complex"),
        (True, TypeError, "booleans"),
        ([True, False], TypeError, "booleans"),
        ("1", TypeError, "text"),
        (b"1", TypeError, "text"),
        (None, TypeError, "None"),
        ([None, 1], TypeError, "None"),
        ([[1], [2, 3]], ValueError, "positions must be a number or an array of one shape"),
        (np.datetime64("2017-06-12"), TypeError, "positions must hold integers or floats"),
        (np.ma.masked_array([1, 2], [True, False]), TypeError, "masked"),
        (2**53 + 1, ValueError, "9007199254740993"),
        ([0, -(2**53) - 1], ValueError, "at index 1"),
        (10**30, ValueError, "positions"),
        (2.0**60, ValueError, r"within ±2\*\*53.*got 1.15"),
        (-1e300, ValueError, "within ±2"),
        ([0.5, 2**53 + 1], ValueError, "within ±2.*at index 1"),
        (np.longdouble(2.0**53) * 2, ValueError, "within ±2"),
        (np.uint64(2**63), ValueError, "within ±2"),
        (np.array([1, 2**60], dtype=object), ValueError, "within ±2.*at index 1"),
    ],
)
def test_positions_that_are_refused(positions, error, message):
    with pytest.raises(error, match=message):
        encode(positions, 6)


@pytest.mark.parametrize("call", [lambda d: encode(1, d), frequencies, wavelengths])
@pytest.mark.parametrize(
    ("d_model", "error", "message"),
    [
        (7, ValueError, "even.*got 7; use 6 or 8"),
        (1, ValueError, "at least 2, got 1"),
        (0, ValueError, "at least 2, got 0"),
        (-4, ValueError, "at least 2, got -4"),
        (6.0, TypeError, "whole number.*got 6.0"),
        ("6", TypeError, "got '6'"),
        (True, TypeError, "got True"),
        (None, TypeError, "got None"),
    ],
)
def test_widths_that_are_refused(call, d_model, error, message):
    with pytest.raises(error, match=f"d_model must be.*{message}"):
        call(d_model)


@pytest.mark.parametrize(
    "call", [lambda base: encode(1, 6, base=base), lambda base: frequencies(6, base=base)]
)
@pytest.mark.parametrize(
    ("base", "error"),
    [*product([1, 0.5, 0, -100, float("nan"), float("inf"), 1e301, 10**400], [ValueError]),
     *product(["10000", True, 100j, [100, 100], None], [TypeError])],
)  # fmt: skip
def test_bases_that_are_refused(call, base, error):
    with pytest.raises(error, match="base must be"):
        call(base)


@pytest.mark.parametrize("name", ["layout", "ladder"])
@pytest.mark.parametrize("value", ["half", "Interleaved", "", None, 0, ["interleaved"]])
def test_unknown_conventions_are_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} must be '"):
        encode(1, 6, **{name: value})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: frequencies(10**12), "d_model must be smaller: 1000000000000 would take .* TiB"),
        (lambda: wavelengths(10**30), r"d_model must be smaller: about 1.00e\+30 would take"),
        (
            lambda: permutation(10**12, source="halves", to="interleaved"),
            "d must be smaller: 1000000000000 would",
        ),
        (
            lambda: permutation(10**5000, source="halves", to="halves"),
            r"d must be smaller: about 1.00e\+5000",
        ),
        (lambda: encode(1, 2**31), "d_model must be at most 1048576, got 2147483648"),
        (lambda: encode(1, 10**5000), r"d_model must be at most 1048576, got about 1.00e\+5000"),
        (
            lambda: encode(range(10**12), 2),
            r"positions must be smaller: range\(0, 1000000000000\) would take",
        ),
        (
            lambda: encode(np.broadcast_to(0.5, 10**6), 2**20),
            "positions must be smaller: array.* TiB of memory",
        ),
    ],
)
def test_sizes_are_refused_before_memory_is_asked_for(call, message):
    tracemalloc.start()
    with pytest.raises(ValueError, match=message):
        call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**25  # a million positions, checked


@few
@given(st.integers(1, 6).map(lambda pairs: 2 * pairs), layouts, layouts, st.integers(0, 1), st.data())
def test_a_mask_moves_with_the_entries(d, source, to, axis, data):
    shape = (3, d) if axis else (d, 3)
    values = np.arange(3 * d, dtype=np.float32).reshape(shape)
    mask = data.draw(arrays(bool, shape))
    moved = relayout(np.ma.masked_array(values, mask), source=source, to=to, axis=axis)
    assert isinstance(moved, np.ma.MaskedArray)
    np.testing.assert_array_equal(moved.mask, relayout(mask, source=source, to=to, axis=axis))
    np.testing.assert_array_equal(moved.data, relayout(values, source=source, to=to, axis=axis))


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        ([[1, 2], [3]], ValueError, "x must be an array of one shape, got"),
        ([np.ma.masked_array([1, 2], [True, False])], TypeError, "x must hold numbers, got a masked array"),
        (None, ValueError, "x must be an array with an axis of even length, got None"),
        ({"a": 1}, ValueError, "x must be an array with an axis of even length, got {'a': 1}"),
    ],
)
def test_what_relayout_refuses(x, error, message):
    with pytest.raises(error, match=message):
        relayout(x, source="halves", to="interleaved")


def test_tensors_are_taken_or_refused_with_a_cure():
    torch = pytest.importorskip("torch")
    row = torch.arange(4.0)
    assert relayout(row, source="interleaved", to="halves").tolist() == [0, 2, 1, 3]
    np.testing.assert_array_equal(encode(row, 6), encode(range(4), 6))
    cures = {
        row.clone().requires_grad_(): r"\.detach\(\)",
        row.bfloat16(): r"\.float\(\)",
        row.to_sparse(): r"\.to_dense\(\)",
        row.to("meta"): "give one on the CPU",
    }
    for tensor, cure in cures.items():
        with pytest.raises(TypeError, match=f"x must hold .*{cure}"):
            relayout(tensor, source="halves", to="interleaved")
        with pytest.raises(TypeError, match=f"positions must hold .*{cure}"):
            encode(tensor, 6)


def test_relayout_moves_what_is_no_number_too():
    assert relayout([True, False], source="halves", to="halves").tolist() == [True, False]
    large = relayout([10**400, 1], source="halves", to="interleaved")
    assert large.tolist() == [10**400, 1]


def test_relayout_and_permutation_name_what_does_not_fit():
    with pytest.raises(ValueError, match=r"the length of x along axis 1 must be even.*got 3"):
        relayout(np.zeros((4, 3)), source="halves", to="interleaved")
    with pytest.raises(ValueError, match=r"axis must name an axis of an array of shape \(4, 3\), got 2"):
        relayout(np.zeros((4, 3)), source="halves", to="interleaved", axis=2)
    with pytest.raises(ValueError, match=r"x must be an array with an axis of even length, got 1\.0"):
        relayout(1.0, source="halves", to="interleaved")
    with pytest.raises(ValueError, match="source must be"):
        permutation(4, source="halved", to="interleaved")
    with pytest.raises(ValueError, match="to must be"):
        permutation(4, source="halves", to="interleave")
    with pytest.raises(ValueError, match="d must be even"):
        permutation(5, source="halves", to="interleaved")


def test_conventions_are_keyword_only():
    with pytest.raises(TypeError):
        encode(1, 6, 100.0)
    with pytest.raises(TypeError):
        frequencies(6, 100.0)
    with pytest.raises(TypeError):
        permutation(6, "halves", "interleaved")
