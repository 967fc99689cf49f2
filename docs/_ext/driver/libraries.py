"""Where `make parity` keeps the libraries that it compares with: a folder of their own, made anew when stale.

They are installed beside the environment, not into it, and as they are listed: nothing that one of them asks
for comes along, so torch and numpy stay those of the book. A stamp, written last, says what the folder holds.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import environment
from environment import ROOT, Refusal

REQUIREMENTS = ROOT / "tests" / "parity" / "requirements.txt"
FOLDER = ROOT / ".parity"
LEAST_DISK = 600e6  # bytes


def included(file: Path) -> list[Path]:
    """A requirements file, and those that it includes."""
    lines = file.read_text(encoding="utf-8").splitlines()
    inner = [(file.parent / line[3:]).resolve() for line in lines if line.startswith("-r ")]
    return [file, *(deeper for one in inner for deeper in included(one))]


def wanted(requirements: Path) -> dict[str, str]:
    """What the folder should be made from."""
    seen = hashlib.sha256()
    for file in included(requirements):
        seen.update(file.read_bytes().replace(b"\r\n", b"\n"))
    python = environment.dotted(sys.version_info[:2])
    return {"requirements": seen.hexdigest(), "Python": python, "machine": platform.machine()}


def ensure(requirements: Path = REQUIREMENTS, folder: Path = FOLDER, run=subprocess.call) -> Path:
    """Return the folder of the libraries, made if it is missing, half made or of other pins."""
    stamp, libraries, goal = folder / "pe_book.json", folder / "libraries", wanted(requirements)
    if stamp.exists() and json.loads(stamp.read_text(encoding="utf-8")) == goal:
        return libraries
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if (free := shutil.disk_usage(folder).free) < LEAST_DISK:
        raise Refusal(
            "The libraries need %d MB of disk; %d MB are free here." % (LEAST_DISK / 1e6, free / 1e6)
        )
    print("Installing the libraries to compare with into %s." % folder.name, flush=True)
    asked = ["-q", "--no-deps", "--target", libraries, "-r", requirements]
    if run(environment.pip_install(sys.executable, asked)):
        raise Refusal("pip could not install %s, for the reason above." % requirements.name)
    stamp.write_text(json.dumps(goal, indent=1), encoding="utf-8")
    return libraries


def variables(libraries: Path) -> dict[str, str]:
    """The environment of the comparison: these libraries first, and no network."""
    offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
    return {**os.environ, **offline, "PYTHONPATH": str(libraries), "PE_PARITY": str(libraries)}
