"""The how-to on bugs: in a program of another make, each mistake first fails the test that names it."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import pe_book as pe
from pe_book.family.rotary.bugs import tried
from tests.howto.bugs.other_programs import (
    BUGS,
    LLAMA3,
    OPTIONS,
    PART,
    PROPORTIONAL,
    YARN,
    Case,
    attending,
    by_table,
    halves,
    ladder,
    raising,
    turning,
)
from tests.howto.cells import cells, run
from tests.pages.sources import typed_rows

SEEDS = range(20)
NAMED = {
    "counts from 1": "a row at position 0 stays",
    "sine and cosine exchanged": "a row at position 0 stays",
    "begins anew in each call": "alone as in a batch",
    "a table that raises": "no table ends",
    "a table that is clamped": "no table ends",
    "a table that is added": "zeros stay zeros",
    "a factor": "the factor of the config",
    "a table of the other pairing": "a pair turns by one angle",
    "angles in 16 bits": "only the difference counts",
    "positions in 16 bits": "every position counts",
    "neighbours": "columns of the config",
    "a narrower slice": "columns of the config",
    "clockwise": "direction of the config",
    "another base": "frequencies of the config",
    "frequencies in 16 bits": "far rows of the config",
    "cosines in 16 bits": "last digits of the config",
}
NAMED_BY_MORE = {
    "a slice with a ladder of its own": "partial is not proportional",
    "the ladder for learned frequencies": "learned frequencies are taken",
    "a kernel without the sink": "a sink takes its share",
}


@pytest.mark.parametrize(("row", "mistake", "make", "given"), BUGS, ids=[" ".join(bug[:2]) for bug in BUGS])
def test_a_mistake_first_fails_the_test_whose_row_names_it(row, mistake, make, given):
    first = set()
    for seed in SEEDS:
        case = Case(seed, **{key: value for key, value in given.items() if key not in OPTIONS})
        made = make(case)
        options = {"longest": given["longest"]} if "longest" in given else {}
        options |= {"learned": case.learned} if "learned" in given else {}
        if "attend" in given:
            options, made = {"attend": made, "sink": case.sink}, case.turn()
        first.add(case.failed(*(made if isinstance(made, tuple) else (made,)), **options)[0])
    assert first == {row}


@pytest.mark.parametrize("given", [{}, PART, YARN, LLAMA3, PROPORTIONAL], ids=str)
def test_a_program_of_another_make_passes_all(given):
    for seed in SEEDS:
        case = Case(seed, **given)
        turn = turning(case.pairs, case.layer.frequencies, factor=case.layer.attention_factor)
        assert case.failed(turn) == case.failed(turn, turn, longest=131072) == []


@pytest.mark.parametrize("given", [{}, PART], ids=str)
def test_learned_frequencies_and_a_sink_that_are_there_pass_all(given):
    for seed in SEEDS:
        case = Case(seed, **given)
        turn = turning(case.pairs, case.learned)
        for more in ({}, {"causal": True}, {"causal": True, "window": 3}):
            attend = attending(case, **more)
            assert case.failed(turn, learned=case.learned, attend=attend, sink=case.sink) == []


def test_the_layers_of_gemma_4_that_see_everything_are_told_from_partial_rotary():
    for seed in SEEDS:
        case = Case(seed)
        block = {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": case.base}
        blocks = {"full_attention": block, "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}
        gemma = {"model_type": "gemma4_text", "num_hidden_layers": 6, "head_dim": 32,
                 "global_head_dim": case.d, "rope_parameters": blocks}  # fmt: skip
        case.layer, right = pe.rotary_from_config(gemma)[5], ladder(case.d, case.base)
        right[case.d // 8 :] = 0
        assert case.failed(turning(halves(case.d), right)) == []
        wrong = turning(halves(case.d // 4), ladder(case.d // 4, case.base))
        assert case.failed(wrong)[0] == "partial is not proportional"


def test_a_layer_that_was_edited_by_hand_is_refused_by_name():
    case = Case(0)
    for edited, says in (
        ({"rotary_dim": case.d // 2}, "frequencies must have shape"),
        ({"side": "left"}, "side must be 'first' or 'last'"),
        ({"rotary_dim": 0, "kind": "learned"}, "layer must be one that turns, got one of kind 'learned'"),
    ):
        with pytest.raises(ValueError, match=says):
            tried(case.turn(), replace(case.layer, **edited))
    with pytest.raises(ValueError, match="attend and sink must be given together"):
        tried(case.turn(), case.layer, sink=1.0)


@pytest.mark.parametrize("length", [128, 300, 2048, 12000, 32000])
def test_texts_of_any_length_are_tested_within_it(length):
    case, reached = Case(3), []

    def turn(rows, positions):
        reached.extend(positions)
        return case.turn()(rows, positions)

    assert case.failed(turn, longest=length) == []
    assert max(reached) == length - 1
    assert case.failed(by_table(case, length, raising), longest=length) == []
    assert case.failed(by_table(case, length // 2, raising), longest=length)[0] == "no table ends"


# What a program may take and return ------------------------------------------------------------------------


class Module(torch.nn.Module):
    """A module that takes tensors alone, with its frequencies in a buffer, and pairs halves."""

    def __init__(self, d, base=10000.0):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / base ** (torch.arange(0, d, 2).float() / d))

    def forward(self, rows, positions):
        t = torch.outer(positions.to(self.inv_freq.dtype), self.inv_freq)
        t = torch.cat([t, t], dim=-1)
        a, b = rows.chunk(2, dim=-1)
        return rows * t.cos() + torch.cat([-b, a], dim=-1) * t.sin()


LAYER = pe.rotary_from_config({"model_type": "llama", "head_dim": 16})[0]


def first_failed(turn, **given):
    return next((what for what, passed in tried(turn, LAYER, **given).items() if passed is not True), None)


def in_lists(rows, positions):
    """Lists in, lists out, with a loop over all numbers."""
    assert type(rows) is type(positions) is list
    for row, p in zip(rows, positions, strict=True):
        for i in range(8):
            t = p / 10000 ** (i / 8)
            a, b = row[i], row[i + 8]
            row[i], row[i + 8] = a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)
    return rows


def test_modules_tensors_and_lists_are_taken():
    module = Module(16)
    assert first_failed(module) is None
    assert first_failed(lambda x, p: module(x.float(), p).requires_grad_()) is None
    assert first_failed(lambda x, p: module(x, p)[None, None]) is None
    assert first_failed(in_lists) is None
    assert first_failed(lambda x, p: torch.from_numpy(pe.rotate(x, p, layout="halves"))) is None


def test_a_module_that_wants_rows_of_its_own_dtype_gets_them():
    module, weight = Module(16), torch.eye(16)
    assert first_failed(lambda x, p: module(x @ weight, p)) is None


def test_a_cast_of_the_whole_module_is_told_by_what_it_rounds():
    assert first_failed(Module(16).bfloat16()) == "only the difference counts"
    assert first_failed(Module(16).half()) == "only the difference counts"


def test_what_a_program_raises_is_told():
    assert "no such" in tried(lambda x, p: {}["no such"], LAYER)["alone as in a batch"]
    assert "(1, 16), got (16, 16)" in tried(lambda x, p: np.eye(16), LAYER)["alone as in a batch"]


# The page --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def names():
    return run("find-the-bug", *range(len(cells("find-the-bug"))))


def test_every_mistake_of_the_page_is_caught_by_the_line_that_names_it(names):
    assert names["wrong"].keys() == NAMED.keys()
    for what, broken in names["wrong"].items():
        assert first_failed(broken) == NAMED[what]


def test_every_test_has_its_line_in_the_table_and_no_line_lacks_its_test_or_a_planted_mistake(names):
    told = [fails for fails, *_ in typed_rows("| fails | look at")]
    assert told == list(tried(names["turn"], names["layer"]))
    assert set(told) == {*NAMED.values(), *NAMED_BY_MORE.values(), *(row for row, *_ in BUGS)}


def test_mistakes_that_need_more_than_the_config_are_caught_by_the_line_that_names_them(names):
    assert names["first"] == NAMED_BY_MORE
