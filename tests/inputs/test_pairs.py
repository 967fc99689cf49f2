"""The two layouts: one place knows them, and everything else asks it."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch

import pe_book
import pe_book as pe
from pe_book.inputs.pairs import as_complex, column, columns, copy_into, join, split
from pe_book.nn import pairs as on_tensors

layouts = pytest.mark.parametrize("layout", ["interleaved", "halves"])

# Written out by hand: pairs 0, 1, 2 with sines 0, 1, 2 and cosines 10, 11, 12.
SINES, COSINES = np.array([0.0, 1, 2]), np.array([10.0, 11, 12])
ROWS = {"interleaved": [0, 10, 1, 11, 2, 12], "halves": [0, 1, 2, 10, 11, 12]}


@layouts
def test_a_row_taken_apart_and_put_together_by_hand(layout):
    sine, cosine = split(np.array(ROWS[layout], float), layout)
    assert (sine.tolist(), cosine.tolist()) == (SINES.tolist(), COSINES.tolist())
    assert join(SINES, COSINES, layout).tolist() == ROWS[layout]


@layouts
def test_the_parts_of_a_row_are_views_and_a_joined_row_is_not(layout):
    x = np.zeros((2, 6))
    sine, cosine = split(x, layout)
    sine[...], cosine[...] = 1, 2
    assert x.sum() == 2 * 3 * 3
    assert not np.shares_memory(join(sine, cosine, layout), x)


@layouts
@pytest.mark.parametrize("d", [2, 4, 6, 10])
def test_the_column_of_a_part_is_where_split_finds_it(layout, d):
    x = np.arange(d)
    for part, found in enumerate(split(x, layout)):
        assert [column(i, part, d, layout) for i in range(d // 2)] == found.tolist()
        assert list(columns(d, layout)[part]) == found.tolist()


@layouts
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_interleaved_values_are_written_to_rows_of_a_layout(layout, dtype):
    values, rows = np.random.default_rng(1).normal(size=(3, 8)), np.zeros((3, 8), dtype)
    copy_into(rows, values, layout)
    assert np.array_equal(rows, pe.relayout(values, source="interleaved", to=layout).astype(dtype))


def test_rows_are_complex_numbers_only_where_a_pair_lies_side_by_side():
    rows = np.array([[0.0, 10, 1, 11]])
    assert as_complex(rows, "interleaved").tolist() == [[10j, 1 + 11j]]
    assert np.shares_memory(as_complex(rows, "interleaved"), rows)
    assert as_complex(rows.astype("float32"), "interleaved").dtype == np.complex64
    for other in (rows.astype("float16"), np.zeros((4, 8))[:, ::2], np.asfortranarray(np.zeros((4, 4)))):
        assert as_complex(other, "interleaved") is None
    assert as_complex(rows, "halves") is None


@layouts
def test_tensors_are_split_and_joined_as_arrays_are(layout):
    x = np.random.default_rng(2).normal(size=(2, 3, 8))
    parts = split(torch.from_numpy(x), layout)
    for part, wanted in zip(parts, split(x, layout), strict=True):
        assert np.array_equal(part.numpy(), wanted)
    assert np.array_equal(on_tensors.join(*parts, layout).numpy(), x)


def test_no_other_module_takes_a_row_apart_by_itself():
    """`layout == "halves"`, `x[..., 0::2]`, `x[..., : d // 2]` and their like stand in pairs alone."""
    by_hand = re.compile(
        r"""[!=]=\s*["'](?:halves|interleaved)["']|[01]::2\b|:\s*\w+\s*//\s*2\s*\]|//\s*2\s*:\s*\]"""
        r"""|\bstack\(\[\w+\.(?:sin|cos)"""
    )
    assert by_hand.search("s = rows[..., 0::2]")
    assert by_hand.search("rows[..., : width // 2]")
    assert by_hand.search('if layout == "halves":')
    root = Path(pe_book.__file__).parent
    names = {path.relative_to(root).as_posix(): path for path in root.rglob("*.py")}
    others = [path for name, path in names.items() if not name.startswith(_OUTSIDE)]
    assert len(others) > 40
    found = [f"{path.name}: {hit[0]}" for path in others if (hit := by_hand.search(path.read_text("utf-8")))]
    assert found == []


_OUTSIDE = (
    "inputs/pairs.py",
    "show/",
    "evidence/",
    "nn/trial/",
    "sinusoidal/readings.py",
    "config/formats/effects.py",
)  # drawings, experiments and what others write stand as they are compared
