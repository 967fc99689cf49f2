"""Holds the arguments that a config gives to their word: whose program pairs how, and what is not known."""

from typing import Any

import numpy as np
import pytest

import pe_book as pe
from pe_book.checkpoint.programs import (
    GATED,
    PARAMS,
    fused_by,
    heads_of,
    relayout_arguments,
    require_names_of,
)
from pe_book.config.classes import MODELS
from pe_book.evidence.family.recorded import names, recorded


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("llama-3.1-8b", (32, 8, 128, "halves", 128, "first", "llama")),
        ("gpt-j-6b", (16, 16, 256, "interleaved", 64, "first", "gptj")),
        ("gpt-neox-20b", (64, 64, 96, "halves", 24, "first", "gpt_neox")),
        ("glm-4-9b-chat", (32, 2, 128, "interleaved", 64, "first", "chatglm")),
        ("deepseek-v3", (128, 128, 192, "interleaved", 64, "last", "deepseek_v3")),
        ("phi-2", (32, 32, 80, "halves", 32, "first", "phi")),
        ("command-r", (64, 64, 128, "interleaved", 128, "first", "cohere")),
        ("minicpm3-4b", (40, 40, 96, "halves", 32, "last", "minicpm3")),
    ],
)
def test_the_arguments_of_real_models(name: str, wanted: Any) -> None:
    assert tuple(relayout_arguments(recorded(name)["config"]).values()) == wanted


def test_every_recorded_config_that_turns_gives_arguments_that_a_plan_takes() -> None:
    planned = 0
    for name in names():
        try:
            found = relayout_arguments(recorded(name)["config"])
        except ValueError:  # a block without sizes, or nothing turns
            continue
        gated = 2 if found["model_type"] in GATED else 1
        rows = {"q": gated * found["n_heads"], "k": found["n_kv_heads"], "v": found["n_kv_heads"]}
        state = {f"{part}_proj.weight": np.empty((n * found["head_dim"], 1)) for part, n in rows.items()}
        to: Any = "halves" if found["source"] == "interleaved" else "interleaved"
        assert not pe.plan_relayout(state, **found, to=to).refused, name
        planned += 1
    assert planned > 30


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ({"n_head": 71, "multi_query": True, "new_decoder_architecture": False, "num_kv_heads": 71}, (71, 1)),
        ({"num_attention_heads": 128, "num_kv_heads": 8, "new_decoder_architecture": True}, (128, 8)),
        ({"num_attention_heads": 32, "multi_query_attention": True, "multi_query_group_num": 2}, (32, 2)),
        ({"num_attention_heads": 16, "num_key_value_heads": 1, "qk_rope_head_dim": 64}, (16, 16)),
    ],
)
def test_heads_under_their_many_names(values: Any, wanted: Any) -> None:
    assert heads_of(values) == wanted


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            {"model_type": "gpt2", "n_layer": 2},
            "config must be of a model that turns .* got one of kind 'lea",
        ),
        ({"model_type": "internlm2", "head_dim": 8, "num_layers": 1}, "config must say how many heads there"),
        (
            {"model_type": "llama", "head_dim": 8, "num_attention_heads": 4, "num_key_value_heads": 3},
            "num_key_value_heads must divide num_attention_heads, 4, got 3",
        ),
    ],
)
def test_a_config_that_does_not_say_is_refused(config: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        relayout_arguments(config)


@pytest.mark.parametrize(
    ("config", "wanted"),
    [
        ({"model_type": "mistral"}, (32, 8)),
        ({"model_type": "mistral", "num_attention_heads": 16, "num_key_value_heads": 16}, (16, 16)),
        ({"model_type": "falcon"}, (71, 1)),
        ({"model_type": "gemma3", "text_config": {"num_attention_heads": 4}}, (4, 4)),
    ],
)
def test_heads_that_a_config_leaves_out_are_those_of_its_class(config: Any, wanted: Any) -> None:
    found = relayout_arguments(config)
    assert (found["n_heads"], found["n_kv_heads"]) == wanted


# Layers whose slices differ -------------------------------------------------------------------------------

MIXED = {
    "model_type": "gemma3_text", "head_dim": 16, "num_attention_heads": 2, "num_key_value_heads": 1,
    "num_hidden_layers": 3, "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
    "rope_parameters": {
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
        "full_attention": {
            "rope_type": "linear", "factor": 2.0, "rope_theta": 1e6, "partial_rotary_factor": 0.25,
        },
    },
}  # fmt: skip


def test_layers_whose_slices_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="one slice in all layers, got 4 of 16 columns and 16 of 16 columns"):
        relayout_arguments(MIXED)


# Model types that are not known ---------------------------------------------------------------------------

SIZES = {"head_dim": 8, "num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 1}


@pytest.mark.parametrize("name", ["doge", None])
def test_a_model_type_that_is_not_known_is_refused_and_may_be_assumed(name: Any) -> None:
    config = {"model_type": name, **SIZES}
    with pytest.raises(ValueError, match=r"model_type .*assume='llama'"):
        relayout_arguments(config)
    for assume, layout in (("llama", "halves"), ("cohere", "interleaved")):
        found = relayout_arguments(config, assume=assume)
        assert (found["source"], found["model_type"]) == (layout, assume)
    assert relayout_arguments({"model_type": name, "text_config": config}, assume="cohere")["head_dim"] == 8


@pytest.mark.parametrize("name", ["helium", "arcee", "youtu", "nemotron"])
def test_a_type_that_is_known_keeps_its_pairs_whatever_program_is_assumed(name: str) -> None:
    config = {"model_type": name}
    with pytest.raises(ValueError, match="checkpoints were ported") as refused:
        relayout_arguments(config)
    record = pe.rotary_from_config(config)[0]
    cure = str(refused.value).rpartition("assume=")[2].strip("'")
    for assume in ("llama", "cohere", cure):
        told = relayout_arguments(config, assume=assume)
        assert (told["source"], told["rotary_dim"]) == (record.layout, record.rotary_dim)
        assert (told["side"], told["head_dim"]) == (record.side, record.head_dim)
        assert told["model_type"] == assume
    assert (MODELS[cure].layout, MODELS[cure].side) == (record.layout, record.side)


@pytest.mark.parametrize(
    ("config", "assume", "message"),
    [
        ({"model_type": "llama"}, "cohere", "assume must be left out for 'llama', whose program is known"),
        ({"model_type": "new"}, "newer", "assume must be"),
        ({"dim": 64, "n_layers": 2, "n_heads": 4}, "llama", "assume must be left out for .*params.json"),
    ],
)
def test_what_may_not_be_assumed(config: Any, assume: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        relayout_arguments(config | SIZES, assume=assume)


# Files of Meta and Mistral --------------------------------------------------------------------------------

META = {"dim": 64, "n_layers": 2, "n_heads": 4, "n_kv_heads": 2, "norm_eps": 1e-5, "rope_theta": 5e5}


def test_a_params_json_pairs_neighbours() -> None:
    told = relayout_arguments(META)
    assert told.pop("model_type").startswith(PARAMS)
    assert told == {
        "n_heads": 4, "n_kv_heads": 2, "head_dim": 16, "source": "interleaved", "rotary_dim": 16,
        "side": "first",
    }  # fmt: skip
    assert relayout_arguments({"dim": 64, "n_layers": 2, "n_heads": 4})["n_kv_heads"] == 4
    assert relayout_arguments(META | {"head_dim": 32})["head_dim"] == 32  # Mistral Nemo
    with pytest.raises(ValueError, match="dim must be a multiple of n_heads, 3, got 64"):
        relayout_arguments({"dim": 64, "n_layers": 2, "n_heads": 3})
    with pytest.raises(ValueError, match=r"params.json without latent attention.*got kv_lora_rank"):
        relayout_arguments(META | {"kv_lora_rank": 8, "qk_rope_head_dim": 4})


def test_files_of_ranks_are_moved_with_the_heads_that_each_holds() -> None:
    """Meta's large models are split by heads, into as many files as ranks: each has rows of its own heads."""
    draw, told = np.random.default_rng(0).normal, relayout_arguments(META)
    rows = {"wq": 64, "wk": 32, "wv": 32}
    whole = {f"layers.0.attention.{name}.weight": draw(size=(n, 64)) for name, n in rows.items()}
    ranks = [{name: np.split(value, 2)[rank] for name, value in whole.items()} for rank in range(2)]
    refused = pe.plan_relayout(ranks[0], **told, to="halves").refused
    assert len(refused) == 2
    assert all("of a file that one of 2 ranks holds, give the heads in it" in why for why in refused.values())
    part = pe.plan_relayout(ranks[0], **told | {"n_heads": 2, "n_kv_heads": 1}, to="halves")
    wanted = pe.plan_relayout(whole, **told, to="halves").apply(whole)
    moved = [part.apply(rank) for rank in ranks]
    for name in whole:
        np.testing.assert_array_equal(np.concatenate([one[name] for one in moved]), wanted[name])


@pytest.mark.parametrize(
    ("model_type", "name", "message"),
    [
        ("llama", "layers.0.attention.wq.weight", "Meta's files, where neighbours are paired: .*params.json"),
        (
            "params.json",
            "model.layers.0.self_attn.k_proj.weight",
            "transformers, where halves are paired: .*config.json",
        ),
    ],
)
def test_names_of_another_program_than_the_config_is_of(model_type: str, name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        require_names_of(model_type, ["embed.weight", name])
    require_names_of(None, [name])
    sizes: Any = {"n_heads": 1, "n_kv_heads": 1, "head_dim": 4, "source": "halves", "to": "interleaved"}
    with pytest.raises(ValueError, match=message):
        pe.plan_relayout({name: np.ones((4, 2))}, **sizes, model_type=model_type)


# What a type tells ----------------------------------------------------------------------------------------


def test_fused_follows_from_the_type_and_a_contradiction_is_refused() -> None:
    assert fused_by("falcon", None) == fused_by("falcon", "grouped") == "grouped"
    assert fused_by("llama", "per-head") == "per-head"
    with pytest.raises(
        ValueError, match="fused must be 'grouped' for model_type='falcon', got 'concatenated'"
    ):
        fused_by("falcon", "concatenated")
