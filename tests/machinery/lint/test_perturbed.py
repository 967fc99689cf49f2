"""The package is perturbed, one operator or constant at a time: a page that names the definition has to move.

PE_SEED chooses other mutants. What the pages said before is known from the last build of the site.
"""

from __future__ import annotations

import ast
import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.chapters import parts
from tests.seeds import WEEKLY, seed

REPO = Path(__file__).resolve().parents[3]
SEED = seed()
MUTANTS = 7
TRIES = 12  # mutants of a module until one changes what its examples print
PAGES = 6  # that may name a definition, all built with its mutant
OTHER = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*")}
CHANGED = "import doctest, sys; from {module} import __name__ as name; sys.exit(doctest.testmod(sys.modules[name])[0] > 0)"
NOTICED = re.compile(r"WARNING: PE(?:2\d\d|314|323|324) ")  # a cell, a figure or a statement fails


@dataclass(frozen=True)
class Mutant:
    """One change of one definition."""

    file: str
    line: int
    definition: str  # pe_book.sinusoidal.formula.encode
    was: str
    now: str
    start: int  # in bytes of the file
    end: int

    @property
    def module(self) -> str:
        return self.file.removesuffix(".py").replace("/", ".")

    def planted(self, source: bytes) -> bytes:
        return source[: self.start] + self.now.encode() + source[self.end :]


def mutants(file: str, source: bytes) -> Iterator[Mutant]:
    """Every change of an operator or a constant in the public definitions of a module, outside their refusals."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def at(line: int, column: int) -> int:
        return starts[line - 1] + column

    for function in ast.parse(source).body:
        if not isinstance(function, ast.FunctionDef) or function.name.startswith("_"):
            continue
        definition = f"{file.removesuffix('.py').replace('/', '.')}.{function.name}"
        refusals = {
            inner for node in ast.walk(function) if isinstance(node, ast.Raise) for inner in ast.walk(node)
        }
        for node in (node for statement in function.body for node in ast.walk(statement)):
            if node in refusals:
                continue
            if isinstance(node, ast.BinOp) and type(node.op) in OTHER:
                was, now = OTHER[type(node.op)]
                start = at(node.left.end_lineno, node.left.end_col_offset)
                position = source.find(was.encode(), start, at(node.right.lineno, node.right.col_offset))
                if position >= 0:
                    yield Mutant(file, node.lineno, definition, was, now, position, position + len(was))
            elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
                start, end = at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)
                now = repr(node.value + 1 if isinstance(node.value, int) else node.value * 1.5)
                yield Mutant(file, node.lineno, definition, source[start:end].decode(), now, start, end)


def test_mutants_are_programs():
    file = "pe_book/sinusoidal/formula.py"
    source = (REPO / file).read_bytes()
    found = list(mutants(file, source))
    assert len(found) > 10
    for mutant in found:
        assert mutant.planted(source) != source
        assert ast.dump(ast.parse(mutant.planted(source))) != ast.dump(ast.parse(source))
        assert mutant.planted(source).count(b"\n") == source.count(b"\n")


def chosen(root: Path, number: int, named: set[str]) -> Mutant:
    """A mutant of a definition that pages name, which changes what the examples of its module print."""
    rng = random.Random(f"{SEED} {number}")
    modules = [path for part in parts(root) for path in sorted((root / "pe_book" / part).glob("[!_]*.py"))]
    rng.shuffle(modules)
    for path in modules:
        file, source = path.relative_to(root).as_posix(), path.read_bytes()
        every = [mutant for mutant in mutants(file, source) if mutant.definition in named]
        for mutant in rng.sample(every, min(TRIES, len(every))):
            path.write_bytes(mutant.planted(source))
            try:
                done = subprocess.run(
                    [sys.executable, "-B", "-c", CHANGED.format(module=mutant.module)],
                    cwd=root, capture_output=True, timeout=60, check=False,
                )  # fmt: skip
                changes = b"Got:" in done.stdout and b"Exception raised" not in done.stdout
            except subprocess.TimeoutExpired:
                changes = False
            finally:
                path.write_bytes(source)
            if changes:
                return mutant
    raise LookupError("no mutant changes an example")


@pytest.mark.thorough
@pytest.mark.skipif(
    WEEKLY != "1", reason="which mutants are drawn changes with every module: none decides a landing"
)
@pytest.mark.parametrize("number", range(MUTANTS))
def test_what_a_page_says_moves_with_the_package(remembering, number):
    built = REPO / "docs" / "_build" / "doctrees" / "findings.json"
    before = json.loads(built.read_text(encoding="utf-8"))
    names = Counter(name for found in before.values() for name in found["calls"])
    mutant = chosen(remembering.root, number, {name for name, pages in names.items() if pages <= PAGES})
    pages = [page for page, found in before.items() if mutant.definition in found["calls"]]
    path = remembering.root / mutant.file
    whole = path.read_bytes()
    path.write_bytes(mutant.planted(whole))
    try:
        options = ["-D", "pe_only=" + " ".join(pages), "-D", "nb_execution_allow_errors=1"]
        said = remembering.build(*options, strict=False).output
    finally:
        path.write_bytes(whole)
    after = remembering.findings()
    assert {*pages} <= after.keys(), said[-3000:]
    moved = any(before[page][what] != after[page][what] for page in pages for what in ("found", "text"))
    assert moved or NOTICED.search(said), f"PE_SEED={SEED} {mutant}: {pages} say the same"
