"""Rows turned in place and backwards: what is written, what is refused, what the graph keeps."""

import numpy as np
import pytest

from pe_book.family.rotary import rotate_back

torch = pytest.importorskip("torch")

from pe_book.nn.kernels import memory
from tests.nn.turned import HALF, LAYOUTS, SLICES, encoder, normal

# ---------------------------------------------------------------- in place


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.float32, *HALF, torch.float64])
@pytest.mark.parametrize("where", SLICES)
def test_in_place_writes_the_turned_columns_of_the_callers_rows_and_nothing_else(layout, dtype, where):
    encoding = encoder(16, layout=layout, **where)
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


def test_out_of_place_leaves_the_caller_and_the_table_alone():
    encoding = encoder(16, rotary_dim=8)
    table = encoding.table.clone()
    for dtype in (torch.float32, torch.bfloat16, torch.float64):
        q, k = normal(1, 2, 3, 16, dtype=dtype), normal(1, 1, 3, 16, dtype=dtype, seed=1)
        before = q.clone(), k.clone()
        for result in encoding(q, k):
            result.zero_()
        assert all(map(torch.equal, (q, k, encoding.table), (*before, table)))


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: (torch.zeros(3, 8, requires_grad=True), torch.zeros(3, 8)), "got q that requires grad"),
        (
            lambda: (torch.zeros(2, 1, 8).expand(2, 3, 8), torch.zeros(2, 3, 8)),
            r"got q with strides \(8, 0, 1\)",
        ),
        (lambda: [torch.zeros(3, 8)] * 2, "q and k in the same memory"),
        (lambda: (lambda x: (x[:3], x[2:]))(torch.zeros(5, 8)), "q and k in the same memory"),
        (lambda: (lambda x: (x[:, :8], x[:, 4:]))(torch.zeros(3, 12)), "q and k in the same memory"),
    ],
)
def test_in_place_is_refused_where_it_would_be_wrong(made, says):
    q, k = made()
    before = q.clone(), k.clone()
    with pytest.raises(ValueError, match=f"in_place must be False.*{says}.* or use"):
        encoder(8)(q, k, in_place=True)
    assert torch.equal(q, before[0])
    assert torch.equal(k, before[1])
    with torch.no_grad():
        encoder(8)(q.clone(), k.clone(), in_place=True)


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


# ---------------------------------------------------------------- gradients


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")  # gradcheck's own
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("where", SLICES)
def test_gradients_in_float64(layout, where):
    encoding = encoder(8, layout=layout, attention_factor=1.5, **where)
    q, k = (normal(1, h, 3, 8, dtype=torch.float64).requires_grad_() for h in (2, 1))
    assert torch.autograd.gradcheck(
        lambda q, k: encoding(q, k, start=5), (q, k), check_forward_ad=True, check_batched_grad=True
    )
    assert torch.autograd.gradgradcheck(lambda q, k: encoding(q, k, start=5), (q, k))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("where", SLICES)
def test_the_derivative_is_the_rotation_back_and_is_rounded_once_too(layout, where):
    encoding, upstream = encoder(8, layout=layout, **where), normal(2, 3, 5, 8, dtype=torch.bfloat16)
    grads = []
    for dtype in (torch.float32, torch.bfloat16):
        x = normal(2, 3, 5, 8, dtype=dtype).requires_grad_()
        encoding.turn(x, start=3).backward(upstream.to(dtype))
        grads.append(x.grad)
    true = torch.from_numpy(rotate_back(upstream.double().numpy(), range(3, 8), layout=layout, **where))
    torch.testing.assert_close(grads[0].double(), true, rtol=0, atol=1e-6)
    assert torch.equal(grads[1], grads[0].bfloat16())


def test_the_graph_keeps_nothing_of_queries_and_keys():
    encoding, kept = encoder(8), []
    q = normal(2, 3, 5, 8).requires_grad_()
    with torch.autograd.graph.saved_tensors_hooks(lambda x: kept.append(x) or x, lambda x: x):
        result = encoding.turn(q)
    assert [tuple(x.shape) for x in kept] == [(5, 4, 2)]
    result.sum().backward()


def test_transformations_of_functions():
    encoding = encoder(8)
    x = normal(3, 2, 5, 8)
    expected = torch.stack([encoding.turn(one) for one in x])
    assert torch.equal(torch.vmap(encoding.turn)(x), expected)
    places = torch.arange(15).reshape(3, 5)
    each = [encoding.turn(one, here) for one, here in zip(x, places, strict=True)]
    assert torch.equal(torch.vmap(encoding.turn)(x, places), torch.stack(each))
    slope = torch.func.grad(lambda one: encoding.turn(one).square().sum())(x)
    torch.testing.assert_close(slope, 2 * x)  # lengths do not change
