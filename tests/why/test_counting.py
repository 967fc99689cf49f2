"""What a count can do and what it costs: shift, score, layer norm and training."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_book.why.counting import counting_key, counting_query, shear
from pe_book.why.descent import condition_number, curvature, descend, largest_step, with_constant
from pe_book.why.norms import layer_norm
from tests.seeds import examples_drawn

# planted in the package: file, what stands there, what is planted; the numbers of the page have to move
PLANTED = {
    "sine": [("pe_book/why/sines.py", "return np.sin(finite_", "return np.sin(1.1 * finite_")],
}

few = examples_drawn(50)
whole = st.integers(-10_000, 10_000)


@few
@given(whole, whole, whole)
def test_the_shear_moves_counts_and_forms_a_group(p, j, k):
    assert (shear(k) @ [p, 1]).tolist() == [p + k, 1]
    np.testing.assert_array_equal(shear(j) @ shear(k), shear(j + k))
    np.testing.assert_array_equal(shear(-k) @ shear(k), np.eye(2))


@few
@given(st.lists(whole, min_size=1, max_size=6), st.lists(whole, min_size=1, max_size=6))
def test_scores_of_counts_are_key_minus_query(queries, keys):
    scores = counting_query(queries) @ counting_key(keys).T
    np.testing.assert_array_equal(scores, np.subtract.outer(keys, queries).T)


def test_layer_norm_is_torchs():
    torch = pytest.importorskip("torch")
    x = np.random.default_rng(1).normal(3, 7, size=(2, 5, 16))
    expected = torch.nn.functional.layer_norm(torch.tensor(x), (16,), eps=0.0).numpy()
    np.testing.assert_allclose(layer_norm(x), expected, rtol=0, atol=1e-13)
    with pytest.raises(ValueError, match="equal numbers"):
        layer_norm([[0.1, 0.1, 0.1], [1.0, 2.0, 3.0]])


@few
@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=20), st.sampled_from([-1, 1]))
def test_one_large_number_takes_over_a_layer_norm(others, sign):
    n = len(others) + 1
    for t in (2000.0, 1e12):
        normed = layer_norm([sign * t, *others])
        assert np.abs(normed).max() <= np.sqrt(n - 1) + 1e-12
    limit = sign * np.array([np.sqrt(n - 1), *[-1 / np.sqrt(n - 1)] * len(others)])
    np.testing.assert_allclose(normed, limit, rtol=0, atol=1e-7)


@few
@given(st.integers(2, 40), st.integers(0, 5))
def test_curvature_is_the_spectrum_of_the_hessian(n, seed):
    x = np.random.default_rng(seed).normal(size=(n, 3))
    expected = np.linalg.eigvalsh(x.T @ x / n)
    np.testing.assert_allclose(curvature(x), expected, rtol=0, atol=1e-12)
    assert curvature(x).shape == (3,)  # also where there are fewer rows than columns
    if n > 3:
        assert condition_number(x) == pytest.approx(expected[-1] / expected[0], rel=1e-9)


def test_dependent_columns_have_no_condition_number():
    with pytest.raises(ValueError, match="linearly independent"):
        condition_number(with_constant([1.0, 1.0, 1.0]))


def test_descent_is_autograds():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(2)
    x, y, step = rng.normal(size=(6, 2)), rng.normal(size=6), 0.3
    w = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.SGD([w], lr=step)
    losses = []
    for _ in range(9):
        optimiser.zero_grad()
        loss = ((torch.tensor(x) @ w - torch.tensor(y)) ** 2).mean() / 2
        losses.append(loss.item())
        loss.backward()
        optimiser.step()
    np.testing.assert_allclose(descend(x, y, step=step, n_steps=8), losses, rtol=1e-12)


@pytest.mark.parametrize("n", [4, 30])
def test_the_largest_step_is_where_descent_turns(n):
    x = with_constant(np.arange(1, n + 1))
    y = np.cos(np.arange(n))
    below = descend(x, y, step=0.99 * largest_step(x), n_steps=600)
    above = descend(x, y, step=1.01 * largest_step(x), n_steps=600)
    assert (np.diff(below) <= 1e-15).all()
    assert above[-1] > 1000 * above[0]
