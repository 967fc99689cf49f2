"""Every model type that is claimed: its class is built without weights and compared with its records.

From its default config and from one that says nothing; the sweep of all types has more.
"""

from typing import Any

import pytest
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

from pe_book.config.checking import check_config
from pe_book.config.classes import MODELS
from pe_book.config.reading import read_config
from tests.parity.classes.built import classes_of, config_of, received
from tests.parity.classes.sweep import differences
from tests.parity.classes.variants import FEW, of_few_layers, saved, silent

CLAIMED = sorted(name for name in MODELS if name in CONFIG_MAPPING_NAMES)
# 4096 columns over 96 heads are no whole width; the published configs name one
REFUSED = {"glm4_moe": "hidden_size must be a multiple of num_attention_heads, 96"}
# a key where nothing looks: their default says it, and it is told
UNSOUND = {"musicflamingo", "deepseek_v4", "minimax_m3_vl", "minimax_m3_vl_text", "phi4_multimodal"}


@pytest.mark.parametrize("model_type", CLAIMED)
def test_a_class_does_what_is_read_of_its_default_config(model_type: str) -> None:
    for values in (saved(model_type), silent(model_type)):
        if model_type in REFUSED:
            with pytest.raises(ValueError, match=REFUSED[model_type]):
                read_config(values)
            continue
        records = read_config(values).records
        if not classes_of(config_of(values)):  # it takes images or sound: its tables are compared elsewhere
            assert {one.kind for one in records} <= {"learned", "convolution", "axial"}
            continue
        assert differences(records, *received(values)) == []


WINDOW, NONE = {"sliding_window": 8}, {"sliding_window": None}
FULL, USED = {"layer_types": ["full_attention"] * FEW}, {"use_sliding_window": True, **WINDOW}
QWEN = (WINDOW, USED, {"max_window_layers": 2, **USED})
LAYERS: dict[str, tuple[dict[str, Any], ...]] = {
    "exaone4": (WINDOW, WINDOW | FULL, NONE | FULL),
    "cohere2": (WINDOW, WINDOW | FULL),
    "smollm3": (WINDOW, USED, {"no_rope_layers": [0, 1, 1, 0] * (FEW // 4), **USED}),
    **dict.fromkeys(("qwen2", "qwen2_moe", "qwen3_moe"), QWEN),
    **dict.fromkeys(("mixtral", "gemma2", "olmo3", "gpt_oss"), (WINDOW,)),
    "mistral": (WINDOW, NONE),
}  # fmt: skip


@pytest.mark.parametrize("model_type", LAYERS)
def test_layers_turn_and_have_windows_as_read(model_type: str) -> None:
    for settings in LAYERS[model_type]:
        values = silent(model_type, **of_few_layers(model_type), **settings)
        assert differences(read_config(values).records, *received(values)) == [], settings


def test_sound_defaults_give_no_findings() -> None:
    """Of every type whose text is known, those with a text of another type among them."""
    found = {}
    for name in CONFIG_MAPPING_NAMES:
        try:
            report = check_config(saved(name))
        except Exception:  # not known here, or no config without a library
            continue
        found[name] = [str(one) for one in report.findings]
    assert len(found) > 110
    assert {name for name, told in found.items() if told} <= UNSOUND
