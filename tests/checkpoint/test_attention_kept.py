"""The proof of a moved checkpoint: the attention stays the same, and a wrong arrangement changes it.

Attention is computed from the entries of a state with `rotate` in either layout.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pe_book as pe
from tests.checkpoint.one_layer import D_MODEL, OTHER, Attention, same
from tests.seeds import examples_drawn

few = examples_drawn(40)
HEADS = st.sampled_from([(1, 1), (2, 2), (4, 4), (4, 2), (4, 1), (6, 3)])
SLICES = st.sampled_from(
    [(8, None, "first"), (8, 6, "first"), (8, 6, "last"), (12, 8, "last"), (6, 2, "first"), (2, None, "last")]
)
LAYOUTS = st.sampled_from(["interleaved", "halves"])
SEEDS = st.integers(0, 10**6)


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
    rows = np.arange(latent + rope)[:, None] * np.ones(D_MODEL)
    moved = plan.apply(state | {f"{at}.kv_a_proj_with_mqa.weight": rows})
    assert moved[f"{at}.kv_a_proj_with_mqa.weight"][:, 0].tolist() == [0, 1, 2, 3, 4, 5, 7, 9, 6, 8, 10]
    for wrong in ({"side": "first"}, {"side": "last", "rotary_dim": None}):
        refused = pe.plan_relayout(state, **{**sizes, **wrong}, **layouts).refused
        assert "rotary_dim of its last rows" in refused[f"{at}.kv_a_proj_with_mqa.weight"]
        assert f"{at}.q_b_proj.weight" in refused  # not without its key


# A plausible mistake --------------------------------------------------------------------------------------


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
