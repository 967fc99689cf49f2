"""Holds what is said of the record to made-up runs, whose numbers are known."""

from __future__ import annotations

import numpy as np
import pytest

from pe_book.evidence.length_generalisation import findings
from pe_book.evidence.length_generalisation.members import PLAIN
from pe_book.evidence.length_generalisation.protocol import PAIRS
from pe_book.evidence.length_generalisation.training import TIMES, Run


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
