"""The learned module: its rows, the four answers past the last one, refusals, casts and copies."""

import copy
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_book.family import learned
from tests.seeds import examples_drawn

torch = pytest.importorskip("torch")

from pe_book.nn import LearnedEncoding

BEYOND = ["refuse", "clamp", "interpolate", "wrap"]
few = examples_drawn(25)


def plain(max_len=6, d_model=4, **arguments):
    return LearnedEncoding(d_model, max_len=max_len, **{"dropout": 0.0, "dtype": torch.float64, **arguments})


def rows_of(module, seq_len, **where):
    return module(torch.zeros(1, seq_len, module.d_model, dtype=module.weight.dtype), **where)[0]


@pytest.mark.parametrize("beyond", BEYOND)
def test_positions_that_have_a_row_get_that_row(beyond):
    module = plain(beyond=beyond)
    assert torch.equal(rows_of(module, 6), module.weight)
    assert torch.equal(rows_of(module, 2, start=3), module.weight[3:5])
    places = torch.tensor([5, 0, 5])
    assert torch.equal(rows_of(module, 3, positions=places), module.weight[places])


@few
@given(
    st.sampled_from(BEYOND[1:]),
    st.integers(1, 9),
    st.lists(st.integers(0, 40), min_size=1, max_size=6),
    st.integers(0, 30),
)
def test_positions_past_the_end_agree_with_the_definition(beyond, max_len, places, start):
    module = plain(max_len, beyond=beyond)
    weight = module.weight.detach().numpy()
    close = {"rtol": 0, "atol": 1e-15}  # rows are about 0.02, and the two interpolate in another order
    ours = rows_of(module, len(places), positions=torch.tensor(places)).detach()
    np.testing.assert_allclose(ours, learned.lookup(weight, places, beyond=beyond), **close)
    ours = rows_of(module, 3, start=start).detach()
    np.testing.assert_allclose(ours, learned.lookup(weight, range(start, start + 3), beyond=beyond), **close)


def test_sixteen_bit_tables_are_interpolated_in_float32():
    rounded = plain(64, 8, beyond="interpolate", dtype=torch.bfloat16)
    ours, expected = rows_of(rounded, 500).double(), rows_of(copy.deepcopy(rounded).double(), 500)
    assert ((ours - expected).abs() <= expected.abs() * 2.0**-8 + 1e-9).all()


def test_every_row_can_be_trained_and_only_those_that_were_used_are():
    # stretched to 8 rows, the positions 0, 3, 5, 7 stand at 0, 15/7, 25/7 and 5: between 2 and 3, 3 and 4
    for beyond, places, rows in (
        ("refuse", [2, 3], [2, 3]), ("clamp", [4, 5, 6], [4, 5]), ("wrap", [4, 5, 6, 7], [0, 1, 4, 5]),
        ("interpolate", [0, 3, 5, 7], [0, 2, 3, 4, 5]),
    ):  # fmt: skip
        module = plain(beyond=beyond)
        x = torch.zeros(2, len(places), 4, dtype=torch.float64, requires_grad=True)
        module(x, positions=torch.tensor(places)).sum().backward()
        assert module.weight.grad.abs().sum(-1).nonzero().flatten().tolist() == rows
        assert torch.equal(x.grad, torch.ones_like(x))


@pytest.mark.parametrize("beyond", BEYOND)
def test_batch_orders_and_positions(beyond):
    first = plain(beyond=beyond)
    second = copy.deepcopy(first)
    second.batch_first = False
    x = torch.randn(3, 5, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    places = torch.tensor([[0, 0, 1, 2, 3], [0, 1, 2, 3, 4], [4, 5, 0, 1, 2]])
    for where in ({}, {"start": 1}, {"positions": places}, {"positions": places[0]}):
        assert torch.equal(first(x, **where), second(x.transpose(0, 1), **where).transpose(0, 1))
    assert torch.equal(first(x, positions=places) - x, (first.weight[places] + x) - x)
    assert torch.equal(first(x[1]), second(x[1]))
    assert not torch.equal(first(x), second(x))  # the order is in the argument, and it matters


def test_rows_are_drawn_with_the_standard_deviation_that_is_asked_for():
    torch.manual_seed(0)
    for std in (0.02, 3.0):
        weight = LearnedEncoding(200, max_len=200, std=std).weight
        assert weight.mean().abs() < 5 * std / 200  # five standard errors of 40000 numbers
        assert abs(weight.std() / std - 1) < 5 / math.sqrt(2 * 40000)
    assert not LearnedEncoding(3, max_len=3, std=0).weight.any()


def test_a_checkpoint_with_another_length_is_refused_and_can_be_resized():
    short, long = plain(6, beyond="interpolate"), plain(9)
    with pytest.raises(RuntimeError, match="size mismatch for weight"):
        long.load_state_dict(short.state_dict())
    resized = torch.from_numpy(learned.resize(short.weight.detach().numpy(), 9))
    long.load_state_dict({"weight": resized})
    torch.testing.assert_close(rows_of(long, 9), rows_of(short, 9), rtol=0, atol=1e-15)


def test_positions_past_the_end_are_refused_by_name():
    module = plain()
    says = r"position 6 is past the last row, 5: max_len is 6; train more rows, or set beyond"
    for where in ({}, {"start": 1}, {"positions": torch.tensor([0, 1, 2, 3, 4, 5, 6])}):
        with pytest.raises(ValueError, match=says):
            rows_of(module, 7 if where.get("start") is None else 6, **where)
