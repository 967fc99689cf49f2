"""What layers have besides turns: tables and temperatures are as long and as large as in the classes."""

import numpy as np
import pytest
import torch
from torch import nn
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES
from transformers.models.auto.modeling_auto import MODEL_MAPPING

from pe_book.config.classes import MODELS
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
