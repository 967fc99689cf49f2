"""Holds the check of a port to its word: it sees what a port gets wrong, and says on which side."""

from functools import partial
from typing import Any

import numpy as np
import pytest

import pe_book as pe
from pe_book.checkpoint.agreement import check_port

HEADS, KV, WIDTH = 4, 2, 8
DRAW = np.random.default_rng(7)
OLD = tuple(DRAW.normal(size=(heads * WIDTH, 5)) for heads in (HEADS, KV, KV))


def ported(rotary_dim: int | None = None, **way: Any) -> tuple[Any, Any, Any]:
    way = {"source": "interleaved", "to": "halves", "rotary_dim": rotary_dim} | way
    queries, keys, values = OLD
    return (
        pe.relayout_heads(queries, n_heads=HEADS, **way),
        pe.relayout_heads(keys, n_heads=KV, **way),
        values,
    )


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
    assert found.off_output < 1e-13 < 0.1 < found.spread_output
    assert str(found).startswith("the outputs agree")


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


@pytest.mark.parametrize("shared", [False, True], ids=["values beside keys", "keys that are values"])
def test_values_that_moved_are_seen_though_the_scores_agree(shared: bool) -> None:
    queries, keys, values = ported()
    moved = keys if shared else pe.relayout_heads(values, n_heads=KV, source="interleaved", to="halves")
    old: Any = (OLD[0], OLD[1], OLD[1] if shared else OLD[2])
    programs: Any = {"old_turn": pe.rotate, "new_turn": partial(pe.rotate, layout="halves")}
    found = check_port(old, (queries, keys, moved), n_heads=HEADS, n_kv_heads=KV, **programs)
    assert not found
    assert found.off < 1e-12
    assert found.off_output > 0.1 * found.spread_output
    assert "the scores agree" in str(found)
    assert "whether keys are values" in str(found)


def test_the_outputs_are_those_of_attention() -> None:
    """Against the definition of attention, on scores of spread 1 as the check has them."""
    n, moved = 16, pe.relayout_heads(OLD[2], n_heads=KV, source="interleaved", to="halves")
    rows = np.random.default_rng(0).normal(size=(n, 5))
    q, k, v, w = (np.split(rows @ one.T, len(one) // WIDTH, axis=1) for one in (*OLD, moved))
    q, k = ([pe.rotate(head, range(n)) for head in heads] for heads in (q, k))
    scores = np.array([q[i] @ k[i // 2].T for i in range(HEADS)])
    parts = np.exp(scores / scores.std())
    parts /= parts.sum(-1, keepdims=True)
    outputs, others = (np.array([parts[i] @ one[i // 2] for i in range(HEADS)]) for one in (v, w))
    found = check_port(
        OLD, (*OLD[:2], moved), n_heads=HEADS, n_kv_heads=KV, old_turn=pe.rotate, new_turn=pe.rotate
    )
    assert found.spread_output == pytest.approx(outputs.std(), rel=1e-12)
    assert found.off_output == pytest.approx(np.abs(outputs - others).max(), rel=1e-12)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"old": OLD[:2]}, "old must be three weights, of queries, keys and values, got 2 of them"),
        ({"new": (OLD[0], *OLD[:2])}, r"new\[1\] must have shape \(16, 5\), 2 heads, got \(32, 5\)"),
        ({"new": [np.ones((n, 5)) for n in (4, 2, 16)]}, r"new must have the shapes of old, \(32, 5\), got"),
        ({"new_turn": lambda rows, _: rows[0]}, r"new_turn must return the shape .*got \(16, 8\)"),
        ({"old": (0 * OLD[0], *OLD[1:])}, "old must have weights whose scores differ"),
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
        module = RotaryEncoding(WIDTH, layout=layout, heads_first=True)
        return lambda rows, positions: module.turn(
            torch.from_numpy(rows).float(), torch.from_numpy(positions)
        )

    old, new = ([torch.tensor(weight) for weight in pair] for pair in (OLD, ported()))
    turns: Any = {"old_turn": turn("interleaved"), "new_turn": turn("halves")}
    found = check_port(old, new, n_heads=HEADS, n_kv_heads=KV, **turns)
    assert found
    assert found.off > 0
