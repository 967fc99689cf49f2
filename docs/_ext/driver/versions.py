"""`make versions`: the package with the oldest and the newest that its metadata accepts.

Each environment is made anew from the wheel of this checkout, so that pip reads its metadata, and runs the
examples and the tests that need no more than the package. SMOKE=yes tries the oldest numpy and mpmath alone,
before the packages of this environment. RECORD=yes writes down what was tried.
"""

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import xml.etree.ElementTree as xml
from importlib.util import find_spec
from pathlib import Path

from book import ROOT, Refusal, interpreter, option, packages, pip_install
from bookish.notebooks.wheel import copy_sources
from pe_book.evidence.records import versions as record

EXTRAS = {"fast": "numba", "torch": "torch"}  # of the metadata: the package that each brings
ROOMS = ("inputs", "numerics", "sinusoidal", "why", "family", "config", "checkpoint", "nn")
SMOKE = ("inputs", "numerics/test_rounding.py", "config/test_checking.py", "nn/test_parity.py")
NOT_OF_THE_PACKAGE = ("--ignore=pe_book/show", "--ignore=pe_book/evidence")  # their examples need the book
TOLD = (  # what torch says of itself and of its Python; every other warning fails a test, as in the book
    "Guards may run slower on Python:RuntimeWarning",
    "`torch.jit.:FutureWarning",
    "The given buffer is not writable:UserWarning",  # torch 2.9 when it loads an exported program
)
ASK = """import json, platform
from importlib.metadata import distributions
found = {}
for one in distributions():
    found.setdefault(one.name, one.version)  # what comes first on the path is what is imported
print(json.dumps({"Python": platform.python_version()} | {name: found[name] for name in %r if name in found}))
"""


def metadata() -> dict[str, str]:
    """The oldest version that the metadata accepts, of Python and of each package that is varied."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [line for name in EXTRAS for line in project["optional-dependencies"][name]]
    return dict(line.split(">=") for line in [*project["dependencies"], *extras])


def pythons() -> tuple[dict[str, str], list[str]]:
    """The interpreters of the supported Pythons that start, and the versions without one."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    first, end = map(int, re.findall(r'requires-python = ">=3\.(\d+),<3\.(\d+)"', text)[0])
    kept = Path(option("PYENV_ROOT", str(Path.home() / ".pyenv")))  # pyenv has on PATH only what was chosen
    found, missing = {}, []
    for version in (f"3.{minor}" for minor in range(first, end)):
        candidates = [shutil.which(f"python{version}"), *kept.glob(f"versions/{version}.*/bin/python")]
        working = [path for path in candidates if path and said(path, "-V").startswith(f"Python {version}.")]
        if working:
            found[version] = str(working[0])
        else:
            missing.append(version)
    return found, missing


def said(python: str | Path, *asked: str) -> str:
    """What an interpreter prints; nothing if it does not start, as a shim that leads nowhere."""
    return subprocess.run([python, *asked], capture_output=True, text=True, check=False).stdout


def must(command: list[object], refusal: str) -> None:
    if subprocess.call([str(part) for part in command], cwd=ROOT):
        raise Refusal(refusal)


def wheel(place: Path) -> Path:
    """The wheel of this checkout, built from a copy, since setuptools leaves folders beside its sources."""
    build = [sys.executable, "-m", "build", "--wheel", "--quiet", "--no-isolation", "--outdir", place]
    must([*build, copy_sources(place)], "The wheel could not be built, for the reason above.")
    return next(iter(place.glob("*.whl")))


def made(python: str, wanted: list[str], built: Path, venv: Path, beside: str) -> Path:
    """The Python of a new environment with what is wanted, before the packages of another one."""
    must([python, "-m", "venv", "--without-pip", venv], f"{python} cannot make environments.")
    extras = ",".join(name for name, of in EXTRAS.items() if any(one.startswith(of) for one in wanted))
    asked = f"{built}[{extras}]" if extras else built
    pip = pip_install(*wanted, asked, *([] if beside else tools()))
    pip[2:2] = ["--python", interpreter(venv)]  # making a pip of its own takes longer than all else
    print(f"Installing {', '.join(wanted)}.", flush=True)
    must([sys.executable, *pip], "pip could not install these, for the reason above.")
    if beside:
        (packages(interpreter(venv)) / "beside.pth").write_text(f"{beside}\n", encoding="utf-8")
    return interpreter(venv)


def tools() -> list[str]:
    """What runs the tests, as the book pins it, and what some of them draw with."""
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    return [*re.findall(r"^(?:pytest|hypothesis|setuptools)==\S+", pins, re.MULTILINE), "matplotlib", "sympy"]


def tried(
    python: str, wanted: list[str], built: Path, tests: tuple[str, ...], beside: str = ""
) -> dict[str, object]:
    """The versions of an environment and how much has passed in it; a Refusal if anything failed."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        inside = made(python, wanted, built, Path(folder) / "venv", beside)
        versions = json.loads(said(inside, "-c", ASK % (list(metadata()),)))
        print(f"Trying {', '.join(map(' '.join, versions.items()))}.", flush=True)
        files = ["pe_book", *NOT_OF_THE_PACKAGE, *(f"tests/{name}" for name in tests)]
        options = ["-p", "no:cacheprovider", "--doctest-modules", f"--junitxml={report}"]
        options += ["--doctest-ignore-import-errors"] * ("torch" not in versions)
        options += [word for warning in TOLD for word in ("-W", f"ignore:{warning}")]
        command = [inside, "-m", "pytest", "-q", "-m", "not thorough", *options, *files]
        must(command, f"The tests failed with {', '.join(wanted)}: see above.")
        return {"versions": versions, "passed": passed(report)}


def passed(report: Path) -> int:
    """How many examples and tests a run has passed, as its report counts them."""
    suite = next(xml.parse(report).iter("testsuite"))
    lost = sum(int(suite.get(key, 0)) for key in ("failures", "errors", "skipped"))
    return int(suite.get("tests", 0)) - lost


def main() -> int:
    digest, oldest, torch = record.RECORD.digest(), metadata(), find_spec("torch") is not None
    floors = [f"{name}=={version}" for name, version in oldest.items() if torch or name != "torch"]
    with tempfile.TemporaryDirectory() as folder:
        built = wheel(Path(folder))
        if option("SMOKE") == "yes":
            alone = [floor for floor in floors if floor.startswith(("numpy", "mpmath"))]
            tried(sys.executable, alone, built, SMOKE, sysconfig.get_path("purelib"))
            return 0
        found, missing = pythons()
        for version in missing:
            print(f"Python {version} is promised and not tried: there is no python{version} here.")
        first, *_, last = [*found.values()] * 2
        newest = [floor.partition("==")[0] for floor in floors]
        runs = [tried(first, floors, built, ROOMS), tried(last, newest, built, ROOMS)]
    if option("RECORD") == "yes" and torch:
        record.RECORD.write({"tried": runs, "missing": missing}, digest=digest)
        print(f"README.md has to say: {record.recorded().sentence()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
