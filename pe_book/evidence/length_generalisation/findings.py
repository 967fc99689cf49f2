"""What the record of the study says: means, their spread, and comparisons corrected for their number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.length_generalisation.members import PLAIN
from pe_book.evidence.length_generalisation.protocol import PAIRS
from pe_book.evidence.length_generalisation.tasks import TASKS, WORDS
from pe_book.evidence.length_generalisation.training import TIMES

Results = Iterable[Mapping[str, Any]]
LEARNED = {"back": 0.95, "first": 0.95, "copy": 0.95}
"""The share that is right at the trained length, from which on a task counts as learned."""
QUARTER = 3
"""Of the twelve stretches of a text those at its end: an average over all hides where it breaks."""


def scores(
    results: Results, task: str, member: str, *, times: int, way: str = PLAIN, width: int = 64
) -> NDArray[np.float64]:
    """One number a seed, in their order: the share right in the last quarter of a text, or its loss."""
    places = by_place(results, task, member, times=times, way=way, width=width)
    return np.asarray(places[:, -QUARTER:].mean(axis=1))


def by_place(
    results: Results, task: str, member: str, *, times: int, way: str = PLAIN, width: int = 64
) -> NDArray[np.float64]:
    """Shape (seeds, 12): the share right, or the loss, in twelve stretches; NaN where nothing is asked."""
    measure, wanted = TASKS[task].measure, (task, member, width)
    found = {
        one["run"]["seed"]: one["tested"][way][measure][TIMES.index(times)]
        for one in results
        if (one["run"]["task"], one["run"]["member"], one["run"]["width"]) == wanted
    }
    if not found:
        raise ValueError(f"no run of {task!r} with {member!r} at width {width} was made")
    return np.array([found[seed] for seed in sorted(found)], dtype=float)


def is_learned(results: Results, task: str, member: str) -> bool:
    """Whether every seed does the task at the trained length; else nothing is said about longer texts.

    Where the measure is a loss: whether it is at least a tenth of a nat below that of knowing nothing.
    """
    found = scores(results, task, member, times=1)
    if TASKS[task].measure == "loss":
        return bool((found < np.log(WORDS) - 0.1).all())
    return bool((found >= LEARNED[task]).all())


def chance_of(differences: NDArray[np.float64]) -> float:
    """How likely a mean so far from zero is if signs are a matter of chance: all signs are tried.

    >>> chance_of(np.array([1.0, 2.0, 1.5, 1.0]))
    0.125
    """
    signs = np.array(list(product((-1, 1), repeat=len(differences))))
    means = np.abs(signs @ differences)
    return float((means >= abs(differences.sum()) * (1 - 1e-12)).mean())


def corrected(chances: Mapping[Any, float]) -> dict[Any, float]:
    """Holm's correction for the number of comparisons.

    >>> corrected({"a": 0.01, "b": 0.04})
    {'a': 0.02, 'b': 0.04}
    """
    ordered = sorted(chances, key=lambda name: chances[name])
    found, most = {}, 0.0
    for place, name in enumerate(ordered):
        most = max(most, min(1.0, chances[name] * (len(ordered) - place)))
        found[name] = most
    return {name: found[name] for name in chances}


def compared(results: Results, times: int = 10) -> dict[tuple[str, str, str], tuple[float, float]]:
    """Of the four of a headline: the mean difference, first minus second, and its corrected chance."""
    kept = list(results)
    apart = {
        (task, one, other): scores(kept, task, one, times=times) - scores(kept, task, other, times=times)
        for task, one, other in PAIRS
    }
    chances = corrected({name: chance_of(found) for name, found in apart.items()})
    return {name: (float(found.mean()), chances[name]) for name, found in apart.items()}
