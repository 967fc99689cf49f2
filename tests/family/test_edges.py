"""At the edge of what the definitions of the family take: the last value taken, the first one refused."""

import math

import numpy as np
import pytest

from pe_book.family.context_extension.divisors import longrope, longrope_temperature
from pe_book.family.context_extension.interpolation import checked_frequencies, checked_length, turns
from pe_book.family.context_extension.ramps import checked_turns, index_of, llama3, temperature, yarn
from pe_book.family.learned import lookup
from pe_book.family.learned.initialisation import initial, narrowed_std
from pe_book.family.learned.measures import mean_cosine, neighbour_distance
from pe_book.family.rotary import head_width
from pe_book.family.rotary.axes import _MOST, _listed
from pe_book.family.score_bias import alibi_slopes
from pe_book.numerics.chunks import WIDEST

FOUR, TALL = np.eye(4), np.arange(512.0)[:, np.newaxis]
EVEN = WIDEST - WIDEST % 2


@pytest.mark.parametrize(
    "refused",
    [
        lambda: narrowed_std(0.0, 1.0),
        lambda: narrowed_std(1.0, 0.0),
        lambda: mean_cosine(FOUR, 4),
        lambda: initial(4, 4, std=0, seed=0),
        lambda: longrope([1.0, 0.5], [1.0, 0.0]),
        lambda: lookup(TALL, [2**53], beyond="interpolate"),
        lambda: index_of([0.5, 0.5], 1, 100),
        lambda: checked_turns(np.nextafter(2.0**-53, 0), "count"),
        lambda: head_width(EVEN + 2, "head_dim"),
        lambda: _listed(range(_MOST + 1), "parts"),
    ],
)
def test_the_first_that_is_refused(refused):
    with pytest.raises(ValueError, match="must"):
        refused()


def test_the_last_that_is_taken():
    assert checked_length(1, "original_len") == 1
    assert alibi_slopes(1, bias_max=1000).tolist() == [2.0**-1000]
    assert checked_frequencies([1.0, 0.0]).tolist() == [1.0, 0.0]
    assert lookup(TALL, [2**53 - 1], beyond="interpolate").tolist() == [[511]]
    assert mean_cosine(FOUR, 3) == 0
    assert neighbour_distance(np.eye(2)) == pytest.approx(math.sqrt(2))
    assert checked_turns(2.0**-53, "count") == 2.0**-53
    assert longrope_temperature(2, 2) == pytest.approx(math.sqrt(2))
    assert (temperature(math.e, mscale=0), temperature(math.e, mscale=1000)) == (1, 101)
    step = yarn([1.0, 0.1, 0.01], 4, 100, beta_fast=1, beta_slow=1, ramp="library")
    assert step.tolist() == [1.0, 0.1, 0.0025]
    assert head_width(EVEN, "head_dim") == EVEN
    assert len(_listed(range(_MOST), "parts")) == _MOST


def test_a_pair_that_turns_exactly_as_often_as_the_limit_is_divided():
    omega, length = turns([1.0, 0.5], 1), 4 * np.pi**2  # made so that the first turns once
    assert turns(omega, length)[0] == 1
    np.testing.assert_array_equal(llama3(omega, 8, length, high_freq_factor=1), omega / 8)
