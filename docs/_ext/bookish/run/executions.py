"""The cache of executions: pages are executed again unless everything that they used is what it was.

Every build reads every page anew; what is kept is what the kernels said. So an incremental build differs from
a clean one in nothing but the time it takes. Compared are contents, taken before anything was executed.
"""

import hashlib
import json
import os
import platform
import sys
import sysconfig
from pathlib import Path
from typing import Any

from book import ROOT

NOT_PART_OF_A_PAGE = {  # names of files and folders
    "__pycache__",
    *("book.py", "driver"),  # these start builds or look at results
    *("notebooks", "site", "bundle.py"),  # these work on pages that have been executed
}
NOT_READ = {
    ".git", ".venv", ".audit", "_build", "__pycache__",
    ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis",
}  # fmt: skip
DECIDING = ("PE_TORCH", "OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES")
ADDRESS = "PE_SITE_URL"  # decides for pages that use a module which asks for it


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def contents(path: Path) -> str:
    try:
        return digest(path.read_bytes())
    except OSError:
        return "gone"


def names(path: Path, only_modules: bool) -> str:
    """A digest of what a folder holds; an import looks for modules and packages alone."""
    try:
        found = sorted(
            entry.name + "/" * entry.is_dir() for entry in os.scandir(path) if entry.name not in NOT_READ
        )
    except OSError:
        return "gone"
    if only_modules:
        found = [name for name in found if name.endswith((".py", "/", ".so", ".pyd"))]
    return digest("\n".join(found).encode())


def fingerprint(root: Path) -> str:
    """What every page depends on: the requirements, Python, what is installed, and the machinery itself."""
    installed = sorted(entry for entry in os.listdir(sysconfig.get_path("purelib")) if "-info" in entry)
    variables = [os.environ.get(name) for name in DECIDING]
    digests = hashlib.sha256(f"{sys.version} {platform.machine()} {installed} {variables}".encode())
    machinery = [file for name in ("_ext", "_jupyter") for file in (root / "docs" / name).rglob("*")]
    for file in [root / "requirements.txt", *sorted(machinery)]:
        if file.is_file() and not NOT_PART_OF_A_PAGE & set(file.relative_to(root).parts):
            digests.update(file.read_bytes())
    return digests.hexdigest()


class Executions:
    """The executions of one build folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.fingerprint = fingerprint(ROOT)
        self.before = self.snapshot()

    @staticmethod
    def snapshot() -> dict[str, str]:
        """Every file of the book, before the first cell is executed."""
        found = {}
        for top, folders, files in os.walk(ROOT):
            folders[:] = [name for name in folders if name not in NOT_READ]
            found.update({path: contents(Path(path)) for path in (os.path.join(top, name) for name in files)})
        return found

    def key(self, *read: Any) -> str:
        """What an execution rests on besides files: the machinery, and the page as it was read."""
        return digest(json.dumps([self.fingerprint, *read]).encode())

    def state(self, kind: str, path: str, *, before: bool = False) -> str:
        if kind == "variable":
            return os.environ.get(path, "")
        if kind != "files":
            return names(ROOT / path, only_modules=kind == "searched")
        return (self.before.get(path) if before else None) or contents(ROOT / path)

    def recall(self, docname: str, key: str) -> dict[str, Any] | None:
        """What the kernel said last time, if nothing that the page used has changed since."""
        file = self.folder / f"{docname}.json"
        try:
            record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if record.get("key") != key:
            return None
        same = all(self.state(kind, path) == state for kind, path, state in record["uses"])
        return record if same else None

    def remember(self, docname: str, record: dict[str, Any], used: dict[str, list[str]]) -> None:
        uses = [
            (kind, os.path.relpath(path, ROOT), self.state(kind, path, before=True))
            for kind in ("files", "listed", "searched")
            for path in used[kind]
        ]
        modules = (Path(path) for path in used["files"] if path.endswith(".py"))
        if any(ADDRESS.encode() in module.read_bytes() for module in modules if module.is_file()):
            uses.append(("variable", ADDRESS, self.state("variable", ADDRESS)))
        file = self.folder / f"{docname}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        written = file.with_suffix(".new")
        written.write_text(json.dumps({**record, "uses": uses}), encoding="utf-8")
        written.replace(file)
