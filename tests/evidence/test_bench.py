"""The recorded speeds: complete, and what they promise."""

import re
from pathlib import Path

from pe_book.evidence.records import bench

ROOT = Path(bench.__file__).resolve().parents[3]
PEERS = {"positional-encodings", "x-transformers", "transformers, Marian", "diffusers"}
WAYS = ("this book", "this book, compiled")
OURS = {way + what for way in WAYS for what in ("", ", certificates anew", ", cold")}


def test_the_record_has_no_misrounded_entry_of_ours_and_most_of_the_float32_recipes():
    for row in bench.recorded("table")["rows"]:
        if row["method"] in OURS:
            assert row["misrounded"] == 0
            assert row["entries"] == row["seq_len"] * row["d_model"]
        elif row["method"] in PEERS - {"transformers, Marian"}:
            assert row["misrounded"] > 0.7 * row["entries"]


def test_the_requirements_of_the_benchmark_do_not_repeat_those_of_the_book():
    def pinned(path):
        lines = path.read_text(encoding="utf-8").splitlines()
        return {line.split("==")[0] for line in lines if line and not line.startswith("#")}

    more = pinned(bench.HERE / "bench-requirements.txt")
    assert more
    assert not more & pinned(ROOT / "requirements.txt")


# ---------------------------------------------------------------- rotary

TURNED = {f"this book, {layout}{how}" for layout in ("interleaved", "halves") for how in ("", ", in place")}


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


def test_the_readme_tells_what_is_recorded_of_bfloat16():
    rows = [row for row in bench.recorded("rotary")["rows"] if row["dtype"] == "bfloat16"]
    off = {row["method"]: row["off_share"] for row in rows if (row["rows"], row["threads"]) == (2048, 1)}
    told = re.search(r"off by (\S+) ‰ .* by (\S+) ‰", (ROOT / "README.md").read_text().replace("\n", " "))
    assert told
    assert told.groups() == tuple(f"{1000 * off[name]:.1f}" for name in ("this book, halves", "transformers"))


# ---------------------------------------------------------------- biases


def test_the_record_of_biases_has_every_method_and_each_is_right():
    """What float32 leaves of a bias, of attention, and of attention with a bias in a column."""
    made = {row["method"]: row["off"] for row in bench.recorded("biases")["rows"]}
    for kind in ("ALiBi", "T5"):
        for way in ("into a buffer", "into new memory", "at positions", "transformers", "x-transformers"):
            assert made[f"{kind}, {way}"] < 2**-22
    for row in bench.recorded("masks")["rows"]:
        assert row["off"] < (1e-4 if row["dtype"] == "float32" else 2**-7)
    assert {row["off"] < 1e-6 for row in bench.recorded("step")["rows"] if row["off"] is not None} == {True}
