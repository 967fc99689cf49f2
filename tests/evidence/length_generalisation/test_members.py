"""Holds the decoders of the study to what differs between them: where position enters, and nothing else."""

import numpy as np
import pytest
import torch

import pe_book as pe
from pe_book.evidence.length_generalisation.decoder import Decoder, groups
from pe_book.evidence.length_generalisation.members import MEMBERS, PLAIN, Shape
from pe_book.evidence.length_generalisation.protocol import RATES, choosing, chosen, reported, subjects
from pe_book.evidence.length_generalisation.training import Run, measured, trained
from pe_book.nn.trial.training import one_thread

SHAPE = Shape(length=20, width=16, heads=2, layers=2)
WORDS = torch.arange(60).remainder(7)[None]


def made(name, seed=0):
    torch.manual_seed(seed)
    return Decoder(name, 7, SHAPE).eval()


@pytest.mark.parametrize("name", MEMBERS)
def test_members_begin_with_the_same_matrices(name):
    own, other = made(name), made("none")
    for (key, one), two in zip(other.named_parameters(), own.parameters(), strict=False):
        assert torch.equal(one, two), key


@pytest.mark.parametrize("name", MEMBERS)
def test_no_word_hears_of_a_later_one(name):
    decoder = made(name)
    for way in (PLAIN, *decoder.positions.ways):
        decoder.positions.way = way
        changed = WORDS.clone()
        changed[0, -1] = 6 - changed[0, -1]
        with torch.no_grad():
            assert torch.equal(decoder(WORDS)[:, :-1], decoder(changed)[:, :-1]), way


@pytest.mark.parametrize("name", MEMBERS)
def test_a_way_changes_longer_texts_alone(name):
    decoder = made(name)
    with torch.no_grad():
        short, long = decoder(WORDS[:, :20]), decoder(WORDS)
        for way in decoder.positions.ways:
            decoder.positions.way = way
            assert torch.equal(decoder(WORDS[:, :20]), short) == (way != "moved"), way
            assert not torch.allclose(decoder(WORDS), long), way


def test_a_window_hides_what_is_as_far_as_the_trained_length():
    for name, seen in (("none", 20), ("rotary, window", 5)):
        positions = made(name).positions
        positions.way = "window"
        hidden = positions.bias(30)[0] == -torch.inf
        assert [int((~row).sum()) for row in hidden] == [min(n + 1, seen) for n in range(30)]


def test_rows_are_those_of_the_definition_moved_scaled_and_beside():
    zeros = torch.zeros(1, 20, 16)
    rows = torch.from_numpy(pe.encode(range(40), 16)).float()
    moved = made("sinusoidal").positions
    moved.way = "moved"
    assert torch.allclose(moved.added(zeros)[0], rows[20:], atol=1e-6)
    assert torch.allclose(made("sinusoidal, a tenth").positions.added(zeros)[0], rows[:20] / 10, atol=1e-6)
    words = torch.randn(1, 20, 16)
    beside = made("sinusoidal, appended").positions.added(words)[0]
    assert torch.equal(beside[:, :8], words[0, :, :8])
    assert torch.allclose(beside[:, 8:].double(), torch.from_numpy(pe.encode(range(20), 8)), atol=1e-6)


def test_frequencies_of_a_longer_text_are_those_of_the_definition():
    positions = made("rotary").positions
    omega = pe.frequencies(8)
    for way, factor in (("linear", 3.0), ("ntk", 3.0)):
        positions.way = way
        wanted, _ = pe.scale_frequencies(omega, method=way, factor=factor)
        q = torch.randn(1, 2, 60, 8)
        turned = positions.at(60)(q, q)[0][0, 0].double().numpy()
        rows = pe.rotate(q[0, 0].double().numpy(), range(60), frequencies=wanted, layout="halves")
        np.testing.assert_allclose(turned, rows, atol=1e-5)


def test_few_numbers_are_trained_at_twenty_times_the_rate():
    for name, quick in {"T5": 1, "KERPLE": 2, "T5, one rate": 0, "ALiBi": 0, "learned": 0}.items():
        found = groups(made(name), 1e-3, 0.05)
        assert sum(len(group["params"]) for group in found) == len(list(made(name).parameters()))
        fast = [group for group in found if group["rate"] == 0.02]
        assert sum(len(group["params"]) for group in fast) == quick


def test_a_run_gives_the_same_digits_again_and_learns():
    run = Run("first", "none", 0, 4e-3, length=8, width=16, heads=2, batch=16)
    with one_thread():
        once, again = (measured(trained(run, steps=120), run, PLAIN, times=(1, 2), words=512) for _ in "12")
    assert once == again
    assert once["accuracy"][0][0] is None
    assert np.mean(once["accuracy"][0][-4:]) > 0.2 > 3 / 16


def test_a_rate_is_chosen_at_the_trained_length():
    def found(rate, at_one, at_two):
        run = Run("back", "none", 100, rate)
        return {"run": run.record(), "tested": {PLAIN: {"accuracy": [[at_one], [at_two]]}}}

    results = [found(1e-3, 0.5, 0.9), found(2e-3, 0.7, 0.1), found(4e-3, 0.7, 0.3)]
    assert chosen(results) == {("back", "none"): 2e-3}


def test_the_plan_has_five_seeds_for_all_and_ten_for_a_headline():
    runs = reported(dict.fromkeys(subjects(), 1e-3))
    assert len(choosing()) == len(RATES) * len(subjects())
    assert len({run.name for run in runs}) == len(runs)
    seeds = {}
    for run in runs:
        if run.width == 64:
            seeds.setdefault((run.task, run.member), set()).add(run.seed)
    assert seeds["back", "rotary"] == set(range(10))
    assert seeds["back", "T5"] == set(range(5))
