"""Notebooks in small: the pieces of a page, what the first cell does, launch links, formulas, the wheel."""

import ast
import contextlib
import io
import json
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from docutils import nodes
from IPython.core.inputtransformer2 import TransformerManager
from sphinx_exercise.nodes import exercise_enumerable_node

from bookish.notebooks import first, pieces, wheel
from bookish.notebooks.execute import in_order
from bookish.notebooks.formulas import formulas_of, of_notebook
from bookish.notebooks.pieces import NotebookText
from bookish.write.answers.field import answer
from bookish.write.folds import fold, fold_summary

ENV = SimpleNamespace(toc_secnumbers={}, toc_fignumbers={})
CHECKED = "def f(x):\n    # begin solution\n    return x + 1\n    # end solution\n\n\nassert f(1) == 2"
STUB = "def f(x):\n    raise NotImplementedError('nothing')\n\n\nassert f(1) == 2"


def ran(source, *, tags=(), outputs=()):
    run = {"source": source, "tags": list(tags), "outputs": list(outputs)}
    return nodes.container("", cell_run=json.dumps(run))


def words(text):
    return nodes.paragraph("", "", nodes.Text(text))


def solution(*inside):
    return fold("", fold_summary("", "Solution to Exercise 1"), *inside, classes=["solution"])


def exercise():
    stub = nodes.literal_block("", STUB, language="python", classes=["stub"])
    return exercise_enumerable_node("", nodes.title("", "One more"), stub, label="exr:a:more", ids=["exr"])


def made(*children, students=False):
    document = nodes.document(None, None)
    document += nodes.section("", nodes.title("", "A page"), *children, ids=["top"])
    return NotebookText(ENV, "part/page", lambda target: "", students).pieces(document)


@pytest.fixture
def refused(monkeypatch):
    said = []
    monkeypatch.setattr(pieces, "refuse", lambda code, where, **fields: said.append(code))
    monkeypatch.setattr("bookish.site.markdown.refuse", lambda code, where, **fields: said.append(code))
    return said


def test_text_and_code_in_their_order(refused):
    said = {"output_type": "stream", "name": "stdout", "text": "1\n"}
    found = made(words("Before."), ran("x = 1\n\n\nprint(x)", outputs=[said]), words("After."))
    assert [(piece.is_code, piece.source) for piece in found] == [
        (False, "# A page\n\nBefore."),
        (True, "x = 1\n\n\nprint(x)"),
        (False, "After."),
    ]
    assert found[1].outputs == [said]
    assert refused == []


def test_hidden_imports_are_not_in_it():
    assert [piece.source for piece in made(ran("import os", tags=["remove-input"]))] == ["# A page"]


@pytest.mark.parametrize(
    ("code", "is_code"),
    [("y = x + 1", True), ("y = hidden + 1", False), ("from pe_book.show import index as show", False)],
)
def test_a_folded_cell_is_code_where_it_can_run(code, is_code):
    found = made(ran("x = 1"), ran(code, tags=["hide-input"]))[-1]
    assert (found.is_code, found.folded) == (is_code, is_code)
    assert is_code or found.source.startswith("<details>")


def test_students_have_the_stub_and_not_the_solution():
    page = [exercise(), solution(words("Add one."), ran(CHECKED))]
    whole, own = made(*page), made(*page, students=True)
    assert [piece.source for piece in whole if piece.is_code] == [
        CHECKED.replace("    # begin solution\n", "").replace("    # end solution\n", "")
    ]
    assert "```python\n" + STUB in whole[1].source
    assert [(piece.source, piece.exercise) for piece in own if piece.is_code] == [(STUB, "exr:a:more")]
    assert "Add one" in "".join(piece.source for piece in whole)
    assert "Add one" not in "".join(piece.source for piece in own)


def test_a_cell_in_a_list_is_refused(refused):
    made(nodes.bullet_list("", nodes.list_item("", words("so:"), ran("x = 1"))))
    assert refused == ["PE913"]


def test_the_answer_of_an_exercise_is_a_line_without_it():
    asked, said = words("The score at distance 0 (4 decimals)"), words("0.1234 is of another pair")
    found = made(answer("", asked, said, value="0.1234"))[0].source
    assert found.endswith("**Your answer** — The score at distance 0 (4 decimals): \\_\\_\\_\\_")
    assert "1234" not in found


# ---------------------------------------------------------------- the file


@pytest.mark.parametrize("base", ["", "https://example.org/book/"])
@pytest.mark.parametrize("torch", [False, True])
def test_the_first_cell_is_code_that_does_nothing_where_the_package_is(base, torch):
    cell = first.install(wheel.names_of("1.0"), base, torch)
    code = TransformerManager().transform_cell(cell)
    ast.parse(code)
    exec(compile(code, "first cell", "exec"), {"get_ipython": None})  # asks for nothing
    assert ("PyTorch" in cell, base in cell) == (torch, True)


def test_without_both_wheels_the_first_cell_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    package, study = wheel.names_of("1.0")
    cell = first.install((package, study), "", False).replace('"pe_book")', '"no_pe_book")')
    Path(package).touch()  # one alone would be installed with whatever an index has under the other's name
    with pytest.raises(ModuleNotFoundError, match="put them beside this notebook"):
        exec(TransformerManager().transform_cell(cell), {})


def test_links_of_a_repository():
    assert first.launch_links("", "a/b.ipynb") == []
    assert first.launch_links("https://github.com/some/book/", "a/b.ipynb") == [
        ("Colab", "https://colab.research.google.com/github/some/book/blob/notebooks/a/b.ipynb"),
        ("Binder", "https://mybinder.org/v2/gh/some/book/notebooks?labpath=a%2Fb.ipynb"),
    ]
    other = (
        "https://mybinder.org/v2/git/https%3A%2F%2Fgit.example.org%2Fsome%2Fbook/notebooks?labpath=b.ipynb"
    )
    assert first.launch_links("https://git.example.org/some/book.git", "b.ipynb") == [("Binder", other)]


def test_formulas_are_what_stands_between_dollars():
    text = "a $x$ and `$no$` \\$5\n\n$$\nb\n$$\n\n```python\nc = '$d$'\n```\n\n![$](data:image/png;base64,AA)"
    assert list(formulas_of(text)) == [("x", False), ("b", True)]
    assert of_notebook({"cells": [{"cell_type": "markdown", "source": text}]}) == {("x", False), ("b", True)}


# ---------------------------------------------------------------- what `make notebooks` would say


def notebook(*sources, exercise=None):
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    if exercise is not None:
        cells[exercise].metadata["pe_book"] = {"exercise": "exr:a:more"}
    return nbformat.v4.new_notebook(cells=cells)


@pytest.fixture
def runs(monkeypatch):
    """In place of a kernel: the cells are executed here."""

    def run(notebook, folder):
        names = {}
        for cell in notebook.cells:
            out = io.StringIO()
            cell.outputs = [nbformat.v4.new_output("stream")]
            try:
                with contextlib.redirect_stdout(out):
                    exec(cell.source, names)
            except Exception as error:  # as a kernel does: it becomes an output
                said = {"ename": type(error).__name__, "evalue": str(error)}
                cell.outputs.append(nbformat.v4.new_output("error", **said))
            cell.outputs[0].text = out.getvalue()

    monkeypatch.setattr("bookish.notebooks.execute.run", run)


def test_what_a_run_finds(runs):
    whole = notebook("x = 1", "print(x)")
    whole.cells[1].outputs = [nbformat.v4.new_output("stream", text="2\n")]
    assert in_order(whole, "") == ["cell 2 says '1\\n', and in the notebook '2\\n'"]
    assert in_order(notebook("x"), "") == ["cell 1 fails: NameError: name 'x' is not defined"]
    assert in_order(notebook("x = 1", STUB, exercise=1), "") == []
    passing = notebook("x = 1", "def f(x):\n    ...", exercise=1)
    assert in_order(passing, "") == ["cell 2, a stub of exr:a:more, passes"]
    other = notebook("x = 1", STUB.replace("raise", "1 / 0; raise"), exercise=1)
    assert in_order(other, "") == [
        "cell 2, a stub of exr:a:more, fails with ZeroDivisionError: division by zero"
    ]
