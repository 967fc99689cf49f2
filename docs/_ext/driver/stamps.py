"""What was made from what: hashes of sources, kept as stamps beside what they were made into."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path

import environment
from environment import ROOT

BUILD = ROOT / "docs" / "_build"
SITE = BUILD / "html"
# README and licence lie in the wheel beside the notebooks
FRONT = ("pyproject.toml", "requirements.txt", "conf.py", "README.md", "CHANGELOG.md", "LICENSE")
SOURCES = ("docs", "pe_book", "study", *FRONT)  # of the site


def made_in() -> str:
    """The environment that something was made in."""
    inside = sys.prefix if environment.already_inside() else sorted(environment.recorded().items())
    return f"{sys.version} {inside} torch={environment.torch_choice()}"


def state_of(*names: str) -> str:
    """One hash of every file below these, names and contents, and of the environment they are used in."""
    found = hashlib.sha256(made_in().encode())
    for top in [ROOT / name for name in names]:
        for file in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if file.is_file() and not {"_build", "__pycache__"} & set(file.parts):
                found.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()


def doctest_state() -> str:
    return state_of("pe_book", "requirements.txt", "pyproject.toml")


def site_state() -> str:
    """What the site is made from: tests of a site that is older than this would say nothing."""
    sources = state_of(*SOURCES)
    return f"{sources} {environment.option('PE_SITE_URL')}"


def stamped(name: str) -> str:
    file = BUILD / f"{name}.stamp"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def under_stamp(name: str, state: str, work: Callable[[], int]) -> int:
    """Do the work, and stamp it with the state it began from if it succeeds."""
    file = BUILD / f"{name}.stamp"
    file.unlink(missing_ok=True)
    code = work()
    if code == 0:
        BUILD.mkdir(parents=True, exist_ok=True)
        file.write_text(state, encoding="utf-8")
    return code


def listing(folder: Path) -> str:
    """One hash of the names and sizes of what a folder holds: enough to see that it was not touched."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    lines = "\n".join(f"{file.relative_to(folder)} {file.stat().st_size}" for file in files)
    return hashlib.sha256(lines.encode()).hexdigest()


def site_is_current() -> bool:
    return stamped("site") == site_state() and stamped("site-files") == listing(SITE)
