"""ALiBi in transformers (BLOOM, MPT, Falcon-RW) and x-transformers: slopes, biases and whole attention."""

from functools import partial

import numpy as np

from pe_book.family import score_bias
from pe_book.why import order_blindness
from tests.parity.heads import batch, causal, filled, hiding, joined, projected, split, split_fused, words
from tests.parity.register import EXACT, HALF_ULP, member, weights_in_float32

HEADS, HEAD_DIM, LENGTH = 12, 4, 64
WIDTH = HEADS * HEAD_DIM
MANY_HEADS = [*range(1, 41), 48, 64, 71, 80, 112, 128]
POWERS_IN_FLOAT32 = (MANY_HEADS[-1] + 2) * HALF_ULP
LARGEST_SCORE = 0.75 * LENGTH  # of the steepest head, at the last key
IN_FLOAT32 = weights_in_float32(LARGEST_SCORE, LENGTH)
AFTER_DIVIDING = "fused, head by head; bias after dividing"
BY_KEYS = "slope times number of the key"


def compared(name: str, layout: str, *, library: str = "transformers", bound: float | None = None):
    return member(name, library=library, layout=layout, kind="biases", bound=bound)


def attended(name: str, layout: str, *, library: str = "transformers", bound: float = IN_FLOAT32):
    return member(name, library=library, layout=layout, kind="attention", bound=bound)


def slopes_of(model: str, heads: int) -> np.ndarray:
    """Slopes of a model of transformers: what it adds at key 1 and not at key 0."""
    from importlib import import_module

    import torch

    home = import_module(f"transformers.models.{model}.modeling_{model}")
    added = home.build_alibi_tensor(torch.ones(1, 2), heads, torch.float32)
    return (added[:, 0, 1] - added[:, 0, 0]).double().numpy()


@compared("ALiBi's slopes in BLOOM, 46 numbers of heads", "one a head", bound=POWERS_IN_FLOAT32)
def bloom_slopes():
    """The base is rounded, and then taken to the power of the number of the head."""
    ours = [score_bias.alibi_slopes(heads) for heads in MANY_HEADS]
    return np.concatenate(ours), np.concatenate([slopes_of("bloom", heads) for heads in MANY_HEADS])


@compared("ALiBi's slopes in MPT, 46 numbers of heads, to 2⁻⁴, 2⁻⁸, 2⁻¹⁶", "one a head")
def mpt_slopes():
    from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

    ours, theirs = [], []
    for heads in MANY_HEADS:
        for most in (4, 8, 16):
            ours.append(score_bias.alibi_slopes(heads, bias_max=most))
            added = build_mpt_alibi_tensor(heads, 2, most)  # (h, 1, 2): keys 0 and 1
            theirs.append((added[:, 0, 1] - added[:, 0, 0]).double().numpy())
    return np.concatenate(ours), np.concatenate(theirs)


@compared("ALiBi's slopes in x-transformers, 46 numbers of heads", "one a head", library="x-transformers")
def x_transformers_slopes():
    from x_transformers.x_transformers import AlibiPositionalBias

    ours = [score_bias.alibi_slopes(heads) for heads in MANY_HEADS]
    theirs = [AlibiPositionalBias(heads).slopes.double().numpy().ravel() for heads in MANY_HEADS]
    return np.concatenate(ours), np.concatenate(theirs)


@compared("BLOOM's bias, a batch with padding on the left", f"{BY_KEYS}, from 0")
def bloom_bias():
    """Ours has 0 at the last key; theirs at the first. What is padding is masked, and left out here."""
    import torch
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    padding = np.array([0, 5])
    seen = np.arange(LENGTH) >= padding[:, None]
    places = np.where(seen, np.arange(LENGTH) - padding[:, None], 0)  # (2, n)
    slopes = score_bias.alibi_slopes(HEADS)
    last = places.max(axis=-1)[:, None, None, None]
    ours = score_bias.alibi_key_bias(slopes, places) + slopes[:, None, None] * last  # (2, h, 1, n)
    theirs = build_alibi_tensor(torch.from_numpy(seen.astype(np.int64)), HEADS, torch.float32)
    return ours * seen[:, None, None], theirs.double().numpy().reshape(2, HEADS, 1, LENGTH)


@compared("MPT's bias, 33 heads", f"{BY_KEYS}, up to 0")
def mpt_bias():
    from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

    ours = score_bias.alibi_key_bias(score_bias.alibi_slopes(33), np.arange(LENGTH))
    return ours, build_mpt_alibi_tensor(33, LENGTH).double().numpy()


def x_transformers_bias(queries: int):
    """Of the last queries."""
    from x_transformers.x_transformers import AlibiPositionalBias

    places = np.arange(LENGTH)
    ours = score_bias.alibi_bias(score_bias.alibi_slopes(HEADS), places[-queries:], places)
    return ours, AlibiPositionalBias(HEADS)(queries, LENGTH).double().numpy()


for which, queries in (("on both sides", LENGTH), ("two queries of many", 2)):
    compared(f"ALiBi's bias in x-transformers, {which}", "slope times distance", library="x-transformers")(
        partial(x_transformers_bias, queries)
    )


def bloom_attention():
    from transformers import BloomConfig
    from transformers.models.bloom.modeling_bloom import BloomAttention

    config = BloomConfig(hidden_size=WIDTH, n_head=HEADS, hidden_dropout=0.0, attention_dropout=0.0)
    return filled(BloomAttention(config, layer_idx=0), out="dense.weight")


def bloom_run(module, x: np.ndarray, seen: np.ndarray, cache=None) -> np.ndarray:
    """What BLOOM's attention gives for the last words of those that `seen` tells from padding."""
    import torch
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    real = torch.from_numpy(seen.astype(np.int64))[None]
    alibi = build_alibi_tensor(real, HEADS, torch.float64)
    mask = hiding(causal(len(x), len(seen)) & real.bool()[:, None, None])
    out, _ = module(batch(x), torch.zeros(1, len(x), WIDTH).double(), alibi, mask, layer_past=cache)
    return out.detach().numpy()[0]


def by_keys(q, k, v, slopes, places, *, first: int = 0, **options: object) -> np.ndarray:
    """Attention with ALiBi by keys alone, of the words from number `first` on; heads joined again."""
    bias = score_bias.alibi_key_bias(slopes, places)  # (h, 1, n)
    bias = np.where(places > places[first:, None], -np.inf, bias)
    return joined(order_blindness.attention(q[:, first:], k, v, bias=bias, **options))


def bloom_by_the_book(module, x: np.ndarray, *, first: int = 0) -> np.ndarray:
    q, k, v = split_fused(projected(x, module.query_key_value), HEADS)
    heads = by_keys(q, k, v, score_bias.alibi_slopes(HEADS), np.arange(len(x)), first=first)
    return projected(heads, module.dense)


@attended("BLOOM's attention, 12 heads", AFTER_DIVIDING)
def bloom():
    module, x = bloom_attention(), words(LENGTH, WIDTH)
    return bloom_by_the_book(module, x), bloom_run(module, x, np.ones(LENGTH, dtype=bool))


@attended("BLOOM's attention, padding on the left", AFTER_DIVIDING)
def bloom_padded():
    module, x, padding = bloom_attention(), words(LENGTH, WIDTH), 7
    theirs = bloom_run(module, x, np.arange(LENGTH) >= padding)
    return bloom_by_the_book(module, x[padding:]), theirs[padding:]


@attended("BLOOM's attention, two words behind a cache", AFTER_DIVIDING)
def bloom_cached():
    from transformers.cache_utils import DynamicCache

    module, x, cache = bloom_attention(), words(LENGTH, WIDTH), DynamicCache()
    bloom_run(module, x[:-2], np.ones(LENGTH - 2, dtype=bool), cache)
    theirs = bloom_run(module, x[-2:], np.ones(LENGTH, dtype=bool), cache)
    return bloom_by_the_book(module, x, first=LENGTH - 2), theirs


@attended("MPT's attention, its slopes down to 1/16", "columns head by head; bias after dividing")
def mpt():
    from transformers import MptConfig
    from transformers.models.mpt.modeling_mpt import MptAttention, build_mpt_alibi_tensor

    config = MptConfig(d_model=WIDTH, n_heads=HEADS, max_seq_len=80, attn_config={"alibi_bias_max": 4})
    module, x = filled(MptAttention(config, layer_idx=0), out="out_proj"), words(LENGTH, WIDTH)
    added = build_mpt_alibi_tensor(HEADS, config.max_seq_len, config.attn_config.alibi_bias_max)
    theirs, _ = module(batch(x), added.double(), attention_mask=~causal(LENGTH, LENGTH))
    q, k, v = (split(part, HEADS) for part in np.split(projected(x, module.Wqkv), 3, axis=1))
    heads = by_keys(q, k, v, score_bias.alibi_slopes(HEADS, bias_max=4), np.arange(LENGTH))
    return projected(heads, module.out_proj), theirs.detach().numpy()[0]


def falcon_attention(heads: int):
    from transformers import FalconConfig
    from transformers.models.falcon.modeling_falcon import FalconAttention

    config = FalconConfig(
        hidden_size=HEAD_DIM * heads, num_attention_heads=heads, alibi=True, multi_query=False, bias=True,
        new_decoder_architecture=False, hidden_dropout=0.0, attention_dropout=0.0,
    )  # fmt: skip
    config._attn_implementation = "eager"
    return filled(FalconAttention(config, layer_idx=0), out="dense.weight")


def falcon_run(module, x: np.ndarray) -> np.ndarray:
    import torch
    from transformers.models.falcon.modeling_falcon import build_alibi_tensor

    alibi = build_alibi_tensor(torch.ones(1, len(x), dtype=torch.int64), module.num_heads, torch.float64)
    out, _ = module(batch(x), alibi, hiding(causal(len(x), len(x))))
    return out.detach().numpy()[0]


@attended("Falcon-RW's attention, 8 heads", "fused, head by head; sum divided", bound=EXACT)
def falcon():
    """Its biases are in bfloat16, which holds these."""
    module, x, heads = falcon_attention(8), words(LENGTH, 8 * HEAD_DIM), 8
    q, k, v = split_fused(projected(x, module.query_key_value), heads)
    out = by_keys(q, k, v, score_bias.alibi_slopes(heads), np.arange(LENGTH), scale_bias=True)
    return projected(out, module.dense), falcon_run(module, x)


def in_bfloat16(values: np.ndarray) -> np.ndarray:
    import torch

    return torch.from_numpy(values).bfloat16().double().numpy()


@attended(
    "Falcon-RW's attention, 32 heads", "fused, head by head; sum divided, biases in bfloat16", bound=EXACT
)
def falcon_rounded():
    heads, places = 32, np.arange(LENGTH)
    module, x = falcon_attention(heads), words(LENGTH, heads * HEAD_DIM)
    q, k, v = split_fused(projected(x, module.query_key_value), heads)
    slopes = in_bfloat16(score_bias.alibi_slopes(heads))
    from_0 = score_bias.alibi_key_bias(slopes, places) + slopes[:, None, None] * places[-1]
    bias = np.where(places > places[:, None], -np.inf, in_bfloat16(from_0))
    out = order_blindness.attention(q, k, v, bias=bias, scale_bias=True)
    return projected(joined(out), module.dense), falcon_run(module, x)


@attended("ALiBi in x-transformers, 8 of 12 heads", "columns head by head; bias after dividing",
          library="x-transformers")  # fmt: skip
def x_transformers_attention():
    """The other four heads have none: a slope of 0."""
    from x_transformers.x_transformers import AlibiPositionalBias, Attention

    module = filled(Attention(dim=WIDTH, dim_head=HEAD_DIM, heads=HEADS, causal=True), out="to_out")
    x, places = words(LENGTH, WIDTH), np.arange(LENGTH)
    theirs = module(batch(x), rel_pos=AlibiPositionalBias(8, total_heads=HEADS))
    q, k, v = (split(projected(x, linear), HEADS) for linear in (module.to_q, module.to_k, module.to_v))
    slopes = np.append(score_bias.alibi_slopes(8), np.zeros(4))
    heads = order_blindness.attention(
        q, k, v, bias=score_bias.alibi_bias(slopes, places, places), causal=True
    )
    return projected(joined(heads), module.to_out), theirs.detach().numpy()[0]
