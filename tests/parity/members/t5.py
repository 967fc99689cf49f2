"""T5 in transformers and x-transformers: buckets of offsets, and attention that does not divide."""

from functools import partial

import numpy as np

from pe_book.family.score_bias import t5
from pe_book.why import order_blindness
from tests.parity.heads import batch, causal, cut, filled, hiding, joined, projected, words
from tests.parity.register import EXACT, member, weights_in_float32

HEADS, WIDTH, LENGTH = 4, 32, 150  # past the 128 tokens of the last bucket
OFFSETS = np.arange(-1200, 1201)
SETTINGS = [(32, 128), (32, 256), (64, 512), (16, 64), (12, 100), (320, 800)]  # buckets and distance
KEY_MINUS_QUERY = "key minus query"


def in_library(library: str, offsets: np.ndarray, *, both: bool, n_buckets: int, max_distance: int):
    """The buckets of a library."""
    import torch

    given = {"num_buckets": n_buckets, "max_distance": max_distance}
    if library == "transformers":
        from transformers.models.t5.modeling_t5 import T5Attention as Home

        given["bidirectional"] = both
    else:
        from x_transformers.x_transformers import RelativePositionBias as Home

        given["causal"] = not both
    return Home._relative_position_bucket(torch.from_numpy(offsets), **given).numpy()


def buckets(library: str, both: bool):
    ours, theirs = [], []
    for n_buckets, max_distance in SETTINGS:
        given = {"n_buckets": n_buckets, "max_distance": max_distance}
        ours.append(t5.t5_bucket(OFFSETS, bidirectional=both, **given))
        theirs.append(in_library(library, OFFSETS, both=both, **given))
    return np.array(ours), np.array(theirs)


for library in ("transformers", "x-transformers"):
    for part, both in (("encoder", True), ("decoder", False)):
        member(
            f"T5's buckets in {library}, {part}", library=library, layout=KEY_MINUS_QUERY, kind="biases",
            bound=0.0,
        )(partial(buckets, library, both))  # fmt: skip


def attention(module, x, weight, *, first: int = 0, decoder: bool = False, max_distance: int = 128):
    """T5's attention by the book: of the words from number `first` on, to all words."""
    places = np.arange(len(x))
    q, k, v = cut(x, HEADS, module.q, module.k, module.v)
    # (h, n_q, n_k)
    bias = t5.t5_bias(weight, places[first:], places, max_distance=max_distance, bidirectional=not decoder)
    if decoder:
        bias = np.where(places > places[first:, None], -np.inf, bias)
    heads = order_blindness.attention(q[:, first:], k, v, bias=bias, scale=1)
    return projected(joined(heads), module.o)


def t5_attention(*, decoder: bool = False, **changes: object):
    from transformers import T5Config
    from transformers.models.t5.modeling_t5 import T5Attention

    config = T5Config(
        d_model=WIDTH, d_kv=WIDTH // HEADS, num_heads=HEADS, is_decoder=decoder, dropout_rate=0.0, **changes
    )
    config._attn_implementation = "eager"
    return filled(T5Attention(config, has_relative_attention_bias=True, layer_idx=0), out="o.weight")


def learned(module):
    return module.relative_attention_bias.weight.detach().numpy()


def attended(name: str, layout: str = "columns head by head, not divided"):
    return member(name, library="transformers", layout=layout, kind="attention", bound=EXACT)


SIXTEEN = {"relative_attention_num_buckets": 16, "relative_attention_max_distance": 40}


def whole(decoder: bool, sizes: dict[str, int]):
    module, x = t5_attention(decoder=decoder, **sizes), words(LENGTH, WIDTH)
    theirs, _, _ = module(batch(x), mask=hiding(causal(LENGTH, LENGTH)) if decoder else None)
    farthest = sizes.get("relative_attention_max_distance", 128)
    ours = attention(module, x, learned(module), decoder=decoder, max_distance=farthest)
    return ours, theirs.detach().numpy()[0]


for which, decoder, sizes in (
    ("encoder", False, {}), ("16 buckets to 40 tokens", False, SIXTEEN), ("decoder", True, {}),
):  # fmt: skip
    attended(f"T5's attention, {which}")(partial(whole, decoder, sizes))


@attended("T5's attention, two words behind a cache")
def t5_cached():
    from transformers.cache_utils import DynamicCache

    module, x, seen, cache = t5_attention(decoder=True), words(LENGTH, WIDTH), LENGTH - 2, DynamicCache()
    module(batch(x[:seen]), mask=hiding(causal(seen, seen)), past_key_values=cache)
    theirs, _, _ = module(batch(x[seen:]), mask=hiding(causal(2, LENGTH)), past_key_values=cache)
    return attention(module, x, learned(module), first=seen, decoder=True), theirs.detach().numpy()[0]


@attended(
    "T5's attention, second layer of an encoder",
    "columns head by head, not divided; table of the first layer",
)
def t5_second_layer():
    """What goes into the attention of the second layer and what comes out, seen while a model runs."""
    import torch
    from transformers import T5Config
    from transformers.models.t5.modeling_t5 import T5EncoderModel

    config = T5Config(
        d_model=WIDTH, d_kv=WIDTH // HEADS, num_heads=HEADS, d_ff=16, vocab_size=50, num_layers=2,
        dropout_rate=0.0,
    )  # fmt: skip
    model = filled(T5EncoderModel(config), out="o.weight")
    first, second = (block.layer[0].SelfAttention for block in model.encoder.block)
    seen = []
    second.register_forward_hook(lambda _, given, out: seen.append((given[0], out[0])))
    model(torch.arange(LENGTH)[None] % 50)
    ((rows, theirs),) = seen
    x = rows.detach().numpy()[0]
    return attention(second, x, learned(first)), theirs.detach().numpy()[0]


@member(
    "T5's bias in x-transformers, attention", library="x-transformers", kind="attention",
    layout="divided, and the bias multiplied, by √d", bound=weights_in_float32(16, LENGTH),
)  # fmt: skip
def x_transformers():
    """Its softmax is in float32."""
    from x_transformers.x_transformers import Attention, RelativePositionBias

    head_dim = WIDTH // HEADS
    given = {"dim": WIDTH, "dim_head": head_dim, "heads": HEADS, "causal": True}
    module = filled(Attention(**given), out="to_out")
    bias = filled(RelativePositionBias(scale=head_dim**0.5, causal=True, heads=HEADS))
    x, places = words(LENGTH, WIDTH), np.arange(LENGTH)
    q, k, v = cut(x, HEADS, module.to_q, module.to_k, module.to_v)
    table = learned(bias) * np.sqrt(head_dim)
    added = t5.t5_bias(table, places, places, bidirectional=False)
    heads = order_blindness.attention(q, k, v, bias=added, causal=True)
    theirs = module(batch(x), rel_pos=bias)
    return projected(joined(heads), module.to_out), theirs.detach().numpy()[0]
