"""The recurrent chain keeps order, and what it costs beside attention."""

import numpy as np
import pytest

from pe_book.why.chain import operation_counts, recurrent_chain
from pe_book.why.order_blindness import attention_weights

# planted in the package: file, what stands there, what is planted; the numbers of the page have to move
PLANTED = {"scores": [("pe_book/why/chain.py", "scores=n**2)", "scores=n**2 + n)")]}


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


@pytest.mark.parametrize(("n", "d"), [(1, 1), (3, 5), (7, 2)])
def test_counts_are_counted(n, d):
    """One multiplication at a time: the state matrix of a chain, the score matrix of a product."""
    count = operation_counts(n, d)
    assert (count.chain_steps, count.product_steps) == (n, 1)
    assert count.scores == attention_weights(np.ones((n, d)), np.ones((n, d))).size
    assert operation_counts(10**30, 10**5).product == 10**65  # of any size
    assert count.product == sum(1 for _ in np.ndindex(n, n, d))  # q_i times k_j, over d features
    assert count.chain == sum(1 for _ in np.ndindex(n, d, d))  # n states through a d by d matrix


def test_a_state_matrix_that_is_not_square_is_refused():
    with pytest.raises(ValueError, match="w_state must be square"):
        recurrent_chain([[1.0]], [[1.0, 2.0]], [[1.0]])
