"""Windows: the masks that transformers makes, and Mistral's attention under one, with and without a cache.

transformers has no mask that keeps the first tokens in sight: what gpt-oss calls sinks are learned scores.
"""

import numpy as np

from pe_book.family import rotary
from pe_book.family.score_bias import windows
from pe_book.sinusoidal import formula
from pe_book.why import order_blindness
from tests.parity.heads import batch, cut, filled, joined, projected, words
from tests.parity.register import member, weights_in_float32

LIBRARY = "transformers"
HEADS, WIDTH, LENGTH, WINDOW = 4, 32, 48, 9
SIZES = (1, 2, 7, 64)


def stacked(ours, theirs):
    """Masks for several sizes as numbers, of the last 30 of 50 words."""
    import torch

    queries, keys = np.arange(20, 50), np.arange(50)
    at_query, at_key = torch.from_numpy(queries)[:, None], torch.from_numpy(keys)
    there = [theirs(size)(0, 0, at_query, at_key).numpy() for size in SIZES]
    return np.array([ours(queries, keys, size) for size in SIZES], dtype=float), np.array(there, dtype=float)


@member("window, causal", library=LIBRARY, layout="window counts the query's own word", kind="biases",
        bound=0.0)  # fmt: skip
def causal_window():
    from transformers.masking_utils import sliding_window_causal_mask_function

    def ours(queries, keys, size):
        return windows.window_mask(queries, keys, window=size)

    return stacked(ours, sliding_window_causal_mask_function)


@member("window, to both sides", library=LIBRARY, layout="window is the farthest distance: ours is one more",
        kind="biases", bound=0.0)  # fmt: skip
def window_to_both_sides():
    from transformers.masking_utils import sliding_window_bidirectional_mask_function

    def ours(queries, keys, size):
        return windows.window_mask(queries, keys, window=size + 1, causal=False)

    return stacked(ours, sliding_window_bidirectional_mask_function)


def mistral():
    from transformers import MistralConfig
    from transformers.models.mistral.modeling_mistral import MistralAttention

    config = MistralConfig(
        hidden_size=WIDTH, num_attention_heads=HEADS, num_key_value_heads=HEADS, sliding_window=WINDOW,
        num_hidden_layers=1,
    )  # fmt: skip
    config._attn_implementation = "eager"
    return filled(MistralAttention(config, layer_idx=0), out="o_proj")


def run(module, x: np.ndarray, *, seen: int = 0, cache=None) -> np.ndarray:
    """What the library gives for words behind `seen` others; it is given cosines and sines in float64."""
    import torch
    from transformers.masking_utils import create_sliding_window_causal_mask

    places = np.arange(seen, seen + len(x))
    sines, cosines = np.split(formula.encode(places, WIDTH // HEADS, layout="halves"), 2, axis=1)
    turns = [batch(np.concatenate([table, table], axis=1)) for table in (cosines, sines)]
    mask = create_sliding_window_causal_mask(
        module.config, batch(x), None, cache, position_ids=torch.from_numpy(places)[None]
    )
    out, _ = module(batch(x), turns, mask, past_key_values=cache)
    return out.detach().numpy()[0]


def by_the_book(module, x: np.ndarray, *, first: int = 0) -> np.ndarray:
    places = np.arange(len(x))
    q, k, v = cut(x, HEADS, module.q_proj, module.k_proj, module.v_proj)
    q, k = (rotary.rotate(rows, places, layout="halves") for rows in (q, k))
    seen = windows.window_mask(places[first:], places, window=WINDOW)
    heads = order_blindness.attention(q[:, first:], k, v, bias=np.where(seen, 0.0, -np.inf))
    return projected(joined(heads), module.o_proj)


def attended(name: str, layout: str):
    return member(
        name, library=LIBRARY, layout=layout, kind="attention", bound=weights_in_float32(16, WINDOW)
    )


@attended("Mistral's attention, a window of 9", "halves; window counts the query's own word")
def mistral_window():
    module, x = mistral(), words(LENGTH, WIDTH)
    return by_the_book(module, x), run(module, x)


@attended("Mistral's attention, a window of 9, behind a cache", "halves; the cache keeps 8 keys")
def mistral_cached():
    from transformers.cache_utils import DynamicCache

    module, x = mistral(), words(LENGTH, WIDTH)
    cache = DynamicCache(config=module.config)
    run(module, x[:-1], cache=cache)
    theirs = run(module, x[-1:], seen=LENGTH - 1, cache=cache)
    assert cache.layers[0].keys.shape[-2] == WINDOW - 1, "the cache keeps another number of keys"
    return by_the_book(module, x, first=LENGTH - 1), theirs
