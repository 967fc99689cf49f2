"""A small config and those of real models, for the tests of what a config means."""

from typing import Any

from pe_book.config.reading import rotary_from_config
from pe_book.evidence.family.recorded import names, recorded

BLOCKS = {name: recorded(name) for name in names()}
LLAMA = {
    "model_type": "llama", "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 3,
    "max_position_embeddings": 4096,
}  # fmt: skip
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024}
LONGROPE = {"rope_type": "longrope", "short_factor": [1.0] * 32, "long_factor": [4.0] * 32}


def first(**changes: Any) -> Any:
    """The record of the first layer of a small Llama with some keys changed."""
    return rotary_from_config({**LLAMA, **changes})[0]
