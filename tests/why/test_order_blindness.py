"""Attention and the order of words: exact fractions, equivariance, masks, torch, and what is refused."""

import warnings
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_book.evidence.claims import stands
from pe_book.evidence.why import order_blindness as verdicts
from pe_book.evidence.why.exact import exact_attention
from pe_book.sinusoidal.formula import encode
from pe_book.why.layers import power_of_two_layer, random_layers, stacked_attention
from pe_book.why.order_blindness import attention, attention_weights, self_attention
from tests.seeds import examples_drawn

# planted in the package: file, what stands there, what is planted; the numbers of the page have to move
PLANTED = {
    "base": [
        ("pe_book/sinusoidal/formula.py", "np.power(base, ", "np.power(1.5 * base, "),
        ("pe_book/numerics/exact.py", "context.log(base)", "context.log(1.5 * base)"),
    ],
}

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


def spelled_out(q, k, v, bias, causal):
    """One query, one key, one feature at a time."""
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        seen = [j for j in range(len(k)) if j <= i or not causal]
        powers = [
            np.exp(sum(a * b for a, b in zip(q[i], k[j], strict=True)) / len(q[i]) ** 0.5 + bias[i, j])
            for j in seen
        ]
        for power, j in zip(powers, seen, strict=True):
            out[i] += power / sum(powers) * v[j]
    return out


# --- exact tables --------------------------------------------------------------------


def test_three_words_give_fifths_and_quarters():
    outputs = self_attention(sentence("Nitish killed lion"), *HAND)
    assert gap(outputs, [[4 / 5, 3 / 5], [3 / 5, 4 / 5], [3 / 4, 3 / 4]]) < ROUNDING
    assert gap(outputs.mean(axis=0), [43 / 60, 43 / 60]) < ROUNDING


def test_the_printed_fractions_are_exact():
    third, quarters = Fraction(1, 3), (Fraction(3, 4), Fraction(3, 4))
    assert exact_attention([(1, 0), (0, 1), (1, 1)], causal=True) == [(1, 0), (third, 2 * third), quarters]
    assert exact_attention([(0, 1), (1, 0), (1, 1)], causal=True) == [(0, 1), (2 * third, third), quarters]
    assert exact_attention([(0, 2), (1, 1)])[1] == (Fraction(1, 2), Fraction(3, 2))


def test_printed_fractions_are_refused_where_the_definition_disagrees(monkeypatch):
    wrong = HAND._replace(w_q=HAND.w_q / np.sqrt(2))  # the root forgotten: powers of 2**(1/sqrt 2)
    monkeypatch.setattr("pe_book.evidence.why.exact.power_of_two_layer", lambda d: wrong)
    with pytest.raises(ArithmeticError, match="self_attention"):
        exact_attention([(1, 0), (0, 1), (1, 1)])


@few
@given(**shapes, causal=st.booleans())
def test_attention_is_what_the_formula_says_entry_by_entry(n, d, seed, causal):
    generator = np.random.default_rng(seed)
    q, k, v, bias = (generator.normal(size=shape) for shape in ((n, d), (n, d), (n, 3), (n, n)))
    assert gap(attention(q, k, v, bias=bias, causal=causal), spelled_out(q, k, v, bias, causal)) < ROUNDING


def test_the_scale_is_the_root_of_head_dim():
    assert (
        gap(attention_weights(np.full((1, 4), 1.0), [[np.log(9.0)] + [0.0] * 3, [0.0] * 4]), [[3 / 4, 1 / 4]])
        < ROUNDING
    )


def test_weights_are_averages_and_survive_huge_scores():
    weights = attention_weights([[1000.0]], [[1000.0], [999.0], [-1000.0]])
    assert gap(weights, [[1.0, 0.0, 0.0]]) < ROUNDING
    assert gap(attention_weights([[0.0]], [[5.0], [6.0]], bias=[[-4000.0, -4000.0]]), [[0.5, 0.5]]) < ROUNDING


def test_heads_are_leading_axes():
    x, layers, _ = drawn(5, 6, 0)
    weights = [np.stack([layer[i] for layer in layers]) for i in range(3)]
    together = self_attention(x, *weights)
    assert together.shape == (2, 5, 6)
    for head, layer in enumerate(layers):
        assert gap(together[head], self_attention(x, *layer)) < ROUNDING


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


def test_a_bias_of_minus_infinity_is_the_causal_mask():
    q, k, v = np.random.default_rng(0).normal(size=(3, 6, 4))
    forbid = np.where(np.tri(6, dtype=bool), 0.0, -np.inf)
    assert np.array_equal(attention(q, k, v, bias=forbid), attention(q, k, v, causal=True))
    # cached decoding: the newest query alone sees every key, and needs no mask
    assert gap(attention(q[-1:], k, v), attention(q, k, v, causal=True)[-1:]) < ROUNDING


# --- claims of the ledger ------------------------------------------------------------


def test_c003_every_output_depends_on_every_token():
    found = stands("C003")
    assert found
    assert found.evidence["change of others"] > 1e-3


@few
@given(**shapes)
def test_c004_shuffled_words_give_the_same_rows_shuffled(n, d, seed):
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


@pytest.mark.parametrize("order", ORDERS[1:])
def test_c004_the_matrices_are_not_identical(order):
    assert stands("C004")
    x, layers, _ = drawn(3, 8, 1)
    outputs, shuffled = self_attention(x, *layers[0]), self_attention(x[list(order)], *layers[0])
    assert gap(shuffled, outputs) > 0.1  # "identical outputs" fails wherever the rows are not aligned first
    assert gap(shuffled, outputs[list(order)]) < ROUNDING


@pytest.mark.parametrize("seed", range(3))
def test_c004_adding_positions_removes_the_symmetry(seed):
    x, layers, _ = drawn(3, 8, seed)
    positions, back = encode(range(3), 8), [2, 1, 0]
    outputs, shuffled = (self_attention(rows + positions, *layers[0]) for rows in (x, x[back]))
    assert gap(shuffled, outputs[back]) > 0.1
    assert gap(shuffled.mean(axis=0), outputs.mean(axis=0)) > 0.01


def test_c005_one_query_is_invariant_to_the_order_of_its_keys():
    assert stands("C005")
    q, k, v = np.random.default_rng(0).normal(size=(3, 9, 4))
    order = np.random.default_rng(1).permutation(9)
    assert gap(attention(q, k[order], v[order]), attention(q, k, v)) < ROUNDING
    assert gap(attention(q, k[order], v), attention(q, k, v)) > 0.1  # keys and values must move together
    assert (
        gap(attention(q[order], k, v), attention(q, k, v)) > 0.1
    )  # in its own rows the layer is not invariant


def test_c006_the_scores_are_not_symmetric_and_need_not_be():
    assert stands("C006")
    x, (layer, _), order = drawn(6, 8, 0)
    scores = (x @ layer.w_q) @ (x @ layer.w_k).T / np.sqrt(8)
    assert gap(scores, scores.T) > 1
    assert gap(self_attention(x[order], *layer), self_attention(x, *layer)[order]) < ROUNDING

    def additive(rows):  # a score that is no product at all: tanh(x_i A + x_j B) summed
        s = np.tanh((rows @ layer.w_q)[:, None] + (rows @ layer.w_k)[None]).sum(axis=-1)
        weights = np.exp(s)
        assert gap(s, s.T) > 1
        return weights / weights.sum(axis=1, keepdims=True) @ rows

    assert gap(additive(x[order]), additive(x)[order]) < ROUNDING


@pytest.mark.parametrize("seed", range(5))
def test_c007_a_causal_mask_breaks_the_symmetry(seed):
    assert stands("C007")
    x, layers, _ = drawn(3, 8, seed)
    back = [2, 1, 0]
    outputs, shuffled = (stacked_attention(rows, layers[:1], causal=True) for rows in (x, x[back]))
    assert gap(shuffled, outputs[back]) > 0.1
    # and who reads all the rows tells two orders apart after that one layer
    assert verdicts.apart([outputs.mean(axis=0), shuffled.mean(axis=0)])


@few
@given(**shapes)
def test_c007_one_causal_layer_sees_a_bag_before_the_last_word(n, d, seed):
    x, layers, _ = drawn(n, d, seed)
    order = np.append(np.random.default_rng(seed).permutation(n - 1), n - 1)
    outputs, shuffled = (stacked_attention(rows, layers[:1], causal=True) for rows in (x, x[order]))
    assert gap(shuffled[-1], outputs[-1]) < ROUNDING * (1 + np.abs(outputs).max())


@pytest.mark.parametrize("seed", range(5))
def test_c007_two_causal_layers_tell_the_order_and_two_open_ones_do_not(seed):
    x, layers, _ = drawn(3, 8, seed)
    swap = [1, 0, 2]
    causal, open_ = (
        gap(
            stacked_attention(x, layers, causal=mask)[-1], stacked_attention(x[swap], layers, causal=mask)[-1]
        )
        for mask in (True, False)
    )
    assert causal > 0.05
    assert open_ < ROUNDING


def test_c007_the_same_by_hand():
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


def test_c007_a_saturated_softmax_hides_the_order():
    def difference(sharpness):
        layer = HAND._replace(w_q=sharpness * HAND.w_q)
        rows = [sentence("Nitish killed lion"), sentence("killed Nitish lion")]
        for _ in range(2):
            rows = [self_attention(x, *layer, causal=True) for x in rows]
        return gap(rows[0][-1], rows[1][-1])

    assert difference(1) > 0.2
    assert (
        difference(64) == 0.0
    )  # the trap: a test with such weights would call two causal layers order-blind


def test_c008_the_same_word_at_two_places_differs_by_the_encodings_alone():
    assert stands("C008")
    table = encode(range(5), 512)
    frequencies = np.power(10000.0, -2 * np.arange(256) / 512)
    predicted = np.sqrt(2 * (256 - np.cos(3 * frequencies).sum()))
    assert abs(np.linalg.norm(table[3] - table[0]) - predicted) < 1e-12
    for seed in range(3):
        word = np.random.default_rng(seed).normal(size=512)
        assert abs(np.linalg.norm((word + table[3]) - (word + table[0])) - predicted) < 1e-12


def test_c009_a_pair_of_phrases_needs_order_only_if_the_bags_are_equal():
    found = stands("C009")
    assert found
    assert found.evidence["in one alone"] == "flight and read"


def test_c010_attention_tells_two_banks_apart_and_lookup_does_not():
    assert stands("C010")
    assert stands("C010").evidence["apart"] > 0.9
    river = np.array([(0.0, 2.0), (1.0, 1.0)])
    assert (
        gap(self_attention(river, *HAND)[1], self_attention(river[::-1], *HAND)[0]) < ROUNDING
    )  # still a bag


@pytest.mark.parametrize("causal", [False, True])
def test_c011_positions_added_to_the_input_leave_the_layer_as_it_was(causal):
    assert stands("C011")
    x, layers, order = drawn(6, 8, 2)
    rows = x + encode(range(6), 8)
    shuffled, outputs = (
        self_attention(rows[order], *layers[0], causal=causal),
        self_attention(rows, *layers[0], causal=causal),
    )
    blind = gap(shuffled, outputs[order]) < ROUNDING
    assert blind == (not causal)  # the sums of word and place, shuffled together, still come out shuffled


def test_c007_one_word_repeated_stays_blind_and_another_in_front_ends_it():
    words, layers, _ = drawn(2, 8, 0)
    the = np.tile(words[0], (6, 1))
    alone, led = (stacked_attention(x, layers, causal=True) for x in (the, np.vstack([words[1], the])))
    assert gap(alone, alone[0]) < ROUNDING
    assert min(gap(led[i], led[j]) for i in range(7) for j in range(i)) > 0.01


def test_different_places_tell_orders_apart_only_if_the_sums_do():
    numbers, places = np.eye(3), np.eye(3)
    outputs = [
        self_attention(numbers[order] + places, *power_of_two_layer(3)) for order in ([1, 2, 0], [2, 0, 1])
    ]
    assert gap(outputs[0], outputs[1]) > 0.1
    assert gap(outputs[0], outputs[1][[1, 2, 0]]) < ROUNDING  # one bag of sums, one bag of rows
    means = [
        self_attention(sentence(" ".join(words)) + encode(range(3), 2), *HAND).mean(axis=0)
        for words in permutations(WORDS)
    ]
    assert min(gap(a, b) for a, b in combinations(means, 2)) > 0.01


def test_equal_words_get_equal_rows_unless_place_or_mask_intervenes():
    generator = np.random.default_rng(0)
    text = "the bank approved the loan"
    vectors = {word: generator.normal(size=8) for word in text.split()}
    x = sentence(text, vectors)
    layer = random_layers(1, 8, seed=0)[0]
    assert gap(*self_attention(x, *layer)[[0, 3]]) < ROUNDING
    assert gap(*self_attention(x, *layer, causal=True)[[0, 3]]) > 0.1
    assert gap(*self_attention(x + encode(range(5), 8), *layer)[[0, 3]]) > 0.1


def test_layers_are_stacked_with_a_residual():
    x = sentence("Nitish killed lion")
    assert np.array_equal(stacked_attention(x, []), x)
    once = x + self_attention(x, *HAND, causal=True)
    assert gap(stacked_attention(x, [HAND], causal=True), once) < ROUNDING
    assert (
        gap(stacked_attention(x, [HAND] * 2, causal=True), once + self_attention(once, *HAND, causal=True))
        < ROUNDING
    )


def test_a_layer_by_rows_keeps_the_symmetry():
    x, layers, order = drawn(6, 8, 4)

    def block(rows):
        rows = stacked_attention(rows, layers[:1])
        rows = (rows - rows.mean(axis=1, keepdims=True)) / rows.std(axis=1, keepdims=True)
        return stacked_attention(rows + np.maximum(rows @ layers[1].w_q, 0) @ layers[1].w_k, layers[1:])

    assert gap(block(x[order]), block(x)[order]) < 10 * ROUNDING


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


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: attention(ROW, TWO, ROW),
            ValueError,
            r"q and k must have the same head_dim.*\(2, 3\).*\(2, 2\)",
        ),
        (
            lambda: attention(ROW, ROW, np.ones((3, 3))),
            ValueError,
            r"v must have one row for each of the 2 keys.*\(3, 3\)",
        ),
        (lambda: attention(ROW[0], ROW, ROW), ValueError, r"q must have at least one row.*\(3,\)"),
        (lambda: attention(ROW, np.ones((0, 3)), ROW), ValueError, r"k must have at least one row.*\(0, 3\)"),
        (lambda: attention(ROW * np.nan, ROW, ROW), ValueError, "q must be finite"),
        (lambda: attention(ROW, ROW, ROW * np.inf), ValueError, "v must be finite"),
        (
            lambda: attention(ROW, ROW, ROW, bias=[[np.nan, 0], [0, 0]]),
            ValueError,
            "bias must not hold NaN, got nan",
        ),
        (
            lambda: attention(ROW, ROW, ROW, bias=[[np.inf, 0], [0, 0]]),
            ValueError,
            "bias must be finite, got inf",
        ),
        (
            lambda: attention(ROW, ROW, ROW, bias=np.tri(2, dtype=bool)),
            TypeError,
            "bias must hold integers or floats, got booleans",
        ),
        (
            lambda: attention(ROW, ROW, ROW, bias=np.zeros(3)),
            ValueError,
            r"bias must broadcast to the scores, shape \(2, 2\)",
        ),
        (
            lambda: attention(ROW, ROW, ROW, bias=np.zeros((4, 2, 2))),
            ValueError,
            r"bias must broadcast.*\(4, 2, 2\)",
        ),
        (
            lambda: attention(ROW, ROW, ROW, bias=[[0, 0], [-np.inf, -np.inf]]),
            ValueError,
            "every key of query 1",
        ),
        (
            lambda: attention(ROW[:1], ROW, ROW, causal=True),
            ValueError,
            "as many queries as keys, got 1 and 2",
        ),
        (lambda: attention(ROW * 1e200, ROW * 1e200, ROW), ValueError, "keep every score finite"),
        (
            lambda: attention(np.ones((2, 2, 3)), np.ones((5, 2, 3)), ROW),
            ValueError,
            "q and k must have leading axes",
        ),
        (
            lambda: attention(np.ones((2, 2, 3)), ROW, np.ones((5, 2, 3))),
            ValueError,
            "and v, must have leading axes",
        ),
        (
            lambda: self_attention(ROW, TWO, TWO, TWO),
            ValueError,
            r"w_q must have 3 rows, the width of x, got shape \(2, 2\)",
        ),
        (
            lambda: stacked_attention(TWO, [(TWO, TWO, np.ones((2, 1)))]),
            ValueError,
            r"layers\[0\] must keep the shape \(2, 2\)",
        ),
        (lambda: power_of_two_layer(0), ValueError, "d_model must be a whole number of at least 1, got 0"),
        (lambda: power_of_two_layer(2.0), TypeError, "d_model must be a whole number"),
        (
            lambda: random_layers(-1, 2, seed=0),
            ValueError,
            "n_layers must be a whole number of at least 0, got -1",
        ),
        (lambda: random_layers(1, 2, seed=None), TypeError, "seed must be a whole number"),
    ],
)
def test_bad_input_is_refused_by_name(call, error, message):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(error, match=message):
            call()


def test_inputs_are_left_alone():
    x, layers, _ = drawn(4, 3, 0)
    bias, before = np.zeros((4, 4)), x.copy()
    self_attention(x, *layers[0], bias=bias, causal=True)
    stacked_attention(x, layers)
    assert np.array_equal(x, before)
    assert not bias.any()
    assert self_attention([[1, 0], [0, 1]], *HAND).dtype == np.float64
