"""Which axis is turned is said, never guessed; and what the rotary module refuses, by name."""

import re

import pytest

from pe_book.config.classes import MODELS

torch = pytest.importorskip("torch")

from pe_book.nn import RotaryEncoding
from pe_book.nn.modules import rotary_checks
from tests.nn.turned import HALF, LAYOUTS, SLICES, encoder, normal

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


# ---------------------------------------------------------------- heads before the sequence or after it

POSITIONS = [None, torch.arange(7, 0, -1), torch.arange(3, 10)[None], torch.arange(14).reshape(2, 7)]


def both(layout, **where):
    return (encoder(16, layout=layout, heads_first=first, **where) for first in (True, False))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("where", SLICES)
@pytest.mark.parametrize("dtype", [torch.float32, *HALF, torch.float64])
def test_heads_behind_the_sequence_are_the_same_rows(layout, where, dtype):
    before, behind = both(layout, **where)
    q, k = normal(2, 6, 7, 16, dtype=dtype), normal(2, 3, 7, 16, dtype=dtype, seed=1)
    for positions in POSITIONS:
        expected = before(q, k, positions)
        found = behind(q.transpose(1, 2), k.transpose(1, 2), positions)
        for x, ours, true in zip((q, k), found, expected, strict=True):
            assert torch.equal(ours, true.transpose(1, 2))
            contiguous = x.transpose(1, 2).contiguous()
            assert torch.equal(behind.turn(contiguous, positions), ours)
            assert torch.equal(behind.turn(contiguous, positions, in_place=True), ours)
    flat = normal(7, 3, 16, dtype=dtype)  # tokens of all sequences in one row, as flash-attn packs them
    assert torch.equal(behind.turn(flat, start=5), before.turn(flat.transpose(0, 1), start=5).transpose(0, 1))
    assert torch.equal(behind.turn(flat[:, 0]), before.turn(flat[:, 0]))


def test_heads_behind_the_sequence_have_gradients_and_a_graph():
    before, behind = both("halves")
    x = normal(2, 7, 3, 16, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: behind.turn(x, start=4), (x,))
    run = torch.compile(behind.turn, backend="eager", fullgraph=True)
    true = before.turn(x.transpose(1, 2), start=4).transpose(1, 2)
    torch.testing.assert_close(run(x, start=4), true)
    torch.testing.assert_close(torch.vmap(behind.turn)(x), before.turn(x.transpose(1, 2)).transpose(1, 2))


@pytest.mark.parametrize("shapes", [((2, 4, 4, 8),) * 2, ((2, 4, 7, 8), (2, 2, 7, 8)), ((4, 7, 8),) * 2])
def test_an_axis_that_nobody_named_is_refused(shapes):
    encoding = RotaryEncoding(8, layout="halves")
    q, k = (torch.zeros(shape) for shape in shapes)
    for call in (lambda: encoding(q, k), lambda: encoding.turn(q)):
        with pytest.raises(ValueError, match=r"heads_first must be given .* got (q|x) of shape"):
            call()
    assert encoding.turn(torch.zeros(3, 8)).shape == (3, 8)
