"""The record of the fuzz."""

import pytest

from pe_book.evidence.records import fuzz


@pytest.fixture
def record(tmp_path):
    """A small record of the code that stands here."""
    counts = dict(zip(fuzz.OUTCOMES, (5, 3, 0), strict=True))
    small = fuzz.RECORD._replace(file=tmp_path / "fuzz.json")
    functions = {"why.counting.shear": counts, "nn.encode": counts}
    small.write({"versions": {"Python": "3.11"}, "functions": functions})
    return small


def test_what_was_written_is_read(record):
    found = fuzz.recorded(record)
    assert found.versions == {"Python": "3.11"}
    assert found.sums() == {"right result": 10, "refused": 6, "anything else": 0}
    assert found.sums(["nn.encode"])["refused"] == 3


def test_the_committed_record_is_large_and_holds_nothing_but_results_and_refusals():
    sums = fuzz.recorded().sums()
    assert sum(sums.values()) >= 25_000
    assert sums["anything else"] == 0
