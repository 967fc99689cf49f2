"""The two wheels that a notebook installs: the package and its study, the same bytes each time."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from book import ROOT

PARTS = ("pyproject.toml", "README.md", "LICENSE", "study/setup.py")
EARLIEST = 315532800  # 1980, before which a zip has no dates


def copy_sources(place: Path) -> Path:
    """What a wheel is built of, in a folder of its own: setuptools leaves folders beside its sources."""
    source = place / "source"
    (source / "study").mkdir(parents=True)
    for name in PARTS:
        shutil.copyfile(ROOT / name, source / name)
    unwanted = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "pe_book", source / "pe_book", ignore=unwanted, copy_function=shutil.copyfile)
    return source


def names_of(version: str) -> tuple[str, str]:
    """The package, and what only its pages use."""
    return f"pe_book-{version}-py3-none-any.whl", f"pe_book_study-{version}-py3-none-any.whl"


def state() -> str:
    """A digest of everything the wheels are built of."""
    package = [file for file in (ROOT / "pe_book").rglob("*") if "__pycache__" not in file.parts]
    files = [*(ROOT / name for name in (*PARTS, "requirements.txt")), *sorted(package)]
    found = hashlib.sha256(moment().encode())
    for file in files:
        if file.is_file():
            found.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()


def moment() -> str:
    return str(max(EARLIEST, int(os.environ.get("SOURCE_DATE_EPOCH", "0"))))


def build_wheels(target: Path, names: tuple[str, ...], kept: Path) -> None:
    """Put the wheels there; those built of the same sources before are taken from where they are kept."""
    before = kept / state()
    if not before.is_dir():
        shutil.rmtree(kept, ignore_errors=True)
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            source, built = copy_sources(place), place / "built"
            build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(built)]
            variables = {**os.environ, "SOURCE_DATE_EPOCH": moment(), "PYTHONPATH": ""}
            for project in (source, source / "study"):
                done = subprocess.run(
                    [*build, str(project)], capture_output=True, text=True, check=False, env=variables
                )
                if done.returncode:
                    raise RuntimeError((done.stderr or done.stdout).strip()[-400:])
            if {file.name for file in built.iterdir()} != set(names):
                raise RuntimeError(f"found {sorted(file.name for file in built.iterdir())}")
            shutil.copytree(built, before)
    shutil.copytree(before, target, dirs_exist_ok=True)
