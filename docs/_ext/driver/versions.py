"""What the metadata accepts, tried: the package with the oldest and the newest that can be had here.

Each environment is made anew from the wheel of this checkout, so that pip reads its metadata, and runs the
examples and the tests that need no more than the package. A Python that is not installed is named.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import NamedTuple

import environment
from environment import ROOT, Refusal, option
from notebooks.wheel import copy_sources

VARIED = ("numpy", "mpmath", "numba", "torch")
EXTRAS = {"fast": "numba", "torch": "torch"}  # of the metadata: the package that each brings
ALONE = ("numpy", "mpmath")  # what the smoke test installs anew
LEAST_DISK = 12e9  # bytes: an environment with CUDA, and what pip unpacks for it
ROOMS = ("inputs", "numerics", "sinusoidal", "why", "family", "config", "checkpoint", "nn")
SMOKE = ("inputs", "numerics/test_rounding.py", "config/test_checking.py", "nn/test_parity.py")
ASK_ALL = """import json, platform
from importlib.metadata import distributions
found = {}
for one in distributions():
    found.setdefault(one.name, one.version)  # what comes first on the path is what is imported
print(json.dumps({"Python": platform.python_version()} | {name: found[name] for name in %r if name in found}))
"""
ASK = "import platform; print(platform.python_version())"

TOLD = (  # what torch says of itself and of its Python; every other warning fails a test, as in the book
    "Guards may run slower on Python:RuntimeWarning",
    "`torch.jit.:FutureWarning",
    "The given buffer is not writable:UserWarning",  # torch 2.9 when it loads an exported program
)


class Trial(NamedTuple):
    """One environment: which Python, what is asked of pip, what is run in it."""

    name: str
    python: str
    wanted: list[str]
    beside: str = ""
    """The packages of another environment, found behind its own."""
    tests: tuple[str, ...] = ROOMS


def floors(pyproject: str) -> dict[str, str]:
    """The oldest version that the metadata accepts of each package that is varied."""
    project = tomllib.loads(pyproject)["project"]
    extras = project["optional-dependencies"].values()
    lines = [*project["dependencies"], *(line for extra in extras for line in extra)]
    found = dict(line.split(">=") for line in lines if ">=" in line)
    return {name: found[name] for name in VARIED}


def pythons(run=subprocess.run, which=shutil.which) -> tuple[dict[str, str], list[str]]:
    """The interpreters of the supported Pythons by their minor version, and the versions without one."""
    home = Path(option("PYENV_ROOT") or Path.home() / ".pyenv")  # pyenv keeps on PATH only what was chosen
    found, missing = {}, []
    for minor in range(environment.OLDEST[1], environment.NEWEST[1] + 1):
        version = "3.%d" % minor
        own = getattr(sys, "_base_executable", None) if sys.version_info[1] == minor else None
        kept = [str(path) for path in sorted(home.glob("versions/%s.*/bin/python" % version))]
        candidates = [path for path in [own, which("python" + version), *kept] if path]
        working = [path for path in candidates if answers(path, version, run)]
        if working:
            found[version] = working[0]
        else:
            missing.append(version)
    return found, missing


def answers(python: str, version: str, run=subprocess.run) -> bool:
    """Whether an interpreter starts and is of this version: a shim of pyenv may lead nowhere."""
    done = run([python, "-c", ASK], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.startswith(version + ".")


def trials(found: dict[str, str], *, torch: bool = True) -> list[Trial]:
    """The oldest of everything on the oldest Python, and the newest on the newest."""
    oldest = floors((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = [name for name in VARIED if torch or name != "torch"]
    ends = list(found.values())
    return [
        Trial("oldest", ends[0], ["%s==%s" % (name, oldest[name]) for name in names]),
        Trial("newest", ends[-1], names),
    ]


def smoke() -> Trial:
    """The oldest numpy and mpmath before the packages of this environment, whose torch is the pinned one."""
    oldest = floors((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = ["%s==%s" % (name, oldest[name]) for name in ALONE]
    return Trial("smoke", sys.executable, wanted, sysconfig.get_path("purelib"), SMOKE)


def must(run, command: list, refusal: str) -> None:
    if run([str(part) for part in command], cwd=str(ROOT)):
        raise Refusal(refusal)


def wheel(place: Path, run=subprocess.call) -> Path:
    """The wheel of this checkout, built from a copy, since setuptools leaves folders beside its sources."""
    source = copy_sources(place)
    build = [sys.executable, "-m", "build", "--wheel", "--quiet", "--no-isolation", "--outdir", place, source]
    must(run, build, "The wheel could not be built, for the reason above.")
    return next(iter(place.glob("*.whl")))


def made(trial: Trial, built: Path, place: Path, run=subprocess.call) -> Path:
    """The Python of a new environment that holds what the trial wants."""
    venv = place / trial.name
    make = [trial.python, "-m", "venv", "--without-pip", venv]
    must(run, make, "%s cannot make environments." % trial.python)
    python = environment.interpreter(venv)
    pins = environment.pins((ROOT / "requirements.txt").read_text(encoding="utf-8"))
    tools = ["%s==%s" % (name, pins[name]) for name in ("pytest", "hypothesis", "setuptools")]
    drawing = [] if trial.beside else [*tools, "matplotlib", "sympy"]  # some tests read what the pages show
    asked_for = {wanted.partition("==")[0] for wanted in trial.wanted}
    extras = ",".join(name for name, of in EXTRAS.items() if of in asked_for)  # their floors count
    asked = [*trial.wanted, str(built) + "[%s]" % extras * bool(extras), *drawing]
    pip = environment.pip_install(sys.executable, ["-q", "--progress-bar=off", *asked])
    pip[3:3] = ["--python", str(python)]  # making a pip of its own takes longer than all else
    print("Installing %s: %s." % (trial.name, ", ".join(trial.wanted)), flush=True)
    must(run, pip, "pip could not install %s, for the reason above." % trial.name)
    if trial.beside:
        (environment.packages_of(venv) / "beside.pth").write_text(trial.beside + "\n", encoding="utf-8")
    return python


def versions_in(python: Path) -> dict[str, str]:
    """Of Python and of what is varied, as that environment says."""
    program = ASK_ALL % (VARIED,)
    said = subprocess.run([str(python), "-c", program], capture_output=True, text=True, check=True)
    return json.loads(said.stdout)


def examples(torch: bool, needs_torch) -> list[str]:
    """The files of the package with examples that need nothing of the book."""
    files = [file for file in (ROOT / "pe_book").rglob("*.py") if "__pycache__" not in file.parts]
    rooms = {file: file.relative_to(ROOT / "pe_book").parts[0] for file in files}
    kept = [file for file in files if rooms[file] not in ("show", "evidence")]
    return sorted(str(file.relative_to(ROOT)) for file in kept if torch or not needs_torch(file))


def passed(report: Path) -> int:
    """How many examples and tests a run has passed, as its report counts them."""
    suite = next(xml.parse(report).iter("testsuite"))
    lost = sum(int(suite.get(key, 0)) for key in ("failures", "errors", "skipped"))
    return int(suite.get("tests", 0)) - lost


def tried(trial: Trial, built: Path, place: Path, needs_torch, run=subprocess.call) -> dict[str, object]:
    """The versions of a trial and how much has passed; a Refusal if anything failed."""
    python = made(trial, built, place, run)
    versions = versions_in(python)
    print("Trying %s: %s." % (trial.name, ", ".join(map(" ".join, versions.items()))), flush=True)
    report = place / (trial.name + ".xml")
    files = examples("torch" in versions, needs_torch) + ["tests/" + name for name in trial.tests]
    options = ["-p", "no:cacheprovider", "--doctest-modules", "--junitxml=%s" % report]
    options += [word for warning in TOLD for word in ("-W", "ignore:" + warning)]
    command = [python, "-m", "pytest", "-q", "-m", "not thorough", *options, *files]
    must(run, command, "%s: the tests failed, see above." % trial.name)
    shutil.rmtree(place / trial.name)  # before the next is made
    return {"versions": versions, "passed": passed(report)}


def run_all(place: Path, needs_torch, *, torch: bool = True) -> tuple[list[dict[str, object]], list[str]]:
    """Every trial, one after another, and the Pythons that are promised and not here."""
    if (free := shutil.disk_usage(place).free) < LEAST_DISK * torch:
        raise Refusal("Trying torch needs %d GB of disk; %d GB are free." % (LEAST_DISK / 1e9, free / 1e9))
    found, missing = pythons()
    for version in missing:
        print("Python %s is promised and not tried: there is no python%s here." % (version, version))
    built = wheel(place)
    return [tried(trial, built, place, needs_torch) for trial in trials(found, torch=torch)], missing


def main(needs_torch) -> int:
    """`make versions`: with SMOKE=yes one environment; with RECORD=yes what was tried is written down."""
    from pe_book.evidence.records import versions as record

    torch, digest = environment.torch_choice() != "no", record.RECORD.digest()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if option("SMOKE") == "yes":
            tried(smoke(), wheel(place), place, needs_torch)
            return 0
        found, missing = run_all(place, needs_torch, torch=torch)
    if option("RECORD") == "yes" and torch:
        record.RECORD.write({"tried": found, "missing": missing}, digest=digest)
        print("README.md has to say: %s" % record.recorded().sentence())
    return 0
