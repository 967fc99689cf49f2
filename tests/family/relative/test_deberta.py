"""Holds DeBERTa's scores to their word: δ(i, j) and δ(j, i), the divisor, the buckets of later versions."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pe_book.family.relative.deberta import deberta_bias, deberta_offsets, deberta_scores
from pe_book.family.relative.log_buckets import deberta_log_bucket
from tests.seeds import examples_drawn

Array = NDArray[np.float64]
few = examples_drawn(40)


def drawn(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).normal(size=shape)


def delta(i: int, j: int, k: int) -> int:
    """Equation (3), case by case."""
    if i - j <= -k:
        return 0
    if i - j >= k:
        return 2 * k - 1
    return i - j + k


def by_loops(q: Array, k: Array, as_keys: Array | None, as_queries: Array | None) -> Array:
    """Equation (4), pair by pair."""
    terms = 1 + (as_keys is not None) + (as_queries is not None)
    found = np.zeros((len(q), len(k)))
    for i, row in enumerate(q):
        for j, key in enumerate(k):
            total = row @ key
            if as_keys is not None:
                total += row @ as_keys[delta(i, j, len(as_keys) // 2)]
            if as_queries is not None:
                total += key @ as_queries[delta(j, i, len(as_queries) // 2)]
            found[i, j] = total / math.sqrt(terms * len(row))
    return found


def as_the_code_gathers(q: Array, k: Array, as_keys: Array, as_queries: Array) -> Array:
    """The steps of the published code: an index by query minus key, its negative gathered by keys."""
    n, span = len(q), len(as_keys) // 2
    relative = np.arange(n)[:, None] - np.arange(n)
    from_content = np.take_along_axis(q @ as_keys.T, np.clip(relative + span, 0, 2 * span - 1), axis=-1)
    from_offset = np.take_along_axis(k @ as_queries.T, np.clip(-relative + span, 0, 2 * span - 1), axis=-1).T
    return (q @ k.T + from_content + from_offset) / np.sqrt(3 * q.shape[-1])


# Exact small tables ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_buckets", "max_position", "wanted"),
    [
        (4, 10, [0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 4, 4]),  # up to 2 exact, then one bucket up to 9
        (6, 13, [0, 1, 2, 3, 4, 4, 4, 5, 5, 5, 5, 5, 5, 6]),  # 3, then to 6 = 3·√4, then to 12
        (8, 33, [*range(5), *[5] * 4, *[6] * 8, *[7] * 16, 8]),  # 4, 8, 16, 32; 4·8^(2/3) rounds to below 16
    ],
)
def test_small_buckets_by_hand(n_buckets: int, max_position: int, wanted: list[int]) -> None:
    found = deberta_log_bucket(range(len(wanted)), n_buckets=n_buckets, max_position=max_position)
    assert found.tolist() == wanted
    back = deberta_log_bucket(-np.arange(len(wanted)), n_buckets=n_buckets, max_position=max_position)
    assert back.tolist() == [-one for one in wanted]


# Properties -----------------------------------------------------------------------------------------------


@few
@given(
    n=st.integers(1, 6),
    k=st.integers(1, 7),
    seed=st.integers(0, 99),
    left=st.sampled_from(["both", "keys", "queries", "none"]),
)
def test_scores_are_those_of_the_equation(n: int, k: int, seed: int, left: str) -> None:
    q, keys = drawn(seed, 2, n, 3)
    as_keys, as_queries = drawn(seed + 1, 2, 2 * k, 3)
    tables = {"both": (as_keys, as_queries), "keys": (as_keys, None), "queries": (None, as_queries),
              "none": (None, None)}[left]  # fmt: skip
    found, bias = (
        function(q, keys, *tables, range(n), range(n), convention="paper")
        for function in (deberta_scores, deberta_bias)
    )
    np.testing.assert_allclose(found, by_loops(q, keys, *tables), rtol=0, atol=1e-12)
    terms = 3 - sum(table is None for table in tables)
    np.testing.assert_allclose(found - q @ keys.T / np.sqrt(3 * terms), bias, rtol=0, atol=1e-13)


@few
@given(n=st.integers(1, 7), k=st.integers(1, 7), seed=st.integers(0, 99))
def test_the_published_code_takes_the_row_of_query_minus_key_twice(n: int, k: int, seed: int) -> None:
    q, keys = drawn(seed, 2, n, 3)
    tables = drawn(seed + 1, 2, 2 * k, 3)
    found = deberta_scores(q, keys, *tables, range(n), range(n), convention="library")
    np.testing.assert_allclose(found, as_the_code_gathers(q, keys, *tables), rtol=0, atol=1e-12)


@few
@given(n=st.integers(2, 6), seed=st.integers(0, 99), convention=st.sampled_from(["paper", "library"]))
def test_steps_heads_and_batches(n: int, seed: int, convention: Any) -> None:
    q, keys = drawn(seed, 2, 2, 3, n, 4)
    tables = drawn(seed + 1, 2, 3, 6, 4)
    whole = deberta_scores(q, keys, *tables, range(n), range(n), convention=convention)
    step = deberta_scores(q[..., -1:, :], keys, *tables, [n - 1], range(n), convention=convention)
    np.testing.assert_allclose(step, whole[..., -1:, :], rtol=0, atol=1e-13)
    places = range(9, n + 9)
    alone = deberta_scores(q[1, 2], keys[1, 2], *tables[:, 2], places, places, convention=convention)
    np.testing.assert_allclose(alone, whole[1, 2], rtol=0, atol=1e-13)


@examples_drawn(60)
@given(half=st.integers(2, 40), more=st.integers(2, 600), data=st.data())
def test_a_bucket_is_the_least_whose_power_reaches_the_offset(half: int, more: int, data: Any) -> None:
    """The smallest t with ((M-1)/m)^t >= (r/m)^(m-1), in exact fractions."""
    last = half + more - 1
    r = data.draw(st.integers(half + 1, last))
    found = int(deberta_log_bucket(r, n_buckets=2 * half, max_position=last + 1)) - half
    share = Fraction(r, half) ** (half - 1)
    assert Fraction(last, half) ** found >= share
    assert Fraction(last, half) ** (found - 1) < share
    assert int(deberta_log_bucket(last, n_buckets=2 * half, max_position=last + 1)) == 2 * half - 1


def test_buckets_reach_the_table_as_the_code_clamps_them() -> None:
    rows = deberta_offsets([600], [600 - r for r in (0, 128, 511, 512, 600, -511, -512, -600)], span=256,
                           max_position=512)  # fmt: skip
    assert rows.tolist() == [[256, 384, 511, 511, 511, 1, 0, 0]]


# What is refused ------------------------------------------------------------------------------------------

ROWS, TABLE = np.ones((3, 2)), np.ones((4, 2))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"k": np.ones((2, 3, 2))}, "q and k must have the same leading axes"),
        ({"position_keys": np.ones((5, 2))}, r"the same even number of rows, 2k, got \[5, 4\]"),
        ({"position_keys": np.ones((4, 3))}, "position_keys must have the width of the rows, 2"),
        ({"queries": range(2)}, "queries and keys must hold 3 and 3 positions"),
        ({"convention": "code"}, "convention must be 'paper' or 'library', got 'code'"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, Any], says: str) -> None:
    whole: dict[str, Any] = {"q": ROWS, "k": ROWS, "position_keys": TABLE, "position_queries": TABLE,
                             "queries": range(3), "keys": range(3), "convention": "paper"}  # fmt: skip
    for function in (deberta_bias, deberta_scores):
        with pytest.raises((ValueError, TypeError), match=says):
            function(**whole | given)


def test_buckets_that_do_not_fit_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="max_position must be a whole number from 6"):
        deberta_log_bucket([1], n_buckets=8, max_position=5)
    with pytest.raises(ValueError, match=r"query_minus_key must hold whole offsets, got 0\.5"):
        deberta_log_bucket([1, 0.5], n_buckets=8, max_position=16)
