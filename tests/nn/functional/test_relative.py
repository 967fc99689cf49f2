"""Relative vectors on tensors: dtypes, devices, gradients, steps and graphs."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pe_book as pe
from pe_book.nn.functional.relative import clipped_offsets, relative_scores, relative_values, shaw_attention

B, H, N, D, CLIP = 2, 3, 5, 4, 2


def drawn(seed, *shape, dtype=torch.float64):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape)).to(dtype)


def tables(own=False):
    lead = (H,) if own else ()
    return drawn(1, *lead, 2 * CLIP + 1, D), drawn(2, *lead, 2 * CLIP + 1, D)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("values", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_attention_is_that_of_the_definition(own, values, causal):
    q, k, v = drawn(0, 3, B, H, N, D)
    a_k, a_v = tables(own)
    places = torch.tensor([[0, 0, 1, 2, 3], [0, 1, 2, 3, 4]])
    given = {"queries": places, "keys": places, "causal": causal}
    found = shaw_attention(q, k, v, a_k, a_v if values else None, **given)
    wanted = pe.shaw_attention(*map(np.asarray, (q, k, v, a_k)), a_v.numpy() if values else None, **given)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=0, atol=1e-14)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_results_keep_the_dtype_of_the_rows(dtype):
    q, k, v = drawn(0, 3, H, N, D, dtype=dtype)
    a_k, a_v = tables()
    exact = pe.shaw_attention(
        *(x.double().numpy() for x in (q, k, v, a_k, a_v)), queries=range(N), keys=range(N)
    )
    found = shaw_attention(q, k, v, a_k.to(dtype), a_v.to(dtype), queries=range(N), keys=range(N))
    assert found.dtype == dtype
    np.testing.assert_allclose(found.double().numpy(), exact, rtol=0, atol=20 * torch.finfo(dtype).eps)


def test_gradients_reach_rows_and_vectors():
    q, k, v = (x.requires_grad_() for x in drawn(0, 3, H, 3, D))
    a_k, a_v = (x.requires_grad_() for x in tables())

    def attended(q, k, v, a_k, a_v):
        return shaw_attention(q, k, v, a_k, a_v, queries=range(3), keys=range(3), causal=True)

    assert torch.autograd.gradcheck(attended, (q, k, v, a_k, a_v))


def test_the_gradient_of_a_vector_is_the_sum_of_the_queries_that_met_it():
    q, vectors = drawn(0, 3, D), torch.zeros(2 * CLIP + 1, D, dtype=torch.float64, requires_grad=True)
    relative_scores(q, vectors, range(3), range(3)).sum().backward()
    # offsets -2, -1, 0, 1, 2: query 2 alone; 1 and 2; all; 0 and 1; 0 alone
    wanted = torch.stack([q[2], q[1] + q[2], q.sum(0), q[0] + q[1], q[0]])
    torch.testing.assert_close(vectors.grad, wanted)


def test_results_are_where_the_rows_are():
    q = torch.zeros(H, N, D, device="meta")
    vectors = torch.zeros(2 * CLIP + 1, D, device="meta")
    found = relative_scores(q, vectors, range(N), torch.arange(N))
    assert (found.device.type, tuple(found.shape)) == ("meta", (H, N, N))
    assert relative_values(found, vectors, range(N), range(N)).shape == (H, N, D)


def test_a_graph_computes_the_same():
    q, k, v = drawn(0, 3, B, H, N, D)
    a_k, a_v = tables()
    places = torch.arange(N)

    def attended(q, k, v, places):
        return shaw_attention(q, k, v, a_k, a_v, queries=places, keys=places, causal=True)

    compiled = torch.compile(attended, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(q, k, v, places), attended(q, k, v, places), rtol=0, atol=0)


def test_offsets_are_whole_and_where_the_positions_are():
    found = clipped_offsets(torch.arange(3), torch.arange(3), clip=1)
    assert found.dtype == torch.int64
    assert found.tolist() == [[1, 2, 2], [0, 1, 2], [0, 0, 1]]
