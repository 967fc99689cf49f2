"""Where models divide their scores: found by fitting the weights that a class gives, not read from its code.

The logarithm of a weight is, up to a number that its row shares, α times the product of query and key and β
times what the position adds. What docstrings and pages say of a model is a pair of these numbers.
"""

from collections.abc import Callable

import numpy as np
import pytest

from pe_book.family import score_bias
from pe_book.family.relative import deberta
from pe_book.family.score_bias import t5
from pe_book.show.family.score_bias import DIVIDED
from tests.parity.heads import batch, causal, cut, hiding, projected, split, split_fused, words
from tests.parity.members import alibi as with_alibi
from tests.parity.members import deberta as with_vectors
from tests.parity.members import t5 as with_buckets

Seen = tuple[np.ndarray, np.ndarray, np.ndarray, int]
"""Weights, products of queries and keys, what the position adds, each (h, n, n); and the width of a head."""

N = 24
PLACES = np.arange(N)


def products(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    return q @ np.swapaxes(k, -1, -2)


def of_t5() -> Seen:
    module, x = with_buckets.t5_attention(), words(N, with_buckets.WIDTH)
    _, _, weights = module(batch(x))
    q, k = cut(x, with_buckets.HEADS, module.q, module.k)
    added = t5.t5_bias(with_buckets.learned(module), PLACES, PLACES)
    return weights.detach().numpy()[0], products(q, k), added, q.shape[-1]


def of_bloom() -> Seen:
    import torch
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    heads, module, x = with_alibi.HEADS, with_alibi.bloom_attention(), words(N, with_alibi.WIDTH)
    alibi = build_alibi_tensor(torch.ones(1, N), heads, torch.float64)
    _, weights = module(batch(x), torch.zeros(1, N, 1), alibi, hiding(causal(N, N)))
    return fused(module, x, weights, heads)


def of_mpt() -> Seen:
    from transformers import MptConfig
    from transformers.models.mpt.modeling_mpt import MptAttention, build_mpt_alibi_tensor

    heads, x = with_alibi.HEADS, words(N, with_alibi.WIDTH)
    config = MptConfig(d_model=with_alibi.WIDTH, n_heads=heads, max_seq_len=N)
    module = with_alibi.filled(MptAttention(config, layer_idx=0))
    added = build_mpt_alibi_tensor(heads, N).double()
    _, weights = module(batch(x), added, attention_mask=~causal(N, N))
    q, k, _ = (split(part, heads) for part in np.split(projected(x, module.Wqkv), 3, axis=1))
    bias = score_bias.alibi_key_bias(score_bias.alibi_slopes(heads), PLACES)
    return weights.detach().numpy()[0], products(q, k), bias + np.zeros((N, 1)), q.shape[-1]


def of_falcon() -> Seen:
    import torch
    from transformers.models.falcon.modeling_falcon import build_alibi_tensor

    heads = 8
    module, x = with_alibi.falcon_attention(heads), words(N, heads * with_alibi.HEAD_DIM)
    alibi = build_alibi_tensor(torch.ones(1, N, dtype=torch.int64), heads, torch.float64)
    _, weights = module(batch(x), alibi, hiding(causal(N, N)), output_attentions=True)
    return fused(module, x, weights, heads)


def fused(module, x: np.ndarray, weights, heads: int) -> Seen:
    q, k, _ = split_fused(projected(x, module.query_key_value), heads)
    bias = score_bias.alibi_key_bias(score_bias.alibi_slopes(heads), PLACES)
    return weights.detach().numpy()[0], products(q, k), bias + np.zeros((N, 1)), q.shape[-1]


def of_deberta(kinds: tuple[str, ...]) -> Seen:
    """What offsets add is taken undivided: α and β are the same root."""
    import torch
    from transformers import DebertaV2Config
    from transformers.models.deberta_v2 import modeling_deberta_v2 as home

    heads, span, width = with_vectors.HEADS, with_vectors.SPAN, with_vectors.WIDTH
    config = DebertaV2Config(**with_vectors.settings(list(kinds)))
    module, x = with_vectors.filled(home.DisentangledSelfAttention(config)), words(N, width)
    table = words(2 * span, width, seed=2)
    q, k = cut(x, heads, module.query_proj, module.key_proj)
    as_keys = split(projected(table, module.pos_key_proj), heads) if "c2p" in kinds else None
    as_queries = split(projected(table, module.pos_query_proj), heads) if "p2c" in kinds else None
    _, weights = module(
        batch(x), torch.ones(1, 1, N, N), output_attentions=True, rel_embeddings=batch(table)[0],
        relative_pos=home.build_relative_position(batch(x), batch(x)),
    )  # fmt: skip
    divided = deberta.deberta_bias(q, k, as_keys, as_queries, PLACES, PLACES, convention="library")
    root = np.sqrt((1 + len(kinds)) * q.shape[-1])
    return weights.detach().numpy()[0], products(q, k), root * divided, q.shape[-1]


# what scores are divided by in a head of width d, and whether what the position adds is divided too
AS_DRAWN = {"nothing": "nothing", r"$\sqrt d$": "√d", r"$\sqrt{3d}$": "√(3d)"}
SAID: dict[str, tuple[str, bool]] = {
    **{model: (AS_DRAWN[divisor], "yes" in bias) for model, divisor, bias, _ in DIVIDED},
    "DeBERTa, content to position": ("√(2d)", True),
    "DeBERTa, position to content": ("√(2d)", True),
}
LOOKS: dict[str, Callable[[], Seen]] = {
    "T5": of_t5, "BLOOM": of_bloom, "MPT": of_mpt, "Falcon-RW": of_falcon,
    "DeBERTa": lambda: of_deberta(("c2p", "p2c")),
    "DeBERTa, content to position": lambda: of_deberta(("c2p",)),
    "DeBERTa, position to content": lambda: of_deberta(("p2c",)),
}  # fmt: skip
SQUARES = {"nothing": lambda d: 1, "√d": lambda d: d, "√(2d)": lambda d: 2 * d, "√(3d)": lambda d: 3 * d}


def fitted(weights: np.ndarray, content: np.ndarray, added: np.ndarray) -> tuple[float, float, float]:
    """α, β and what they leave unexplained, over all pairs that have a weight, each row less its mean."""
    seen = weights > 1e-12
    count = seen.sum(axis=-1, keepdims=True)
    logs = np.log(np.where(seen, weights, 1.0))
    centred = [
        (one - np.where(seen, one, 0).sum(axis=-1, keepdims=True) / count)[seen]
        for one in (content, added, logs)
    ]
    columns, wanted = np.stack(centred[:2], axis=1), centred[2]
    factors, *_ = np.linalg.lstsq(columns, wanted)
    return float(factors[0]), float(factors[1]), float(np.abs(columns @ factors - wanted).max())


@pytest.mark.parametrize("model", SAID)
def test_a_model_divides_where_it_is_said_to(model: str) -> None:
    divisor, bias_too = SAID[model]
    weights, content, added, head_dim = LOOKS[model]()
    alpha, beta, rest = fitted(weights, content, added)
    assert rest < 1e-4, "there is more in the scores than content and position"
    factor = SQUARES[divisor](head_dim) ** -0.5
    np.testing.assert_allclose((alpha, beta), (factor, factor if bias_too else 1), rtol=1e-5)
