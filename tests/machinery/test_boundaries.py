"""Each comparison of the family's definitions is turned into its neighbour, ``>`` into ``>=``: a test must see it.

A threshold that is off by one place is right everywhere but at the threshold. Every mutant runs in a process of its
own, in which the code of one function has been exchanged; the tests that must fail are those that name the module.
"""

import ast
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import CodeType, ModuleType

import pytest

import pe_book.family

REPO = Path(__file__).resolve().parents[2]
NEIGHBOUR = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
# they read or compare, and define no encoding
TOOLS = re.compile(r"bugs|config|checkpoint|porting|models|comparison|predicates|recovering")
EQUAL = {  # to what they replace, and why
    "initialisation: c < 1": "two formulas for one integral, which agree at 1",
    "ramps: np.abs(steps - steps[0]).max() > 1e-06 * abs(steps[0])": "what rounding may do has no exact end",
    "t5: np.abs(roots - near) <= 1e-12 * roots": "what rounding may do has no exact end",
    "ramps: omega.size > 1": "one number has no differences",
    "remapped: far <= w": "at the window both sides are the window",
    "remapped: apart > 1": "where it is 1 the condition before it has decided",
    "axes: rung < len(given) * np.take(given, turn)": "equal only at turn 0, which is the other choice, too",
    "t5: distance < exact": "the first wide bucket begins with the number of the exact one",
    "log_buckets: distance <= len(edges)": "the first wide bucket has the number of the last exact one",
    "log_buckets: edge ** (mid - 1) > limit": "the loop that follows takes the step back",
}


def modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(pe_book.family.__path__, "pe_book.family."):
        if not TOOLS.search(info.name):
            yield import_module(info.name)


def mutants() -> Iterator[tuple[str, str, int]]:
    """Module, the comparison as it reads, and its place among the comparisons of the module."""
    for module in modules():
        for place, node in enumerate(comparisons(source_of(module))):
            yield module.__name__, ast.unparse(node), place


def source_of(module: ModuleType) -> ast.Module:
    return ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))


def comparisons(tree: ast.Module) -> list[ast.Compare]:
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]
    return [node for node in found if any(type(sign) in NEIGHBOUR for sign in node.ops)]


def exchange(module: ModuleType, place: int) -> None:
    """Give every function of the module the code in which one comparison has become its neighbour."""
    tree = source_of(module)
    node = comparisons(tree)[place]
    node.ops = [NEIGHBOUR.get(type(sign), type(sign))() for sign in node.ops]
    new = codes(compile(ast.fix_missing_locations(tree), module.__file__ or "", "exec"))
    for function in functions(module):
        function.__code__ = new[function.__code__.co_qualname, function.__code__.co_firstlineno]


def codes(code: CodeType) -> dict[tuple[str, int], CodeType]:
    inside = [part for part in code.co_consts if isinstance(part, CodeType)]
    found = {(part.co_qualname, part.co_firstlineno): part for part in inside}
    return {key: value for part in inside for key, value in codes(part).items()} | found


def functions(module: ModuleType) -> list:
    homes = [module, *(one for one in vars(module).values() if isinstance(one, type))]
    found = [getattr(one, "__wrapped__", one) for home in homes for one in vars(home).values()]
    found = [getattr(one, "fget", None) or getattr(one, "__func__", one) for one in found]
    return [one for one in found if getattr(one, "__code__", None) and one.__module__ == module.__name__]


def files_for(name: str) -> list[str]:
    """The test files that name a module, its own first; else those that name a function of it."""
    stem = name.rpartition(".")[2]
    files = [*(REPO / "tests" / "family").rglob("test_*.py")]
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    named = [file for file in files if name in texts[file] or file.stem == f"test_{stem}"]
    public = "|".join(one.__name__ for one in functions(import_module(name)) if one.__name__[0] != "_")
    calling = [file for file in files if re.search(rf"\b({public})\b", texts[file])]
    return [str(file) for file in sorted(named or calling, key=lambda file: file.stem != f"test_{stem}")]


MUTANTS = """
import os, sys, pytest
from importlib import import_module
from tests.machinery.test_boundaries import exchange
module, files = import_module(sys.argv[1]), sys.argv[3:]
pytest.main(["-q", "--collect-only", "-p", "no:cacheprovider", *files])  # imported once for all
for place in map(int, sys.argv[2].split()):
    if not (child := os.fork()):
        exchange(module, place)
        os._exit(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *files]))
    if os.waitpid(child, 0)[1] == 0:
        print("survives", place)
"""


def survivors(name: str, places: list[int]) -> set[int]:
    """The mutants with which all tests of a module pass."""
    command = [sys.executable, "-c", MUTANTS, name, " ".join(map(str, places)), *files_for(name)]
    done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=True)
    return {int(place) for place in re.findall(r"^survives (\d+)$", done.stdout, re.MULTILINE)}


def short(name: str, text: str) -> str:
    return f"{name.rpartition('.')[2]}: {text}"


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted({name for name, _, _ in mutants()}))
def test_a_boundary_that_is_off_by_one_is_seen(name):
    texts = {place: text for module, text, place in mutants() if module == name}
    assert files_for(name)  # without a file pytest would collect all
    alive = survivors(name, list(texts))
    assert {place for place, text in texts.items() if short(name, text) in EQUAL} == alive


def test_what_is_equal_is_there():
    assert EQUAL.keys() <= {short(name, text) for name, text, _ in mutants()}
