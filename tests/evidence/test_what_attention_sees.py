"""Holds what is read off trained heads to attention as layers compute it, and to heads that are known."""

import numpy as np
import pytest
import torch

from pe_book.evidence.length_generalisation import heads
from pe_book.evidence.length_generalisation.decoder import Decoder
from pe_book.evidence.length_generalisation.members import MEMBERS, Shape

SHAPE = Shape(length=20, width=16, heads=2, layers=2)


@pytest.mark.parametrize("name", MEMBERS)
def test_weights_are_those_that_the_layer_reads_with(name):
    torch.manual_seed(0)
    decoder = Decoder(name, 16, SHAPE).eval()
    words = torch.randint(16, (3, 30), generator=torch.Generator().manual_seed(1))
    for layer in range(SHAPE.layers):
        weights = heads.weights_of(decoder, words, layer).double()
        assert torch.allclose(weights.sum(-1), torch.ones(3, 2, 30, dtype=torch.float64), atol=1e-5)
        assert torch.equal(weights, weights.tril())
    x = decoder.positions.added(decoder.words(words) * 4)
    block, bias = decoder.blocks[0], decoder.positions.bias(30)
    q, k, v = block.inward(block.before(x)).view(3, 30, 3, 2, 8).permute(2, 0, 3, 1, 4)
    q, k = decoder.positions.turned(q, k, 0)
    read = decoder.positions.attended(q, k, v, bias, 0)
    own = decoder.positions.attended(q, k, torch.zeros_like(v), bias, 0)
    with torch.no_grad():
        assert torch.allclose(heads.weights_of(decoder, words) @ v + own, read, atol=1e-5)


def test_what_the_offset_explains_is_that_of_a_known_head():
    back = np.arange(40)[:, None] - np.arange(40)
    row = np.random.default_rng(0).normal(size=40)
    by_offset = np.where(back >= 0, row[np.abs(back)], 0)
    assert heads.explained(by_offset, 20, 40) == pytest.approx(1)
    assert heads.explained(by_offset + np.arange(40)[:, None], 20, 40) == pytest.approx(1)
    assert heads.explained(row * np.ones((40, 1)) * 1e3 + by_offset, 20, 40) < 0.3
    assert heads.near(by_offset, 20, 40)[0] == pytest.approx(row[1:17] - row[1:17].mean())
    assert heads.spread(by_offset, 20, 40) == pytest.approx(np.std(row[1:17]))
    assert heads.on_target(np.where(back == 5, 0.25, 0.0)) == pytest.approx(0.25)
