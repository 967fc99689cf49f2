"""DeBERTa's scores on tensors: those of the definition, gradients, graphs, the library's float32 buckets."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pe_book as pe
from pe_book.nn.functional.deberta import deberta_log_bucket, deberta_scores

H, N, D = 3, 5, 4


def drawn(seed, *shape):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape))


@pytest.mark.parametrize("convention", ["paper", "library"])
@pytest.mark.parametrize("left", [(0, 1), (0,), (1,), ()])
@pytest.mark.parametrize("max_position", [None, 9])
def test_scores_are_those_of_the_definition(convention, left, max_position):
    span = 4
    q, k = drawn(0, 2, 2, H, 12, D)
    tables = [drawn(i + 1, H, 2 * span, D) if i in left else None for i in range(2)]
    how = {"convention": convention, "max_position": max_position}
    found = deberta_scores(q, k, *tables, range(12), range(12), **how)
    plain = [None if table is None else table.numpy() for table in tables]
    wanted = pe.deberta_scores(q.numpy(), k.numpy(), *plain, range(12), range(12), **how)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=0, atol=1e-14)


@pytest.mark.parametrize("convention", ["paper", "library"])
def test_gradients_reach_rows_and_tables(convention):
    q, k = (x.requires_grad_() for x in drawn(0, 2, H, 3, D))
    tables = [x.requires_grad_() for x in drawn(1, 2, 4, D)]

    def scores(q, k, *tables):
        return deberta_scores(q, k, *tables, range(3), range(3), convention=convention)

    assert torch.autograd.gradcheck(scores, (q, k, *tables))


def test_a_graph_computes_the_same():
    q, k = drawn(0, 2, H, N, D)
    tables = drawn(1, 2, 8, D)
    places = torch.arange(N)

    def scores(q, k, places):
        return deberta_scores(q, k, *tables, places, places, convention="library", max_position=8)

    compiled = torch.compile(scores, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(q, k, places), scores(q, k, places), rtol=0, atol=0)


def in_float32(r, n_buckets, max_position):
    """The rule of transformers: logarithms of float32, rounded up."""
    mid = n_buckets // 2
    distance = r.abs().clamp(min=mid - 1)
    share = torch.log(distance / mid) / torch.log(torch.tensor((max_position - 1) / mid)) * (mid - 1)
    return torch.where(distance <= mid, r, (torch.ceil(share) + mid) * r.sign()).long(), share


def test_the_released_setting_is_that_of_the_library():
    r = torch.arange(-511, 512)
    found, _ = in_float32(r, 256, 512)
    torch.testing.assert_close(deberta_log_bucket(r, n_buckets=256, max_position=512), found)


def test_the_library_goes_astray_at_the_edges_of_buckets_alone():
    astray = []
    for half in range(2, 129):
        for limit in (257, 1025, 2048, 4097):
            r = torch.arange(half + 1, limit)
            found, share = in_float32(r, 2 * half, limit)
            wrong = found != deberta_log_bucket(r, n_buckets=2 * half, max_position=limit)
            astray += [(2 * half, limit, x) for x in r[wrong].tolist()]
            assert ((share[wrong] - share[wrong].round()).abs() < 1e-4).all()
    assert 0 < len(astray) < 40  # which ones depends on how a processor rounds logarithms
