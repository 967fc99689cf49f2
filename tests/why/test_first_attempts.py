"""Numbering the words: small tables by hand, and what has no answer."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_book.evidence.why.first_attempts import DEMANDS
from pe_book.why.first_attempts import add, count, over_last, over_length, over_length_from_one, over_maximum
from pe_book.why.norms import rms_norm, share_of_squares
from pe_book.why.sines import harmonic_pairs, harmonic_period
from tests.seeds import examples_drawn

# planted in the package: file, what stands there, what is planted; the numbers of the page have to move
PLANTED = {
    "length": [("pe_book/why/first_attempts.py", "return np.arange(n) / n", "return np.arange(n) / (n + 1)")],
}

few = examples_drawn(50)


def table(n, pairs):
    return harmonic_pairs(np.arange(n), pairs)


@few
@given(st.integers(2, 2000))
def test_where_each_normalisation_begins_and_ends(n):
    assert (over_length(n)[0], over_length(n)[-1]) == (0, (n - 1) / n)
    assert (over_length_from_one(n)[0], over_length_from_one(n)[-1]) == (1 / n, 1)
    assert (over_last(n)[0], over_last(n)[-1]) == (0, 1)
    assert (over_maximum(n, maximum=512)[0], over_maximum(n, maximum=512)[-1]) == (0, (n - 1) / 512)
    for code in (over_length, over_length_from_one, over_last):
        steps = np.diff(code(n))
        np.testing.assert_allclose(steps, steps[0], rtol=1e-9)


@few
@given(st.integers(1, 9), st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=5))
def test_harmonic_pairs_one_at_a_time(pairs, positions):
    found = harmonic_pairs(positions, pairs)
    assert found.shape == (len(positions), 2 * pairs)
    for row, p in zip(found, positions, strict=True):
        expected = [wave(p / (i + 1)) for i in range(pairs) for wave in (math.sin, math.cos)]
        np.testing.assert_allclose(row, expected, rtol=0, atol=1e-15)


def test_a_count_on_every_coordinate():
    x = np.random.default_rng(0).standard_normal((4, 5))
    np.testing.assert_array_equal(add(x, count(4)), x + np.array([[1], [2], [3], [4]]))
    assert share_of_squares(4, 512) == pytest.approx(16 / (16 + 512))  # of an appended 4 beside unit words


def test_a_period_too_long_for_float64_says_how_many_pairs_have_one():
    with pytest.raises(ValueError, match=r"pairs must be at most (\d+), .* got about 1\.00e\+400") as refused:
        harmonic_period(10**400)
    most = int(str(refused.value).split("at most ")[1].split(",")[0])
    assert np.isfinite(harmonic_period(most))
    with pytest.raises(ValueError, match=f"at most {most}"):
        harmonic_period(most + 1)


@pytest.mark.parametrize(("pairs", "turns"), [(3, 6), (4, 12), (5, 60), (6, 60), (8, 840)])
def test_harmonics_share_one_exact_period(pairs, turns):
    period = 2 * math.pi * turns
    assert harmonic_period(pairs) == period
    np.testing.assert_allclose(harmonic_pairs(period, pairs), harmonic_pairs(0, pairs), atol=1e-11)


# what the chapter shows


def test_the_table_measures_the_demands_that_the_chapter_makes():
    """Six demands at the beginning; eight rows at the end, each under the name of a demand."""
    page = Path(__file__).resolve().parents[2] / "docs" / "why" / "first-attempts.md"
    text = page.read_text(encoding="utf-8")
    demanded = text.split("(sec:attempts:wishes)=")[1].split("(sec:attempts:counting)=")[0]
    names = {name.lower() for name in re.findall(r"\*\*([\w ]+)\*\*:", demanded)}
    rows = list(DEMANDS.values())
    assert names == {row.split(",")[0] for row in rows}
    assert len(names) == 6
    explained = re.findall(r"^\| ([\w ,]+) \|.*`(\w+)` \|$", text, re.MULTILINE)
    assert [(field, row) for row, field in explained] == list(DEMANDS.items())


def test_a_norm_without_the_mean_keeps_it():
    torch = pytest.importorskip("torch")
    x = np.random.default_rng(1).normal(3, 7, size=(2, 5, 16))
    expected = torch.nn.functional.rms_norm(torch.tensor(x), (16,), eps=0.0).numpy()
    np.testing.assert_allclose(rms_norm(x), expected, rtol=0, atol=1e-13)
    with pytest.raises(ValueError, match="row of zeros"):
        rms_norm([[0.0, 0.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match="single number"):
        rms_norm(1.0)
