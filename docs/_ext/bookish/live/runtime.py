"""What the reader's browser needs to run Python: the files that are pinned, packed the same way each time."""

import gzip
import hashlib
import io
import json
import re
import tomllib
import urllib.request
import zipfile
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from book import Refusal

HERE = Path(__file__).resolve().parent
SHIPPED: dict[str, Any] = tomllib.loads((HERE / "shipped.toml").read_text(encoding="utf-8"))
# of numpy: three quarters of its bytes, which no cell imports
UNUSED = re.compile(r"/(tests|f2py|distutils|include|_pyinstaller)/|\.(pyi|a|h|c|cpp|pxd|pyx)$")
EARLIEST = (1980, 1, 1, 0, 0, 0)  # before which a zip has no dates


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def pinned(data: bytes, file: str, due: str) -> bytes:
    """The same bytes, if they are those that were pinned."""
    if (came := sha256(data)) != due:
        raise Refusal(f"{file} is not the one that bookish/live/shipped.toml pins: sha256 {came}, due {due}.")
    return data


def numpy_wheel(where: str, modules: Path) -> bytes:
    """The wheel of numpy from a folder or an address, or what stands in for it in tests."""
    stands_in = where == "stand-in"
    asked = SHIPPED["stand-in" if stands_in else "numpy"]
    place = str(modules / asked["package"] / "assets") if stands_in else where
    try:
        if "://" in place:
            with urllib.request.urlopen(f"{place.rstrip('/')}/{asked['file']}") as answer:
                data = answer.read()
        else:
            data = Path(place, asked["file"]).read_bytes()
    except OSError as error:
        raise Refusal(f"LIVE_FROM is {where}: {asked['file']} cannot be had there ({error}).") from None
    return pinned(data, asked["file"], asked["sha256"])


def zipped(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name, EARLIEST), data, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def without_unused(wheel: bytes) -> bytes:
    """A wheel without what it has for other compilers, for type checkers and for its own tests."""
    with zipfile.ZipFile(io.BytesIO(wheel)) as opened:
        return zipped({name: opened.read(name) for name in opened.namelist() if not UNUSED.search(name)})


def installed(name: str) -> bytes:
    """The modules of a pure package of this environment, and its licence."""
    files = [file for file in distribution(name).files or () if not {"__pycache__", "tests"} & {*file.parts}]
    kept = [file for file in files if file.parts[0] == name or file.name.startswith("LICEN")]
    return zipped({file.as_posix(): Path(str(file.locate())).read_bytes() for file in kept})


def ship(folder: Path, modules: Path, where: str, package: Path) -> int:
    """Write the runtime and its lock into a folder of the site; the bytes that a reader's browser fetches."""
    core, numpy = SHIPPED["core"], SHIPPED["numpy"]
    listed: list[dict[str, Any]] = []

    def put(file: str, data: bytes, **told: Any) -> None:
        (folder / file).write_bytes(data)
        source = SHIPPED["sources"].get(told["licence"], "in the file")
        listed.append({"file": file, "bytes": len(data), "sha256": sha256(data), "source": source, **told})

    for file, told in core["files"].items():
        data = pinned((modules / "pyodide" / file).read_bytes(), file, told["sha256"])
        about = {"version": core["version"], "licence": told["licence"]}
        if file.endswith(".wasm"):  # not every host compresses it
            put(f"{file}.packed", gzip.compress(data, 9, mtime=0), stands="core", to=file, **about)
        else:
            put(file, data, stands="script" if file.endswith(".js") else "core", to=file, **about)
    wheel, number = without_unused(numpy_wheel(where, modules)), distribution("mpmath").version
    modules_of = {
        f"numpy-{numpy['version']}.zip": (wheel, numpy["version"], numpy["licence"]),
        f"mpmath-{number}.zip": (installed("mpmath"), number, "BSD-3-Clause"),
        "pe_book.zip": (package.read_bytes(), package.name.split("-")[1], "MIT"),
    }
    for file, (data, version, licence) in modules_of.items():
        put(file, data, stands="modules", version=version, licence=licence)
    info = json.loads((modules / "pyodide" / "pyodide-lock.json").read_text(encoding="utf-8"))["info"]
    lock = {"info": info, "published": where != "stand-in", "files": listed}
    (folder / "lock.json").write_text(json.dumps(lock, indent=1) + "\n", encoding="utf-8")
    return sum(one["bytes"] for one in listed)
