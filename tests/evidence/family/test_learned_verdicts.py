"""The verdicts of the chapter on the learned table hold for what is right and fail for plausible mistakes."""

from typing import Any

import numpy as np
import pytest

from pe_book.family.learned import lookup, resize
from pe_book.family.learned.initialisation import initial
from pe_book.family.learned.measures import mean_cosine, neighbour_distance, share_by_offset
from pe_book.sinusoidal.formula import encode

pytest.importorskip("torch")

from pe_book.evidence.family import learned as verdicts
from pe_book.nn.trial import training as lab


@pytest.fixture(scope="module")
def reader() -> Any:
    start = initial(16, 32, std=0.3, seed=1)
    return lab.train(start, trainable=True, task=lab.pointer(2), steps=150, batch=16, rate=0.02)


def test_a_reader_that_knows_something_does_not_guess(reader: Any) -> None:
    clamped = lab.right(reader, lookup(reader.table, range(32), beyond="clamp"), back=2)
    assert verdicts.guesses(clamped, 16)
    wrapped = lab.right(reader, lookup(reader.table, range(32), beyond="wrap"), back=2)
    assert not verdicts.guesses(wrapped, 16)
    assert not verdicts.guesses(np.zeros(32), 16)  # never right is no guessing, either
    assert not verdicts.guesses(np.where(np.arange(32) < 16, 1, np.nan), 16)


def test_a_clamped_reader_names_the_word_before_the_edge(reader: Any) -> None:
    clamped = lookup(reader.table, range(32), beyond="clamp")
    assert verdicts.answers_with(reader, clamped, place=30, source=13)
    assert not verdicts.answers_with(reader, clamped, place=30, source=14)
    assert not verdicts.answers_with(reader, clamped, place=30, source=28)


def test_a_stretched_reader_is_right_on_old_rows_and_a_flat_or_opposite_one_is_noticed(reader: Any) -> None:
    share = lab.right(reader, resize(reader.table, 32), back=4)
    shown = verdicts.high_on_old_rows(share, 16, first=4).evidence
    assert shown["on an old row"] > shown["between two"] + 0.2
    place = np.arange(32) * 15 / 31
    off = np.abs((place + 0.5) % 1 - 0.5)
    assert verdicts.high_on_old_rows(1 - 2 * off, 16, first=4)
    for wrong in (2 * off, np.full(32, 0.9), np.full(32, 0.4)):
        assert not verdicts.high_on_old_rows(wrong, 16, first=4)
    assert not verdicts.high_on_old_rows(np.roll(1 - 2 * off, 1)[:31], 16, first=4)


def test_one_step_the_wrong_way_anywhere_is_noticed() -> None:
    curve = np.abs(np.arange(32) - 17.0)
    assert verdicts.falls_then_rises(curve).evidence == {"turn": 17, "wrong steps": 0}
    assert verdicts.falls_then_rises(curve)
    for k in (3, 15, 16, 19, 21, 30):  # steps 15 to 21 were once looked at by nobody
        bumped = curve.copy()
        bumped[k] += 3
        assert not verdicts.falls_then_rises(bumped), k
    for wrong in (curve[:18], -curve, np.ones(5)):
        assert not verdicts.falls_then_rises(wrong)


def test_one_matrix_fits_one_row_more_than_the_width() -> None:
    table = initial(40, 8, std=1, seed=0)
    assert all(verdicts.one_matrix_fits(table[:n]) for n in (2, 8, 9))
    assert not any(verdicts.one_matrix_fits(table[:n]) for n in (10, 11, 40))
    assert verdicts.one_matrix_fits(encode(np.arange(40), 8))


def test_a_neighbour_moves_a_short_text_only_if_it_is_too_long() -> None:
    table = initial(8, 16, seed=1)
    assert verdicts.moved_by_a_neighbour(table, 6, 8) == 0
    assert verdicts.moved_by_a_neighbour(table, 6, 9) > 0.1
    assert verdicts.moved_by_a_neighbour(table, 9, 6) == 0
    assert verdicts.moved_by_a_neighbour(table, 6, 9, beyond="wrap") == 0


def test_decay_beside_the_gradient_shortens_rows_and_decay_in_it_turns_them() -> None:
    import torch

    assert verdicts.decay_only_shortens(torch.optim.AdamW)
    assert not verdicts.decay_only_shortens(torch.optim.Adam)
    without = type("Without", (torch.optim.AdamW,), {"step": lambda self: None})
    assert not verdicts.decay_only_shortens(without)  # rows that stay are not shortened


# Definitions that the page measures with ------------------------------------------------------------------


def test_what_the_offset_explains() -> None:
    offset = np.subtract.outer(np.arange(12), np.arange(12))
    periodic = np.cos(2 * np.pi * offset / 12)  # rows are centred as they are
    assert share_by_offset(periodic) == pytest.approx(1)
    assert share_by_offset(periodic + np.arange(12)[:, None]) == pytest.approx(1)  # a constant in a row
    noise = [share_by_offset(np.random.default_rng(s).normal(size=(32, 32))) for s in range(20)]
    assert 0.04 < np.mean(noise) < 0.08
    by_key = np.tile(np.random.default_rng(0).normal(size=12), (12, 1))
    assert share_by_offset(by_key) < 0.6


def test_cosines_and_distances_of_neighbours() -> None:
    waves = encode(np.arange(20), 16)
    expected = (waves[1:] * waves[:-1]).sum(axis=1) / 8
    assert mean_cosine(waves, 1) == pytest.approx(expected.mean())
    assert mean_cosine(waves, 0) == pytest.approx(1)
    assert neighbour_distance(waves) == pytest.approx(np.sqrt(2 - 2 * expected.mean()))
