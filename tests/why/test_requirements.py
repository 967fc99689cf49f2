"""The requirements, measured: each question is failed by a code made to fail it."""

import numpy as np
import pytest

from pe_book.sinusoidal.formula import encode
from pe_book.why.requirements import ATTEMPTS, Measured, failures, measure


def test_the_verdicts_of_the_chapter():
    expected = {
        "counting": {"distinct_bfloat16", "largest", "goes_on"},
        "pos / 512": {"distinct_bfloat16", "goes_on"},
        "pos / len": {"distinct_bfloat16", "second_word", "step_ratio", "shift_residual"},
        "(pos + 1) / len": {"distinct_bfloat16", "second_word", "step_ratio", "shift_residual"},
        "pos / (len − 1)": {"distinct_bfloat16", "second_word", "step_ratio", "shift_residual"},
        "one sine": {"distinct_bfloat16", "margin", "step_ratio", "shift_residual"},
        "three harmonic pairs": {"margin"},
    }
    assert {name: set(failures(measure(code))) for name, code in ATTEMPTS.items()} == expected
    assert failures(measure(lambda n: encode(range(n), 64))) == set()


def test_numbers_by_hand():
    quarter = measure(ATTEMPTS["pos / len"], seq_len=8)  # sentences of 2, 4 and 8 tokens
    assert quarter.second_word == 1 / 2 - 1 / 8
    assert quarter.step_ratio == (1 / 2) / (1 / 8)
    expected = Measured(8, 8, 1.0, 0.0, 8.0, 1.0, pytest.approx(0, abs=1e-12), False, 8)
    assert measure(ATTEMPTS["counting"], seq_len=8) == expected


def test_failures_are_judged_by_the_length_that_was_measured():
    assert failures(measure(ATTEMPTS["counting"], seq_len=64)) == {"largest", "goes_on"}
    assert "distinct_bfloat16" in failures(measure(ATTEMPTS["counting"], seq_len=512))


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ("distinct", lambda n: np.arange(n) % 300 / 300),
        ("distinct_bfloat16", lambda n: np.arange(n) / 1024),
        ("margin", lambda n: np.sin(np.arange(n))),
        ("second_word", lambda n: np.arange(n) / n),
        ("largest", lambda n: 1.001 * encode(range(n), 8)),
        ("step_ratio", lambda n: np.log1p(np.arange(n)) / 20),
        ("shift_residual", lambda n: np.sqrt(np.arange(n)) / 1000),
        ("goes_on", lambda n: encode(range(n), 8)[:600]),
        ("goes_on", lambda n: encode(np.arange(n) % 600, 8)),
        ("goes_on", lambda n: np.arange(n) / 512),
    ],
)
def test_each_question_can_be_failed(field, code):
    assert field in failures(measure(code))


def test_a_fit_that_must_succeed_is_refused():
    # 512 rows and 512 columns: any table passes, also random numbers
    noise = np.random.default_rng(0).normal(size=(6000, 512))
    with pytest.raises(ValueError, match="fits any 511 steps exactly"):
        measure(lambda n: noise[:n])
    narrow = measure(lambda n: noise[:n, :64])
    assert narrow.shift_residual > 0.5


def test_the_same_word_twice_is_counted_not_divided_by():
    found = measure(lambda n: np.minimum(np.arange(n), 300) / 300)
    assert found.step_ratio == np.inf
    assert found.distinct == 301


def test_wrong_shapes_are_refused():
    with pytest.raises(ValueError, match="code must return shape"):
        measure(lambda n: np.zeros(n + 1))
    with pytest.raises(ValueError, match="the same row"):
        measure(lambda n: np.ones(n))
    with pytest.raises(ValueError, match="seq_len must be a whole number of at least 4"):
        measure(ATTEMPTS["counting"], seq_len=3)
