"""The recurrent chain keeps order, and what it costs beside attention."""

import numpy as np
import pytest

from pe_book.evidence.claims import stands
from pe_book.evidence.why import order_blindness as verdicts
from pe_book.why.chain import operation_counts, recurrent_chain
from pe_book.why.order_blindness import attention_weights, self_attention


def test_c001_a_chain_reads_the_order():
    assert stands("C001").evidence["apart"] > 0.1
    assert stands("C001")


def test_c001_a_linear_chain_is_blind_if_its_states_are_kept_as_they_are():
    x, w_input = np.random.default_rng(1).normal(size=(2, 4, 4))

    def last(w_state):
        return lambda rows: recurrent_chain(rows, w_state, w_input, linear=True)[-1]

    assert verdicts.invariant(last(np.eye(4)), x)
    assert np.allclose(last(np.eye(4))(x), (x @ w_input).sum(axis=0), rtol=0, atol=1e-14)
    assert not verdicts.invariant(last(np.eye(4) / 2), x)


def test_c001_a_chain_that_only_sums_does_not():
    x = np.random.default_rng(0).normal(size=(5, 4)) * 1e-6  # where tanh is a straight line
    states = recurrent_chain(x, np.eye(4), np.eye(4))
    turned = recurrent_chain(x[::-1], np.eye(4), np.eye(4))
    assert np.abs(states[-1] - turned[-1]).max() < 1e-15
    assert np.abs(states - x.cumsum(axis=0)).max() < 1e-15
    half = [recurrent_chain(rows, np.eye(4) / 2, np.eye(4))[-1] for rows in (x, x[::-1])]
    assert np.abs(half[0] - half[1]).max() > 1e-7  # linear, but not the identity: order is there again


def test_the_chain_is_its_formula():
    x, w_state, w_input = [[1.0], [2.0]], [[0.5]], [[-1.0]]
    first = np.tanh(-1.0)
    assert np.allclose(
        recurrent_chain(x, w_state, w_input), [[first], [np.tanh(0.5 * first - 2.0)]], rtol=0, atol=1e-15
    )


def test_each_state_sees_what_came_before_it_and_nothing_after():
    generator = np.random.default_rng(0)
    x, w_state, w_input = generator.normal(size=(6, 4)), *generator.normal(size=(2, 4, 4))
    changed = x.copy()
    changed[3] += 1
    moved = np.abs(recurrent_chain(changed, w_state, w_input) - recurrent_chain(x, w_state, w_input)).max(
        axis=1
    )
    assert (moved > 0).tolist() == [False] * 3 + [True] * 3


def test_c002_parallel_is_not_free():
    assert stands("C002")
    count = operation_counts(10_000, 512)
    assert (count.product, count.chain) == (51_200_000_000, 2_621_440_000)
    assert count.product / count.chain == 10_000 / 512 == 19.53125
    assert (count.chain_steps, count.product_steps) == (10_000, 1)
    assert count.scores * np.dtype(np.float32).itemsize == 400_000_000
    assert (
        operation_counts(512, 512).product == operation_counts(512, 512).chain
    )  # they cost the same where n = d


@pytest.mark.parametrize(("n", "d"), [(1, 1), (3, 5), (7, 2)])
def test_counts_are_counted(n, d):
    """One multiplication at a time: the state matrix of a chain, the score matrix of a product."""
    count = operation_counts(n, d)
    assert count.scores == attention_weights(np.ones((n, d)), np.ones((n, d))).size
    assert operation_counts(10**30, 10**5).product == 10**65  # of any size
    assert count.product == sum(1 for _ in np.ndindex(n, n, d))  # q_i times k_j, over d features
    assert count.chain == sum(1 for _ in np.ndindex(n, d, d))  # n states through a d by d matrix


class Counting(np.ndarray):
    """An array that counts the multiplications of the matrix products it takes part in."""

    done = 0

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        plain = [np.asarray(x) for x in inputs]
        if ufunc is np.matmul:
            Counting.done += plain[0].size * plain[1].shape[-1]
        return np.asarray(getattr(ufunc, method)(*plain, **options)).view(Counting)


@pytest.mark.parametrize(("n", "d"), [(1, 1), (3, 5), (7, 2)])
def test_c002_with_the_projections_attention_multiplies_more_at_every_length(monkeypatch, n, d):
    def counted(call):
        Counting.done = 0
        call()
        return Counting.done

    for reader in ("chain.real_array", "order_blindness.matrices"):
        monkeypatch.setattr(f"pe_book.why.{reader}", lambda x, name: np.array(x, dtype=float).view(Counting))
    x, *weights = np.ones((n, d)), *np.ones((3, d, d))
    count = operation_counts(n, d, everything=True)
    assert counted(lambda: recurrent_chain(x, *weights[:2])) == count.chain
    assert counted(lambda: self_attention(x, *weights)) == count.product
    assert count.product > count.chain
    assert verdicts.multiplies_more_at_every_length(d)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: operation_counts(0, 4), ValueError, "seq_len must be a whole number of at least 1, got 0"),
        (
            lambda: operation_counts(4, 2.5),
            TypeError,
            "d_model must be a whole number of at least 1, got 2.5",
        ),
        (
            lambda: recurrent_chain([1.0], [[1.0]], [[1.0]]),
            ValueError,
            r"x must be a matrix, got shape \(1,\)",
        ),
        (lambda: recurrent_chain([[1.0]], [[1.0, 2.0]], [[1.0]]), ValueError, r"w_state must be square"),
        (
            lambda: recurrent_chain([[1.0]], [[1.0]], [[1.0, 2.0]]),
            ValueError,
            r"w_input must have shape \(1, 1\)",
        ),
        (lambda: recurrent_chain([[np.nan]], [[1.0]], [[1.0]]), ValueError, "x must be finite"),
    ],
)
def test_bad_input_is_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()
