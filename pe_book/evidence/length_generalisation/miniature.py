"""The study in small: one layer, one head, a second a member, so that pages train it in each build."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.length_generalisation.decoder import Decoder
from pe_book.evidence.length_generalisation.findings import LEARNED
from pe_book.evidence.length_generalisation.members import PLAIN
from pe_book.evidence.length_generalisation.tasks import BACK
from pe_book.evidence.length_generalisation.training import Run, measured, trained
from pe_book.evidence.verdict import Verdict
from pe_book.nn.trial.training import one_thread

LENGTH, WIDTH, STEPS, BATCH, RATE = 32, 32, 200, 16, 5e-3
LONGER = {"sinusoidal, shifted": 300}  # steps: where each step begins at other positions, more are needed
SEEDS = (0, 1, 2)
UNASKED_FIRST = {"back": BACK, "first": 1}  # places at the beginning of a text


def run_of(member: str, seed: int = 0, task: str = "back") -> Run:
    """The run of a member on texts of 32 words."""
    return Run(task, member, seed, RATE, length=LENGTH, width=WIDTH, heads=1, layers=1, batch=BATCH)


@cache
def _trained(member: str, seed: int, task: str) -> Decoder:
    with one_thread():
        return trained(run_of(member, seed, task), steps=LONGER.get(member, STEPS))


def decoder(member: str, seed: int = 0, task: str = "back") -> Decoder:
    """The decoder of a member, trained once in a process."""
    return _trained(member, seed, task)


def by_place(
    member: str, times: int = 1, way: str = PLAIN, seed: int = 0, task: str = "back"
) -> NDArray[np.float64]:
    """The share that is right in twelve stretches of texts of so many times the trained length."""
    return _by_place(member, times, way, seed, task)


@cache
def _by_place(member: str, times: int, way: str, seed: int, task: str) -> NDArray[np.float64]:
    run = run_of(member, seed, task)
    with one_thread():
        found = measured(decoder(member, seed, task), run, way, times=(times,), words=4096)
    return np.array(found["accuracy"][0], dtype=float)


def right(member: str, times: int = 1, way: str = PLAIN, seed: int = 0, task: str = "back") -> float:
    """The share that is right of all places that are asked, in texts of so many times the trained length."""
    found, length = by_place(member, times, way, seed, task), times * LENGTH
    edges = np.linspace(0, length, len(found) + 1).round().astype(int)[:-1]
    asked = np.add.reduceat(np.arange(length) >= UNASKED_FIRST[task], edges)
    return float(np.nansum(found * asked) / asked.sum())


def at_end(member: str, times: int = 1, way: str = PLAIN, seed: int = 0, task: str = "back") -> float:
    """The share that is right in the last quarter of a text of so many times the trained length."""
    return float(by_place(member, times, way, seed, task)[-3:].mean())


def learned(member: str, task: str = "back") -> bool:
    """Whether the task is done at the trained length; else a longer text says nothing."""
    return right(member, task=task) >= LEARNED[task]


def averaged(right: int, asked: int, guess: float) -> float:
    """The share over all places asked, of somebody who knows so many of them and guesses the others.

    >>> averaged(64, 128, 1 / 2)
    0.75
    """
    return (right + (asked - right) * guess) / asked


def headline(
    *, falls: str = "sinusoidal", holds: str = "T5", times: int = 4, seeds: Sequence[int] = (0,)
) -> Verdict:
    """Whether, of two that are right at the trained length, one is wrong beyond it and the other is not."""
    inside = [right(member, seed=seed) for member in (falls, holds) for seed in seeds]
    lost = [right(falls, times, seed=seed) for seed in seeds]
    kept = [right(holds, times, seed=seed) for seed in seeds]
    told = min(inside) > 0.95 and max(lost) < 0.65 and min(kept) > 0.95
    return Verdict(told, {"inside": min(inside), "lost": max(lost), "kept": min(kept)})
