"""Biases on scores and relative vectors of other libraries that are wrong today."""

import numpy as np

from pe_book.family import score_bias
from tests.parity.defects import defect, rows_or_error

HEADS, WIDTH = 8, 32


def last_step(bias) -> float:
    """What head 0 adds at key 257 and not at key 256."""
    return float(bias[257] - bias[256])


def right_step() -> float:
    bias = score_bias.alibi_key_bias(score_bias.alibi_slopes(HEADS), range(258))
    return last_step(bias[0, 0])


@defect("bloom.build_alibi_tensor(mask, 8, torch.bfloat16)", "bias at key 257 less that at 256, head 0",
        library="transformers")  # fmt: skip
def bias_cast_to_bfloat16():
    import torch
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    return last_step(build_alibi_tensor(torch.ones(1, 258), HEADS, torch.bfloat16)[0, 0]), 0, right_step()


@defect("falcon.build_alibi_tensor(mask, 8, torch.float32)", "bias at key 257 less that at 256, head 0",
        library="transformers")  # fmt: skip
def bias_made_in_bfloat16():
    import torch
    from transformers.models.falcon.modeling_falcon import build_alibi_tensor

    mask = torch.ones(1, 258, dtype=torch.int64)
    return last_step(build_alibi_tensor(mask, HEADS, torch.float32)[0, 0]), 0, right_step()


@defect("AlibiPositionalBias(8).bfloat16()(1, 258)", "bias at distance 256 less that at 257, head 0",
        library="x-transformers")  # fmt: skip
def distances_in_bfloat16():
    from x_transformers.x_transformers import AlibiPositionalBias

    bias = AlibiPositionalBias(HEADS).bfloat16()(1, 258)[0, 0].flip(-1)  # by distance
    return float(bias[256] - bias[257]), 0, right_step()


def falcon_step() -> float:
    """What a Falcon-RW whose queries are 0 adds to a score from one key to the next, by its weights."""
    import torch
    from transformers import FalconConfig, FalconModel

    config = FalconConfig(
        vocab_size=20, hidden_size=WIDTH, num_attention_heads=HEADS, num_hidden_layers=1, alibi=True,
        multi_query=False, new_decoder_architecture=False,
    )  # fmt: skip
    model = FalconModel(config).eval()
    torch.nn.init.zeros_(model.h[0].self_attention.query_key_value.weight)
    with torch.no_grad():
        weights = model(torch.zeros(1, 5, dtype=torch.long), output_attentions=True).attentions[0]
    return float((weights[0, 0, -1, 2] / weights[0, 0, -1, 1]).log())


@defect("FalconModel(config)(ids, output_attentions=True)",
        "score at key 2 less that at key 1, head 0 of ALiBi, queries 0", library="transformers")  # fmt: skip
def bias_added_twice():
    right = score_bias.alibi_slopes(HEADS)[0] / np.sqrt(WIDTH // HEADS)
    return falcon_step(), 2 * right, right


@defect("MptModel(config)(ids)", "of 40 words, max_seq_len=32", library="transformers")
def bias_of_the_longest_text():
    import torch
    from transformers import MptConfig, MptModel

    config = MptConfig(vocab_size=8, d_model=WIDTH, n_heads=HEADS, n_layers=1, max_seq_len=32)
    return rows_or_error(lambda: MptModel(config)(torch.zeros(1, 40, dtype=torch.long)).last_hidden_state, 40)


@defect("deberta_v2.DisentangledSelfAttention(config)(x, mask, query_states=x[:, :3])",
    "of 3 queries",
        library="transformers")  # fmt: skip
def fewer_queries_than_keys():
    import torch
    from transformers import DebertaV2Config
    from transformers.models.deberta_v2.modeling_deberta_v2 import DisentangledSelfAttention

    config = DebertaV2Config(
        hidden_size=WIDTH, num_attention_heads=HEADS, relative_attention=True, max_relative_positions=20,
        position_buckets=8, pos_att_type=["c2p", "p2c"],
    )  # fmt: skip
    module, x = DisentangledSelfAttention(config), torch.zeros(1, 12, WIDTH)
    seen = torch.ones(1, 1, 3, 12, dtype=torch.bool)
    given = {"query_states": x[:, :3], "rel_embeddings": torch.zeros(16, WIDTH)}
    return rows_or_error(lambda: module(x, seen, **given)[0], 3)
