"""Where the book lies, and what the modules behind its commands share."""

import filecmp
import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "docs" / "_build"
SITE = BUILD / "html"
MOST = 14  # modules in one folder


class Refusal(Exception):
    """A reason to stop that the reader can act on: printed as one line, without a traceback."""


def option(name: str, default: str = "") -> str:
    """A variable of the command line, which the Makefile hands on."""
    return os.environ.get(name) or default


def call(*command: object, variables: dict[str, str] | None = None) -> int:
    """Run a command of this Python in the root of the book and return its exit code."""
    sys.stdout.flush()
    return subprocess.call([sys.executable, *map(str, command)], cwd=ROOT, env=variables)


def pip_install(*asked: object) -> list[object]:
    """A command of this Python that installs for one run, with what PIP_ARGS gives to pip behind it."""
    pip = ["-m", "pip", "--disable-pip-version-check", "install", "-q", "--no-compile", "--progress-bar=off"]
    return [*pip, *asked, *shlex.split(option("PIP_ARGS"))]


def interpreter(venv: Path) -> Path:
    """The Python of an environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def packages(python: Path) -> Path:
    """Where an environment keeps its packages."""
    asked = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    return Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())


def differences(left: Path, right: Path) -> list[str]:
    """Files that are in one folder only, or differ in a byte."""
    names = {str(file.relative_to(top)) for top in (left, right) for file in top.rglob("*") if file.is_file()}
    _, differ, missing = filecmp.cmpfiles(left, right, sorted(names), shallow=False)
    return sorted(differ + missing)
