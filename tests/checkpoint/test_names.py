"""Holds to its word what the name of an entry tells: its role, and how a fused one is arranged."""

import re
from typing import Any

import numpy as np
import pytest

from pe_book.checkpoint.names import arrangement_of, part_of, turned_heads
from tests.checkpoint.one_layer import AT, Attention, same


@pytest.mark.parametrize(
    ("name", "heads", "arrangement"),
    [
        ("gpt_neox.layers.0.attention.query_key_value", (4, 4), "per-head"),
        ("model.layers.0.self_attn.qkv_proj", (4, 2), "concatenated"),
        ("model.layers.0.self_attn.qkv_proj", (4, 4), "concatenated"),
        ("decoder.layers.0.self_attention.linear_qkv", (4, 2), "grouped"),
        ("transformer.h.0.self_attention.query_key_value", (4, 1), "grouped"),
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
        ("transformer.h.0.attn.qkv_proj", (4, 4)),
        ("blocks.0.attn.qkv", (2, 2)),
    ],
)
def test_an_arrangement_that_nothing_tells_is_refused(name: str, heads: Any) -> None:
    layer = Attention(*heads, 8, None, "first")
    plan = layer.plan(layer.fused(layer.state(), "concatenated", name), "halves")
    assert list(plan.refused) == [f"{name}.weight", f"{name}.bias"]
    assert f"{name}.weight does not tell how it is arranged: fused must be" in plan.refused[f"{name}.weight"]


def test_the_order_of_codegen_by_hand() -> None:
    """Four blocks, each with its queries, its values and its keys."""
    turned = turned_heads(8, 8, "four-blocks", "fused")
    assert turned == (*[True] * 2, *[False] * 2, *[True] * 2) * 4
    for heads in ((6, 6), (8, 4)):
        with pytest.raises(ValueError, match="fused must be"):
            turned_heads(*heads, "four-blocks", "fused")
    with pytest.raises(ValueError, match="another order is not carried: split it"):
        arrangement_of("transformer.h.0.attn.qkv_proj.weight", 8, 8, None)


# Roles ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layer", "query", "key", "others"),
    [
        ("model.layers.7.self_attn", "q_proj", "k_proj", ["o_proj", "v_proj", "rotary_emb.inv_freq"]),
        ("layers.7.attention", "wq", "wk", ["wv", "wo"]),
        ("encoder.layer.7.attention.self", "query", "key", ["value"]),
    ],
)
def test_names_of_libraries(layer: str, query: str, key: str, others: list[str]) -> None:
    state = {f"{layer}.{name}.weight": np.ones((8, 3)) for name in (query, key, *others)}
    state |= {"model.layers.7.mlp.up_proj.weight": np.ones((8, 3)), "lm_head.weight": np.ones((8, 3))}
    plan = Attention(2, 2, 4, None, "first").plan(state, "halves")
    assert plan.moved == {f"{layer}.{query}.weight": "query", f"{layer}.{key}.weight": "key"}
    assert not plan.refused


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


# Refusals -------------------------------------------------------------------------------------------------


UNKNOWN = "must have a known role, got none by its name: say it in names"
ALONE = "must be moved with the queries and the keys of its layer"


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        (f"{AT}.q_proj.qweight", np.ones((8, 3)), "must be a weight or a bias, got 'qweight': unpack"),
        (f"{AT}.q_proj.bias", np.ones(8, dtype=np.int8), "must hold float16, .*, got int8: dequantise"),
        (
            f"{AT}.q_proj.bias",
            np.ones(6),
            r"shape \(8, …\), as 2 heads of head_dim=4 make 8 rows, got \(6,\)",
        ),
        (f"{AT}.q_norm.weight", np.ones(6), r"must have shape \(4,\), \(2, 4\) or \(8,\), got \(6,\)"),
        (f"{AT}.kv_proj.weight", np.ones((16, 3)), UNKNOWN),
        ("layers.1.self_attn.q_proj.weight", np.ones((8, 3)), ALONE),
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


@pytest.mark.parametrize(
    ("name", "shape", "reason"),
    [
        ("h.1.attn.c_attn.weight", (3, 24), r"must have shape \(24, …\).*: transpose it first"),
        ("gpt_neox.layers.1.attention.query_key_value.weight", (16, 3), r"got \(16, 3\): check"),
        (
            "0.attn.q_proj.weight",
            (16, 3),
            "head_dim, or name it a gated query where each head's gate stands behind",
        ),
    ],
)
def test_a_projection_of_another_shape_is_refused_with_its_cure(name: str, shape: Any, reason: str) -> None:
    plan = Attention(2, 2, 4, None, "first").plan({name: np.ones(shape)}, "halves")
    assert list(plan.refused) == [name]
    assert re.search(reason, plan.refused[name])


@pytest.mark.parametrize("name", ["qproj.weight", "in_proj_weight", "w_q", "kv.weight"])
def test_names_like_those_that_are_known_are_refused_beside_them(name: str) -> None:
    layer = Attention(2, 2, 4, None, "first")
    state = layer.state() | {f"{AT}.{name}": np.ones((8, 3))}
    assert layer.plan(state, "halves").refused == {f"{AT}.{name}": f"{AT}.{name} {UNKNOWN}"}
    assert not layer.plan(state, "halves", names={f"*.{name}": "left"}).refused


@pytest.mark.parametrize("name", ["tok_embeddings.weight", "mixer.in_proj.weight", "monkeys"])
def test_names_of_other_things_are_left(name: str) -> None:
    assert part_of(name, {}).role == "left"


def test_an_adapter_does_not_stand_for_its_base() -> None:
    layer = Attention(2, 2, 4, None, "first")
    state = {f"{AT}.q_proj.weight": np.ones((8, 3)), f"{AT}.k_proj.lora_B.weight": np.ones((8, 2))}
    assert list(layer.plan(state, "halves").refused) == [f"{AT}.q_proj.weight"]
