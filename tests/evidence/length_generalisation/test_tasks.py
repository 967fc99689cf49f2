"""Holds the tasks to their rule, place by place, at any length."""

from __future__ import annotations

import numpy as np
import pytest

from pe_book.evidence.length_generalisation import tasks
from pe_book.nn.trial.training import UNASKED


@pytest.mark.parametrize("length", [6, 7, 64])
def test_what_is_asked_is_what_stands_there(length):
    rng = np.random.default_rng(length)
    for name, source in {"back": lambda p: p - tasks.BACK, "first": lambda p: 0 if p else -1}.items():
        words, asked = tasks.TASKS[name].draw(rng, 3, length)
        for text, wanted in zip(words, asked, strict=True):
            assert [text[source(p)] if source(p) >= 0 else UNASKED for p in range(length)] == wanted.tolist()


@pytest.mark.parametrize("length", [6, 7, 64])
def test_the_copy_is_what_was_said(length):
    words, asked = tasks.copy(np.random.default_rng(length), 3, length)
    half = length // 2
    assert words.shape == asked.shape == (3, length)
    assert (words[:, half] == tasks.SYMBOLS).all()
    assert (asked[:, :half] == UNASKED).all()
    assert (asked[:, half : 2 * half] == words[:, :half]).all()
    assert (words[:, half + 1 :] == asked[:, half : length - 1]).all()


def test_half_of_the_words_follow_from_the_one_two_places_back():
    words, asked = tasks.grammar(np.random.default_rng(0), 400, 400)
    follows = (tasks.FOLLOWING[words[:, :-1]] == asked[:, 1:, None]).any(-1).mean()
    by_chance = tasks.FOLLOWERS / tasks.WORDS
    assert follows == pytest.approx(tasks.FOLLOWS + (1 - tasks.FOLLOWS) * by_chance, abs=0.01)
    beside = (tasks.FOLLOWING[words] == asked[..., None]).any(-1).mean()
    assert beside < follows / 3  # the word before says little: a decoder has to look two back


def test_a_reference_is_the_loss_of_the_rule_itself():
    """Counts of many texts know what stands two places back, and come to the same loss."""
    words, asked = tasks.grammar(np.random.default_rng(5), 400, 300)
    counts = np.ones((tasks.WORDS, tasks.WORDS))
    np.add.at(counts, (words[:200, :-1].ravel(), asked[:200, 1:].ravel()), 1)
    share = counts / counts.sum(1, keepdims=True)
    loss = -np.log(share[words[200:, :-1], asked[200:, 1:]]).mean()
    assert loss == pytest.approx(tasks.reference_losses()["two back"], abs=0.02)
