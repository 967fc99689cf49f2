"""Error messages of the package that somebody pastes into the search: what is raised or found.

They are read in the source: the words as they stand, with … where a value is filled in. A message leads to
the documented function that says it, or to one that calls into its module.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from bookish.run.package import modules, parsed

VALUE = "…"
LEFT_OUT = {"evidence", "show"}  # no reader calls these
WORDS = re.compile(r"[^\W\d_]{2,}")
LEAST = 2  # words, and with fewer a message is found by no one
MOST = 200  # letters, of what tells one message from another


class Message(NamedTuple):
    """What is said, and the name of the function that says it, with its module."""

    text: str
    module: str
    name: str


def messages_of(module: str, tree: ast.Module) -> Iterator[Message]:
    """What the functions of a module raise, and the findings that they make."""
    for name, function in functions(tree):
        bound: dict[str, list[ast.expr]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                bound.setdefault(node.targets[0].id, []).append(node.value)
        for said in told(function, bound):
            text = " ".join(filled(said, bound).split())
            text = re.sub(rf"{VALUE}(\W*{VALUE})+", VALUE, text)
            if len(WORDS.findall(text)) >= LEAST:
                yield Message(text[:MOST], module, name)


def functions(tree: ast.AST, within: str = "") -> Iterator[tuple[str, ast.AST]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield within + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{within}{node.name}.")


def told(function: ast.AST, bound: Mapping[str, list[ast.expr]]) -> Iterator[ast.expr]:
    """Expressions whose words a reader sees."""
    for node in ast.walk(function):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            yield node.exc.args[0]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Finding":
            for said in node.args[2:3]:
                yield from bound.get(said.id, [said]) if isinstance(said, ast.Name) else [said]


def filled(node: ast.expr, bound: Mapping[str, list[ast.expr]], depth: int = 3) -> str:
    """The words of an expression, with … for what is known only when it runs."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else VALUE
    if isinstance(node, ast.JoinedStr):
        return "".join(filled(part, bound, depth) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return filled(node.value, bound, depth)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return filled(node.left, bound, depth) + filled(node.right, bound, depth)
    if isinstance(node, ast.Name) and depth and len(bound.get(node.id, ())) == 1:
        return filled(bound[node.id][0], bound, depth - 1)
    return VALUE


def in_package() -> Iterator[Message]:
    for module, file in modules().items():
        if not LEFT_OUT & {*module.split(".")}:
            yield from messages_of(module, parsed(file))


class Places:
    """Where functions are documented; of one that is not, who calls into its module."""

    def __init__(self, documented: Mapping[str, Any]):
        self.documented = documented  # full name: address
        self.importers: dict[str, list[str]] = {}
        for module, file in modules().items():
            for node in ast.walk(parsed(file)):
                if isinstance(node, ast.ImportFrom) and node.module:
                    self.importers.setdefault(node.module, []).append(module)

    def of(self, message: Message) -> str | None:
        full = f"{message.module}.{message.name}"
        while full != message.module:  # the method, its class
            if full in self.documented:
                return full
            full = full.rpartition(".")[0]
        return self.within(message.module, 3, {message.module})

    def within(self, module: str, depth: int, seen: set[str]) -> str | None:
        """What is documented in a module, or in one that imports from it, the nearest first."""
        here = [full for full in self.documented if full.rpartition(".")[0] == module]
        if here or not depth:
            return here[0] if here else None
        for other in self.importers.get(module, ()):
            if other not in seen:
                seen.add(other)
                if found := self.within(other, depth - 1, seen):
                    return found
        return None
