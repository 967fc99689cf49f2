"""The book's own environment: which Python, which packages, made from what, and is it whole.

Standard library only, and syntax that old Pythons can read, so that they can be told what to do.
The environment lives in `.venv`. A stamp inside it, written last, records what it was made from:
no stamp means half made, another stamp means out of date, and both are made anew.
"""

import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OLDEST, NEWEST = (3, 11), (3, 14)
DISK_GB = {"yes": 2, "no": 1}  # the least that .venv needs, with torch and without; CUDA takes more
DECIDING = ("sphinx", "myst-nb", "sphinx-book-theme", "numpy")  # where these are as pinned, no .venv is made


class Refusal(Exception):
    """A reason to stop that the reader can act on: printed as one line, without a traceback."""


def option(name: str, default: str = "") -> str:
    """A variable from make, from the environment or after the command."""
    return os.environ.get(name, default)


def dotted(version) -> str:
    return ".".join(str(part) for part in version)


def venv_of(root: Path = ROOT) -> Path:
    return root / ".venv"


def interpreter(venv: Path) -> Path:
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def stamp_of(venv: Path) -> Path:
    return venv / "pe_book.json"


# ---------------------------------------------------------------- what this machine has


def refuse_unsupported_python(version=None, which=shutil.which) -> None:
    """Stop, and say what to run instead, unless every pinned package supports this Python."""
    version = tuple(version or sys.version_info[:3])
    if OLDEST <= version[:2] <= NEWEST:
        return
    names = ["python3.%d" % minor for minor in range(NEWEST[1], OLDEST[1] - 1, -1)]
    found = [name for name in names if which(name)]
    advice = "install one of them, then run the same command with PYTHON=%s" % names[1]
    if found:
        advice = "run the same command with PYTHON=%s" % found[0]
    needed = "Python %s to %s" % (dotted(OLDEST), dotted(NEWEST))
    raise Refusal("The book needs %s and this is %s: %s." % (needed, dotted(version), advice))


def torch_gap(system: str, machine: str, bits: int, libc: str) -> str:
    """Name the platform if the pinned torch has no wheel for it; otherwise an empty string."""
    machine = machine.lower()
    if bits < 64:
        return "32-bit Python"
    if system == "darwin" and machine != "arm64":
        return "macOS on Intel"
    if system == "win32" and machine == "arm64":
        return "Windows on ARM"
    if system == "linux" and not libc:
        return "Linux without glibc"
    if system == "linux" and machine not in ("x86_64", "aarch64"):
        return "Linux on " + machine
    return ""


def this_torch_gap() -> str:
    bits = 64 if sys.maxsize > 2**32 else 32
    return torch_gap(sys.platform, platform.machine(), bits, platform.libc_ver()[0])


def refuse_missing_torch(gap: str) -> None:
    if gap:
        advice = (
            "run the same command with TORCH=no, which leaves out the pages that need torch and lists them"
        )
        raise Refusal("There is no wheel of the pinned torch for this platform (%s): %s." % (gap, advice))


def refuse_full_disk(torch: str, root: Path = ROOT, usage=shutil.disk_usage) -> None:
    free = usage(str(root)).free / 1e9
    if free < DISK_GB[torch]:
        raise Refusal("The environment needs %d GB of disk; %.1f GB are free here." % (DISK_GB[torch], free))


# ---------------------------------------------------------------- what the environment should hold


def pins(text: str) -> dict:
    """Name to version, for each `name==version` line of a requirements file."""
    found = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", text, flags=re.MULTILINE)
    return {name.lower().replace("_", "-"): version for name, version in found}


def without_torch(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if "torch" not in pins(line))


def recorded(root: Path = ROOT) -> dict:
    """What the environment was made from; empty when there is none or it is half made."""
    try:
        return json.loads(stamp_of(venv_of(root)).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def packages_of(venv: Path) -> Path:
    found = sorted(venv.glob("lib/python*/site-packages")) + [venv / "Lib" / "site-packages"]
    return found[0]


def installed_names(venv: Path) -> list:
    """The top-level names that are installed."""
    place = packages_of(venv)
    names = os.listdir(str(place)) if place.is_dir() else []
    return sorted(name for name in names if name != "__pycache__")


def missing_packages(venv: Path) -> list:
    """What was installed and is gone: a package that somebody deleted."""
    try:
        before = (venv / "pe_book.txt").read_text(encoding="utf-8").split("\n")
    except OSError:
        return []
    return sorted(set(before) - set(installed_names(venv)) - {""})


def already_inside(root: Path = ROOT, environ=os.environ) -> bool:
    """Whether this very interpreter is used as it is: on request, or as an environment made for the book."""
    from importlib import metadata  # Pythons that are refused may lack it

    if environ.get("PE_BOOK_NO_VENV") == "1":
        return True
    if sys.prefix == sys.base_prefix or Path(sys.prefix).resolve() == venv_of(root).resolve():
        return False
    pinned = pins((root / "requirements.txt").read_text(encoding="utf-8"))
    try:
        return all(metadata.version(name) == pinned.get(name) for name in DECIDING)
    except metadata.PackageNotFoundError:
        return False


def torch_choice(root: Path = ROOT, environ=os.environ) -> str:
    """Whether torch is in; where TORCH is not given, as when the environment was made."""
    before = {} if already_inside(root, environ) else recorded(root)
    torch = environ.get("TORCH", before.get("torch", "yes")).lower()
    if torch not in DISK_GB:
        raise Refusal("TORCH is %r: it can be yes or no." % torch)
    return torch


def wanted(root: Path = ROOT, environ=os.environ) -> dict:
    """What it should be made from; where PIP_ARGS is not given, with the arguments it was made with."""
    requirements = (root / "requirements.txt").read_bytes().replace(b"\r\n", b"\n")
    return {
        "requirements": hashlib.sha256(requirements).hexdigest(),
        "Python": dotted(sys.version_info[:3]),
        "machine": platform.machine(),
        "pip_args": environ.get("PIP_ARGS", recorded(root).get("pip_args", "")),
        "torch": torch_choice(root, environ),
    }


# ---------------------------------------------------------------- making it


def ensure(root: Path = ROOT, environ=os.environ, run=subprocess.call, report=print) -> Path:
    """Return the Python of an environment that holds what `requirements.txt` pins, making it if need be."""
    refuse_unsupported_python()
    if already_inside(root, environ):
        return Path(sys.executable)
    goal, before, venv = wanted(root, environ), recorded(root), venv_of(root)
    if before == goal and interpreter(venv).exists() and not missing_packages(venv):
        return interpreter(venv)
    if goal["torch"] == "yes":
        refuse_missing_torch(this_torch_gap())
    reason = "half made" if venv.exists() else "there is none yet; this takes minutes"
    if before and before == goal:
        reason = "gone from it: " + ", ".join(missing_packages(venv) or ["its interpreter"])
    elif before:
        reason = "changed: " + ", ".join(key for key in goal if before.get(key) != goal[key])
    report("Making the environment .venv (%s)." % reason)
    if venv.exists():
        shutil.rmtree(str(venv))
    refuse_full_disk(goal["torch"], root)
    base = getattr(sys, "_base_executable", None) or sys.executable  # not one that has just been deleted
    if run([base, "-m", "venv", str(venv)]) != 0:
        raise Refusal(
            "This Python cannot make environments: on Debian and Ubuntu, install python3-venv first."
        )
    install(root, goal, run)
    (venv / "pe_book.txt").write_text("\n".join(installed_names(venv)), encoding="utf-8")
    stamp_of(venv).write_text(json.dumps(goal, indent=1), encoding="utf-8")
    return interpreter(venv)


def pip_install(python, asked, goal=None):
    """The command that installs what is asked, with what PIP_ARGS gives to pip behind it."""
    given = (goal or wanted())["pip_args"].replace("\\", "\\\\")  # a Windows path keeps its backslashes
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install"]
    return pip + [str(one) for one in asked] + shlex.split(given)


def install(root: Path, goal: dict, run) -> None:
    """Install the pinned requirements; on failure find out whether it was torch that could not be had."""
    venv = venv_of(root)
    text = (root / "requirements.txt").read_text(encoding="utf-8")
    listed = venv / "requirements.txt"
    listed.parent.mkdir(parents=True, exist_ok=True)
    listed.write_text(text if goal["torch"] == "yes" else without_torch(text), encoding="utf-8")
    python = interpreter(venv)
    quiet = [] if sys.stdout.isatty() else ["-q", "--progress-bar=off"]
    if run(pip_install(python, quiet + ["-r", listed], goal)) == 0:
        return
    alone = ["-qqq", "--dry-run", "--no-deps", "--only-binary=:all:", "torch==%s" % pins(text).get("torch")]
    if goal["torch"] == "yes" and run(pip_install(python, alone, goal)) != 0:
        refuse_missing_torch("pip finds none for Python " + goal["Python"])
    offline = "without a network, PIP_ARGS='--no-index --find-links=FOLDER_OF_WHEELS'"
    raise Refusal("pip could not install requirements.txt, for the reason above (%s)." % offline)
