"""Holds pe_book.family.doors.comparison to its word: every column of the comparison is counted or tried."""

import numpy as np
import pytest

from pe_book.family.doors.comparison import (
    CLIP,
    HEAD_DIM,
    HEADS,
    LENGTH,
    WIDTH,
    Approach,
    approaches,
    measure,
)
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.why.first_attempts import over_maximum

ALL = approaches()
FOUND = {name: measure(approach) for name, approach in ALL.items()}
ADDED, RELATIVE = list(ALL)[:4], list(ALL)[4:]


def test_learned_numbers_are_the_sizes_of_what_training_sets() -> None:
    expected = dict.fromkeys(ALL, 0) | {
        "learned table": LENGTH * WIDTH,
        "clipped vectors": 2 * (2 * CLIP + 1) * HEAD_DIM,
    }
    assert {name: found.parameters for name, found in FOUND.items()} == expected
    assert FOUND["clipped vectors"].parameters == 4224


def test_one_token_past_the_end() -> None:
    verdicts = {name: found.beyond for name, found in FOUND.items()}
    assert verdicts == dict.fromkeys(ALL, "goes on") | {
        "learned table": "refuses",
        "count over length": "moves",
    }


def test_the_table_refuses_only_past_its_end() -> None:
    assert ALL["learned table"].code(LENGTH).shape == (LENGTH, WIDTH)
    with pytest.raises(ValueError, match="512"):
        ALL["learned table"].code(LENGTH + 1)
    assert measure(ALL["learned table"], seq_len=100).beyond == "goes on"


def test_what_is_told_apart() -> None:
    for name in ADDED:
        assert (FOUND[name].distinct, FOUND[name].total) == (LENGTH, LENGTH)
    offsets = 2 * LENGTH - 1
    assert [(FOUND[name].distinct, FOUND[name].total) for name in RELATIVE] == [
        (2 * CLIP + 1, offsets),
        (LENGTH, offsets),  # k and -k alike
        (offsets, offsets),
    ]


def test_only_clipped_vectors_tell_ahead_from_behind() -> None:
    assert [name for name, found in FOUND.items() if found.direction] == ["clipped vectors"]


def test_any_code_whatever_has_a_symmetric_raw_product() -> None:
    rows = np.random.default_rng(3).normal(size=(40, 7))
    odd = Approach("noise", "", False, (), lambda n: rows[:n], lambda x: x @ x.T, lambda n: np.ones((n, 1)))
    assert not measure(odd, seq_len=39).direction
    lopsided = odd._replace(scores=lambda x: x @ np.triu(np.ones((7, 7))) @ x.T)
    assert measure(lopsided, seq_len=39).direction  # with W_Q and W_K that differ


def test_a_code_that_repeats_is_seen_to_repeat() -> None:
    odd = ALL["count"]._replace(code=lambda n: np.mod(np.arange(float(n)), 10)[:, None])
    assert measure(odd, seq_len=50).distinct == 10
    fixed = ALL["count"]._replace(code=lambda n: over_maximum(n, maximum=512)[:, None])
    assert measure(fixed).beyond == "goes on"


def test_numbers_in_hand_and_their_growth() -> None:
    for name, approach in ALL.items():
        assert FOUND[name].numbers == approach.built(64).shape
    growth = {name: found.growth for name, found in FOUND.items()}
    assert growth == {
        "count": 2,
        "count over length": 2,
        "learned table": 2,
        "sinusoid": 2,
        "clipped vectors": 4,
        "slope": 4,
        "rotation": 2,
    }
    # one rule: what is taken in for 64 tokens, not what is stored beyond them; keys and values both
    assert {name: found.numbers for name, found in FOUND.items()} == {
        "count": (64, 1),
        "count over length": (64, 1),
        "learned table": (64, WIDTH),
        "sinusoid": (64, WIDTH),
        "clipped vectors": (2, 64, 64, HEAD_DIM),
        "slope": (64, 64, HEADS),
        "rotation": (64, HEAD_DIM),
    }


def test_offsets_are_key_minus_query_and_clipped_on_both_sides() -> None:
    approach = ALL["clipped vectors"]
    for_keys = approach.learned[0][0]
    rows = approach.code(20)
    assert np.array_equal(rows[3:36], for_keys)  # offsets -16 to 16 of -19 to 19
    assert (rows[:3] == for_keys[0]).all()
    assert (rows[36:] == for_keys[-1]).all()
    square = approach.built(20)[0]
    assert np.array_equal(approach.built(20)[1, 2, 7], approach.learned[0][1][CLIP + 5])  # and for values
    assert np.array_equal(square[2, 7], for_keys[CLIP + 5])
    only_ahead = np.zeros_like(approach.code(4))
    only_ahead[4] = 1  # of offsets -3 to 3, the key one place after the query
    assert np.argwhere(approach.scores(only_ahead)).tolist() == [[0, 1], [1, 2], [2, 3]]


def test_c103_quadratic_memory_is_the_gathering_not_the_method() -> None:
    rng = np.random.default_rng(1)
    for n in (5, 40):
        q, vectors = rng.normal(size=(HEADS, n, HEAD_DIM)), rng.normal(size=(2 * CLIP + 1, HEAD_DIM))
        index = np.clip(np.subtract.outer(-np.arange(n), -np.arange(n)), -CLIP, CLIP) + CLIP
        assert index[0, n - 1] == min(n - 1, CLIP) + CLIP  # key minus query
        gathered = vectors[index]
        small = q @ vectors.T
        np.testing.assert_allclose(
            np.einsum("hid,ijd->hij", q, gathered), np.take_along_axis(small, index[None], axis=2), atol=1e-12
        )
        assert gathered.size == n * n * HEAD_DIM
        assert small.size == HEADS * n * (2 * CLIP + 1)  # each head has queries of its own
    assert FOUND["rotation"].growth == 2


def test_c101_what_speaks_against_the_sinusoid_shows_in_the_same_columns() -> None:
    sinusoid = FOUND["sinusoid"]
    assert not sinusoid.direction
    assert sinusoid.beyond == "goes on"  # a row exists; the column says nothing about a model that reads it
    similarity = encode(np.arange(200), 128) @ encode(0, 128)
    assert (np.diff(similarity) > 0).any()  # does not fall steadily
    spectrum = np.linalg.svd(encode(np.arange(50), 128), compute_uv=False) ** 2
    assert np.cumsum(spectrum / spectrum.sum())[15] > 0.99  # most columns of a short text hardly vary


def test_scores_of_the_relative_ones_depend_on_the_offset_alone() -> None:
    for name in RELATIVE:
        table = ALL[name].scores(ALL[name].code(30))
        assert table.shape == (30, 30)
        for k in (-29, -3, 0, 7, 29):
            assert np.ptp(np.diagonal(table, k)) < 1e-12
    slope = ALL["slope"].scores(ALL["slope"].code(4))
    assert slope[0].tolist() == [0, -0.5, -1, -1.5]


def test_the_rotation_scores_what_turned_vectors_score() -> None:
    query = np.random.default_rng(2017)
    query.normal(0, 0.02, (LENGTH, WIDTH))
    query.normal(0, 0.02, (2, 2 * CLIP + 1, HEAD_DIM))
    pairs = query.normal(size=HEAD_DIM).reshape(-1, 2)
    z = pairs[:, 0] + 1j * pairs[:, 1]
    turned = z * np.exp(1j * np.outer(np.arange(20), frequencies(HEAD_DIM)))
    expected = (turned @ turned.conj().T).real
    np.testing.assert_allclose(ALL["rotation"].scores(ALL["rotation"].code(20)), expected, atol=1e-10)


def test_a_slope_with_a_sign_tells_every_offset_and_the_symmetric_one_does_not() -> None:
    offsets = np.arange(-LENGTH + 1, LENGTH)
    assert FOUND["slope"].distinct == LENGTH
    found = measure(ALL["slope"]._replace(code=lambda n: np.arange(-n + 1.0, n)[:, None]))
    assert (found.distinct, found.direction) == (len(offsets), True)


def test_lengths_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="seq_len"):
        measure(ALL["count"], seq_len=1)
    with pytest.raises(TypeError, match="seq_len"):
        measure(ALL["count"], seq_len=8.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="rows of the table"):
        measure(ALL["learned table"], seq_len=513)
    with pytest.raises(ValueError, match="seed"):
        approaches(-1)
