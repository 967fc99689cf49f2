"""Holds a plan to its word on states in parts: shards, files read lazily, adapters, moments."""

from typing import Any

import numpy as np
import pytest

from tests.checkpoint.one_layer import AT, D_MODEL, Attention, State, same

LAYER = Attention(4, 2, 8, 6, "first")


class File:
    """What ``safetensors.safe_open`` returns, as far as a plan uses it; it notes what was read."""

    def __init__(self, state: State, dtype: str = "F64") -> None:
        self.state, self.dtype, self.read = state, dtype, list[str]()

    def keys(self) -> Any:
        return self.state.keys()

    def get_slice(self, name: str) -> Any:
        shape = list(self.state[name].shape)

        class Header:
            get_shape = staticmethod(lambda: shape)
            get_dtype = staticmethod(lambda: self.dtype)

        return Header

    def get_tensor(self, name: str) -> Any:
        self.read.append(name)
        return self.state[name]


def shards(state: State, *starts: int) -> list[State]:
    items, ends = list(state.items()), [*starts[1:], len(state)]
    return [dict(items[start:end]) for start, end in zip(starts, ends, strict=True)]


def test_a_plan_of_all_shards_is_applied_to_one_at_a_time() -> None:
    state = LAYER.state(norms="head")
    whole = LAYER.plan(state, "halves")
    parts = shards(state, 0, 2, 5)  # the query without its key
    plan = LAYER.plan(parts, "halves")
    assert plan == whole
    moved: State = {}
    for part in parts:
        found = plan.apply(part)
        assert found.keys() == part.keys()
        moved |= found
    same(LAYER.output(moved, "interleaved"), LAYER.output(state, "halves"))
    assert LAYER.plan(parts[0], "halves").refused
    assert "give all shards at once, as a list" in str(LAYER.plan(parts[0], "halves"))
    with pytest.raises(ValueError, match=r"every name in one shard, got 'embed\.weight' in two"):
        LAYER.plan([state, parts[0]], "halves")


def test_a_file_that_is_read_lazily_is_planned_unread_and_read_shard_by_shard() -> None:
    state = LAYER.state(norms="head")
    files = [File(part) for part in shards(state, 0, 2, 5)]
    plan = LAYER.plan(files, "halves")
    assert plan == LAYER.plan(state, "halves")
    assert not any(file.read for file in files)
    found = plan.apply(files[1])
    assert files[1].read == list(files[1].state)
    assert not files[0].read
    wanted = plan.apply(state)
    assert all(np.array_equal(value, wanted[name]) for name, value in found.items())
    assert LAYER.plan(File(state), "halves") == plan


def test_a_packed_file_is_refused_before_it_is_read() -> None:
    dtype = "F8_E4M3"
    file = File(LAYER.state(), dtype)
    plan = LAYER.plan(file, "halves")
    assert f"got {dtype}: dequantise it first" in plan.refused[f"{AT}.q_proj.weight"]
    assert not file.read


# Adapters -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("beside", [False, True], ids=["in a state of their own", "beside their base"])
def test_lora_and_dora_move_with_their_base(beside: bool) -> None:
    state, draw = LAYER.state(biases=False), np.random.default_rng(3).normal
    at, rows = f"base_model.model.{AT}", {"q_proj": 32, "k_proj": 16, "v_proj": 16}
    adapter: State = {}
    for name, n in rows.items():
        adapter[f"{at}.{name}.lora_A.weight"] = draw(size=(2, D_MODEL))
        adapter[f"{at}.{name}.lora_B.weight"] = draw(size=(n, 2))
        adapter[f"{at}.{name}.lora_magnitude_vector"] = draw(size=n)

    def merged(state: State, adapter: State) -> State:
        """As DoRA: rows of the sum have the length that their magnitude says."""
        found = dict(state)
        for name in rows:
            a, b, m = (
                adapter[f"{at}.{name}.{part}"]
                for part in ("lora_A.weight", "lora_B.weight", "lora_magnitude_vector")
            )
            total = state[f"{AT}.{name}.weight"] + b @ a
            found[f"{AT}.{name}.weight"] = m[:, None] * total / np.linalg.norm(total, axis=1, keepdims=True)
        return found

    if beside:
        both = LAYER.plan([state, adapter], "halves")
        moved = merged(both.apply(state), both.apply(adapter))
    else:
        moved = merged(*(LAYER.plan(one, "halves").apply(one) for one in (state, adapter)))
    same(LAYER.output(moved, "interleaved"), LAYER.output(merged(state, adapter), "halves"))


# Moments of an optimizer ----------------------------------------------------------------------------------

TENSOR = np.ones((2, 2))


@pytest.mark.parametrize(
    "state",
    [
        {"state": {0: {"exp_avg": TENSOR}}, "param_groups": []},
        {0: {"exp_avg": TENSOR, "exp_avg_sq": TENSOR}},
        {"0.q_proj.weight": {"momentum_buffer": TENSOR}},
    ],
    ids=["of torch", "by number", "by name"],
)
def test_the_state_of_an_optimizer_is_refused_by_name(state: Any) -> None:
    with pytest.raises(
        TypeError, match=r"got that of an optimizer: .*plan.apply\(\{name of the weight: moment\}\)"
    ):
        LAYER.plan(state, "halves")


def test_moments_move_as_their_weights_and_training_goes_on_alike() -> None:
    """The cure: one step of Adam after the move is the move of one step of Adam."""
    state, plan = LAYER.state(), LAYER.plan(LAYER.state(), "halves")
    draw = np.random.default_rng(5).normal
    gradient, mean, square = ({name: draw(size=v.shape) for name, v in state.items()} for _ in range(3))

    def stepped(*of: State) -> State:
        weight, grad, m, v = of
        return {
            n: weight[n]
            - 0.1 * (0.9 * m[n] + 0.1 * grad[n]) / (np.sqrt(0.99 * v[n] ** 2 + 0.01 * grad[n] ** 2) + 1e-8)
            for n in weight
        }

    given = (state, gradient, mean, square)
    after, wanted = stepped(*map(plan.apply, given)), plan.apply(stepped(*given))
    assert all(np.array_equal(after[name], wanted[name]) for name in state)
    with pytest.raises(ValueError, match="must have the planned shape"):  # a moment of rows, as in Adafactor
        plan.apply({f"{AT}.q_proj.weight": np.ones(32)})
