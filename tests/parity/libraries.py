"""The other libraries: where `make parity` has put them, their versions, and modules by themselves."""

import importlib
import importlib.util
import os
import re
import sys
from importlib import metadata
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent
REQUIREMENTS = HERE / "requirements.txt"


def folder() -> Path:
    """Where the libraries are; only `make parity` says so."""
    given = os.environ.get("PE_PARITY")
    assert given, "the libraries to compare with are there under `make parity` alone"
    return Path(given)


def version(library: str) -> str:
    """Of torch without the device that it was built for."""
    return metadata.version(library).partition("+")[0]


def pins(file: Path = REQUIREMENTS) -> dict[str, str]:
    """Name to version, of a file and of those that it includes."""
    found: dict[str, str] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("-r "):
            found |= pins((file.parent / line[3:]).resolve())
        elif line and not line.startswith("#"):
            pin = re.fullmatch(r"([\w.-]+)==([\w.]+)( ;.*)?", line)
            assert pin, f"{file.name}: {line!r} is no exact pin"
            found[pin[1]] = pin[2]
    return found


def alone(name: str) -> ModuleType:
    """A module of a package whose own ``__init__`` is not run: it imports much that nothing here needs."""
    packages = name.split(".")[:-1]
    for depth in range(1, len(packages) + 1):
        package = ".".join(packages[:depth])
        if package not in sys.modules:
            bare = ModuleType(package)
            # who asks whether it is there looks at it
            bare.__spec__ = ModuleSpec(package, None, is_package=True)
            bare.__path__ = [str(folder().joinpath(*packages[:depth]))]
            sys.modules[package] = bare
    return importlib.import_module(name)
