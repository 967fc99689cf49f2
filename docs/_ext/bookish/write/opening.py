"""The first-screen box of a chapter: its question, what it is good for, what it needs, how long it takes."""

from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bookish.run.record import record_of
from bookish.run.refusals import refuse
from bookish.write.words import BOXED, length_of

CLASS = "opening"


class reading_time(nodes.Inline, nodes.TextElement):
    """Stands for the minutes until all pages have been read."""


class FirstScreen(SphinxDirective):
    has_content = True
    option_spec: ClassVar = {"needs": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        box = nodes.container(classes=[CLASS])
        self.set_source_info(box)
        needs = self.options.get("needs", "").strip()
        if not needs or not self.content:
            refuse("PE121", box, what="says nothing about " + ("afterwards" if needs else ":needs:"))
        words, messages = self.state.inline_text(needs, self.lineno)
        question = str(record_of(self.env).front.get("question", ""))  # checked in the front matter
        box += nodes.paragraph("", question, classes=["question"], made="found")
        box += nodes.definition_list(
            "",
            self.line("Afterwards you can", *self.parse_content_to_nodes()),
            self.line("You need", nodes.paragraph("", "", *words)),
            self.line("It takes", nodes.paragraph("", "", reading_time(made="found"))),
        )
        return [box, *messages]

    def line(self, name: str, *said: nodes.Node) -> nodes.Node:
        both = nodes.definition_list_item("", nodes.term("", name), nodes.definition("", *said))
        for node in both.findall(nodes.Element):
            node.line = node.line or self.lineno
        return both


def check_place(app: Sphinx, doctree: nodes.document) -> None:
    """A box stands directly below the title, and a chapter in the new or the revised form has one."""
    boxes = [box for box in doctree.findall(nodes.container) if CLASS in box["classes"]]
    for box in boxes:
        section = box.parent
        above = section.children[1 : section.index(box)]
        if not (
            isinstance(section, nodes.section)
            and isinstance(section.parent, nodes.document)
            and all(isinstance(node, (nodes.comment, nodes.target)) for node in above)
        ):
            refuse("PE121", box, what="stands elsewhere than below the title")
    if not boxes and record_of(app.env).front.get("form") in BOXED:
        refuse("PE121", app.env.docname, what="is missing")


def fill_time(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in list(doctree.findall(reading_time)):
        minutes = length_of(app.env, docname).minutes
        node.replace_self(nodes.Text(f"about {minutes} minute{'s' * (minutes > 1)}, without exercises"))


def setup(app: Sphinx) -> None:
    app.add_node(reading_time)
    app.add_directive("first-screen", FirstScreen)
    app.connect("doctree-read", check_place, priority=860)
    app.connect("doctree-resolved", fill_time)
