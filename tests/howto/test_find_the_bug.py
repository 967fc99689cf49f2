"""The how-to on bugs: each mistake fails the test whose line names its place."""

import re

import numpy as np
import pytest

from tests.howto.cells import cells, run, text

NAMED = {
    "counts from 1": "a row at position 0 stays",
    "positions in 16 bits": "every position counts",
    "begins anew in each call": "alone as in a batch",
    "a factor": "lengths stay",
    "added": "only the difference counts",
    "a table that raises": "no table ends",
    "a table that is clamped": "no table ends",
    "neighbours": "columns of the config",
    "a narrower slice": "columns of the config",
    "clockwise": "direction of the config",
    "another base": "frequencies of the config",
    "frequencies in 16 bits": "frequencies of the config",
}


@pytest.fixture(scope="module")
def names():
    return run("find-the-bug", *range(len(cells("find-the-bug"))))


def failed(names, turn, **sizes):
    found = names["tests"](turn, **sizes) | names["compared"](turn)
    return [what for what, passed in found.items() if passed is not True]


def test_the_right_function_passes_all(names):
    assert failed(names, names["turn"]) == []
    assert failed(names, names["turn"], longest=131072) == []


def test_every_mistake_of_the_page_is_caught_by_the_line_that_names_it(names):
    assert {what: failed(names, broken)[0] for what, broken in names["wrong"].items()} == NAMED


def test_every_test_has_its_line_in_the_table_and_no_line_lacks_its_test(names):
    table = text("find-the-bug").partition("| fails | look at | more |")[2].partition("\n\n")[0]
    told = re.findall(r"^\| ([^:|]+?) \|", table, re.MULTILINE)
    run_by = [*names["tests"](names["turn"]), *names["compared"](names["turn"])]
    told[-1:] = [f"{name} of the config" for name in told[-1].removesuffix(" of the config").split(", ")]
    assert told == run_by


@pytest.mark.parametrize("rows", [10, 512, 4096, 8000])
def test_a_table_that_is_shorter_than_the_longest_text_is_blamed_for_it(names, rows):
    turn = names["turn"]
    assert failed(names, lambda x, p: turn(x, np.minimum(p, rows - 1)))[0] == "no table ends"
    assert failed(names, lambda x, p: turn(x, np.arange(rows)[p]))[0] == "no table ends"
    assert "no table ends" not in failed(names, lambda x, p: turn(x, np.arange(8192)[p]))
