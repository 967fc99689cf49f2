"""Holds the tasks to their rule at any length, and what is said of the record to runs that are made up."""

import numpy as np
import pytest

from pe_book.evidence.length_generalisation import findings, tasks
from pe_book.evidence.length_generalisation.members import PLAIN
from pe_book.evidence.length_generalisation.protocol import PAIRS
from pe_book.evidence.length_generalisation.training import TIMES, Run
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


# What is said of the record, held to runs whose numbers are known ------------------------------------------


def made(task, member, seed, at, **size):
    """A run that fails before the last quarter; there `at` the trained length, then a tenth less each."""
    rows = [[None, *[0.0] * 8, *[round(at - k / 10, 3)] * 3] for k in range(len(TIMES))]
    run = Run(task, member, seed, 1e-3, **size)
    return {"run": run.record(), "tested": {PLAIN: {"accuracy": rows, "loss": rows}}}


def test_scores_come_by_seed_and_length_and_of_one_size():
    runs = [
        made("back", "none", 1, 0.8),
        made("back", "none", 0, 1.0),
        made("back", "none", 2, 0.1, width=128),
    ]
    assert findings.scores(runs, "back", "none", times=1) == pytest.approx([1.0, 0.8])
    assert findings.scores(runs, "back", "none", times=10) == pytest.approx([0.6, 0.4])
    places = findings.by_place(runs, "back", "none", times=2)
    assert places.shape == (2, 12)
    assert np.isnan(places[:, 0]).all()
    assert places[:, -1] == pytest.approx([0.9, 0.7])
    with pytest.raises(ValueError, match="no run of 'back' with 'T5'"):
        findings.scores(runs, "back", "T5", times=1)


@pytest.mark.parametrize(("task", "right", "wrong"), [("back", 0.96, 0.94), ("grammar", 3.3, 3.4)])
def test_one_seed_that_does_not_learn_decides(task, right, wrong):
    assert findings.is_learned([made(task, "none", seed, right) for seed in (0, 1)], task, "none")
    runs = [made(task, "none", 0, right), made(task, "none", 1, wrong)]
    assert not findings.is_learned(runs, task, "none")


def test_differences_of_a_headline_are_first_minus_second():
    runs = [
        made(task, name, seed, 0.9 if name == one else 0.5 + seed / 100)
        for task, one, other in PAIRS
        for name in (one, other)
        for seed in range(10)
    ]
    for apart, chance in findings.compared(runs).values():
        assert apart == pytest.approx(0.355)
        assert chance == pytest.approx(4 * 2 / 2**10)
