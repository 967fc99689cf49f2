"""Rotary encodings of other libraries that are wrong today."""

import mpmath
import numpy as np

from pe_book.family import context_extension
from pe_book.sinusoidal import formula
from tests.parity.defects import defect, rows_or_error
from tests.parity.libraries import alone
from tests.parity.register import HEAD_DIM

TRAINED = 4096


def exact(function: str, angle: float) -> float:
    """A sine or cosine by mpmath."""
    with mpmath.workdps(30):
        return float(getattr(mpmath, function)(mpmath.mpf(angle)))


@defect("RotaryEmbedding(64)(t, offset=100)", "first angle of t = 0", library="x-transformers")
def offset_is_ignored():
    import torch
    from x_transformers.x_transformers import RotaryEmbedding

    angles, _ = RotaryEmbedding(HEAD_DIM)(torch.arange(4), offset=100)
    return angles[0, 0, 0], 0, 100


@defect("RotaryEmbedding(64).bfloat16()(t)", "first angle of t = 257", library="x-transformers")
def angles_in_bfloat16():
    import torch
    from x_transformers.x_transformers import RotaryEmbedding

    angles, _ = RotaryEmbedding(HEAD_DIM).bfloat16()(torch.arange(300))
    return angles[0, 257, 0], 256, 257


def turned_after(dtype_before: str | None, dtype: str):
    """The first column of a row (1, 0, …) turned at position 257, perhaps after a call in another dtype."""
    import torch
    from rotary_embedding_torch import RotaryEmbedding

    module, x = RotaryEmbedding(HEAD_DIM), torch.zeros(1, 300, HEAD_DIM)
    x[..., 0] = 1
    if dtype_before:
        module.rotate_queries_or_keys(x.to(getattr(torch, dtype_before)))
    return module.rotate_queries_or_keys(x.to(getattr(torch, dtype)))[0, 257, 0]


@defect("rotate_queries_or_keys(x.bfloat16())", "cosine at position 257", library="rotary-embedding-torch")
def positions_in_bfloat16():
    import torch

    known = torch.tensor(exact("cos", 256)).bfloat16()
    return turned_after(None, "bfloat16"), known, exact("cos", 257)


@defect(
    "the same in float32, after a call in bfloat16", "cosine at position 257",
    library="rotary-embedding-torch",
)  # fmt: skip
def cache_of_another_dtype():
    return turned_after("bfloat16", "float32"), exact("cos", 256), exact("cos", 257)


@defect(
    "get_axial_freqs(9, 9, offsets=(100, 5))", "first angle of the second axis",
    library="rotary-embedding-torch",
)  # fmt: skip
def offset_of_the_other_axis():
    from rotary_embedding_torch import RotaryEmbedding

    angles = RotaryEmbedding(HEAD_DIM // 2).get_axial_freqs(9, 9, offsets=(100, 5))
    return angles[0, 0, HEAD_DIM // 2], 100, 5


@defect("RotaryPositionalEmbeddings(64, max_seq_len=32)(x)", "of 40 rows", library="torchtune")
def table_is_not_made_longer():
    import torch

    home = alone("torchtune.modules.position_embeddings")
    module = home.RotaryPositionalEmbeddings(HEAD_DIM, max_seq_len=32)
    return rows_or_error(lambda: module(torch.zeros(1, 40, 1, HEAD_DIM)), 40)


def llama(**parameters: object):
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    parameters = {"rope_type": "default", "rope_theta": 10000.0} | parameters
    config = LlamaConfig(
        hidden_size=HEAD_DIM, num_attention_heads=1, max_position_embeddings=TRAINED,
        rope_parameters=parameters,
    )  # fmt: skip
    return LlamaRotaryEmbedding(config)


@defect(
    "LlamaRotaryEmbedding(config).bfloat16()", "cosine of pair 4 at position 4095", library="transformers"
)
def frequencies_in_bfloat16():
    import torch

    cosines, _ = llama().bfloat16()(torch.zeros(1), torch.tensor([[4095]]))
    rounded = torch.tensor(formula.frequencies(HEAD_DIM)[4]).bfloat16().double()
    with mpmath.workdps(30):
        right = mpmath.cos(4095 * mpmath.mpf(10000) ** (-mpmath.mpf(8) / HEAD_DIM))
    return cosines[0, 0, 4], np.cos(4095 * float(rounded)), float(right)


def last_frequency_after(*lengths: int):
    """What a module with dynamic scaling turns with at last, after sequences of these lengths."""
    import torch

    module = llama(rope_type="dynamic", factor=2.0)
    for length in lengths:
        module(torch.zeros(1), torch.arange(length)[None])
    return module.inv_freq[-1]


def last_frequency(length: int) -> float:
    omega, _ = context_extension.scale_frequencies(
        formula.frequencies(HEAD_DIM), method="dynamic", factor=2, original_len=TRAINED, length=length
    )
    return float(omega[-1])


@defect("dynamic scaling, 8192 tokens after 16384", "the last frequency", library="transformers")
def shorter_after_longer():
    return (
        last_frequency_after(4 * TRAINED, 2 * TRAINED),
        last_frequency(4 * TRAINED),
        last_frequency(2 * TRAINED),
    )


@defect("dynamic scaling, the trained 4096 after 16384", "the last frequency", library="transformers")
def trained_after_longer():
    return last_frequency_after(4 * TRAINED, TRAINED), last_frequency(4 * TRAINED), last_frequency(TRAINED)
