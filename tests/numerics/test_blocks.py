"""Holds pe_book.numerics.blocks to its word: whole blocks and ends, products, and edges that are kept."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_book.numerics.blocks import ERROR_BOUND, Blocks
from pe_book.numerics.phases import SINE_COSINE_BOUND, phase_steps, sine_cosine
from pe_book.sinusoidal.formula import encode
from tests.seeds import examples_drawn

few = examples_drawn(100)
WIDE = Blocks(512, 10000.0, "paper")


@few
@given(start=st.integers(-(10**6), 10**6), seq_len=st.integers(0, 20_000))
def test_pieces_cover_every_row_once_and_stay_in_their_group(start: int, seq_len: int) -> None:
    position = start
    for chunk in WIDE.chunks(start, seq_len):
        assert chunk.position == position == chunk.block * WIDE.rows + chunk.row
        assert 0 <= chunk.row < chunk.end <= WIDE.rows
        assert chunk.blocks == 1 or (chunk.row, chunk.end) == (0, WIDE.rows)
        assert chunk.block // WIDE.group == (chunk.block + chunk.blocks - 1) // WIDE.group
        position += chunk.blocks * (chunk.end - chunk.row)
    assert position == start + seq_len


def test_the_height_of_a_block_follows_the_width() -> None:
    widths = (2, 64, 512, 8192, 65536)
    assert [Blocks(d, 10000.0, "paper").rows for d in widths] == [16384, 512, 64, 16, 16]
    # and so does the number of blocks that share a group: a quarter of a megabyte of edges, or one block
    assert [Blocks(d, 10000.0, "paper").group for d in widths] == [64, 64, 64, 4, 1]


def test_row_37_is_row_32_times_factor_5() -> None:
    few_rows = Blocks(512, 10000.0, "paper")
    chunk = next(iter(few_rows.chunks(64, 64)))
    sine, cosine = sine_cosine(np.array([64, 69]), *phase_steps(512))
    edge = few_rows.coarse_edge(chunk)[0]
    assert np.array_equal(edge, sine[0] + 1j * cosine[0])
    np.testing.assert_allclose(edge * few_rows.fine[5], sine[1] + 1j * cosine[1], rtol=0, atol=ERROR_BOUND)


def test_factors_have_length_one_within_their_bound() -> None:
    off = Fraction(2 * np.sqrt(2) * SINE_COSINE_BOUND * 1.001)  # of the square of a length
    for factor in WIDE.fine[:, ::37].ravel().tolist():
        assert abs(Fraction(factor.real) ** 2 + Fraction(factor.imag) ** 2 - 1) < off
    assert np.array_equal(WIDE.fine[0], np.ones(256))


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("rounding", ["float64", "float32", "float16", "bfloat16"])
def test_products_before_certificates(layout: str, rounding: str) -> None:
    out = np.empty((100, 64), "float32" if rounding == "bfloat16" else rounding)
    small = Blocks(64, 10000.0, "paper")
    for chunk in small.chunks(480, 100):
        small.multiply(chunk.inside(out, 480), chunk, layout, rounding)  # type: ignore[arg-type]
    atol = {"float64": 1e-12, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}[rounding]
    right = encode(np.arange(480, 580), 64, layout=layout)  # type: ignore[arg-type]
    np.testing.assert_allclose(out, right, rtol=0, atol=1.001 * atol)
