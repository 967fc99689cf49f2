"""What a class multiplies its scores by, beside what is read of its config.

Every known type whose code speaks of ``mscale_all_dim``, with every method that scales.
"""

from __future__ import annotations

import importlib
import inspect

import numpy as np
import pytest
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

from pe_book.config.classes import MODELS, class_defaults
from pe_book.config.reading import read_config
from tests.parity.classes.built import received
from tests.parity.classes.variants import of_few_layers, silent

METHODS = ("default", "linear", "dynamic", "yarn", "llama3")


def multiplies(model_type: str) -> bool:
    """Whether the code of a type looks at the key."""
    configs = CONFIG_MAPPING[model_type].__module__
    try:
        code = importlib.import_module(configs.replace("configuration_", "modeling_"))
    except ImportError:
        return False
    return "mscale_all_dim" in inspect.getsource(code)


TYPES = sorted(name for name in MODELS if name in CONFIG_MAPPING_NAMES and multiplies(name))


RUN = [
    (name, method) for name in TYPES for method in METHODS
    if method not in class_defaults()[name].get("refuses", [])
]  # fmt: skip


def on_scores(model_type: str, method: str, said: float) -> tuple[float, float]:
    """The factor that is read, and the one by which the class differs from itself without the key."""
    own = CONFIG_MAPPING[model_type]().get_text_config(decoder=True).rope_parameters
    block = {
        **own, "rope_type": method, "rope_theta": 10000.0, "factor": 40.0,
        "original_max_position_embeddings": 4096, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    }  # fmt: skip
    with_it, without = (
        silent(model_type, **of_few_layers(model_type), rope_parameters={**block, "mscale_all_dim": one})
        for one in (said, 0.0)
    )
    (_, seen), (_, bare) = received(with_it), received(without)
    return read_config(with_it).records[0].score_factor, seen[0].on_scores / bare[0].on_scores


def test_there_are_such_types() -> None:
    assert {"deepseek_v2", "deepseek_v3", "minicpm3"} <= set(TYPES)


@pytest.mark.parametrize(("model_type", "method"), RUN)
def test_scores_are_multiplied_as_read(model_type: str, method: str) -> None:
    read, there = on_scores(model_type, method, 0.7)
    np.testing.assert_allclose(read, there, rtol=1e-12)
    assert (there == 1) == (method == "default")
