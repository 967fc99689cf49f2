"""The sinusoidal encoding: exact small tables, properties, an independent library, and the usual mistakes."""

import math
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

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


# --- exact rows ------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "d_model", "base"), [(1, 6, 10000), (7, 8, 10000), (-3, 4, 100), (49, 12, 500)]
)
def test_sine_in_column_2i_cosine_in_column_2i_plus_1_same_exponent(position, d_model, base):
    exact = exact_row(position, d_model, base)
    np.testing.assert_allclose(encode(position, d_model, base=base), exact, atol=2e-15)


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


def test_short_ladders_by_hand():
    for ladder, last in (("paper", 0.01), ("tensor2tensor", 0.0001)):
        assert frequencies(2, ladder=ladder).tolist() == [1.0]
        np.testing.assert_allclose(frequencies(4, ladder=ladder), [1, last], rtol=1e-15)
        np.testing.assert_allclose(
            wavelengths(4, ladder=ladder), [2 * math.pi, 2 * math.pi / last], rtol=1e-15
        )


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


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (0.84147, "0.8415"),
        (1 - 5.373e-9, r"1 - 5.37\cdot 10^{-9}"),
        (-1 + 2e-6, r"-1 + 2.00\cdot 10^{-6}"),
    ],
)
def test_only_an_exact_one_is_printed_as_one(value, text):
    assert show.short(value) == text


# --- what must be refused ------------------------------------------------------------


@pytest.mark.parametrize(
    ("positions", "error", "message"),
    [
        (float("nan"), ValueError, "positions must be finite, got nan"),
        (True, TypeError, "booleans"),
        ([[1], [2, 3]], ValueError, "positions must be a number or an array of one shape"),
        (np.ma.masked_array([1, 2], [True, False]), TypeError, "masked"),
        ([0, -(2**53) - 1], ValueError, "at index 1"),
        ([0.5, 2**53 + 1], ValueError, "within ±2.*at index 1"),
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
        (0, ValueError, "at least 2, got 0"),
        (6.0, TypeError, "whole number.*got 6.0"),
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


def test_relayout_and_permutation_name_what_does_not_fit():
    with pytest.raises(ValueError, match=r"the length of x along axis 1 must be even.*got 3"):
        relayout(np.zeros((4, 3)), source="halves", to="interleaved")
    with pytest.raises(ValueError, match=r"axis must name an axis of an array of shape \(4, 3\), got 2"):
        relayout(np.zeros((4, 3)), source="halves", to="interleaved", axis=2)
    with pytest.raises(ValueError, match=r"x must be an array with an axis of even length, got 1\.0"):
        relayout(1.0, source="halves", to="interleaved")
    with pytest.raises(ValueError, match="d must be even"):
        permutation(5, source="halves", to="interleaved")
