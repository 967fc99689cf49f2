"""The sinusoidal encoding: exact small tables, properties, an independent library, and the usual mistakes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pe_book.evidence.sinusoidal import formula as verdicts
from pe_book.inputs.pairs import relayout
from pe_book.show.sinusoidal import formula as show
from pe_book.sinusoidal.formula import encode, frequencies, wavelengths
from tests import exactly
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
    omega = frequencies(d_model, base=base, ladder=ladder)[pair]
    assert abs(omega / exactly.angle(1, pair, d_model, base, ladder) - 1) < 1e-14


def test_empty_and_scalar_positions():
    assert encode([], 6).shape == (0, 6)
    assert encode(np.zeros((2, 0, 3)), 6).shape == (2, 0, 3, 6)
    assert encode(3, 6).shape == (6,)


# --- layouts ------------------------------------------------------------


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


def test_the_mistaken_rows_are_the_mistakes():
    """Those that the table of conventions does not have, too, which computes its rows another way."""
    rows = verdicts.mistaken_rows(1, 6)
    multiplied = [0.8415, 0.5403, 0.4321, -0.9018, -0.7151, 0.6990]
    np.testing.assert_allclose(rows["multiplied, not divided"], multiplied, atol=5e-5, rtol=0)
    np.testing.assert_allclose(rows["base $1000$"], encode(1, 6, base=1000), atol=1e-15)
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
    with pytest.raises(TypeError, match=r"x must hold .*give one on the CPU"):
        relayout(row.to("meta"), source="halves", to="interleaved")
