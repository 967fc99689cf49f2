"""The package as written: where a dotted name is defined. Its files are read, never imported."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

PACKAGE = "pe_book"
ROOT = Path(__file__).resolve().parents[2]


def file_of(module: str) -> Path | None:
    """The file of a module of the package."""
    base = ROOT.joinpath(*module.split("."))
    return next((file for file in (base.with_suffix(".py"), base / "__init__.py") if file.is_file()), None)


@cache
def contents(file: Path) -> tuple[dict[str, int], dict[str, str]]:
    """What a module defines, with lines; and what it takes from elsewhere, with its home."""
    defined: dict[str, int] = {}
    imported: dict[str, str] = {}
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            imported |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            defined[node.name] = min([node.lineno, *(part.lineno for part in node.decorator_list)])
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in [part for target in targets for part in ast.walk(target)]:
                if isinstance(name, ast.Name):
                    defined.setdefault(name.id, node.lineno)
            if isinstance(targets[0], ast.Name) and targets[0].id == "_HOME" and node.value:
                homes = ast.literal_eval(node.value)  # loaded when first used (PEP 562)
                imported |= {name: f"{home}.{name}" for name, home in homes.items()}
    return defined, imported


def resolve(dotted: str) -> str | None:
    """The home of what a dotted name means: ``pe_book.encode`` is ``pe_book.sinusoidal.formula.encode``.

    None for a module, and for what is not of the package.
    """
    seen = set()
    while dotted not in seen and dotted.partition(".")[0] == PACKAGE:
        seen.add(dotted)
        parts = dotted.split(".")
        lengths = [length for length in range(len(parts), 0, -1) if file_of(".".join(parts[:length]))]
        if not lengths or lengths[0] == len(parts):
            return None
        module, name = ".".join(parts[: lengths[0]]), parts[lengths[0]]
        file = file_of(module)
        assert file is not None
        defined, imported = contents(file)
        if name in defined:
            return f"{module}.{name}"
        if name not in imported:
            return None
        dotted = ".".join([imported[name], *parts[lengths[0] + 1 :]])
    return None
