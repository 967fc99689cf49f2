"""Holds pe_book.family.rotary.axes to its word: several coordinates, one angle for each pair."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import pe_book as pe
from pe_book.family.rotary import rotate
from pe_book.family.rotary.axes import (
    axial_frequencies,
    rotate_axes,
    sectioned_frequencies,
    text_and_image_places,
)
from tests.seeds import examples_drawn

Array = NDArray[np.float64]
few = examples_drawn(60)
PLACES = st.tuples(*[st.floats(-50, 50)] * 2).map(np.array)


def drawn(d: int, *shape: int) -> Array:
    return np.random.default_rng(d).normal(size=(*shape, d))


# Exact small tables ---------------------------------------------------------------------------------------


def test_sections_give_fast_rungs_to_the_first_axis_and_turns_give_every_axis_some() -> None:
    sectioned = sectioned_frequencies(12, [1, 2, 3])
    assert (sectioned.argmax(0) == [0, 1, 1, 2, 2, 2]).all()
    np.testing.assert_array_equal(sectioned.sum(0), pe.frequencies(12))
    uneven = sectioned_frequencies(12, [4, 1, 1], arrangement="interleaved")
    assert (uneven.argmax(0) == [0, 1, 2, 0, 0, 0]).all()  # what is left over goes to the first


def test_an_image_fills_more_slots_than_it_takes_places() -> None:
    places = text_and_image_places([3, (1, 4, 6), 2])
    assert len(places) == 3 + 24 + 2
    assert places[3].tolist() == [3, 3, 3]
    assert places[26].tolist() == [3, 6, 8]
    assert places[27].tolist() == [9, 9, 9]  # six further than the image began: the largest of 1, 4 and 6


def test_a_video_counts_frames_on_the_first_axis() -> None:
    places = text_and_image_places([(3, 1, 2)])
    assert places.tolist() == [[t, 0, column] for t in range(3) for column in range(2)]


# Properties -----------------------------------------------------------------------------------------------


@few
@given(
    d=st.sampled_from([4, 8, 64]),
    m=PLACES,
    n=PLACES,
    by=PLACES,
    layout=st.sampled_from(["interleaved", "halves"]),
)
def test_scores_know_the_difference_of_places(d: int, m: Array, n: Array, by: Array, layout: Any) -> None:
    omega = np.random.default_rng(d + 1).normal(size=(2, d // 2))  # mixed: both axes turn every pair
    q, k = drawn(d, 2)

    def score(m: Array, n: Array) -> float:
        turned = rotate_axes(q, m, omega, layout=layout), rotate_axes(k, n, omega, layout=layout)
        return float(turned[0] @ turned[1])

    assert abs(score(m, n) - score(m + by, n + by)) < 1e-11 * d


@few
@given(
    d=st.sampled_from([4, 8, 64]),
    m=st.integers(-50, 50),
    arrangement=st.sampled_from(["sectioned", "interleaved"]),
)
def test_text_is_turned_as_on_one_axis(d: int, m: int, arrangement: Any) -> None:
    pairs = d // 2
    sections = [pairs - 2 * (pairs // 3), pairs // 3, pairs // 3]
    omega = sectioned_frequencies(d, sections, arrangement=arrangement)
    np.testing.assert_allclose(
        rotate_axes(drawn(d), [m, m, m], omega), rotate(drawn(d), m), rtol=0, atol=1e-12
    )


@few
@given(d=st.sampled_from([4, 8, 64]), m=PLACES)
def test_axial_rotary_is_rotary_on_each_half(d: int, m: Array) -> None:
    x = drawn(d)
    found = rotate_axes(x, m, axial_frequencies(d, 2))
    halves = [rotate(part, place, base=100.0) for part, place in zip(np.split(x, 2), m, strict=True)]
    np.testing.assert_allclose(found, np.concatenate(halves), rtol=0, atol=1e-12)


@few
@given(parts=st.lists(st.integers(0, 5) | st.tuples(*[st.integers(1, 4)] * 3), max_size=5))
def test_no_two_tokens_share_a_place_and_each_part_starts_beyond_all_before_it(parts: Any) -> None:
    places = text_and_image_places(parts)
    assert len(np.unique(places, axis=0)) == len(places)
    at = 0
    for part in parts:
        size = int(np.prod(part))
        if size:
            wanted = places[:at].max() + 1 if at else 0
            np.testing.assert_array_equal(places[at], wanted)
        at += size
    assert at == len(places)


# What is refused ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rotate_axes([1, 2], [0, 1], [[1.0]]), "places must have a last axis of 1 coordinates"),
        (lambda: rotate_axes(np.ones((3, 2)), [[0], [1]], [[1.0]]), "places must broadcast"),
        (lambda: axial_frequencies(6, 2), "head_dim must be a multiple of 4"),
        (lambda: sectioned_frequencies(12, [2, 2]), "sections must add up to the 6 pairs"),
        (lambda: text_and_image_places([(2, 2)]), "parts must be"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
