"""Holds pe_book.family.relative to its word: whose offset, which sign, where it is clipped and divided."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pe_book.family.relative import clipped_offsets, shaw_attention
from tests.seeds import examples_drawn

PLANTED = {
    "sign": [
        (
            "pe_book/family/offsets.py",
            "at_key[..., None, :] - at_query[..., :, None]",
            "at_query[..., :, None] - at_key[..., None, :]",
        )
    ],
    "clip": [("pe_book/family/relative/__init__.py", "-most, most) + most", "1 - most, most) + most")],
}

Array = NDArray[np.float64]
few = examples_drawn(40)
SIZES = st.integers(1, 6)
CLIPS = st.integers(0, 7)


def drawn(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).normal(size=shape)


def by_loops(
    q: Array, k: Array, v: Array, a_k: Array, a_v: Array, queries: Any, keys: Any, causal: bool = False
) -> Array:
    """Equations (3) and (4) of the paper, one pair after another."""
    clip = len(a_k) // 2
    outputs = []
    for row, i in zip(q, queries, strict=True):
        scores, values = [], []
        for key, value, j in zip(k, v, keys, strict=True):
            place = min(max(j - i, -clip), clip)
            scores.append(row @ (key + a_k[place + clip]) / len(row) ** 0.5)
            values.append(value + a_v[place + clip])
            if causal and j > i:
                scores[-1] = -np.inf
        weights = np.exp(np.array(scores) - max(scores))
        outputs.append((weights / weights.sum()) @ np.array(values))
    return np.array(outputs)


# Exact small tables ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("clip", "wanted"), [(0, [0, 0, 0]), (1, [0, 1, 2]), (5, [4, 5, 6])])
def test_the_clip_reaches_as_far_as_it_says(clip: int, wanted: list[int]) -> None:
    assert clipped_offsets([7], [6, 7, 8], clip=clip).tolist() == [wanted]
    edges = clipped_offsets([0], [-clip - 1, -clip, clip, clip + 1], clip=clip)
    assert edges.tolist() == [[0, 0, 2 * clip, 2 * clip]]


def test_a_batch_is_padded_on_the_left() -> None:
    places = np.array([[0, 0, 1], [0, 1, 2]])  # the first text has two words
    found = clipped_offsets(places, places, clip=9)
    assert found.shape == (2, 3, 3)
    assert found[0, 2].tolist() == [8, 8, 9]
    assert found[1, 2].tolist() == [7, 8, 9]
    np.testing.assert_array_equal(clipped_offsets([2], places, clip=9)[1, 0], [7, 8, 9])


# Properties -----------------------------------------------------------------------------------------------


@few
@given(n=SIZES, m=SIZES, clip=CLIPS, start=st.integers(-9, 9), seed=st.integers(0, 99), causal=st.booleans())
def test_attention_is_that_of_the_equations(
    n: int, m: int, clip: int, start: int, seed: int, causal: bool
) -> None:
    q, k, v = drawn(seed, n, 3), drawn(seed + 1, m, 3), drawn(seed + 2, m, 2)
    a_k, a_v = drawn(seed + 3, 2 * clip + 1, 3), drawn(seed + 4, 2 * clip + 1, 2)
    keys = list(range(m))
    queries = [max(start, 0) + i for i in range(n)] if causal else [start + 2 * i for i in range(n)]
    found = shaw_attention(q, k, v, a_k, a_v, queries=queries, keys=keys, causal=causal)
    wanted = by_loops(q, k, v, a_k, a_v, queries, keys, causal)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


@few
@given(b=st.integers(1, 3), h=st.integers(1, 3), own=st.booleans(), seed=st.integers(0, 99))
def test_heads_and_batches_one_by_one(b: int, h: int, own: bool, seed: int) -> None:
    n, clip = 4, 2
    q, k, v = drawn(seed, 3, b, h, n, 6)
    lead = (h,) if own else ()
    a_k, a_v = drawn(seed + 1, 2, *lead, 2 * clip + 1, 6)
    places = np.random.default_rng(seed).integers(0, 9, (b, n))
    found = shaw_attention(q, k, v, a_k, a_v, queries=places, keys=places)
    for i in range(b):
        for head in range(h):
            tables = (a_k[head], a_v[head]) if own else (a_k, a_v)
            one = by_loops(q[i, head], k[i, head], v[i, head], *tables, places[i], places[i])
            np.testing.assert_allclose(found[i, head], one, rtol=0, atol=1e-12)


def test_a_text_may_be_forbidden_by_a_bias() -> None:
    """Two texts packed into one row: positions begin anew, and the bias keeps the texts apart."""
    q, k, v = drawn(5, 3, 5, 4)
    tables = drawn(6, 2, 7, 4)
    text = np.array([0, 0, 1, 1, 1])
    places = [0, 1, 0, 1, 2]
    apart = np.where(text[:, None] == text, 0, -np.inf)
    found = shaw_attention(q, k, v, *tables, queries=places, keys=places, bias=apart)
    alone = shaw_attention(q[2:], k[2:], v[2:], *tables, queries=range(3), keys=range(3))
    np.testing.assert_allclose(found[2:], alone, rtol=0, atol=1e-13)


# What is refused ------------------------------------------------------------------------------------------

ROWS, TABLE = np.ones((3, 2)), np.ones((5, 2))
WHOLE = {"q": ROWS, "k": ROWS, "v": ROWS, "key_vectors": TABLE, "queries": range(3), "keys": range(3)}
REFUSED: dict[str, dict[str, Any]] = {
    r"queries must hold whole positions, got 0\.5": {"queries": [0.5, 1, 2]},
    "queries must hold 3 positions, as many as q, got 1": {"queries": [0]},
    "2, rows, d., one for each head": {"q": np.ones((2, 3, 2)), "key_vectors": np.ones((3, 5, 2))},
    "beside .2, 8.": {"q": np.ones((2, 8, 3, 2)), "queries": np.zeros((8, 3)), "keys": np.zeros((8, 3))},
    "keys must hold 3 positions, as many as k, got 4": {"keys": range(4)},
    "value_vectors must hold 2 columns, as many as v, got 3": {"value_vectors": np.ones((5, 3))},
    "bias must leave every query at least one key": {"bias": np.full((3, 3), -np.inf)},
}


@pytest.mark.parametrize("says", REFUSED)
def test_attention_that_does_not_fit_is_refused_by_name(says: str) -> None:
    with pytest.raises(ValueError, match=says):
        shaw_attention(**WHOLE | REFUSED[says])
