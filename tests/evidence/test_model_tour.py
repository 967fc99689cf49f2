"""The recorded insides of small decoders: what they are of, and one of them trained anew."""

import numpy as np
import pytest
import torch

import pe_book as pe
from pe_book.evidence.length_generalisation import tour
from pe_book.evidence.length_generalisation.heads import texts
from pe_book.evidence.length_generalisation.training import trained
from pe_book.evidence.records.model_tour import SYMBOLS, recorded, unpacked

KEPT = recorded()
CODES = np.array([SYMBOLS.index(letter) for letter in KEPT.text])


def test_the_record_is_of_the_shapes_and_the_text_that_the_tour_takes():
    assert [one.run for one in KEPT.decoders] == [tour.run_of(*shape).record() for shape in tour.SHAPES]
    assert CODES.tolist() == texts(tour.LONGEST, tour.TEXTS)[0].tolist()


@pytest.mark.parametrize("one", KEPT.decoders, ids=lambda one: f"{one.run['layers']}x{one.run['width']}")
def test_every_decoder_is_whole_and_has_learned_its_task(one):
    n, width = tour.LONGEST, one.run["width"]
    np.testing.assert_allclose(one.positions, pe.encode(range(n), width), rtol=0, atol=0.00051)
    assert one.weights.shape == (one.run["layers"], n, n)
    assert one.output.shape == (n, 16)
    for shares in (*one.weights, one.output):
        np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=0, atol=0.012)
        assert shares.min() >= 0
    assert not np.triu(one.weights, 1).any()
    asked = range(5, tour.TRAINED)
    assert one.output.argmax(axis=1)[asked].tolist() == CODES[np.subtract(asked, 5)].tolist()


def test_what_is_recorded_is_what_passes_through(monkeypatch):
    """What enters each layer is caught on its way, and attention is computed from it by its formula."""
    run = tour.run_of(16, 2)
    made = trained(run, steps=30)
    monkeypatch.setattr(tour, "trained", lambda *_, **__: made)
    kept, words, seen = tour.inside(run), texts(tour.LONGEST, tour.TEXTS)[:1], []
    for block in made.blocks:
        block.register_forward_pre_hook(lambda _, given: seen.append(given[0][0]))
    with torch.no_grad():
        output = made(words)[0].softmax(-1)
        maps = []
        for block, x in zip(made.blocks, seen, strict=True):
            q, k, _ = block.inward(block.before(x)).chunk(3, dim=-1)
            ahead = torch.ones(len(x), len(x)).triu(1).bool()
            maps.append((q @ k.T / 4).masked_fill(ahead, -torch.inf).softmax(-1))
    due = [unpacked(kept["words"])[CODES] + unpacked(kept["positions"])]
    due += [*map(unpacked, kept["weights"]), unpacked(kept["output"])]
    for found, right in zip(due, [seen[0], *maps, output], strict=True):
        np.testing.assert_allclose(found, right.numpy(), rtol=0, atol=0.0011)
    assert kept["cut"] < 1e-5


@pytest.mark.thorough
def test_a_decoder_trained_anew_is_the_recorded_one():
    """On another processor the last digits differ, and six hundred steps carry that on."""
    before, now = KEPT.inside(16, 1), tour.inside(tour.run_of(16, 1))
    assert now["right"] == pytest.approx(before.right, abs=0.1)
    assert now["looks"][0] == pytest.approx(before.looks[0], abs=0.1)
    assert unpacked(now["words"]) == pytest.approx(before.words, abs=0.2)
    assert unpacked(now["weights"][0])[:32] == pytest.approx(before.weights[0, :32], abs=0.2)
    assert unpacked(now["output"])[5:32] == pytest.approx(before.output[5:32], abs=0.1)
