"""What a config means: records worked out by hand, and configs that nobody chose."""

from typing import Any

import numpy as np
import pytest

import pe_book as pe
from pe_book.config.checking import check_config
from pe_book.config.reading import read_config, rotary_from_config
from tests.config.configs import LLAMA, LONGROPE, first

PLANTED = {
    "share": [("pe_book/config/keys.py", "return int(head * share)", "return int(head * share / 2)")],
}
# Small configs by hand ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "name"),
    [("gpt_neox", "rotary_pct"), ("phi", "partial_rotary_factor"), ("internlm2", "rotary_emb_fraction")],
)
def test_a_share_of_the_head_turns_and_the_ladder_is_that_of_the_slice(model: str, name: str) -> None:
    record = first(model_type=model, **{name: 0.25})
    assert (record.head_dim, record.rotary_dim, record.side) == (64, 16, "first")
    np.testing.assert_array_equal(record.frequencies, pe.frequencies(16))


@pytest.mark.parametrize(
    ("said", "turning"),
    [
        ({}, 32),
        ({"rotary_pct": 0.5}, 64),
        ({"partial_rotary_factor": 0.5}, 32),
        ({"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}}, 64),
        ({"rotary_pct": 0.25, "rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}}, 64),
    ],
)
def test_gpt_neox_reads_its_share_as_its_class_does(said: dict[str, Any], turning: int) -> None:
    config = {**LLAMA, "model_type": "gpt_neox", "hidden_size": 512, **said}
    assert {record.rotary_dim for record in rotary_from_config(config)} == {turning}


def test_latent_attention_turns_the_last_columns() -> None:
    record = first(model_type="deepseek_v3", qk_rope_head_dim=64, qk_nope_head_dim=128)
    found = record.head_dim, record.rotary_dim, record.side, record.layout
    assert found == (192, 64, "last", "interleaved")


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"model_type": "exaone4", "sliding_window": None, "layer_types": ["full_attention"] * 3}, "t t t"),
        ({"model_type": "exaone4", "layer_types": ["full_attention"] * 3}, "- - -"),
        ({"model_type": "cohere2", "sliding_window_pattern": 3}, "tw tw -"),
        (
            {"model_type": "smollm3", "no_rope_layers": [1, 0, 1], "sliding_window": 8,
             "use_sliding_window": True}, "t -w t",
        ),
        ({"model_type": "qwen2", "use_sliding_window": True, "max_window_layers": 2}, "t t tw"),
        ({"model_type": "qwen2_moe", "use_sliding_window": True, "max_window_layers": 2}, "tw t t"),
    ],
)  # fmt: skip
def test_which_layers_turn_and_which_have_a_window(changes: Any, wanted: str) -> None:
    records = rotary_from_config({**LLAMA, **changes})
    told = [f"{'t' if r.kind == 'rotary' else '-'}{'w' if r.window else ''}" for r in records]
    assert " ".join(told) == wanted


@pytest.mark.parametrize(
    ("changes", "name", "value"),
    [
        ({}, "head_dim", 64),
        ({"head_dim": 128}, "head_dim", 128),
        ({"model_type": "internlm2", "rotary_dim": 32, "rotary_pct": 0.25}, "rotary_dim", 32),
        ({"model_type": "gpt2"}, "kind", "learned"),
        ({"model_type": "mpt", "attn_config": {"alibi": True}}, "kind", "alibi"),
        ({"model_type": "gptj"}, "rotary_dim", 64),
        ({"model_type": "deepseek_v3"}, "rotary_dim", 64),
        ({"model_type": "deepseek_v3"}, "head_dim", 192),
        ({"model_type": "mistral"}, "window", 4096),
        ({"model_type": "mistral", "sliding_window": None}, "window", None),
        ({"model_type": "qwen2_vl", "head_dim": 128}, "sections", (16, 24, 24)),
        ({"model_type": "qwen3_vl", "head_dim": 128}, "arrangement", "interleaved"),
        ({"model_type": "gemma3_text", "hidden_size": 3840, "num_attention_heads": 16}, "head_dim", 256),
        ({"model_type": "qwen3", "hidden_size": 2560, "num_attention_heads": 32}, "head_dim", 128),
        ({"model_type": "gpt_oss"}, "method", "yarn"),
        ({"model_type": "modernbert", "layer_types": ["sliding_attention"] * 3}, "window", 65),
        ({"model_type": "deepseek_v32", "layer_types": ["indexed_attention"] * 3}, "attention", "full"),
    ],
)
def test_what_the_class_has_where_a_config_is_silent(changes: Any, name: str, value: Any) -> None:
    assert getattr(first(**changes), name) == value


@pytest.mark.parametrize(
    ("changes", "base"),
    [({"rope_theta": 5e5}, 1e4), ({"rotary_emb_base": 2e4, "rope_theta": 5e5}, 2e4), ({}, 1e4)],
)
def test_gpt_neox_looks_for_its_base_under_one_name(changes: Any, base: float) -> None:
    record = first(model_type="gpt_neox", **changes)
    np.testing.assert_array_equal(record.frequencies, pe.frequencies(16, base=base))
    ignored = read_config({**LLAMA, "model_type": "gpt_neox", **changes}).ignored
    assert ignored == [name for name in changes if name == "rope_theta"]


def test_settings_beside_the_text_of_a_model_are_not_read() -> None:
    text = {**LLAMA, "rope_theta": 2e4}
    config = {"rope_theta": 5e5, "hidden_size": 8, "head_dim": 4, "n_layer": 7, "text_config": text}
    reading = read_config(config)
    assert reading.outside == {"rope_theta": 5e5}
    np.testing.assert_array_equal(reading.records[0].frequencies, pe.frequencies(64, base=2e4))
    assert len(reading.records) == LLAMA["num_hidden_layers"]


@pytest.mark.parametrize("named", [{"model_type": "nobody"}, {"model_type": None}])
def test_a_type_that_is_not_known_is_refused_unless_another_is_assumed(named: Any) -> None:
    config = {**LLAMA, **named}
    for read in (rotary_from_config, check_config):
        with pytest.raises(
            ValueError, match=r"model_type .*(not known|missing).* as in assume='llama' or --assume"
        ):
            read(config)
    reading = read_config(config, assume="gptj")
    assert (reading.known, reading.read_as) == (False, "gptj")
    assert {(record.known, record.layout) for record in reading.records} == {(False, "interleaved")}
    assert {record.known for record in rotary_from_config(LLAMA, assume="gptj")} == {True}
    assert check_config(config, assume="gptj").findings[0].kind == "unknown"
    with pytest.raises(ValueError, match=r"assume must be one of .* known names, such as 'llama'"):
        read_config(config, assume="nobody")


@pytest.mark.parametrize(
    ("architecture", "model_type"),
    [
("LlamaForCausalLM", "llama"),
("GPTNeoXForCausalLM", "gpt_neox"),
("Gemma3ForConditionalGeneration", "gemma3"),
],
)  # fmt: skip
def test_a_config_without_a_type_is_read_by_its_architecture(architecture: str, model_type: str) -> None:
    config = {**LLAMA, "model_type": None, "architectures": [architecture]}
    assert read_config(config).model_type == model_type
    for unknown in (["HeliumXForCausalLM"], [], "LlamaForCausalLM", [5]):
        with pytest.raises(ValueError, match="model_type is missing"):
            read_config({**config, "architectures": unknown})


@pytest.mark.parametrize(("said", "layout"), [(True, "interleaved"), (False, "halves"), (None, "halves")])
def test_a_key_says_how_deepseek_pairs(said: bool | None, layout: str) -> None:
    reading = read_config(LLAMA | {"model_type": "deepseek_v3", "rope_interleave": said})
    assert reading.records[0].layout == layout
    assert reading.used["rope_interleave"] is said
    assert first(model_type="deepseek_v3").layout == "interleaved"


def test_a_key_that_the_code_does_not_read_is_ignored() -> None:
    name = "deepseek_v32"
    config = LLAMA | {"model_type": name, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128}
    reading = read_config(config | {"rope_interleave": False})
    assert {record.layout for record in reading.records} == {"interleaved"}
    assert "rope_interleave" in reading.ignored


def test_what_was_used_defaulted_and_ignored_is_told() -> None:
    reading = read_config({**LLAMA, "rope_scaling": {"type": "linear", "factor": 2, "beta_fast": 32}})
    assert reading.used["rope_scaling.factor"] == 2
    assert reading.defaulted == {"rope_theta": 10000.0, "head_dim": 64}
    assert reading.ignored == ["rope_scaling.beta_fast"]
    assumed = read_config({**LLAMA, "model_type": "mistral"})  # by its class
    assert assumed.defaulted["sliding_window"] == 4096
    assert "sliding_window" not in assumed.used


# Configs that nobody chose --------------------------------------------------------------------------------


SHORT = {**LONGROPE, "long_factor": [1.0] * 31}
REFUSED: dict[str, Any] = {
    "rope_scaling.type must be one of default": {**LLAMA, "rope_scaling": {"type": "ntk-by-parts"}},
    "hidden_size must be a multiple of num_attention_heads, 3, got 256": {**LLAMA, "num_attention_heads": 3},
    "long_factor must have a factor for each of 32 pairs, got 31": {**LLAMA, "rope_scaling": SHORT},
    "no_rope_layers must have an entry for each of 3 layers, got 2": {
        **LLAMA, "model_type": "smollm3", "no_rope_layers": [1, 1],
    },
    "rotary_pct must be at most 1, got 1.5": {**LLAMA, "model_type": "gpt_neox", "rotary_pct": 1.5},
    r"layer_types\[2\] must be one of": {**LLAMA, "layer_types": ["full_attention"] * 2 + ["ful_attention"]},
    "config must have head_dim, or hidden_size": {"model_type": "internlm2", "n_layer": 2},
    "its text_config has hidden_size alone": {
        "model_type": "phi3_v", "text_config": {"num_hidden_layers": 2, "hidden_size": 2560},
    },
    "config must name a file that can be read, got 'nowhere.json'": "nowhere.json",
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_read_is_refused_by_the_name_of_its_key(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rotary_from_config(REFUSED[message])
