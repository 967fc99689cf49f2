"""transformers: a class for each model, each with a turn of its own."""

import numpy as np

from pe_book.family import rotary
from pe_book.family.rotary import axes
from pe_book.sinusoidal import formula
from tests.parity.register import HEAD_DIM, HEADS, LENGTH, POSITIONS, array, member, rows, tensor

LIBRARY = "transformers"
PLACES = np.stack([POSITIONS // 40, POSITIONS % 11, POSITIONS % 7])  # time, row, column of each token
SECTIONS = [8, 12, 12]  # of the 32 pairs


def settings(head_dim: int = HEAD_DIM, **parameters: object) -> dict[str, object]:
    """What the configuration of every model here says."""
    parameters = {"rope_type": "default", "rope_theta": 10000.0} | parameters
    return {
        "hidden_size": HEADS * head_dim,
        "num_attention_heads": HEADS,
        "max_position_embeddings": 4096,
        "rope_parameters": parameters,
    }


def turned(model: str, config: object, x: np.ndarray, *, prefix: str, positions: np.ndarray = POSITIONS):
    """Queries turned as a model does: its module gives cosines and sines, its function turns."""
    from importlib import import_module

    home = import_module(f"transformers.models.{model}.modeling_{model}")
    cos, sin = getattr(home, f"{prefix}RotaryEmbedding")(config)(tensor(x), tensor(positions))
    queries, _ = home.apply_rotary_pos_emb(tensor(x), tensor(x), cos, sin)
    return array(queries)


@member("Llama", library=LIBRARY, layout="halves")
def llama():
    from transformers import LlamaConfig

    x, config = rows(), LlamaConfig(**settings(rope_theta=500000.0))
    ours = rotary.rotate(x, POSITIONS, base=500000, layout="halves")
    return ours, turned("llama", config, x, prefix="Llama")


@member("GPT-NeoX, a quarter of the head", library=LIBRARY, layout="halves of the first columns")
def gpt_neox():
    from transformers import GPTNeoXConfig

    x, config = rows(), GPTNeoXConfig(**settings(partial_rotary_factor=0.25))
    ours = rotary.rotate(x, POSITIONS, layout="halves", rotary_dim=HEAD_DIM // 4)
    return ours, turned("gpt_neox", config, x, prefix="GPTNeoX")


@member("GPT-J, half of the head", library=LIBRARY, layout="interleaved in the first columns")
def gptj():
    from transformers.models.gptj import modeling_gptj as home

    x, width = rows(), HEAD_DIM // 2
    sines, cosines = home.create_sinusoidal_positions(LENGTH, width)[None].chunk(2, dim=-1)
    by_position = tensor(x).transpose(1, 2)  # it has heads behind positions, and cuts the slice itself
    there = home.apply_rotary_pos_emb(by_position[..., :width], sines, cosines).transpose(1, 2)
    theirs = np.concatenate([array(there), x[..., width:]], axis=-1)
    return rotary.rotate(x, POSITIONS, rotary_dim=width), theirs


@member("Cohere", library=LIBRARY, layout="interleaved")
def cohere():
    from transformers import CohereConfig

    x, config = rows(), CohereConfig(**settings())
    return rotary.rotate(x, POSITIONS), turned("cohere", config, x, prefix="Cohere")


@member("RoFormer, the turn alone, in float64", library=LIBRARY, layout="interleaved", bound=2.0**-50)
def roformer():
    from transformers.models.roformer.modeling_roformer import RoFormerSelfAttention

    x = rows()
    table = formula.encode(POSITIONS, HEAD_DIM, layout="halves")  # given to it: all sines, then all cosines
    queries, _ = RoFormerSelfAttention.apply_rotary_position_embeddings(
        tensor(table)[:, None], tensor(x).double(), tensor(x).double()
    )
    return rotary.rotate(x, POSITIONS), array(queries)


def latent(width: int, base: float) -> dict[str, object]:
    """A configuration of latent attention; its head is content and `width` rotary columns behind it."""
    return settings(rope_theta=base) | {
        "qk_rope_head_dim": width, "qk_nope_head_dim": HEAD_DIM - width, "num_hidden_layers": 1,
    }  # fmt: skip


@member("DeepSeek-V2, the last columns", library=LIBRARY, layout="interleaved, as complex numbers")
def deepseek_v2():
    from transformers import DeepseekV2Config
    from transformers.models.deepseek_v2 import modeling_deepseek_v2 as home

    x, width = rows(), 16
    content, slice_ = x[..., :-width], tensor(x[..., -width:])
    turns = home.DeepseekV2RotaryEmbedding(DeepseekV2Config(**latent(width, 10000.0)))
    queries, _ = home.apply_rotary_emb(slice_, slice_, turns(slice_, tensor(POSITIONS)))
    ours = rotary.rotate(x, POSITIONS, rotary_dim=width, side="last")
    return ours, np.concatenate([content, array(queries)], axis=-1)


@member("DeepSeek-V3, the rotary slice", library=LIBRARY, layout="interleaved in, halves out")
def deepseek_v3():
    from transformers import DeepseekV3Config
    from transformers.models.deepseek_v3 import modeling_deepseek_v3 as home

    width = 16
    x = rows(HEADS, LENGTH, width)
    module = home.DeepseekV3RotaryEmbedding(DeepseekV3Config(**latent(width, 10000.0)))
    cos, sin = module(tensor(x), tensor(POSITIONS))
    queries, _ = home.apply_rotary_pos_emb_interleave(tensor(x), tensor(x), cos, sin)
    ours = formula.relayout(rotary.rotate(x, POSITIONS), source="interleaved", to="halves")
    return ours, array(queries)


@member("Qwen2-VL, three axes in sections", library=LIBRARY, layout="halves", reach=PLACES.max())
def qwen2_vl():
    import torch
    from transformers.models.qwen2_vl import modeling_qwen2_vl as home
    from transformers.models.qwen2_vl.configuration_qwen2_vl import Qwen2VLTextConfig

    x, config = rows(), Qwen2VLTextConfig(**settings(rope_theta=1e6, mrope_section=SECTIONS))
    cos, sin = home.Qwen2VLRotaryEmbedding(config)(tensor(x), torch.from_numpy(PLACES)[:, None])
    queries, _ = home.apply_rotary_pos_emb(tensor(x), tensor(x), cos, sin)
    omega = axes.sectioned_frequencies(HEAD_DIM, SECTIONS, base=1e6)
    return axes.rotate_axes(x, PLACES.T, omega, layout="halves"), array(queries)


@member("Qwen3-VL, three axes in turn", library=LIBRARY, layout="halves", reach=PLACES.max())
def qwen3_vl():
    import torch
    from transformers.models.qwen3_vl import modeling_qwen3_vl as home
    from transformers.models.qwen3_vl.configuration_qwen3_vl import Qwen3VLTextConfig

    sections = [12, 10, 10]
    x, config = rows(), Qwen3VLTextConfig(head_dim=64, **settings(rope_theta=1e6, mrope_section=sections))
    cos, sin = home.Qwen3VLTextRotaryEmbedding(config)(tensor(x), torch.from_numpy(PLACES)[:, None])
    queries, _ = home.apply_rotary_pos_emb(tensor(x), tensor(x), cos, sin)
    omega = axes.sectioned_frequencies(HEAD_DIM, sections, base=1e6, arrangement="interleaved")
    return axes.rotate_axes(x, PLACES.T, omega, layout="halves"), array(queries)


@member("Llama, its queries from a GGUF file", library=LIBRARY, layout="interleaved in, halves out")
def gguf_llama():
    """The file lists rows for neighbours; the reader moves them for this Llama, which turns halves."""
    from transformers import LlamaConfig
    from transformers.modeling_gguf_pytorch_utils import LlamaTensorProcessor

    weight = rows(HEADS * HEAD_DIM, LENGTH)  # word p is the p-th unit row, so its query is column p
    reader = LlamaTensorProcessor({"num_attention_heads": HEADS, "num_key_value_heads": HEADS})
    moved = reader.process(weight, "blk.0.attn_q.weight").weights
    in_file, in_model = (np.swapaxes(one.reshape(HEADS, HEAD_DIM, LENGTH), 1, 2) for one in (weight, moved))
    ours = formula.relayout(rotary.rotate(in_file, POSITIONS), source="interleaved", to="halves")
    return ours, turned("llama", LlamaConfig(**settings()), in_model, prefix="Llama")
