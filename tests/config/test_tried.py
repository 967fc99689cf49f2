"""What classes of transformers do otherwise than a config says: read as they do, or both programs named."""

from typing import Any

import numpy as np
import pytest

import pe_book as pe
from pe_book.config.checking import check_config
from pe_book.config.reading import read_config, rotary_from_config
from tests.config.configs import LLAMA

LIST = ["sliding_attention", "full_attention", "sliding_attention"]
GEMMA = {**LLAMA, "model_type": "gemma3_text", "head_dim": 64, "sliding_window": 512}
HUNYUAN = {**LLAMA, "model_type": "hunyuan_v1_dense", "head_dim": 64, "rope_theta": 1e4}
ALPHA = {"type": "dynamic", "alpha": 1000.0, "factor": 1.0, "beta_fast": 32, "mscale": 1.0}
META_4 = {"dim": 64, "n_layers": 4, "n_heads": 4, "use_scaled_rope": True, "attention_chunk_size": 8192,
          "nope_layer_interval": 4, "rope_theta": 5e5}  # fmt: skip


def says(config: dict[str, Any], key: str, kind: str = "contradictory") -> str:
    """What the one finding or note of a key says."""
    report = check_config(config)
    found = [one for one in (*report.findings, *report.notes) if (one.key, one.kind) == (key, kind)]
    assert len(found) == 1, [str(one) for one in (*report.findings, *report.notes)]
    return found[0].says


# A base that is enlarged once and for all -----------------------------------------------------------------


def test_alpha_of_hunyuan_is_in_the_base_at_every_length() -> None:
    config = {**HUNYUAN, "rope_scaling": ALPHA}
    for length in (None, 100_000):
        record = rotary_from_config(config, length=length)[0]
        wanted = pe.frequencies(64, base=1e4 * 1000 ** (64 / 62))
        np.testing.assert_allclose(record.frequencies, wanted, rtol=1e-12)
        assert record.valid_len is None
    assert "transformers and vLLM multiply the base" in says(config, "rope_scaling.alpha", "note")
    assert check_config(config).findings == ()


# Meta's file of Llama 4 -----------------------------------------------------------------------------------


def test_a_file_of_llama_4_is_read_as_its_code_reads_it() -> None:
    reading = read_config({**META_4, "rope_scaling_factor": 16, "rope_high_freq_factor": 1})
    assert reading.known
    assert [one.kind for one in reading.records] == ["rotary"] * 3 + ["none"]
    assert [one.window for one in reading.records] == [8192] * 3 + [None]
    omega = pe.frequencies(16, base=5e5)
    turned = 8192 * omega / (2 * np.pi)  # pairs of less than one turn in training are divided
    np.testing.assert_allclose(reading.records[0].frequencies, np.where(turned < 1, omega / 16, omega))
    assert not check_config({**META_4, "rope_scaling_factor": 16}).findings
    left_out = read_config(META_4).records[0].frequencies  # the code has the same numbers
    np.testing.assert_array_equal(left_out, reading.records[0].frequencies)
    eight = read_config({**META_4, "rope_scaling_factor": 8}).records[0].frequencies
    np.testing.assert_allclose(eight, np.where(turned < 1, omega / 8, omega))


# Layers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mistral", "phi3"])
def test_a_class_of_layers_all_alike_reads_no_list(name: str) -> None:
    config = {**LLAMA, "model_type": name, "sliding_window": 16, "layer_types": LIST}
    assert [one.window for one in rotary_from_config(config)] == [16, 16, 16]
    told = says(config, "layer_types")
    assert f"for {name} and gives all layers a window of 16 tokens; vLLM's Llama" in told
    assert "2 of 3 layers" in told


def test_windows_that_are_switched_off_have_no_width() -> None:
    config = {**LLAMA, "model_type": "qwen2_moe", "sliding_window": 16, "layer_types": LIST}
    assert [one.window for one in rotary_from_config(config)] == [None] * 3
    assert "use_sliding_window is not true" in says(config, "layer_types")
    on = {**config, "use_sliding_window": True}
    assert [one.window for one in rotary_from_config(on)] == [16, None, 16]


def test_a_list_says_what_layers_see_and_another_which_turn() -> None:
    llama4 = {"model_type": "llama4_text", "num_hidden_layers": 4, "layer_types": ["full_attention"] * 4}
    found = rotary_from_config(llama4)
    assert [one.window for one in found] == [None] * 4
    assert [one.kind for one in found] == ["rotary"] * 3 + ["none"]
    smol = {**LLAMA, "model_type": "smollm3", "sliding_window": 16, "layer_types": LIST}
    assert [one.window for one in rotary_from_config(smol)] == [16, None, 16]


def test_a_pattern_that_the_class_does_not_look_for_is_said() -> None:
    name = "gemma2"
    config = {**LLAMA, "model_type": name, "sliding_window": 16, "sliding_window_pattern": 3}
    without = {key: value for key, value in config.items() if key != "sliding_window_pattern"}
    windows = [[one.window for one in rotary_from_config(one)] for one in (config, without)]
    assert windows[0] == windows[1]
    assert name in says(config, "sliding_window_pattern", "ignored")


# Blocks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gemma3_text", "olmo3"])
def test_a_method_under_its_old_name_scales_nothing_there(name: str) -> None:
    block = {"type": "linear", "factor": 8.0}
    config = {**GEMMA, "model_type": name, "num_hidden_layers": 6, "rope_scaling": block}
    assert {one.method for one in rotary_from_config(config)} == {"default"}
    told = says(config, "rope_scaling.type")
    assert f"reads rope_type alone in this block for {name}, and scales nothing; a program" in told


def test_the_base_in_one_block_is_that_of_the_full_layers() -> None:
    block = {"rope_type": "default", "rope_theta": 12345.0}
    records = rotary_from_config({**GEMMA, "num_hidden_layers": 6, "rope_scaling": block})
    np.testing.assert_array_equal(records[0].frequencies, pe.frequencies(64, base=1e4))
    np.testing.assert_array_equal(records[5].frequencies, pe.frequencies(64, base=12345.0))


@pytest.mark.parametrize("name", ["apertus", "gpt_oss"])
def test_a_part_in_a_block_without_scaling_is_not_read(name: str) -> None:
    block = {"rope_type": "default", "rope_theta": 2e4, "partial_rotary_factor": 0.5}
    config = {**LLAMA, "model_type": name, "head_dim": 64, "rope_parameters": block}
    assert rotary_from_config(config)[0].rotary_dim == 64
    told = says(config, "rope_parameters.partial_rotary_factor")
    assert "turns 64 columns; a program that reads it turns 32" in told


def test_a_part_in_a_proportional_block_is_read() -> None:
    block = {"rope_type": "proportional", "factor": 1.0, "partial_rotary_factor": 0.25}
    record = rotary_from_config({**LLAMA, "rope_scaling": block})[0]
    assert (record.rotary_dim, np.count_nonzero(record.frequencies)) == (64, 8)
    assert not check_config({**LLAMA, "rope_scaling": block}).findings


def test_a_part_with_which_the_class_does_not_run_is_said() -> None:
    block = {"rope_type": "linear", "factor": 2.0, "partial_rotary_factor": 0.5}
    told = says({**LLAMA, "rope_scaling": block}, "rope_scaling.partial_rotary_factor")
    assert "angles for 32 of 64 columns, and the code of llama does not run" in told
    beside = {**LLAMA, "rope_scaling": {"rope_type": "linear", "factor": 2.0}, "partial_rotary_factor": 0.5}
    assert "does not run" in says(beside, "partial_rotary_factor")


@pytest.mark.parametrize(
    ("name", "method", "why"),
    [
        ("ernie4_5_vl_moe_text", "linear", "with linear, as was tried"),
        ("mixtral", "dynamic", "with dynamic where head_dim is missing, as was tried"),
    ],
)
def test_a_block_that_the_class_does_not_run_with_is_said(name: str, method: str, why: str) -> None:
    config = {**LLAMA, "model_type": name, "rope_scaling": {"rope_type": method, "factor": 2.0}}
    assert why in says(config, "rope_scaling.rope_type")


# Two types ------------------------------------------------------------------------------------------------


def test_an_architecture_of_another_type_is_said() -> None:
    told = says({**LLAMA, "architectures": ["Qwen2ForCausalLM"]}, "architectures")
    assert "a class of qwen2, and model_type says llama: transformers loads by model_type" in told
    same = {"gemma3_text": "Gemma3ForCausalLM", "llama": "LlamaForCausalLM", "mistral": "MineForAll"}
    for name, of in same.items():
        config = {**LLAMA, "model_type": name, "head_dim": 64, "architectures": [of]}
        assert "architectures" not in {one.key for one in check_config(config).findings}
