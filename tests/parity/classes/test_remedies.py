"""Remedies of reports, followed: the config is then read as its class runs it, and was before, if it ran."""

import numpy as np
import pytest
import torch
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

import pe_book as pe
from pe_book.config.checking import check_config
from pe_book.config.classes import MODELS
from pe_book.config.reading import read_config
from pe_book.nn.modules.rotary_config import arguments_of
from tests.config.remedies import FOLLOWED, Followed
from tests.parity.classes.built import POSITIONS, STEP, received
from tests.parity.classes.sweep import differences

LENGTH = 400  # of what is run: the trained length of every small config is longer


def apart(config: dict) -> list[str]:
    return differences(read_config(config, length=LENGTH).records, *received(config))


def apart_or_refused(config: dict) -> list[str] | None:
    """None where transformers does not run a config."""
    try:
        return apart(config)
    except Exception:  # whatever the class raises: the test says where None is due
        return None


RUN = [
    one
    for one in FOLLOWED
    if (kind := one.after["model_type"]) in CONFIG_MAPPING_NAMES
    and (kind not in MODELS or MODELS[kind].kind == "rotary")
]


@pytest.mark.parametrize("one", RUN, ids=lambda one: one.told)
def test_a_remedy_that_is_followed_leaves_what_transformers_runs(one: Followed):
    assert apart(one.after) == []
    before = None if one.same is False else apart_or_refused(one.config)
    assert before is None if one.same is None else not before


OF_IMAGES = {  # Qwen2.5-VL with the YaRN of its card
    "model_type": "qwen2_5_vl", "hidden_size": 3584, "num_attention_heads": 28, "num_hidden_layers": 2,
    "max_position_embeddings": 128000, "rope_theta": 1000000.0,
    "rope_scaling": {"type": "yarn", "mrope_section": [16, 24, 24], "factor": 4.0,
                     "original_max_position_embeddings": 32768},
}  # fmt: skip


def test_the_advice_for_a_model_of_images_gives_the_scores_of_its_text():
    """The call that the refusal names is made as it stands there."""
    with pytest.raises(ValueError, match="in a text without images") as refusal:
        pe.nn.RotaryEncoding.from_config(OF_IMAGES, layer=0)
    call = str(refusal.value).partition("your attention does it, ")[2].partition(", of pe_book")[0]
    named = {"RotaryEncoding": pe.nn.RotaryEncoding, "arguments_of": arguments_of, "config": OF_IMAGES}
    module = eval(call, named)
    _, seen = received(OF_IMAGES)
    wanted = seen[0].query @ seen[0].key.T
    plain = (1 + STEP * torch.arange(module.head_dim)).repeat(len(POSITIONS), 1)  # of queries and of keys
    turned = module.turn(plain, torch.tensor(POSITIONS)).double().numpy()
    np.testing.assert_allclose(turned @ turned.T, wanted, rtol=1e-4)


NESTED = {
    "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 2,
    "rope_scaling": {"type": "mrope", "mrope_section": [8, 12, 12]},
}  # fmt: skip


@pytest.mark.parametrize("name", ["qwen2_vl", "qwen2_5_vl"])
@pytest.mark.parametrize("more", [{}, {"inner": True}, {"rope_type": "mrope"}, {"flat": True}])
def test_sections_of_a_model_of_images_are_read_wherever_they_stand(name: str, more: dict):
    text = {**NESTED, **({"model_type": f"{name}_text"} if "inner" in more else {})}
    text["rope_scaling"] = {**text["rope_scaling"], **{key: more[key] for key in more if key == "rope_type"}}
    config = {"model_type": name, **(text if "flat" in more else {"text_config": text})}
    assert check_config(config).findings == ()
    assert apart(config) == []
