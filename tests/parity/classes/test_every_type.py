"""Every model type that is claimed: its class is built without weights and compared with its records.

From its default config, from one that says nothing, and from ones in which a key was dropped, is respelt or
has another value. What differs is refused or right; what transformers refuses is no config.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

from pe_book.config.checking import check_config
from pe_book.config.classes import MODELS
from pe_book.config.reading import read_config
from pe_book.config.widths import SIZES
from tests.parity.classes.built import received
from tests.parity.classes.sweep import differences

CLAIMED = sorted(name for name in MODELS if name in CONFIG_MAPPING_NAMES)
# 4096 columns over 96 heads are no whole width; the published configs name one
REFUSED = {"glm4_moe": "hidden_size must be a multiple of num_attention_heads, 96"}
DROPPED = (
    *SIZES,
    "rope_parameters",
    "layer_types",
    "sliding_window",
    "max_position_embeddings",
    "local_attention",
)
# names of other classes, and values that a class may or may not look at
TRIED: dict[str, Any] = {
    "d_head": 32, "kv_channels": 32, "n_heads": 2, "n_head": 2, "n_embd": 512, "dim": 512, "num_layers": 3,
    "n_layers": 3,
    "rotary_dim": 16, "rotary_pct": 0.5, "rotary_emb_fraction": 0.5, "partial_rotary_factor": 0.5,
    "head_dim": 32,
    "qk_rope_head_dim": 32, "qk_nope_head_dim": 32, "rope_theta": 3e5, "rotary_emb_base": 20000,
    "global_rope_theta": 20000.0, "rope_ratio": 2, "sliding_window": 16, "attention_chunk_size": 16,
    "alibi": True,
    "rope_scaling": {"rope_type": "linear", "factor": 4.0},
    "rope_parameters": {
        "rope_type": "linear", "factor": 4.0, "rope_theta": 5e5, "partial_rotary_factor": 0.5,
    },
}  # fmt: skip


@cache
def saved(model_type: str) -> dict[str, Any]:
    """The default config of a class as transformers writes it."""
    return CONFIG_MAPPING[model_type]().to_dict()


def changed(model_type: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The default config with a key dropped, and a silent one with a key added, each with what was done."""
    full = saved(model_type)
    inner = full.get("text_config") if isinstance(full.get("text_config"), dict) else None
    for key in DROPPED:
        if key in (inner or full):
            left = {name: value for name, value in (inner or full).items() if name != key}
            yield f"without {key}", {**full, "text_config": left} if inner else left
    for key, value in TRIED.items():
        said = {"model_type": model_type}
        yield f"{key}={value}", {**said, "text_config": {key: value}} if inner else {**said, key: value}


def wrong(values: dict[str, Any]) -> list[str]:
    """Where the records of a config differ from its class; empty where they agree or either refuses."""
    try:
        layers, seen = received(values)
    except Exception:  # what a class refuses, in whatever way, is no config
        return []
    try:
        records = read_config(values).records
    except ValueError:
        return []
    return differences(records, layers, seen)


@pytest.mark.parametrize("model_type", CLAIMED)
def test_a_class_does_what_is_read_of_its_default_config(model_type: str) -> None:
    for values in (saved(model_type), {"model_type": model_type}):
        if model_type in REFUSED:
            with pytest.raises(ValueError, match=REFUSED[model_type]):
                read_config(values)
            continue
        layers, seen = received(values)
        assert differences(read_config(values).records, layers, seen) == []


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
    assert {name for name, told in found.items() if told} <= {"musicflamingo"}


@pytest.mark.thorough
@pytest.mark.parametrize("model_type", CLAIMED)
def test_a_class_does_what_is_read_with_one_key_dropped_or_respelt(model_type: str) -> None:
    found = {what: apart[:1] for what, values in changed(model_type) if (apart := wrong(values))}
    assert found == {}
