"""What the rotary module refuses, by the name of the argument."""

import re

import pytest

from pe_book.config.classes import MODELS

torch = pytest.importorskip("torch")

from pe_book.nn.modules import rotary_checks
from tests.nn.turned import encoder

X = torch.zeros(2, 4, 3, 8)


REFUSED = {
    "layout must be named.* got None: 'halves' for weights .*from_config": lambda m: encoder(8, layout=None),
    "rotary_dim must be at most the width of the head, 8, got 10": lambda m: encoder(8, rotary_dim=10),
    "frequencies must stand alone, got base=5": lambda m: encoder(8, frequencies=[1, 2, 3, 4], base=5),
    r"k must have shape \(batch, heads, n, 8\).* got \(2, 4, 3, 6\)": lambda m: m(X, X[..., :6]),
    "got 3 rows and 1: if these count heads, heads_first has to be False, if": lambda m: m(X, X[:, :, :1]),
    "q must be a tensor of float32.* got torch.int64": lambda m: m(X.long(), X),
    "k must be on cpu, where the module is, got it on meta; move": lambda m: m(X, X.to("meta")),
    r"start must be from 0 to 2\*\*53 - 3, got": lambda m: m(X, X, start=2**53),
    "start must be left out beside positions, got 1": lambda m: m(X, X, torch.arange(3), start=1),
    r"\(3,\) or \(1, 3\) or \(2, 3\) for q .* got \(4,\)": lambda m: m(X, X, torch.arange(4)),
    "positions must be from 0 .* got -1 to 2; pe_book": lambda m: m(X, X, torch.tensor([0, -1, 2])),
    "positions must be an integer tensor": lambda m: m(X, X, torch.tensor([0, 0.5, 2])),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_refused_is_named(words):
    with pytest.raises((ValueError, TypeError), match=words):
        REFUSED[words](encoder(8))


def test_which_families_pair_how_is_what_their_configs_say():
    halves, neighbours = rotary_checks.PAIRINGS.split("'interleaved'")
    found = {word: layout for text, layout in ((halves, "halves"), (neighbours, "interleaved"))
             for word in re.findall(r"\w+", text) if word in MODELS}  # fmt: skip
    assert len(found) > 10
    assert found == {word: MODELS[word].layout for word in found}


def test_empty_sequences_stay_empty():
    assert encoder(8).turn(torch.zeros(2, 0, 8)).shape == (2, 0, 8)
    assert encoder(8).turn(torch.zeros(0, 3, 8), in_place=True).shape == (0, 3, 8)
