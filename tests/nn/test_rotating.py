"""The rotary module: the definition, in every dtype and memory, whatever torch does to the module."""

import copy
import io
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pe_book as pe
from pe_book.family.context_extension import scale_frequencies
from pe_book.family.rotary import rotate_back
from pe_book.pairs import join, split

torch = pytest.importorskip("torch")

from pe_book.nn import RotaryEncoding, memory, rotate, turn_table, turning  # noqa: E402

LAYOUTS = ["interleaved", "halves"]
HALF = [torch.bfloat16, torch.float16]
SLICES = [{}, {"rotary_dim": 6}, {"rotary_dim": 6, "side": "last"}]
few = settings(deadline=None, max_examples=25)


def normal(*shape, seed=0, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def defined(x, positions, **conventions):
    return torch.from_numpy(pe.rotate(x.detach().double().numpy(), positions, **conventions))


def within(result, x, positions, *, unit, **conventions):
    """Whether each entry is off by three roundings, of cosine, product and sum, of the length of its pair."""
    width = conventions.get("rotary_dim") or x.shape[-1]
    first = x.shape[-1] - width if conventions.get("side") == "last" else 0
    turned = x.detach().double().numpy()[..., first : first + width]
    layout = conventions.get("layout", "interleaved")
    length = np.hypot(*split(turned, layout))
    allowed = np.zeros(x.shape)  # none where nothing is turned
    allowed[..., first : first + width] = 3.01 * unit * join(length, length, layout)
    off = (result.detach().double() - defined(x, positions, **conventions)).abs().numpy()
    return bool((off <= allowed).all())


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
    encoding, x, places = RotaryEncoding(d, **where, max_len=64), normal(2, 3, 7, d), range(start, start + 7)
    assert within(encoding.turn(x, start=start), x, places, unit=2.0**-24, **where)
    wide = encoding.turn(x.double(), start=start)
    assert wide.dtype == torch.float64
    torch.testing.assert_close(wide, defined(x, places, **where), rtol=0, atol=2e-14)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("where", SLICES)
def test_sixteen_bits_are_the_float32_result_rounded_once(layout, dtype, where):
    encoding, x = RotaryEncoding(16, layout=layout, **where), normal(2, 3, 700, 16, dtype=dtype)
    result = encoding.turn(x)
    assert result.dtype == dtype
    assert torch.equal(result, encoding.turn(x.float()).to(dtype))
    in_its_own_dtype = turning._by_formula(x, encoding.table[:700].to(dtype), layout, encoding._first)
    assert not torch.equal(result, in_its_own_dtype)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_scores_of_bfloat16_are_as_near_as_bfloat16_lets_them_at_any_distance(layout):
    q, k = normal(1, 64, seed=1, dtype=torch.bfloat16), normal(1, 64, seed=2, dtype=torch.bfloat16)
    encoding = RotaryEncoding(64, layout=layout).bfloat16()
    here = (encoding.turn(q, start=7).double() * encoding.turn(k, start=3).double()).sum()
    away = (encoding.turn(q, start=10**6 + 7).double() * encoding.turn(k, start=10**6 + 3).double()).sum()
    size = (q.double().norm() * k.double().norm()).item()
    assert abs(here - away) < 2.0**-8 * size


def test_the_two_layouts_are_one_map_in_other_columns():
    x = normal(3, 40, 64)
    ours = RotaryEncoding(64).turn(x)
    theirs = RotaryEncoding(64, layout="halves").turn(pe.nn.relayout(x, source="interleaved", to="halves"))
    assert torch.equal(pe.nn.relayout(ours, source="interleaved", to="halves"), theirs)


def test_frequencies_and_the_factor_of_a_longer_context():
    omega, factor = scale_frequencies(pe.frequencies(16), method="yarn", factor=4, original_len=64)
    assert factor > 1.1
    for layout in LAYOUTS:
        encoding = RotaryEncoding(
            20, rotary_dim=16, layout=layout, frequencies=omega, attention_factor=factor, max_len=8
        )
        q, k = normal(1, 2, 30, 20), normal(1, 1, 30, 20, seed=1)
        for x, result in zip((q, k), encoding(q, k), strict=True):
            expected = defined(x, range(30), rotary_dim=16, layout=layout, frequencies=omega)
            expected[..., :16] *= factor
            torch.testing.assert_close(result.double(), expected, rtol=0, atol=2e-6)
            assert torch.equal(result[..., 16:], x[..., 16:])  # what is not turned is not scaled
        far = encoding.turn(q, start=10**6)[..., :16]
        expected = defined(q, range(10**6, 10**6 + 30), rotary_dim=16, layout=layout, frequencies=omega)
        torch.testing.assert_close(far.double(), expected[..., :16] * factor, rtol=0, atol=2e-6)
        # so the turned part of a score carries the square of the factor
        plain = RotaryEncoding(20, rotary_dim=16, layout=layout, frequencies=omega)
        ours, theirs = ((m.turn(q)[..., :16] @ m.turn(k)[..., :16].mT) for m in (encoding, plain))
        torch.testing.assert_close(ours, theirs * factor**2, rtol=1e-5, atol=1e-5)


# ---------------------------------------------------------------- heads, caches, positions


def test_heads_that_share_keys_and_positions_of_each_sequence():
    encoding = RotaryEncoding(8, max_len=16)
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
    encoding, n = RotaryEncoding(width + 2, rotary_dim=width, layout=layout, max_len=16), 301
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


def test_threads_that_share_a_call_unevenly_leave_no_other_bits():
    encoding, x = RotaryEncoding(16, max_len=4099), normal(4099, 16)
    before = torch.get_num_threads()
    torch.set_num_threads(2)  # each gets half of 32792 complex numbers, which are not whole vectors
    try:
        whole, written = encoding.turn(x), encoding.turn(x.clone(), in_place=True)
    finally:
        torch.set_num_threads(before)
    assert torch.equal(whole, turning._by_formula(x, encoding.table, "interleaved", 0))
    assert torch.equal(written, whole)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_blocks_of_long_calls_are_the_same_rows(layout, dtype):
    encoding = RotaryEncoding(64, layout=layout)
    x = normal(3, 5, 1021, 64, dtype=dtype)  # a length that no block divides
    rows = encoding.turn(x)
    formula = turning._by_formula(x, encoding.table[:1021], layout, 0)
    assert torch.equal(rows, formula)
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):  # the axes as they lie in memory
        there = (
            x.permute(*order, 3)
            .clone(memory_format=torch.contiguous_format)
            .permute(*np.argsort(order).tolist(), 3)
        )
        assert torch.equal(encoding.turn(there), formula)
        assert torch.equal(encoding.turn(there, in_place=True), formula)
    back = torch.arange(1021).flip(0).repeat(3, 1)
    assert torch.equal(encoding.turn(x.flip(2), back).flip(2), formula)


def test_the_table_grows_and_far_positions_are_computed():
    encoding, x = RotaryEncoding(8, max_len=16), normal(2, 3, 4, 8)
    encoding.turn(x, start=14)
    assert len(encoding.table) == 32  # doubled
    far = encoding.turn(x, start=2**52)
    assert len(encoding.table) == 32  # not kept
    assert within(far, x, range(2**52, 2**52 + 4), unit=2.0**-24)
    encoding.turn(normal(1, 300, 8))
    assert len(encoding.table) == 300
    assert torch.equal(encoding.table, RotaryEncoding(8, max_len=300).table)
    assert torch.equal(
        encoding.turn(x, torch.tensor([2**40, 3, 0, 2**40]))[:, :, 0],
        encoding.turn(x[:, :, :1], start=2**40)[:, :, 0],
    )


@pytest.mark.parametrize("cast", [lambda m: m, lambda m: m.bfloat16(), lambda m: m.half()])
def test_neighbours_past_256_differ_in_bfloat16(cast):
    """Where positions pass through bfloat16, 256 and 257 are one place."""
    assert torch.tensor(257).bfloat16() == torch.tensor(256).bfloat16()
    encoding, x = cast(RotaryEncoding(64)), torch.ones(1, 64, dtype=torch.bfloat16)
    for near in range(256, 1024, 37):
        rows = encoding.turn(x.expand(2, 64), torch.tensor([near, near + 1]))
        assert not torch.equal(rows[0], rows[1])


# ---------------------------------------------------------------- in place


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.float32, *HALF, torch.float64])
@pytest.mark.parametrize("where", SLICES)
def test_in_place_writes_the_turned_columns_of_the_callers_rows_and_nothing_else(layout, dtype, where):
    encoding = RotaryEncoding(16, layout=layout, **where)
    memory_of_both = normal(2, 9, 3, 8, 20, dtype=dtype)  # batch, rows, (q, k, v), heads, width and more
    before = memory_of_both.clone()
    q, k, v = (memory_of_both[:, 2:7, part, :, 1:17].transpose(1, 2) for part in range(3))
    k = k[:, 3:5]
    expected = encoding(q.clone(), k.clone(), start=5)
    ours = encoding(q, k, start=5, in_place=True)
    assert ours[0] is q
    assert ours[1] is k
    for x, true in zip((q, k), expected, strict=True):
        assert torch.equal(x, true)
        x.zero_()
    assert torch.equal(v, before[:, 2:7, 2, :, 1:17].transpose(1, 2))
    untouched = torch.ones_like(before, dtype=torch.bool)
    untouched[:, 2:7, 0, :, 1:17] = False
    untouched[:, 2:7, 1, 3:5, 1:17] = False
    assert torch.equal(memory_of_both[untouched], before[untouched])


def test_out_of_place_leaves_the_caller_alone():
    encoding = RotaryEncoding(16, rotary_dim=8)
    for dtype in (torch.float32, torch.bfloat16, torch.float64):
        q, k = normal(1, 2, 3, 16, dtype=dtype), normal(1, 1, 3, 16, dtype=dtype, seed=1)
        before = q.clone(), k.clone()
        for result in encoding(q, k):
            result.zero_()
        assert torch.equal(q, before[0])
        assert torch.equal(k, before[1])
    assert torch.equal(encoding.table, RotaryEncoding(16, rotary_dim=8).table)


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: (torch.zeros(3, 8, requires_grad=True), torch.zeros(3, 8)), "got q that requires grad"),
        (lambda: (torch.zeros(3, 8), torch.zeros(3, 8, requires_grad=True) * 2), "got k that requires grad"),
        (
            lambda: (torch.zeros(2, 1, 8).expand(2, 3, 8), torch.zeros(2, 3, 8)),
            r"got q with strides \(8, 0, 1\)",
        ),
        (lambda: (torch.zeros(3, 8), torch.zeros(20).as_strided((3, 8), (4, 1))), "got k with strides"),
        (lambda: [torch.zeros(3, 8)] * 2, "q and k in the same memory"),
        (lambda: (lambda x: (x[:3], x[2:]))(torch.zeros(5, 8)), "q and k in the same memory"),
        (lambda: (lambda x: (x, x.transpose(0, 1)))(torch.zeros(3, 3, 8)), "q and k in the same memory"),
        (lambda: (lambda x: (x[:, :8], x[:, 4:]))(torch.zeros(3, 12)), "q and k in the same memory"),
    ],
)
def test_in_place_is_refused_where_it_would_be_wrong(made, says):
    q, k = made()
    before = q.clone(), k.clone()
    with pytest.raises(ValueError, match=f"in_place must be False.*{says}.* or use"):
        RotaryEncoding(8)(q, k, in_place=True)
    assert torch.equal(q, before[0])
    assert torch.equal(k, before[1])
    with torch.no_grad():
        RotaryEncoding(8)(q.clone(), k.clone(), in_place=True)


def test_queries_and_keys_of_one_projection_are_apart():
    packed = torch.zeros(2, 5, 12, 8).transpose(1, 2)
    for q, k in ((packed[:, :8], packed[:, 8:10]), (packed[:, 8:], packed[:, :4]), packed.split([6, 6], 1)):
        memory.check_apart(q, k)
    memory.check_apart(packed[:1], packed[1:])
    one_head = packed[:, 8:9].as_strided((2, 1, 5, 8), (480, 7, 96, 1), 64)  # the step of an axis of one
    memory.check_apart(packed[:, :8], one_head)
    with pytest.raises(ValueError, match="in_place must be False"):
        memory.check_apart(packed[:, :8], packed[:, 7:9])
    for some in range(200):  # against what each entry's place says
        rng = np.random.default_rng(some)
        steps, place = rng.integers(1, 9, 2).tolist(), torch.arange(64)
        q, k = (
            place.as_strided(rng.integers(1, 4, 2).tolist(), steps, int(rng.integers(0, 20))) for _ in "qk"
        )
        assert memory._may_overlap(q, k) == bool(set(q.flatten().tolist()) & set(k.flatten().tolist()))
    memory.check_apart(packed[:, :0], packed)
    flat = torch.zeros(2, 8)
    memory.check_apart(flat[:1].expand(1, 8), flat[1:].as_strided((1, 8), (0, 1)))


def test_a_leaf_is_written_to_where_nothing_is_recorded():
    encoding, weight = RotaryEncoding(8), torch.nn.Parameter(normal(3, 8))
    expected = encoding.turn(weight.detach())
    with torch.no_grad():
        encoding.turn(weight, in_place=True)
    assert torch.equal(weight, expected)


# ---------------------------------------------------------------- gradients


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")  # gradcheck's own
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("where", SLICES)
def test_gradients_in_float64(layout, where):
    encoding = RotaryEncoding(8, layout=layout, attention_factor=1.5, **where)
    q, k = (normal(1, h, 3, 8, dtype=torch.float64).requires_grad_() for h in (2, 1))
    assert torch.autograd.gradcheck(
        lambda q, k: encoding(q, k, start=5), (q, k), check_forward_ad=True, check_batched_grad=True
    )
    assert torch.autograd.gradgradcheck(lambda q, k: encoding(q, k, start=5), (q, k))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("where", SLICES)
def test_the_derivative_is_the_rotation_back(layout, dtype, where):
    encoding, x = RotaryEncoding(8, layout=layout, **where), normal(2, 3, 5, 8, dtype=dtype).requires_grad_()
    upstream = normal(2, 3, 5, 8, seed=1, dtype=dtype)
    encoding.turn(x, start=3).backward(upstream)
    assert x.grad.dtype == dtype
    true = torch.from_numpy(rotate_back(upstream.double().numpy(), range(3, 8), layout=layout, **where))
    close = {torch.float32: 1e-6, torch.bfloat16: 2e-2, torch.float64: 1e-14}[dtype]
    torch.testing.assert_close(x.grad.double(), true, rtol=0, atol=close)
    if dtype == torch.bfloat16:  # rounded once as well
        other = x.detach().float().requires_grad_()
        encoding.turn(other, start=3).backward(upstream.float())
        assert torch.equal(x.grad, other.grad.bfloat16())


def test_the_graph_keeps_nothing_of_queries_and_keys():
    encoding, kept = RotaryEncoding(8), []
    q = normal(2, 3, 5, 8).requires_grad_()
    with torch.autograd.graph.saved_tensors_hooks(lambda x: kept.append(x) or x, lambda x: x):
        result = encoding.turn(q)
    assert [tuple(x.shape) for x in kept] == [(5, 4, 2)]
    result.sum().backward()


def test_growing_in_inference_mode_leaves_a_module_that_trains():
    with torch.inference_mode():
        encoding = RotaryEncoding(8, max_len=4, frequencies=[1, 0.5, 0.1, 0])
        encoding.turn(torch.zeros(20, 8))
    x = torch.zeros(20, 8, requires_grad=True)
    encoding.turn(x).sum().backward()
    assert x.grad.isfinite().all()


def test_transformations_of_functions():
    encoding = RotaryEncoding(8)
    x = normal(3, 2, 5, 8)
    expected = torch.stack([encoding.turn(one) for one in x])
    assert torch.equal(torch.vmap(encoding.turn)(x), expected)
    places = torch.arange(15).reshape(3, 5)
    each = [encoding.turn(one, here) for one, here in zip(x, places, strict=True)]
    assert torch.equal(torch.vmap(encoding.turn)(x, places), torch.stack(each))
    slope = torch.func.grad(lambda one: encoding.turn(one).square().sum())(x)
    torch.testing.assert_close(slope, 2 * x)  # lengths do not change
    matrix = torch.func.jacrev(encoding.turn)(x[0, 0, 4:5])[0, :, 0]
    assert torch.equal(matrix, torch.eye(8))  # position 0


# ---------------------------------------------------------------- casts, moves, copies, checkpoints


def agrees(encoding, x=None, unit=2.0**-24):
    """Whether a module does what its arguments say."""
    x = normal(2, 3, 40, encoding.head_dim) if x is None else x
    where = {"layout": encoding.layout, "rotary_dim": encoding.rotary_dim, "side": encoding.side}
    return within(encoding.turn(x), x, range(x.shape[-2]), unit=unit, **where, base=encoding.base)


CASTS = {
    "bfloat16": lambda m: m.bfloat16(),
    "half": lambda m: m.half(),
    "double": lambda m: m.double(),
    "to": lambda m: m.to(torch.bfloat16),
    "type": lambda m: m.type(torch.float16),
    "to_empty": lambda m: m.to_empty(device="cpu"),
    "parent": lambda m: torch.nn.Sequential(torch.nn.Linear(2, 2), m).bfloat16()[1],
    "deepcopy": copy.deepcopy,
    "pickle": lambda m: pickle.loads(pickle.dumps(m)),
    "share_memory": lambda m: m.share_memory(),
}


@pytest.mark.parametrize("change", CASTS.values(), ids=CASTS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_cast_changes_the_table(change, layout):
    encoding = RotaryEncoding(64, layout=layout, max_len=300)
    before = encoding.table.clone()
    changed = change(encoding)
    assert changed.table.dtype == torch.float32
    assert torch.equal(changed.table, before)
    assert agrees(changed)
    assert repr(changed) == repr(RotaryEncoding(64, layout=layout, max_len=300))


def test_autocast():
    encoding, layer = RotaryEncoding(64), torch.nn.Linear(64, 64)
    x = normal(2, 3, 40, 64)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        low, whole, fresh = layer(x), encoding.turn(x), RotaryEncoding(64)
        turned_low = encoding.turn(low, start=10**6)
    assert low.dtype == turned_low.dtype == torch.bfloat16
    assert torch.equal(turned_low, encoding.turn(low.float(), start=10**6).bfloat16())
    assert torch.equal(whole, encoding.turn(x))
    assert torch.equal(fresh.table, encoding.table)


def test_the_default_dtype_is_not_the_table_s():
    torch.set_default_dtype(torch.bfloat16)
    try:
        encoding = RotaryEncoding(64, frequencies=np.linspace(1, 0.1, 32))
    finally:
        torch.set_default_dtype(torch.float32)
    assert torch.equal(encoding.table, RotaryEncoding(64, frequencies=np.linspace(1, 0.1, 32)).table)


def test_meta():
    with torch.device("meta"):
        inside = RotaryEncoding(8, max_len=16, frequencies=[1, 0.5, 0.1, 0])
    for encoding in (inside, RotaryEncoding(8, max_len=16, device="meta", frequencies=[1, 0.5, 0.1, 0])):
        assert encoding.table.is_meta
        assert encoding.turn(torch.zeros(2, 20, 8, device="meta")).shape == (2, 20, 8)
        assert encoding.half().table.is_meta
    right = RotaryEncoding(8, max_len=16, frequencies=[1, 0.5, 0.1, 0]).table
    for leave in (lambda m: m.to_empty(device="cpu"), lambda m: m.cpu(), lambda m: m.bfloat16().to("cpu")):
        encoding = leave(RotaryEncoding(8, max_len=16, device="meta", frequencies=[1, 0.5, 0.1, 0]))
        assert torch.equal(encoding.table, right)
    empty = RotaryEncoding(8, max_len=2**40, device="meta")
    assert len(empty.table) == 2**40


class Model(torch.nn.Module):
    def __init__(self, max_len=16):
        super().__init__()
        self.projection = torch.nn.Linear(8, 16)
        self.rotary = RotaryEncoding(8, max_len=max_len)

    def forward(self, x):
        return self.rotary(*self.projection(x).chunk(2, dim=-1))[0]


def test_a_checkpoint_holds_nothing_of_it():
    real, longer = Model(), Model(max_len=64)
    assert list(real.state_dict()) == ["projection.weight", "projection.bias"]
    longer.load_state_dict(real.state_dict(), strict=True)
    x = normal(2, 20, 8)
    assert torch.equal(real(x), longer(x))
    with torch.device("meta"):
        model = Model()
    model.load_state_dict(real.state_dict(), assign=True)
    assert torch.equal(model(x), real(x))  # the table was still on meta
    file = io.BytesIO()
    torch.save(real, file)
    file.seek(0)
    assert torch.equal(torch.load(file, weights_only=False)(x), real(x))


def test_a_table_that_a_loader_has_overwritten_is_made_anew():
    encoding = RotaryEncoding(8)
    encoding.table.zero_()
    assert not agrees(encoding)
    encoding.reset_parameters()
    assert agrees(encoding)


# ---------------------------------------------------------------- graphs


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_compiled_module_takes_any_length_and_step(layout):
    torch._dynamo.reset()
    encoding, graphs = RotaryEncoding(8, layout=layout, max_len=16, frequencies=[1, 0.5, 0.1, 0]), []
    run = torch.compile(encoding, backend=lambda graph, _: graphs.append(0) or graph, fullgraph=True)
    for n, start in [(3, 0), (5, 0), (9, 2), (40, 0), (1, 3), (1, 4), (1, 5), (1, 16), (1, 30)]:
        q, k = normal(2, 4, n, 8), normal(2, 2, n, 8, dtype=torch.bfloat16)
        expected = encoding(q, k, torch.arange(start, start + n))
        encoding.table = encoding.table[:16]
        for ours, true in zip(run(q, k, start=start), expected, strict=True):
            torch.testing.assert_close(ours, true, rtol=1e-6, atol=1e-6)
    assert len(graphs) <= 6
    assert len(encoding.table) == 16
    q = normal(2, 4, 5, 8)
    places, expected = torch.tensor([[0, 7, 900, 3, 2]]), encoding.turn(q, torch.tensor([0, 7, 900, 3, 2]))
    torch.testing.assert_close(run(q, q, places)[1], expected, rtol=1e-6, atol=1e-6)
    written = q.clone()
    torch.compile(encoding.turn, backend="aot_eager", fullgraph=True)(written, places, in_place=True)
    torch.testing.assert_close(written, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_exported_program_takes_any_length(layout):
    from torch.export import Dim, export

    encoding = RotaryEncoding(8, rotary_dim=6, layout=layout, max_len=16)
    shapes = {2: Dim("n", max=5000)}
    program = export(encoding, (normal(2, 4, 5, 8), normal(2, 1, 5, 8)), dynamic_shapes=(shapes, shapes))
    for n in (5, 17, 300):
        q, k = normal(2, 4, n, 8), normal(2, 1, n, 8)
        for ours, true in zip(program.module()(q, k), encoding(q, k), strict=True):
            torch.testing.assert_close(ours, true, rtol=1e-6, atol=1e-6)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
def test_a_trace_outlives_the_table():
    encoding = RotaryEncoding(8, max_len=4)
    traced = torch.jit.trace(lambda x, places: encoding.turn(x, places), (normal(3, 8), torch.arange(3)))
    x, places = normal(3, 8, seed=1), torch.tensor([9, 10**6, 2])
    torch.testing.assert_close(traced(x, places), encoding.turn(x, places), rtol=1e-6, atol=1e-6)


# ---------------------------------------------------------------- planted mistakes


def _changed(change):
    made = turning.turns_of

    def other(angles, layout, factor=1.0):
        return change(made(angles, layout, factor), layout)

    return other


def _opposite_sign(turns, layout):
    cos, sin = turns.unbind(turning.PART_AXIS[layout])
    return torch.stack([cos, -sin], dim=turning.PART_AXIS[layout])


def _neighbours_share_a_frequency(turns, layout):
    """The columns of the other layout: each cosine beside itself, where the halves want all of them twice."""
    if layout == "interleaved":
        return turns.repeat_interleave(2, -2)[..., : turns.shape[-2], :]
    half = turns.shape[-1] // 2
    return turns[..., :half].repeat_interleave(2, -1)


def _one_sign_for_both_halves(turns, layout):
    cos, sin = turns.unbind(turning.PART_AXIS[layout])
    return torch.stack([cos, sin.abs()], dim=turning.PART_AXIS[layout])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "mistake", [_opposite_sign, _neighbours_share_a_frequency, _one_sign_for_both_halves]
)
def test_a_wrong_table_is_seen(monkeypatch, layout, mistake):
    assert agrees(RotaryEncoding(16, layout=layout))
    monkeypatch.setattr(turn_table, "turns_of", _changed(lambda turns, here: mistake(turns, here)))
    assert not agrees(RotaryEncoding(16, layout=layout))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_wrong_sign_in_one_layout_is_seen(monkeypatch, layout):
    only = _changed(lambda turns, here: _opposite_sign(turns, here) if here == layout else turns)
    monkeypatch.setattr(turn_table, "turns_of", only)
    assert [agrees(RotaryEncoding(16, layout=one)) for one in LAYOUTS] == [one != layout for one in LAYOUTS]


def test_a_table_that_was_cast_and_positions_that_were_are_seen(monkeypatch):
    encoding = RotaryEncoding(16)
    encoding.table = encoding.table.bfloat16().float()
    assert not agrees(encoding)
    exact = turn_table.angles
    monkeypatch.setattr(turn_table, "angles", lambda p, *rest: exact(p.bfloat16().to(torch.int64), *rest))
    x = normal(1, 1, 300, 16)
    assert agrees(RotaryEncoding(16), x[:, :, :257])
    assert not agrees(RotaryEncoding(16), x)

    def in_float32(p, d, base, _):
        return (p.float()[..., None] * torch.tensor(pe.frequencies(d, base=base)).float()).double()

    monkeypatch.setattr(turn_table, "angles", in_float32)
    assert not agrees(RotaryEncoding(16), x)


def test_a_factor_on_columns_that_are_not_turned_is_seen():
    encoding, x = RotaryEncoding(16, rotary_dim=8, attention_factor=1.25), normal(2, 5, 16)
    right = defined(x, range(5), rotary_dim=8)
    right[..., :8] *= 1.25
    torch.testing.assert_close(encoding.turn(x).double(), right, rtol=0, atol=1e-6)
    everywhere = RotaryEncoding(16, rotary_dim=8).turn(x) * 1.25
    assert (everywhere.double() - right).abs().max() > 0.1


# ---------------------------------------------------------------- refusals

X = torch.zeros(2, 4, 3, 8)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"head_dim": 7}, ValueError, "head_dim must be even"),
        ({"head_dim": 8.0}, TypeError, "head_dim must be a whole number of at least 2"),
        ({"rotary_dim": 10}, ValueError, "rotary_dim must be at most the width of the head, 8, got 10"),
        ({"rotary_dim": 3}, ValueError, "rotary_dim must be even"),
        ({"side": "left"}, ValueError, "side must be 'first' or 'last', got 'left'"),
        ({"layout": "neox"}, ValueError, "layout must be 'interleaved' or 'halves', got 'neox'"),
        ({"ladder": "other"}, ValueError, "ladder must be"),
        ({"base": 1}, ValueError, "base must be greater than 1"),
        ({"frequencies": [1, 2]}, ValueError, r"frequencies must have shape \(4,\).* got \(2,\)"),
        ({"frequencies": [1, 2, 3, 4], "base": 5}, ValueError, "frequencies must stand alone, got base=5"),
        ({"attention_factor": 0}, ValueError, "attention_factor must be above 0, got 0"),
        ({"max_len": 0}, ValueError, "max_len must be a whole number of at least 1"),
        ({"max_len": 10**13}, ValueError, "max_len must be smaller: 10000000000000 would take"),
        ({"device": "nowhere"}, ValueError, "device must be one that torch knows"),
    ],
)
def test_wrong_arguments_are_refused(arguments, error, says):
    with pytest.raises(error, match=says):
        RotaryEncoding(**{"head_dim": 8, **arguments})


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (
            lambda m: m(X, X[..., :6]),
            ValueError,
            r"k must have shape \(batch, heads, n, 8\).* got \(2, 4, 3, 6\)",
        ),
        (lambda m: m(X[0, 0, 0], X), ValueError, "q must have shape"),
        (lambda m: m(X, X[:, :, :1]), ValueError, r"k must have as many rows as q, 3, got 1; use turn\(q"),
        (lambda m: m(X.long(), X), TypeError, "q must be a tensor of float32.* got torch.int64"),
        (lambda m: m(X, X.to_sparse()), TypeError, "k must be a dense tensor"),
        (
            lambda m: m(X, X.to("meta")),
            ValueError,
            "k must be on cpu, where the module is, got it on meta; move",
        ),
        (lambda m: m(X, X, start=-1), ValueError, "start must be a whole number from 0"),
        (lambda m: m(X, X, start=2**53), ValueError, r"start must be from 0 to 2\*\*53 - 3, got"),
        (lambda m: m(X, X, start=1.5), TypeError, "start must be a whole number"),
        (lambda m: m(X, X, start=torch.tensor([1])), ValueError, "start must be one whole number"),
        (
            lambda m: m(X, X, torch.arange(3), start=1),
            ValueError,
            "start must be left out beside positions, got 1",
        ),
        (
            lambda m: m(X, X, torch.arange(4)),
            ValueError,
            r"\(3,\) or \(1, 3\) or \(2, 3\) for q .* got \(4,\)",
        ),
        (
            lambda m: m(X, X[:1], torch.zeros(2, 3).long()),
            ValueError,
            r"\(1, 3\) for k of shape .* got \(2, 3\)",
        ),
        (
            lambda m: m(X[0], X[0], torch.zeros(2, 3).long()),
            ValueError,
            r"\(3,\) or \(1, 3\) for q .* got \(2, 3\)",
        ),
        (
            lambda m: m(X, X, torch.tensor([0, -1, 2])),
            ValueError,
            "positions must be from 0 .* got -1 to 2; pe_book",
        ),
        (
            lambda m: m(X, X, torch.tensor([0, 2**60, 2])),
            ValueError,
            "positions must be from 0 to 2.*53, got 0 to",
        ),
        (lambda m: m(X, X, torch.tensor([0, 0.5, 2])), TypeError, "positions must be an integer tensor"),
        (lambda m: m(X, X, [0, 1, 2]), TypeError, "positions must be an integer tensor, got a list"),
        (lambda m: m(X, X, in_place=1), TypeError, "in_place must be True or False, got 1"),
        (lambda m: m.turn(np.zeros((3, 8))), TypeError, "x must be a tensor of float32.* got a ndarray"),
    ],
)
def test_wrong_calls_are_refused(call, error, says):
    with pytest.raises(error, match=says):
        call(RotaryEncoding(8))


def test_what_the_module_refuses_the_function_takes():
    x = normal(3, 8)
    torch.testing.assert_close(rotate(x, [-1, 0.5, 2])[2], RotaryEncoding(8).turn(x)[2])


def test_empty_sequences_stay_empty():
    assert RotaryEncoding(8).turn(torch.zeros(2, 0, 8)).shape == (2, 0, 8)
    assert RotaryEncoding(8).turn(torch.zeros(0, 3, 8), in_place=True).shape == (0, 3, 8)
