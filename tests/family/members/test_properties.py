"""Holds the property matrix to its word: every cell is measured, and a member made wrong flips its cell."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import pe_book as pe
from pe_book.family.members import members, predicates
from pe_book.family.members.places import Handed, Hands, Member, added, biased, turned
from pe_book.family.members.properties import matrix, measure
from pe_book.family.score_bias.t5 import t5_bias
from pe_book.sinusoidal.formula import encode

Array = NDArray[Any]
ALL = members()
FOUND = matrix()
INPUT = [name for name, one in ALL.items() if one.place == "input"]
FAR, LENGTH = 1023, 512


# The matrix -----------------------------------------------------------------------------------------------


def those(what: str, value: object) -> set[str]:
    return {name for name, found in FOUND.items() if getattr(found, what) == value}


def test_what_grows_with_the_text() -> None:
    assert those("bounded", False) == {"count", "ALiBi", "ALiBi by keys", "KERPLE"}
    assert those("bounded", None) == {"window", "window + first", "NoPE"}


def test_what_is_told_apart() -> None:
    by_hand = {
        **dict.fromkeys(INPUT, (LENGTH, LENGTH)),
        "rotary": (FAR, FAR),
        "Shaw": (2 * 16 + 1, FAR),
        "DeBERTa": (FAR, FAR),  # offsets up to 512
        "T5": (32 - 1, FAR),  # 16 buckets a side, and that of offset 0 ahead stays empty
        "ALiBi": (LENGTH, FAR),  # k and -k alike
        "ALiBi by keys": (FAR, FAR),
        "KERPLE": (LENGTH, FAR),
        "window": (2, FAR),
        "window + first": None,
        "NoPE": None,
    }
    assert {name: found.distinct for name, found in FOUND.items()} == by_hand


def test_whose_weights_know_the_difference_alone() -> None:
    assert those("difference", False) == {*INPUT, "window + first"}


def test_one_token_past_the_end() -> None:
    assert those("beyond", "refuses") == {"learned table"}
    assert those("beyond", "moves") == {"count over length"}


def test_what_a_cache_and_an_attention_call_need() -> None:
    assert those("cache", False) == {"count over length"}
    biased_everywhere = {"DeBERTa", "T5", "ALiBi", "KERPLE", "window", "window + first"}
    assert those("square", True) == biased_everywhere | {"Shaw"}
    assert those("call", "square mask") == biased_everywhere
    assert those("call", "own code") == {"Shaw"}  # vectors on values
    assert those("call", "key mask") == {"ALiBi by keys"}
    assert those("call", "no mask") == {*INPUT, "rotary", "NoPE"}


def test_who_tells_ahead_from_behind_and_who_counts_equal_words() -> None:
    # nobody looks back at a late word from the kept first ones
    assert those("direction", True) == {"Shaw", "DeBERTa", "T5", "ALiBi by keys", "window + first"}
    assert those("order", False) == {"ALiBi", "KERPLE", "window", "NoPE"}
    assert those("maskless", False) == {"ALiBi by keys", "NoPE"}
    assert those("counts", True) == {*INPUT, "Shaw"}


def test_numbers_in_which_position_comes_in_and_their_growth() -> None:
    shapes = {
        "count": (64, 1), "count over length": (64, 1), "learned table": (64, 512), "sinusoid": (64, 512),
        "rotary": (64, 64), "Shaw": (8, 64, 64), "DeBERTa": (8, 64, 64),
        "T5": (8, 64, 64), "ALiBi": (8, 64, 64), "ALiBi by keys": (8, 1, 64),
        "KERPLE": (8, 64, 64), "window": (64, 64), "window + first": (64, 64), "NoPE": (0,),
    }  # fmt: skip
    assert {name: found.numbers for name, found in FOUND.items()} == shapes
    for name, found in FOUND.items():
        assert found.growth == (0 if name == "NoPE" else 4 if found.square else 2), name


@pytest.mark.parametrize("name", ALL)
def test_no_cell_comes_from_a_description(name: str) -> None:
    unsaid = replace(ALL[name], name="x", source="", definitions=(), module=None, options={})
    assert measure(unsaid) == FOUND[name]


def test_other_sizes_change_what_hangs_on_sizes_and_nothing_else() -> None:
    by_size = {"parameters": 0, "distinct": None, "numbers": (), "growth": 0}
    for name, one in members(width=256, heads=4, length=256).items():
        assert measure(one)._replace(**by_size) == FOUND[name]._replace(**by_size), name


# Planted --------------------------------------------------------------------------------------------------

SLOPES = pe.alibi_slopes(8)


def with_hands(name: str, hands: Hands) -> Member:
    return replace(ALL[name], hands=hands)


def wrong(name: str, change: Callable[[Handed], Handed]) -> Member:
    """The member, with something else handed over than it hands."""
    right = ALL[name].hands
    return with_hands(name, lambda q, k, queries, keys: change(right(q, k, queries, keys)))


def distance(queries: Array, keys: Array) -> Array:
    return np.abs(keys - queries[:, None])


def slope(of: Array) -> Array:
    return -SLOPES[:, None, None] * of


def turned_by(angle: Callable[[Array], Array]) -> Hands:
    """The rotation, by other positions than those of the words."""
    return turned(lambda x, p: pe.rotate(x, angle(p)), lambda p: encode(p, 64))


def by_rows_of_the_call(q: Array, k: Array, queries: Array, keys: Array) -> Handed:
    """A program that takes the row number of the call for the position."""
    return ALL["ALiBi"].hands(q, k, np.arange(len(queries)), keys)


def stretched(q: Array, k: Array, queries: Array, keys: Array) -> Handed:
    """Frequencies that depend on how long the text is now."""
    return turned_by(lambda p: p / (1 + keys.max() / 1000))(q, k, queries, keys)


PLANTED_MEMBERS = {
    ("bounded", "ALiBi"): with_hands(
        "ALiBi", biased(lambda q, k, i, j: slope(np.minimum(distance(i, j), 16)))
    ),
    ("bounded", "sinusoid"): with_hands("sinusoid", added(lambda p, n: encode(p, 512) + p[:, None] / 50)),
    ("bounded", "rotary"): with_hands(
        "rotary", turned(lambda x, p: pe.rotate(x, p) * 1.01 ** p[:, None], lambda p: encode(p, 64))
    ),
    ("distinct", "count"): with_hands("count", added(lambda p, n: np.mod(p, 10.0)[:, None])),
    ("distinct", "ALiBi"): with_hands("ALiBi", biased(lambda q, k, i, j: slope(i[:, None] - j))),
    ("difference", "T5"): with_hands(
        "T5", biased(lambda q, k, i, j: t5_bias(ALL["T5"].learned["numbers"], i + i % 2, j))
    ),
    ("beyond", "rotary"): with_hands("rotary", stretched),
    ("beyond", "learned table"): with_hands(
        "learned table", added(lambda p, n: ALL["learned table"].learned["rows"][p % 512])
    ),
    ("cache", "ALiBi"): with_hands("ALiBi", by_rows_of_the_call),
    ("cache", "sinusoid"): with_hands("sinusoid", added(lambda p, n: encode(p - p.min(), 512))),
    ("square", "ALiBi by keys"): wrong(
        "ALiBi by keys", lambda h: h._replace(bias=np.tile(h.bias, (1, h.q.shape[1], 1)))
    ),
    ("call", "ALiBi by keys"): wrong("ALiBi by keys", lambda h: h._replace(bias=None)),
    ("call", "rotary"): wrong("rotary", lambda h: h._replace(after=lambda w: 0 * h.q)),
    ("direction", "T5"): with_hands(
        "T5", biased(lambda q, k, i, j: ALL["T5"].learned["numbers"].T[:, pe.t5_bucket(-distance(i, j))])
    ),
    ("order", "ALiBi"): with_hands("ALiBi", biased(lambda q, k, i, j: slope(i[:, None] - j))),
    ("maskless", "rotary"): with_hands("rotary", turned_by(lambda p: 0 * p)),
    ("counts", "Shaw"): wrong("Shaw", lambda h: h._replace(after=None)),  # keys alone
    ("counts", "rotary"): wrong("rotary", lambda h: h._replace(v=h.k)),  # values are turned, too
    ("parameters", "learned table"): replace(ALL["learned table"], learned={}),
    ("numbers", "ALiBi"): wrong("ALiBi", lambda h: h._replace(told=h.told[0])),
    ("growth", "T5"): wrong("T5", lambda h: h._replace(told=h.told[:, :1])),
}


@pytest.mark.parametrize(
    ("what", "name"), PLANTED_MEMBERS, ids=[" of ".join(cell) for cell in PLANTED_MEMBERS]
)
def test_a_member_made_wrong_flips_its_cell(what: str, name: str) -> None:
    planted = PLANTED_MEMBERS[what, name]
    predicate = getattr(predicates, what, None)  # the others are counted by measure alone
    found = predicate(planted) if predicate else getattr(measure(planted), what)
    assert found != getattr(FOUND[name], what)


def test_quadratic_is_what_is_gathered_and_not_the_vectors() -> None:
    """Gathered vectors are n^2 d numbers; multiplied first, n^2 are left, as many as there are scores."""
    vectors, n = ALL["Shaw"].learned["keys"], 40
    handed = ALL["Shaw"].handed(np.random.default_rng(1).normal(size=(n, 512)), range(n))
    gathered = vectors[np.clip(np.arange(n) - np.arange(n)[:, None], -16, 16) + 16]
    np.testing.assert_allclose(handed.bias, np.einsum("hid,ijd->hij", handed.q, gathered) / 8, atol=1e-12)
    assert (gathered.size, handed.told.size) == (n * n * 64, n * n * 8)
