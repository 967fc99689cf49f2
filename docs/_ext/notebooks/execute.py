"""Execute one notebook in the environment of this interpreter; what went otherwise is printed as JSON.

``python execute.py NOTEBOOK FOLDER [FILLS]``: with FILLS, a JSON file of solutions by the label of their
exercise, the notebook is one for students: it is run untouched and filled in. This runs outside the book.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

SECONDS = 300  # of one cell
START_ATTEMPTS = 3
# where the package finds the book: what is installed has none beside it
WHERE = re.compile(r"^explained in .*(?:\n  .*)*\n?", re.MULTILINE)


def run(notebook: nbformat.NotebookNode, folder: str) -> None:
    """Run all cells, those behind one that fails, too; a kernel that loses its port is started anew."""
    options = {"timeout": SECONDS, "allow_errors": True, "kernel_name": "python3"}
    for attempts_left in reversed(range(START_ATTEMPTS)):
        try:
            NotebookClient(notebook, resources={"metadata": {"path": folder}}, **options).execute()
            return
        except RuntimeError:  # it has died before it said anything
            if not attempts_left:
                raise


def code_of(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def exercise_of(cell: nbformat.NotebookNode) -> str:
    return str(cell.metadata.get("pe_book", {}).get("exercise", ""))


def said(cell: nbformat.NotebookNode) -> str:
    """What a cell printed and gave, in plain text."""
    parts = [out.get("text") or out.get("data", {}).get("text/plain", "") for out in cell.outputs]
    return WHERE.sub("", "".join("".join(part) for part in parts))


def error_of(cell: nbformat.NotebookNode) -> str:
    found = [output for output in cell.outputs if output.output_type == "error"]
    return f"{found[0].ename}: {found[0].evalue}"[:200] if found else ""


def in_order(notebook: nbformat.NotebookNode, folder: str) -> list[str]:
    """Run all cells: none fails, and each says what it says in the notebook."""
    before = [said(cell) for cell in code_of(notebook)]
    run(notebook, folder)
    wrong = []
    for number, (cell, words) in enumerate(zip(code_of(notebook), before, strict=True), 1):
        if error := error_of(cell):
            wrong.append(f"cell {number} fails: {error}")
        elif said(cell) != words:
            wrong.append(f"cell {number} says {said(cell)[:100]!r}, and in the notebook {words[:100]!r}")
    return wrong


def untouched(notebook: nbformat.NotebookNode, folder: str) -> list[str]:
    """Run a notebook for students as it comes: it stops at each stub and nowhere else."""
    run(notebook, folder)
    wrong = []
    for number, cell in enumerate(code_of(notebook), 1):
        error, label = error_of(cell), exercise_of(cell)
        if bool(error) != bool(label):
            wrong.append(f"cell {number} {'fails: ' + error if error else 'passes, a stub of ' + label}")
        elif label and not error.startswith("NotImplementedError"):
            wrong.append(f"cell {number}, a stub, fails with {error}")
    return wrong


def filled(notebook: nbformat.NotebookNode, folder: str, fills: dict[str, str]) -> list[str]:
    """Put each solution in the place of its stub: no cell fails."""
    for cell in code_of(notebook):
        if label := exercise_of(cell):
            cell.source = fills[label]
    run(notebook, folder)
    found = [(number, error_of(cell)) for number, cell in enumerate(code_of(notebook), 1)]
    return [f"cell {number}, filled in, fails: {error}" for number, error in found if error]


def main(path: str, folder: str, fills: str = "") -> None:
    def read() -> nbformat.NotebookNode:
        return nbformat.read(path, as_version=4)

    if not fills:
        print(json.dumps(in_order(read(), folder)))
        return
    solutions = json.loads(Path(fills).read_text(encoding="utf-8"))
    print(json.dumps([*untouched(read(), folder), *filled(read(), folder, solutions)]))


if __name__ == "__main__":
    main(*sys.argv[1:])
