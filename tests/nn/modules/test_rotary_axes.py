"""Heads before the sequence or after it: which axis is turned is said, never guessed."""

import pytest

torch = pytest.importorskip("torch")

from pe_book.nn import RotaryEncoding
from tests.nn.turned import HALF, LAYOUTS, SLICES, encoder, normal

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


def test_grouped_heads_on_the_wrong_side_are_not_called_other_tokens():
    q, k = torch.zeros(2, 5, 8, 16), torch.zeros(2, 5, 2, 16)  # as flash-attn takes them
    before, behind = both("halves")
    with pytest.raises(ValueError, match="8 rows and 2: if these count heads, heads_first has to be False"):
        before(q, k)
    assert behind(q, k)[1].shape == k.shape
