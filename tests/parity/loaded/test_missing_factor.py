"""A block on scaling without its factor, or with null: what transformers does, and what a report says."""

from typing import Any

import pytest

from pe_book.config.checking import check_config

transformers = pytest.importorskip("transformers")
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS  # noqa: E402

SIZES = {
    "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 2, "max_position_embeddings": 4096,
}  # fmt: skip
LONG = {"original_max_position_embeddings": 1024}
NEEDED: dict[str, dict[str, Any]] = {
    "linear": {}, "dynamic": {}, "yarn": LONG, "proportional": {},
    "longrope": {**LONG, "short_factor": [1.0] * 32, "long_factor": [2.0] * 32},
    "llama3": {**LONG, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
}  # fmt: skip
LOADS = {("yarn", "null"), ("longrope", "missing"), ("longrope", "null"), ("proportional", "missing")}


def block_of(method: str, said: str) -> dict[str, Any]:
    null = {"factor": None} if said == "null" else {}
    return {"rope_type": method, "rope_theta": 10000.0, **NEEDED[method], **null}


def loads(block: dict[str, Any]) -> bool:
    """Whether transformers builds the frequencies of a Llama with a block."""
    try:
        config = transformers.LlamaConfig(**SIZES, rope_parameters=block)
        ROPE_INIT_FUNCTIONS[block["rope_type"]](config, "cpu")
    except (KeyError, TypeError):
        return False
    return True


def complains(block: dict[str, Any]) -> bool:
    """Whether a report refuses a block, or warns of its factor."""
    try:
        report = check_config({"model_type": "llama", **SIZES, "rope_parameters": block})
    except ValueError as error:
        return "factor must be there" in str(error)
    return any(one.key == "rope_parameters.factor" for one in report.findings)


@pytest.mark.parametrize("said", ["missing", "null"])
@pytest.mark.parametrize("method", NEEDED)
def test_a_report_warns_where_transformers_stops(method: str, said: str) -> None:
    block = block_of(method, said)
    assert loads(dict(block)) == ((method, said) in LOADS)
    # a null that YaRN takes is told all the same: without the key it is refused
    assert complains(block) == (not loads(dict(block)) or (method, said) == ("yarn", "null"))
