"""The rotary module: the definition, in every dtype, for heads, caches and positions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pe_book as pe
from pe_book.family.context_extension import scale_frequencies
from tests.seeds import examples_drawn

torch = pytest.importorskip("torch")

from pe_book.nn.kernels import rotary
from tests.nn.turned import HALF, LAYOUTS, SLICES, defined, encoder, normal, turns_in, within

few = examples_drawn(25)
pytestmark = pytest.mark.usefixtures("no_table_from_before")


# ---------------------------------------------------------------- the definition


@few
@given(
    st.sampled_from(LAYOUTS),
    st.sampled_from(["paper", "tensor2tensor"]),
    st.sampled_from([(2, None), (10, None), (16, None), (64, None), (64, 32), (10, 6), (11, 4)]),
    st.sampled_from(["first", "last"]),
    st.integers(0, 3000) | st.integers(0, 2**53 - 10),
    st.sampled_from([1.5, 10000.0, 500000.0]),
)
def test_it_is_the_definition_in_every_convention(layout, ladder, widths, side, start, base):
    d, rotary_dim = widths
    where = {"layout": layout, "ladder": ladder, "side": side, "base": base, "rotary_dim": rotary_dim}
    encoding, x, places = encoder(d, **where, max_len=64), normal(2, 3, 7, d), range(start, start + 7)
    assert within(encoding.turn(x, start=start), x, places, unit=2.0**-24, **where)
    wide = encoding.turn(x.double(), start=start)
    assert wide.dtype == torch.float64
    torch.testing.assert_close(wide, defined(x, places, **where), rtol=0, atol=2e-14)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("where", SLICES)
def test_sixteen_bits_are_the_float32_result_rounded_once(layout, dtype, where):
    encoding, x = encoder(16, layout=layout, **where), normal(2, 3, 700, 16, dtype=dtype)
    result = encoding.turn(x)
    assert result.dtype == dtype
    assert torch.equal(result, encoding.turn(x.float()).to(dtype))
    in_its_own_dtype = rotary._by_formula(x, turns_in(encoding, 700).to(dtype), layout, encoding._first)
    assert not torch.equal(result, in_its_own_dtype)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_frequencies_and_the_factor_of_a_longer_context(layout):
    omega, factor = scale_frequencies(pe.frequencies(16), method="yarn", factor=4, original_len=64)
    how = {"rotary_dim": 16, "layout": layout, "frequencies": omega}
    encoding = encoder(20, **how, attention_factor=factor, max_len=8)
    assert factor > 1.1
    q, k = normal(1, 2, 30, 20), normal(1, 1, 30, 20, seed=1)
    for start in (0, 10**6):
        for x, result in zip((q, k), encoding(q, k, start=start), strict=True):
            expected = defined(x, range(start, start + 30), **how)
            expected[..., :16] *= factor
            torch.testing.assert_close(result.double(), expected, rtol=0, atol=2e-6)
            assert torch.equal(result[..., 16:], x[..., 16:])  # what is not turned is not scaled


# ---------------------------------------------------------------- heads, caches, positions


def test_heads_that_share_keys_and_positions_of_each_sequence():
    encoding = encoder(8, max_len=16)
    q, k = normal(2, 6, 5, 8), normal(2, 2, 5, 8, seed=1)
    places = torch.tensor([[0, 0, 0, 1, 2], [3, 4, 5, 0, 1]])  # padded on the left, packed
    for x, result in zip((q, k), encoding(q, k, places), strict=True):
        for sequence in (0, 1):
            assert torch.equal(result[sequence], encoding.turn(x[sequence], places[sequence]))
            assert torch.equal(encoding.turn(x, places[sequence])[sequence], result[sequence])
            assert torch.equal(encoding.turn(x, places[sequence][None])[sequence], result[sequence])
    assert torch.equal(encoding(q, k)[0], encoding(q, k, torch.arange(5))[0])
    assert torch.equal(encoding(q, k, start=7)[1], encoding(q, k, torch.arange(7, 12))[1])
    assert torch.equal(encoding(q, k, start=torch.tensor(7))[1], encoding(q, k, start=7)[1])
    mixed = encoding(q.double(), k[0])
    assert mixed[0].dtype == torch.float64
    assert torch.equal(mixed[1], encoding.turn(k)[0])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.float32, *HALF, torch.float64])
@pytest.mark.parametrize("width", [6, 10, 16, 48, 64, 80])
def test_a_full_pass_is_the_steps_of_cached_decoding_bit_for_bit(layout, dtype, width):
    encoding, n = encoder(width + 2, rotary_dim=width, layout=layout, max_len=16), 301
    x = normal(2, n, 5, width + 2, dtype=dtype).transpose(1, 2)  # as a projection leaves it
    for threads in (1, 2):
        before = torch.get_num_threads()
        torch.set_num_threads(threads)
        try:
            whole = encoding.turn(x)
        finally:
            torch.set_num_threads(before)
        steps = [encoding.turn(x[:, :, p : p + 1].contiguous(), start=p) for p in range(n)]
        assert torch.equal(torch.cat(steps, dim=2), whole)
        assert torch.equal(encoding.turn(x.contiguous()), whole)
        assert torch.equal(encoding.turn(x[1, 3]), whole[1, 3])
        assert torch.equal(encoding.turn(x.clone(), in_place=True), whole)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_blocks_of_long_calls_are_the_same_rows(layout, dtype):
    encoding = encoder(64, layout=layout)
    x = normal(3, 5, 1021, 64, dtype=dtype)  # a length that no block divides
    rows = encoding.turn(x)
    formula = rotary._by_formula(x, turns_in(encoding, 1021), layout, 0)
    assert torch.equal(rows, formula)
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):  # the axes as they lie in memory
        there = x.permute(*order, 3).clone(memory_format=torch.contiguous_format)
        there = there.permute(*np.argsort(order).tolist(), 3)
        assert torch.equal(encoding.turn(there), formula)
        assert torch.equal(encoding.turn(there, in_place=True), formula)
    back = torch.arange(1021).flip(0).repeat(3, 1)
    assert torch.equal(encoding.turn(x.flip(2), back).flip(2), formula)


def test_the_table_grows_and_far_positions_are_computed():
    encoding, x = encoder(8, max_len=16), normal(2, 3, 4, 8)
    encoding.turn(x, start=14)
    assert len(encoding.table) == 32  # doubled
    far = encoding.turn(x, start=2**52)
    assert len(encoding.table) == 32  # not kept
    assert within(far, x, range(2**52, 2**52 + 4), unit=2.0**-24)
    encoding.turn(normal(1, 300, 8))
    assert len(encoding.table) == 300
    assert torch.equal(encoding.table, encoder(8, max_len=300).table)
    assert torch.equal(
        encoding.turn(x, torch.tensor([2**40, 3, 0, 2**40]))[:, :, 0],
        encoding.turn(x[:, :, :1], start=2**40)[:, :, 0],
    )
