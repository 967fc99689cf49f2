"""T5's and BLOOM's attention rebuilt from the book alone, as a reader of its docstrings would, from weights.

Nothing here comes from another file of this folder: a port has the book, a checkpoint, and NumPy.
"""

import numpy as np
import pytest
import torch

import pe_book as pe

HEADS, HEAD_DIM, N = 6, 8, 140
WIDTH = HEADS * HEAD_DIM


def drawn(module: torch.nn.Module) -> tuple[torch.nn.Module, dict[str, np.ndarray]]:
    """A module in float64 with weights drawn at random, and its checkpoint."""
    generator = torch.Generator().manual_seed(5)
    for parameter in module.double().eval().parameters():
        torch.nn.init.normal_(parameter, std=0.2, generator=generator)
    return module, {name: values.detach().numpy() for name, values in module.state_dict().items()}


def hidden() -> torch.Tensor:
    return torch.randn(1, N, WIDTH, generator=torch.Generator().manual_seed(6), dtype=torch.float64)


def into_heads(rows: np.ndarray) -> np.ndarray:
    return rows.reshape(len(rows), HEADS, HEAD_DIM).transpose(1, 0, 2)


def out_of_heads(heads: np.ndarray) -> np.ndarray:
    return heads.transpose(1, 0, 2).reshape(-1, WIDTH)


def may_not_look_ahead(n_queries: int, n_keys: int) -> torch.Tensor:
    """0 where the last queries may look, and the lowest number where not, as transformers adds it."""
    ahead = torch.ones(n_queries, n_keys).tril(n_keys - n_queries) == 0
    return torch.zeros(1, 1, n_queries, n_keys).double().masked_fill(ahead, torch.finfo(torch.float64).min)


def t5(*, decoder: bool) -> tuple[torch.nn.Module, dict[str, np.ndarray]]:
    from transformers import T5Config
    from transformers.models.t5.modeling_t5 import T5Attention

    config = T5Config(d_model=WIDTH, d_kv=HEAD_DIM, num_heads=HEADS, is_decoder=decoder, dropout_rate=0.0)
    config._attn_implementation = "eager"
    return drawn(T5Attention(config, has_relative_attention_bias=True, layer_idx=0))


@pytest.mark.parametrize("decoder", [False, True], ids=["encoder", "decoder"])
def test_the_attention_of_t5(decoder: bool) -> None:
    module, weights = t5(decoder=decoder)
    x = hidden()
    theirs, _, _ = module(x, mask=may_not_look_ahead(N, N) if decoder else None)

    rows = x[0].numpy()
    q, k, v = (into_heads(rows @ weights[f"{name}.weight"].T) for name in "qkv")
    table = weights["relative_attention_bias.weight"]
    bias = pe.t5_bias(table, range(N), range(N), bidirectional=not decoder)
    heads = pe.attention(q, k, v, bias=bias, causal=decoder, scale=1)
    ours = out_of_heads(heads) @ weights["o.weight"].T

    np.testing.assert_allclose(ours, theirs[0].detach().numpy(), rtol=0, atol=1e-12)


def test_a_step_of_t5_with_a_cache() -> None:
    """Words are read one by one; the newest is the last row of the whole."""
    from transformers.cache_utils import DynamicCache

    module, weights = t5(decoder=True)
    x, cache, keys, values = hidden()[:, :20], DynamicCache(), [], []
    for p, row in enumerate(x[0].numpy()):
        theirs, _, _ = module(x[:, p : p + 1], past_key_values=cache)

        q, k, v = (into_heads(row[None] @ weights[f"{name}.weight"].T) for name in "qkv")
        keys.append(k)
        values.append(v)
        table = weights["relative_attention_bias.weight"]
        bias = pe.t5_bias(table, [p], range(p + 1), bidirectional=False)
        heads = pe.attention(
            q, np.concatenate(keys, axis=1), np.concatenate(values, axis=1), bias=bias, scale=1
        )
        ours = out_of_heads(heads) @ weights["o.weight"].T

        np.testing.assert_allclose(ours, theirs[0].detach().numpy(), rtol=0, atol=1e-12)


def bloom() -> tuple[torch.nn.Module, dict[str, np.ndarray]]:
    from transformers import BloomConfig
    from transformers.models.bloom.modeling_bloom import BloomAttention

    config = BloomConfig(hidden_size=WIDTH, n_head=HEADS, hidden_dropout=0.0, attention_dropout=0.0)
    return drawn(BloomAttention(config, layer_idx=0))


def run_bloom(module: torch.nn.Module, x: torch.Tensor, n_keys: int, cache=None) -> np.ndarray:
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    alibi = build_alibi_tensor(torch.ones(1, n_keys), HEADS, torch.float64)
    nothing, mask = torch.zeros_like(x), may_not_look_ahead(x.shape[1], n_keys)
    out, _ = module(x, nothing, alibi, mask, layer_past=cache)
    return out[0].detach().numpy()


def bloom_qkv(rows: np.ndarray, weights: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Queries, keys and values, which the checkpoint has head by head."""
    fused = rows @ weights["query_key_value.weight"].T + weights["query_key_value.bias"]
    by_head = fused.reshape(len(rows), HEADS, 3, HEAD_DIM)
    return [by_head[:, :, part].transpose(1, 0, 2) for part in range(3)]


@pytest.mark.parametrize("form", ["by keys", "as a table"])
def test_the_attention_of_bloom(form: str) -> None:
    """Its softmax is in float32, and so is a score of up to half the number of words."""
    module, weights = bloom()
    x = hidden()
    theirs = run_bloom(module, x, N)

    q, k, v = bloom_qkv(x[0].numpy(), weights)
    slopes = pe.alibi_slopes(HEADS)
    by_keys, table = pe.alibi_key_bias(slopes, range(N)), pe.alibi_bias(slopes, range(N), range(N))
    heads = pe.attention(q, k, v, bias=by_keys if form == "by keys" else table, causal=True)
    ours = out_of_heads(heads) @ weights["dense.weight"].T + weights["dense.bias"]

    np.testing.assert_allclose(ours, theirs, rtol=0, atol=2.0**-24 * 4 * N)


def test_a_step_of_bloom_with_a_cache() -> None:
    from transformers.cache_utils import DynamicCache

    module, weights = bloom()
    x, cache = hidden(), DynamicCache()
    run_bloom(module, x[:, :-1], N - 1, cache)
    theirs = run_bloom(module, x[:, -1:], N, cache)

    q, k, v = bloom_qkv(x[0].numpy(), weights)
    bias = pe.alibi_bias(pe.alibi_slopes(HEADS), [N - 1], range(N))
    heads = pe.attention(q[:, -1:], k, v, bias=bias)
    ours = out_of_heads(heads) @ weights["dense.weight"].T + weights["dense.bias"]

    np.testing.assert_allclose(ours, theirs, rtol=0, atol=2.0**-24 * 4 * N)
