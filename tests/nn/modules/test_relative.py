"""Relative vectors as modules: what they hold, that they are the functions, and what they refuse."""

import pytest

torch = pytest.importorskip("torch")

from torch.nn.functional import scaled_dot_product_attention

from pe_book.nn import DisentangledBias, RelativeVectors, deberta_scores, shaw_attention


def test_a_head_of_the_paper_has_few_numbers():
    """Clip 16 and width 64: 33 rows of 64, for keys and for values."""
    assert sum(p.numel() for p in RelativeVectors(64, clip=16, n_heads=8).parameters()) == 2 * 8 * 33 * 64
    assert list(dict(RelativeVectors(4, clip=1, values=False).named_parameters())) == ["key_vectors"]


@pytest.mark.parametrize("n_heads", [None, 3])
def test_it_is_the_function_of_its_vectors(n_heads):
    module = RelativeVectors(4, clip=2, n_heads=n_heads, std=1.0, dtype=torch.float64)
    q, k, v = torch.randn(3, 2, 3, 6, 4, dtype=torch.float64)
    found = module(q, k, v, range(6), range(6), causal=True)
    wanted = shaw_attention(
        q, k, v, module.key_vectors, module.value_vectors, queries=range(6), keys=range(6), causal=True
    )
    torch.testing.assert_close(found, wanted, rtol=0, atol=0)
    weights = (q @ k.mT / 2 + module.bias(q, range(6), range(6))).softmax(-1)
    by_parts = weights @ v + module.of_values(weights, range(6), range(6))
    torch.testing.assert_close(module(q, k, v, range(6), range(6)), by_parts)


def test_without_values_it_is_a_mask():
    module = RelativeVectors(4, clip=2, values=False, std=1.0)
    q, k, v = torch.randn(3, 2, 3, 6, 4)
    mask = module.bias(q, range(6), range(6))
    torch.testing.assert_close(
        module(q, k, v, range(6), range(6)), scaled_dot_product_attention(q, k, v, attn_mask=mask)
    )
    with pytest.raises(ValueError, match="use values=True"):
        module.of_values(mask, range(6), range(6))


@pytest.mark.parametrize("convention", ["paper", "library"])
def test_a_layer_of_deberta_is_its_scores(convention):
    layer = DisentangledBias(12, 3, max_position=16, convention=convention, dtype=torch.float64)
    table = torch.randn(16, 12, dtype=torch.float64)
    q, k, v = torch.randn(3, 2, 3, 20, 4, dtype=torch.float64)
    mask = layer(q, k, table, range(20), range(20))
    found = scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=layer.scale)
    as_keys, as_queries = (
        torch.stack((table @ projection.weight.T).chunk(3, dim=-1))
        for projection in (layer.key_projection, layer.query_projection)
    )
    scores = deberta_scores(
        q, k, as_keys, as_queries, range(20), range(20), max_position=16, convention=convention
    )
    torch.testing.assert_close(found, scores.softmax(-1) @ v)
