"""The pieces of a page as a notebook, the same bytes from the same page."""

from __future__ import annotations

import hashlib
from typing import Any

import nbformat
from nbformat import v4

from bookish.notebooks.pieces import Piece

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
LANGUAGE = {
    "name": "python", "file_extension": ".py", "mimetype": "text/x-python", "pygments_lexer": "ipython3",
}  # fmt: skip


class Ids:
    """A cell keeps its id as long as it keeps its source, wherever it moves."""

    def __init__(self) -> None:
        self.used: dict[str, int] = {}

    def of(self, source: str) -> str:
        digest = hashlib.sha256(source.encode()).hexdigest()[:12]
        self.used[digest] = count = self.used.get(digest, 0) + 1
        return digest if count == 1 else f"{digest}-{count}"


def metadata_of(piece: Piece) -> dict[str, Any]:
    """What programs and `make notebooks` read of a cell of code."""
    if piece.exercise:
        return {"pe_book": {"exercise": piece.exercise}, "tags": ["exercise"]}
    return {"jupyter": {"source_hidden": True}, "tags": ["hide-input"]} if piece.folded else {}


def as_notebook(pieces: list[Piece], said: dict[str, Any], *, executed: bool) -> str:
    """The text of an .ipynb; what cells have said is in it if it is to be read as it is."""
    ids, cells, count = Ids(), [], 0
    for piece in pieces:
        own = ids.of(piece.source)
        if not piece.is_code:
            cells.append(v4.new_markdown_cell(piece.source, id=own))
            continue
        count += 1
        cell = v4.new_code_cell(piece.source, id=own, metadata=metadata_of(piece))
        if executed:
            cell["execution_count"] = count
            cell["outputs"] = [nbformat.from_dict(output_of(output, count)) for output in piece.outputs]
        cells.append(cell)
    whole = v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL, "language_info": LANGUAGE, **said})
    whole["nbformat_minor"] = 5
    nbformat.validate(whole)
    return str(nbformat.writes(whole)).rstrip("\n") + "\n"


def output_of(output: dict[str, Any], count: int) -> dict[str, Any]:
    return {**output, "execution_count": count} if output["output_type"] == "execute_result" else output
