"""The environments of other versions: what is asked of pip, and what is said of what is not here."""

import subprocess
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


def test_without_torch_none_is_asked_for():
    assert all("torch" not in name for one in versions.trials(FOUND, torch=False) for name in one.wanted)


def test_the_smoke_test_downloads_no_torch_and_finds_the_pinned_one():
    trial = versions.smoke()
    assert [name.partition("==")[0] for name in trial.wanted] == ["numpy", "mpmath"]
    assert (Path(trial.beside) / "pytest").is_dir()


def test_a_python_that_does_not_start_or_is_another_is_missing(tmp_path, monkeypatch):
    """A shim of pyenv is on PATH for versions that are not chosen, and fails."""
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    says = {"python3.11": "3.11.9", "python3.12": "3.11.9", "python3.13": None, "python3.14": "3.14.1"}

    def run(command, **_):
        said = says.get(command[0])
        return SimpleNamespace(returncode=0 if said else 127, stdout=f"{said}\n")

    found, missing = versions.pythons(run=run, which=lambda name: name)
    assert (found, missing) == ({"3.11": "python3.11", "3.14": "python3.14"}, ["3.12", "3.13"])


def test_this_python_is_found():
    found, _ = versions.pythons(which=lambda _: None)
    version = environment.dotted(sys.version_info[:2])
    said = subprocess.run([found[version], "-V"], capture_output=True, text=True, check=True).stdout
    assert said.split()[1].startswith(version)


def test_what_pip_cannot_install_is_refused(tmp_path):
    trial = versions.Trial("oldest", sys.executable, ["numpy==2.0"])

    def no_pip(command, **_):
        return int("pip" in command)

    with pytest.raises(Refusal, match="pip could not install oldest"):
        versions.made(trial, Path("a.whl"), tmp_path, no_pip)


def test_the_extras_are_asked_of_the_wheel_so_that_their_floors_count(tmp_path):
    ran = []
    tries = {
        "a.whl[fast,torch]": ["numba==0.61", "torch==2.9"],
        "a.whl[torch]": ["torch"],
        "a.whl": ["numpy"],
    }
    for asked, wanted in tries.items():
        trial = versions.Trial("oldest", sys.executable, wanted)
        versions.made(trial, Path("a.whl"), tmp_path, lambda command, **_: ran.append(command))
        assert asked in ran[-1]


def test_a_failing_test_is_a_failing_trial(tmp_path, monkeypatch):
    monkeypatch.setattr(versions, "made", lambda *_: Path(sys.executable))
    trial = versions.Trial("oldest", sys.executable, [])
    with pytest.raises(Refusal, match="oldest: the tests failed"):
        versions.tried(trial, Path("a.whl"), tmp_path, commands.needs_torch, refuse)


def test_what_was_lost_or_skipped_has_not_passed(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text('<testsuites><testsuite tests="9" failures="1" errors="1" skipped="2"/></testsuites>')
    assert versions.passed(report) == 5


def test_a_full_disk_is_said_before_anything_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(versions.shutil, "disk_usage", lambda _: SimpleNamespace(free=5e9))
    with pytest.raises(Refusal, match="needs 12 GB of disk; 5 GB are free"):
        versions.run_all(tmp_path, commands.needs_torch)


def test_examples_of_figures_and_experiments_are_left_out():
    files = versions.examples(False, commands.needs_torch)
    assert "pe_book/why/counting.py" in files
    assert not [file for file in files if file.startswith(("pe_book/show", "pe_book/evidence"))]
    assert "pe_book/nn/functional/rotary.py" in set(versions.examples(True, commands.needs_torch)) - set(
        files
    )


@pytest.fixture
def weekly(monkeypatch):
    """What `make thorough` would run, without running it."""
    ran = []
    monkeypatch.setenv("TORCH", "no")
    monkeypatch.setattr(commands, "built", lambda: 0)
    monkeypatch.setattr(commands, "call", lambda *words, **_: ran.append(words) or 0)
    monkeypatch.setattr(commands, "versions", lambda: ran.append("versions") or 0)
    monkeypatch.setattr(commands, "twice", lambda page: ran.append(page) or 0)
    return ran


def test_thorough_tries_the_versions_before_it_builds_twice(weekly):
    assert commands.thorough() == 0
    assert weekly[1:] == ["versions", ""]


def test_a_seventh_is_asked_for_by_its_number(weekly, monkeypatch):
    for part in range(7):
        monkeypatch.setenv("SEVENTH", str(part))
        assert commands.thorough() == 0
        assert weekly[-1][weekly[-1].index("--seventh") + 1] == str(part)
    assert len(weekly) == 7  # neither versions nor the whole site
    monkeypatch.setenv("SEVENTH", "7")
    with pytest.raises(Refusal, match="one of 0 to 6"):
        commands.thorough()


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
