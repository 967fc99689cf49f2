"""Holds the registry of the family to its word: what each member hands over is what its formula says."""

import math
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import pe_book as pe
from pe_book.family.doors import DOORS, NOWHERE
from pe_book.family.members import OPTIONS, members
from pe_book.family.members.places import Member

Array = NDArray[np.float64]
BIB = (Path(__file__).parents[3] / "docs/references.bib").read_text(encoding="utf-8")
N, WIDTH, HEADS, HEAD = 12, 32, 2, 16
SMALL = members(width=WIDTH, heads=HEADS, length=64, options={
    "Shaw": {"clip": 4}, "DeBERTa": {"span": 3},
    "T5": {"n_buckets": 8, "max_distance": 10}, "window": {"window": 3},
    "window + first": {"window": 3, "sinks": 2},
})  # fmt: skip
ALL = members()
WORDS = np.random.default_rng(5).normal(0, 0.5, (N, WIDTH))


# Agreement ------------------------------------------------------------------------------------------------


AT, ROOT = range(N), math.sqrt(HEAD)


def heads(rows: Array) -> Array:
    return rows.reshape(len(rows), HEADS, HEAD).swapaxes(0, 1)


def deberta(q: Array, learned: Any) -> Array:
    as_keys, as_queries = (heads(learned["vectors"] @ learned[name]) for name in ("to keys", "to queries"))
    return pe.deberta_bias(q, q, as_keys, as_queries, AT, AT, convention="paper")


def window(q: Array, learned: Any, **sinks: int) -> Array:
    return np.where(pe.window_mask(AT, AT, window=3, causal=False, **sinks), 0, -np.inf)


# what is added to the divided products, of queries and of what is learned; the divisor where it is another
SCORES: dict[str, Callable[[Array, Any], Any]] = {
    "Shaw": lambda q, learned: pe.relative_scores(q, learned["keys"], AT, AT) / ROOT,
    "DeBERTa": deberta,
    "T5": lambda q, learned: pe.t5_bias(learned["numbers"], AT, AT, max_distance=10),
    "ALiBi": lambda q, learned: pe.alibi_bias([2**-4, 2**-8], AT, AT),
    "ALiBi by keys": lambda q, learned: pe.alibi_key_bias([2**-4, 2**-8], AT),
    "KERPLE": lambda q, learned: pe.kerple_bias(learned["r1"], learned["r2"], AT, AT),
    "window": window,
    "window + first": lambda q, learned: window(q, learned, sinks=2),
    "NoPE": lambda q, learned: 0,
}
DIVISORS = {"T5": 1.0, "DeBERTa": math.sqrt(3 * HEAD)}


@pytest.mark.parametrize("name", SCORES)
def test_a_score_is_the_product_and_what_the_definition_adds(name: str) -> None:
    q, handed = heads(WORDS), SMALL[name].handed(WORDS, AT)
    expected = q @ q.swapaxes(1, 2) / DIVISORS.get(name, ROOT) + SCORES[name](q, SMALL[name].learned)
    np.testing.assert_allclose(handed.scores(), expected, rtol=1e-12, atol=1e-12)
    exponentials = np.exp(expected)
    shares = exponentials / exponentials.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(handed.weights(), shares, atol=1e-12)


def test_the_vectors_on_values_are_averaged_under_the_weights() -> None:
    handed, vectors = SMALL["Shaw"].handed(WORDS, AT), SMALL["Shaw"].learned["values"]
    weights = handed.weights()
    expected = weights @ heads(WORDS) + pe.relative_values(weights, vectors, AT, AT)
    np.testing.assert_allclose(handed.output(), expected, atol=1e-12)


CODES: dict[str, Callable[[int, int], float]] = {
    "count": lambda p, c: p + 1,
    "count over length": lambda p, c: p / N,
    "learned table": lambda p, c: SMALL["learned table"].learned["rows"][p, c],
    "sinusoid": lambda p, c: (math.sin, math.cos)[c % 2](p / 10000 ** (2 * (c // 2) / WIDTH)),
}


@pytest.mark.parametrize("name", CODES)
def test_what_is_added_to_a_word_reaches_query_key_and_value(name: str) -> None:
    code = [[CODES[name](p, c) for c in range(WIDTH)] for p in range(N)]
    expected = heads(WORDS + np.array(code))
    handed = SMALL[name].handed(WORDS, AT)
    for rows in (handed.q, handed.k, handed.v):
        np.testing.assert_allclose(rows, expected, atol=1e-12)


def test_the_rotation_turns_queries_and_keys_of_each_head_and_no_value() -> None:
    handed = SMALL["rotary"].handed(WORDS, AT)
    for rows in (handed.q, handed.k):
        np.testing.assert_allclose(rows, pe.rotate(heads(WORDS), AT), atol=1e-12)
    np.testing.assert_array_equal(handed.v, heads(WORDS))


# The records ----------------------------------------------------------------------------------------------


def test_learned_numbers_are_counted_from_the_arrays_and_follow_the_sizes() -> None:
    expected = dict.fromkeys(ALL, 0) | {
        "learned table": 512 * 512,
        "Shaw": 2 * (2 * 16 + 1) * 64,
        "DeBERTa": 2 * 512 * 512 + 2 * 512 * 512,
        "T5": 32 * 8,
        "KERPLE": 2 * 8,
    }
    assert {name: one.parameters for name, one in ALL.items()} == expected
    wide = members(width=1024, heads=16, length=2048, options={"T5": {"n_buckets": 64}})
    assert wide["learned table"].parameters == 2048 * 1024
    assert (wide["T5"].parameters, wide["KERPLE"].parameters) == (64 * 16, 2 * 16)


@pytest.mark.parametrize("member", ALL.values(), ids=list(ALL))
def test_a_record_names_what_there_is(member: Member) -> None:
    assert member.place in (*DOORS, NOWHERE)
    assert not member.source or f"{{{member.source}," in BIB
    for path in member.definitions:
        home, _, name = path.rpartition(".")
        assert callable(getattr(import_module(f"pe_book.{home}"), name))
    assert bool(member.definitions) == (member.place != "nowhere")
    if member.module:
        home, _, name = member.module.rpartition(".")
        assert isinstance(getattr(import_module(home), name), type)
    assert member.options == OPTIONS.get(member.name, {})


def test_every_torch_module_that_brings_a_position_in_is_that_of_a_member() -> None:
    brought = {f"pe_book.nn.{one.name}" for one in pe.catalogue() if not one.numpy and one.place in DOORS}
    assert brought == {one.module for one in ALL.values() if one.module}


# Refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"width": 12, "heads": 4}, "width must be an even number of columns for each of 4 heads, got 12"),
        ({"length": 1}, "length must be a whole number of at least 2"),
        ({"options": {"T6": {}}}, "options must be among sinusoid: base.*of 'T6'"),
        ({"options": {"T5": {"clip": 4}}}, "got 'clip' of 'T5'"),
    ],
)
def test_sizes_and_options_that_do_not_fit_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        members(**given)["T5"].handed(np.zeros((2, 512)), [0, 1])


@pytest.mark.parametrize(
    ("words", "keys", "queries", "message"),
    [
        (WORDS, range(N - 1), None, r"words must have shape \(n, 32\)"),
        (WORDS, np.arange(N) + 0.5, None, "keys must hold whole positions"),
        (WORDS, range(N), [N], "queries must be among the positions of keys, got"),
    ],
)
def test_texts_that_do_not_fit_are_refused(words: Array, keys: Any, queries: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SMALL["ALiBi"].handed(words, keys, queries)


def test_the_table_refuses_only_past_its_end() -> None:
    table = SMALL["learned table"]
    assert table.handed(np.zeros((64, WIDTH)), range(64)).k.shape == (HEADS, 64, HEAD)
    with pytest.raises(ValueError, match="must be below 64"):
        table.handed(np.zeros((65, WIDTH)), range(65))
