"""Blocks and lists of layers of every type: read as the class does, or said to differ; nothing is silent.

The thorough sweep states everything to every type. ``PE_SEED`` chooses what the fast one takes of it.
"""

import random
from collections import Counter
from dataclasses import replace

import pytest

from pe_book.config.classes import MODELS
from tests.parity.classes import stated
from tests.parity.classes.variants import SEED

SAMPLED = 40  # of all pairs of a type and what is stated
# what was once silent, one of each kind
ONCE_SILENT = (
    ("hunyuan_v1_dense", "rope_scaling: dynamic with alpha"), ("mistral", "layers listed"),
    ("qwen2_moe", "layers listed"), ("smollm3", "layers listed"), ("paddleocr_vl_text", "layers listed"),
    ("llama4_text", "all full"), ("gemma2", "pattern"), ("gemma3_text", "rope_scaling: linear as type"),
    ("gemma3_text", "rope_scaling: default with a base"), ("modernbert", "base of windows"),
    ("apertus", "rope_parameters: default of a part"), ("glm4_moe_lite", "rope_scaling: default of a part"),
    ("llama", "rope_scaling: proportional"), ("llama", "part beside linear"), ("llama", "blocks by kind"),
    ("ernie4_5_vl_moe_text", "base beside type"), ("qwen2", "layers listed, no width"),
    ("lfm2", "layers listed, no width"), ("falcon_h1", "all full"), ("phi3", "layers listed"),
    ("olmo3", "rope_scaling: linear as type"), ("gpt_oss", "rope_parameters: default of a part"),
    ("mixtral", "rope_scaling: dynamic"), ("gemma3_text", "blocks by kind, layers listed"),
    ("beam", "blocks by kind"), ("embedding_gemma2", "pattern"), ("laguna", "blocks by kind"),
    ("mimo_v2_flash", "blocks by kind, layers listed"), ("lfm3", "rope_scaling: llama3"),
    ("cohere2_moe", "base in both"), ("olmo_hybrid", "all full"), ("deepseek_v4", "part beside"),
    ("gemma3_text", "not rounded by kind"), ("laguna", "kinds not rounded"), ("modernbert", "not rounded"),
    ("llama", "rounding is null"), ("olmo3", "older blocks by kind"), ("gemma4", "kinds without a base"),
)  # fmt: skip


def every_pair() -> list[tuple[str, str]]:
    """Each type with each thing that is stated."""
    return [(name, states) for name in stated.TYPES for states in stated.stated()]


@pytest.mark.parametrize(("model_type", "states"), ONCE_SILENT)
def test_what_was_once_silent_is_right_or_said(model_type: str, states: str) -> None:
    found = stated.became(model_type, states)
    assert found.word not in stated.SILENT, found


def test_of_a_sample_nothing_is_silent() -> None:
    pairs = random.Random(SEED).sample(every_pair(), SAMPLED)
    found = [stated.became(*pair) for pair in pairs]
    assert [one for one in found if one.word in stated.SILENT] == [], f"PE_SEED={SEED}"


def test_a_reading_that_is_wrong_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MODELS, "llama", replace(MODELS["llama"], layout="interleaved"))
    assert stated.became("llama", "null block").word == stated.SILENT[0]


@pytest.mark.thorough
@pytest.mark.parametrize("share", range(14))  # a part of the weekly set takes one
def test_nothing_that_is_stated_is_silent(share: int) -> None:
    types = stated.TYPES[share::14]
    found = stated.of_all([(name, states) for name in types for states in stated.stated()])
    assert [one for one in found if one.word in stated.SILENT] == []
    words = {name: Counter(one.word for one in found if one.model_type == name) for name in types}
    assert [name for name, count in words.items() if count["right"] <= count["refused here"]] == []
