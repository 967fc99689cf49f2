"""One layer of attention from the entries of a state, by which a moved state is judged."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import pe_book as pe
from pe_book.checkpoint.plan import Plan

Array = NDArray[np.float64]
State = dict[str, Any]
OTHER: dict[Any, Any] = {"interleaved": "halves", "halves": "interleaved"}
D_MODEL, TOKENS = 10, 6
AT = "layers.0.self_attn"


class Attention:
    """Attention with grouped queries over 6 tokens, from the entries of one layer."""

    def __init__(self, n_heads: int, n_kv_heads: int, head_dim: int, rotary_dim: int | None, side: str):
        self.heads: Any = {"n_heads": n_heads, "n_kv_heads": n_kv_heads, "head_dim": head_dim}
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
        return pe.plan_relayout(state, **self.heads, source=source, to=OTHER[source], **self.slice, **more)

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
