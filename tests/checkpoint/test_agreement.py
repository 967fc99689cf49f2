"""Holds the check of a port to its word: it sees what a port gets wrong, and says on which side."""

from functools import partial
from typing import Any

import numpy as np
import pytest

import pe_book as pe
from pe_book.checkpoint.agreement import check_port, heads_of, relayout_arguments
from pe_book.evidence.family.recorded import names, recorded
from pe_book.family.rotary import rotate_back

HEADS, KV, WIDTH = 4, 2, 8
DRAW = np.random.default_rng(7)
OLD = (DRAW.normal(size=(HEADS * WIDTH, 5)), DRAW.normal(size=(KV * WIDTH, 5)))


def ported(rotary_dim: int | None = None, **way: Any) -> tuple[Any, Any]:
    way = {"source": "interleaved", "to": "halves", "rotary_dim": rotary_dim} | way
    queries, keys = OLD
    return pe.relayout_heads(queries, n_heads=HEADS, **way), pe.relayout_heads(keys, n_heads=KV, **way)


def check(new: Any, rotary_dim: int | None = None, **after: Any) -> Any:
    turn = partial(pe.rotate, rotary_dim=rotary_dim)
    after = {"layout": "halves", "rotary_dim": rotary_dim} | after
    sizes = {"n_heads": HEADS, "n_kv_heads": KV}
    return check_port(OLD, new, **sizes, old_turn=turn, new_turn=partial(pe.rotate, **after))


@pytest.mark.parametrize("rotary_dim", [None, 4, 6])
def test_a_right_port_passes(rotary_dim: int | None) -> None:
    found = check(ported(rotary_dim), rotary_dim)
    assert found
    assert found.off < 1e-12 < 1 < found.spread
    assert str(found).startswith("the scores agree")


@pytest.mark.parametrize(
    ("new", "after"),
    [
        (OLD, {}),
        (ported(), {"rotary_dim": 4}),
        (ported(side="last", rotary_dim=4), {"rotary_dim": 4}),
        (ported(), {"base": 500000.0}),
        (ported(source="halves", to="interleaved"), {}),
    ],
    ids=["nothing moved", "a slice forgotten", "the other side", "another base", "the wrong way"],
)
def test_weights_that_belong_together_and_turns_that_do_not(new: Any, after: Any) -> None:
    after = dict(after)
    found = check(new, after.pop("rotary_dim", None), **after)
    assert not found
    assert found.off_together < 1e-9 < found.off
    assert "compare source and to, rotary_dim" in str(found)


@pytest.mark.parametrize("moved", [0, 1])
def test_one_of_two_that_was_moved(moved: int) -> None:
    new = tuple(w if i == moved else old for i, (w, old) in enumerate(zip(ported(), OLD, strict=True)))
    found = check(new)
    assert not found
    assert found.off_together > 0.1
    assert "queries and keys do not belong" in str(found)


def test_the_other_direction_is_seen() -> None:
    back = partial(rotate_back, layout="halves")
    assert not check_port(OLD, ported(), n_heads=HEADS, n_kv_heads=KV, old_turn=pe.rotate, new_turn=back)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"old": OLD[0]}, "old must be two weights"),
        ({"new": (OLD[0], OLD[0])}, r"new\[1\] must have shape \(16, 5\), 2 heads, got \(32, 5\)"),
        ({"new": (np.ones((4, 5)), np.ones((2, 5)))}, r"new must have the shapes of old, \(32, 5\), got"),
        ({"n_kv_heads": 3}, "n_kv_heads must divide n_heads, 4, got 3"),
        ({"old_turn": None}, "old_turn must be a function of rows and positions, got None"),
        ({"new_turn": lambda rows, _: rows[0]}, r"new_turn must return the shape .*got \(16, 8\)"),
        ({"new_turn": lambda rows, _: rows * np.nan}, "what new_turn returns"),
        ({"old": (0 * OLD[0], OLD[1])}, "old must have weights whose scores differ"),
        ({"tokens": 1}, "tokens must be"),
        ({"rtol": 0}, "rtol must be"),
    ],
)
def test_what_cannot_be_checked_is_refused_by_name(changed: Any, message: str) -> None:
    given = {"old": OLD, "new": OLD, "n_heads": 4, "n_kv_heads": 2} | changed
    given = {"old_turn": pe.rotate, "new_turn": pe.rotate} | given
    with pytest.raises((ValueError, TypeError), match=message):
        check_port(given.pop("old"), given.pop("new"), **given)


def test_programs_in_torch_and_float32() -> None:
    torch = pytest.importorskip("torch")
    from pe_book.nn import RotaryEncoding

    def turn(layout: Any) -> Any:
        module = RotaryEncoding(WIDTH, layout=layout)
        return lambda rows, positions: module.turn(
            torch.from_numpy(rows).float(), torch.from_numpy(positions)
        )

    old, new = ([torch.tensor(weight) for weight in pair] for pair in (OLD, ported()))
    turns: Any = {"old_turn": turn("interleaved"), "new_turn": turn("halves")}
    found = check_port(old, new, n_heads=HEADS, n_kv_heads=KV, **turns)
    assert found
    assert found.off > 0


# From a config --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("llama-3.1-8b", (32, 8, 128, "halves", 128, "first")),
        ("gpt-j-6b", (16, 16, 256, "interleaved", 64, "first")),
        ("gpt-neox-20b", (64, 64, 96, "halves", 24, "first")),
        ("glm-4-9b-chat", (32, 2, 128, "interleaved", 64, "first")),
        ("deepseek-v3", (128, 128, 192, "interleaved", 64, "last")),
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
        rows = {"q": found["n_heads"], "k": found["n_kv_heads"]}
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
        ({"num_attention_heads": 32, "multi_query_attention": False, "multi_query_group_num": 1}, (32, 32)),
        ({"n_head": 71, "multi_query": True}, (71, 1)),
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
        ({"model_type": "llama", "head_dim": 8}, "config must say how many heads there are"),
        (
            {"model_type": "llama", "head_dim": 8, "num_attention_heads": 4, "num_key_value_heads": 3},
            "num_key_value_heads must divide num_attention_heads, 4, got 3",
        ),
    ],
)
def test_a_config_that_does_not_say_is_refused(config: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        relayout_arguments(config)
