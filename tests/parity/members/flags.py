"""Turns in which a flag says which columns are a pair: MLX, Megatron's core, ONNX's operator as torch has it.

Each runs once with its flag as it stands and once with the other value.
"""

from functools import partial

import numpy as np

from pe_book.family import rotary
from pe_book.sinusoidal import formula
from tests.parity.libraries import alone
from tests.parity.register import HEAD_DIM, POSITIONS, array, member, rows, tensor


def angles():
    """The angles of every position and pair, in float32, for turns that are given them."""
    return tensor((POSITIONS[:, None] * formula.frequencies(HEAD_DIM)).astype(np.float32))


def mlx(**flag: bool) -> np.ndarray:
    import mlx.core as mx
    from mlx.nn import RoPE

    return np.array(RoPE(HEAD_DIM, **flag)(mx.array(rows()[None])), dtype=np.float64)[0]


def megatron(**flag: bool) -> np.ndarray:
    import torch

    home = alone("megatron.core.models.common.embeddings.rope_utils")
    pairs = (angles()[0, :, None, None],) * 2  # positions, batch, heads, pairs
    laid_out = torch.stack(pairs, dim=-1).flatten(-2) if flag else torch.cat(pairs, dim=-1)
    by_position = tensor(rows()).permute(2, 0, 1, 3)
    return array(home._apply_rotary_pos_emb_bshd(by_position, laid_out, **flag).permute(1, 2, 0, 3))


def onnx(**flag: bool) -> np.ndarray:
    from torch.onnx.ops import rotary_embedding

    return array(rotary_embedding(tensor(rows()), angles().cos(), angles().sin(), **flag))


def compare(turn, layout, flag):
    return rotary.rotate(rows(), POSITIONS, layout=layout), turn(**flag)


for name, library, turn, other in (
    ("mlx", "mlx", mlx, "traditional"),
    ("megatron-core", "megatron-core", megatron, "rotary_interleaved"),
    ("torch, RotaryEmbedding of ONNX", "torch", onnx, "interleaved"),
):
    member(name, library=library, layout="halves")(partial(compare, turn, "halves", {}))
    member(f"{name}, {other}=True", library=library, layout="interleaved")(
        partial(compare, turn, "interleaved", {other: True})
    )
