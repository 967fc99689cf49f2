"""The digest of code: of what it does, not of how it is commented, where it stands or how it is imported.

What counts is the statements of the modules in any order, without docstrings, without imports, and without
`main`, which prints and writes: at which sizes something was measured stands in its record. What is imported
has the name that it has at home: ``numpy.sin`` for ``np.sin``; from the package ``held`` alone, for
``kept.held`` and for ``from … import held as h``, with ``nn:`` before what is of that side, since tensors and
arrays have functions of one name. Two definitions of one name on one side are not told apart.
"""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from pe_book.evidence.records.record import ROOT

PACKAGE = "pe_book"


def digest(modules: Iterable[str], root: Path = ROOT) -> str:
    """One hash of modules, wherever they stand.

    Parameters
    ----------
    modules
        Their names, such as ``"pe_book.inputs.pairs"``.
    root
        The folder that holds the package.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    files = {name: _file(name, root) for name in modules}
    gone = [name for name, file in files.items() if file is None]
    if gone:
        raise ValueError(f"modules must stand below {root}, got {gone}: say in {__package__} where they are")
    sources = [file.read_text(encoding="utf-8") for file in files.values() if file]
    texts = [text for source in sources for text in plain(source, root)]
    hashes = sorted(hashlib.sha256(text.encode()).hexdigest() for text in texts)
    return hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def reached(starts: Iterable[str], root: Path = ROOT) -> set[str]:
    """Modules of the package with all that they import from it, directly or not.

    >>> sorted(reached(["pe_book.inputs.pairs"]))
    ['pe_book.inputs.arrays', 'pe_book.inputs.checking', 'pe_book.inputs.pairs', 'pe_book.inputs.wording']
    """
    found: set[str] = set()
    waiting = list(starts)
    while waiting:
        name = waiting.pop()
        file = _file(name, root)
        if file is not None and name not in found:
            found.add(name)
            homes = _homes(ast.parse(file.read_text(encoding="utf-8"))).values()
            waiting += [*homes, *(home.rpartition(".")[0] for home in homes)]
    return found


def plain(source: str, root: Path = ROOT) -> list[str]:
    """The statements of a module without what decides nothing.

    >>> plain("from pe_book.inputs.pairs import split as s; y = s(x)  # more")
    ['y = split(x)']
    """
    tree = ast.parse(source)
    return [ast.unparse(statement) for statement in _Plain(_homes(tree), root).visit(tree).body]


class _Plain(ast.NodeTransformer):
    def __init__(self, homes: dict[str, str], root: Path) -> None:
        self.homes, self.root = homes, root

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        return None if node.name == "main" else self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        words = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if words else self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str) and _file(node.value, self.root):  # a module, imported by its name
            return ast.Constant(node.value.rpartition(".")[2])
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)  # a type decides nothing
        return self.generic_visit(node)

    def visit_Import(self, _: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, _: ast.ImportFrom) -> None:
        return None

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._at_home(node) or node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return self._at_home(node) or self.generic_visit(node)

    def _at_home(self, node: ast.expr) -> ast.Name | None:
        home = self._home(node)
        if home is None or not _is_ours(home):
            return ast.Name(home) if home else None
        side = "nn:" if home.startswith(f"{PACKAGE}.nn.") else ""
        return ast.Name(f"{side}{home.rpartition('.')[2]}")

    def _home(self, node: ast.expr) -> str | None:
        """The dotted name of what has been imported as a name, or as a name in a module of ours."""
        if isinstance(node, ast.Name):
            return self.homes.get(node.id)
        if not isinstance(node, ast.Attribute):
            return None
        before = self._home(node.value)
        return f"{before}.{node.attr}" if before and _file(before, self.root) else None


def _homes(tree: ast.Module) -> dict[str, str]:
    """The dotted name of what a module imports, by the name that it has for it."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                found[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom):
            found.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
    return found


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] == PACKAGE


@cache
def _file(name: str, root: Path) -> Path | None:
    """The file of a module of the package; None if it has no such module."""
    stem = root.joinpath(*name.split("."))
    files = (stem.with_suffix(".py"), stem / "__init__.py") if _is_ours(name) else ()
    return next((file for file in files if file.is_file()), None)
