"""Decides what the chapter on the learned table says of trained tables and of texts past their end."""

from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike

from pe_book.evidence.verdict import Verdict
from pe_book.family.learned import Beyond, lookup
from pe_book.inputs.checking import real_array, whole_number
from pe_book.nn.trial.training import VOCABULARY, Reader


def guesses(share: ArrayLike, trained: int) -> Verdict:
    """Whether past the trained positions a reader is right as often as somebody who guesses.

    Within ten standard errors of a share of 1/16 among the 6400 answers of 200 texts at 32 positions.
    """
    past, chance = float(np.mean(np.asarray(share)[trained:])), 1 / VOCABULARY  # before it some are NaN
    return Verdict(abs(past - chance) < 0.03, {"past the end": past, "guessing": chance})


def answers_with(reader: Reader, rows: ArrayLike, place: int, source: int) -> Verdict:
    """Whether a reader asked at one place names the word of another."""
    words = np.random.default_rng(0).integers(VOCABULARY, size=(200, len(np.asarray(rows))))
    share = float((reader.answers(rows, words)[:, place] == words[:, source]).mean())
    return Verdict(share > 0.95, {"share": share})


def high_on_old_rows(share: ArrayLike, trained: int, *, first: int) -> Verdict:
    """Whether a stretched table answers well where a new row lies near an old one, and not between two.

    New row p lies at p (trained − 1) / (n − 1), at most one half from an old one: closer than 0.15 is near.
    """
    found = np.asarray(share, dtype=np.float64)  # NaN where nothing is asked
    place = np.arange(len(found)) * (trained - 1) / (len(found) - 1)
    off = np.abs((place + 0.5) % 1 - 0.5)[first:]
    on_old, between = (float(found[first:][side].mean()) for side in (off < 0.15, off > 0.35))
    return Verdict(on_old > 0.8 and between < 0.5, {"on an old row": on_old, "between two": between})


def falls_then_rises(curve: ArrayLike) -> Verdict:
    """Whether a curve falls at every step up to one place and rises at every step after it."""
    values = real_array(curve, "curve")
    turn, steps = int(np.argmin(values)), np.diff(values)
    wrong = int((steps[:turn] >= 0).sum() + (steps[turn:] <= 0).sum())
    return Verdict(0 < turn < len(values) - 1 and wrong == 0, {"turn": turn, "wrong steps": wrong})


def first_below(losses: ArrayLike, level: float = 0.5) -> int:
    """The first step at which a loss is below a level; the number of steps if it never is.

    >>> first_below([2.0, 0.6, 0.4, 0.7]), first_below([2.0, 1.0])
    (2, 2)
    """
    below = np.flatnonzero(real_array(losses, "losses") < level)
    return int(below[0]) if len(below) else len(np.asarray(losses))


def one_matrix_fits(rows: ArrayLike) -> Verdict:
    """Whether one matrix takes each row of a table to the next.

    Up to n − 1 = d equations are solved to rounding; one more leaves an error of the size of the rows.
    """
    table = real_array(rows, "rows")
    best = np.linalg.lstsq(table[:-1], table[1:], rcond=None)[0]
    error = float(np.abs(table[:-1] @ best - table[1:]).max())
    return Verdict(error < 1e-9, {"error": error})


def decay_only_shortens(optimiser: type[torch.optim.Optimizer]) -> Verdict:
    """Whether weight decay multiplies rows that no text reaches by one number below 1, and nothing else."""
    table = torch.nn.Parameter(torch.from_numpy(np.random.default_rng(0).normal(size=(3, 4))))
    before = table.detach().clone()
    make: Any = optimiser  # every optimiser of torch takes these two; their base class does not
    steps = make([table], lr=0.1, weight_decay=0.1)
    for _ in range(3):
        table.grad = torch.zeros_like(table)
        steps.step()
    shares = (table.detach() / before).numpy()
    least, most = float(shares.min()), float(shares.max())
    return Verdict(most - least < 1e-12 < 1 - most, {"least": least, "most": most})


def moved_by_a_neighbour(
    weight: ArrayLike, words: int, neighbour: int, *, beyond: Beyond = "interpolate"
) -> float:
    """By what part of their norm the rows of a text move because of a longer one in its batch.

    >>> moved_by_a_neighbour([[1.0], [2.0]], 2, 2), moved_by_a_neighbour([[1.0], [2.0]], 2, 3) > 0.1
    (0.0, True)
    """
    alone = lookup(weight, np.arange(whole_number(words, "words", least=1)), beyond=beyond)
    longest = max(words, whole_number(neighbour, "neighbour", least=1))
    batch = lookup(weight, np.arange(longest), beyond=beyond)
    return float(np.linalg.norm(batch[:words] - alone) / np.linalg.norm(alone))
