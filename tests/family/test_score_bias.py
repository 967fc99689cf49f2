"""Biases on scores: slopes, ALiBi as a table and by keys, KERPLE, T5's buckets, windows, and the scale."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pe_book as pe
from pe_book.family.offsets import offsets, whole_offsets
from pe_book.family.score_bias.t5 import t5_boundaries, t5_bucket, t5_last_bucket
from pe_book.why.order_blindness import attention_weights

PLANTED = {
    "slopes": [("pe_book/family/score_bias/__init__.py", "np.exp2(-most * np", "np.exp2(-most / 2 * np")],
    "order of slopes": [
        ("pe_book/family/score_bias/__init__.py", "np.concatenate([shares, between])",
         "np.sort(np.concatenate([shares, between]))"),
    ],
    "bucket": [("pe_book/family/score_bias/t5.py", "number**wide >= farthest", "number**wide > farthest")],
    "sign": [
        ("pe_book/family/score_bias/__init__.py", "bias = -steep[:, None, None] * distance",
         "bias = steep[:, None, None] * distance"),
    ],
    "scale": [
        ("pe_book/why/order_blindness.py", "if of_the_sum else added)", "if not of_the_sum else added)"),
    ],
    "window": [
        ("pe_book/family/score_bias/windows.py", "near = np.abs(difference) < size",
         "near = np.abs(difference) <= size"),
    ],
}  # fmt: skip


def authors_slopes(heads: int) -> list[float]:
    """The authors' recipe: other numbers take the power of two below, and every other slope of the next."""
    if heads & (heads - 1) == 0:
        start = 2 ** (-(2 ** -(math.log2(heads) - 3)))
        return [start * start**i for i in range(heads)]
    below = 2 ** math.floor(math.log2(heads))
    return authors_slopes(below) + authors_slopes(2 * below)[0::2][: heads - below]


def test_slopes_are_those_of_the_authors_recipe():
    for heads in range(1, 130):
        np.testing.assert_allclose(pe.alibi_slopes(heads), authors_slopes(heads), rtol=1e-13)
        np.testing.assert_allclose(pe.alibi_slopes(heads, bias_max=4) ** 2, authors_slopes(heads), rtol=1e-13)


def test_alibi_by_hand():
    found = pe.alibi_bias([0.5, 0.25], range(3), range(3))
    assert found.tolist() == [
        [[0, -0.5, -1], [-0.5, 0, -0.5], [-1, -0.5, 0]],
        [[0, -0.25, -0.5], [-0.25, 0, -0.25], [-0.5, -0.25, 0]],
    ]


def test_a_batch_with_other_positions_in_each_text():
    """Two texts of three tokens, the first padded by one on its left, and two packed into one row."""
    left = [[0, 0, 1], [0, 1, 2]]
    found = pe.alibi_bias([1.0], left, left)
    assert found.shape == (2, 1, 3, 3)
    assert found[0, 0].tolist() == [[0, 0, -1], [0, 0, -1], [-1, -1, 0]]
    assert np.array_equal(found[1], pe.alibi_bias([1.0], range(3), range(3)))
    packed = [0, 1, 0, 1]
    assert pe.t5_bias(np.arange(32.0)[:, None], packed, packed)[0, 3].tolist() == [1, 0, 1, 0]
    assert pe.window_mask(left, left, window=1, sinks=1).shape == (2, 3, 3)


@given(n=st.integers(1, 12), heads=st.integers(1, 5), seed=st.integers(0, 2**32 - 1))
def test_by_keys_alone_the_weights_are_the_same(n, heads, seed):
    generator = np.random.default_rng(seed)
    q, k = generator.normal(size=(2, heads, n, 4))
    slopes = pe.alibi_slopes(heads)
    whole = attention_weights(q, k, bias=pe.alibi_bias(slopes, range(n), range(n)), causal=True)
    by_key = pe.alibi_key_bias(slopes, range(n))
    assert by_key.shape == (heads, 1, n)
    np.testing.assert_allclose(attention_weights(q, k, bias=by_key, causal=True), whole, rtol=0, atol=1e-14)


def test_by_keys_the_last_key_of_each_text_has_nothing():
    found = pe.alibi_key_bias([0.5, 2.0], [[4, 5, 6], [0, 0, 1]])
    assert found.shape == (2, 2, 1, 3)
    assert found[:, 1, 0].tolist() == [[-4, -2, 0], [-2, -2, 0]]


def test_kerple_falls_as_a_power_of_the_distance():
    """exp(-r1 log(1 + r2 n)) = (1 + r2 n)^-r1."""
    found = np.exp(pe.kerple_bias([1.5], [0.3], [50], range(70)))[0, 0]
    np.testing.assert_allclose(found, (1 + 0.3 * np.abs(np.arange(70) - 50)) ** -1.5, rtol=1e-14)


def test_a_window_by_hand():
    assert pe.window_mask(range(4), range(4), window=2).astype(int).tolist() == [
        [1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1],
    ]  # fmt: skip
    assert pe.window_mask(range(4), range(4), window=2, causal=False).astype(int).tolist() == [
        [1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1],
    ]  # fmt: skip
    assert pe.window_mask([9], range(10), window=3, sinks=2)[0].nonzero()[0].tolist() == [0, 1, 7, 8, 9]


@given(n=st.integers(1, 30), window=st.integers(1, 40), sinks=st.integers(0, 5))
def test_how_many_keys_a_query_sees(n, window, sinks):
    seen = pe.window_mask(range(n), range(n), window=window, sinks=sinks).sum(axis=-1)
    wanted = [len({*range(max(0, p - window + 1), p + 1), *range(min(sinks, p + 1))}) for p in range(n)]
    assert seen.tolist() == wanted


def test_first_tokens_are_told_by_their_position_and_not_by_their_place_in_the_call():
    cached = [0, 6, 7, 8]
    assert pe.window_mask([8], cached, window=2, sinks=1)[0].tolist() == [True, False, True, True]
    assert pe.window_mask([8], cached[1:], window=2, sinks=1)[0].tolist() == [False, True, True]
    # what stands before the text is no first token
    assert not pe.window_mask([3], [-1], window=2, sinks=1).any()


def test_a_scale_in_place_of_the_root_of_head_dim():
    rng = np.random.default_rng(3)
    q, k, v = rng.normal(size=(3, 5, 4))
    bias = rng.normal(size=(5, 5))

    def by_hand(scores):
        powers = np.exp(scores)
        return powers / powers.sum(axis=-1, keepdims=True) @ v

    np.testing.assert_allclose(pe.attention(q, k, v, bias=bias, scale=1), by_hand(q @ k.T + bias))
    np.testing.assert_allclose(pe.attention(q, k, v, bias=bias), by_hand(q @ k.T / 2 + bias))
    np.testing.assert_allclose(
        pe.attention(q, k, v, bias=bias, scale_bias=True), by_hand((q @ k.T + bias) / 2)
    )
    np.testing.assert_allclose(
        pe.attention(q, k, v, bias=bias, scale=0.3, scale_bias=True), by_hand((q @ k.T + bias) * 0.3)
    )


def test_a_forbidden_key_stays_forbidden_whatever_the_scale():
    bias = np.where(np.tri(3, dtype=bool), 0, -np.inf)
    found = attention_weights(np.ones((3, 2)), np.ones((3, 2)), bias=bias, scale=0.1, scale_bias=True)
    assert found[0].tolist() == [1, 0, 0]


REFUSED = {
    "n_heads must be smaller: 10": lambda: pe.alibi_slopes(10**12),
    "the same leading axes, or one of them none": lambda: pe.alibi_bias(
        [1], np.zeros((2, 1, 3)), np.zeros((2, 3))
    ),
    "queries and keys must be smaller": lambda: pe.alibi_bias([0.5], range(10**5), range(10**5)),
    "n_buckets must .*is it transposed": lambda: pe.t5_bias(np.zeros((3, 32)), [0], [0]),
    "queries must hold whole positions, got 0.5": lambda: pe.t5_bias(np.zeros((32, 3)), [0.5], [0]),
    "n_buckets must be even, half for keys ahead, got 33": lambda: pe.t5_bucket(1, n_buckets=33),
}


@pytest.mark.parametrize("message", REFUSED)
def test_bad_input_is_refused_by_name(message):
    with pytest.raises(ValueError, match=message):
        REFUSED[message]()


def test_offsets_are_key_minus_query():
    assert offsets([1, 5], [0, 2, 9]).tolist() == [[-1, 1, 8], [-5, -3, 4]]
    assert whole_offsets([[1], [5]], [2, 9]).tolist() == [[[1, 8]], [[-3, 4]]]
    assert whole_offsets([1], [2]).dtype == np.int64
    assert whole_offsets([-(2**53)], [2**53 - 1, 2**53]).tolist() == [[2**54 - 1, 2**54]]  # float64 has one
    assert offsets(np.zeros((2, 1, 3)), np.zeros((1, 4, 5))).shape == (2, 4, 3, 5)


# T5's buckets over their whole range, against the rule in exact arithmetic ---------------------------------


def by_the_rule(offset: int, n_buckets: int, max_distance: int, bidirectional: bool) -> int:
    """Bucket after bucket: number m begins at exact * (max_distance / exact)^((m - exact) / wide)."""
    side = n_buckets // 2 if bidirectional else n_buckets
    exact = side // 2
    wide = side - exact
    begin = side if bidirectional and offset > 0 else 0
    distance = abs(offset) if bidirectional else max(-offset, 0)
    if distance < exact:
        return begin + distance
    found = exact
    # distance >= exact * (max / exact)^(step / wide), raised to the power of `wide`: whole numbers alone
    while found < side - 1 and distance**wide >= max_distance ** (found + 1 - exact) * exact ** (
        wide - found - 1 + exact
    ):
        found += 1
    return begin + found


@pytest.mark.parametrize(("bidirectional", "exact"), [(True, 8), (False, 16)])
def test_the_farthest_lies_beyond_the_exact_ones(bidirectional, exact):
    t5_bucket(-1, max_distance=exact + 1, bidirectional=bidirectional)
    with pytest.raises(
        ValueError, match=f"max_distance must be more than the {exact} exact offsets, got {exact}"
    ):
        t5_bucket(-1, max_distance=exact, bidirectional=bidirectional)


@given(side=st.integers(2, 40), data=st.data(), bidirectional=st.booleans())
def test_every_size_follows_the_rule_in_whole_numbers(side, data, bidirectional):
    farthest = data.draw(st.integers(side // 2 + 1, 3000))
    offset = data.draw(st.integers(-2 * farthest, 2 * farthest))
    size = (2 * side if bidirectional else side, farthest, bidirectional)
    given = dict(zip(("n_buckets", "max_distance", "bidirectional"), size, strict=True))
    assert t5_bucket(offset, **given) == by_the_rule(offset, *size)
    last = t5_last_bucket(**given)
    assert by_the_rule(-last, *size) == side - 1 > by_the_rule(1 - last, *size)


def test_a_distance_on_a_boundary_belongs_to_the_bucket_that_begins_there():
    """27/8 is the cube of 3/2, and 343 that of 7: whole numbers alone decide."""
    assert t5_boundaries(n_buckets=34, max_distance=27)[[8, 11, 14]].tolist() == [8, 12, 18]
    assert t5_boundaries(n_buckets=5, max_distance=686, bidirectional=False).tolist() == [0, 1, 2, 14, 98]


@pytest.mark.parametrize(
    ("side", "max_distance", "wanted"),
    [(5, 686, [14, 98]), (11, 1715, [35, 245]), (17, 27, [12, 18]), (32, 128, []), (32, 512, [])],
)
def test_where_a_rounded_logarithm_takes_another_bucket(side, max_distance, wanted):
    distances = np.arange(2 * max_distance)
    exact, rounded = (
        t5_bucket(-distances, n_buckets=side, max_distance=max_distance, bidirectional=False, rule=rule)
        for rule in ("exact", "float32")
    )
    assert distances[exact != rounded].tolist() == wanted
    assert np.array_equal(exact[wanted], rounded[wanted] + 1)


def test_the_bias_is_the_number_of_the_bucket_and_the_head():
    weight = np.random.default_rng(5).normal(size=(32, 3))
    for bidirectional in (True, False):
        found = pe.t5_bias(weight, [4, 90], [0, 5, 200], bidirectional=bidirectional)
        assert found.shape == (3, 2, 3)
        for head in range(3):
            for i, query in enumerate((4, 90)):
                for j, key in enumerate((0, 5, 200)):
                    bucket = by_the_rule(key - query, 32, 128, bidirectional)
                    assert found[head, i, j] == weight[bucket, head]


def test_the_bias_takes_as_many_buckets_as_its_weight_has_rows():
    weight = np.arange(8.0)[:, None]
    assert pe.t5_bias(weight, [0], [-19, -20, 3], max_distance=20)[0, 0].tolist() == [3, 3, 6]
    rows = pe.t5_bias(np.arange(5.0)[:, None], [98], [0], max_distance=686, bidirectional=False)
    rounded = pe.t5_bias(
        np.arange(5.0)[:, None], [98], [0], max_distance=686, bidirectional=False, rule="float32"
    )
    assert (rows.item(), rounded.item()) == (4, 3)
