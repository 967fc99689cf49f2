"""What layers have besides turns: tables, temperatures and factors on scores are as in the classes."""

import importlib
import inspect

import numpy as np
import pytest
import torch
from torch import nn
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES
from transformers.models.auto.modeling_auto import MODEL_MAPPING

from pe_book.config.classes import MODELS, class_defaults
from pe_book.config.formats.beside import Table
from pe_book.config.reading import read_config
from tests.parity.classes.built import POSITIONS, received
from tests.parity.classes.variants import of_few_layers, saved, silent

WITH_TABLES = sorted(name for name, one in MODELS.items() if one.tables and name in CONFIG_MAPPING_NAMES)
# a temperature that is off by default, or learned
SHORT = {
    "ministral3": {"rope_parameters": {"rope_type": "yarn", "rope_theta": 1e6, "factor": 4.0,
                   "original_max_position_embeddings": 3, "llama_4_scaling_beta": 0.3}},
    "mistral4": {"rope_parameters": {"rope_type": "yarn", "rope_theta": 1e6, "factor": 4.0,
                 "original_max_position_embeddings": 3, "llama_4_scaling_beta": 0.3}},
    "llama4_text": {"floor_scale": 3, "attn_scale": 0.3},
    "inkling_text": {"log_scaling_n_floor": 2, "log_scaling_alpha": 0.3},
    "inkling2_text": {"log_scaling_n_floor": 2, "log_scaling_alpha": 0.3},
}  # fmt: skip


COUNTED = {"llama4_text", "inkling_text"}  # their code counts tokens, whatever positions are given


def held(table: Table, model: nn.Module) -> bool:
    """Whether a model has such a table, or such a convolution, under a name that says what it is."""
    if table.kind == "convolution":
        found = [one.kernel_size[0] for one in model.modules() if isinstance(one, nn.Conv1d)]
        return table.rows in found
    arrays = [*model.named_parameters(), *model.named_buffers()]
    shapes = [one.shape for name, one in arrays if "pos" in name or "wpe" in name]
    return any((table.rows or 0) + table.offset in shape for shape in shapes)


@pytest.mark.parametrize("model_type", WITH_TABLES)
def test_a_model_has_the_tables_that_are_read(model_type: str) -> None:
    config = CONFIG_MAPPING[model_type]()
    with torch.device("meta"):
        model = MODEL_MAPPING[type(config)](config)
    tables = read_config(saved(model_type)).tables
    assert tables
    for values in (saved(model_type), silent(model_type)):
        assert [one for one in read_config(values).tables if not held(one, model)] == []


def ratios(model_type: str) -> tuple[np.ndarray, np.ndarray]:
    """By which factor queries of each position are longer than the first, as read and as they are."""
    values = silent(model_type, **of_few_layers(model_type), **SHORT[model_type])
    record = next(one for one in read_config(values).records if one.temperature is not None)
    rows = np.linalg.norm(received(values)[1][record.layer].query, axis=-1)
    at = range(len(POSITIONS)) if model_type in COUNTED else POSITIONS
    read = record.temperature(at) if record.temperature else np.empty(0)
    return read / read[0], rows / rows[0]


@pytest.mark.parametrize("model_type", sorted(SHORT))
def test_queries_grow_as_read(model_type: str) -> None:
    read, there = ratios(model_type)
    assert read[-1] > 1.1
    np.testing.assert_allclose(there, read, rtol=1e-5)


# every known type whose code speaks of `mscale_all_dim`, with every method that scales
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
