"""What type checkers say of a program that uses the package: where it is wrong, and nothing else."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import pe_book as pe
from pe_book import nn

ROOT = Path(__file__).resolve().parents[1]

RIGHT = """
import numpy as np
import pe_book as pe
from pe_book import encode, nn
from pe_book.nn import SinusoidalEncoding

rows: np.ndarray = pe.encode([0, 1], d_model=6, base=500, layout="halves", ladder="tensor2tensor")
moved: np.ndarray = pe.shift(rows, 2, layout="halves")
angles: np.ndarray = pe.frequencies(6)
version: str = pe.__version__
table = nn.table(4, 6)
module: nn.SinusoidalEncoding = SinusoidalEncoding(6)
same: np.ndarray = encode(range(3), 6)
"""

# A mistake, what mypy calls it, and what pyright calls it.
MISTAKES = [
    ("pe.encode([0, 1], 6, colour=3)", "call-arg", "reportCallIssue"),
    ('pe.encode([0, 1], d_model="six")', "arg-type", "reportArgumentType"),
    ('pe.encode([0, 1], 6, layout="halfs")', "arg-type", "reportArgumentType"),
    ("pe.encode([0, 1])", "call-arg", "reportCallIssue"),
    ("pe.encode([0, 1], 6, 10000.0)", "call-arg", "reportCallIssue"),
    ("pe.tabel(4, 6)", "attr-defined", "reportAttributeAccessIssue"),
    ("pe.import_module", "attr-defined", "reportAttributeAccessIssue"),
    ("text: str = pe.frequencies(6)", "assignment", "reportAssignmentType"),
    ("pe.nn.encod([0, 1], 6)", "attr-defined", "reportAttributeAccessIssue"),
    ("nn.encode([0, 1], 6, colour=3)", "call-arg", "reportCallIssue"),
    ('nn.table("four", 6)', "arg-type", "reportArgumentType"),
    ('nn.SinusoidalEncoding("six")', "arg-type", "reportArgumentType"),
    ("nn.SinusoidalEncoding(6, colour=3)", "call-arg", "reportCallIssue"),
]
# Every public name is something, and nothing fits None: what is Any would.
MISTAKES += [
    (f"nothing_{i}: None = {name}", "assignment", "reportAssignmentType")
    for i, name in enumerate(
        [*(f"pe.{name}" for name in [*pe.__all__, "__version__"]), *(f"nn.{name}" for name in nn.__all__)]
    )
]
STARS = """
from pe_book import *
rows = encode([0, 1], 6)
"""
STAR_MISTAKES = [
    ("import_module('os')", "name-defined", "reportUndefinedVariable"),
    *[(f"bare_{name}: None = {name}", "assignment", "reportAssignmentType") for name in pe.__all__],
]


CONFIG = json.dumps({"typeCheckingMode": "standard", "extraPaths": [str(ROOT)]})  # pyright's own settings
PROGRAMS = {"used.py": (RIGHT, MISTAKES), "starred.py": (STARS, STAR_MISTAKES)}
COMMANDS = {
    "mypy": ["mypy", "--strict", "--config-file=", "--follow-imports=silent", "--cache-dir=cache", *PROGRAMS],
    "pyright": ["basedpyright", "--outputjson", "--pythonpath", sys.executable, *PROGRAMS],
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, subprocess.Popen[str]]]:
    """Both checkers at work on both programs at once."""
    folder = tmp_path_factory.mktemp("typing")
    (folder / "pyrightconfig.json").write_text(CONFIG, encoding="utf-8")
    for name, (right, mistakes) in PROGRAMS.items():
        (folder / name).write_text(program(right, mistakes), encoding="utf-8")
    started = {
        name: subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=folder,
            env={**os.environ, "MYPYPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name, command in COMMANDS.items()
    }
    yield started
    for one in started.values():
        one.kill()
        one.communicate()


def program(right: str, mistakes: list[tuple[str, str, str]]) -> str:
    return "\n".join([*right.strip().splitlines(), *(line for line, *_ in mistakes), ""])


def mypy(said: str) -> list[tuple[str, int, str]]:
    """The complaints of `mypy --strict`: file, line, and what it is called."""
    found = re.findall(r"^(\w+\.py):(\d+): error: .*\[([\w-]+)\]$", said, re.MULTILINE)
    assert len(found) == said.count(" error: "), said
    return [(file, int(line), code) for file, line, code in found]


def pyright(said: str) -> list[tuple[str, int, str]]:
    """Those of pyright, with the settings that it has of itself."""
    found = [one for one in json.loads(said)["generalDiagnostics"] if one["severity"] == "error"]
    return [(Path(one["file"]).name, one["range"]["start"]["line"] + 1, one["rule"]) for one in found]


@pytest.mark.parametrize(("checker", "read"), [("mypy", mypy), ("pyright", pyright)])
def test_a_program_is_told_its_mistakes_and_nothing_else(
    checker: str, read: Callable[[str], list[tuple[str, int, str]]], running: dict[str, subprocess.Popen[str]]
) -> None:
    said, wrong = running[checker].communicate()
    assert running[checker].returncode in (0, 1), said + wrong
    lines = {name: program(*PROGRAMS[name]).splitlines() for name in PROGRAMS}
    told = {(name, lines[name][line - 1]): code for name, line, code in read(said)}
    which = 1 if checker == "mypy" else 2
    assert told == {
        (name, mistake[0]): mistake[which] for name, (_, mistakes) in PROGRAMS.items() for mistake in mistakes
    }
