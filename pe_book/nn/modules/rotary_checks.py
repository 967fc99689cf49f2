"""What the rotary module refuses of queries, keys and positions, and which words it says."""

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from pe_book.inputs.checking import Layout, flag, known_layout
from pe_book.nn.kernels.memory import check_writable
from pe_book.nn.tensors import DTYPES, described, is_tensor, require_dense

PAIRINGS = (
    "'halves' for weights that transformers has as llama, mistral, qwen2, qwen3, gemma3, phi3, falcon or "
    "gpt_neox, 'interleaved' for its gptj, cohere, glm4, llama4 and deepseek_v3 and for the files of Meta "
    "and Mistral themselves"
)

PEERS = ("inv_freq", "freqs")  # what transformers and rotary-embedding-torch call the frequencies in a state
_NEAR = 2.0**-7  # of a frequency that was held in bfloat16


def frequencies_differ(found: Tensor, own: NDArray[np.float64], key: str) -> str:
    """What to say of frequencies in a checkpoint that are not those of the module; empty if they are."""
    if found.is_meta:
        return ""
    theirs = found.detach().double().cpu().numpy()
    if theirs.shape == own.shape and np.allclose(theirs, own, rtol=_NEAR, atol=0):
        return ""
    ours = "the module was made with others: make it with frequencies=..., or by from_config"
    if theirs.shape != own.shape:
        return f"{key} must have shape {own.shape}, got {theirs.shape}; {ours}"
    i = int(np.argmax(np.abs(theirs - own) / np.maximum(np.abs(own), np.finfo(float).tiny)))
    return (
        f"{key} must be the frequencies of the module, {own[i]:.6g} for pair {i}, got {theirs[i]:.6g}; {ours}"
    )


def named_layout(layout: object) -> Layout:
    """The pairing that was named, refused where none was."""
    if layout is None:
        cure = "or use RotaryEncoding.from_config"
        raise ValueError(f"layout must be named, since no shape tells it, got None: {PAIRINGS}; {cure}")
    return known_layout(layout)


def check_rows(x: Tensor, name: str, head_dim: int, in_place: bool) -> None:
    """Refuse what are no queries or keys of this width, or cannot be written to where that is asked."""
    if not is_tensor(x) or x.dtype not in DTYPES:
        accepted = "a tensor of float32, float16, bfloat16 or float64"
        raise TypeError(f"{name} must be {accepted}, got {described(x)}")
    require_dense(x, name)
    if x.dim() < 2 or x.shape[-1] != head_dim:
        wanted = f"(batch, heads, n, {head_dim}) or (batch, n, heads, {head_dim})"
        raise ValueError(f"{name} must have shape {wanted}, or fewer axes before: got {tuple(x.shape)}")
    if flag(in_place, "in_place"):
        check_writable(x, name)


def check_heads(x: Tensor, name: str, heads_first: bool | None) -> None:
    """Refuse rows of which nobody has said which axis is the heads."""
    if heads_first is None and x.dim() > 2:
        first = "True for (batch, heads, n, head_dim), as in torch and transformers"
        last = "False for (batch, n, heads, head_dim), as in flash-attn and torchtune"
        shape = f"{name} of shape {tuple(x.shape)}, which does not tell the heads"
        raise ValueError(f"heads_first must be given to RotaryEncoding, {first}, {last}: got {shape}")


def check_positions(positions: Tensor, x: Tensor, name: str, rows: int) -> None:
    """Refuse positions that are not one for each row, or one for each row of each sequence."""
    if not is_tensor(positions):
        raise TypeError(f"positions must be an integer tensor, got {described(positions)}")
    shape = tuple(positions.shape)
    if shape in ((rows,), (1, rows)):
        return
    fitting = [(rows,), (1, rows)] + ([(x.shape[0], rows)] if x.dim() == 4 else [])
    if not any(shape == one for one in fitting):
        here = " or ".join(map(str, dict.fromkeys(fitting)))
        what = f"for {name} of shape {tuple(x.shape)}"
        raise ValueError(f"positions must have shape (n,), (1, n) or (batch, n), {here} {what}, got {shape}")
