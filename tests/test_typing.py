"""What type checkers say of a program that uses the package: where it is wrong, and nothing else."""

import json
import os
import re
import subprocess
import sys
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


def program(right: str, mistakes: list[tuple[str, str, str]], checker: int) -> tuple[str, dict[int, str]]:
    """The program, and the complaint that each line deserves."""
    lines = right.strip().splitlines()
    expected = {len(lines) + i: mistake[checker] for i, mistake in enumerate(mistakes, start=1)}
    return "\n".join([*lines, *(line for line, *_ in mistakes), ""]), expected


def mypy(file: Path) -> dict[int, str]:
    """The complaints of `mypy --strict` by line."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent"),
            *(f"--cache-dir={file.parent / 'cache'}", file.name),
        ],
        cwd=file.parent,
        env={**os.environ, "MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = re.findall(rf"^{file.name}:(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.MULTILINE)
    assert len(found) == done.stdout.count(" error: "), done.stdout
    return {int(line): code for line, code in found}


def pyright(file: Path) -> dict[int, str]:
    """The complaints of pyright by line, with the settings that it has of itself."""
    settings = {"typeCheckingMode": "standard", "extraPaths": [str(ROOT)]}
    (file.parent / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, file.name],
        cwd=file.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {one["range"]["start"]["line"] + 1: one["rule"] for one in found if one["severity"] == "error"}


CHECKERS = {"mypy": (1, mypy), "pyright": (2, pyright)}


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_program_is_told_its_mistakes_and_nothing_else(checker: str, tmp_path: Path) -> None:
    column, check = CHECKERS[checker]
    for name, right, mistakes in (("used", RIGHT, MISTAKES), ("starred", STARS, STAR_MISTAKES)):
        text, expected = program(right, mistakes, column)
        file = tmp_path / f"{name}.py"
        file.write_text(text, encoding="utf-8")
        told, lines = check(file), text.splitlines()
        assert {lines[n - 1]: code for n, code in told.items()} == {
            lines[n - 1]: code for n, code in expected.items()
        }
