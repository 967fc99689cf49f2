"""What names say where nothing is measured: recurrences, convolutions, biases on scores, tables."""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from typing import Any

from torch import nn

from tests.parity.classes.built import HELPERS, STEM

#: What is left out of a layer: it computes no scores of queries and keys.
LEFT_OUT = re.compile("Norm|MLP|Mlp|Moe|MoE|MOE|FeedForward|FFN|Experts|Router|Gate$")
#: What carries order through a layer without scores: a pattern of names of classes, how it attends, its name.
MOVING = (
    (r"GatedDeltaNet", "linear", "gated delta net"),
    (r"DeltaAttention|Kda|KDA", "linear", "kimi delta attention"),
    (r"LightningAttention", "linear", "lightning attention"),
    (r"LinearAttention", "linear", "linear attention"),
    (r"Mamba2Mixer|Zamba2Mamba|BambaMixer|FalconH1Mixer|MambaLayer$", "recurrent", "mamba 2"),
    (r"MambaMixer", "recurrent", "mamba"),
    (r"Rglru|RecurrentBlock", "recurrent", "rg-lru"),
    (r"^RwkvSelfAttention", "recurrent", "rwkv"),
    (r"xLSTMLayer|mLSTM", "recurrent", "xlstm"),
    (r"ShortConv", "convolution", "short convolution"),
    (r"ConvolutionModule|LightConv1d|DepthWise", "convolution", "convolution"),
)
#: What is added to scores: what a class that attends has, and the name of the bias.
BIASES = (
    (r"pos_proj|pos_key_proj|pos_q_proj", "disentangled"),
    (r"relative_attention_bias|rel_attn_embed|gru_rel_pos", "t5"),
    (r"relative_position_bias", "table by offset"),
    (r"rel_pos_h", "table by row and column"),
    (r"linear_pos|pos_bias_u|r_w_bias|r_r_bias|relative_k_proj", "transformer-xl"),
    (r"distance_embedding", "relative key"),
    (r"emb_rel_k", "shaw"),
    (r"relative_pos_embeddings", "content"),
)
ATTENDING = re.compile("Attention|Attn|Layer$|Block$")
CONVOLVED = re.compile("PositionalConv")
PLACES = re.compile(r"pos(?!t)", re.IGNORECASE)
NO_TABLE = re.compile(r"bias|rel_|relative|rotary|inv_freq|rope|distance|index|conv", re.IGNORECASE)


def names_in(layer: nn.Module) -> dict[str, str]:
    """The names of the classes in a layer, by their paths, without that of a model called linear itself."""
    stem = STEM.sub("", type(layer).__name__)
    stem = stem if "Linear" in stem else ""
    return {path: type(one).__name__.removeprefix(stem) for path, one in layer.named_modules()}


def moves(name: str) -> bool:
    """Whether a class carries order without scores."""
    return any(
        attends in ("linear", "recurrent") and re.search(pattern, name) for pattern, attends, _ in MOVING
    )


def left_out(layer: nn.Module) -> Iterator[nn.Module]:
    """The modules of a layer that compute no scores, and nothing that scores are computed of."""
    names = names_in(layer)
    kept = tuple(path for path, name in names.items() if path and HELPERS.search(name))
    for path, module in layer.named_modules():
        name = names[path]
        block = (
            ATTENDING.search(name)
            and "Norm" not in name
            and not re.search("(Moe|MoE|MOE)(Block|Layer)$", name)
        )
        if path and not path.startswith(kept) and (moves(name) or (LEFT_OUT.search(name) and not block)):
            yield module


@cache
def returned(cls: type) -> int:
    """How many things a class of modules returns, by its source."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(cls.forward)))
    values = [one.value for one in ast.walk(tree) if isinstance(one, ast.Return)]
    tuples = [len(one.elts) for one in values if isinstance(one, ast.Tuple)]
    return max(tuples, default=1)


def moving(layer: nn.Module) -> tuple[str, str]:
    """How a layer attends and what moves in it, by the names of its classes; empty if none tells."""
    names = list(names_in(layer).values())
    for pattern, attends, name in MOVING:
        if any(re.search(pattern, one) for one in names):
            return attends, name
    return "", ""


def convolves(layer: nn.Module) -> bool:
    return any(isinstance(one, (nn.Conv1d, nn.Conv2d)) for one in layer.modules())


def bias_of(layer: nn.Module) -> str:
    """What a layer adds to scores, by the names of what it holds."""
    held = [name for name, _ in [*layer.named_modules(), *layer.named_parameters(), *layer.named_buffers()]]
    for pattern, name in BIASES:
        if any(re.search(pattern, one) for one in held):
            return name
    attending = [one for one in layer.modules() if ATTENDING.search(type(one).__name__)]
    return "disentangled" if any(getattr(one, "relative_attention", False) for one in attending) else ""


def tables(model: nn.Module) -> Iterator[tuple[str, Any]]:
    """Parameters and buffers whose names say that they hold a row for each place, outside layers."""
    for name, one in [*model.named_parameters(), *model.named_buffers()]:
        if PLACES.search(name) and not NO_TABLE.search(name) and one.ndim >= 2 and one.is_floating_point():
            yield name, one
