"""``params.json``, as Meta and Mistral put it beside their own files: their code pairs neighbours."""

import re
from collections.abc import Mapping
from typing import Any

from pe_book.inputs.wording import shown

META, MISTRAL, LLAMA_4 = "params.json of Meta", "params.json of Mistral", "params.json of Llama 4"
# whose code reads each
CODE = {META: "Meta's code", MISTRAL: "Mistral's code", LLAMA_4: "Meta's code of Llama 4"}
OWN_NAMES = ("dim", "n_layers", "n_heads")
ONLY_MISTRAL = ("hidden_dim", "yarn", "llama_4_scaling")

# Meta's code of Llama 3.1 has these numbers in it, and its file says that they are used
SCALED = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8192}  # fmt: skip
# What Meta's code of Llama 4 reads beside, in models/llama4/args.py and model.py at a9c89c471f, and what is
# taken there for a number that a file which scales leaves out.
ONLY_LLAMA_4 = ("rope_scaling_factor", "rope_high_freq_factor", "nope_layer_interval", "attention_chunk_size",
                "attn_temperature_tuning", "floor_scale", "attn_scale")  # fmt: skip
SCALED_4 = {"rope_scaling_factor": ("factor", 16.0), "rope_high_freq_factor": ("high_freq_factor", 1.0)}
OF_META = ("rope_theta", "use_scaled_rope", "max_seq_len", *ONLY_LLAMA_4,
           "qk_rope_head_dim", "qk_nope_head_dim")  # fmt: skip
POSITIONAL = re.compile("rope|nope|rotary|position|theta|window|chunk|scale|temperature|alibi|seq_len")
YARN = {"factor": "factor", "original_max_position_embeddings": "original_max_position_embeddings",
        "beta": "beta_fast", "alpha": "beta_slow"}  # fmt: skip


def in_keys_of_transformers(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same config; one of Meta or Mistral with its type named and its scaling as a block."""
    if config.get("model_type") or not all(name in config for name in OWN_NAMES):
        return config
    if not any(name in config for name in ONLY_MISTRAL):
        return of_meta(config)
    block = config.get("yarn")
    if not block:
        return {**config, "model_type": MISTRAL}
    if not isinstance(block, Mapping):
        raise ValueError(f"yarn must be a block of settings, got {block!r:.60}")
    scaling = {"rope_type": "yarn", **{new: block[old] for old, new in YARN.items() if old in block}}
    if block.get("apply_scale") is False:
        scaling["attention_factor"] = 1.0
    left = {name: value for name, value in block.items() if name not in (*YARN, "apply_scale")}
    return {**config, "model_type": MISTRAL, "rope_scaling": {**scaling, **left}}


def of_meta(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """A file of Meta with its type named and its scaling as a block; refused if it says more of positions."""
    unknown = sorted(name for name in config if POSITIONAL.search(name) and name not in OF_META)
    if unknown:
        raise ValueError(
            f"{unknown[0]} must not be in a params.json of Meta: its name bears on position, and what Meta's "
            f"code makes of it, {shown(config[unknown[0]])}, is not known here"
        )
    newer = any(config.get(name) is not None for name in ONLY_LLAMA_4)
    block: dict[str, Any] = dict(SCALED)
    if newer:
        for name, (key, usual) in SCALED_4.items():
            block[key] = usual if config.get(name) is None else config[name]
    scaled = {"rope_scaling": block} if config.get("use_scaled_rope") else {}
    return {**config, "model_type": LLAMA_4 if newer else META, **scaled}
