"""What a report finds in a config: each problem that a config can show is planted, and is named."""

from typing import Any

import numpy as np
import pytest

import pe_book as pe
from pe_book.config.checking import check_config
from pe_book.evidence.family.recorded import WITHOUT_SIZES
from tests.config.configs import BLOCKS, LLAMA, LONGROPE, YARN
from tests.config.test_report import COUNTED

LLAMA_3 = {"rope_type": "llama3", "factor": 4.0, "original_max_position_embeddings": 1024}


def found(config: dict[str, Any], length: int | None = None) -> set[tuple[str, str]]:
    """Kind and key of every finding and every note."""
    report = check_config(config, length=length)
    return {(one.kind, one.key) for one in (*report.findings, *report.notes)}


LINEAR, DEFAULT = {"rope_type": "linear", "factor": 2.0}, {"rope_type": "default"}
WITH_ENDS = {**LLAMA_3, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
OF_QWEN_3 = {
    "model_type": "qwen3", "max_position_embeddings": 40960,
    "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768},
}  # fmt: skip
SOUND: dict[str, dict[str, Any]] = {
    "nothing beside the sizes": {},
    "one base twice": {"rope_theta": 5e5, "rope_parameters": {**DEFAULT, "rope_theta": 5e5}},
    "two blocks that mean the same": {
        "rope_scaling": {"type": "linear", "factor": 2}, "rope_theta": 5e5,
        "rope_parameters": {**LINEAR, "rope_theta": 5e5},
    },
    "the block of a readme": OF_QWEN_3,  # positions of the file stay near the trained length
    "one list twice": {
        "rope_scaling": {**LONGROPE, "long_factor": LONGROPE["short_factor"], "factor": 4.0},
        "original_max_position_embeddings": 1024,
    },
    "equal shares": {"model_type": "internlm2", "rotary_pct": 0.5, "partial_rotary_factor": 0.5},
    "a share and its width": {"model_type": "internlm2", "rotary_pct": 0.5, "rotary_dim": 32},
    "a share in the block and beside it": {
        "model_type": "phi", "partial_rotary_factor": 0.5,
        "rope_parameters": {**DEFAULT, "partial_rotary_factor": 0.5},
    },
    "the base of Llama 3": {"rope_scaling": WITH_ENDS, "rope_theta": 5e5},
    "a larger base": {"rope_scaling": WITH_ENDS, "rope_theta": 1e6},
    "the base of the class": {"rope_scaling": WITH_ENDS, "model_type": "llama4", "no_rope_layers": [1] * 3},
    "the length of Llama 3 on a base that is said": {"max_position_embeddings": 8192, "rope_theta": 1e4},
    "the length of Llama 3 by a factor": {"max_position_embeddings": 8192, "rope_scaling": LINEAR},
    **{
        f"a factor of {one:g}, as in the paper": {"rope_scaling": {**YARN, "attention_factor": one}}
        for one in (1.0, 1.1386, 1.14, 0.1 * np.log(4) + 1)
    },
}  # fmt: skip


@pytest.mark.parametrize("name", SOUND)
def test_what_is_sound_has_no_findings(name: str) -> None:
    assert check_config({**LLAMA, **SOUND[name]}).findings == ()


# Each problem planted -------------------------------------------------------------------------------------
# what comes with a remedy is planted in remedies.py
PLANTED: dict[str, tuple[dict[str, Any], int | None, tuple[str, str]]] = {
    "a ramp of Llama without width": (
        {"rope_scaling": {**LLAMA_3, "high_freq_factor": 1}}, None, ("note", "rope_scaling.high_freq_factor"),
    ),
    "a linear factor, without a length": (
        {"rope_scaling": {"type": "linear", "factor": 2}}, None, ("note", "rope_scaling.factor"),
    ),
    "a share in the block and another beside it": (
        {"model_type": "phi", "partial_rotary_factor": 0.5,
         "rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.25}}, None,
        ("contradictory", "partial_rotary_factor"),
    ),
    "a factor that reaches further than the positions": (
        {"max_position_embeddings": 3072, "rope_scaling": YARN}, None, ("note", "rope_scaling.factor"),
    ),
    "a share beside a block that scales, misspelt": (
        {"rope_scaling": LLAMA_3, "partial_otary_factor": 0.5}, None, ("ignored", "partial_otary_factor"),
    ),
    "a share that only the code knows": ({"model_type": "phi"}, None, ("note", "partial_rotary_factor")),
    "positions with three coordinates": (
        {"model_type": "qwen2_vl", "rope_scaling": {"type": "mrope", "mrope_section": [8, 12, 12]}}, None,
        ("note", "rope_scaling.mrope_section"),
    ),
    "sections of a model whose positions are single numbers": (
        {"rope_scaling": {"type": "mrope", "mrope_section": [8, 12, 12]}}, None,
        ("ignored", "rope_scaling.mrope_section"),
    ),
    "mscale_all_dim alone, where scores have it": (
        {"model_type": "deepseek_v3", "rope_scaling": {**YARN, "mscale_all_dim": 1.0}}, None,
        ("note", "rope_scaling.mscale_all_dim"),
    ),
    "a length that a linear factor may cover": (
        {"rope_scaling": {"type": "linear", "factor": 2}}, 8192, ("note", "max_position_embeddings"),
    ),
    "a window that is off": (
        {"model_type": "qwen2", "sliding_window": 512}, None, ("note", "sliding_window"),
    ),
    "scaling without need": ({"rope_scaling": YARN}, 512, ("note", "rope_scaling.factor")),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_problem_that_is_planted_is_named(name: str) -> None:
    changes, length, wanted = PLANTED[name]
    assert wanted in found({**LLAMA, **changes}, length)
    assert wanted not in found(LLAMA)


# of each key a value that would change nothing in a program that reads it, and one that might
EFFECTS: dict[str, tuple[dict[str, Any], Any, Any]] = {
    "use_mrope": ({}, False, True),
    "rope_interleaved": ({}, False, True),
    "rope_interleave": ({"model_type": "cohere"}, True, False),
    "mrope_interleaved": ({}, False, True),
    "use_rope": ({}, None, False),
    "attention_sinks": ({}, False, True),
    "rope_traditional": ({}, False, True),
    "rotary_base": ({"rope_theta": 5e5}, 500000, 10000),
    "rope_scale": ({}, 1.0, 4.0),
    "rotary_pct": ({}, 1.0, 0.5),
    "n_layer": ({}, 3, 8),
    "n_embd": ({}, 256, 512),
    "num_heads": ({"model_type": "lfm2"}, 4, 8),
    "max_window_layers": ({"model_type": "smollm3"}, 2, None),
}  # fmt: skip


@pytest.mark.parametrize("key", EFFECTS)
def test_a_key_that_is_not_read_is_a_finding_only_if_it_may_have_an_effect(key: str) -> None:
    more, harmless, other = EFFECTS[key]
    for value, kinds in ((harmless, {"note"}), (other, {"ignored", "contradictory", "unknown"})):
        report = check_config({**LLAMA, **more, key: value})
        told = {one.kind for one in (*report.findings, *report.notes) if one.key == key}
        assert value is None or (told and told <= kinds)
        assert bool(report.findings) == (value is not None and value is other)


def test_a_switch_that_is_on_makes_its_number_count() -> None:
    on = {"model_type": "smollm3", "use_sliding_window": True, "sliding_window": 16, "max_window_layers": 2}
    assert ("ignored", "max_window_layers") in found({**LLAMA, **on})


@pytest.mark.parametrize("name", sorted(BLOCKS.keys() - WITHOUT_SIZES))
def test_a_published_config_has_no_finding_but_on_its_cache(name: str) -> None:
    """So that a step of continuous integration passes models as they are published."""
    assert {one.kind for one in check_config(BLOCKS[name]["config"]).findings} <= {"cache"}


@pytest.mark.parametrize(("factor", "times"), [(0.1, "0.007713"), (0.5, "0.1928"), (11.0, "93.33")])
def test_a_factor_that_no_paper_has_is_told_with_its_price(factor: float, times: str) -> None:
    report = check_config({**LLAMA, "rope_scaling": {**YARN, "attention_factor": factor}})
    (told,) = report.findings
    assert f"gives 1.1386 for a factor of 4: scores are {times} times what is due" in told.says
    assert (report.status, report.answer.covered) == (3, None)
    assert COUNTED.search(str(report))  # frequencies are as they are


@pytest.mark.parametrize("name", ["phi-3-mini-128k", "phi-3.5-mini", "phi-3.5-moe", "phi-4-mini"])
def test_exchanged_lists_of_published_models_are_noticed(name: str) -> None:
    """In some of them one divisor is larger for short texts, or the same."""
    config = BLOCKS[name]["config"]
    block = config["rope_scaling"]
    lists = {"short_factor": block["long_factor"], "long_factor": block["short_factor"]}
    for values, noticed in ((block, False), ({**block, **lists}, True)):
        keys = {key for kind, key in found({**config, "rope_scaling": values}) if kind == "contradictory"}
        assert ("rope_scaling.short_factor" in keys) is noticed


def test_a_block_of_another_form_puts_the_answer_in_doubt() -> None:
    flat = {**LLAMA, "model_type": "gemma3_text", "rope_parameters": {"rope_type": "linear", "factor": 8.0}}
    assert check_config(flat).answer.covered is None


def test_the_block_of_a_readme_covers_its_length() -> None:
    assert str(check_config({**LLAMA, **OF_QWEN_3}, length=131072)).startswith("131,072 tokens: covered")


def test_what_two_blocks_say_otherwise_is_told() -> None:
    both = {"rope_scaling": LINEAR, "rope_parameters": {**LINEAR, "rope_theta": 5e5, "factor": 4}}
    report = check_config({**LLAMA, **both, "rope_theta": 1e4})
    (finding,) = (one for one in report.findings if one.key == "rope_parameters")
    assert "factor (4, not 2), rope_theta (500000, not 10000);" in finding.says
    assert "rope_type" not in finding.says


def test_a_length_that_a_factor_may_cover_is_not_beyond() -> None:
    for method, length, beyond in (("linear", 8192, False), ("dynamic", 8192, False), ("linear", 8193, True)):
        told = found({**LLAMA, "rope_scaling": {"type": method, "factor": 2.0}}, length)
        assert (("beyond", "max_position_embeddings") in told) is beyond


def test_a_contradiction_is_not_told_twice() -> None:
    config = {**LLAMA, "model_type": "internlm2", "rotary_pct": 0.25, "partial_rotary_factor": 0.5}
    report = check_config(config)
    assert [one.key for one in report.findings] == ["rotary_pct"]
    assert report.reading.records[0].rotary_dim == 32


def test_the_factor_of_yarn_promises_its_length() -> None:
    config = {**LLAMA, "max_position_embeddings": 1024, "rope_scaling": YARN}
    assert ("beyond", "max_position_embeddings") not in found(config, 4096)
    assert ("beyond", "max_position_embeddings") in found(config, 4097)


def test_a_factor_below_the_growth_does_not_matter_within_windows() -> None:
    config = {**LLAMA, "rope_scaling": {**LLAMA_3, "factor": 2.0}, "model_type": "mistral"}
    for window, noted in ((2048, False), (3000, True), (None, True)):
        assert (("note", "rope_scaling.factor") in found({**config, "sliding_window": window})) is noted


def test_a_share_in_the_block_is_said_by_the_config() -> None:
    config = {**LLAMA, "model_type": "qwen3_next", "num_hidden_layers": 4}
    said = {"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.25}}
    assert ("note", "partial_rotary_factor") in found(config)
    assert ("note", "partial_rotary_factor") not in found({**config, **said})


def test_a_learned_table_ends() -> None:
    report = check_config({"model_type": "gpt2", "n_layer": 2, "n_positions": 1024}, length=2048)
    assert [finding.says for finding in report.findings] == [
        "there are 1024 learned rows, and none for positions from 1024 on."
    ]


def test_real_configs_show_what_their_users_met() -> None:
    wanted = {
        "kimi-k2": ("note", "rope_scaling.beta_fast"),
        "phi-3-mini-128k": ("cache", "rope_scaling.type"),
        "qwen-7b": ("uncomputed", "use_dynamic_ntk"),
        "smollm3-3b": ("note", "no_rope_layers"),
        "gemma-3-27b": ("note", "model_type"),
        "gemma-3-1b": ("note", "sliding_window_pattern"),
        "qwen3.5-27b": ("note", "rope_parameters.rope_theta"),
    }
    for name, finding in wanted.items():
        assert finding in found(BLOCKS[name]["config"]), name
    assert not check_config(BLOCKS["llama-3.1-8b"]["config"]).findings
    (hot,) = check_config(BLOCKS["llama-4-scout"]["config"]).answer.besides
    assert "queries at position p are multiplied by 1 + 0.1 log(1 + floor((p + 1) / 8192))" in hot


def test_the_length_of_qwen_1_is_read_where_no_other_stands() -> None:
    qwen = {**LLAMA, "model_type": "qwen", "seq_length": 8192}
    assert check_config(qwen).answer.length == 4096
    del qwen["max_position_embeddings"]
    assert check_config(qwen).answer.verdict == "8,192 tokens: covered, the file says up to 8,192."


@pytest.mark.parametrize(
    ("given", "missing"),
    [({}, "num_hidden_layers must be there"), ({"num_hidden_layers": 2}, "hidden_size")],
)
def test_sizes_of_a_class_that_is_assumed_are_not_taken(given, missing):
    """They are those of one model, and the config is of another."""
    assert pe.rotary_from_config({"model_type": "llama", **given})[0].head_dim == 128
    with pytest.raises(ValueError, match=missing):
        pe.rotary_from_config({"model_type": "new", **given}, assume="llama")


def told(changes, length=None):
    return " ".join(str(check_config({**LLAMA, **changes}, length=length)).split())


def test_a_window_that_no_key_names_is_told():
    nemo = {"model_type": "mistral", "head_dim": 128, "sliding_window": None}
    assert "note sliding_window" not in told(nemo)
    del nemo["sliding_window"]
    assert "note sliding_window: it is missing, and the class of mistral has windows of 4096" in told(nemo)
    assert "over 4096 tokens taken as trained, the window" in told({**nemo, "max_position_embeddings": 8192})


def test_pairs_under_dynamic_scaling_are_compared_with_training():
    """Not with the length that the factor promises, at which frequencies would be others."""
    block = {"rope_scaling": {"type": "dynamic", "factor": 2.0}, "rope_theta": 5e5}
    report = check_config({**LLAMA, **block, "max_position_embeddings": 8192}, length=32768)
    (group,) = report.turns
    before, now = 8192 * group.record.unscaled, 32768 * group.record.frequencies
    assert group.fresh == int(((before < 2 * np.pi) & (now > before)).sum()) > 0
