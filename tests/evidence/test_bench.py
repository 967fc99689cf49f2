"""The recorded speeds: complete, and what they promise."""

import re
import statistics
from pathlib import Path

import pytest

from pe_book.evidence.records import bench

ROOT = Path(bench.__file__).resolve().parents[3]
PEERS = {"positional-encodings", "x-transformers", "transformers, Marian", "diffusers"}
WAYS = ("this book", "this book, compiled")
OURS = {way + what for way in WAYS for what in ("", ", certificates anew", ", cold")}


def test_a_part_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="part must be one of table, calls, adding, got 'tables'"):
        bench.recorded("tables")


def test_the_record_has_every_method_at_every_size():
    rows = bench.recorded("table")["rows"]
    sizes = {(row["seq_len"], row["d_model"]) for row in rows}
    assert sizes == {(4096, 512), (65536, 512)}
    for size in sizes:
        here = {row["method"] for row in rows if (row["seq_len"], row["d_model"]) == size}
        assert here > PEERS | OURS
    assert 1 in {row["threads"] for row in rows}


def test_the_record_has_no_misrounded_entry_of_ours_and_most_of_the_float32_recipes():
    for row in bench.recorded("table")["rows"]:
        if row["method"] in OURS:
            assert row["misrounded"] == 0
            assert row["entries"] == row["seq_len"] * row["d_model"]
        elif row["method"] in PEERS - {"transformers, Marian"}:
            assert row["misrounded"] > 0.7 * row["entries"]


def test_the_record_has_the_other_calls_each_against_one_of_them():
    found = {row["call"]: row for row in bench.recorded("calls")["rows"]}
    assert {row["against"] for row in found.values()} < set(found)
    assert all(row["ratio"] == 1 for name, row in found.items() if row["against"] == name)
    assert {"a row at a new place", "rows of scattered positions up to a million", "encode"} < set(found)


def test_the_requirements_of_the_benchmark_do_not_repeat_those_of_the_book():
    def pinned(path):
        lines = path.read_text(encoding="utf-8").splitlines()
        return {line.split("==")[0] for line in lines if line and not line.startswith("#")}

    book, more = (
        pinned(ROOT / "requirements.txt"),
        pinned(bench.HERE / "bench-requirements.txt"),
    )
    assert more
    assert not book & more


# ---------------------------------------------------------------- rotary

TURNED = {f"this book, {layout}{how}" for layout in ("interleaved", "halves") for how in ("", ", in place")}


def test_the_rotary_record_has_every_method_at_every_size():
    rows = bench.recorded("rotary")["rows"]
    settings = {(row["rows"], row["dtype"], row["threads"]) for row in rows}
    assert {setting[:2] for setting in settings} == {
        (n, dtype) for n in (1, 2048) for dtype in ("float32", "bfloat16")
    }
    for setting in settings:
        here = {row["method"] for row in rows if (row["rows"], row["dtype"], row["threads"]) == setting}
        assert ("cast to float32 and back" in here) == (setting[1] == "bfloat16")
        assert here >= TURNED | {"copy floor", "transformers", "x-transformers", "torchtune's form"}


def test_the_rotary_record_is_right_where_the_others_drift():
    rows = [row for row in bench.recorded("rotary")["rows"] if row["dtype"] == "float32"]
    ours = [row["off"] for row in rows if row["method"] in TURNED]
    others = [row["off"] for row in rows if row["method"] not in TURNED and row["off"] is not None]
    assert max(ours) < 1e-6 < 1e-5 < min(others)


def test_rows_of_bfloat16_are_rounded_once_and_those_of_transformers_oftener():
    """Rounded to nearest, a number is off by up to 2^-9 of the power of two above it, on average by less."""
    rows = [row for row in bench.recorded("rotary")["rows"] if row["dtype"] == "bfloat16"]
    ours = [row["off_share"] for row in rows if row["method"] in TURNED]
    theirs = [row["off_share"] for row in rows if row["method"].startswith("transformers")]
    assert max(ours) < 2**-9 < min(theirs)


def test_a_step_of_many_layers_costs_no_more_than_that_of_the_peer():
    steps = bench.recorded("decode")["rows"]
    cost = {(row["method"], row["dtype"]): row["over_peer"] for row in steps}
    for layout in ("interleaved", "halves"):
        for dtype in ("float32", "bfloat16"):
            assert cost[f"this book, {layout}", dtype] <= cost["transformers", dtype] == 1


def test_the_readme_tells_what_is_recorded_of_bfloat16():
    rows = [row for row in bench.recorded("rotary")["rows"] if row["dtype"] == "bfloat16"]
    off = {row["method"]: row["off_share"] for row in rows if (row["rows"], row["threads"]) == (2048, 1)}
    told = re.search(r"off by (\S+) ‰ .* by (\S+) ‰", (ROOT / "README.md").read_text().replace("\n", " "))
    assert told
    assert told.groups() == tuple(f"{1000 * off[name]:.1f}" for name in ("this book, halves", "transformers"))


# ---------------------------------------------------------------- biases


def ratios(part):
    return {
        row["method"]: row["over_floor"]
        for row in bench.recorded(part)["rows"]
        if "dtype" not in row or row["dtype"] == "float32"
    }


def test_the_record_of_biases_has_every_method_and_each_is_right():
    """What float32 leaves of a bias, of attention, and of attention with a bias in a column."""
    made = {row["method"]: row["off"] for row in bench.recorded("biases")["rows"]}
    for kind in ("ALiBi", "T5"):
        for way in ("into a buffer", "into new memory", "at positions", "transformers", "x-transformers"):
            assert made[f"{kind}, {way}"] < 2**-22
    for row in bench.recorded("masks")["rows"]:
        assert row["off"] < (1e-4 if row["dtype"] == "float32" else 2**-7)
    assert {row["off"] < 1e-6 for row in bench.recorded("step")["rows"] if row["off"] is not None} == {True}


def test_a_bias_costs_what_the_book_promises():
    """1.3 fills of a buffer, by four rows that make the same copy, and a twentieth for the vector."""
    made = ratios("biases")
    copies = [
        made[f"{kind}, into a buffer{causal}"] for kind in ("ALiBi", "T5") for causal in ("", ", causal")
    ]
    assert statistics.median(copies) <= 1.3
    assert max(copies) <= 1.4
    for kind in ("ALiBi", "T5"):
        assert made[f"{kind}, vector of offsets"] <= 0.05
        # where memory is written slowly, it hides more of the other's work
        assert made[f"{kind}, into a buffer"] < made[f"{kind}, transformers"] / 3


def test_three_axes_leave_the_fast_path_and_four_stay_on_it():
    attended = ratios("masks")
    assert attended["(h, n, n), causal"] > 2 * attended["(1, h, n, n), causal"]
    assert attended["(1, h, 1, n)"] < attended["(1, h, n, n)"] < attended["(h, n, n)"] / 2
    assert attended["one more column, is_causal"] < attended["(1, h, n, n), causal"]
