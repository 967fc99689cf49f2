"""What a small training of the book says about texts that are longer than its own; it needs torch."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from pe_book.evidence.verdict import Verdict
from pe_book.family.learned import Beyond, lookup
from pe_book.family.learned.initialisation import initial
from pe_book.sinusoidal.formula import encode

LENGTH, WIDTH, BACK = 32, 32, 3  # of the texts of training; the word asked for stands so many places before
SEEDS = (0, 1, 2)


class Shares(NamedTuple):
    """How often the right word is named, at the positions of training and beyond them."""

    inside: float
    beyond: float


def _lab() -> Any:
    return import_module("pe_book.nn.trial.training")  # late: the other groups do without torch


@cache
def _trained(learned: bool, seed: int) -> Any:
    start = initial(2 * LENGTH, WIDTH, seed=1)[:LENGTH] if learned else encode(range(LENGTH), WIDTH)
    return _lab().train(start, trainable=learned, task=_lab().pointer(BACK), seed=seed)


@cache
def shares(table: str, length: int = 2 * LENGTH, *, beyond: Beyond = "clamp", seed: int = 0) -> Shares:
    """Train on texts of 32 words and read texts of `length`, with a table ``"sinusoid"`` or ``"learned"``.

    The learned table has 32 rows; `beyond` says what stands in for a row past them.
    """
    learned = table == "learned"
    run = _trained(learned, seed)
    rows = lookup(run.table, range(length), beyond=beyond) if learned else encode(range(length), WIDTH)
    right = _lab().right(run, rows, back=BACK)
    inside = float(np.nanmean(right[:LENGTH]))
    return Shares(inside, float(np.nanmean(right[LENGTH:])) if length > LENGTH else inside)


def ahead_past_the_end(*, length: int = 2 * LENGTH) -> Verdict:
    """Whether it is, in every run, ahead of a learned table that is clamped or stretched past its end.

    Of one that is wrapped it need not be.
    """
    runs = [shares("sinusoid", length, seed=seed) for seed in SEEDS]
    clamped, stretched, wrapped = (
        shares("learned", length, beyond=way) for way in ("clamp", "interpolate", "wrap")
    )
    evidence = {
        "inside": 100 * runs[0].inside,
        "ours": 100 * runs[0].beyond,
        "theirs": 100 * clamped.beyond,
        "stretched": 100 * stretched.beyond,
        "wrapped": 100 * wrapped.beyond,
        "wrapped inside": 100 * wrapped.inside,
        "least": 100 * min(run.beyond for run in runs),
        "most": 100 * max(run.beyond for run in runs),
        "runs": len(runs),
    }
    ahead = min(run.beyond for run in runs) > 2 * max(clamped.beyond, stretched.beyond)
    return Verdict(ahead and right_within(), evidence)


def right_within() -> bool:
    """Whether both tables are right almost always within the trained length."""
    return min(shares("sinusoid").inside, shares("learned").inside) > 0.95
