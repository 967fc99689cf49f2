"""Holds to its word what the name of an entry tells: its role, and how a fused one is arranged."""

from typing import Any

import numpy as np
import pytest

from pe_book.checkpoint.names import FUSED, arrangement_of, turned_heads
from tests.checkpoint.one_layer import AT, D_MODEL, Attention, State, same


@pytest.mark.parametrize(
    ("name", "heads", "arrangement"),
    [
        ("gpt_neox.layers.0.attention.query_key_value", (4, 4), "per-head"),
        ("model.layers.0.self_attn.qkv_proj", (4, 2), "concatenated"),
        ("model.layers.0.self_attn.qkv_proj", (4, 4), "concatenated"),
        ("decoder.layers.0.self_attention.linear_qkv", (4, 2), "grouped"),
        ("layers.0.attn.Wqkv", (4, 4), "concatenated"),
        ("model.layers.0.self_attn.W_pack", (4, 4), "concatenated"),
        ("transformer.h.0.self_attention.query_key_value", (4, 1), "grouped"),  # one key: two ways are one
        ("transformer.h.0.self_attention.query_key_value", (4, 1), "concatenated"),
    ],
)
def test_an_arrangement_that_name_and_shape_tell(name: str, heads: Any, arrangement: str) -> None:
    layer = Attention(*heads, 8, 6, "first")
    state = layer.state()
    fused = layer.fused(state, arrangement, name)
    moved = layer.apart(layer.plan(fused, "halves").apply(fused), arrangement, name)
    same(layer.output(moved, "interleaved"), layer.output(state, "halves"))


@pytest.mark.parametrize(
    ("name", "heads"),
    [
        ("transformer.h.0.self_attention.query_key_value", (4, 2)),
        ("transformer.encoder.layers.0.self_attention.query_key_value", (4, 4)),
        ("transformer.h.0.attn.qkv_proj", (4, 4)),
        ("layers.0.attention.wqkv", (4, 2)),
        ("blocks.0.attn.qkv", (2, 2)),
    ],
)
def test_an_arrangement_that_nothing_tells_is_refused(name: str, heads: Any) -> None:
    layer = Attention(*heads, 8, None, "first")
    plan = layer.plan(layer.fused(layer.state(), "concatenated", name), "halves")
    assert list(plan.refused) == [f"{name}.weight", f"{name}.bias"]
    assert f"{name}.weight does not tell how it is arranged: fused must be" in plan.refused[f"{name}.weight"]


def test_the_order_of_codegen_is_none_of_the_three_and_the_refusal_says_so() -> None:
    heads, blocks = 8, 4
    codegen = (
        *[True] * (heads // blocks),
        *[False] * (heads // blocks),
        *[True] * (heads // blocks),
    ) * blocks
    for way in FUSED:
        assert turned_heads(heads, heads, way, "fused") != codegen
    with pytest.raises(ValueError, match="CodeGen's four blocks of query, value, key, is not carried: split"):
        arrangement_of("transformer.h.0.attn.qkv_proj.weight", heads, heads, None)


# Roles ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layer", "query", "key", "others"),
    [
        ("model.layers.7.self_attn", "q_proj", "k_proj", ["o_proj", "v_proj", "rotary_emb.inv_freq"]),
        ("layers.7.attention", "wq", "wk", ["wv", "wo"]),
        ("key.layers.7.self_attn", "q_proj", "k_proj", []),
        ("encoder.layer.7.attention.self", "query", "key", ["value"]),
        ("layers.7.self_attn", "q_proj.base_layer", "k_proj.base_layer", ["v_proj.base_layer"]),
    ],
)
def test_names_of_libraries(layer: str, query: str, key: str, others: list[str]) -> None:
    state = {f"{layer}.{name}.weight": np.ones((8, 3)) for name in (query, key, *others)}
    state |= {"model.layers.7.mlp.up_proj.weight": np.ones((8, 3)), "lm_head.weight": np.ones((8, 3))}
    plan = Attention(2, 2, 4, None, "first").plan(state, "halves")
    assert plan.moved == {f"{layer}.{query}.weight": "query", f"{layer}.{key}.weight": "key"}
    assert not plan.refused


def test_adapters_move_in_their_second_factor_alone_and_may_be_of_queries_alone() -> None:
    layer = Attention(2, 2, 8, None, "first")
    state = layer.state(biases=False)
    at, draw = "layers.0.self_attn.q_proj", np.random.default_rng(3).normal
    adapter = {f"base_model.{at}.lora_A.default.weight": draw(size=(2, D_MODEL))}
    adapter[f"base_model.{at}.lora_B.default.weight"] = draw(size=(16, 2))
    plan = layer.plan(adapter, "halves")
    assert plan.moved == {f"base_model.{at}.lora_B.default.weight": "query"}

    def merged(state: State, adapter: State) -> State:
        a, b = adapter.values()
        return state | {f"{at}.weight": state[f"{at}.weight"] + b @ a}

    moved = merged(layer.plan(state, "halves").apply(state), plan.apply(adapter))
    same(layer.output(moved, "interleaved"), layer.output(merged(state, adapter), "halves"))


def test_what_the_caller_names() -> None:
    state = {f"blocks.0.attn.to_{name}.weight": np.arange(8.0)[:, None] for name in "qkv"}
    state |= {"blocks.0.attn.q_bias": np.arange(8.0), "vision.q_proj.weight": np.ones((3, 3))}
    layer = Attention(2, 2, 4, None, "first")
    names = {"*.to_q.*": "query", "*.to_k.*": "key", "*.q_bias": "query", "vision.*": "left"}
    plan = layer.plan(state, "halves", names=names)
    assert list(plan.moved) == [
        "blocks.0.attn.to_q.weight",
        "blocks.0.attn.to_k.weight",
        "blocks.0.attn.q_bias",
    ]
    assert plan.apply(state)["blocks.0.attn.q_bias"].tolist() == [0, 2, 1, 3, 4, 6, 5, 7]
    assert set(layer.plan(state, "halves", names={"*.to_q.*": "query", "*.to_k.*": "key"}).refused) == {
        "blocks.0.attn.q_bias", "vision.q_proj.weight",
    }  # fmt: skip


def test_a_norm_that_stands_apart_moves_where_the_caller_names_it() -> None:
    layer = Attention(2, 2, 4, None, "first")
    state = layer.state() | {"shared.q_gain": np.arange(4.0)}
    moved = layer.plan(state, "interleaved", names={"shared.q_gain": "query norm"}).apply(state)
    assert moved["shared.q_gain"].tolist() == [0, 2, 1, 3]


def test_norms_of_each_head_in_a_module_of_its_own() -> None:
    layer = Attention(2, 1, 4, None, "first")
    state = layer.state(biases=False)
    state |= {f"layers.0.self_attn.q_layernorm.norms.{head}.weight": np.arange(4.0) for head in range(2)}
    moved = layer.plan(state, "interleaved").apply(state)
    assert moved["layers.0.self_attn.q_layernorm.norms.1.weight"].tolist() == [0, 2, 1, 3]


# Refusals -------------------------------------------------------------------------------------------------


UNKNOWN = "must have a known role, got none by its name: say it in names"
ALONE = "must be moved with the queries and the keys of its layer"


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        (f"{AT}.q_proj.qweight", np.ones((8, 3)), "must be a weight or a bias, got 'qweight': unpack"),
        (f"{AT}.k_proj.weight_scale", np.ones(8), "got 'weight_scale': unpack or dequantise"),
        (f"{AT}.k_proj.scales", np.ones(8), "got 'scales'"),
        (f"{AT}.k_proj.weight.absmax", np.ones(8), "got 'weight.absmax'"),
        (f"{AT}.k_proj", np.ones((8, 3)), "got the name of the module alone"),
        (f"{AT}.q_proj.bias", np.ones(8, dtype=np.int8), "must hold float16, .*, got int8: dequantise"),
        (f"{AT}.q_proj.bias", [0.0] * 8, "got a list"),
        (
            f"{AT}.q_proj.bias",
            np.ones(6),
            r"shape \(8, …\), as 2 heads of head_dim=4 make 8 rows, got \(6,\)",
        ),
        (f"{AT}.q_proj.ia3_l.default", np.ones((8, 1)), "got 'ia3_l.default'"),
        (f"{AT}.q_norm.weight", np.ones(6), r"must have shape \(4,\), \(2, 4\) or \(8,\), got \(6,\)"),
        (f"{AT}.q_scale", np.ones(4), UNKNOWN),
        (f"{AT}.kv_proj.weight", np.ones((16, 3)), UNKNOWN),
        ("layers.1.self_attn.q_proj.weight", np.ones((8, 3)), ALONE),
        ("layers.1.self_attn.k_proj.weight", np.ones((8, 3)), ALONE),
        ("layers.1.self_attn.q_norm.weight", np.ones(4), ALONE),
        ("h.1.attn.c_attn.weight", np.ones((3, 24)), r"must have shape \(24, …\).*: transpose it first"),
        ("gpt_neox.layers.1.attention.query_key_value.weight", np.ones((16, 3)), r"got \(16, 3\): check"),
    ],
)
def test_an_entry_that_cannot_be_moved_is_refused_by_name(name: str, value: Any, reason: str) -> None:
    layer = Attention(2, 2, 4, None, "first")
    state = layer.state(biases=False) | {name: value}
    plan = layer.plan(state, "halves")
    assert list(plan.refused) == [name]
    assert f"refused: {name}" in str(plan)
    with pytest.raises(
        ValueError, match=f"only what can be moved: {name} {reason}" if reason[0] == "m" else reason
    ):
        plan.apply(state)


def test_an_adapter_does_not_stand_for_its_base() -> None:
    layer = Attention(2, 2, 4, None, "first")
    state = {f"{AT}.q_proj.weight": np.ones((8, 3)), f"{AT}.k_proj.lora_B.weight": np.ones((8, 2))}
    assert list(layer.plan(state, "halves").refused) == [f"{AT}.q_proj.weight"]
