"""Ports of tiny models that transformers itself saved, judged by the logits of what it loads again.

The program of the other pairing is that of transformers with another turn: columns of the slice are put into
its order, turned by it, and put back. What the book moves has no part in that.
"""

import inspect
import json
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

import pe_book
from pe_book.checkpoint.plan import Plan

OTHER = {"interleaved": "halves", "halves": "interleaved"}
TOKENS = torch.tensor([[3, 17, 5, 29, 11, 2, 23, 7, 19, 13, 1, 31]])
# what functions that turn call their rows
TURNED = ("q", "k", "xq", "xk", "tensor", "x", "query", "key", "query_layer", "key_layer")

SMALL: dict[str, Any] = {
    "hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 16, "vocab_size": 32, "max_position_embeddings": 64,
    "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "tie_word_embeddings": False,
}  # fmt: skip


def class_of(model_type: str) -> Any:
    """The class of models that gives numbers for words, else that without a head."""
    from transformers import AutoModel, AutoModelForCausalLM, AutoModelForMaskedLM
    from transformers.models.auto import modeling_auto as auto

    if model_type in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return AutoModelForCausalLM
    return AutoModelForMaskedLM if model_type in auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES else AutoModel


def save(config: dict[str, Any], folder: Path) -> None:
    """A tiny model in shards, its weights drawn at random, gains of norms and biases among them."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    values = {key: value for key, value in (SMALL | config).items() if value is not None}
    built = CONFIG_MAPPING[values.pop("model_type")](**values)
    torch.manual_seed(0)
    model = class_of(built.model_type).from_config(built, dtype=torch.float32)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embed_positions" in name:  # sines and cosines that are saved, as in RoFormer
                continue
            if parameter.dim() > 1:
                parameter.normal_(0, parameter.shape[-1] ** -0.5)
            else:
                parameter.normal_(1.0 if name.lower().endswith("norm.weight") else 0.0, 0.3)
    model.save_pretrained(folder, max_shard_size="40KB")


def logits(folder: Path) -> torch.Tensor:
    """Of twelve tokens, from the files of a folder."""
    model, told = class_of(sizes_of(folder)["model_type"]).from_pretrained(
        folder, attn_implementation="eager", dtype=torch.float32, output_loading_info=True
    )
    assert not told["missing_keys"], told["missing_keys"]
    with torch.no_grad():
        found: torch.Tensor = model.eval()(TOKENS)[0]
    return found


def off(found: torch.Tensor, wanted: torch.Tensor) -> float:
    """The largest difference, in standard deviations of what is wanted."""
    return float((found - wanted).abs().max() / wanted.std())


def port(old: Path, new: Path, assume: str | None = None, **more: Any) -> Plan:
    """The loop of the docstring over other folders, with arguments beside those of the config."""
    import shutil

    from safetensors import safe_open
    from safetensors.torch import save_file
    from tqdm import tqdm

    text = inspect.cleandoc(Plan.apply.__doc__ or "").partition(".. code-block:: python\n\n")[2]
    code = textwrap.dedent(text.partition("\n\n")[0])
    for told, here in (
        ('Path("model"), Path("model-interleaved")', "folders"),
        ('**told, to="interleaved"', "**(told | more)"),
        ('"config.json")', '"config.json", assume=assume)'),
    ):
        assert told in code
        code = code.replace(told, here)
    names = {
        "folders": (old, new),
        "more": more,
        "pe": pe_book,
        "Path": Path,
        "shutil": shutil,
        "assume": assume,
    }
    exec(code, names | {"tqdm": tqdm, "safe_open": safe_open, "save_file": save_file}, found := {})
    plan: Plan = found["plan"]
    return plan


def reordered(rows: torch.Tensor, source: str, to: str, width: int, side: str) -> torch.Tensor:
    """Columns of the slice in another order, by a reshape."""
    if source == to:
        return rows
    at = 0 if side == "first" or rows.shape[-1] == width else rows.shape[-1] - width
    shape = (-1, 2) if source == "interleaved" else (2, -1)
    part = rows[..., at : at + width].unflatten(-1, shape).transpose(-1, -2).flatten(-2)
    return torch.cat([rows[..., :at], part, rows[..., at + width :]], dim=-1)


@contextmanager
def pairing(model_type: str, told: dict[str, Any], only: str = "apply_") -> Iterator[None]:
    """In it the program of a model type pairs in the other way than arguments say, where it is called so."""
    source, to, width, side = told["source"], OTHER[told["source"]], told["rotary_dim"], told["side"]
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    home = CONFIG_MAPPING[model_type].__module__.rpartition(".")[0]
    modules = [module for path, module in list(sys.modules.items()) if path.startswith(f"{home}.modeling_")]
    classes = [one for module in modules for one in vars(module).values() if isinstance(one, type)]
    there = {
        (owner, name): value
        for owner in (*modules, *dict.fromkeys(classes))
        for name, value in list(vars(owner).items())
        if name.startswith(only) and "rot" in name and (callable(value) or isinstance(value, staticmethod))
    }
    assert there, f"{home} has no function that turns"

    def wrapped(turn: Any) -> Any:
        named = inspect.signature(turn)

        def other(*given: Any, **keys: Any) -> Any:
            told = named.bind(*given, **keys)
            rows = [name for name in told.arguments if name in TURNED]
            assert rows, list(told.arguments)
            for name in rows:
                told.arguments[name] = reordered(told.arguments[name], to, source, width, side)
            found = turn(*told.args, **told.kwargs)
            if isinstance(found, tuple):
                return tuple(reordered(one, source, to, width, side) for one in found)
            return reordered(found, source, to, width, side)

        return other

    try:
        for (owner, name), value in there.items():
            static = isinstance(value, staticmethod)  # of a class, as in RoFormer
            setattr(owner, name, staticmethod(wrapped(value.__func__)) if static else wrapped(value))
        yield
    finally:
        for (owner, name), value in there.items():
            setattr(owner, name, value)


def sizes_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "config.json").read_text())
