"""``params.json``, as Meta and Mistral put it beside their own files: their code pairs neighbours."""

from collections.abc import Mapping
from typing import Any

META, MISTRAL = "params.json of Meta", "params.json of Mistral"
OWN_NAMES = ("dim", "n_layers", "n_heads")
ONLY_MISTRAL = ("hidden_dim", "yarn", "llama_4_scaling")

# Meta's code of Llama 3.1 has these numbers in it, and its file says that they are used
SCALED = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8192}  # fmt: skip
YARN = {"factor": "factor", "original_max_position_embeddings": "original_max_position_embeddings",
        "beta": "beta_fast", "alpha": "beta_slow"}  # fmt: skip


def in_keys_of_transformers(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same config; one of Meta or Mistral with its type named and its scaling as a block.

    >>> sorted(in_keys_of_transformers({"dim": 64, "n_layers": 2, "n_heads": 4, "use_scaled_rope": True}))
    ['dim', 'model_type', 'n_heads', 'n_layers', 'rope_scaling', 'use_scaled_rope']
    """
    if config.get("model_type") or not all(name in config for name in OWN_NAMES):
        return config
    if not any(name in config for name in ONLY_MISTRAL):
        scaled = {"rope_scaling": dict(SCALED)} if config.get("use_scaled_rope") else {}
        return {**config, "model_type": META, **scaled}
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
