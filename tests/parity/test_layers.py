"""Which layers turn and which have a window, seen in the attention of each class, beside what is read."""

import importlib
import json

import pytest
import torch

from pe_book.config.reading import rotary_from_config

HEAD = 16
SIZES = {
    "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": HEAD,
    "num_hidden_layers": 4, "intermediate_size": 64, "vocab_size": 8, "max_position_embeddings": 64,
}  # fmt: skip
EIGHT, NONE, FULL = {"sliding_window": 8}, {"sliding_window": None}, {"layer_types": ["full_attention"] * 4}
USED = {"use_sliding_window": True, **EIGHT}
CHANGES = {
    "exaone4": [{}, EIGHT, EIGHT | FULL, NONE | FULL],
    "cohere2": [{}, EIGHT, EIGHT | FULL, NONE],
    "smollm3": [{}, EIGHT, USED, {"no_rope_layers": [0, 1, 1, 0], **USED}],
    **{
        name: [{}, EIGHT, USED, {"max_window_layers": 2, **USED}]
        for name in ("qwen2", "qwen2_moe", "qwen3_moe")
    },
    **{name: [{}, EIGHT] for name in ("mixtral", "gemma2", "olmo3", "gpt_oss")},
    "mistral": [{}, EIGHT, NONE],
}  # fmt: skip
CASES = [{"model_type": name, **SIZES, **one} for name, many in CHANGES.items() for one in many]


def attention_of(config: dict, layer: int) -> torch.nn.Module:
    """The attention of one layer, with weights drawn at random."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    built = CONFIG_MAPPING[config["model_type"]].from_dict(json.loads(json.dumps(config)))
    built._attn_implementation = "eager"
    module = importlib.import_module(type(built).__module__.replace("configuration_", "modeling_"))
    attention = next(one for name, one in vars(module).items() if name.endswith("Attention"))(built, layer)
    generator = torch.Generator().manual_seed(0)
    for parameter in attention.parameters():
        torch.nn.init.normal_(parameter, generator=generator)
    return attention.eval()


def turns(attention: torch.nn.Module) -> bool:
    """Whether what comes out depends on cosines and sines."""
    hidden = torch.randn(1, 5, SIZES["hidden_size"], generator=torch.Generator().manual_seed(1))
    width = HEAD // 2 if "GptOss" in type(attention).__name__ else HEAD
    angles = torch.arange(5.0)[None, :, None] * torch.ones(width)
    still, moved = (
        attention(hidden, position_embeddings=((by * angles).cos(), (by * angles).sin()), attention_mask=None)
        for by in (0.0, 1.0)
    )
    return not torch.allclose(still[0], moved[0])


def window(attention: torch.nn.Module, layer: int) -> int | None:
    """The window of a layer: in its attention, or in the mask that the model makes from the config."""
    config = attention.config
    types = getattr(config, "layer_types", None) or ["sliding_attention"] * (layer + 1)
    return (config.sliding_window or None) if types[layer] == "sliding_attention" else None


@pytest.mark.parametrize("config", CASES, ids=lambda config: config["model_type"])
def test_layers_turn_and_have_windows_as_read(config: dict):
    for record in rotary_from_config(config):
        attention = attention_of(config, record.layer)
        assert turns(attention) == (record.kind == "rotary"), record.layer
        assert window(attention, record.layer) == record.window, record.layer
