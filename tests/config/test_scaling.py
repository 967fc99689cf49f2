"""Blocks on scaling, and what classes do otherwise than a config says: read as they do, or both are named."""

from typing import Any

import numpy as np
import pytest

import pe_book as pe
from pe_book.config.checking import check_config
from pe_book.config.reading import read_config, rotary_from_config
from tests.config.configs import LLAMA, LONGROPE, YARN, first
from tests.config.remedies import GEMMA


@pytest.mark.parametrize("block", ["rope_scaling", "rope_parameters"])
@pytest.mark.parametrize("kind", ["type", "rope_type"])
def test_a_block_is_read_under_both_names(block: str, kind: str) -> None:
    record = first(**{block: {kind: "linear", "factor": 4}})
    np.testing.assert_array_equal(record.frequencies, pe.frequencies(64) / 4)
    assert record.method == "linear"


def test_scores_of_deepseek_carry_the_second_factor_and_rows_none() -> None:
    block = {
        "rope_type": "yarn", "factor": 40, "original_max_position_embeddings": 4096,
        "mscale": 1.0, "mscale_all_dim": 1.0,
    }  # fmt: skip
    record = first(model_type="deepseek_v3", rope_scaling=block)
    assert record.attention_factor == 1
    np.testing.assert_allclose(record.score_factor, (1 + 0.1 * np.log(40)) ** 2, rtol=1e-15)
    assert first(rope_scaling=block).score_factor == 1


@pytest.mark.parametrize(("length", "wanted"), [(4096, 1.1), (4097, 1.3)])
def test_phi_moe_has_a_factor_for_each_list_and_others_compute_it(length: int, wanted: float) -> None:
    block = {**LONGROPE, "short_mscale": 1.1, "long_mscale": 1.3, "original_max_position_embeddings": 4096}
    config = {**LLAMA, "max_position_embeddings": 8192, "rope_scaling": block}
    (record, *_) = rotary_from_config({**config, "model_type": "phimoe"}, length=length)
    assert record.attention_factor == wanted
    (record, *_) = rotary_from_config(config, length=length)
    assert record.attention_factor not in (1.1, 1.3)
    assert "rope_scaling.long_mscale" in read_config(config).ignored


@pytest.mark.parametrize(
    ("block", "lengths"),
    [
        ({"type": "dynamic", "factor": 2.0}, {None: 4096, 100: 4096, 4096: 4096, 4097: 4097, 9000: 9000}),
        (LONGROPE, {None: 1024, 1024: 1024, 1025: None}),
        ({"type": "linear", "factor": 2.0}, {None: None, 9000: None}),
        ({"type": "yarn", "factor": 2.0}, {None: None, 9000: None}),
        (None, {None: None, 9000: None}),
    ],
)
def test_a_record_says_for_which_lengths_its_frequencies_hold(block, lengths):
    trained = {"original_max_position_embeddings": 1024} if block is LONGROPE else {}
    for length, wanted in lengths.items():
        config = {**LLAMA, "rope_scaling": block, **trained}
        (record, *_) = rotary_from_config(config, length=length)
        assert record.valid_len == wanted
        if wanted is None:
            continue
        same, other = (rotary_from_config(config, length=n)[0].frequencies for n in (wanted, wanted + 1))
        np.testing.assert_array_equal(record.frequencies, same)
        assert (record.frequencies != other).any()


# What classes do otherwise --------------------------------------------------------------------------------

LIST = ["sliding_attention", "full_attention", "sliding_attention"]
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


def test_a_class_of_layers_all_alike_reads_no_list() -> None:
    config = {**LLAMA, "model_type": "mistral", "sliding_window": 16, "layer_types": LIST}
    told = says(config, "layer_types")
    assert "for mistral and gives all layers a window of 16 tokens; vLLM's Llama" in told
    assert "2 of 3 layers" in told


def test_a_model_whose_full_layers_do_not_turn_turns_none_without_a_window() -> None:
    config = {**LLAMA, "model_type": "cohere2", "sliding_window": None}
    assert {one.kind for one in rotary_from_config(config)} == {"none"}


# Blocks ---------------------------------------------------------------------------------------------------


def test_yarn_is_rounded_unless_the_block_that_the_class_looks_at_says_no() -> None:
    for said, rounded in ((True, True), (False, False), (None, False)):  # a null is a no
        block = {**YARN, "truncate": said}
        assert first(rope_scaling=block).truncate is rounded
        assert first(rope_scaling=block, model_type="modernbert").truncate
        kinds = {"full_attention": YARN, "truncate": said, "rope_theta": 5e5}
        gemma = {**LLAMA, **GEMMA, "rope_parameters": kinds}
        assert rotary_from_config(gemma)[5].truncate is rounded
        assert "for gemma3_text" in says(gemma, "rope_parameters.rope_theta", "ignored")
    made = {**LLAMA, "model_type": "modernbert", "rope_scaling": {**YARN, "truncate": False}}
    assert "for modernbert, and rounds" in says(made, "rope_scaling.truncate", "ignored")


def test_a_part_in_a_block_without_scaling_is_not_read() -> None:
    block = {"rope_type": "default", "rope_theta": 2e4, "partial_rotary_factor": 0.5}
    config = {**LLAMA, "model_type": "apertus", "head_dim": 64, "rope_parameters": block}
    told = says(config, "rope_parameters.partial_rotary_factor")
    assert "turns 64 columns; a program that reads it turns 32" in told


def test_a_part_with_which_the_class_does_not_run_is_said() -> None:
    block = {"rope_type": "linear", "factor": 2.0, "partial_rotary_factor": 0.5}
    told = says({**LLAMA, "rope_scaling": block}, "rope_scaling.partial_rotary_factor")
    assert "angles for 32 of 64 columns, and the code of llama does not run" in told
    beside = {**LLAMA, "rope_scaling": {"rope_type": "linear", "factor": 2.0}, "partial_rotary_factor": 0.5}
    assert "does not run" in says(beside, "partial_rotary_factor")


# Two types ------------------------------------------------------------------------------------------------


def test_an_architecture_of_another_type_is_said() -> None:
    told = says({**LLAMA, "architectures": ["Qwen2ForCausalLM"]}, "architectures")
    assert "a class of qwen2, and model_type says llama: transformers loads by model_type" in told
    same = {"gemma3_text": "Gemma3ForCausalLM", "llama": "LlamaForCausalLM", "mistral": "MineForAll"}
    for name, of in same.items():
        config = {**LLAMA, "model_type": name, "head_dim": 64, "architectures": [of]}
        assert "architectures" not in {one.key for one in check_config(config).findings}
