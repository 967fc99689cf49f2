"""What a small training of the book says about texts that are longer than its own; it needs torch."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import NamedTuple

import numpy as np

from pe_book.evidence.verdict import Verdict
from pe_book.family.learned import lookup
from pe_book.family.learned.initialisation import initial
from pe_book.sinusoidal.formula import encode

LENGTH, WIDTH, BACK = 32, 32, 3  # of the texts of training; the word asked for stands so many places before


class Shares(NamedTuple):
    """How often the right word is named, at the positions of training and beyond them."""

    inside: float
    beyond: float


@cache
def shares(table: str, length: int = 2 * LENGTH) -> Shares:
    """Train on texts of 32 words and read texts of `length`, with a table ``"sinusoid"`` or ``"learned"``.

    The learned table has 32 rows; beyond them its last row is repeated.
    """
    lab = import_module("pe_book.nn.trial.training")  # late: the other groups do without torch
    task, learned = lab.pointer(BACK), table == "learned"
    start = initial(2 * LENGTH, WIDTH, seed=1)[:LENGTH] if learned else encode(range(LENGTH), WIDTH)
    run = lab.train(start, trainable=learned, task=task)
    rows = lookup(run.table, range(length), beyond="clamp") if learned else encode(range(length), WIDTH)
    right = lab.right(run, rows, back=BACK)
    inside = float(np.nanmean(right[:LENGTH]))
    return Shares(inside, float(np.nanmean(right[LENGTH:])) if length > LENGTH else inside)


def works_beyond(*, length: int = 2 * LENGTH) -> Verdict:
    """Whether a model with the sinusoid is as good beyond its training as within."""
    found = shares("sinusoid", length)
    evidence = {"inside": 100 * found.inside, "beyond": 100 * found.beyond, "trained": LENGTH}
    return Verdict(found.beyond > 0.95 * found.inside, evidence)


def ahead_past_the_end() -> Verdict:
    """Whether it is, beyond the trained length, ahead of a learned table whose last row is repeated."""
    ours, theirs = shares("sinusoid"), shares("learned")
    evidence = {"inside": 100 * ours.inside, "ours": 100 * ours.beyond, "theirs": 100 * theirs.beyond}
    return Verdict(ours.beyond > 2 * theirs.beyond and min(ours.inside, theirs.inside) > 0.95, evidence)
