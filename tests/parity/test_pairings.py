"""The tables of who pairs how say of transformers what its sources say, and of libraries what they do."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest
from transformers.models.auto import configuration_auto as auto

from pe_book.config.pairings import UNREAD_BY_TRANSFORMERS, pairings
from pe_book.family import rotary
from pe_book.family.rotary import axes
from pe_book.show.reference import libraries
from tests.parity.register import members

RUN = [one for one in libraries.libraries() if one.run]


def test_transformers_has_the_types_and_reads_the_keys_that_the_table_says() -> None:
    """Nothing of a model is imported: a key that is read stands in the source that does the turning."""
    home = Path(auto.__file__).parents[1]
    seen = set()
    for row in pairings():
        assert row.beside_weights == (row.model_type not in auto.CONFIG_MAPPING_NAMES), row.model_type
        folder = auto.model_type_to_module_name(row.model_type)
        source = home / folder / f"modeling_{folder}.py"
        if row.beside_weights or not source.exists():
            continue
        text = source.read_text(encoding="utf-8")
        read = {key for key in ("rope_interleave", "rotary_emb_interleaved") if f"config.{key}" in text}
        assert read == {row.layout_key} - {""} - UNREAD_BY_TRANSFORMERS, row.model_type
        seen.add(row.model_type)
    assert len(seen) > 40


@pytest.mark.parametrize("row", RUN, ids=lambda row: row.name)
def test_a_library_that_is_run_pairs_what_its_row_says(row, monkeypatch) -> None:
    """The layout that ours is told, in a comparison that agrees; no label is believed."""
    told: set[str] = set()

    def noting(turn):
        def noted(*given, layout="interleaved", **options):
            told.add(layout)
            return turn(*given, layout=layout, **options)

        return noted

    monkeypatch.setattr(rotary, "rotate", noting(rotary.rotate))
    monkeypatch.setattr(axes, "rotate_axes", noting(axes.rotate_axes))
    compared = {one.name: one for one in members()}
    for member, pairs in libraries.members(row).items():
        told.clear()
        compared[member].agree()
        assert told == {pairs}, member
    if row.called_by:
        module, _, name = row.called_by.partition(":")
        flag, default = re.match(r"`(\w+)=(-?\w+)`", row.flag).groups()
        has_it = inspect.signature(getattr(importlib.import_module(module), name)).parameters[flag]
        assert has_it.default == ast.literal_eval(default)


def test_the_name_of_a_function_tells_no_pairing() -> None:
    """The page warns of it: what is called so elsewhere exchanges halves."""
    import torch
    from rotary_embedding_torch.rotary_embedding_torch import rotate_half
    from transformers.models.llama import modeling_llama
    from x_transformers import x_transformers

    row = torch.arange(4)
    assert [one(row).tolist() for one in (rotate_half, x_transformers.rotate_half)] == [[-1, 0, -3, 2]] * 2
    assert modeling_llama.rotate_half(row).tolist() == [-2, -3, 0, 1]


def test_torch_has_no_turn_besides_the_operator_of_onnx() -> None:
    """The page says so; when this fails, torch has one, and the page needs a row."""
    import torch

    assert not hasattr(torch.nn.functional, "rotary_embedding")
    assert not hasattr(torch.nn, "RotaryEmbedding")
