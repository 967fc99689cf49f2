"""What a config means: records worked out by hand, and configs that nobody chose."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import pe_book as pe
from pe_book.config.checking import check_config
from pe_book.config.classes import MODELS
from pe_book.config.reading import read_config, rotary_from_config
from tests.config.configs import BLOCKS, LLAMA, LONGROPE, YARN, first
from tests.seeds import examples_drawn

PLANTED = {
    "share": [("pe_book/config/keys.py", "return int(head * share)", "return int(head * share / 2)")],
}
few = examples_drawn(200)


# Small configs by hand ------------------------------------------------------------------------------------


def test_a_head_is_the_width_over_the_heads_unless_it_is_given() -> None:
    assert first().head_dim == first().rotary_dim == 64
    assert first(head_dim=128).head_dim == 128
    np.testing.assert_array_equal(first().frequencies, pe.frequencies(64))


@pytest.mark.parametrize(
    ("model", "name"),
    [("gpt_neox", "rotary_pct"), ("phi", "partial_rotary_factor"), ("exaone", "rotary_emb_fraction")],
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
        ({"rotary_pct": 0.25, "partial_rotary_factor": 0.5}, 32),
        ({"partial_rotary_factor": 0.5}, 32),  # its class reads the share of this name in the block alone
        ({"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}}, 64),
        ({"rotary_pct": 0.25, "rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}}, 64),
    ],
)
def test_gpt_neox_reads_its_share_as_its_class_does(said: dict[str, Any], turning: int) -> None:
    config = {**LLAMA, "model_type": "gpt_neox", "hidden_size": 512, **said}
    assert {record.rotary_dim for record in rotary_from_config(config)} == {turning}


def test_rotary_dim_goes_before_a_share() -> None:
    assert first(model_type="exaone", rotary_dim=32, rotary_pct=0.25).rotary_dim == 32


def test_latent_attention_turns_the_last_columns() -> None:
    record = first(model_type="deepseek_v3", qk_rope_head_dim=64, qk_nope_head_dim=128)
    assert (record.head_dim, record.rotary_dim, record.side, record.layout) == (
        192,
        64,
        "last",
        "interleaved",
    )


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [  # for each layer whether it turns, and its window: w has one
        ({"model_type": "exaone4", "sliding_window": None, "layer_types": ["full_attention"] * 3}, "t t t"),
        ({"model_type": "exaone4", "layer_types": ["full_attention"] * 3}, "- - -"),
        ({"model_type": "cohere2", "sliding_window_pattern": 3}, "tw tw -"),
        ({"model_type": "cohere2", "sliding_window": None}, "- - -"),
        ({"model_type": "smollm3", "no_rope_layers": [1, 0, 1], "sliding_window": 8}, "t - t"),
        (
            {"model_type": "smollm3", "no_rope_layers": [1, 0, 1], "sliding_window": 8,
             "use_sliding_window": True}, "t -w t",
        ),
        ({"model_type": "qwen3_moe", "use_sliding_window": True, "max_window_layers": 2}, "tw tw tw"),
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
        ({"model_type": "gptj"}, "rotary_dim", 64),
        ({"model_type": "gptj", "rotary_dim": None}, "rotary_dim", 64),
        ({"model_type": "deepseek_v3"}, "rotary_dim", 64),
        ({"model_type": "deepseek_v3"}, "head_dim", 192),
        ({"model_type": "mistral"}, "window", 4096),
        ({"model_type": "mistral", "sliding_window": None}, "window", None),
        ({"model_type": "mixtral"}, "window", None),
        ({"model_type": "qwen2_vl", "head_dim": 128}, "sections", (16, 24, 24)),
        ({"model_type": "qwen3_vl", "head_dim": 128}, "arrangement", "interleaved"),
        ({"rope_scaling": {"type": "mrope", "mrope_section": [8, 12, 12]}}, "sections", ()),
        ({"model_type": "gemma3_text", "hidden_size": 3840, "num_attention_heads": 16}, "head_dim", 256),
        ({"model_type": "qwen3", "hidden_size": 2560, "num_attention_heads": 32}, "head_dim", 128),
        ({"model_type": "gpt_oss"}, "method", "yarn"),
        ({"model_type": "gpt_oss", "rope_scaling": None}, "method", "yarn"),
        ({"model_type": "ministral3"}, "method", "yarn"),
        ({"model_type": "modernbert", "layer_types": ["sliding_attention"] * 3}, "window", 65),
        ({"model_type": "mistral", "sliding_window": 0}, "window", None),
        ({"model_type": "deepseek_v32", "layer_types": ["indexed_attention"] * 3}, "attention", "full"),
    ],
)
def test_what_the_class_has_where_a_config_is_silent(changes: Any, name: str, value: Any) -> None:
    assert getattr(first(**changes), name) == value


def test_what_a_class_assumes_is_defaulted_and_not_used() -> None:
    reading = read_config({**LLAMA, "model_type": "mistral"})
    assert reading.defaulted["sliding_window"] == 4096
    assert "sliding_window" not in reading.used


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


@pytest.mark.parametrize("named", [{"model_type": "nobody"}, {"model_type": None}, {"model_type": ["llama"]}])
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
    [("LlamaForCausalLM", "llama"), ("GPTNeoXForCausalLM", "gpt_neox"), ("GPT2LMHeadModel", "gpt2"),
     ("Gemma3ForConditionalGeneration", "gemma3"), ("BertModel", "bert")],
)  # fmt: skip
def test_a_config_without_a_type_is_read_by_its_architecture(architecture: str, model_type: str) -> None:
    config = {**LLAMA, "model_type": None, "architectures": [architecture]}
    assert read_config(config).model_type == model_type
    for unknown in (["HeliumXForCausalLM"], [], "LlamaForCausalLM", [5]):
        with pytest.raises(ValueError, match="model_type is missing"):
            read_config({**config, "architectures": unknown})


def test_a_one_in_no_rope_layers_means_that_the_layer_turns() -> None:
    records = rotary_from_config({**LLAMA, "model_type": "smollm3", "no_rope_layers": [1, 1, 0]})
    assert [record.kind for record in records] == ["rotary", "rotary", "none"]


@pytest.mark.parametrize(("said", "layout"), [(True, "interleaved"), (False, "halves"), (None, "halves")])
def test_a_key_says_how_deepseek_pairs(said: bool | None, layout: str) -> None:
    reading = read_config(LLAMA | {"model_type": "deepseek_v3", "rope_interleave": said})
    assert reading.records[0].layout == layout
    assert reading.used["rope_interleave"] is said
    assert first(model_type="deepseek_v3").layout == "interleaved"


@pytest.mark.parametrize("name", ["deepseek_v32", "kimi_k2"])
def test_a_key_that_the_code_does_not_read_is_ignored(name: str) -> None:
    config = LLAMA | {"model_type": name, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128}
    reading = read_config(config | {"rope_interleave": False})
    assert {record.layout for record in reading.records} == {"interleaved"}
    assert "rope_interleave" in reading.ignored


@pytest.mark.parametrize("name", ["bert", "gpt_bigcode", "roberta"])
def test_models_with_a_table_are_not_taken_for_rotary_ones(name: str) -> None:
    assert first(model_type=name).kind == "learned"
    assert first(model_type="t5").kind == "bias"


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ({"model_type": "gpt2", "n_layer": 2}, "learned"),
        ({"model_type": "mpt", "n_layers": 2, "attn_config": {"alibi": True}}, "alibi"),
    ],
)
def test_other_ways_of_telling_position_are_named(config: Any, kind: str) -> None:
    assert [record.kind for record in rotary_from_config(config)] == [kind, kind]


def test_a_path_is_read_and_a_dictionary_is_not_changed(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(LLAMA))
    before = json.dumps(LLAMA)
    assert (
        len(rotary_from_config(file)) == len(rotary_from_config(str(file))) == len(rotary_from_config(LLAMA))
    )
    assert json.dumps(LLAMA) == before


def test_what_was_used_defaulted_and_ignored_is_told() -> None:
    reading = read_config({**LLAMA, "rope_scaling": {"type": "linear", "factor": 2, "beta_fast": 32}})
    assert reading.used["rope_scaling.factor"] == 2
    assert reading.defaulted == {"rope_theta": 10000.0, "head_dim": 64}
    assert reading.ignored == ["rope_scaling.beta_fast"]


# Configs that nobody chose --------------------------------------------------------------------------------


SCALAR = st.none() | st.booleans() | st.integers(-2, 5000) | st.floats(allow_nan=True) | st.text(max_size=4)
ANYTHING = SCALAR | st.lists(SCALAR, max_size=4) | st.dictionaries(st.text(max_size=4), SCALAR, max_size=3)
KEYS = sorted({key for block in BLOCKS.values() for key in block["config"]})
IN_A_BLOCK = sorted({
    key for block in BLOCKS.values() for name in ("rope_scaling", "rope_parameters")
    for key in (block["config"].get(name) or {})
})  # fmt: skip


@few
@given(
    model=st.sampled_from(sorted(MODELS)),
    changes=st.dictionaries(st.sampled_from(KEYS), ANYTHING, max_size=4),
    inside=st.dictionaries(st.sampled_from(IN_A_BLOCK), ANYTHING, max_size=4),
    method=st.sampled_from(["linear", "dynamic", "yarn", "longrope", "llama3", "proportional", "default"]),
)
@example("RefinedWebModel", {"qk_rope_head_dim": []}, {}, "default")
def test_no_config_breaks_the_reader(model: str, changes: Any, inside: Any, method: str) -> None:
    block = {"rope_type": method, "factor": 2.0, "original_max_position_embeddings": 1024, **inside}
    config = {**LLAMA, "rope_scaling": block, **changes, "model_type": model}
    if isinstance(config.get("num_hidden_layers"), int | float) and config["num_hidden_layers"] > 100:
        config["num_hidden_layers"] = 100  # thousands of layers take long, and are no other case
    try:
        records = read_config(config).records
    except ValueError as error:
        named = any(word in str(error) for word in (*config, *block, "config"))
        assert named, error  # noqa: PT017
        return
    assert str(check_config(config, length=5000))
    for record in records:
        assert np.isfinite(record.frequencies).all()
        assert np.isfinite([record.attention_factor, record.score_factor]).all()


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            {**LLAMA, "rope_scaling": {"type": "ntk-by-parts"}},
            "rope_scaling.type must be one of default",
        ),
        ({**LLAMA, "rope_scaling": {"type": "yarn", "factor": 0}}, "factor must be a number above 0"),
        ({**LLAMA, "rope_theta": "10000"}, "rope_theta must be a number above 0 .* got '10000'"),
        (
            {**LLAMA, "num_attention_heads": 3},
            "hidden_size must be a multiple of num_attention_heads, 3, got 256",
        ),
        ({**LLAMA, "rope_scaling": "yarn"}, "rope_scaling must be a block of settings, got 'yarn'"),
        (
            {**LLAMA, "rope_scaling": {"type": "YaRN"}},
            "rope_scaling.type must be one of .* write 'YaRN' as yarn",
        ),
        (
            {**LLAMA, "rope_scaling": {**YARN, "truncate": "false"}},
            "rope_scaling.truncate must be true or false, got 'false'",
        ),
        (
            {
                **LLAMA,
                "rope_scaling": {**LONGROPE, "long_factor": [1.0] * 31},
                "max_position_embeddings": 8192,
            },
            "rope_scaling.long_factor must have a factor for each of 32 pairs, got 31",
        ),
        (
            {**LLAMA, "rope_scaling": {**YARN, "mscale": "0.7"}},
            r"rope_scaling.mscale must be a number of at least 0 and below 2\*\*53, got '0.7'",
        ),
        ({**LLAMA, "model_type": "falcon", "alibi": "false"}, "alibi must be true or false, got 'false'"),
        (
            {**LLAMA, "model_type": "smollm3", "no_rope_layers": [1, 1]},
            "no_rope_layers must have an entry for each of 3 layers, got 2",
        ),
        (
            {**LLAMA, "model_type": "smollm3", "no_rope_layers": [1, "x", 2]},
            r"no_rope_layers must be a list of 0 and 1, got \[1, 'x', 2\]",
        ),
        (
            {"model_type": "exaone", "num_layers": 2, "llm_config": LLAMA},
            "it has neither, but its 'llm_config' has: give that block as the config",
        ),
        ({**LLAMA, "model_type": "gpt_neox", "rotary_pct": 1.5}, "rotary_pct must be at most 1, got 1.5"),
        ({**LLAMA, "model_type": "gptj", "rotary_dim": 65}, "rotary_dim must be even, got 65"),
        (
            {**LLAMA, "layer_types": ["full_attention"]},
            "layer_types must have an entry for each of 3 layers, got 1",
        ),
        (
            {**LLAMA, "layer_types": ["full_attention"] * 2 + ["ful_attention"]},
            r"layer_types\[2\] must be one of",
        ),
        ({**LLAMA, "num_hidden_layers": 10**6}, "num_hidden_layers must be at most 10000, got 1000000"),
        ({"model_type": "exaone", "n_layer": 2}, "config must have head_dim, or hidden_size"),
        ({"model_type": "exaone"}, "num_hidden_layers must be there: neither the config nor its class"),
        ({"model_type": "qwen", "n_layer": 2, "n_embd": 256}, "config must have head_dim, .*; it has n_embd"),
        (
            {"model_type": "phi3_v", "text_config": {"num_hidden_layers": 2, "hidden_size": 2560}},
            "its text_config has hidden_size alone",
        ),
        (
            {"model_type": "hunyuan_v1_dense", "hidden_size": 256, "num_attention_heads": 4},
            "the class of 'hunyuan_v1_dense' reads head_dim alone",
        ),
        ({}, "model_type is missing"),
        (
            {"model_type": "gptj", "n_embd": 64, "n_head": 4},
            "n_embd over n_head must be at least 64, since the class of 'gptj' turns 64 .* got 16",
        ),
        (
            {"model_type": "gptj", "n_embd": 250, "n_head": 4},
            "n_embd must be a multiple of n_head, 4, got 250",
        ),
        ({"model_type": "gptj", "n_layer": 10**6}, "n_layer must be at most 10000"),
        ("nowhere.json", "config must name a file that can be read, got 'nowhere.json'"),
    ],
)
def test_what_cannot_be_read_is_refused_by_the_name_of_its_key(config: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rotary_from_config(config)


@pytest.mark.parametrize(("length", "error"), [(0, ValueError), (-5, ValueError), ("32k", TypeError)])
def test_a_length_that_is_none_is_refused_with_records_too(length: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="length must be a whole number of at least 1, got"):
        rotary_from_config(LLAMA, length=length)


@pytest.mark.parametrize(
    ("text", "message"), [("[1]", "must be a JSON object"), ("{", "must be a JSON file")]
)
def test_a_file_that_is_no_config_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "config.json"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        rotary_from_config(file)
    with pytest.raises(TypeError, match="config must be a path or a dictionary, got 5"):
        rotary_from_config(5)  # type: ignore[arg-type]  # wrong on purpose
