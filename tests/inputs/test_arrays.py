"""Which memory and which numbers are taken: what inputs.arrays decides before anything is computed."""

from itertools import product

import numpy as np
import pytest
import torch

import pe_book as pe
from pe_book.inputs.arrays import overlaps_itself


def shares(shape, strides, size):
    """The answer by listing every byte."""
    seen = [
        i * strides[0] + j * strides[1] + byte
        for i in range(shape[0]) for j in range(shape[1]) for byte in range(size)
    ]  # fmt: skip
    return len(seen) != len(set(seen))


@pytest.mark.parametrize("size", [1, 2])
def test_overlap_is_found_exactly_where_two_entries_have_a_byte_in_common(size):
    cases = list(product(product(range(5), range(4)), product(range(-9, 10), range(-9, 10))))
    verdicts = [shares(shape, strides, size) for shape, strides in cases]
    assert {True, False} == set(verdicts)
    for (shape, strides), wanted in zip(cases, verdicts, strict=True):
        assert overlaps_itself(shape, strides, size) is wanted, (shape, strides)


OVERLAPPING = {
    "a row for all": ((3, 4), (0, 4)),
    "a column for all": ((3, 4), (16, 0)),
    "rows one entry apart": ((4, 6), (4, 4)),
    "rows half an entry apart": ((2, 4), (16, 2)),
}


@pytest.mark.parametrize("name", OVERLAPPING)
def test_an_array_whose_entries_share_memory_is_refused_and_left_alone(name):
    memory = np.full(64, 7, "float32")
    shape, strides = OVERLAPPING[name]
    out = np.lib.stride_tricks.as_strided(memory, shape, strides)
    with pytest.raises(ValueError, match=r"out must have a place in memory for each entry, got strides"):
        pe.table(*shape, out=out)
    assert (memory == 7).all()


@pytest.mark.parametrize("make", [np.array, torch.tensor], ids=["numpy", "torch"])
def test_a_start_may_be_an_array_or_a_tensor_without_axes(make):
    assert np.array_equal(pe.table(3, 4, start=make(7)), pe.table(3, 4, start=7))
    assert torch.equal(pe.nn.table(3, 4, start=make(7)), pe.nn.table(3, 4, start=7))
    assert pe.error(pe.table(3, 4, start=7), start=make(7)).misrounded == 0
    assert pe.error(pe.table(3, 4, start=7), start=make(8)).misrounded > 0


@pytest.mark.parametrize(
    "start",
    [
        np.array(7.0), np.array(True), np.array([7]), np.ma.array(7), torch.tensor(7.0), torch.tensor([7]),
        torch.tensor(True), torch.tensor(7, device="meta"), np.array("7"), [7],
    ],
)  # fmt: skip
def test_what_holds_no_single_whole_number_is_no_start(start):
    with pytest.raises(TypeError, match="start must be a whole number, got "):
        pe.table(3, 4, start=start)
