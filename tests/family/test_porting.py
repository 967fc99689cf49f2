"""Holds weights and checkpoints moved between layouts to their word: the attention stays the same.

The proof is attention itself, computed here from the entries of a state with `rotate` in either layout.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import pe_book as pe
from pe_book.family.checkpoint_names import FUSED, arrangement_of, turned_heads
from pe_book.family.checkpoints import Plan
from pe_book.family.porting import head_order

Array = NDArray[np.float64]
State = dict[str, Any]
few = settings(deadline=None, max_examples=40)
OTHER = {"interleaved": "halves", "halves": "interleaved"}
D_MODEL, TOKENS = 10, 6

HEADS = st.sampled_from([(1, 1), (2, 2), (4, 4), (4, 2), (4, 1), (6, 3)])
SLICES = st.sampled_from(
    [(8, None, "first"), (8, 6, "first"), (8, 6, "last"), (12, 8, "last"), (6, 2, "first"), (2, None, "last")]
)
LAYOUTS = st.sampled_from(["interleaved", "halves"])
SEEDS = st.integers(0, 10**6)


class Attention:
    """Attention with grouped queries over 6 tokens, from the entries of one layer."""

    def __init__(self, n_heads: int, n_kv_heads: int, head_dim: int, rotary_dim: int | None, side: str):
        self.heads = {"n_heads": n_heads, "n_kv_heads": n_kv_heads, "head_dim": head_dim}
        self.slice: Any = {"rotary_dim": rotary_dim, "side": side}
        self.q, self.k, self.width = n_heads, n_kv_heads, head_dim

    def state(self, seed: int = 0, *, biases: bool = True, norms: str = "none") -> State:
        """A layer with names as in Llama."""
        draw = np.random.default_rng(seed).normal
        state: State = {"embed.weight": draw(size=(3, D_MODEL))}
        for name, heads in (("q", self.q), ("k", self.k), ("v", self.k)):
            state[f"layers.0.self_attn.{name}_proj.weight"] = draw(size=(heads * self.width, D_MODEL))
            if biases:
                state[f"layers.0.self_attn.{name}_proj.bias"] = draw(size=heads * self.width)
            if norms != "none" and name != "v":
                width = {"head": (self.width,), "whole": (heads * self.width,), "each": (heads, self.width)}[
                    norms
                ]
                state[f"layers.0.self_attn.{name}_norm.weight"] = draw(size=width)
        return state

    def scores(self, state: State, layout: Any) -> tuple[Array, Array]:
        """Scores of shape (h, n, n), and values of shape (h, n, head_dim)."""
        x = np.random.default_rng(99).normal(size=(TOKENS, D_MODEL))
        made = {}
        for name, heads in (("q", self.q), ("k", self.k), ("v", self.k)):
            at = f"layers.0.self_attn.{name}"
            rows = x @ state[f"{at}_proj.weight"].T + state.get(f"{at}_proj.bias", 0.0)
            norm = state.get(f"{at}_norm.weight")
            if norm is not None and norm.shape == (heads * self.width,):
                rows = normed(rows) * norm
            rows = rows.reshape(TOKENS, heads, self.width)
            if norm is not None and norm.shape != (heads * self.width,):
                rows = normed(rows) * norm
            made[name] = np.repeat(rows.swapaxes(0, 1), self.q // heads, axis=0)
        turned = {name: pe.rotate(made[name], range(TOKENS), layout=layout, **self.slice) for name in "qk"}
        return turned["q"] @ turned["k"].swapaxes(1, 2), made["v"]

    def output(self, state: State, layout: Any) -> Array:
        """Shape (h, n, head_dim)."""
        scores, values = self.scores(state, layout)
        weights = np.exp((scores - scores.max(-1, keepdims=True)) / np.sqrt(self.width))
        return weights / weights.sum(-1, keepdims=True) @ values

    def plan(self, state: State, source: Any, **more: Any) -> Plan:
        return pe.plan_relayout(state, **self.heads, source=source, to=OTHER[source], **self.slice, **more)  # type: ignore[arg-type]

    def fused(self, state: State, arrangement: str, name: str = "layers.0.self_attn.qkv") -> State:
        """The state with one projection for all three."""
        state, group = dict(state), self.q // self.k
        for part in ("weight", "bias"):
            names = [f"layers.0.self_attn.{one}_proj.{part}" for one in "qkv"]
            if names[0] in state:
                q, k, v = (np.split(state.pop(one), self.q if one is names[0] else self.k) for one in names)
                if arrangement == "concatenated":
                    heads = q + k + v
                else:
                    heads = [h for i in range(self.k) for h in (*q[i * group : (i + 1) * group], k[i], v[i])]
                state[f"{name}.{part}"] = np.concatenate(heads)
        return state

    def apart(self, state: State, arrangement: str, name: str = "layers.0.self_attn.qkv") -> State:
        """The other way, by the reshapes with which libraries read a fused projection."""
        state = dict(state)
        for part in ("weight", "bias"):
            if f"{name}.{part}" in state:
                rows = state.pop(f"{name}.{part}")
                if arrangement == "concatenated":
                    cut = self.q * self.width
                    parts = [rows[:cut], *np.split(rows[cut:], 2)]
                else:
                    each = rows.reshape(self.k, self.q // self.k + 2, self.width, *rows.shape[1:])
                    parts = [
                        one.reshape(-1, *rows.shape[1:]) for one in (each[:, :-2], each[:, -2], each[:, -1])
                    ]
                for one, value in zip("qkv", parts, strict=True):
                    state[f"layers.0.self_attn.{one}_proj.{part}"] = value
        return state


def normed(rows: Array) -> Array:
    return rows / np.sqrt((rows**2).mean(-1, keepdims=True) + 1e-6)


def same(found: Array, wanted: Array) -> None:
    """Sums of some ten products in another order, behind a softmax of scores up to some hundreds."""
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11)


# Exact small tables ---------------------------------------------------------------------------------------


def test_two_heads_by_hand() -> None:
    rows = ["a0", "b0", "a1", "b1", "c0", "d0", "c1", "d1"]
    there = pe.relayout_heads(rows, n_heads=2, source="interleaved", to="halves")
    assert there.tolist() == ["a0", "a1", "b0", "b1", "c0", "c1", "d0", "d1"]


@pytest.mark.parametrize(
    ("chosen", "wanted"),
    [
        ({}, [0, 2, 4, 6, 1, 3, 5, 7]),
        ({"rotary_dim": 4}, [0, 2, 1, 3, 4, 5, 6, 7]),
        ({"rotary_dim": 4, "side": "last"}, [0, 1, 2, 3, 4, 6, 5, 7]),
        ({"rotary_dim": 6, "side": "last"}, [0, 1, 2, 4, 6, 3, 5, 7]),
        ({"rotary_dim": 2}, [0, 1, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_the_order_of_one_head(chosen: Any, wanted: list[int]) -> None:
    order = head_order(8, source="interleaved", to="halves", **chosen)
    assert order.tolist() == wanted
    back = head_order(8, source="halves", to="interleaved", **chosen)
    assert order[back].tolist() == list(range(8))


def test_the_conversion_that_is_known_for_llama() -> None:
    """From Meta's rows, interleaved, to those of most code, in halves: `permute` of the public script."""
    torch = pytest.importorskip("torch")
    n_heads, dim1, dim2 = 3, 24, 5
    w = torch.randn(dim1, dim2, generator=torch.Generator().manual_seed(0))
    permuted = w.view(n_heads, dim1 // n_heads // 2, 2, dim2).transpose(1, 2).reshape(dim1, dim2)
    assert torch.equal(pe.relayout_heads(w, n_heads=3, source="interleaved", to="halves"), permuted)
    assert torch.equal(pe.relayout_heads(permuted, n_heads=3, source="halves", to="interleaved"), w)
    assert not torch.equal(pe.relayout_heads(w, n_heads=3, source="halves", to="interleaved"), permuted)


def test_queries_of_whole_numbers_are_turned_bit_for_bit_alike() -> None:
    draw = np.random.default_rng(5).integers
    x, weight = draw(-9, 9, size=(TOKENS, D_MODEL)), draw(-9, 9, size=(3 * 8, D_MODEL))
    moved = pe.relayout_heads(weight, n_heads=3, source="interleaved", to="halves")
    q, q_moved = ((x @ w.T).reshape(TOKENS, 3, 8).swapaxes(0, 1) for w in (weight, moved))
    turned, there = pe.rotate(q, range(TOKENS)), pe.rotate(q_moved, range(TOKENS), layout="halves")
    np.testing.assert_array_equal(there, pe.relayout(turned, source="interleaved", to="halves"))


# The same attention ---------------------------------------------------------------------------------------


@few
@given(
    heads=HEADS, chosen=SLICES, source=LAYOUTS, seed=SEEDS, biases=st.booleans(),
    norms=st.sampled_from(["none", "head", "whole", "each"]),
)  # fmt: skip
def test_attention_is_the_same(
    heads: Any, chosen: Any, source: str, seed: int, biases: bool, norms: str
) -> None:
    layer = Attention(*heads, *chosen)
    state = layer.state(seed, biases=biases, norms=norms)
    plan = layer.plan(state, source)
    assert len(plan.moved) == 2 * (1 + biases + (norms != "none"))
    moved = plan.apply(state)
    before, after = layer.scores(state, source)[0], layer.scores(moved, OTHER[source])[0]
    np.testing.assert_allclose(after, before, rtol=0, atol=64 * 2.0**-53 * np.abs(before).max() * layer.width)
    same(layer.output(moved, OTHER[source]), layer.output(state, source))
    back = layer.plan(moved, OTHER[source]).apply(moved)
    assert list(back) == list(state)
    assert all(np.array_equal(back[name], state[name]) for name in state)


@few
@given(
    heads=HEADS, chosen=SLICES, source=LAYOUTS, seed=SEEDS, biases=st.booleans(),
    arrangement=st.sampled_from(["concatenated", "per-head", "grouped"]),
)  # fmt: skip
def test_attention_is_the_same_from_a_fused_projection(
    heads: Any, chosen: Any, source: str, seed: int, biases: bool, arrangement: Any
) -> None:
    layer = Attention(heads[0], heads[0] if arrangement == "per-head" else heads[1], *chosen)
    state = layer.state(seed, biases=biases, norms="head")
    fused = layer.fused(state, arrangement)
    moved = layer.apart(layer.plan(fused, source, fused=arrangement).apply(fused), arrangement)
    same(layer.output(moved, OTHER[source]), layer.output(state, source))
    for name in state:
        assert "v_proj" not in name or np.array_equal(moved[name], state[name])


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


def test_latent_attention() -> None:
    """DeepSeek's names: each query ends in its rotary part, and one rotary key stands behind the latent."""
    nope, rope, heads, latent = 4, 6, 3, 5
    draw = np.random.default_rng(0).normal
    at = "model.layers.0.self_attn"
    state = {
        f"{at}.q_a_proj.weight": draw(size=(7, D_MODEL)), f"{at}.q_a_layernorm.weight": draw(size=7),
        f"{at}.q_b_proj.weight": draw(size=(heads * (nope + rope), 7)),
        f"{at}.kv_a_proj_with_mqa.weight": draw(size=(latent + rope, D_MODEL)),
        f"{at}.kv_a_layernorm.weight": draw(size=latent),
        f"{at}.kv_b_proj.weight": draw(size=(heads * (nope + 4), latent)),
    }  # fmt: skip
    sizes: Any = {"n_heads": heads, "n_kv_heads": heads, "head_dim": nope + rope, "rotary_dim": rope}
    layouts: Any = {"source": "interleaved", "to": "halves"}
    plan = pe.plan_relayout(state, **sizes, side="last", **layouts)
    assert plan.moved == {f"{at}.q_b_proj.weight": "query", f"{at}.kv_a_proj_with_mqa.weight": "latent key"}
    moved = plan.apply(state)

    def parts(state: State, layout: Any) -> tuple[Array, Array, Array]:
        x = np.random.default_rng(1).normal(size=(TOKENS, D_MODEL))
        q = (x @ state[f"{at}.q_a_proj.weight"].T @ state[f"{at}.q_b_proj.weight"].T).reshape(
            TOKENS, heads, -1
        )
        q, compressed = q.swapaxes(0, 1), x @ state[f"{at}.kv_a_proj_with_mqa.weight"].T
        turned = (
            pe.rotate(one, range(TOKENS), layout=layout) for one in (q[..., nope:], compressed[:, latent:])
        )
        query, key = turned
        return query @ key.T, q[..., :nope], compressed[:, :latent]

    for found, wanted in zip(parts(moved, "halves"), parts(state, "interleaved"), strict=True):
        same(found, wanted)
    for wrong in ({"side": "first"}, {"side": "last", "rotary_dim": None}):
        refused = pe.plan_relayout(state, **{**sizes, **wrong}, **layouts).refused
        assert "rotary_dim of its last rows" in refused[f"{at}.kv_a_proj_with_mqa.weight"]
        assert f"{at}.q_b_proj.weight" in refused  # not without its key


# Names ----------------------------------------------------------------------------------------------------


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


def test_a_plan_says_when_it_was_not_told_the_slice() -> None:
    layer = Attention(2, 2, 8, None, "first")
    assert "rotary_dim was not given: whole heads move" in str(layer.plan(layer.state(), "halves"))
    told = Attention(2, 2, 8, 8, "first")
    assert "rotary_dim was not given" not in str(told.plan(layer.state(), "halves"))


@pytest.mark.parametrize("name", ["rotary_emb.inv_freq", "rope.freqs", "inv_freq"])
def test_saved_frequencies_refuse_a_slice_that_was_forgotten(name: str) -> None:
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
    plan = pe.plan_relayout(state, **layer.heads, source="halves", to="halves")  # type: ignore[arg-type]
    assert (plan.moved, plan.refused) == ({}, {})
    assert str(plan).startswith("halves to halves: nothing moves, the two programs pair alike")
    assert all(value is state[name] for name, value in plan.apply(state).items())


# What the caller gave -------------------------------------------------------------------------------------


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


def test_a_layout_moved_to_itself_is_a_copy() -> None:
    weight = np.arange(8.0)
    there = pe.relayout_heads(weight, n_heads=1, source="halves", to="halves")
    np.testing.assert_array_equal(there, weight)
    assert not np.shares_memory(there, weight)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
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
    head, *lines = str(plan).splitlines()
    assert head.startswith(
        "halves to interleaved, the first 64 of 128 dimensions of each head: 6 of 9 entries"
    )
    assert lines == [
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
    with pytest.raises(ValueError, match="state must have the planned names, got a difference at 'more'"):
        plan.apply(other | {"more": 1})
    with pytest.raises(TypeError, match=r"k_proj.weight must hold .*, got int64"):
        plan.apply(other | {name: np.ones((8, D_MODEL), dtype=int)})


# Plausible mistakes ---------------------------------------------------------------------------------------

LAYER = Attention(4, 2, 8, 6, "last")
AT = "layers.0.self_attn"
WAY: Any = {"source": "halves", "to": "interleaved", "rotary_dim": 6, "side": "last"}


def changed(state: State, way: Callable[[str, Array], Array]) -> State:
    """The right state but for what a mistake does with some entries."""
    right = LAYER.plan(state, "halves").apply(state)
    return right | {name: way(name, value) for name, value in state.items() if way(name, value) is not value}


def only(*names: str) -> Callable[[Callable[[Array], Array]], Callable[[str, Array], Array]]:
    return lambda way: (
        lambda name, value: way(value) if name.startswith(tuple(f"{AT}.{n}" for n in names)) else value
    )


def whole(value: Array) -> Array:
    order = head_order(len(value), source="halves", to="interleaved")
    return value[order]


MISTAKES: dict[str, Callable[[str, Array], Array]] = {
    "the whole matrix for one head": only("q_proj", "k_proj")(whole),
    "the keys forgotten": only("k_proj")(np.copy),
    "the queries forgotten": only("q_proj")(np.copy),
    "the biases forgotten": only("q_proj.bias", "k_proj.bias")(np.copy),
    "the norms forgotten": only("q_norm", "k_norm")(np.copy),
    "one norm forgotten": only("k_norm")(np.copy),
    "values moved too": only("v_proj")(lambda v: pe.relayout_heads(v, n_heads=2, **WAY)),
    "keys of as many heads as queries": only("k_proj")(
        lambda v: pe.relayout_heads(v, n_heads=4, **WAY | {"rotary_dim": None})
    ),
    "the first columns": only("q_proj", "k_proj")(
        lambda v: pe.relayout_heads(v, n_heads=len(v) // 8, **WAY | {"side": "first"})
    ),
    "the whole head": only("q_proj", "k_proj")(
        lambda v: pe.relayout_heads(v, n_heads=len(v) // 8, **WAY | {"rotary_dim": None})
    ),
    "source and to exchanged": only("q_proj", "k_proj")(
        lambda v: pe.relayout_heads(v, n_heads=len(v) // 8, **WAY | {"source": "interleaved", "to": "halves"})
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_plausible_mistake_changes_the_attention(mistake: str) -> None:
    state = LAYER.state(norms="head")
    right = LAYER.output(state, "halves")
    same(LAYER.output(changed(state, lambda _, value: value), "interleaved"), right)
    assert np.abs(LAYER.output(changed(state, MISTAKES[mistake]), "interleaved") - right).max() > 0.05


def test_a_state_that_is_not_moved_at_all_changes_the_attention() -> None:
    state = LAYER.state()
    assert np.abs(LAYER.output(state, "interleaved") - LAYER.output(state, "halves")).max() > 0.05


@pytest.mark.parametrize(
    ("arranged", "read"),
    [("concatenated", "grouped"), ("grouped", "concatenated"), ("concatenated", "per-head")],
)
def test_a_wrong_arrangement_changes_the_attention(arranged: str, read: Any) -> None:
    layer = Attention(4, 4 if read == "per-head" else 2, 8, None, "first")
    state = layer.state()
    fused = layer.fused(state, arranged)
    moved = layer.apart(layer.plan(fused, "halves", fused=read).apply(fused), arranged)
    assert np.abs(layer.output(moved, "interleaved") - layer.output(state, "halves")).max() > 0.05


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


def test_a_query_is_refused_with_its_key() -> None:
    layer = Attention(2, 2, 4, None, "first")
    state = layer.state() | {f"{AT}.k_proj.weight": np.ones((8, 3), dtype="int8")}
    refused = layer.plan(state, "halves").refused
    assert set(refused) == {f"{AT}.{name}_proj.{part}" for name in "qk" for part in ("weight", "bias")}
    with pytest.raises(ValueError, match=r"; 3 more are in str\(plan\)"):
        layer.plan(state, "halves").apply(state)


def test_an_adapter_does_not_stand_for_its_base() -> None:
    layer = Attention(2, 2, 4, None, "first")
    state = {f"{AT}.q_proj.weight": np.ones((8, 3)), f"{AT}.k_proj.lora_B.weight": np.ones((8, 2))}
    assert list(layer.plan(state, "halves").refused) == [f"{AT}.q_proj.weight"]


def test_tensors_that_only_look_dense_are_refused() -> None:
    torch = pytest.importorskip("torch")

    class Packed(torch.Tensor):  # type: ignore[name-defined, misc]
        pass

    for weight in (torch.ones(8, 3).as_subclass(Packed), torch.ones(8, 3).to_sparse()):
        with pytest.raises(TypeError, match="weight must be a plain dense tensor, got a"):
            pe.relayout_heads(weight, n_heads=2, source="halves", to="interleaved")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"state": [1]}, r"state must be a mapping from names to arrays or tensors, got \[1\]"),
        ({"state": {1: 2}}, "state must have names as keys, got 1"),
        ({"state": {}}, "state must hold queries and keys"),
        ({"state": {"h.0.mlp.weight": np.ones((8, 3))}}, "got 1 entries such as 'h.0.mlp.weight'"),
        ({"n_heads": 0}, "n_heads must be a whole number"),
        ({"n_kv_heads": 3}, "n_kv_heads must divide n_heads, 4, got 3"),
        ({"n_kv_heads": 8}, "n_kv_heads must be a whole number from 1 to 4, got 8"),
        ({"head_dim": 3}, "head_dim must be even"),
        ({"rotary_dim": 6}, "rotary_dim must be at most the width of the head, 4, got 6"),
        ({"side": "left"}, "side must be"),
        ({"source": "neighbours"}, "got 'neighbours': neighbours are called 'interleaved', rotate_half is"),
        ({"to": "neox"}, "to must be 'interleaved' or 'halves', got 'neox': neighbours are called"),
        ({"fused": "interleaved"}, "fused must be"),
        ({"fused": "per-head"}, "fused must be 'concatenated' or 'grouped' for n_heads=4 and n_kv_heads=2"),
        ({"names": {"*.to_q.*": "query"}}, r"names must fit .*, got the pattern '\*\.to_q\.\*'"),
        ({"names": {"*": "queries"}}, r"names\['\*'\] must be 'query' or"),
        ({"names": "q"}, "names must be a mapping from patterns to roles, got 'q'"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit_are_refused_by_name(arguments: Any, message: str) -> None:
    sizes = {"n_heads": 4, "n_kv_heads": 2, "head_dim": 4, "source": "halves", "to": "interleaved"}
    given_here = {"state": Attention(4, 2, 4, None, "first").state()} | sizes | arguments
    with pytest.raises((ValueError, TypeError), match=message):
        pe.plan_relayout(**given_here)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"weight": 1.0},
            r"weight must have n_heads heads, here 2, of an even number of rows.*, got shape \(\)",
        ),
        ({"weight": np.ones((6, 2))}, r"got shape \(6, 2\)"),
        ({"weight": np.ones((0, 2))}, r"got shape \(0, 2\)"),
        ({"n_heads": 3}, "here 3, of an even number"),
        ({"n_heads": 0}, "n_heads must be a whole number"),
        ({"rotary_dim": 8}, "rotary_dim must be at most the width of the head, 4, got 8"),
        ({"source": "neox"}, "source must be"),
        ({"weight": np.ones(6)}, r"got shape \(6,\); the norm of one head is moved with n_heads=1"),
        (
            {"weight": np.ones((2, 6))},
            r"moved flat: relayout_heads\(weight.reshape\(-1\), ...\).reshape\(weight.shape\)",
        ),
        (
            {"weight": np.ones(128), "n_heads": 32, "head_dim": 128},
            r"the rows of 32 heads of head_dim=128, got shape \(128,\); the norm of one head is moved with n",
        ),
        ({"head_dim": 3}, "head_dim must be even"),
    ],
)
def test_a_weight_that_cannot_be_moved_is_refused_by_name(arguments: Any, message: str) -> None:
    given_here = {
        "weight": np.ones((8, 2)),
        "n_heads": 2,
        "source": "halves",
        "to": "interleaved",
    } | arguments
    with pytest.raises((ValueError, TypeError), match=message):
        pe.relayout_heads(given_here.pop("weight"), **given_here)
