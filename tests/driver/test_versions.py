"""The environments of other versions: what is asked of pip, and what is said of what is not here."""

import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from book import ROOT, Refusal
from driver import versions
from tests.conftest import pytest_collection_modifyitems


def test_the_floors_are_those_of_the_metadata():
    floors = versions.metadata()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [f"{name}>={floor}" for name, floor in floors.items()][:2] == project["dependencies"]
    assert floors.keys() == {"numpy", "mpmath", "numba", "torch"}


def test_a_python_that_does_not_start_or_is_another_is_missing(tmp_path, monkeypatch):
    """A shim of pyenv is on PATH for versions that are not chosen, and fails."""
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    says = {"python3.11": "3.11.9", "python3.12": "3.11.9", "python3.13": "", "python3.14": "3.14.1"}
    monkeypatch.setattr(versions.shutil, "which", lambda name: name)
    monkeypatch.setattr(versions, "said", lambda python, *_: f"Python {says[python]}")
    assert versions.pythons() == ({"3.11": "python3.11", "3.14": "python3.14"}, ["3.12", "3.13"])


def test_a_failing_test_is_a_failing_trial(monkeypatch):
    monkeypatch.setattr(versions, "made", lambda *_: Path(sys.executable))
    monkeypatch.setattr(versions.subprocess, "call", lambda *_, **__: 1)
    with pytest.raises(Refusal, match=r"The tests failed with numpy==2\.0"):
        versions.tried("python", ["numpy==2.0"], Path("a.whl"), ())


def test_what_was_lost_or_skipped_has_not_passed(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text('<testsuites><testsuite tests="9" failures="1" errors="1" skipped="2"/></testsuites>')
    assert versions.passed(report) == 5


def test_every_chosen_test_is_in_one_part():
    kept, dropped = [], []
    hook = SimpleNamespace(pytest_deselected=lambda items: dropped.append(items))
    for part in range(5):
        items = [*"abcdefghijklmnop"]
        config = SimpleNamespace(getoption=lambda name, part=part: f"{part}/5", hook=hook)
        pytest_collection_modifyitems(config, items)
        kept += items
        assert sorted(items + dropped[-1]) == [*"abcdefghijklmnop"]
    assert sorted(kept) == [*"abcdefghijklmnop"]
