"""The functions on tensors: values to the last digits, one rounding, gradients, refusals."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pe_book.numerics.rounding import round_to
from pe_book.sinusoidal import formula
from pe_book.sinusoidal import shift as shifting
from tests.seeds import examples_drawn

torch = pytest.importorskip("torch")

from pe_book.nn import pairs as columns
from pe_book.nn import tensors
from pe_book.nn.functional import shift as turning
from pe_book.nn.functional import sinusoidal, table
from pe_book.nn.kernels import float64
from pe_book.numerics.exact import exact as exact_rows

LAYOUTS = ["interleaved", "halves"]
SIXTEEN = {torch.bfloat16: "bfloat16", torch.float16: "float16"}
few = examples_drawn(40)


def doubles(tensor):
    return tensor.to(torch.float64).numpy()


# ---------------------------------------------------------------- far positions

FAR = [0, 1, -1, 3, 10**6, 10**9 + 7, -(10**12), 2**40 + 1, 2**50 + 3, 2**53 - 1, 2**53, -(2**53)]


def distance(found, positions, d_model, **k):
    """The largest distance of an entry from its exact value, rounded up a little."""
    exact = exact_rows(positions, d_model, **k)
    entries = zip(doubles(found).ravel().tolist(), (e for row in exact for e in row), strict=True)
    return max(abs(float(true - entry)) for entry, true in entries)


@few
@given(
    st.lists(st.integers(-(2**53), 2**53), min_size=1, max_size=3),
    st.floats(1.001, 1e15),
    st.sampled_from(["paper", "tensor2tensor"]),
)
@example([2**53 - 1], 1e300, "paper")
def test_an_entry_at_any_whole_position_and_base_is_within_1e_15(positions, base, ladder):
    k = {"base": base, "ladder": ladder}
    assert distance(sinusoidal.encode(torch.tensor(positions), 8, **k), positions, 8, **k) <= 1e-15


@few
@given(
    st.lists(st.floats(-(2.0**53), 2.0**53) | st.floats(-1e3, 1e3), min_size=1, max_size=3),
    st.floats(1.001, 1e15),
)
def test_an_entry_at_a_real_position_is_within_1_5e_15(positions, base):
    rows = sinusoidal.encode(torch.tensor(positions, dtype=torch.float64), 8, base=base)
    assert distance(rows, positions, 8, base=base) <= 1.5e-15


def test_tiny_sines_keep_their_digits():
    for base in (1e12, 1e100, 1e300):
        for position in (1, 3.25):
            rows = sinusoidal.encode(torch.tensor(position, dtype=torch.float64), 64, base=base)[0::2]
            true = np.array([float(row) for row in exact_rows([position], 64, base=base)[0][0::2]])
            small = np.abs(true) < 0.01
            assert small.sum() > 10
            np.testing.assert_allclose(rows[torch.from_numpy(small)], true[small], rtol=2e-15, atol=0)


def test_far_rows_in_a_graph_are_the_same():
    torch._dynamo.reset()
    run = torch.compile(sinusoidal.encode, backend="aot_eager", fullgraph=True)
    whole, real = torch.tensor(FAR), torch.tensor([0.5, -1e9 - 0.25, 2.0**52])
    bases = [{"base": base} for base in (1.1, 7 / 3, 50, 2.0**53 + 2)]
    for places, k in [
        (real, {}),
        (whole, {}),
        (whole, {"ladder": "tensor2tensor"}),
        *((whole, b) for b in bases),
    ]:
        assert torch.equal(run(places, 8, **k), sinusoidal.encode(places, 8, **k))


@pytest.mark.parametrize(
    "dtype", [*tensors.INTEGERS, *tensors.DTYPES, torch.float8_e4m3fn, torch.float8_e5m2]
)
def test_positions_of_every_dtype_that_torch_computes_with(dtype):
    held = torch.tensor([0, 3, 12]).to(dtype)
    assert torch.equal(sinusoidal.encode(held, 8), sinusoidal.encode([0, 3, 12], 8))
    assert torch.equal(turning.shift(torch.ones(3, 8), held), turning.shift(torch.ones(3, 8), [0, 3, 12]))
    assert torch.equal(turning.shift_matrix(held[1], 8), turning.shift_matrix(3, 8))


# ---------------------------------------------------------------- rounding


@pytest.mark.parametrize("dtype", sorted(SIXTEEN, key=str))
@few
@given(st.floats(-2, 2) | st.floats(-1e-4, 1e-4) | st.floats(-1e-37, 1e-37) | st.floats(-1e39, 1e39))
@example(1 + 2.0**-8 + 2.0**-40)
@example(1 + 2.0**-8 - 2.0**-40)
@example(1 + 2.0**-11 + 2.0**-40)
@example(2.0**-25 + 2.0**-60)
@example(-(2.0**-134) - 2.0**-180)
@example(65520 - 2.0**-30)
@example(-0.0)
def test_one_rounding_to_sixteen_bits(dtype, value):
    ours = float64.rounded(torch.tensor([value], dtype=torch.float64), dtype)
    expected = round_to([value], SIXTEEN[dtype])
    assert doubles(ours).tolist() == expected.tolist()
    assert np.signbit(doubles(ours)).tolist() == np.signbit([value]).tolist()


@pytest.mark.parametrize("dtype", sorted(SIXTEEN, key=str))
def test_sixteen_bit_rows_are_rounded_once(dtype):
    once = round_to(formula.encode(np.arange(2048), 512), SIXTEEN[dtype])
    for rows in (table.table(2048, 512, dtype=dtype), sinusoidal.encode(range(2048), 512, dtype=dtype)):
        assert np.array_equal(doubles(rows), once)


def test_out_is_written_in_place_whatever_its_strides_and_dtype():
    for dtype in (torch.float32, torch.bfloat16, torch.float64):
        room = torch.full((9, 12), 7, dtype=dtype)
        out = room.T[1:9:2, 2:8].T
        assert table.table(6, 4, start=3, out=out) is table.table(6, 4, start=3, dtype=dtype, out=out)
        assert torch.equal(out, table.table(6, 4, start=3, dtype=dtype))
        assert (room != 7).sum() == out.numel()


def test_a_table_goes_to_the_device_that_is_asked_for_or_to_the_default_one():
    assert table.table(3, 4, device="meta").device.type == "meta"
    with torch.device("meta"):
        assert table.table(3, 4).device.type == "meta"
        assert table.table(3, 4, device="cpu").device.type == "cpu"
        assert sinusoidal.encode([1, 2], 4).device.type == "meta"
    assert sinusoidal.encode(torch.arange(3, device="meta"), 4).shape == (3, 4)


# ---------------------------------------------------------------- gradients and graphs


def test_gradients_of_everything_real():
    real = {"dtype": torch.float64, "requires_grad": True}
    places, x = torch.tensor([0.3, -2.0], **real), torch.linspace(-1, 1, 12, **real).reshape(2, 6)
    for layout in LAYOUTS:
        check = torch.autograd.gradcheck
        assert check(lambda p, y=layout: sinusoidal.encode(p, 6, layout=y), places)
        assert check(lambda r, p, y=layout: turning.shift(r, p, layout=y), (x, places))
        assert check(lambda p, y=layout: turning.shift_matrix(p[0], 6, layout=y), places)
        assert check(lambda r, y=layout: columns.relayout(r, source=y, to="halves"), x)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_gradients_pass_the_rounding_as_they_pass_a_cast(dtype):
    places = torch.tensor([0.5, 2.0], requires_grad=True)
    sinusoidal.encode(places, 4, dtype=dtype).float().sum().backward()
    omega = sinusoidal.frequencies(4)
    angles = torch.tensor([0.5, 2.0], dtype=torch.float64)[:, None] * omega
    expected = (omega * (angles.cos() - angles.sin())).sum(-1)
    torch.testing.assert_close(places.grad.double(), expected, rtol=1e-5, atol=0)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_shift_works_in_float64_and_keeps_the_dtype(dtype):
    rows = table.table(50, 16, dtype=dtype)
    moved = turning.shift(rows, 1000)
    assert moved.dtype == dtype
    exact = shifting.shift(doubles(rows), 1000)
    expected = exact.astype(np.float32) if dtype == torch.float32 else round_to(exact, SIXTEEN[dtype])
    assert np.array_equal(doubles(moved), np.float64(expected))


def test_functions_compile_without_a_break():
    def everything(p, x):
        rows = sinusoidal.encode(p, 8, dtype=torch.bfloat16)
        moved = turning.shift(columns.relayout(x, source="halves", to="interleaved"), p)
        return rows, moved, turning.shift_matrix(3, 8), turning.generator(8), sinusoidal.wavelengths(8)

    torch._dynamo.reset()
    given = torch.arange(5), torch.linspace(-1, 1, 40).reshape(5, 8)
    compiled = torch.compile(everything, backend="aot_eager", fullgraph=True)(*given)
    assert all(map(torch.equal, compiled, everything(*given)))


# ---------------------------------------------------------------- refusals


def test_an_output_whose_entries_share_memory_is_refused_and_left_alone():
    for out in (torch.zeros(1, 4).expand(3, 4), torch.zeros(64).as_strided((4, 6), (1, 1))):
        with pytest.raises(ValueError, match="out must have a place in memory for each entry, got strides"):
            table.table(*out.shape, out=out)
        assert not out.any()
    with_gaps = torch.zeros(6, 12)[::2, ::3]
    assert torch.equal(table.table(3, 4, out=with_gaps), table.table(3, 4))
    with pytest.raises(TypeError, match="out must be a dense tensor, got one of layout"):
        table.table(3, 4, out=torch.zeros(3, 4).to_sparse())


def test_a_device_that_is_not_there_is_refused_by_name():
    with pytest.raises(ValueError, match="device must be one that torch can use here, such as 'cpu', got"):
        table.table(2, 4, device="cuda:99")
