"""DeBERTa in transformers, first and later versions: buckets of offsets and whole disentangled attention."""

from functools import partial

import numpy as np

from pe_book.family.relative import deberta, log_buckets
from pe_book.why import order_blindness
from tests.parity.heads import batch, causal, cut, filled, joined, projected, split, split_fused, words
from tests.parity.register import member, weights_in_float32

LIBRARY = "transformers"
HEADS, WIDTH, LENGTH, SPAN = 4, 32, 48, 20
SETTINGS = [(256, 512), (128, 512), (64, 256), (32, 128), (8, 20), (4, 100)]  # buckets a side, farthest
FUSED = "fused, head by head; sum divided"
DIVISOR_IN_FLOAT32 = weights_in_float32(16, LENGTH)  # the root that scores are divided by


def attended(name: str, layout: str):
    return member(name, library=LIBRARY, layout=layout, kind="attention", bound=DIVISOR_IN_FLOAT32)


@member("DeBERTa's logarithmic buckets", library=LIBRARY, layout="query minus key, rows of a table",
        kind="biases", bound=0.0)  # fmt: skip
def buckets():
    """As rows: theirs counts on past the last bucket, and is clamped when it is looked up."""
    import torch
    from transformers.models.deberta_v2.modeling_deberta_v2 import make_log_bucket_position

    ours, theirs, offsets = [], [], np.arange(-1200, 1201)
    for span, farthest in SETTINGS:
        found = make_log_bucket_position(torch.from_numpy(offsets), span, farthest).long()
        theirs.append(torch.clamp(found + span, 0, 2 * span - 1).numpy())
        sorted_ = log_buckets.deberta_log_bucket(offsets, n_buckets=span, max_position=farthest)
        ours.append(np.clip(sorted_ + span, 0, 2 * span - 1))
    return np.array(ours), np.array(theirs)


def by_the_book(q, k, v, as_keys, as_queries, *, max_position: int | None = None) -> np.ndarray:
    """Disentangled attention, heads joined again: what offsets add is divided, contents by the same root."""
    places = np.arange(q.shape[-2])
    bias = deberta.deberta_bias(
        q, k, as_keys, as_queries, places, places, max_position=max_position, convention="library"
    )
    terms = 1 + (as_keys is not None) + (as_queries is not None)
    return joined(order_blindness.attention(q, k, v, bias=bias, scale=1 / np.sqrt(terms * q.shape[-1])))


def settings(kinds: list[str], **changes: object) -> dict[str, object]:
    return {
        "hidden_size": WIDTH, "num_attention_heads": HEADS, "relative_attention": True,
        "max_relative_positions": SPAN, "pos_att_type": kinds, "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0, **changes,
    }  # fmt: skip


def first_version(kinds: list[str], length: int):
    """The book's attention and that of the first version, with no bucket: offsets stop at the span."""
    from transformers import DebertaConfig
    from transformers.models.deberta import modeling_deberta as home

    module = filled(home.DisentangledSelfAttention(DebertaConfig(**settings(kinds))))
    x, table = words(length, WIDTH), words(2 * SPAN, WIDTH, seed=2)
    q, k, v = split_fused(projected(x, module.in_proj), HEADS)
    q = q + split(module.q_bias.detach().numpy()[None], HEADS)
    v = v + split(module.v_bias.detach().numpy()[None], HEADS)
    as_keys = split(projected(table, module.pos_proj), HEADS) if "c2p" in kinds else None
    as_queries = split(projected(table, module.pos_q_proj), HEADS) if "p2c" in kinds else None
    given = batch(x)
    theirs, _ = module(
        given, everything(length), relative_pos=home.build_relative_position(given, given),
        rel_embeddings=batch(table)[0],
    )  # fmt: skip
    return by_the_book(q, k, v, as_keys, as_queries) / 4, theirs.detach().numpy()[0] / 4


def everything(length: int):
    """A mask under which every word sees every word."""
    return causal(length, length).new_ones(1, 1, length, length)


FIRST = "DeBERTa's attention, first version"
for name, kinds, length, terms in (
    (FIRST, ["c2p", "p2c"], LENGTH, "three terms"),
    (f"{FIRST}, shorter than its span", ["c2p", "p2c"], SPAN - 8, "three terms"),
    (f"{FIRST}, content to position", ["c2p"], LENGTH, "two terms"),
    (f"{FIRST}, position to content", ["p2c"], LENGTH, "two terms"),
):
    attended(name, f"{FUSED}, {terms}")(partial(first_version, kinds, length))


def later_version(*, buckets: int = -1, shared: bool = False):
    """The book's attention and that of the second and third version."""
    from transformers import DebertaV2Config
    from transformers.models.deberta_v2 import modeling_deberta_v2 as home

    config = settings(["c2p", "p2c"], position_buckets=buckets, share_att_key=shared)
    module = filled(home.DisentangledSelfAttention(DebertaV2Config(**config)))
    rows = 2 * (buckets if buckets > 0 else SPAN)
    x, table = words(LENGTH, WIDTH), words(rows, WIDTH, seed=2)
    q, k, v = cut(x, HEADS, module.query_proj, module.key_proj, module.value_proj)
    of_keys, of_queries = (
        (module.key_proj, module.query_proj) if shared else (module.pos_key_proj, module.pos_query_proj)
    )
    tables = cut(table, HEADS, of_keys, of_queries)
    given = batch(x)
    places = home.build_relative_position(given, given, buckets, SPAN)
    theirs, _ = module(given, everything(LENGTH), relative_pos=places, rel_embeddings=batch(table)[0])
    ours = by_the_book(q, k, v, *tables, max_position=SPAN if buckets > 0 else None)
    return ours / 4, theirs.detach().numpy()[0] / 4


LATER, APART = "DeBERTa's attention, later versions", "columns head by head; sum divided"
for name, layout, options in (
    ("no buckets", "three terms", {}),
    ("buckets", "8 buckets a side", {"buckets": 8}),
    ("buckets, projections shared", "tables projected as words", {"buckets": 8, "shared": True}),
):
    attended(f"{LATER}, {name}", f"{APART}, {layout}")(partial(later_version, **options))
