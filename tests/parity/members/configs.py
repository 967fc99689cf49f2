"""Recorded configs of real models: every layer that we read, beside the class of transformers for it."""

import importlib
import inspect
import json
from collections.abc import Callable
from functools import partial

import numpy as np

from pe_book.config.reading import Reading, read_config
from pe_book.evidence.family.recorded import WITHOUT_SIZES, names, recorded
from tests.parity.register import Pair, member

# transformers has no class for these: their code stood beside their weights
ELSEWHERE = {
    "chatglm2-6b", "chatglm3-6b", "falcon-7b", "glm-4-9b-chat", "internlm2.5-7b", "minicpm-2b-128k",
    "kimi-k2", "phi-2-first", "phi-3.5-vision", "qwen-7b",
}  # fmt: skip
# GPT-J and CodeGen have a table of sines and cosines, and no class of their own
TABLES = {"gptj", "codegen"}


def theirs(config: dict, reading: Reading) -> list[np.ndarray]:
    """For every layer that turns: the frequencies and behind them the factor on queries and keys."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    built = CONFIG_MAPPING[config["model_type"]].from_dict(json.loads(json.dumps(config))).get_text_config()
    home = type(built).__module__.replace("configuration_", "modeling_")
    module = importlib.import_module(home)
    classes = [
        one
        for name, one in vars(module).items()
        if inspect.isclass(one) and one.__module__ == home
        and name.endswith("RotaryEmbedding") and "Vision" not in name
    ]  # fmt: skip
    embedding = classes[0](config=built)
    kinds = getattr(built, "layer_types", None)
    found = []
    for record in reading.records:
        if record.kind != "rotary":
            continue
        prefix = (
            f"{kinds[record.layer]}_"
            if kinds and hasattr(embedding, f"{kinds[record.layer]}_inv_freq")
            else ""
        )
        frequencies = getattr(embedding, f"{prefix}inv_freq").double().numpy()
        kind = {"layer_type": kinds[record.layer]} if prefix else {}
        found.append(np.append(frequencies, returned_factor(embedding, record.sections, kind)))
    return found


def returned_factor(embedding, sections: tuple[int, ...], kind: dict) -> float:
    """The factor on queries and keys in what a class returns: its cosines at position 0."""
    import torch

    axes = (3,) if sections else ()
    result = embedding(torch.zeros(1, 1, 2), torch.zeros(*axes, 1, 1, dtype=torch.long), **kind)
    first = result[0] if isinstance(result, tuple) else result.real  # a class may return complex numbers
    return float(first.flatten()[0])


def in_a_table(config: dict, reading: Reading) -> list[np.ndarray]:
    """The same of a library that keeps sines and cosines: the angles at position 1."""
    module = importlib.import_module(
        f"transformers.models.{config['model_type']}.modeling_{config['model_type']}"
    )
    width = reading.records[0].rotary_dim
    sines = module.create_sinusoidal_positions(2, width)[1].double().numpy()[: width // 2]
    cosines = module.create_sinusoidal_positions(2, width)[1].double().numpy()[width // 2 :]
    return [np.append(np.arctan2(sines, cosines), 1.0)] * sum(r.kind == "rotary" for r in reading.records)


def by_method() -> dict[str, list[dict]]:
    """The recorded configs that the library can build, by how their full layers are scaled."""
    found: dict[str, list[dict]] = {}
    for name in names():
        if name in WITHOUT_SIZES | ELSEWHERE:
            continue
        config = recorded(name)["config"]
        if turning := [one for one in read_config(config).records if one.kind == "rotary"]:
            method = next((one.method for one in turning if one.method != "default"), "unscaled")
            found.setdefault(method, []).append(config)
    return found


def compared(configs: list[dict]) -> Pair:
    ours, others = [], []
    for config in configs:
        reading = read_config(config)
        ours += [np.append(r.frequencies, r.attention_factor) for r in reading.records if r.kind == "rotary"]
        others += (in_a_table if config["model_type"] in TABLES else theirs)(config, reading)
    assert [one.size for one in ours] == [one.size for one in others], "other widths"
    return np.concatenate(ours), np.concatenate(others)


def of_configs(name: str, configs: list[dict]) -> None:
    compare: Callable[[], Pair] = partial(compared, configs)
    member(name, library="transformers", layout="each its own", kind="frequencies")(compare)


for method, these in by_method().items():
    of_configs(f"{len(these)} configs, {method}" if len(these) > 1 else f"one config, {method}", these)


# blocks whose ends cross, on which the library warns and goes on
SMALL = {
    "model_type": "llama", "hidden_size": 256, "num_attention_heads": 2, "num_hidden_layers": 1,
    "max_position_embeddings": 131072, "rope_theta": 500000.0,
}  # fmt: skip
CROSSED: dict[str, dict] = {
    "a config whose beta_fast is below beta_slow": {
        "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096, "beta_fast": 1,
        "beta_slow": 32,
    },
    "a config whose beta_fast is below beta_slow, not rounded": {
        "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096, "beta_fast": 1,
        "beta_slow": 32, "truncate": False,
    },
    "a config whose high_freq_factor is below low_freq_factor": {
        "rope_type": "llama3", "factor": 16.0, "original_max_position_embeddings": 8192,
        "low_freq_factor": 4.0, "high_freq_factor": 1.0,
    },
}  # fmt: skip


for name, block in CROSSED.items():
    of_configs(name, [{**SMALL, "rope_scaling": block}])


# what a class reads in its own way, or has of its own where a config is silent
HEADS = {
    "hidden_size": 256,
    "num_attention_heads": 2,
    "num_hidden_layers": 2,
    "max_position_embeddings": 4096,
}
LINEAR = {"type": "linear", "factor": 4.0}
OWN: list[dict] = [
    {"model_type": "gpt_neox", **HEADS, "rope_theta": 500000.0},
    {"model_type": "gpt_neox", **HEADS, "rope_theta": 5e5, "rotary_emb_base": 20000, "rotary_pct": 0.5},
    {"model_type": "gpt_neox", **HEADS, "rotary_emb_base": 20000, "rope_scaling": LINEAR},
    {"model_type": "modernbert", **HEADS, "rope_theta": 500000.0},
    {"model_type": "modernbert", **HEADS, "global_rope_theta": 500000.0, "local_rope_theta": 20000.0},
    {"model_type": "deepseek_v3", **HEADS},
    {"model_type": "deepseek_v3", **HEADS, "qk_rope_head_dim": 32},
    {"model_type": "gemma3", "rope_scaling": LINEAR, "text_config": {"model_type": "gemma3_text", **HEADS,
                                                                    "head_dim": 128}},
    {"model_type": "qwen3_vl", "rope_scaling": LINEAR, "text_config": {
        "model_type": "qwen3_vl_text", **HEADS, "head_dim": 128}},
]  # fmt: skip


of_configs(f"{len(OWN)} configs that a class reads in its own way", OWN)
