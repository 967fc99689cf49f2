"""Holds context_extension.remapped to its word: distances that a model has met, and scores at them."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pe_book as pe
from pe_book.family.context_extension.remapped import dual_chunk_distance, rectified_distance, scores_at
from pe_book.family.rotary import rotate
from tests.seeds import examples_drawn

few = examples_drawn(60)


# Exact small tables ---------------------------------------------------------------------------------------


def test_what_lies_behind_the_window_is_seen_at_its_end() -> None:
    assert rectified_distance([-9, 3, 10], 4, stride=3).tolist() == [-(4 + 5 / 3), 3, 6]


def test_two_chunks_and_a_bit_by_hand() -> None:
    """Chunks of 3 for a model trained on 5 tokens: rows are queries 3 to 8, columns keys 0 to 8."""
    found = dual_chunk_distance(range(3, 9), range(9), chunk=3, original_len=5)
    wanted = [
        [3, 2, 1, 0, -1, -2, -3, -4, -5],
        [4, 3, 2, 1, 0, -1, -2, -3, -4],
        [4, 3, 2, 2, 1, 0, -1, -2, -3],
        [4, 3, 2, 3, 2, 1, 0, -1, -2],
        [4, 3, 2, 4, 3, 2, 1, 0, -1],
        [4, 3, 2, 4, 3, 2, 2, 1, 0],
    ]
    np.testing.assert_array_equal(found, np.array(wanted, dtype=float))


# Properties -----------------------------------------------------------------------------------------------


@few
@given(n=st.integers(1, 60), chunk=st.integers(1, 12), more=st.integers(1, 8))
def test_no_distance_is_beyond_what_was_trained_and_neighbours_stay(n: int, chunk: int, more: int) -> None:
    trained = chunk + more
    found = dual_chunk_distance(range(n), range(n), chunk=chunk, original_len=trained)
    query, key = np.indices((n, n))
    causal = key <= query
    assert (found[causal] >= 0).all()
    assert (found[causal] < trained).all()
    near = causal & (query - key < min(more, chunk))
    np.testing.assert_array_equal(found[near], (query - key)[near])


@few
@given(t=st.floats(-1e5, 1e5), window=st.floats(1, 1000), stride=st.sampled_from([1, 2.0, 16, math.inf]))
def test_a_rectified_distance_is_odd_and_never_longer(t: float, window: float, stride: float) -> None:
    found = float(rectified_distance(t, window, stride=stride))
    assert found == -float(rectified_distance(-t, window, stride=stride))
    assert abs(found) <= abs(t) * (1 + 1e-12)
    assert found == t or abs(t) > window or math.isclose(found, t)


@few
@given(
    d=st.sampled_from([2, 4, 8]), layout=st.sampled_from(["interleaved", "halves"]), seed=st.integers(0, 99)
)
def test_at_true_distances_scores_are_those_of_rotated_rows(d: int, layout: Any, seed: int) -> None:
    q, k = np.random.default_rng(seed).normal(size=(2, 6, d))
    places = np.arange(6)
    found = scores_at(q, k, places[:, None] - places, pe.frequencies(d), layout=layout)
    wanted = rotate(q, places, layout=layout) @ rotate(k, places, layout=layout).T
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-13)


# What is refused ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rectified_distance(3, 4, stride=0.5), "stride must be at least 1"),
        (
            lambda: dual_chunk_distance([0], [0], chunk=5, original_len=5),
            "chunk must be less than original_len",
        ),
        (lambda: scores_at([[1, 2]], [[1, 2]], [[0]], [1, 2]), r"q must have shape \(n, 4\)"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
