"""The examples of the public names run as a reader pastes them, after the usual imports and nothing else."""

import doctest
import sys

import numpy as np
import pytest

import pe_book as pe

try:
    import torch
except ImportError:
    torch = None

USUAL = {"np": np, "pe": pe, "torch": torch}
PACKAGES = {"numpy": pe, **({"torch": pe.nn} if torch else {})}


def examples(side):
    """The examples of each public name of one side, and of the methods that it defines itself."""
    for record in pe.catalogue():
        if getattr(record, side):
            shown = getattr(PACKAGES[side], record.name)
            module = sys.modules[shown.__module__]
            found = doctest.DocTestFinder().find(shown, record.name, module=module, globs=USUAL)
            yield from (pytest.param(one, id=f"{side} {one.name}") for one in found if one.examples)


def complaints(example):
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False)
    runner.run(example, out=said.append)
    return "".join(said)


@pytest.mark.parametrize("example", [one for side in PACKAGES for one in examples(side)])
def test_an_example_runs_as_it_is_pasted(example):
    assert complaints(example) == ""


@pytest.mark.parametrize("side", PACKAGES)
def test_every_public_name_has_an_example(side):
    shown = {param.values[0].name.partition(".")[0] for param in examples(side)}
    assert {record.name for record in pe.catalogue() if getattr(record, side)} == shown


@pytest.mark.parametrize("text", [">>> encode(0, 2).shape\n(2,)", ">>> pe.encode(0, 2).shape\n(3,)"])
def test_a_name_out_of_its_module_and_a_wrong_result_are_seen(text):
    planted = doctest.DocTestParser().get_doctest(text, dict(USUAL), "planted", None, None)
    assert "planted" in complaints(planted)
