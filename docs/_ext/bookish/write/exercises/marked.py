"""The mark of an exercise: read from its title, kept in the record of the page, shown beside the title."""

from dataclasses import replace
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from bookish.run.foreign import ExerciseDirective
from bookish.run.record import record_of
from bookish.run.refusals import refuse
from bookish.run.solutions.marks import Exercise, read_mark
from bookish.write.answers.field import answer
from bookish.write.nodes import number_of


class Marked(ExerciseDirective):
    """An exercise that says what kind of work it is, how hard, and how long it takes."""

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


def setup(app: Sphinx) -> None:
    app.setup_extension("sphinx_exercise")
    app.add_directive("exercise", Marked, override=True)
    app.connect("doctree-resolved", retitle, priority=900)
