"""The version of a copy of the package, which what lies beside it says; and the environments of others."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from book import ROOT, Refusal
from driver import versions
from pe_book._version import UNKNOWN
from tests.conftest import pytest_collection_modifyitems

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OURS = PROJECT["version"]


def copy_of_the_package(place: Path) -> Path:
    """The files that say the version; loading it needs no other."""
    package = place / "pe_book"
    package.mkdir(parents=True)
    for name in ("__init__.py", "_version.py", "catalogue.py"):
        shutil.copy(ROOT / "pe_book" / name, package)
    return package


def metadata(place: Path, version: str, name: str = "pe_book") -> None:
    """What an installer leaves beside a package."""
    folder = place / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def said(*path: Path) -> str:
    """What `pe_book.__version__` is, with these folders first on the path."""
    code = f"import sys; sys.path[:0] = {[str(p) for p in path]}; import pe_book; print(pe_book.__version__)"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_checkout_beside_another_installed_copy(tmp_path):
    copy_of_the_package(tmp_path / "checkout")
    shutil.copy(ROOT / "pyproject.toml", tmp_path / "checkout")
    copy_of_the_package(tmp_path / "installed")
    metadata(tmp_path / "installed", "7.7.7")
    metadata(tmp_path / "checkout", "0.0.1")  # as one built in place has
    assert said(tmp_path / "checkout", tmp_path / "installed") == OURS
    assert said(tmp_path / "installed", tmp_path / "checkout") == "7.7.7"


@pytest.mark.parametrize(
    "pyproject",
    [None, '[project]\nname = "somebody-elses"\nversion = "5.0"\n', "not toml at all ["],
)
def test_a_copy_in_another_project_takes_neither_its_version_nor_that_of_an_installed_copy(
    tmp_path, pyproject
):
    copy_of_the_package(tmp_path / "project")
    if pyproject is not None:
        (tmp_path / "project" / "pyproject.toml").write_text(pyproject)
    metadata(tmp_path / "project", "3.3.3", name="other")
    copy_of_the_package(tmp_path / "installed")
    metadata(tmp_path / "installed", "7.7.7")
    assert said(tmp_path / "project", tmp_path / "installed") == UNKNOWN


# ---------------------------------------------------------------- environments of other versions


def test_the_floors_are_those_of_the_metadata():
    floors = versions.metadata()
    assert [f"{name}>={floor}" for name, floor in floors.items()][:2] == PROJECT["dependencies"]
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
    kept, dropped, named = [], [], type("Named", (str,), {"nodeid": ""})
    hook = SimpleNamespace(pytest_deselected=lambda items: dropped.append(items))
    for part in range(5):
        items = [named(one) for one in "abcdefghijklmnop"]
        config = SimpleNamespace(getoption=lambda name, part=part: f"{part}/5", hook=hook)
        pytest_collection_modifyitems(config, items)
        kept += items
        assert sorted(items + dropped[-1]) == [*"abcdefghijklmnop"]
    assert sorted(kept) == [*"abcdefghijklmnop"]
