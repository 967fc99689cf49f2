"""The sinusoidal module: the sum, refusals, growth, and a table that survives whatever torch does to it."""

import math

import numpy as np
import pytest

from pe_book.numerics.exact import exact
from pe_book.numerics.rounding import round_to
from pe_book.sinusoidal.formula import encode

torch = pytest.importorskip("torch")

from pe_book.nn import LearnedEncoding, SinusoidalEncoding, table, tensors

DTYPES = {torch.float32: "float32", torch.float16: "float16", torch.bfloat16: "bfloat16", torch.float64: None}


def plain(d_model=8, **arguments):
    """A module whose sum is x + PE: no dropout."""
    return SinusoidalEncoding(d_model, **{"max_len": 16, "dropout": 0.0, **arguments})


def rows_of(module, seq_len, **where):
    return module(torch.zeros(1, seq_len, module.d_model, dtype=torch.float64), **where)[0]


def reference(positions, d_model, dtype, **conventions):
    """The definition in float64, rounded once with numpy."""
    values = encode(positions, d_model, **conventions)
    return values if DTYPES[dtype] is None else round_to(values, DTYPES[dtype])


def holds_the_definition(module, seq_len):
    expected = reference(np.arange(seq_len), module.d_model, module.table.dtype)
    close = 1e-12 if module.table.dtype == torch.float64 else 0  # float64 is not rounded a second time
    return len(module.table) == seq_len and bool(
        (np.abs(module.table.double().numpy() - expected) <= close).all()
    )


# ---------------------------------------------------------------- the sum


def test_the_sum_is_x_plus_the_rows_and_times_root_d_where_that_is_asked_for():
    x = torch.linspace(-3, 3, 2 * 5 * 8, dtype=torch.float64).reshape(2, 5, 8)
    module = SinusoidalEncoding(8, max_len=16, dropout=0.0, scale=True, dtype=torch.float64)
    expected = x.numpy() * math.sqrt(8) + encode(np.arange(5), 8)
    np.testing.assert_allclose(module(x), expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(module(torch.zeros_like(x))[1], encode(np.arange(5), 8), rtol=0, atol=1e-15)


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("ladder", ["paper", "tensor2tensor"])
def test_the_conventions_reach_the_table_the_far_rows_and_the_graph(layout, ladder):
    k = {"base": 500.0, "layout": layout, "ladder": ladder}
    module = plain(12, **k)
    for where in (0, 10, 1000):
        np.testing.assert_array_equal(
            rows_of(module, 9, start=where), reference(np.arange(where, where + 9), 12, torch.float32, **k)
        )
    scattered = torch.tensor([0, 10**6])
    np.testing.assert_array_equal(
        rows_of(module, 2, positions=scattered), reference(scattered.numpy(), 12, torch.float32, **k)
    )


def test_dropout_comes_after_the_sum_and_only_in_training():
    module = SinusoidalEncoding(64, max_len=32, dropout=0.25)
    x = torch.full((4, 32, 64), 0.5)
    summed = module.eval()(x)
    assert torch.equal(summed, module(x))
    torch.manual_seed(0)
    kept = module.train()(x)
    dropped = kept == 0
    assert 0.2 < dropped.double().mean() < 0.3
    # an entry is gone with its position, or both are there: were only x or only the rows dropped, neither
    torch.testing.assert_close(kept[~dropped], summed[~dropped] / 0.75)
    assert torch.equal(SinusoidalEncoding(64, dropout=0.0)(x), SinusoidalEncoding(64, dropout=0.0).eval()(x))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_sixteen_bit_sums_are_rounded_once(dtype):
    module = SinusoidalEncoding(512, max_len=64, dropout=0.0, scale=True).to(dtype)
    x = torch.randn(2, 64, 512, generator=torch.Generator().manual_seed(0)).to(dtype)
    exact = x.double() * math.sqrt(512) + module.table.double()
    result = module(x)
    assert result.dtype == dtype
    # the sum in float32 first, so that a tie may fall to the wrong side, never more
    unit = torch.from_numpy(np.spacing(np.abs(result.double().numpy()))) * 2 ** (
        52 - (10 if dtype == torch.float16 else 7)
    )
    assert ((result.double() - exact).abs() <= unit * (0.5 + 2.0**-10)).all()
    naive = x * math.sqrt(512) + module.table
    assert ((naive.double() - exact).abs() > unit * 0.6).any()


# ---------------------------------------------------------------- start, positions


@pytest.mark.parametrize("dtype", tensors.INTEGERS)
def test_positions_and_start_of_any_integer_dtype(dtype):
    positions, start = torch.tensor([100, 3, 127], dtype=dtype), torch.tensor(100, dtype=dtype)
    true = table(128, 8)
    assert torch.equal(rows_of(plain(max_len=4), 3, positions=positions).float(), true[[100, 3, 127]])
    assert torch.equal(rows_of(plain(max_len=4), 3, start=start).float(), true[100:103])
    learned = LearnedEncoding(8, max_len=128)
    assert torch.equal(learned.rows(positions=positions), learned.weight[[100, 3, 127]])
    assert torch.equal(learned.rows(1, start=start), learned.weight[100:101])


def test_a_start_is_any_whole_number():
    expected = rows_of(plain(), 3, start=7)
    for start in (np.int64(7), np.uint8(7)):
        assert torch.equal(rows_of(plain(), 3, start=start), expected)
    compiled = torch.compile(plain(), backend="eager", fullgraph=True)
    for start in (7, 2, 40):  # in a graph it is not read: steps of decoding share one
        assert torch.equal(rows_of(compiled, 3, start=torch.tensor(start)), rows_of(plain(), 3, start=start))


# ---------------------------------------------------------------- two axes and a start


@pytest.mark.parametrize("start", [7, torch.tensor(7)])
@pytest.mark.parametrize("make", [plain, lambda: LearnedEncoding(8, max_len=16, dropout=0.0)])
def test_two_axes_with_a_start_are_refused_where_they_have_two_meanings(make, start):
    module, x = make(), torch.zeros(3, 8)
    says = r"start must be 0 for x of shape \(3, 8\), .* one token of each of 3: got .*; write x\[None\] for"
    with pytest.raises(ValueError, match=says):
        module(x, start=start)
    one_sentence, one_token = module(x[None], start=start)[0], module(x[:, None], start=start)[:, 0]
    assert torch.equal(one_sentence, module(x, positions=torch.arange(7, 10)))
    assert torch.equal(one_token, module(x, positions=torch.full((3,), 7)))
    assert not torch.equal(one_sentence, one_token)
    assert torch.equal(module(x[:1], start=start), one_sentence[:1])  # both readings are the same
    assert torch.equal(module(x), module(x, start=0))  # documented as one sentence
    run = torch.compile(module, backend="eager")
    with pytest.raises(ValueError, match=says):
        run(x, start=start)


# ---------------------------------------------------------------- the rows alone


@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("make", [plain, lambda **more: LearnedEncoding(8, max_len=64, dropout=0.9, **more)])
def test_rows_are_what_forward_adds(make, batch_first):
    module = make(batch_first=batch_first, scale=True)
    assert torch.equal(module.rows(5), module.rows(positions=torch.arange(5)))
    assert torch.equal(module.rows(5, start=20), module.rows(25)[20:])
    assert torch.equal(module.rows(1, start=torch.tensor(20))[0], module.rows(positions=torch.tensor(20)))
    module.eval()
    for places in (torch.tensor([[3, 0, 40], [1, 2, 3]]), torch.tensor([[3, 0, 40]])):
        rows = module.rows(positions=places)
        assert rows.shape == (*places.shape, 8)
        x = torch.zeros((2, 3, 8) if batch_first else (3, 2, 8))
        found = module(x, positions=places)
        assert torch.equal(found if batch_first else found.transpose(0, 1), rows.expand(2, 3, 8))
    assert module.rows(positions=torch.zeros(2, 0, 3, dtype=torch.long)).shape == (2, 0, 3, 8)
    assert module.rows(0).shape == (0, 8)


def test_rows_are_of_the_dtype_of_the_module_and_belong_to_the_caller():
    module = plain(dtype=torch.bfloat16)
    rows = module.rows(5)
    assert rows.dtype == torch.bfloat16
    rows.zero_()
    assert torch.equal(module.rows(5), table(5, 8, dtype=torch.bfloat16))
    learned = LearnedEncoding(8, max_len=16)
    learned.rows(3, start=2).sum().backward()
    assert learned.weight.grad.sum(-1).nonzero().flatten().tolist() == [2, 3, 4]
    run = torch.compile(plain().rows, backend="eager", fullgraph=True)
    assert torch.equal(run(5, start=30), table(5, 8, start=30))


def test_an_empty_sequence_stays_empty():
    assert plain()(torch.zeros(2, 0, 8)).shape == (2, 0, 8)
    assert plain()(torch.zeros(2, 0, 8), positions=torch.zeros(2, 0, dtype=torch.long)).shape == (2, 0, 8)
    assert plain()(torch.zeros(0, 3, 8)).shape == (0, 3, 8)


# ---------------------------------------------------------------- growth


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_table_grows_past_its_length_and_keeps_dtype(dtype):
    module = plain(dtype=dtype)
    assert holds_the_definition(module, 16)
    rows = rows_of(module, 20)
    assert module.table.dtype == dtype
    assert holds_the_definition(module, 32)  # at least doubled
    assert torch.equal(rows, module.table[:20].double())
    rows_of(module, 300)
    assert holds_the_definition(module, 300)
    assert module.state_dict() == {}


def test_a_far_position_costs_its_own_rows_only():
    module = plain()
    far = 2**40 + 1
    expected = np.array([[np.float32(float(entry)) for entry in row] for row in exact([far, far + 1], 8)])
    assert np.array_equal(rows_of(module, 2, start=far), expected)
    assert np.array_equal(rows_of(module, 2, positions=torch.tensor([far, far + 1])), expected)
    scattered = torch.tensor([far, 0, far + 1, 5, 7, far])
    rows = rows_of(module, 6, positions=scattered)
    assert np.array_equal(rows[[0, 2, 5]], expected[[0, 1, 0]])
    assert np.array_equal(rows[[1, 3, 4]].float(), module.table[[0, 5, 7]])
    assert len(module.table) == 16


# ---------------------------------------------------------------- casts and moves


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_cast_does_not_round_the_float32_table(dtype):
    module = SinusoidalEncoding(512, max_len=2048)
    twice = module.table.to(dtype)
    for number in (dtype, torch.float32, torch.float64):
        assert holds_the_definition(module.to(number), 2048)
    assert not torch.equal(module.to(dtype).table, twice)  # there are entries where it matters


def test_the_default_dtype_is_the_table_s():
    torch.set_default_dtype(torch.float64)
    try:
        assert plain().table.dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    assert plain().table.dtype == torch.float32


@pytest.mark.parametrize("wrong", [torch.float8_e4m3fn, torch.complex64])
@pytest.mark.filterwarnings("ignore:Complex modules are a new feature")
def test_a_cast_to_what_it_cannot_round_to_is_refused_and_changes_nothing(wrong):
    module = plain()
    with pytest.raises(TypeError, match=r"dtype must be torch\.float32"):
        module.to(wrong)
    assert holds_the_definition(module, 16)


DEVICES = [
    "meta",
    pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")),
]


@pytest.mark.parametrize("device", DEVICES)
def test_the_table_and_its_growth_follow_the_device(device):
    module = plain(dtype=torch.bfloat16).to(device)
    assert module.table.device.type == device
    assert module(torch.zeros(2, 24, 8, device=device)).device.type == device
    assert module.table.device.type == device
    assert module.table.shape == (32, 8)
    assert module.table.dtype == torch.bfloat16
    positions = torch.zeros(2, 3, dtype=torch.long)
    assert module(torch.zeros(2, 3, 8, device=device), positions=positions).device.type == device
    assert holds_the_definition(module.to("cpu"), 32)


def test_autocast():
    layer, module = torch.nn.Linear(8, 8), SinusoidalEncoding(8, dropout=0.0, scale=True)
    x = torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(0))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        low = layer(x)
        inside = module(x), module(low), module(low, start=10**6)
    assert low.dtype == torch.bfloat16
    for result, given_x, start in zip(inside, (x, low, low), (0, 0, 10**6), strict=True):
        # the rows are float32, and so is the sum, although x may have eight bits
        expected = torch.add(table(5, 8, start=start), given_x.float(), alpha=math.sqrt(8)).to(given_x.dtype)
        assert result.dtype == given_x.dtype
        assert torch.equal(result, expected)


# ---------------------------------------------------------------- refusals

REFUSED = {
    r"\(batch, seq, d_model\).*and batch_first=True: got \(2, 8, 3\); move": {"x": torch.zeros(2, 8, 3)},
    "tensor of embeddings.*int64.*embed token ids first": {"x": torch.zeros(2, 3, dtype=torch.long)},
    "x must be a dense tensor, got one of layout torch.sp": {"x": torch.zeros(2, 3, 8).to_sparse()},
    "start must be a whole number from 0 to 9007199254740992, got -1": {"start": -1},
    "start must be an integer tensor, got torch.float32": {"start": torch.tensor(5.0)},
    r"start must be one whole number, got shape \(1,\); for a": {"start": torch.tensor([5])},
    r"start must be from 0 to 2\*\*53 - 3, got": {"start": torch.tensor(2**53)},
    "start and positions exclude each other.*start=1": {"start": 1, "positions": torch.arange(3)},
    r"\(3,\) or \(2, 3\) or \(1, 3\), got \(4,\)": {"positions": torch.arange(4)},
    "positions must be 0 or more, got -1; give padding": {"positions": torch.tensor([0, -1, 2])},
    r"positions must be at most 2\*\*53": {"positions": torch.tensor([0, 2**53 + 1, 2])},
    "positions must be an integer tensor.*float32": {"positions": torch.tensor([0.0, 1.0, 2.0])},
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_refused_is_named(words):
    with pytest.raises((ValueError, TypeError), match=words):
        plain()(**{"x": torch.zeros(2, 3, 8)} | REFUSED[words])


def test_positions_of_the_other_order_and_for_no_batch_are_refused():
    with pytest.raises(ValueError, match=r"\(3,\) or \(2, 3\) or \(1, 3\), got \(3, 2\)"):
        plain(batch_first=False)(torch.zeros(3, 2, 8), positions=torch.zeros(3, 2, dtype=torch.long))
    with pytest.raises(ValueError, match=r"here \(3,\), got \(1, 3\)"):
        plain()(torch.zeros(3, 8), positions=torch.zeros(1, 3, dtype=torch.long))


def test_rows_are_asked_for_by_number_or_by_positions():
    for module in (plain(), LearnedEncoding(8, max_len=16)):
        with pytest.raises(TypeError, match="rows takes seq_len or positions, one of the two"):
            module.rows()
        with pytest.raises(ValueError, match="start and positions exclude"):
            module.rows(positions=torch.arange(3), start=2)


def test_lengths_are_named_and_not_counted():
    with pytest.raises(TypeError, match="positional argument"):
        SinusoidalEncoding(8, 5000)  # is it the length, or the dropout? other classes disagree
