"""Every command of the book. `make` is a thin front; without make: `python docs/_ext/book.py html`.

Standard library only, and syntax that old Pythons can read: this runs before there is an environment, makes
one, and runs docs/_ext/driver/commands.py in it. Options come as variables, from make, from the environment
or after the command, all three alike: `python docs/_ext/book.py serve PORT=8001`.
"""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import environment
from environment import ROOT, Refusal, option

BUILD = ROOT / "docs" / "_build"
FOREIGN = ("PYTHON", "IPYTHON", "JUPYTER", "PYTEST_", "MPL", "SPHINX")  # settings of other people's programs
CACHES = [".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"]
COMMANDS = {
    "help": "list the commands",
    "html": "build the site: run the doctests, execute every page",
    "test": "run the doctests and the tests, after building the site if it is out of date: P=… for a page",
    "browser": "open the built site in Chromium: on a phone, by keyboard, in the dark; search, folds, links",
    "machinery": "test what keeps the book honest: mistakes planted in small books, edits one after another",
    "parity": "compare definitions with other libraries, in a folder of their own: RECORD=yes",
    "page": "build one page alone and try its cells and figures: P=sinusoidal/shift, RECORD=yes",
    "serve": "serve the built site to this machine alone: PORT=8000",
    "check": "check lint, format and types",
    "reproducible": "build twice from nothing, compare every byte: PAGES='why/order-blindness ...' for some",
    "bench": "measure speeds beside other libraries, and record them: ONLY=table, rotary or bias for some",
    "audit": "weigh, score and try every built page: PAGES='…' for some, LIGHTHOUSE=no, RECORD=yes",
    "versions": "try the package on the oldest and newest Python, numpy and torch: SMOKE=yes, RECORD=yes",
    "notebooks": "execute every notebook of the site in an environment that has its wheel alone",
    "archive": "pack the built site into dist/, to be opened without a server or a network",
    "thorough": "run the weekly set: what takes longer, on new draws; SEVENTH=3 for a part",
    "chapter": "lay out the files of a new chapter: NAME=family/rotary TITLE=Rotary, PART=…, TWIN=yes",
    "stubs": "write what type checkers see of the package, from its catalogue",
    "labels": "list the labels that page or html found, each with its page",
    "install": "make the environment, as every command does; LIBRARIES=yes for what parity needs",
    "doctor": "say what this machine has and what it lacks",
    "clean": "delete what was built; ALL=yes deletes the environment too",
}


def own_environment() -> dict:
    """The variables that reach what is run: without settings that would change what a program does."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    return dict(kept, PYTHONNOUSERSITE="1", PYTHONHASHSEED="0")


def call(*command) -> int:
    """Run a command in the root of the book and return its exit code; it ends when this ends."""
    sys.stdout.flush()
    words = [str(part) for part in command]
    own_group = os.name != "nt"  # a group of its own, so that what it has started can be ended with it
    process = subprocess.Popen(words, cwd=str(ROOT), env=own_environment(), start_new_session=own_group)
    try:
        return process.wait()
    finally:
        if process.poll() is None:
            end(process, own_group)


def end(process, own_group: bool) -> None:
    """Ask, wait, then end a process and, where it leads a group, the group."""
    for signal_name in ("SIGTERM", "SIGKILL" if own_group else "SIGTERM"):
        try:
            if own_group:
                os.killpg(process.pid, getattr(signal, signal_name))
            else:
                process.terminate()
            process.wait(10)
        except (subprocess.TimeoutExpired, ProcessLookupError):
            continue


def drop(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(str(path))
    elif path.exists():
        path.unlink()


def run_inside(name: str) -> int:
    """Run a command in the environment. Pages and tests learn from PE_TORCH whether torch is in it."""
    inside = environment.ensure()
    os.environ["PE_TORCH"] = environment.torch_choice()
    return call(inside, ROOT / "docs" / "_ext" / "driver", "commands", name)


def help_() -> int:
    front = "make" if shutil.which("make") else "python docs/_ext/book.py"
    for name, sentence in COMMANDS.items():
        print("%s %-13s %s" % (front, name, sentence))
    print("For each: PYTHON=python3.12 (make alone), PIP_ARGS='...', TORCH=no to do without torch.")
    return 0


def doctor() -> int:
    code, verdict, usable = 0, "supported", False
    state = "half made: the next command makes it anew"
    venv, gap, before = environment.venv_of(), environment.this_torch_gap(), environment.recorded()
    try:
        environment.refuse_unsupported_python()
        if environment.already_inside():
            state, usable = "not used: this Python has the packages", True
        elif not venv.exists():
            state = "none: the next command makes it"
        elif before:
            missing = environment.missing_packages(venv)
            usable = before == environment.wanted() and not missing
            state = "whole" if usable else "out of date: the next command makes it anew"
            state = (
                "broken, without %s: the next command makes it anew" % ", ".join(missing)
                if missing
                else state
            )
            state += "; torch: %s; pip arguments: %s" % (before["torch"], before["pip_args"] or "none")
    except Refusal as refusal:
        code, verdict = 2, str(refusal)
    rows = [
        ("Python", "%s at %s: %s" % (environment.dotted(sys.version_info[:3]), sys.executable, verdict)),
        ("torch wheel", "none for %s: use TORCH=no" % gap if gap else "to be expected for this platform"),
        ("disk", "%.1f GB free" % (shutil.disk_usage(str(ROOT)).free / 1e9)),
        (".venv", state),
    ]
    if not usable:
        rows.append(("site", "not looked at before there is an environment"))
    print("\n".join("%-12s %s" % row for row in rows))
    return run_inside("doctor") if usable else code


def clean() -> int:
    for name in CACHES + ([".venv", ".audit", ".parity"] if option("ALL") == "yes" else []):
        drop(ROOT / name)
    drop(BUILD)
    drop(ROOT / "dist")
    return 0


BARE = {"help": help_, "doctor": doctor, "clean": clean}  # these need no environment


def main(arguments) -> int:
    os.environ.update(argument.split("=", 1) for argument in arguments if "=" in argument)
    plain = [argument for argument in arguments if "=" not in argument] or ["help"]
    if plain[0] == "page" and len(plain) == 2:
        os.environ["P"] = plain.pop()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        if len(plain) > 1 or plain[0] not in COMMANDS:
            raise Refusal("There is no command %r: help lists them." % " ".join(plain))
        return BARE[plain[0]]() if plain[0] in BARE else run_inside(plain[0])
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
