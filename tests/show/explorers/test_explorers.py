"""Explorers without a browser: their formulas beside Python's, and what pages load for them."""

import importlib
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import pe_book as pe
from pe_book.show.family.turned_hands import two_positions
from tests.show.scripts import asked, script

REPO = Path(__file__).resolve().parents[3]
STATIC = REPO / "docs" / "_static"
PLACES = [(0, 0), (5, 2), (2, 5), (63, 0), (0, 63), (63, 63), (17, 40), (62, 1)]
LAYOUTS = ("interleaved", "halves")


@pytest.fixture(scope="module")
def bundle():
    sys.path.insert(0, str(REPO / "docs" / "_ext"))
    try:
        return importlib.import_module("bookish.write.bundle")
    finally:
        sys.path.pop(0)


@pytest.fixture(scope="module")
def given():
    return two_positions().given


MATHS = script("rotary-maths.js")


def in_pairs(row, layout):
    return pe.relayout(row, source=layout, to="interleaved").reshape(-1, 2)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_scripts_rotate_as_python_does(given, layout):
    query, key, omega = (np.array(given[name]) for name in ("query", "key", "frequencies"))
    rows = {"q": given["query"], "k": given["key"], "w": given["frequencies"], "places": PLACES}
    ask = (
        "places.map(([m, n]) => [rotary.turned(q, m, w, layout), rotary.turned(k, n, w, layout), "
        "rotary.products(q, k, m, n, w, layout), rotary.score(q, k, m, n, w, layout)])"
    )
    for (m, n), answer in zip(PLACES, asked(ask, MATHS, layout=layout, **rows), strict=True):
        turned = [
            pe.rotate(row, place, frequencies=omega, layout=layout) for row, place in ((query, m), (key, n))
        ]
        hands = [in_pairs(row, layout) for row in turned]
        right = [*hands, (hands[0] * hands[1]).sum(axis=1), turned[0] @ turned[1]]
        for found, due in zip(answer, right, strict=True):
            np.testing.assert_allclose(found, due, rtol=0, atol=1e-12)


def test_columns_pair_and_move_as_python_moves_them():
    for layout in LAYOUTS:
        pairs = pe.permutation(8, source=layout, to="interleaved").reshape(-1, 2)
        assert asked("rotary.pairs(8, layout)", MATHS, layout=layout) == pairs.tolist()
    moved = pe.relayout(np.arange(8.0), source="interleaved", to="halves")
    assert asked("rotary.moved([0, 1, 2, 3, 4, 5, 6, 7])", MATHS) == moved.tolist()


@pytest.mark.parametrize("x", [-0.0, 0.004, 1.005, 8])
def test_numbers_are_written_as_python_writes_them(x):
    assert asked("written(x)", MATHS, x=x) == f"{x:.2f}".replace("-0.00", "0.00").replace("-", "−")


# ---- what pages load


def test_a_page_loads_what_its_explorers_need(bundle):
    plain = bundle.files_of("<p>&lt;pe-rotary of a text</p>")
    assert not [file for files in plain.values() for file in files if "explorers/" in file]
    for element, files in bundle.EXPLORERS.items():
        loaded = bundle.files_of(f'<figure><{element} data-given="{{}}"></{element}></figure>')
        assert [
            *loaded["styles"][len(plain["styles"]) :],
            *loaded["scripts"][len(plain["scripts"]) :],
        ] == files
        assert loaded["scripts"].index(files[-1]) == len(loaded["scripts"]) - 1


def test_every_file_of_explorers_belongs_to_one(bundle):
    known = {file for files in bundle.EXPLORERS.values() for file in files}
    assert known == {f"explorers/{file.name}" for file in (STATIC / "explorers").iterdir()}


def test_scripts_of_explorers_can_stand_on_one_page():
    """Classic scripts share their names: one that two declare would stop the second."""
    declared = [
        name
        for file in [*STATIC.glob("*.js"), *(STATIC / "explorers").glob("*.js")]
        for name in re.findall(r"(?m)^(?:const|let|var|class|function) (\w+)", file.read_text("utf-8"))
    ]
    assert len(declared) > len(set(STATIC.glob("explorers/*.js")))
    assert sorted(declared) == sorted(set(declared))
