"""What a reader sees or can open he can paste: visible cells in order, without and with the folded ones."""

import ast

import pytest

from bookish.run.cells import borrowing, from_text, leaning
from tests.pages.paste import pasted
from tests.pages.sources import names, text_of
from tests.show import walk

PAGES = {name: from_text(text_of(name)) for name in names()}
STUDY = ("pe_book.evidence", "pe_book.show")  # what a reader's wheel leaves out
FRONT = "---\nfile_format: mystnb\nkernelspec: {name: python3}\n---\n# A\n\n"
CELL = "```{{code-cell}} python\n{}\n```\n\n"
FOLDED, HIDDEN = ":tags: [hide-input]\n", ":tags: [remove-input]\n"
CURE = "import or bind it in this cell or above: a visible cell sees no folded one, and none the hidden one"


def openable(cells):
    """What a reader sees or can open."""
    return [(cell.index, cell.source, cell.fold, cell.folded) for cell in cells if not cell.hidden]


# a name that is out of sight the build refuses; what else may go wrong, a module that is not there, is rare
QUICK = ("index", "reference")
PASTED = [
    pytest.param(page, marks=() if page.startswith(QUICK) else pytest.mark.thorough)
    for page, cells in PAGES.items()
    if openable(cells)
]


@pytest.mark.parametrize("page", PASTED)
def test_cells_run_as_a_reader_pastes_them(page, tmp_path):
    """The visible cells without the folded ones, those behind what stands above them."""
    assert pasted(openable(PAGES[page]), tmp_path) == "", CURE


def test_the_cells_that_figures_are_compared_by_are_those_of_the_build():
    for page, cells in PAGES.items():
        pieces = [piece.text.rstrip() for piece in walk.pieces(page) if piece.kind == "code-cell"]
        assert pieces == [cell.source.rstrip() for cell in cells], page


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
    assert len(list(of_study(from_text(FRONT + CELL.format(line))))) == seen


@pytest.mark.parametrize(
    ("codes", "fails"),
    [
        ([f"{FOLDED}x = 1", "print(x)"], ["cell 2"]),
        ([f"{HIDDEN}import cmath", f"{FOLDED}print(cmath.pi)"], ["cell 2"]),
        ([f"{HIDDEN}import cmath", "import cmath", f"{FOLDED}print(cmath.pi)"], []),
        (["x = 1", f"{FOLDED}assert x == 1\nx = 2", f"{FOLDED}assert x == 2", "assert x == 1"], []),
        (["x = 1", f"{FOLDED}x = 2", "x = 3", f"{FOLDED}assert x == 3"], []),
    ],
)
def test_a_cell_that_leans_on_what_is_not_pasted_is_seen(codes, fails, tmp_path):
    cells = from_text(FRONT + "".join(map(CELL.format, codes)))
    said = pasted(openable(cells), tmp_path)
    assert [line.partition(":")[0] for line in said.splitlines()] == fails, said


@pytest.mark.parametrize("kind", ["depth", "solution"])
def test_a_cell_that_leans_on_what_a_reader_may_leave_closed_is_seen(kind, tmp_path):
    start, end = f":::{{{kind}-start}} Deep\n:label: dep:a:deep\n:::\n\n", f":::{{{kind}-end}}\n:::\n\n"
    inside = start + CELL.format("y = x") + end
    cells = from_text(FRONT + CELL.format("x = 1") + inside + CELL.format("print(x)"))
    assert [cell.fold for cell in cells] == [0, 1, 0]
    assert pasted(openable(cells), tmp_path) == ""
    assert list(leaning(cells)) == []
    cells = from_text(FRONT + CELL.format("x = 1") + inside + CELL.format("print(y)"))
    assert "NameError" in pasted(openable(cells), tmp_path)
    assert [(cell.number, names) for cell, names in leaning(cells)] == [(3, {"y": 2})]


@pytest.mark.parametrize("first", ["", CELL.format(f"{HIDDEN}import cmath")])
@pytest.mark.parametrize(("tags", "borrows"), [("", True), (FOLDED, False)])
def test_what_a_folded_cell_binds_serves_folded_cells_alone(first, tags, borrows):
    user = CELL.format(f"{tags}x = cmath.pi")
    cells = from_text(FRONT + first + CELL.format(f"{FOLDED}import cmath") + user)
    assert [cell.source for cell, _ in borrowing(cells)] == ["x = cmath.pi"] * borrows
