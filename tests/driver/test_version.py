"""The version of a copy of the package: what lies beside it says so, whatever else is installed."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from pe_book._version import UNKNOWN

ROOT = Path(__file__).resolve().parents[2]
OURS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


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
