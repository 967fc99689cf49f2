"""What the rotary module refuses, by the name of the argument."""

import re

import pytest

from pe_book.config.classes import MODELS

torch = pytest.importorskip("torch")

from pe_book.nn.modules import rotary_checks
from tests.nn.turned import encoder

X = torch.zeros(2, 4, 3, 8)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"head_dim": 7}, ValueError, "head_dim must be even"),
        ({"rotary_dim": 10}, ValueError, "rotary_dim must be at most the width of the head, 8, got 10"),
        ({"side": "left"}, ValueError, "side must be 'first' or 'last', got 'left'"),
        ({"layout": None}, ValueError, "layout must be named.* got None: 'halves' for weights .*from_config"),
        ({"frequencies": [1, 2]}, ValueError, r"frequencies must have shape \(4,\).* got \(2,\)"),
        ({"frequencies": [1, 2, 3, 4], "base": 5}, ValueError, "frequencies must stand alone, got base=5"),
        ({"attention_factor": 0}, ValueError, "attention_factor must be above 0, got 0"),
    ],
)
def test_wrong_arguments_are_refused(arguments, error, says):
    with pytest.raises(error, match=says):
        encoder(**{"head_dim": 8, **arguments})


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (
            lambda m: m(X, X[..., :6]),
            ValueError,
            r"k must have shape \(batch, heads, n, 8\).* got \(2, 4, 3, 6\)",
        ),
        (
            lambda m: m(X, X[:, :, :1]),
            ValueError,
            "got 3 rows and 1: if these count heads, heads_first has to be False, if tokens, turn",
        ),
        (lambda m: m(X.long(), X), TypeError, "q must be a tensor of float32.* got torch.int64"),
        (
            lambda m: m(X, X.to("meta")),
            ValueError,
            "k must be on cpu, where the module is, got it on meta; move",
        ),
        (lambda m: m(X, X, start=2**53), ValueError, r"start must be from 0 to 2\*\*53 - 3, got"),
        (
            lambda m: m(X, X, torch.arange(3), start=1),
            ValueError,
            "start must be left out beside positions, got 1",
        ),
        (
            lambda m: m(X, X, torch.arange(4)),
            ValueError,
            r"\(3,\) or \(1, 3\) or \(2, 3\) for q .* got \(4,\)",
        ),
        (
            lambda m: m(X, X, torch.tensor([0, -1, 2])),
            ValueError,
            "positions must be from 0 .* got -1 to 2; pe_book",
        ),
        (lambda m: m(X, X, torch.tensor([0, 0.5, 2])), TypeError, "positions must be an integer tensor"),
        (lambda m: m(X, X, in_place=1), TypeError, "in_place must be True or False, got 1"),
    ],
)
def test_wrong_calls_are_refused(call, error, says):
    with pytest.raises(error, match=says):
        call(encoder(8))


def test_which_families_pair_how_is_what_their_configs_say():
    halves, neighbours = rotary_checks.PAIRINGS.split("'interleaved'")
    found = {word: layout for text, layout in ((halves, "halves"), (neighbours, "interleaved"))
             for word in re.findall(r"\w+", text) if word in MODELS}  # fmt: skip
    assert len(found) > 10
    assert found == {word: MODELS[word].layout for word in found}


def test_empty_sequences_stay_empty():
    assert encoder(8).turn(torch.zeros(2, 0, 8)).shape == (2, 0, 8)
    assert encoder(8).turn(torch.zeros(0, 3, 8), in_place=True).shape == (0, 3, 8)
