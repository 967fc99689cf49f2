"""Holds a plan to its word: what it says, what it leaves as it was, and what it refuses."""

from typing import Any

import numpy as np
import pytest

import pe_book as pe
from tests.checkpoint.one_layer import AT, D_MODEL, Attention, same


def test_a_plan_says_when_it_was_not_told_the_slice() -> None:
    layer = Attention(2, 2, 8, None, "first")
    assert "rotary_dim was not given: whole heads move" in str(layer.plan(layer.state(), "halves"))
    told = Attention(2, 2, 8, 8, "first")
    assert "rotary_dim was not given" not in str(told.plan(layer.state(), "halves"))


def test_saved_frequencies_refuse_a_slice_that_was_forgotten() -> None:
    name = "rotary_emb.inv_freq"
    forgotten, told = (Attention(2, 2, 8, width, "first") for width in (None, 4))
    state = forgotten.state() | {name: np.ones(2)}
    plan = forgotten.plan(state, "halves")
    assert plan.refused == {
        name: f"{name} has 2 frequencies: rotary_dim must be 4, got 8; or name it as left in names"
    }
    assert not told.plan(state, "halves").refused
    assert not forgotten.plan(state, "halves", names={name: "left"}).refused
    assert not forgotten.plan(forgotten.state() | {name: np.ones((2, 2))}, "halves").refused


def test_a_plan_between_two_programs_that_pair_alike_says_so_and_moves_nothing() -> None:
    layer = Attention(2, 2, 8, None, "first")
    state = layer.state() | {"rotary_emb.inv_freq": np.ones(2), f"{AT}.q_scale": np.ones(4)}
    plan = pe.plan_relayout(state, **layer.heads, source="halves", to="halves")
    assert (plan.moved, plan.refused) == ({}, {})
    assert str(plan).startswith("halves to halves: nothing moves, the two programs pair alike")
    assert all(value is state[name] for name, value in plan.apply(state).items())


def test_nothing_is_moved_in_place_and_what_moved_shares_no_memory() -> None:
    layer = Attention(2, 1, 8, None, "first")
    state = layer.state(norms="head")
    kept = {name: value.copy() for name, value in state.items()}
    plan = layer.plan(state, "halves")
    moved = plan.apply(state)
    for name in state:
        np.testing.assert_array_equal(state[name], kept[name])
        assert np.shares_memory(moved[name], state[name]) == (name not in plan.moved)
        assert (moved[name] is state[name]) == (name not in plan.moved)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_tensors_keep_dtype_and_device_and_are_new(dtype: str) -> None:
    torch = pytest.importorskip("torch")
    layer = Attention(2, 1, 8, 6, "last")
    arrays = layer.state(norms="whole")
    state = {
        name: torch.nn.Parameter(torch.tensor(value, dtype=getattr(torch, dtype)))
        for name, value in arrays.items()
    }
    kept = {name: value.detach().clone() for name, value in state.items()}
    plan = layer.plan(state, "halves")
    moved = plan.apply(state)
    as_arrays = {name: value.detach().double().numpy() for name, value in state.items()}
    wanted = layer.plan(arrays, "halves").apply(as_arrays)
    assert plan.moved == layer.plan(arrays, "halves").moved
    for name, value in moved.items():
        assert value.dtype == state[name].dtype
        assert value.device == state[name].device
        assert torch.equal(state[name], kept[name])
        np.testing.assert_array_equal(value.detach().double().numpy(), wanted[name])
        assert (value.data_ptr() == state[name].data_ptr()) == (name not in plan.moved)
        assert value.requires_grad == (name not in plan.moved)


def test_a_plan_is_made_from_shapes_alone() -> None:
    torch = pytest.importorskip("torch")
    layer = Attention(32, 8, 128, 64, "first")
    one: Any = {"dtype": torch.bfloat16, "device": "meta"}
    rows = {"q_proj": 4096, "k_proj": 1024, "v_proj": 1024}
    state = {
        f"model.layers.{n}.self_attn.{name}.weight": torch.empty(rows[name], 4096, **one)
        for n in range(3)
        for name in rows
    }
    plan = layer.plan(state, "halves")
    assert len(plan.moved) == 6
    moved = plan.apply(state)
    assert all(value.is_meta and value.shape == state[name].shape for name, value in moved.items())
    assert str(plan).splitlines() == [
        "halves to interleaved, the first 64 of 128 dimensions of each head",
        "  6 of 9 entries move, 0 are refused",
        "  query  3 × model.layers.*.self_attn.q_proj.weight (4096, 4096)",
        "  key    3 × model.layers.*.self_attn.k_proj.weight (1024, 4096)",
        "  left   3 × model.layers.*.self_attn.v_proj.weight (1024, 4096)",
    ]


def test_a_plan_of_one_state_serves_another_of_its_names_and_shapes_only() -> None:
    layer = Attention(2, 2, 4, None, "first")
    plan = layer.plan(layer.state(0), "halves")
    other = layer.state(1)
    same(layer.output(plan.apply(other), "interleaved"), layer.output(other, "halves"))
    name = "layers.0.self_attn.k_proj.weight"
    with pytest.raises(
        ValueError, match=r"k_proj.weight'\] must have the planned shape \(8, 10\), got \(4, 10\)"
    ):
        plan.apply(other | {name: np.ones((4, D_MODEL))})
    with pytest.raises(ValueError, match="state must have names of the plan, got 'more': plan it, too"):
        plan.apply(other | {"more": 1})
    with pytest.raises(TypeError, match=r"k_proj.weight must hold .*, got int64"):
        plan.apply(other | {name: np.ones((8, D_MODEL), dtype=int)})


def test_a_query_is_refused_with_its_key() -> None:
    layer = Attention(2, 2, 4, None, "first")
    state = layer.state() | {f"{AT}.k_proj.weight": np.ones((8, 3), dtype="int8")}
    refused = layer.plan(state, "halves").refused
    assert set(refused) == {f"{AT}.{name}_proj.{part}" for name in "qk" for part in ("weight", "bias")}
    with pytest.raises(ValueError, match=r"; 3 more are in str\(plan\)"):
        layer.plan(state, "halves").apply(state)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
({"state": {}}, "state must hold queries and keys"),
({"n_kv_heads": 3}, "n_kv_heads must divide n_heads, 4, got 3"),
({"head_dim": 3}, "head_dim must be even"),
({"source": "neighbours"}, "got 'neighbours': neighbours are called 'interleaved', rotate_half is"),
({"fused": "per-head"}, "fused must be 'concatenated' or 'grouped' for n_heads=4 and n_kv_heads=2"),
({"names": {"*.to_q.*": "query"}}, r"names must fit .*, got the pattern '\*\.to_q\.\*'"),
({"names": {"*": "queries"}}, r"names\['\*'\] must be 'query' or"),
],
)  # fmt: skip
def test_arguments_that_do_not_fit_are_refused_by_name(arguments: Any, message: str) -> None:
    sizes = {"n_heads": 4, "n_kv_heads": 2, "head_dim": 4, "source": "halves", "to": "interleaved"}
    given_here = {"state": Attention(4, 2, 4, None, "first").state()} | sizes | arguments
    with pytest.raises((ValueError, TypeError), match=message):
        pe.plan_relayout(**given_here)
