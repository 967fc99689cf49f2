"""The wheel that a notebook installs: the package of this checkout, the same bytes each time."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from book import ROOT

PARTS = ("pyproject.toml", "README.md", "LICENSE")
EARLIEST = 315532800  # 1980, before which a zip has no dates


def copy_sources(place: Path) -> Path:
    """What a wheel is built of, in a folder of its own: setuptools leaves folders beside its sources."""
    source = place / "source"
    source.mkdir()
    for name in PARTS:
        shutil.copyfile(ROOT / name, source / name)
    unwanted = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "pe_book", source / "pe_book", ignore=unwanted, copy_function=shutil.copyfile)
    return source


def name_of(version: str) -> str:
    return f"pe_book-{version}-py3-none-any.whl"


def state() -> str:
    """A digest of everything a wheel is built of."""
    package = [file for file in (ROOT / "pe_book").rglob("*") if "__pycache__" not in file.parts]
    files = [*(ROOT / name for name in (*PARTS, "requirements.txt")), *sorted(package)]
    found = hashlib.sha256(moment().encode())
    for file in files:
        if file.is_file():
            found.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()


def moment() -> str:
    return str(max(EARLIEST, int(os.environ.get("SOURCE_DATE_EPOCH", "0"))))


def build_wheel(target: Path, kept: Path) -> None:
    """Put the wheel there; one that was built of the same sources before is taken from where it is kept."""
    before = kept / f"{state()}.whl"
    if not before.is_file():
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder]
            variables = {**os.environ, "SOURCE_DATE_EPOCH": moment(), "PYTHONPATH": ""}
            done = subprocess.run(
                [*build, str(copy_sources(place))], capture_output=True, text=True, check=False, env=variables
            )
            built = sorted(place.glob("*.whl"))
            if done.returncode or [file.name for file in built] != [target.name]:
                raise RuntimeError((done.stderr or done.stdout).strip()[-400:] or str(built))
            shutil.copyfile(built[0], before)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(before, target)


def strangers(built: Path) -> list[str]:
    """What a wheel holds of the package that this checkout has not, has otherwise, or has besides."""
    with zipfile.ZipFile(built) as opened:
        inside = {name: opened.read(name) for name in opened.namelist() if name.startswith("pe_book/")}
    here = {
        file.relative_to(ROOT).as_posix(): file.read_bytes()
        for file in (ROOT / "pe_book").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    code = {name for name in here if name.endswith((".py", ".pyi"))}
    return sorted({name for name, data in inside.items() if here.get(name) != data} | (code - inside.keys()))
