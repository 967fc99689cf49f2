"""Trains decoders of the recorded study anew: the record is what this code gives, and a cause is tried."""

import numpy as np
import pytest
import torch

import pe_book as pe
from pe_book.evidence.length_generalisation import findings, protocol
from pe_book.evidence.length_generalisation.training import Run, measured, result, trained
from pe_book.evidence.records.length_generalisation import recorded
from pe_book.nn.trial.training import one_thread

KEPT = recorded()[0]["runs"]


def kept(task, member, seed=0):
    """The run of the record, with the rate that was chosen for it."""
    return next(
        one
        for one in KEPT
        if [one["run"][key] for key in ("task", "member", "seed", "width")] == [task, member, seed, 64]
    )


def test_the_record_is_whole():
    rates = {(one["run"]["task"], one["run"]["member"]): one["run"]["rate"] for one in KEPT}
    assert [run.record() for run in protocol.reported(rates)] == [one["run"] for one in KEPT]


@pytest.mark.thorough
@pytest.mark.parametrize("member", ["sinusoidal", "rotary"])
def test_a_run_gives_what_was_recorded(member):
    """On another processor the last digits differ, and where a decoder breaks moves by a few words."""
    before = kept("back", member)
    now = [result(Run(**before["run"]))]
    for times in (1, 2, 10):
        old, new = (findings.scores(runs, "back", member, times=times) for runs in ([before], now))
        assert new == pytest.approx(old, abs=0.1)


@pytest.mark.thorough
def test_what_t5_misses_in_a_long_text_a_window_gives_back():
    """Its far words share one number, so none of them is new: there are more of them."""
    rate = kept("back", "T5")["run"]["rate"]
    run = protocol.run_of("back", "T5", 0, rate)
    with one_thread():
        decoder = trained(run)
        plain, whole = measured(decoder, run, times=(10,)), decoder.positions.bias

        def windowed(n: int) -> torch.Tensor:
            seen = pe.nn.window_mask(range(n), range(n), window=run.length)
            return whole(n).masked_fill(~seen, -torch.inf)

        decoder.positions.bias = windowed
        seen = measured(decoder, run, times=(10,))
    at_end = [float(np.mean(found["accuracy"][0][-3:])) for found in (plain, seen)]
    assert at_end[0] < 0.8 < 0.99 < at_end[1]
