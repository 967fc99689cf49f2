"""What a reader sees he can paste: visible cells run in order, whatever folds he leaves closed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from bookish.run.cells import borrowing, from_text, leaning
from tests.pages.paste import pasted
from tests.show import walk

REPO = Path(__file__).resolve().parents[2]
PAGES = {
    file.relative_to(REPO / "docs").with_suffix("").as_posix(): from_text(file.read_text(encoding="utf-8"))
    for file in sorted((REPO / "docs").rglob("*.md"))
    if not any(part.startswith("_") for part in file.relative_to(REPO).parts)
}
STUDY = ("pe_book.evidence", "pe_book.show")  # what a reader's wheel leaves out
CURE = "what a hidden or folded cell imports or binds does not count: import or bind it in a visible cell"


def visible(page):
    return [
        (cell.index, cell.source, cell.fold) for cell in PAGES[page] if not cell.hidden and not cell.folded
    ]


@pytest.mark.parametrize("page", [page for page in PAGES if visible(page)])
def test_visible_cells_run_by_themselves(page, tmp_path):
    assert pasted(visible(page), tmp_path) == "", CURE


@pytest.mark.parametrize(
    "page", [page for page, cells in PAGES.items() if any(cell.folded for cell in cells)]
)
def test_with_the_folds_open_they_run_too(page, tmp_path, monkeypatch):
    """The folds may use the imports of the one hidden cell; a reader finds them on the source pages."""
    assert [cell.source.rstrip() for cell in PAGES[page]] == [
        piece.text.rstrip() for piece in walk.pieces(page) if piece.kind == "code-cell"
    ]
    monkeypatch.chdir(tmp_path)
    walk.shown(page)


def of_study(cells):
    """The lines of visible cells that import what the wheel of the package leaves out."""
    for cell in cells:
        for node in ast.walk(ast.parse("" if cell.hidden or cell.folded else cell.source)):
            home = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            names = node.names if isinstance(node, ast.Import | ast.ImportFrom) else ()
            if any(f"{home}{alias.name}".startswith(STUDY) for alias in names):
                yield cell.line


def test_visible_cells_import_nothing_that_the_wheel_of_the_package_leaves_out():
    found = {page: lines for page, cells in PAGES.items() if (lines := list(of_study(cells)))}
    assert found == {}, (
        "what a reader calls belongs to the definitions; what he reads is printed by a folded cell"
    )


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("from pe_book.evidence.records.bench import recorded", 1),
        ("from pe_book import show", 1),
        ("def f():\n    import pe_book.show.index", 1),
        ("from pe_book.nn.trial.padded import columns", 0),
        (":tags: [hide-input]\nfrom pe_book import show", 0),
    ],
)
def test_such_an_import_in_a_visible_cell_is_seen(line, seen):
    front = "---\nfile_format: mystnb\nkernelspec: {name: python3}\n---\n# A\n\n"
    assert len(list(of_study(from_text(f"{front}```{{code-cell}} python\n{line}\n```\n")))) == seen


def test_a_cell_that_leans_on_a_fold_is_seen(tmp_path):
    front = "---\nfile_format: mystnb\nkernelspec: {name: python3}\n---\n# A\n\n"
    folded = "```{code-cell} python\n:tags: [hide-input]\nx = 1\n```\n\n"
    text = front + folded + "```{code-cell} python\nprint(x)\n```\n"
    visible = [(cell.index, cell.source, 0) for cell in from_text(text) if not cell.folded]
    assert "NameError" in pasted(visible, tmp_path)


@pytest.mark.parametrize("kind", ["depth", "solution"])
def test_a_cell_that_leans_on_what_a_reader_may_leave_closed_is_seen(kind, tmp_path):
    cell = "```{{code-cell}} python\n{}\n```\n\n"
    start, end = f":::{{{kind}-start}} Deep\n:label: dep:a:deep\n:::\n\n", f":::{{{kind}-end}}\n:::\n\n"
    inside = start + cell.format("y = x") + end
    front = "---\nfile_format: mystnb\nkernelspec: {name: python3}\n---\n# A\n\n"
    cells = from_text(front + cell.format("x = 1") + inside + cell.format("print(x)"))
    assert [cell.fold for cell in cells] == [0, 1, 0]
    assert pasted([(cell.index, cell.source, cell.fold) for cell in cells], tmp_path) == ""
    assert list(leaning(cells)) == []
    cells = from_text(front + cell.format("x = 1") + inside + cell.format("print(y)"))
    assert "NameError" in pasted([(cell.index, cell.source, cell.fold) for cell in cells], tmp_path)
    assert [(cell.number, names) for cell, names in leaning(cells)] == [(3, {"y": 2})]


@pytest.mark.parametrize(("tag", "names"), [("remove-input", ["cmath"]), ("keep", None)])
def test_an_import_that_nobody_sees_is_seen(tag, names):
    cell = "```{{code-cell}} python\n{}\n```\n\n"
    use = cell.format("x = cmath.pi")
    front = "---\nfile_format: mystnb\nkernelspec: {name: python3}\n---\n# A\n\n"
    text = (
        front
        + cell.format(f":tags: [{tag}]\nimport cmath")
        + cell.format(":tags: [hide-input]\ny = cmath.e")
        + use
    )
    assert [found for _, found in borrowing(from_text(text))] == ([names] if names else [])
    assert list(borrowing(from_text(text + cell.format("import cmath\nz = cmath.e"))))[1:] == []
