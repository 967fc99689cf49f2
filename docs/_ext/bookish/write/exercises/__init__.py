"""Exercises: their marks, and the stub a student starts from, cut out of the solution that the build has run.

The mark of an exercise is read from its title, kept in the record of the page, and shown beside the title.
"""

import ast
from collections.abc import Container, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from bookish.run.cells import Cell, from_notebook, imported_by
from bookish.run.flow import Flow, parsed
from bookish.run.foreign import ExerciseDirective
from bookish.run.record import page_being_read, record_of
from bookish.run.refusals import refuse
from bookish.run.solutions import BEGIN, END, marked_lines, solution_cell, split_solution
from bookish.run.solutions.marks import Exercise, read_mark
from bookish.write.answers.field import answer
from bookish.write.exercises import answers
from bookish.write.folds import fold, fold_summary
from bookish.write.nodes import as_tags, number_of


class Marked(ExerciseDirective):
    def run(self) -> list[nodes.Node]:
        typed = self.arguments[0] if self.arguments else ""
        found = read_mark(typed, self.options.get("label", ""), self.env.docname)
        if found is None:
            refuse("PE705", self.get_location(), title=typed)
            return list(super().run())
        self.arguments[0] = found.title
        made = super().run()
        for node in made:
            node["kind"] = found.kind
            subtitle = node[0][-1]
            title = subtitle.astext()
            subtitle += nodes.inline("", found.mark, classes=["exercise-mark"], made="found")
            fields = sum(1 for _ in node.findall(answer))
            record_of(self.env).exercises.append(replace(found, title=title, fields=fields))
        return list(made)


def exercises(env: Any) -> list[Exercise]:
    """Every exercise of the book in its order, with its number."""
    pages = [page for page in env.collect_relations() if page in env.found_docs]
    return [
        replace(found, number=number_of(env, page, found.label, "exercise"))
        for page in pages
        for found in record_of(env, page).exercises
    ]


def retitle(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """`Exercise 1.1 (Two orders` and its mark `)` lose the brackets; a solution needs no name."""
    for title in list(doctree.findall(nodes.title)):
        classes = title.parent.get("classes", [])
        if "exercise" in classes:
            for text in list(title.findall(nodes.Text)):
                if text.astext() in (" (", ")"):
                    text.parent.replace(text, nodes.Text(" " if text.astext() == " (" else ""))
            for mark in list(title.findall(nodes.inline)):
                if "exercise-mark" in mark["classes"]:
                    space = nodes.inline("", " ", classes=["before-mark"])
                    mark.parent.insert(mark.parent.index(mark), space)
        elif "solution" in classes:
            for reference in title.findall(nodes.reference):
                reference.children = reference.children[:1]  # the number; the name in brackets is dropped


SAYS = "If your code runs without an error, it has passed all checks."


class stub_says(nodes.General, nodes.TextElement):
    """The line below a stub; no part of its code."""


def calls_on(code: str, lines: Container[int], imported: dict[str, str]) -> set[str]:
    flow = Flow(imported)
    for statement in parsed(code):
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and node.lineno in lines:
                flow.run([node.func])
    return set(flow.calls)


def shared(cells: Sequence[Cell]) -> dict[int, set[str]]:
    """By the place of its cell: what a check calls that its solution calls, too."""
    found = {}
    for place, cell in enumerate(cells):
        if BEGIN in cell.source and END in cell.source:
            imported = imported_by(cells[: place + 1])
            solution, check = (calls_on(cell.source, part, imported) for part in marked_lines(cell.source))
            if solution & check:
                found[place] = solution & check
    return found


def refuse_shared_code(app: Sphinx, doctree: nodes.document) -> None:
    """A solution that is held against itself is right whatever it computes."""
    page = page_being_read(app.env)
    cells = from_notebook(page.notebook) if page else []
    for place, names in shared(cells).items():
        cell = cells[place]
        refuse("PE703", (app.env.docname, cell.line), cell=cell.number, names=", ".join(sorted(names)))


def stub(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, options: Any = None, content: Any = None
) -> Any:
    """``{stub}`exr:chapter:slug` ``: what the student starts from."""
    env = inliner.document.settings.env
    try:
        code, _ = split_solution(
            solution_cell(Path(env.doc2path(env.docname)).read_text(encoding="utf-8"), text.strip())
        )
    except ValueError as error:
        refuse("PE701", (env.docname, lineno), label=text, error=error)
        code = ""
    code = code.strip("\n")
    return [nodes.literal_block(code, code, language="python", classes=["stub"])], []


def lift_stubs(app: Sphinx, doctree: nodes.document) -> None:
    """Lift stubs out of their paragraphs, and show solutions without the marks."""
    for paragraph in list(doctree.findall(nodes.paragraph)):
        if len(paragraph) == 1 and isinstance(paragraph[0], nodes.literal_block):
            block = paragraph[0]
            says = stub_says("", "", nodes.inline("", SAYS, made="found"))
            paragraph.replace_self([block, says] if "stub" in block["classes"] else [block])
    for block in doctree.findall(nodes.literal_block):
        if BEGIN in block.astext():
            try:
                _, solution = split_solution(block.astext())
            except ValueError as error:
                refuse("PE701", block, label="?", error=error)
                continue
            block.children = [nodes.Text(solution)]
            block.children[0].parent = block
            block.rawsource = solution


def fold_hints(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """A hint is closed until a reader opens it."""
    for said in list(doctree.findall(nodes.hint)):
        said.replace_self(fold("", fold_summary("", "A hint"), *said.children, classes=["hint"]))


def setup(app: Sphinx) -> None:
    app.setup_extension("sphinx_exercise")
    app.add_directive("exercise", Marked, override=True)
    app.connect("doctree-resolved", retitle, priority=900)
    app.add_node(stub_says, html=as_tags('<p class="stub-says">', "</p>\n"))
    app.add_role("stub", stub)
    app.connect("doctree-read", lift_stubs)
    app.connect("doctree-read", refuse_shared_code)
    app.connect("doctree-resolved", fold_hints)
    answers.setup(app)
