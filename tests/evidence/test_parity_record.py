"""The record of the parity: what it holds, and the tables made from it."""

import re
from pathlib import Path

import pytest

from pe_book.evidence.records import parity
from pe_book.show.reference import parity as show

ROOT = Path(__file__).resolve().parents[2]
EQUAL = parity.Agreement("Model", "library", "1.0", "rows", "halves", 0.0, 2e-5)
APART = parity.Agreement("linear", "library", "1.0", "frequencies", "each once", 3e-8, 1e-6)
BIASED = parity.Agreement("slopes", "library", "1.0", "biases", "one a head", 2e-8, 1e-6)
WHOLE = parity.Agreement("a layer", "library", "1.0", "attention", "not divided", 1e-16, 1e-12)
WRONG = parity.Defect("turn(x, offset=5)", "first angle", "library", "1.0", "0", "5")


@pytest.fixture
def record(tmp_path):
    """A small record of the code that stands here."""
    small = parity.RECORD._replace(file=tmp_path / "parity.json")
    small.write(parity.written([EQUAL, APART, BIASED, WHOLE], [WRONG]))
    return small


def test_what_was_written_is_read(record):
    found = parity.recorded(record)
    assert (found.agreements, found.defects) == ([EQUAL, APART, BIASED, WHOLE], [WRONG])
    assert found.of("frequencies") == [APART]
    assert found.libraries() == {"library": "1.0"}
    assert found.largest("frequencies") == 3e-8
    assert found.all_within().evidence["of"] == found.standing
    assert "| linear | ${3.0 \\cdot 10^{-8}}$ |" in show.frequencies(found).markdown()
    assert "| slopes | ${2.0 \\cdot 10^{-8}}$ |" in show.biases(found).markdown()
    assert "| a layer | ${1.0 \\cdot 10^{-16}}$ |" in show.attention(found).markdown()
    assert "| `turn(x, offset=5)` | 0 | 5 |" in show.defects(found).markdown()


def test_a_difference_above_its_bound_is_seen(record):
    assert parity.recorded(record).all_within()
    for wrong in ([EQUAL._replace(difference=3e-5)], [EQUAL._replace(difference=float("nan"))], []):
        record.write(parity.written(wrong, []))
        assert not parity.recorded(record).all_within()


def test_the_committed_record_is_of_the_pinned_libraries():
    lines = "".join(
        file.read_text(encoding="utf-8")
        for file in (
            ROOT / "requirements.txt",
            ROOT / "tests" / "parity" / "requirements.txt",
            parity.HERE / "bench-requirements.txt",
        )
    )
    pinned = dict(re.findall(r"^([\w.-]+)==([\w.]+)", lines, re.MULTILINE))
    found = parity.recorded()
    for one in (*found.agreements, *found.defects):
        assert pinned[one.library] == one.version
    assert {one.kind for one in found.agreements} == set(parity.KINDS)
    assert found.all_within()
