"""The package is perturbed, one operator or constant at a time: what a page says of it has to move.

What never moves is listed beside the site, in docs/_build/unmoved.json. A number there is either not about the
mutants of this run, or typed in a way that no lint sees. PE_SEED chooses other mutants, PE_MUTANTS how many.
"""

from __future__ import annotations

import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from tests.chapters import parts
from tests.seeds import seed

REPO = Path(__file__).resolve().parents[3]
SEED = seed()
MUTANTS = int(os.environ.get("PE_MUTANTS", "8"))
TRIES = 12  # mutants of a module until one changes what its examples print
OPTIONS = ["-j", "2", "-D", "nb_execution_allow_errors=1", "-D", "pe_draw=0"]
OTHER = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*")}
CHANGED = "import doctest, sys; from {module} import __name__ as name; sys.exit(doctest.testmod(sys.modules[name])[0] > 0)"
REFUSED = re.compile(
    r"/docs/(?P<page>[\w/-]+)\.md(?::\d+)?: WARNING: PE324 .*?does not hold: <(?P<check>.*)> gave "
)

FAILED = re.compile(r"/docs/(?P<page>[\w/-]+)\.md(?::\d+)?: WARNING: PE(?:2\d\d|314|323) ")


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


def chosen(root: Path) -> list[Mutant]:
    """Mutants, each of another module as long as there are some, that change what the module's examples print."""
    rng = random.Random(SEED)
    modules = [path for part in parts(root) for path in sorted((root / "pe_book" / part).glob("[!_]*.py"))]
    rng.shuffle(modules)
    kept: list[Mutant] = []
    for path in modules:
        file, source = path.relative_to(root).as_posix(), path.read_bytes()
        every = list(mutants(file, source))
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
            path.write_bytes(source)
            if changes:
                kept.append(mutant)
                break
        if len(kept) == MUTANTS:
            break
    return kept


@pytest.mark.thorough
def test_what_pages_say_moves_with_the_package(new_whole_book, tmp_path_factory):
    book = new_whole_book(tmp_path_factory.mktemp("perturbed"))
    mutants_chosen = chosen(book.root)
    print(f"seed {SEED}:", *(f"{m.file}:{m.line} {m.was} -> {m.now}" for m in mutants_chosen), sep="\n")
    built = book.build(*OPTIONS, strict=False)
    before, kept = book.findings(), shutil.copytree(book.root / "doctrees", book.root / "kept")
    assert {page for page in before if before[page]["found"]} <= set(built.executed), built.output[-3000:]

    unmoved = {
        page: ({*map(field_of, findings["found"])}, {*findings["held"]}) for page, findings in before.items()
    }
    executed: set[str] = set()
    noticed: dict[str, set[str]] = {mutant.definition: set() for mutant in mutants_chosen}
    rows = []
    for mutant in mutants_chosen:
        path = book.root / mutant.file
        shutil.copy2(path, book.root / "whole.py")
        path.write_bytes(mutant.planted(path.read_bytes()))
        built = book.build(*OPTIONS, strict=False)
        after = book.findings()
        pages = set()
        for page in built.executed:
            pairs = zip(before[page]["found"], after[page]["found"], strict=False)
            numbers = {field for (field, was), (same, now) in pairs if field == same and was != now != "?"}
            statements = {found["check"] for found in REFUSED.finditer(built.output) if found["page"] == page}
            unmoved[page] = (unmoved[page][0] - numbers, unmoved[page][1] - statements)
            refused = page in {found["page"] for found in FAILED.finditer(built.output)}
            pages |= {page} if numbers or statements or refused else set()
        executed |= set(built.executed)
        noticed[mutant.definition] |= pages
        naming = [
            page for page in before if mutant.definition in before[page]["calls"] and before[page]["found"]
        ]
        rows.append(
            {**asdict(mutant), "executed": built.executed, "noticed": sorted(pages), "naming": naming}
        )
        shutil.rmtree(book.root / "doctrees")
        shutil.copytree(kept, book.root / "doctrees")
        shutil.move(book.root / "whole.py", path)

    report = {
        "seed": SEED,
        "mutants": rows,
        "unmoved": {
            page: {"numbers": sorted(numbers), "statements": sorted(statements)}
            for page, (numbers, statements) in sorted(unmoved.items())
            if page in executed and (numbers or statements)
        },
    }
    (REPO / "docs" / "_build").mkdir(exist_ok=True)
    (REPO / "docs" / "_build" / "unmoved.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    assert len(mutants_chosen) == MUTANTS
    silent = {row["definition"] for row in rows if row["naming"] and not noticed[row["definition"]]}
    assert silent == set(), "pages name these definitions, and all say the same when they are wrong"


def field_of(pair: list[str]) -> str:
    return pair[0]
