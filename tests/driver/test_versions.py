"""The environments of other versions: what is asked of pip, and what is said of what is not here."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import environment
from driver import commands, versions
from environment import Refusal
from tests.conftest import pytest_collection_modifyitems

METADATA = """[project]
dependencies = ["numpy>=2.0", "mpmath>=1.3"]
[project.optional-dependencies]
fast = ["numba>=0.61"]
torch = ["torch>=2.9"]
study = ["pe_book[torch]", "matplotlib>=3.9"]
"""
FOUND = {"3.11": "/a/python", "3.12": "/b/python", "3.13": "/c/python"}


def refuse(command, **_):
    return 1


def test_the_floors_are_those_of_the_metadata():
    assert versions.floors(METADATA) == {"numpy": "2.0", "mpmath": "1.3", "numba": "0.61", "torch": "2.9"}


def test_the_oldest_meets_the_oldest_and_the_newest_the_newest():
    oldest, newest = versions.trials(FOUND)
    floors = versions.floors((environment.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert (oldest.python, newest.python) == ("/a/python", "/c/python")
    assert oldest.wanted == [f"{name}=={floor}" for name, floor in floors.items()]
    assert newest.wanted == ["numpy", "mpmath", "numba", "torch"]


def test_a_python_that_does_not_start_or_is_another_is_missing(tmp_path, monkeypatch):
    """A shim of pyenv is on PATH for versions that are not chosen, and fails."""
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    says = {"python3.11": "3.11.9", "python3.12": "3.11.9", "python3.13": None, "python3.14": "3.14.1"}

    def run(command, **_):
        said = says.get(command[0])
        return SimpleNamespace(returncode=0 if said else 127, stdout=f"{said}\n")

    found, missing = versions.pythons(run=run, which=lambda name: name)
    assert (found, missing) == ({"3.11": "python3.11", "3.14": "python3.14"}, ["3.12", "3.13"])


def test_a_failing_test_is_a_failing_trial(tmp_path, monkeypatch):
    monkeypatch.setattr(versions, "made", lambda *_: Path(sys.executable))
    trial = versions.Trial("oldest", sys.executable, [])
    with pytest.raises(Refusal, match="oldest: the tests failed"):
        versions.tried(trial, Path("a.whl"), tmp_path, commands.needs_torch, refuse)


def test_what_was_lost_or_skipped_has_not_passed(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text('<testsuites><testsuite tests="9" failures="1" errors="1" skipped="2"/></testsuites>')
    assert versions.passed(report) == 5


def test_every_chosen_test_is_in_one_seventh():
    kept, dropped = [], []
    hook = SimpleNamespace(pytest_deselected=lambda items: dropped.append(items))
    for part in range(7):
        items = [*"abcdefghijklmnop"]
        config = SimpleNamespace(getoption=lambda name, part=part: part, hook=hook)
        pytest_collection_modifyitems(config, items)
        kept += items
        assert sorted(items + dropped[-1]) == [*"abcdefghijklmnop"]
    assert sorted(kept) == [*"abcdefghijklmnop"]
