"""What a report says to do is done: the config then passes, and is as the remedy says it is."""

import re
from typing import Any

import numpy as np
import pytest

from pe_book.config.checking import RULES, check_config
from pe_book.config.classes import MODELS
from pe_book.config.consequences import LENGTH_RULES
from pe_book.config.findings import CHANGES
from pe_book.config.formats.bases import PUBLISHED, usual_bases
from pe_book.config.reading import read_config, rotary_from_config
from pe_book.evidence.family.recorded import recorded
from pe_book.family.context_extension.ramps import temperature
from tests.config.configs import LLAMA, LONGROPE, YARN
from tests.config.remedies import FOLLOWED, MENDED, Followed


def finding(config: dict[str, Any], key: str, length: int | None = None) -> Any:
    """The one finding of a key."""
    (found,) = (one for one in check_config(config, length=length).findings if one.key == key)
    return found


# Every remedy ---------------------------------------------------------------------------------------------


def alike(one: Followed) -> bool:
    """Whether every layer does what it did."""
    pairs = zip(
        *(rotary_from_config(config, length=length)
          for config, length in zip((one.config, one.after), one.length, strict=True)), strict=True,
    )  # fmt: skip
    return all(
        np.array_equal(old.frequencies, new.frequencies)
        and (old.head_dim, old.layout) == (new.head_dim, new.layout)
        and (old.attention, old.window) == (new.attention, new.window)
        and (old.attention_factor, old.score_factor) == (new.attention_factor, new.score_factor)
        for old, new in pairs
    )


def wrong(one: Followed) -> str:
    """What is wrong with a remedy that was followed; empty if it does what it says."""
    before, after = (
        check_config(config, length=length)
        for config, length in zip((one.config, one.after), one.length, strict=True)
    )
    told = [found.remedy for found in before.findings if found.key == one.key and one.words in found.remedy]
    if len(told) != 1:
        return f"no remedy has these words: {[f'{found.key}: {found.remedy}' for found in before.findings]}"
    others = {(found.kind, found.key) for found in before.findings if found.remedy != told[0]}
    left = {(found.kind, found.key) for found in after.findings} - others
    if {key for _, key in left} - {one.leaves}:
        return f"left: {sorted(left)}"
    if one.same is not None and alike(one) != one.same:
        return "layers are not as they were" if one.same else "layers are as they were"
    if one.same is False and CHANGES not in told[0]:
        return "it does not say that it changes the model"
    return ""


@pytest.mark.parametrize("name", FOLLOWED)
def test_a_remedy_that_is_followed_does_what_it_says(name: str) -> None:
    assert wrong(FOLLOWED[name]) == ""


@pytest.mark.parametrize("name", MENDED)
def test_a_config_that_is_mended_as_its_refusal_says_is_read(name: str) -> None:
    one = MENDED[name]
    with pytest.raises(ValueError, match=re.escape(one.words)):
        check_config(one.config)
    assert check_config(one.after, assume=one.assume).reading.records


# rules whose findings are notes, or ask for code to be read
WITHOUT_REMEDY = {
    "a_factor_below_the_promise", "a_length_of_vllm", "a_training_that_another_key_says",
    "keys_that_act_elsewhere", "layers_with_other_frequencies", "scaled_without_need", "share_in_code",
    "unknown_model", "unrotated_layers", "unused_window", "what_acts_beside",
}  # fmt: skip


def test_the_remedy_of_every_rule_is_followed() -> None:
    followed = set()
    for one in FOLLOWED.values():
        reading, length = read_config(one.config, length=one.length[0]), one.length[0]
        found = [(rule.__name__, rule(reading)) for rule in RULES]
        found += [(rule.__name__, rule(reading, length)) for rule in LENGTH_RULES]
        followed |= {
            rule for rule, findings in found
            if any(told.remedy and told.key == one.key for told in findings)
        }  # fmt: skip
    assert followed == {rule.__name__ for rule in (*RULES, *LENGTH_RULES)} - WITHOUT_REMEDY


@pytest.mark.parametrize(
    ("name", "planted"),
    [
        ("ends of Llama's ramp", {"words": "write high_freq_factor = 1"}),
        ("mscale beside a factor", {"after": FOLLOWED["mscale with its partner"].after}),
        ("another name of LongRoPE", {"same": False}),
        ("two bases, the other", {"same": True}),
    ],
)  # fmt: skip
def test_a_remedy_that_does_something_else_is_noticed(name: str, planted: dict[str, Any]) -> None:
    assert wrong(FOLLOWED[name]._replace(**planted))


def test_a_change_that_is_not_told_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pe_book.config.factors.CHANGES", "helps")
    assert wrong(FOLLOWED["ends of YaRN's ramp"]) != ""


def test_kimi_k2_as_it_is_published_is_sound() -> None:
    """Its ramp is a step: any remedy would change how the model turns."""
    kimi = recorded("kimi-k2")["config"]
    report = check_config(kimi)
    assert (kimi["rope_scaling"]["beta_fast"], kimi["rope_scaling"]["beta_slow"]) == (1, 1)
    assert (report.findings, report.status, report.answer.covered) == ((), 0, True)
    assert "the ramp is a step, and so it was read" in str(report.notes[0])


# A factor that programs differ on -------------------------------------------------------------------------

DEEPSEEK = {  # of DeepSeek-R1-0528-Qwen3-8B
    "model_type": "qwen3", "head_dim": 128, "num_hidden_layers": 2, "max_position_embeddings": 131072,
    "rope_theta": 1000000,
    "rope_scaling": {"attn_factor": 0.8782488562869419, "factor": 4.0,
                     "original_max_position_embeddings": 32768, "rope_type": "yarn"},
}  # fmt: skip
ATTN = "rope_scaling.attn_factor"


def test_what_each_program_makes_of_attn_factor_is_said_with_values() -> None:
    told = finding(DEEPSEEK, ATTN)
    here = rotary_from_config(DEEPSEEK)[0].attention_factor
    there = 0.8782488562869419 * (0.1 * np.log(4) + 1)
    assert f"by {here:.5g}; vLLM multiplies them by {here:.5g} × 0.87825, which is {there:.5g}." in told.says
    assert (f"{here:.5g}", f"{there:.5g}") == ("1.1386", "1")
    (kept,) = re.findall(r"add attention_factor = ([\d.]+),", told.remedy)
    (other,) = re.findall(r"write attn_factor = ([\d.]+);", told.remedy)
    for more in ({"attention_factor": float(kept)}, {"attn_factor": float(other)}):
        block = {**DEEPSEEK["rope_scaling"], **more}
        report = check_config({**DEEPSEEK, "rope_scaling": block})
        assert not report.findings
        assert any(note.key == ATTN and "alike" in note.says for note in report.notes)
        record = rotary_from_config({**DEEPSEEK, "rope_scaling": block})[0]
        np.testing.assert_allclose(
            record.attention_factor, temperature(4.0) * block["attn_factor"], atol=1e-4
        )


# Frequencies that change with the length ------------------------------------------------------------------


@pytest.mark.parametrize(("length", "reach"), [(None, 8192), (6000, 6000)])
def test_dynamic_scaling_can_be_written_as_a_base(length: int | None, reach: int) -> None:
    block = "rope_scaling"
    config = {**LLAMA, "rope_theta": 5e5, block: {"rope_type": "dynamic", "factor": 2.0}}
    remedy = finding(config, f"{block}.rope_type", length).remedy
    ((base, longest),) = re.findall(r"rope_theta = ([\d.e+]+) and max_position_embeddings = (\d+)", remedy)
    assert int(longest) == reach
    assert f"up to {reach} tokens" in remedy
    written = {**LLAMA, "rope_theta": float(base), "max_position_embeddings": reach}
    wanted = rotary_from_config(config, length=reach)[0].frequencies
    np.testing.assert_allclose(rotary_from_config(written)[0].frequencies, wanted, rtol=1e-5)
    assert check_config(written).keeps_cache


def test_two_lists_can_be_made_one() -> None:
    config = {**LLAMA, "rope_scaling": LONGROPE, "original_max_position_embeddings": 1024}
    remedy = finding(config, "rope_scaling.rope_type").remedy
    assert "past 1024 tokens, copy long_factor over short_factor, which changes" in remedy
    block = {**LONGROPE, "short_factor": LONGROPE["long_factor"]}
    report = check_config({**config, "rope_scaling": block})
    assert report.keeps_cache
    assert not report.findings
    mscales = {**LONGROPE, "short_mscale": 1.1, "long_mscale": 1.2}
    phi = finding({**config, "model_type": "phimoe", "rope_scaling": mscales}, "rope_scaling.rope_type")
    assert "over short_factor, and long_mscale over short_mscale, which changes" in phi.remedy


# Numbers that do not go together ---------------------------------------------------------------------------


def test_the_scaling_of_llama_3_wants_its_base() -> None:
    block = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
             "original_max_position_embeddings": 8192}  # fmt: skip
    config = {**LLAMA, "max_position_embeddings": 65536, "rope_scaling": block}
    told = finding({**config, "rope_theta": 1e4}, "rope_theta")
    assert told.severity == "error"
    (base,) = re.findall(r"write (\d+)", told.remedy)
    assert check_config({**config, "rope_theta": float(base)}).findings == ()
    exaone = recorded("exaone-4.0-32b")["config"]
    assert exaone["rope_theta"] > float(base)  # published with this scaling on a larger base
    assert not [one for one in check_config(exaone).findings if one.key == "rope_theta"]


@pytest.mark.parametrize(("heads", "shared", "wrong"), [(32, 5, True), (32, 8, False)])
def test_heads_of_keys_divide_those_of_queries(heads: int, shared: int, wrong: bool) -> None:
    config = {**LLAMA, "num_attention_heads": heads, "num_key_value_heads": shared}
    told = [one.severity for one in check_config(config).findings if one.key == "num_key_value_heads"]
    assert told == ["error"] * wrong


def test_a_misspelt_length_is_renamed_with_its_value_and_no_other_is_offered() -> None:
    block = {"rope_type": "yarn", "factor": 4.0, "original_max_positions_embeddings": 8192}
    report = check_config({**LLAMA, "max_position_embeddings": 32768, "rope_scaling": block})
    remedies = [one.remedy for one in report.findings if "original" in one.key]
    (remedy,) = remedies
    assert remedy.startswith(
        "rename original_max_positions_embeddings, 8192, to original_max_position_embeddings"
    )


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"model_type": "mistrall"}, "if 'mistral' was meant, write that"),
        ({"model_type": "mine", "architectures": ["MistralForCausalLM"]}, "a class of 'mistral'"),
    ],
)
def test_an_unknown_type_is_told_which_was_meant(config: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        check_config({**{key: value for key, value in LLAMA.items() if key != "model_type"}, **config})


# Other values ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "key", "remedy"),
    [
        (
            {},
            "original_max_position_embeddings",
            "write original_max_position_embeddings = 4096; or the length",
        ),
        ({}, "factor", "write factor, such as 4 for texts of 4096 tokens"),
    ],
)
def test_what_yarn_lacks_is_given_with_its_value(changes: Any, key: str, remedy: str) -> None:
    block = {name: value for name, value in YARN.items() if name != key}
    config = {**LLAMA, **changes, "rope_scaling": block}
    told = finding(config, f"rope_scaling.{key}")
    assert told.kind == "missing"
    assert told.remedy.startswith(remedy)
    assert told.key not in {note.key for note in check_config(config).notes}


def test_the_block_that_a_llama_lost_is_given() -> None:
    llama = {key: value for key, value in recorded("llama-3.1-8b")["config"].items() if key != "rope_scaling"}
    remedy = finding(llama, "rope_scaling").remedy
    assert all(f'"{key}"' in remedy for key in recorded("llama-3.1-8b")["config"]["rope_scaling"])
    assert "(with factor 32 for Llama 3.2)" in remedy
    assert recorded("llama-3.2-1b")["config"]["rope_scaling"]["factor"] == 32
    assert not check_config(recorded("llama-3.1-8b")["config"]).findings


def test_a_number_in_quotes_is_refused_with_the_number() -> None:
    key = "rope_theta"
    with pytest.raises(
        ValueError, match=rf"{key} must be .*, got '32', a text: write it without quotes, as 32"
    ):
        check_config({**LLAMA, key: "32"})
    with pytest.raises(ValueError, match=rf"{key} must be .*, got 'many'$"):
        check_config({**LLAMA, key: "many"})


# Which base is usual --------------------------------------------------------------------------------------


RECORDED = {
    "Llama 1 and 2": ("llama-1-7b", "llama-2-7b"),
    "Llama 3": ("llama-3-8b", "llama-3.1-8b", "llama-3.2-1b", "llama-3.3-70b"),
    "Code Llama": ("codellama-7b",),
    "Mistral 7B v0.1": ("mistral-7b-v0.1",), "Mistral 7B v0.3": ("mistral-7b-v0.3",),
    "Qwen1.5 to Qwen2.5": ("qwen1.5-7b-yarn", "qwen2-7b", "qwen2.5-7b"), "Qwen2.5 1M": ("qwen2.5-14b-1m",),
    "Qwen3": ("qwen3-8b",),
    "Phi-3": ("phi-3-mini-4k", "phi-3-mini-128k"),
    "Gemma 2": ("gemma-2-9b",),
}  # fmt: skip


@pytest.mark.parametrize("model_type", PUBLISHED)
def test_the_bases_of_families_are_those_of_recorded_configs(model_type: str) -> None:
    for family, base in PUBLISHED[model_type].items():
        for name in RECORDED[family]:
            config = recorded(name)["config"]
            assert config["model_type"] == model_type
            assert config.get("rope_theta", MODELS[model_type].base) == base
        assert f"{base:,.0f}" in usual_bases(model_type)
