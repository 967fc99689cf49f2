"""Attention and the order of words: exact fractions, equivariance, masks, torch, and what is refused."""

import warnings
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_book.evidence.why import order_blindness as verdicts
from pe_book.evidence.why.exact import exact_attention
from pe_book.why.layers import power_of_two_layer, random_layers, stacked_attention
from pe_book.why.order_blindness import attention, attention_weights, self_attention
from tests.seeds import examples_drawn

WORDS = {"Nitish": (1, 0), "killed": (0, 1), "lion": (1, 1)}
HAND = power_of_two_layer(2)
ROUNDING = 1e-13  # rows of size 1, a few dozen additions: 2**-53 each
ORDERS = list(permutations(range(3)))
few = examples_drawn(40)
shapes = {"n": st.integers(2, 9), "d": st.integers(1, 12), "seed": st.integers(0, 2**32 - 1)}


def sentence(text, vectors=WORDS):
    return np.array([vectors[word] for word in text.split()], dtype=np.float64)


def drawn(n, d, seed):
    generator = np.random.default_rng(seed)
    return generator.normal(size=(n, d)), random_layers(2, d, seed=seed), generator.permutation(n)


def gap(a, b):
    return np.abs(np.asarray(a) - np.asarray(b)).max()


# --- exact tables --------------------------------------------------------------------


def test_the_printed_fractions_are_exact():
    third, quarters = Fraction(1, 3), (Fraction(3, 4), Fraction(3, 4))
    assert exact_attention([(1, 0), (0, 1), (1, 1)], causal=True) == [(1, 0), (third, 2 * third), quarters]
    assert exact_attention([(0, 1), (1, 0), (1, 1)], causal=True) == [(0, 1), (2 * third, third), quarters]
    assert exact_attention([(0, 2), (1, 1)])[1] == (Fraction(1, 2), Fraction(3, 2))


def test_weights_are_averages_and_survive_huge_scores():
    weights = attention_weights([[1000.0]], [[1000.0], [999.0], [-1000.0]])
    assert gap(weights, [[1.0, 0.0, 0.0]]) < ROUNDING
    assert gap(attention_weights([[0.0]], [[5.0], [6.0]], bias=[[-4000.0, -4000.0]]), [[0.5, 0.5]]) < ROUNDING


@pytest.mark.parametrize("causal", [False, True])
def test_agrees_with_torch(causal):
    torch = pytest.importorskip("torch")

    generator = np.random.default_rng(3)
    q, k, v = generator.normal(size=(3, 2, 4, 7, 5))
    bias = generator.normal(size=(2, 4, 7, 7))
    masked = np.where(np.tri(7, dtype=bool), bias, -np.inf) if causal else bias
    theirs = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.from_numpy, (q, k, v)), attn_mask=torch.from_numpy(masked)
    )
    assert gap(attention(q, k, v, bias=bias, causal=causal), theirs.numpy()) < ROUNDING
    plain = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.from_numpy, (q, k, v)), is_causal=causal
    )
    assert gap(attention(q, k, v, causal=causal), plain.numpy()) < ROUNDING


# --- the order of words --------------------------------------------------------------


@few
@given(**shapes)
def test_shuffled_words_give_the_same_rows_shuffled(n, d, seed):
    x, layers, order = drawn(n, d, seed)
    for depth in (1, 2):
        outputs, shuffled = (stacked_attention(rows, layers[:depth]) for rows in (x, x[order]))
        bound = ROUNDING * (1 + np.abs(outputs).max())
        stack = layers[:depth]
        assert verdicts.equivariant(
            lambda rows, stack=stack: stacked_attention(rows, stack), x, orders=[order], rounding=bound
        )
        for pool in (np.mean, np.max, np.sum):
            assert gap(pool(shuffled, axis=0), pool(outputs, axis=0)) < n * ROUNDING * (
                1 + np.abs(outputs).max()
            )


def test_two_causal_layers_tell_the_order_by_hand():
    def last(text, **options):
        rows = self_attention(sentence(text), *HAND, **options)
        return self_attention(rows, *HAND, **options)[-1]

    one, other = "Nitish killed lion", "killed Nitish lion"
    assert gap(last(one, causal=True), last(other, causal=True)[::-1]) < ROUNDING  # mirror images
    assert gap(last(one, causal=True), last(other, causal=True)) > 0.2
    assert gap(last(one), last(other)) < ROUNDING
    means = [self_attention(sentence(text), *HAND, causal=True).mean(axis=0) for text in (one, other)]
    assert gap(means, np.array([[50, 34], [34, 50]]) / 72) < ROUNDING  # one causal layer is enough for these
    for text in (one, other):
        assert gap(self_attention(sentence(text), *HAND, causal=True)[-1], [3 / 4, 3 / 4]) < ROUNDING


def test_layers_are_stacked_with_a_residual():
    x = sentence("Nitish killed lion")
    assert np.array_equal(stacked_attention(x, []), x)
    once = x + self_attention(x, *HAND, causal=True)
    assert gap(stacked_attention(x, [HAND], causal=True), once) < ROUNDING
    assert (
        gap(stacked_attention(x, [HAND] * 2, causal=True), once + self_attention(once, *HAND, causal=True))
        < ROUNDING
    )


def test_random_layers_follow_their_seed_and_their_variance():
    first, second = random_layers(2, 8, seed=5), random_layers(2, 8, seed=5)
    assert np.array_equal(first, second)
    assert not np.array_equal(first, random_layers(2, 8, seed=6))
    drawn_numbers = np.concatenate(
        [matrix.ravel() for layer in random_layers(20, 16, seed=0) for matrix in layer]
    )
    assert abs(drawn_numbers.var() * 16 - 1) < 0.05


# --- refusals ------------------------------------------------------------------------

ROW, TWO = np.ones((2, 3)), np.ones((2, 2))
REFUSED = {
    r"bias must broadcast to the scores, shape \(2, 2\)": lambda: attention(ROW, ROW, ROW, bias=np.zeros(3)),
    "every key of query 1": lambda: attention(ROW, ROW, ROW, bias=[[0, 0], [-np.inf, -np.inf]]),
    "as many queries as keys, got 1 and 2": lambda: attention(ROW[:1], ROW, ROW, causal=True),
    r"layers\[0\] must keep the shape \(2, 2\)": lambda: stacked_attention(TWO, [(TWO, TWO, TWO[:, :1])]),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_could_be_computed_and_means_nothing_is_refused(message):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=message):
            REFUSED[message]()
