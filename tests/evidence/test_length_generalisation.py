"""Holds the small trainings of a page, with another seed, to what the page says of them."""

from pe_book.evidence.length_generalisation import miniature


def test_the_miniature_repeats_the_headline_and_can_fail():
    assert miniature.headline(seeds=(1,))
    assert not miniature.headline(falls="T5", holds="sinusoidal")
    assert not miniature.headline(times=1)


def test_causes_are_seen_apart_with_another_seed():
    moved = miniature.right("sinusoidal", 1, "moved", seed=1)
    assert moved < 0.8 < 0.95 < miniature.right("sinusoidal", seed=1)
    assert miniature.right("rotary", 8, seed=1) < 0.8 < 0.99 < miniature.right("rotary", 8, "window", seed=1)
