"""The cells of a page as code: what each binds, uses, and calls of the package.

Syntax trees alone decide (``run.flow``): nothing is executed and nothing of the package is imported, so
that a page on torch can be read where there is no torch.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bookish.run.flow import Flow, parsed

HIDDEN = frozenset({"remove-input", "remove_input", "remove-cell"})
FOLDED = frozenset({"hide-input", "hide-cell"})
FOLD = re.compile(r"^:{3,}\{(?:depth|solution)-(start|end)\}", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """One code cell. Names are those of the module level, where cells share them."""

    number: int  # among the code cells, from 1
    index: int  # among all cells of the notebook, from 0, as messages of the build count them
    line: int  # of the fence that opens it, from 1; 0 where the notebook does not say
    source: str
    tags: frozenset[str]
    binds: frozenset[str]  # bound when the cell has run
    deletes: frozenset[str]  # gone when the cell has run
    alters: frozenset[str]  # changed in place: x[0] = ..., x.name = ...
    imports: dict[str, str]  # of the bound names those that an import bound, and to what
    needs: frozenset[str]  # read by it and its functions, and not bound by itself
    calls: tuple[str, ...]  # what its code names of the package: pe_book.sinusoidal.formula.encode
    fold: int = 0  # which fold "In depth" or solution of the page it stands in, from 1; 0 outside of all

    @property
    def hidden(self) -> bool:
        return bool(self.tags & HIDDEN)

    @property
    def folded(self) -> bool:
        return bool(self.tags & FOLDED) and not self.hidden


def from_text(text: str) -> list[Cell]:
    """The cells of a page, from its MyST text."""
    from bookish.run.foreign import notebook_of  # imported here: most of this module is used without a build

    return from_notebook(notebook_of(text))


def from_notebook(notebook: Any) -> list[Cell]:
    """The cells of a notebook; lines are known where MyST-NB read it from text."""
    lines = notebook.metadata.get("source_map") or [0] * len(notebook.cells)
    cells: list[Cell] = []
    imported: dict[str, str] = {}
    fold = folds = 0
    for index, (cell, line) in enumerate(zip(notebook.cells, lines, strict=True)):
        for mark in FOLD.findall(cell.source) if cell.cell_type == "markdown" else ():
            folds += mark == "start"
            fold = folds if mark == "start" else 0
        if cell.cell_type == "code":
            flow = Flow(imported)
            flow.run(parsed(cell.source))
            cells.append(
                Cell(
                    number=len(cells) + 1,
                    index=index,
                    line=line,
                    source=cell.source,
                    tags=frozenset(cell.metadata.get("tags", [])),
                    binds=frozenset(flow.bound),
                    deletes=frozenset(flow.deleted),
                    alters=frozenset(flow.altered),
                    imports={name: path for name, path in flow.imported.items() if name in flow.bound},
                    needs=frozenset(flow.needed),
                    calls=tuple(flow.calls),
                    fold=fold,
                )
            )
            imported = flow.imported
    return cells


def leaning(cells: Sequence[Cell]) -> Iterator[tuple[Cell, dict[str, int]]]:
    """Cells that use what was bound in a fold in which they do not stand: the names, each with its cell."""
    last: dict[str, Cell] = {}
    for cell in cells:
        bound = {name: last[name] for name in sorted(cell.needs & last.keys())}
        names = {name: other.number for name, other in bound.items() if other.fold not in (0, cell.fold)}
        if names:
            yield cell, names
        changed = cell.binds - same_imports(cell, last) | cell.deletes | (cell.alters & last.keys())
        last |= dict.fromkeys(changed, cell)


def same_imports(cell: Cell, last: Mapping[str, Cell]) -> set[str]:
    """What a cell imports that stood for the same before: solutions name their imports once more."""
    before = {name: last[name].imports.get(name) for name in cell.imports.keys() & last.keys()}
    return {name for name, path in before.items() if path == cell.imports[name]}


def borrowing(cells: Sequence[Cell]) -> Iterator[tuple[Cell, list[str]]]:
    """Cells that a reader pastes, and the names in them that only cells bind which he does not paste before.

    A visible cell is pasted behind the visible ones, a folded one behind all that can be opened.
    """
    out_of_sight, visible, opened = set[str](), set[str](), set[str]()
    for cell in cells:
        if not cell.hidden:
            if names := cell.needs & out_of_sight - (opened if cell.folded else visible):
                yield cell, sorted(names)
            opened |= cell.binds
        if cell.hidden or cell.folded:
            out_of_sight |= cell.binds
        else:
            visible |= cell.binds


# ---------------------------------------------------------------- what stands behind an expression


def tree_of(expression: str) -> ast.AST:
    """An expression, with or without the format that may follow it in a field."""
    try:
        return ast.parse(expression.strip(), mode="eval")
    except SyntaxError:
        return ast.parse(f"f'''{{{expression}}}'''", mode="eval")


def names_read(expression: str) -> frozenset[str]:
    """The names that an expression reads from the page."""
    flow = Flow({})
    flow.run([tree_of(expression)])
    return frozenset(flow.needed)


def called(expression: str, cells: Sequence[Cell]) -> tuple[str, ...]:
    """The objects of the package that an expression names, after these cells."""
    flow = Flow(imported_by(cells))
    flow.run([tree_of(expression)])
    return tuple(flow.calls)


def imported_by(cells: Iterable[Cell]) -> dict[str, str]:
    """What import each name stands for, after these cells."""
    imported: dict[str, str] = {}
    for cell in cells:
        for name in cell.binds | cell.deletes:
            imported.pop(name, None)
        imported |= cell.imports
    return imported


def last_binding(cells: Iterable[Cell], expression: str) -> dict[str, Cell]:
    """For each name of an expression, the cell that last bound or changed it; builtins have none."""
    found: dict[str, Cell] = {}
    needed_names = names_read(expression)
    for cell in cells:
        for name in needed_names & cell.deletes:
            found.pop(name, None)
        changed = cell.binds - same_imports(cell, found) | cell.alters & found.keys()
        found |= dict.fromkeys(needed_names & changed, cell)
    return found
