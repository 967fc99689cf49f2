"""The learned arrays that hold positions, in the classes of transformers, beside the records of the doors."""

import pytest
import torch

from pe_book.family.doors.models import model

transformers = pytest.importorskip("transformers")

# names under which a class keeps what it learned of positions
HOLDS = (
    "position_embeddings",
    "positions_embed",
    "wpe",
    "relative_attention_bias",
    "rel_embeddings",
    "embed_positions",
)
CLASSES = {
    "GPT-1": ("OpenAIGPT", {}), "BERT": ("Bert", {}), "GPT-2": ("GPT2", {}), "T5": ("T5", {"num_heads": 12}),
    "RoBERTa": ("Roberta", {"max_position_embeddings": 514, "vocab_size": 50265}),
    "BLOOM": ("Bloom", {"hidden_size": 64, "n_head": 4}), "LLaMA": ("Llama", {}),
}  # fmt: skip


def held(name: str) -> list[tuple[int, ...]]:
    """The shapes of the learned arrays of positions in the class of a model, at its own sizes."""
    stem, changes = CLASSES[name]
    config = getattr(transformers, f"{stem}Config")(**changes)
    config.num_hidden_layers = 2
    with torch.device("meta"):
        built = getattr(transformers, f"{stem}Model")(config)
    return [
        tuple(values.shape) for path, values in built.named_parameters() if any(one in path for one in HOLDS)
    ]


@pytest.mark.parametrize("name", CLASSES)
def test_a_record_of_the_doors_has_the_arrays_of_the_class(name: str) -> None:
    found = sorted(sorted(shape) for shape in held(name))
    assert found == sorted(sorted(shape) for shape in model(name).shapes), name
