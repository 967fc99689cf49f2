"""What is run, written down beforehand: members, tasks, seeds, and how a rate of learning is chosen.

It is chosen for each member and task from one grid, by how well the task is done *at the trained length*, on
a seed that is not reported. Nothing else differs between members but what their classes say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pe_book.evidence.length_generalisation.members import MEMBERS, PLAIN
from pe_book.evidence.length_generalisation.tasks import TASKS
from pe_book.evidence.length_generalisation.training import Run

RATES = (1e-3, 2e-3, 4e-3)
CHOOSING = 100
SEEDS, MORE = range(5), range(10)
FOR_ALL = ("back", "first", "grammar")
VARIANTS = ("sinusoidal, a tenth", "sinusoidal, appended", "T5, one rate")  # on the first task alone
COMPARED = ("none", "sinusoidal", "learned", "T5", "ALiBi", "rotary")
FOR_COMPARED = ("copy", "notes")
PAIRS = (
    ("notes", "sinusoidal", "ALiBi"),
    ("back", "sinusoidal", "rotary"),
    ("first", "sinusoidal", "none"),
    ("copy", "rotary", "ALiBi"),
)
"""The four comparisons of a headline: ten seeds each."""
LARGER_LAYERS, LARGER_WIDTH = 4, 128
LARGER_PAIR = ("back", "sinusoidal", "rotary")

Rates = Mapping[tuple[str, str], float]


def subjects() -> list[tuple[str, str]]:
    """Every task with every member that is run on it."""
    return [
        (task, name)
        for task in TASKS
        for name in MEMBERS
        if (task in FOR_ALL and (name not in VARIANTS or task == FOR_ALL[0]))
        or (task in FOR_COMPARED and name in COMPARED)
    ]


def run_of(task: str, name: str, seed: int, rate: float) -> Run:
    """A run of the usual size."""
    return Run(task, name, seed, rate, length=100 if task == "notes" else 64)


def choosing() -> list[Run]:
    """The runs that choose the rates."""
    return [run_of(task, name, CHOOSING, rate) for task, name in subjects() for rate in RATES]


def score(found: Mapping[str, Any], times: int = 0, way: str = PLAIN) -> float:
    """Over all places of one length: the share that is right, or the loss."""
    measure = TASKS[found["run"]["task"]].measure
    return float(np.nanmean(np.array(found["tested"][way][measure][times], dtype=float)))


def chosen(results: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], float]:
    """The best rate of each member on each task; of equal ones the smaller."""
    best: dict[tuple[str, str], tuple[float, float]] = {}
    for found in results:
        run = found["run"]
        sign = -1 if TASKS[run["task"]].measure == "accuracy" else 1
        here = (round(sign * score(found), 3), run["rate"])
        key = run["task"], run["member"]
        best[key] = min(best.get(key, here), here)
    return {key: rate for key, (_, rate) in best.items()}


def reported(rates: Rates) -> list[Run]:
    """The runs that the record keeps, each at the rate chosen for it."""
    more = {(task, name) for task, *names in PAIRS for name in names}
    runs = [
        run_of(task, name, seed, rates[task, name])
        for task, name in subjects()
        for seed in (MORE if (task, name) in more else SEEDS)
    ]
    task, *names = LARGER_PAIR
    return runs + [
        replace(run_of(task, name, seed, rates[task, name]), layers=LARGER_LAYERS, width=LARGER_WIDTH)
        for name in names
        for seed in SEEDS
    ]
