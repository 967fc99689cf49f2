"""Shaw's vectors on keys in speech models of transformers; none of its classes has them on values."""

from functools import partial

import numpy as np

from pe_book.family import relative
from tests.parity.heads import batch, cut, filled, joined, projected, words
from tests.parity.register import EXACT, member

HEADS, WIDTH, LENGTH = 4, 32, 40
PLACES = np.arange(LENGTH)


def attended(name: str, layout: str):
    return member(name, library="transformers", layout=layout, kind="attention", bound=EXACT)


def by_the_book(module, x: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    q, k, v = cut(x, HEADS, module.linear_q, module.linear_k, module.linear_v)
    heads = relative.shaw_attention(q, k, v, vectors, queries=PLACES, keys=PLACES)
    return projected(joined(heads), module.linear_out)


def wav2vec2_bert(behind: int, ahead: int):
    """Its attention, and the table of vectors that it has learned."""
    from transformers import Wav2Vec2BertConfig
    from transformers.models.wav2vec2_bert.modeling_wav2vec2_bert import Wav2Vec2BertSelfAttention

    config = Wav2Vec2BertConfig(
        hidden_size=WIDTH, num_attention_heads=HEADS, position_embeddings_type="relative_key",
        left_max_position_embeddings=behind, right_max_position_embeddings=ahead, attention_dropout=0.0,
    )  # fmt: skip
    config._attn_implementation = "eager"
    module = filled(Wav2Vec2BertSelfAttention(config), out="linear_out.weight")
    return module, module.distance_embedding.weight.detach().numpy()


def to_both_sides(behind: int, ahead: int):
    """The table of ours has as many rows ahead as behind."""
    module, vectors = wav2vec2_bert(behind, ahead)
    x = words(LENGTH, WIDTH)
    theirs, _ = module(batch(x))
    vectors = np.pad(vectors, ((0, behind - ahead), (0, 0)), mode="edge")
    return by_the_book(module, x, vectors), theirs.detach().numpy()[0]


SAME = "key minus query; sum divided"
attended("Shaw's keys in Wav2Vec2-BERT", SAME)(partial(to_both_sides, 5, 5))
attended("Shaw's keys in Wav2Vec2-BERT, 6 behind and 2 ahead", f"{SAME}, our last row 5 times")(
    partial(to_both_sides, 6, 2)
)


@attended("Shaw's keys in SeamlessM4T v2", SAME)
def seamless():
    from transformers import SeamlessM4Tv2Config
    from transformers.models.seamless_m4t_v2.modeling_seamless_m4t_v2 import (
        SeamlessM4Tv2ConformerSelfAttention,
    )

    config = SeamlessM4Tv2Config(
        hidden_size=WIDTH, speech_encoder_attention_heads=HEADS, position_embeddings_type="relative_key",
        left_max_position_embeddings=5, right_max_position_embeddings=5, speech_encoder_dropout=0.0,
    )  # fmt: skip
    config._attn_implementation = "eager"
    module = filled(SeamlessM4Tv2ConformerSelfAttention(config), out="linear_out.weight")
    x = words(LENGTH, WIDTH)
    theirs, _ = module(batch(x))
    vectors = module.distance_embedding.weight.detach().numpy()
    return by_the_book(module, x, vectors), theirs.detach().numpy()[0]
