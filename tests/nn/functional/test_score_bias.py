"""Biases on tensors: the definitions' values at shapes of every kind, dtypes, gradients, graphs, refusals."""

import math
import re

import numpy as np
import pytest

import pe_book as pe
from pe_book.family.score_bias import t5 as definition
from pe_book.nn.offsets import offsets, whole_offsets

torch = pytest.importorskip("torch")

WEIGHT = np.random.default_rng(0).normal(size=(32, 3))
SLOPES = pe.alibi_slopes(3)
BIASES = {
    "alibi_bias": lambda side, q, k, **own: side.alibi_bias(SLOPES, q, k, **own),
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
    found = BIASES[name](pe.nn, torch.tensor(q), torch.tensor(k, dtype=torch.int64), dtype=torch.float64)
    assert found.dtype == torch.float64
    assert found.shape == true.shape
    np.testing.assert_allclose(found.numpy(), true, rtol=1e-15)
    usual = BIASES[name](pe.nn, q, k)
    assert usual.dtype == torch.float32
    np.testing.assert_allclose(usual.double().numpy(), true, rtol=2**-22)


@pytest.mark.parametrize("case", CASES)
def test_windows_and_keys_alone_are_those_of_the_definition(case):
    q, k = CASES[case]
    keys = torch.tensor(k, dtype=torch.int64)
    assert torch.equal(
        pe.nn.window_mask(torch.tensor(q), keys, window=2, sinks=1),
        torch.from_numpy(pe.window_mask(q, k, window=2, sinks=1)),
    )
    by_keys = pe.nn.alibi_key_bias(SLOPES, keys, dtype=torch.float64)
    np.testing.assert_array_equal(by_keys.numpy(), pe.alibi_key_bias(SLOPES, k))


@pytest.mark.parametrize("between", [offsets, whole_offsets])
def test_axes_that_would_fit_by_accident_are_refused(between):
    for queries, keys in (((2, 1, 3), (2, 3)), ((2, 3), (4, 3)), ((2, 3), (1, 2, 3))):
        got = re.escape(f"the same leading axes, or one of them none, got shapes {queries} and {keys}")
        with pytest.raises(ValueError, match=got):
            between(torch.zeros(queries), torch.zeros(keys))
    assert between(torch.zeros(2, 1, 3), torch.zeros(1, 4, 5)).shape == (2, 4, 3, 5)


def test_whole_offsets_are_exact_where_float64_is_not():
    assert whole_offsets([-(2**53)], [2**53 - 1, 2**53]).tolist() == [[2**54 - 1, 2**54]]


# ---------------------------------------------------------------- T5's buckets


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(
    ("n_buckets", "max_distance"),
    [(32, 128), (32, 100), (8, 20), (4, 3), (22, 1715), (16, 9), (64, 1000), (34, 27), (10, 686), (6, 5)],
)
def test_buckets_are_those_of_whole_numbers(n_buckets, max_distance, bidirectional):
    away = np.arange(-3 * max_distance, 3 * max_distance)
    given = {"n_buckets": n_buckets, "max_distance": max_distance, "bidirectional": bidirectional}
    found = pe.nn.t5_bucket(torch.from_numpy(away), **given)
    assert found.dtype == torch.int64
    assert np.array_equal(found, definition.t5_bucket(away, **given))


def of_the_libraries(away, n_buckets, max_distance, bidirectional):
    """Their operations in float32, written out from the formula of the paper's code."""
    buckets = torch.zeros_like(away)
    if bidirectional:
        n_buckets //= 2
        buckets = (away > 0).long() * n_buckets
        away = away.abs()
    else:
        away = -torch.minimum(away, torch.zeros_like(away))
    exact = n_buckets // 2
    logarithms = torch.log(away.float() / exact) / math.log(max_distance / exact) * (n_buckets - exact)
    wide = torch.minimum(exact + logarithms.long(), torch.full_like(away, n_buckets - 1))
    return buckets + torch.where(away < exact, away, wide)


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("n_buckets", "max_distance"), [(32, 128), (22, 1715), (10, 686), (64, 1000)])
def test_by_the_rule_of_float32_the_operations_are_those_of_the_libraries(
    n_buckets, max_distance, bidirectional
):
    away = torch.arange(-3 * max_distance, 3 * max_distance)
    given = {"n_buckets": n_buckets, "max_distance": max_distance, "bidirectional": bidirectional}
    found = pe.nn.t5_bucket(away, rule="float32", **given)
    assert torch.equal(found, of_the_libraries(away, **given))


# ---------------------------------------------------------------- dtypes and gradients


def test_a_bias_is_float32_whatever_its_slopes_or_weights_are():
    q = torch.arange(4)
    for number in (torch.bfloat16, torch.float16, torch.float64):
        half = torch.tensor([0.5], dtype=number)
        table = torch.tensor(WEIGHT).to(number)
        for found in (
            pe.nn.alibi_bias(half, q, q),
            pe.nn.alibi_key_bias(half, q),
            pe.nn.kerple_bias(half, half, q, q),
            pe.nn.t5_bias(table, q, q),
        ):
            assert found.dtype == torch.float32
        assert torch.equal(pe.nn.t5_bias(table, q, q)[:, 0, 0], table[0].float())


@pytest.mark.parametrize("name", ["alibi", "alibi by keys", "kerple", "t5"])
def test_gradients_are_those_of_differences(name):
    q, k = torch.tensor([2, 5]), torch.tensor([[0, 1, 9], [3, 4, 5]])
    three = torch.tensor([0.3, 0.7, 1.1], dtype=torch.float64, requires_grad=True)
    ways = {
        "alibi": (lambda x: pe.nn.alibi_bias(x, q, k, dtype=torch.float64), (three,)),
        "alibi by keys": (lambda x: pe.nn.alibi_key_bias(x, k, dtype=torch.float64), (three,)),
        "kerple": (
            lambda x, y: pe.nn.kerple_bias(x, y, q, k, dtype=torch.float64),
            (three, three.detach().flip(0).requires_grad_()),
        ),
        "t5": (
            lambda x: pe.nn.t5_bias(x, q, k, dtype=torch.float64),
            (torch.tensor(WEIGHT, requires_grad=True),),
        ),
    }
    function, given = ways[name]
    assert torch.autograd.gradcheck(function, given)


def test_a_learned_number_gets_the_sum_over_the_pairs_of_its_bucket():
    weight = torch.zeros(32, 1, dtype=torch.bfloat16, requires_grad=True)
    q = torch.arange(3)
    pe.nn.t5_bias(weight, q, q).sum().backward()
    assert weight.grad.dtype == torch.bfloat16
    counted = {bucket: int(times) for bucket, times in enumerate(weight.grad[:, 0].tolist()) if times}
    assert counted == {0: 3, 1: 2, 2: 1, 17: 2, 18: 1}


# ---------------------------------------------------------------- graphs and devices


def test_a_bias_is_where_its_slopes_are():
    there = torch.ones(2, device="meta")
    assert pe.nn.alibi_bias(there, range(3), range(3)).is_meta
    assert pe.nn.alibi_bias([0.5], torch.empty(3, dtype=torch.int64, device="meta"), range(3)).is_meta
    with pytest.raises(ValueError, match="keys must be on cpu"):
        pe.nn.alibi_bias([0.5], torch.arange(3), torch.empty(3, dtype=torch.int64, device="meta"))


def test_buckets_are_of_whole_positions():
    with pytest.raises(ValueError, match=r"keys must hold whole positions, got 0\.5"):
        pe.nn.t5_bias(WEIGHT, [0], torch.tensor([0.5]))
