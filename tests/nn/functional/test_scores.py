"""What is added to scores, as tensors: the definitions at shapes of every kind, dtypes, gradients, graphs."""

import re

import numpy as np
import pytest

import pe_book as pe
from pe_book.nn.offsets import offsets, whole_offsets

torch = pytest.importorskip("torch")

H, N, D, CLIP, SPAN = 3, 12, 4, 2, 4


def drawn(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


# ---------------------------------------------------------------- values

WEIGHT, SLOPES = drawn(0, 32, H), pe.alibi_slopes(H)
BIASES = {
    "alibi_bias": lambda side, q, k, **own: side.alibi_bias(SLOPES, q, k, **own),
    "alibi_key_bias": lambda side, q, k, **own: side.alibi_key_bias(SLOPES, k, **own),
    "kerple_bias": lambda side, q, k, **own: side.kerple_bias(SLOPES, 3 * SLOPES, q, k, **own),
    "t5_bias": lambda side, q, k, **own: side.t5_bias(WEIGHT, q, k, **own),
    "t5_bias of a decoder": lambda side, q, k, **own: side.t5_bias(WEIGHT, q, k, bidirectional=False, **own),
}
CASES = {
    "a step": ([100], range(101)),
    "more keys than queries": (range(3), range(5)),
    "padding on the left": ([[0, 0, 1], [0, 1, 2]], [[0, 0, 1], [0, 1, 2]]),
    "a batch of queries alone": ([[3], [7]], range(8)),
    "keys in no order": ([5], [2, 0, 1]),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", BIASES)
def test_at_every_shape_a_bias_is_that_of_the_definition(name, case):
    q, k = CASES[case]
    true = BIASES[name](pe, q, k)
    places = torch.tensor(q), torch.tensor(k, dtype=torch.int64)
    found = BIASES[name](pe.nn, *places, dtype=torch.float64)
    assert (found.dtype, found.shape) == (torch.float64, true.shape)
    np.testing.assert_allclose(found.numpy(), true, rtol=1e-15)
    usual = BIASES[name](pe.nn, q, k)
    assert usual.dtype == torch.float32
    np.testing.assert_allclose(usual.double().numpy(), true, rtol=2**-22)
    seen = pe.nn.window_mask(*places, window=2, sinks=1)
    assert np.array_equal(seen.numpy(), pe.window_mask(q, k, window=2, sinks=1))


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(
    ("n_buckets", "max_distance", "rule"),
    [(32, 128, "exact"), (32, 128, "float32"), (22, 1715, "exact"), (10, 686, "exact"), (4, 3, "exact")],
)
def test_far_offsets_have_the_buckets_of_the_definition(n_buckets, max_distance, rule, bidirectional):
    away = np.arange(-3 * max_distance, 3 * max_distance)
    given = {
        "n_buckets": n_buckets,
        "max_distance": max_distance,
        "bidirectional": bidirectional,
        "rule": rule,
    }
    found = pe.nn.t5_bucket(torch.from_numpy(away), **given)
    assert found.dtype == torch.int64
    assert np.array_equal(found, pe.t5_bucket(away, **given))


def compared(both, *given):
    """What the definition and the function make of the same arrays."""
    tensors = [None if array is None else torch.from_numpy(array) for array in given]
    np.testing.assert_allclose(both(pe.nn, *tensors).numpy(), both(pe, *given), rtol=0, atol=1e-13)


PLACES = np.array([np.maximum(np.arange(N) - 3, 0), np.arange(N)])


@pytest.mark.parametrize("own", [(), (H,)])
@pytest.mark.parametrize("values", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_attention_with_relative_vectors_is_that_of_the_definition(own, values, causal):
    how = {"queries": PLACES, "keys": PLACES, "causal": causal}
    a_k, a_v = drawn(1, 2, *own, 2 * CLIP + 1, D)
    compared(
        lambda side, *x: side.shaw_attention(*x, **how),
        *drawn(0, 3, 2, H, N, D),
        a_k,
        a_v if values else None,
    )


@pytest.mark.parametrize("convention", ["paper", "library"])
@pytest.mark.parametrize("left", [(0, 1), (0,), (1,), ()])
@pytest.mark.parametrize("max_position", [None, 9])
def test_scores_of_deberta_are_those_of_the_definition(convention, left, max_position):
    how = {"convention": convention, "max_position": max_position}
    tables = [table if i in left else None for i, table in enumerate(drawn(1, 2, H, 2 * SPAN, D))]
    compared(
        lambda side, *x: side.deberta_scores(*x, PLACES, PLACES, **how), *drawn(0, 2, 2, H, N, D), *tables
    )


def in_float32(r, n_buckets, max_position):
    """The rule of transformers: logarithms of float32, rounded up."""
    mid = n_buckets // 2
    distance = r.abs().clamp(min=mid - 1)
    share = torch.log(distance / mid) / torch.log(torch.tensor((max_position - 1) / mid)) * (mid - 1)
    return torch.where(distance <= mid, r, (torch.ceil(share) + mid) * r.sign()).long(), share


def test_the_library_goes_astray_at_the_edges_of_buckets_alone():
    astray = []
    for half in range(2, 129):
        for limit in (257, 1025, 2048, 4097):
            r = torch.arange(half + 1, limit)
            found, share = in_float32(r, 2 * half, limit)
            wrong = found != pe.nn.deberta_log_bucket(r, n_buckets=2 * half, max_position=limit)
            astray += [(2 * half, limit, x) for x in r[wrong].tolist()]
            assert ((share[wrong] - share[wrong].round()).abs() < 1e-4).all()
    assert 0 < len(astray) < 40  # which ones depends on how a processor rounds logarithms
    r = torch.arange(-511, 512)  # the released setting
    assert torch.equal(
        pe.nn.deberta_log_bucket(r, n_buckets=256, max_position=512), in_float32(r, 256, 512)[0]
    )


# ---------------------------------------------------------------- offsets


@pytest.mark.parametrize("between", [offsets, whole_offsets])
def test_axes_that_would_fit_by_accident_are_refused(between):
    for queries, keys in (((2, 1, 3), (2, 3)), ((2, 3), (4, 3)), ((2, 3), (1, 2, 3))):
        got = re.escape(f"the same leading axes, or one of them none, got shapes {queries} and {keys}")
        with pytest.raises(ValueError, match=got):
            between(torch.zeros(queries), torch.zeros(keys))
    assert between(torch.zeros(2, 1, 3), torch.zeros(1, 4, 5)).shape == (2, 4, 3, 5)


def test_whole_offsets_are_exact_where_float64_is_not():
    assert whole_offsets([-(2**53)], [2**53 - 1, 2**53]).tolist() == [[2**54 - 1, 2**54]]


# ---------------------------------------------------------------- dtypes, gradients, graphs, devices

WIDE = {"dtype": torch.float64}
THREE = np.array([0.3, 0.7, 1.1])
ROWS = drawn(0, 3, H, 3, D)
TABLES = drawn(1, 2, H, 2 * CLIP + 1, D)
# each of positions of queries and of keys, and of what it is differentiated by
FUNCTIONS = {
    "alibi": (lambda i, j, x: pe.nn.alibi_bias(x, i, j, **WIDE), [THREE]),
    "alibi by keys": (lambda i, j, x: pe.nn.alibi_key_bias(x, j, **WIDE), [THREE]),
    "kerple": (lambda i, j, x, y: pe.nn.kerple_bias(x, y, i, j, **WIDE), [THREE, THREE[::-1].copy()]),
    "t5": (lambda i, j, x: pe.nn.t5_bias(x, i, j, **WIDE), [WEIGHT]),
    "Shaw": (
        lambda i, j, *x: pe.nn.shaw_attention(*x, queries=i, keys=j, causal=True),
        [*ROWS, *TABLES],
    ),
    **{
        f"DeBERTa, {convention}": (
            lambda i, j, *x, own=convention: pe.nn.deberta_scores(*x, i, j, convention=own, max_position=8),
            [*ROWS[:2], *drawn(1, 2, H, 8, D)],
        )
        for convention in ("paper", "library")
    },
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_are_those_of_differences_and_a_graph_computes_the_same(name):
    function, given = FUNCTIONS[name]
    places = torch.tensor([2, 5, 5]), torch.tensor([0, 2, 5])
    tensors = [torch.from_numpy(array).requires_grad_() for array in given]
    assert torch.autograd.gradcheck(lambda *x: function(*places, *x), tensors)
    torch._dynamo.reset()
    compiled = torch.compile(function, backend="eager", fullgraph=True)
    assert torch.equal(compiled(*places, *tensors), function(*places, *tensors))


def test_a_bias_is_float32_whatever_its_slopes_or_weights_are():
    q = torch.arange(4)
    for number in (torch.bfloat16, torch.float16, torch.float64):
        half, table = torch.tensor([0.5], dtype=number), torch.tensor(WEIGHT).to(number)
        for found in (pe.nn.alibi_bias(half, q, q), pe.nn.alibi_key_bias(half, q),
                      pe.nn.kerple_bias(half, half, q, q), pe.nn.t5_bias(table, q, q)):  # fmt: skip
            assert found.dtype == torch.float32
        assert torch.equal(pe.nn.t5_bias(table, q, q)[:, 0, 0], table[0].float())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_attention_keeps_the_dtype_of_the_rows(dtype):
    q, k, v, a_k, a_v = (torch.from_numpy(x).to(dtype) for x in (*ROWS, *TABLES))
    exact = pe.shaw_attention(
        *(x.double().numpy() for x in (q, k, v, a_k, a_v)), queries=range(3), keys=range(3)
    )
    found = pe.nn.shaw_attention(q, k, v, a_k, a_v, queries=range(3), keys=range(3))
    assert found.dtype == dtype
    np.testing.assert_allclose(found.double().numpy(), exact, rtol=0, atol=20 * torch.finfo(dtype).eps)


def test_a_learned_number_gets_the_sum_over_the_pairs_of_its_bucket():
    weight = torch.zeros(32, 1, dtype=torch.bfloat16, requires_grad=True)
    q = torch.arange(3)
    pe.nn.t5_bias(weight, q, q).sum().backward()
    assert weight.grad.dtype == torch.bfloat16
    counted = {bucket: int(times) for bucket, times in enumerate(weight.grad[:, 0].tolist()) if times}
    assert counted == {0: 3, 1: 2, 2: 1, 17: 2, 18: 1}


def test_results_are_where_slopes_rows_or_positions_are():
    slopes, q, vectors, places = (
        torch.empty(shape, device="meta") for shape in ((2,), (H, 3, D), (2 * CLIP + 1, D), (3,))
    )
    assert pe.nn.alibi_bias(slopes, range(3), range(3)).is_meta
    assert pe.nn.alibi_bias([0.5], places.long(), range(3)).is_meta
    scores = pe.nn.relative_scores(q, vectors, range(3), torch.arange(3))
    assert (scores.is_meta, tuple(scores.shape)) == (True, (H, 3, 3))
    assert pe.nn.relative_values(scores, vectors, range(3), range(3)).shape == (H, 3, D)
    with pytest.raises(ValueError, match="keys must be on cpu"):
        pe.nn.alibi_bias([0.5], torch.arange(3), places.long())


def test_buckets_are_of_whole_positions():
    with pytest.raises(ValueError, match=r"keys must hold whole positions, got 0\.5"):
        pe.nn.t5_bias(WEIGHT, [0], torch.tensor([0.5]))
