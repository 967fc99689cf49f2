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
from tests.config.configs import LLAMA
from tests.config.remedies import FOLLOWED, MENDED, Followed, Mended


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
    remedies = [(f"{found.kind} {found.key}", found.remedy) for found in before.findings]
    told = [remedy for of, remedy in remedies if of == one.told and one.words in remedy]
    if len(told) != 1:
        return f"no remedy has these words: {remedies}"
    others = {(found.kind, found.key) for found in before.findings if found.remedy != told[0]}
    left = {(found.kind, found.key) for found in after.findings} - others
    if {key for _, key in left} - {one.leaves}:
        return f"left: {sorted(left)}"
    if one.same is not None and alike(one) != one.same:
        return "layers are not as they were" if one.same else "layers are as they were"
    if one.same is False and CHANGES not in told[0]:
        return "it does not say that it changes the model"
    return ""


@pytest.mark.parametrize("one", FOLLOWED, ids=lambda one: f"{one.told}: {one.words}")
def test_a_remedy_that_is_followed_does_what_it_says(one: Followed) -> None:
    assert wrong(one) == ""


@pytest.mark.parametrize("one", MENDED, ids=lambda one: one.words)
def test_a_config_that_is_mended_as_its_refusal_says_is_read(one: Mended) -> None:
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
    for one in FOLLOWED:
        reading, length = read_config(one.config, length=one.length[0]), one.length[0]
        found = [(rule.__name__, rule(reading)) for rule in RULES]
        found += [(rule.__name__, rule(reading, length)) for rule in LENGTH_RULES]
        followed |= {
            rule for rule, findings in found
            if any(told.remedy and f"{told.kind} {told.key}" == one.told for told in findings)
        }  # fmt: skip
    assert followed == {rule.__name__ for rule in (*RULES, *LENGTH_RULES)} - WITHOUT_REMEDY


def test_a_remedy_that_does_something_else_is_noticed() -> None:
    assert all(wrong(one._replace(same=not one.same)) for one in FOLLOWED if one.same is not None)


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


# Other values ---------------------------------------------------------------------------------------------


def test_the_block_that_a_llama_lost_is_given() -> None:
    llama = {key: value for key, value in recorded("llama-3.1-8b")["config"].items() if key != "rope_scaling"}
    remedy = finding(llama, "rope_scaling").remedy
    assert all(f'"{key}"' in remedy for key in recorded("llama-3.1-8b")["config"]["rope_scaling"])
    assert "(with factor 32 for Llama 3.2)" in remedy
    assert recorded("llama-3.2-1b")["config"]["rope_scaling"]["factor"] == 32
    assert not check_config(recorded("llama-3.1-8b")["config"]).findings


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
