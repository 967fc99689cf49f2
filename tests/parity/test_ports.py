"""Ports proven by logits: tiny models of each pairing and fusion that transformers has, from its own files.

A model is saved in shards, ported by the loop of the docstring, and loaded again by a program that pairs in
the other way: its logits are those of before, and without that program they are not. Back again, files are
equal.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

import pe_book as pe
from pe_book.config.classes import MODELS
from pe_book.config.pairings import pairings
from tests.parity.ports import OTHER, logits, off, pairing, port, save, sizes_of

ALIKE = 2e-5  # of sums in float32 in another order, through two to four layers; seen: at most 4e-6
UNLIKE = 1e-2

OWN_WIDTH: dict[str, Any] = {"head_dim": None}
NO_GROUPS = OWN_WIDTH | {"num_key_value_heads": None}
EXPERTS: dict[str, Any] = {
    "num_experts": 4, "num_local_experts": 4, "n_routed_experts": 4, "moe_num_experts": 4, "moe_k": 2,
    "num_experts_per_tok": 2, "moe_intermediate_size": 32, "shared_expert_intermediate_size": 32,
}  # fmt: skip
LATENT = EXPERTS | {
    "head_dim": None, "num_key_value_heads": 4, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8,
    "v_head_dim": 16, "kv_lora_rank": 16, "q_lora_rank": 16, "n_group": 1, "topk_group": 1,
    "n_shared_experts": 1,
}  # fmt: skip
LINEAR = EXPERTS | {
    "num_hidden_layers": 4, "linear_key_head_dim": 16, "linear_value_head_dim": 16, "linear_num_key_heads": 2,
    "linear_num_value_heads": 2,
}  # fmt: skip

# what a tiny config of a type needs beside the usual sizes
TINY: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("codegen", "gptj"), NO_GROUPS | {"rotary_dim": 8}),
    **dict.fromkeys(("deepseek_v2", "deepseek_v3", "minicpm3"), LATENT),
    "deepseek_v32": LATENT | {"index_head_dim": 16, "index_n_heads": 2, "index_topk": 8},
    **dict.fromkeys(("ernie4_5_moe", "glm4_moe", "gpt_oss", "qwen3_moe", "qwen2_moe", "mixtral"), EXPERTS),
    "llama4_text": EXPERTS | {"intermediate_size_mlp": 32},
    "phimoe": EXPERTS | OWN_WIDTH,
    **dict.fromkeys(("qwen3_next", "qwen3_5_text"), LINEAR | {"partial_rotary_factor": 0.5}),
    **dict.fromkeys(("phi", "stablelm"), OWN_WIDTH),
    **dict.fromkeys(("gpt_neox", "modernbert", "nomic_bert"), NO_GROUPS),
    "falcon": NO_GROUPS | {"new_decoder_architecture": True, "num_kv_heads": 2},
    **dict.fromkeys(("youtu", "glm4_moe_lite", "mistral4"), LATENT),
    "longcat_flash": LATENT | {"head_dim": 8},
    **dict.fromkeys(("persimmon", "gpt_neox_japanese"), NO_GROUPS),
    **dict.fromkeys(("nemotron", "olmoe"), EXPERTS | OWN_WIDTH),
    **dict.fromkeys(("cohere2_moe", "minimax_m2"), EXPERTS),
    "esm": NO_GROUPS | {"position_embedding_type": "rotary", "mask_token_id": 3},
    "smollm3": {"num_hidden_layers": 4},
    "roformer": NO_GROUPS | {"is_decoder": True},
    "chameleon": OWN_WIDTH | {
        "vocabulary_map": {"<image>": 31, "IMGIMGAZ": 30},
        "vq_config": {"embed_dim": 8, "num_embeddings": 4, "latent_channels": 8, "resolution": 8,
                      "base_channels": 32, "channel_multiplier": [1], "num_res_blocks": 1},
    },
}  # fmt: skip


def way(name: str, model_type: str, *marks: Any, **config: Any) -> Any:
    values = {"model_type": model_type, **TINY.get(model_type, {}), **config}
    return pytest.param(values, id=name, marks=marks)


THOROUGH = pytest.mark.thorough


WAYS = [
    way("separate, halves", "llama"),
    way("fused one after the other", "phi3"),
    way("fused in four blocks, neighbours", "codegen"),
    way("latent, neighbours of the last columns", "deepseek_v3"),
    way("fused by groups", "falcon", THOROUGH),
    way("fused, one key for all", "falcon", THOROUGH, new_decoder_architecture=False, multi_query=True),
    way(
        "fused head by head",
        "falcon",
        THOROUGH,
        new_decoder_architecture=False,
        multi_query=False,
        num_kv_heads=4,
    ),
    way("fused head by head, a slice", "gpt_neox", THOROUGH),
    way("norm of each head for itself", "cohere", THOROUGH, use_qk_norm=True),
    way("norm of each head in a module", "stablelm", THOROUGH, qk_layernorm=True),
    way("biases and keys for all queries", "qwen2", THOROUGH, num_key_value_heads=4),
    way("one key for all queries", "llama", THOROUGH, num_key_value_heads=1),
]  # fmt: skip


@pytest.fixture(autouse=True)
def offline_and_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TQDM_DISABLE", "1")


def both_ways(
    config: dict[str, Any], at: Path, assume: str | None = None, only: str = "apply_", **more: Any
) -> int:
    """Port a model there and back; how many entries moved."""
    save(config, at / "old")
    assert len(list((at / "old").glob("*.safetensors"))) > 1
    told = pe.relayout_arguments(at / "old" / "config.json", assume=assume)
    source, to = told["source"], OTHER[told["source"]]
    was = logits(at / "old")
    plan = port(at / "old", at / "new", assume, to=to, **more)
    with pairing(config["model_type"], told, only):
        assert off(logits(at / "new"), was) < ALIKE
    assert off(logits(at / "new"), was) > UNLIKE
    port(at / "new", at / "back", assume, source=to, to=source, **more)
    for file in (at / "old").glob("*.safetensors"):
        before, after = load_file(file), load_file(at / "back" / file.name)
        assert before.keys() == after.keys()
        assert all(torch.equal(before[name], after[name]) for name in before)
    assert off(logits(at / "back"), was) == 0
    return len(plan.moved)


@pytest.mark.parametrize("config", WAYS)
def test_a_port_there_and_back(config: dict[str, Any], tmp_path: Path) -> None:
    assert both_ways(config, tmp_path) > 1
    for there in ("old", "new"):  # never in place
        with pytest.raises(FileExistsError):
            port(tmp_path / "old", tmp_path / there, to="interleaved")


# with a tower, or with code beside the weights
APART = ("deepseek_v32",)  # ported by a test of its own
BLOCKS = ("llama4", "gemma3", "qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_5")
TYPES = [
    row.model_type
    for row in pairings()
    if row.model_type in CONFIG_MAPPING_NAMES
    and row.model_type not in BLOCKS + APART
    and MODELS[row.model_type].ported
]


@pytest.mark.thorough
def test_an_indexer_stays_once_it_is_named(tmp_path: Path) -> None:
    """DeepSeek-V3.2 picks keys by a second attention, which pairs halves where the first pairs neighbours."""
    config = {"model_type": "deepseek_v32", **TINY["deepseek_v32"]}
    names = {"model.layers.*.self_attn.indexer.*": "left"}
    assert both_ways(config, tmp_path, only="apply_rotary_pos_emb_interleave", names=names) == 4


# types of which no plan is made by itself, a known one that does alike, and what that one does otherwise
ASSUMED: dict[str, tuple[str, dict[str, Any]]] = {
    "helium": ("cohere", {}),
    "cohere2_moe": ("cohere2", {}),
    **dict.fromkeys(("youtu", "glm4_moe_lite", "mistral4", "longcat_flash"), ("deepseek_v3", {})),
    **dict.fromkeys(("arcee", "hunyuan_v1_dense", "esm"), ("llama", {})),
    "olmoe": ("olmo2", {}),
    "nemotron": ("stablelm", {}),
    "minimax_m2": ("phi", {}),
    "gpt_neox_japanese": ("gpt_neox", {}),
    "persimmon": ("stablelm", {"fused": "per-head"}),
    "roformer": ("cohere", {}),
    "chameleon": ("llama", {"names": {"vqmodel.*": "left"}}),
}


PORTED = {**dict.fromkeys(TYPES, (None, {})), **ASSUMED}


@pytest.mark.thorough
@pytest.mark.parametrize("model_type", PORTED)
def test_a_port_of_every_type(model_type: str, tmp_path: Path) -> None:
    assume, more = PORTED[model_type]
    assert both_ways({"model_type": model_type, **TINY.get(model_type, {})}, tmp_path, assume, **more) > 1


def test_a_program_whose_config_says_how_it_pairs(tmp_path: Path) -> None:
    """DeepSeek-V3 reads either pairing, and its config says which: no turn is changed here."""
    save({"model_type": "deepseek_v3", **LATENT}, tmp_path / "old")
    port(tmp_path / "old", tmp_path / "new", to="halves")
    file = tmp_path / "new" / "config.json"
    file.write_text(json.dumps(sizes_of(tmp_path / "old") | {"rope_interleave": False}))
    assert off(logits(tmp_path / "new"), logits(tmp_path / "old")) < ALIKE
    assert pe.relayout_arguments(file)["source"] == "halves"
