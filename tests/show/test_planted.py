"""Mistakes are planted in figures and tables that are drawn: all refused.

PE_SEED repeats a run, PE_PLANTED plants more of each kind.
"""

from __future__ import annotations

import os
import random

import pytest

from tests.seeds import seed
from tests.show import planted, recomputed, walk
from tests.show.test_whole import check_figure

EACH = int(os.environ.get("PE_PLANTED", "2"))
TRIES = 60  # victims that are drawn once more, after each was drawn once, until a mistake can be made in one


def plant(kinds, kind, labels, check):
    """Plant a kind of mistake in EACH victims; returns where it was planted."""
    dice = random.Random(f"{seed()} {kind}")
    found = []
    every_one_and_more = dice.sample(labels, len(labels)) + dice.choices(labels, k=TRIES)
    for page, label in every_one_and_more:
        shown = walk.shown(page)[label]
        victim = kinds[kind](shown.made, dice)
        if victim is None:
            continue
        print(f"{kind} in {label}")
        with pytest.raises(Exception):  # noqa: B017, PT011 (any failure of the test is a refusal)
            check(shown, victim, dice)
        found.append(label)
        if len(found) == EACH:
            break
    return found


@pytest.mark.parametrize("kind", planted.FIGURES)
def test_a_mistake_in_a_figure_is_refused(kind):
    def check(shown, victim, dice):
        check_figure(victim, recomputed.entry_of(shown), shown.names, dice)

    assert plant(planted.FIGURES, kind, walk.labels("figure"), check)


@pytest.mark.parametrize("kind", planted.TABLES)
def test_a_mistake_in_a_table_is_refused(kind):
    def check(shown, victim, dice):
        recomputed.check_table(victim, recomputed.entry_of(shown), shown.names, dice)

    # in a table of quotations there is nothing computed to hold the mistake against
    computed = [
        (page, label)
        for page, label in walk.labels("table")
        if any(
            not isinstance(recomputed.all_entries()[label][column.header], str)
            for column in walk.shown(page)[label].made.columns
        )
    ]
    assert plant(planted.TABLES, kind, computed, check)


@pytest.mark.parametrize(("page", "label"), walk.labels("table"))
def test_a_table_without_its_last_row_is_refused(page, label):
    shown = walk.shown(page)[label]
    victim = planted.without_its_last_row(shown.made)
    with pytest.raises(recomputed.Mismatch, match=r"there are \d+ rows|\d+ are right"):
        recomputed.check_table(victim, recomputed.entry_of(shown), shown.names, random.Random(seed()))
