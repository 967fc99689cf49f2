"""Holds to its word what is moved together: one stack of layers, queries with keys, and never the values."""

import ast
import re
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pytest

from pe_book.checkpoint.names import part_of
from pe_book.checkpoint.programs import part_by
from tests.checkpoint.one_layer import AT, D_MODEL, Attention, State, same

LAYER = Attention(2, 2, 4, None, "first")
TOWER = "vision_model.encoder.layers.0.self_attn"


def tower(state: State, at: str = TOWER) -> State:
    """A second attention with the same shapes, elsewhere in the state."""
    return state | {name.replace(AT, at): value for name, value in state.items() if name.startswith(AT)}


@pytest.mark.parametrize(
    ("at", "cure"),
    [(TOWER, "vision_model.*"), ("layers.0.cross_attn", "layers.*.cross_attn.*")],
)
def test_a_second_tower_with_the_same_shapes_is_refused_until_it_is_named(at: str, cure: str) -> None:
    state = tower(LAYER.state(norms="head"), at)
    plan = LAYER.plan(state, "halves")
    stack = at.replace(".0.", ".*.")
    assert len(plan.refused) == 12
    assert not plan.moved
    reason = plan.refused[f"{at}.q_proj.weight"]
    assert f"got {' and '.join(sorted((stack, 'layers.*.self_attn')))}" in reason
    assert f"names={{'{cure}': 'left'}}" in reason
    assert str(plan).count("refused:") == 1
    assert "(alike 11 more: layers.*.self_attn.q_proj.bias, " in str(plan)
    moved = LAYER.plan(state, "halves", names={cure: "left"}).apply(state)  # the cure, as it is told
    same(LAYER.output(moved, "interleaved"), LAYER.output(state, "halves"))
    assert all(moved[name] is value for name, value in state.items() if name.startswith(at))


BESIDE = ("clip.layers.0.self_attn", "mtp.0.self_attn", "draft.model.layers.0.self_attn",
          "vision_tower.layers.0.self_attn")  # fmt: skip


def told_in(reason: str) -> list[dict[str, str]]:
    """What a refusal prints for `names`, as somebody copies it."""
    return [ast.literal_eval(one) for one in re.findall(r"names=(\{.*?\})", reason)]


@pytest.mark.parametrize("wrapper", ["", "base_model.model."])
@pytest.mark.parametrize("beside", BESIDE)
def test_no_stack_is_chosen_and_each_cure_does_what_it_says(beside: str, wrapper: str) -> None:
    """Which of two the arguments are of stands in no name: mtp turns with the model, clip does not."""
    state = tower(LAYER.state(norms="head"), beside) | tower(LAYER.state(norms="head"), f"model.{AT}")
    state = {f"{wrapper}{name}": value for name, value in state.items() if not name.startswith("layers.")}
    if wrapper:
        state = {name.replace("_proj.", "_proj.base_layer."): value for name, value in state.items()}
    reasons = LAYER.plan(state, "halves").refused
    (cures,) = {str(told_in(reason)) for reason in reasons.values()}
    *left, roles = ast.literal_eval(cures)
    moved = []
    for cure in left:
        plan = LAYER.plan(state, "halves", names=cure)
        assert not plan.refused
        assert len(plan.moved) == 6
        assert not any(fnmatchcase(name, pattern) for name in plan.moved for pattern in cure)
        moved.append({name.split(".self_attn")[0] for name in plan.moved})
    assert sorted(map(sorted, moved)) == sorted([[f"{wrapper}model.layers.0"], [f"{wrapper}{beside[:-10]}"]])
    plan = LAYER.plan(state, "halves", names=roles)
    assert not plan.refused
    assert len(plan.moved) == 12
    alone = LAYER.plan(LAYER.state(norms="head"), "halves").moved
    for name, role in plan.moved.items():
        assert role == alone[f"{AT}{name.split('.self_attn')[1].replace('.base_layer', '')}"]


def test_layers_with_fused_and_with_separate_projections_are_refused_in_one_stack() -> None:
    """MiniMax: linear layers list query, key, value head by head under a name of other use."""
    state = LAYER.state() | {"layers.1.self_attn.qkv_proj.weight": np.ones((24, D_MODEL))}
    plan = LAYER.plan(state, "halves")
    assert "got fused and separate projections in layers.*.self_attn" in plan.refused[f"{AT}.q_proj.weight"]
    assert not LAYER.plan(state, "halves", names={"*.qkv_proj.*": "left"}).refused


# Keys that are values -------------------------------------------------------------------------------------


def test_keys_that_are_values_are_refused_and_the_cure_keeps_the_values() -> None:
    state = LAYER.state(biases=False)
    del state[f"{AT}.v_proj.weight"]
    as_values = {f"{AT}.v_proj.weight": state[f"{AT}.k_proj.weight"]}  # what the program takes
    plan = LAYER.plan(state, "halves")
    assert set(plan.refused) == {f"{AT}.q_proj.weight", f"{AT}.k_proj.weight"}
    assert (
        "must have values beside it, got none: where its keys are its values"
        in plan.refused[f"{AT}.k_proj.weight"]
    )
    cured = state | as_values
    moved = LAYER.plan(cured, "halves").apply(cured)
    same(LAYER.output(moved, "interleaved"), LAYER.output(cured, "halves"))
    named = LAYER.plan(state, "halves", names={f"{AT}.k_proj.weight": "key"})  # values stand elsewhere
    assert len(named.moved) == 2


def test_values_of_another_layer_do_not_stand_for_those_of_this_one() -> None:
    state = LAYER.state() | {f"layers.1.self_attn.{name}_proj.weight": np.ones((8, 3)) for name in "qk"}
    refused = LAYER.plan(state, "halves").refused
    assert set(refused) == {f"layers.1.self_attn.{name}_proj.weight" for name in "qk"}
    for more in ({"v_norm.weight": np.ones((2, 4))}, {"value_scale": np.ones(4)}):
        beside = {f"layers.1.self_attn.{name}": value for name, value in more.items()}
        assert set(LAYER.plan(state | beside, "halves").refused) == set(refused)


# Layers without keys --------------------------------------------------------------------------------------


def test_queries_to_the_keys_of_an_earlier_layer_move_once_they_are_named() -> None:
    state = LAYER.state(norms="head")
    alone = {name.replace("layers.0", "layers.1"): value for name, value in state.items() if ".q_" in name}
    plan = LAYER.plan(state | alone, "halves")
    assert set(plan.refused) == set(alone)
    name = "layers.1.self_attn.q_proj.weight"
    assert f"if it uses keys of an earlier layer, say names={{'{name}': 'query'}}" in plan.refused[name]
    cured = LAYER.plan(state | alone, "halves", names={name: "query"})
    assert not cured.refused
    moved = cured.apply(state | alone)
    for one in alone:
        np.testing.assert_array_equal(moved[one], moved[one.replace("layers.1", "layers.0")])
    assert LAYER.plan(alone, "halves", names={name: "query"}).refused  # no layer has keys


# Gates ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("told", [{"model_type": "qwen3_next"}, {"names": {"*.q_proj.*": "gated query"}}])
def test_a_gate_behind_each_query_stays(told: Any) -> None:
    state = LAYER.state()
    gated, gates = dict(state), np.random.default_rng(2).normal(size=(2, 4))
    for part in ("weight", "bias"):
        name = f"{AT}.q_proj.{part}"
        heads = state[name].reshape(2, 4, -1)
        both = np.stack([heads, np.repeat(gates[..., None], heads.shape[-1], axis=-1)], axis=1)
        gated[name] = both.reshape(16, *state[name].shape[1:])
    assert LAYER.plan(gated, "halves").refused
    moved, wanted = LAYER.plan(gated, "halves", **told).apply(gated), LAYER.plan(state, "halves").apply(state)
    for name in state:
        found = moved[name]
        if ".q_proj." in name:
            queries, kept = found.reshape(2, 2, 4, -1).swapaxes(0, 1)
            assert (kept == gates[..., None]).all()
            found = queries.reshape(state[name].shape)
        np.testing.assert_array_equal(found, wanted[name])


def test_layers_of_such_a_type_without_a_softmax_stay() -> None:
    """Qwen3.5 names a projection of its linear layers in_proj_qkv; nothing in them turns."""
    name = "model.layers.1.linear_attn.in_proj_qkv.weight"
    assert part_by(part_of(name, {}), name, "qwen3_5_text").role == "left"
    assert part_by(part_of(name, {}), name, None).role == "refused"
