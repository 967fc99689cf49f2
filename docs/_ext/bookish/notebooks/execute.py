"""Execute one notebook in the environment of this interpreter; what went otherwise is printed as JSON.

``python execute.py NOTEBOOK FOLDER``. This runs outside the book.
"""

import json
import re
import sys

import nbformat
from nbclient import NotebookClient

SECONDS = 300  # of one cell
START_ATTEMPTS = 3
# where the package finds the book: what is installed has none beside it
WHERE = re.compile(r"^explained in .*(?:\n  .*)*\n?", re.MULTILINE)


def run(notebook: nbformat.NotebookNode, folder: str) -> None:
    """Run all cells, those behind one that fails, too; a kernel that loses its port is started anew."""
    options = {
        "timeout": SECONDS,
        "allow_errors": True,
        "kernel_name": "python3",
        "shutdown_kernel": "immediate",
    }
    for attempts_left in reversed(range(START_ATTEMPTS)):
        try:
            NotebookClient(notebook, resources={"metadata": {"path": folder}}, **options).execute()
            return
        except RuntimeError:  # it has died before it said anything
            if not attempts_left:
                raise


def code_of(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def said(cell: nbformat.NotebookNode) -> str:
    """What a cell printed and gave, in plain text."""
    parts = [out.get("text") or out.get("data", {}).get("text/plain", "") for out in cell.outputs]
    return WHERE.sub("", "".join("".join(part) for part in parts))


def error_of(cell: nbformat.NotebookNode) -> str:
    found = [output for output in cell.outputs if output.output_type == "error"]
    return f"{found[0].ename}: {found[0].evalue}"[:200] if found else ""


def in_order(notebook: nbformat.NotebookNode, folder: str) -> list[str]:
    """Run all cells: a stub stops with its own error, each other cell says what it says in the notebook."""
    before = [said(cell) for cell in code_of(notebook)]
    run(notebook, folder)
    wrong = []
    for number, (cell, words) in enumerate(zip(code_of(notebook), before, strict=True), 1):
        error, label = error_of(cell), cell.metadata.get("pe_book", {}).get("exercise", "")
        if label and not error.startswith("NotImplementedError"):
            wrong.append(f"cell {number}, a stub of {label}, {'fails with ' + error if error else 'passes'}")
        elif error and not label:
            wrong.append(f"cell {number} fails: {error}")
        elif not label and said(cell) != words:
            wrong.append(f"cell {number} says {said(cell)[:100]!r}, and in the notebook {words[:100]!r}")
    return wrong


if __name__ == "__main__":
    path, folder = sys.argv[1:]
    print(json.dumps(in_order(nbformat.read(path, as_version=4), folder)))
