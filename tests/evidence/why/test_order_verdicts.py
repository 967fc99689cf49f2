"""Every decision of the chapter on order blindness: true of the real thing, false of a plausible mistake."""

from fractions import Fraction

import numpy as np
import pytest

from pe_book.evidence.why import order_blindness as verdicts
from pe_book.evidence.why.exact import BANKS, exact_attention, rows_of
from pe_book.sinusoidal.formula import encode
from pe_book.why.layers import power_of_two_layer, random_layers
from pe_book.why.order_blindness import self_attention

HAND = power_of_two_layer(2)
X = np.array(rows_of("Nitish killed lion"), dtype=float)


def open_layer(x):
    return self_attention(x, *HAND)


def causal_layer(x):
    return self_attention(x, *HAND, causal=True)


def test_same_is_up_to_rounding_and_refuses_other_shapes():
    rows = rows_of("Nitish killed lion")
    assert verdicts.same(open_layer(X), np.array(exact_attention(rows), dtype=float))
    assert verdicts.same(causal_layer(X), np.array(exact_attention(rows, causal=True), dtype=float))
    assert not verdicts.same(open_layer(X), open_layer(X[::-1]))  # rows compared place by place
    assert not verdicts.same(open_layer(X), causal_layer(X))
    assert not verdicts.same([np.nan], [np.nan])
    with pytest.raises(ValueError, match="one shape"):
        verdicts.same(np.zeros((2, 3)), np.zeros(3))  # would broadcast


def test_apart_looks_at_every_pair():
    assert verdicts.apart(X)
    assert not verdicts.apart([X[0], X[1], X[0]])  # neighbours differ, the ends do not
    assert not verdicts.apart([[0.0], [1e-9]])  # a rounding is no difference
    assert not verdicts.apart([[0.0], [np.nan]])


def test_attention_is_equivariant_and_a_causal_layer_or_one_with_places_is_not():
    found = verdicts.equivariant(open_layer, X)
    assert found
    assert found.evidence["orders"] == 6
    assert not verdicts.equivariant(causal_layer, X)
    assert not verdicts.equivariant(lambda x: self_attention(x + encode(range(3), 2), *HAND), X)
    # a layer that is equivariant for the reversal alone
    assert verdicts.equivariant(lambda x: x * [[1], [2], [1]], X, orders=[[2, 1, 0]])
    assert not verdicts.equivariant(lambda x: x * [[1], [2], [1]], X)
    with pytest.raises(ValueError, match="orders must be given for more than 6 rows, got 7 rows"):
        verdicts.equivariant(np.tanh, np.eye(7))


def test_the_mean_is_invariant_and_the_first_row_is_not():
    assert verdicts.invariant(lambda x: open_layer(x).mean(axis=0), X)
    assert not verdicts.invariant(lambda x: open_layer(x)[0], X)
    assert not verdicts.invariant(open_layer, X)  # equivariant, which is another thing
    assert not verdicts.invariant(lambda x: causal_layer(x).mean(axis=0), X)


def test_places_tell_orders_apart():
    def mean_with(places):
        return lambda x: open_layer(x + places).mean(axis=0)

    found = verdicts.tells_orders_apart(mean_with(encode(range(3), 2)), X)
    assert found
    assert found.evidence["orders"] == 6
    assert not verdicts.tells_orders_apart(mean_with(np.zeros((3, 2))), X)
    assert not verdicts.tells_orders_apart(mean_with([[0, 0], [0, 0], [1, 1]]), X)  # sees the last word alone


def test_every_row_moves_under_attention_and_one_row_under_a_feed_forward_layer():
    (head,) = random_layers(1, 2, seed=0)
    moved = X.copy()
    moved[0] += 1
    assert verdicts.every_row_moved(self_attention(X, *head), self_attention(moved, *head))
    assert not verdicts.every_row_moved(np.tanh(X), np.tanh(moved))
    last_moved = X + np.array([[0, 0], [0, 0], [1, 1]])  # the rows before it do not look ahead
    assert not verdicts.every_row_moved(*(self_attention(x, *head, causal=True) for x in (X, last_moved)))


def test_the_bank_lies_half_way_and_exactly_so():
    for neighbour in ("river", "money"):
        output = exact_attention(rows_of(f"{neighbour} bank", BANKS))[1]
        assert verdicts.half_way(output, BANKS[neighbour], BANKS["bank"])
    assert not verdicts.half_way(
        exact_attention(rows_of("river bank", BANKS))[0], BANKS["river"], BANKS["bank"]
    )
    assert not verdicts.half_way((Fraction(1, 2), Fraction(3, 2)), BANKS["money"], BANKS["bank"])


def test_order_is_needed_where_the_bags_are_one():
    assert verdicts.needs_order("The dog bit the man", "the man bit the dog")
    assert not verdicts.needs_order("the dog bit the man", "a man bit the dog")
    assert not verdicts.needs_order("the dog bit the man", "the dog bit man")  # the same set, another bag
    assert not verdicts.needs_order("the dog", "The dog")  # nothing to tell apart


def test_different_places_can_give_one_bag_of_sums():
    assert verdicts.one_bag_of_sums([1, 2, 0], [2, 0, 1])
    assert not verdicts.one_bag_of_sums([0, 1, 2], [2, 1, 0])
    assert not verdicts.one_bag_of_sums([1, 2, 0], [1, 2, 0])  # one order
    assert not verdicts.one_bag_of_sums([0, 1], [1, 0])
