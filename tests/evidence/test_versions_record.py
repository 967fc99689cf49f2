"""The record of the versions that the package was tried with, and the sentence of the README made from it."""

import pytest

from pe_book.evidence.records import versions
from pe_book.evidence.records.record import ROOT

written = pytest.mark.skipif(
    not versions.RECORD.file.exists(), reason="nothing is recorded yet: make versions RECORD=yes does it"
)


@pytest.fixture
def record(tmp_path):
    """A small record of the code that stands here."""
    small = versions.RECORD._replace(file=tmp_path / "versions.json")
    tried = [
        {"versions": {"Python": "3.11.2", "numpy": "2.0.0"}, "passed": 3},
        {"versions": {"Python": "3.13.0", "numpy": "2.5.5"}, "passed": 4},
    ]
    small.write({"tried": tried, "missing": ["3.12", "3.14"]})
    return small


def test_what_was_written_is_read_and_said(record):
    found = versions.recorded(record)
    assert [one.passed for one in found.tried] == [3, 4]
    assert found.sentence() == (
        "The package passed its tests on Python 3.11.2 and numpy 2.0.0; on Python 3.13.0 and numpy 2.5.5. "
        "Promised, not tested: Python 3.12, 3.14."
    )


@written
def test_the_readme_says_what_was_tried_and_what_is_only_promised():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert versions.recorded().sentence() in readme


@written
def test_every_recorded_trial_passed_many_tests_with_each_package():
    for trial in versions.recorded().tried:
        assert list(trial.versions) == ["Python", "numpy", "mpmath", "numba", "torch"]
        assert trial.passed >= 1000
