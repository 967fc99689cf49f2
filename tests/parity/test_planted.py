"""Mistakes planted in the package are refused: the bounds are not so wide that anything agrees."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from pe_book.config import reading
from pe_book.family import relative, rotary, score_bias
from pe_book.family.context_extension import ramps
from pe_book.family.relative import deberta, log_buckets
from pe_book.family.rotary import axes
from pe_book.family.score_bias import t5, windows
from pe_book.sinusoidal import formula
from pe_book.why import order_blindness
from tests.parity.register import Member, members

TURNS, SCORES = ("rows", "frequencies"), ("biases", "attention")


class Planted(NamedTuple):
    """A mistake: the kinds of members that it is tried on, what is made of a function, and its homes."""

    kinds: tuple[str, ...]
    made: Callable[..., Callable[..., object]]
    places: tuple[tuple[object, str], ...]


def in_the_other_layout(turn):
    other = {"interleaved": "halves", "halves": "interleaved"}
    return lambda *given, layout="interleaved", **options: turn(*given, layout=other[layout], **options)


def another_base(_):
    return lambda width, *, base=10000.0: (1.001 * base) ** (-np.arange(0, width, 2) / width)


def ladder_of_the_slice(_):
    def planted(head_dim, width, *, base=10000.0):
        return np.append(base ** (-np.arange(0, width, 2) / width), np.zeros((head_dim - width) // 2))

    return planted


def later_buckets(begins):
    """A wide bucket begins where the formula is above its number, not where it reaches it."""

    def planted(side, farthest):
        first = begins(side, farthest).copy()
        first[side // 2 + 1 :] += 1
        return first

    return planted


def earlier_edges(edges_of):
    """An offset that reaches the end of a bucket is put into the next."""

    def planted(*given):
        edges = edges_of(*given).copy()
        edges[1:] -= 1
        return edges

    return planted


def divided_the_other_way(attention):
    return lambda *given, scale_bias=False, **options: attention(*given, scale_bias=not scale_bias, **options)


def queries_of_the_call(bias):
    """A bias whose second argument, the positions of queries, is counted from the first of the call."""
    return lambda first, queries, *more, **options: bias(first, queries - queries[:1], *more, **options)


PLANTED = {
    "the other layout": Planted(
        TURNS, in_the_other_layout, ((rotary, "rotate"), (axes, "rotate_axes")),
    ),
    "another base": Planted(TURNS, another_base, ((formula, "frequencies"),)),
    "another base, of every config": Planted(TURNS, another_base, ((reading, "ladder_of"),)),
    "p-RoPE with the ladder of the slice": Planted(
        TURNS, ladder_of_the_slice, ((rotary, "proportional_frequencies"),),
    ),
    "a coefficient that is left out": Planted(
        TURNS, lambda right: lambda factor, *, mscale: right(factor), ((ramps, "temperature"),),
    ),
    "the other sign of the offset": Planted(
        SCORES, lambda right: lambda *given: -right(*given),
        (*((home, "whole_offsets") for home in (t5, relative, deberta)),
         (score_bias, "alibi_key_bias"), (windows, "offsets")),
    ),
    "`>` for `>=` in T5's buckets": Planted(SCORES, later_buckets, ((t5, "_begins"),)),
    "`>=` for `>` in DeBERTa's buckets": Planted(
        SCORES, earlier_edges, ((deberta, "edges_of"), (log_buckets, "edges_of")),
    ),
    "slopes of 12 heads by the formula of 8 or 16": Planted(
        SCORES, lambda _: lambda heads, *, bias_max=8.0: np.exp2(-bias_max * np.arange(1, heads + 1) / heads),
        ((score_bias, "alibi_slopes"),),
    ),
    "the bias divided where it is not, and not where it is": Planted(
        SCORES, divided_the_other_way, ((order_blindness, "attention"),),
    ),
    "a bias by the number of the query in the call": Planted(
        SCORES, queries_of_the_call, ((t5, "t5_bias"), (score_bias, "alibi_bias")),
    ),
    "a window that is one wider": Planted(
        SCORES, lambda right: lambda *at, window, **options: right(*at, window=window + 1, **options),
        ((windows, "window_mask"),),
    ),
}  # fmt: skip


@cache
def refusing(name: str) -> frozenset[str]:
    """The members that refuse what is planted."""
    kinds, made, places = PLANTED[name]

    def refuses(one: Member) -> bool:
        try:
            one.agree()
        except AssertionError:
            return True
        return False

    with pytest.MonkeyPatch.context() as patch:
        for home, function in places:
            patch.setattr(home, function, made(getattr(home, function)))
        return frozenset(one.name for one in members() if one.kind in kinds and refuses(one))


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_is_refused(name: str):
    assert refusing(name)


def test_every_member_refuses_something():
    caught = frozenset().union(*map(refusing, PLANTED))
    assert {one.name for one in members()} - caught == set()
