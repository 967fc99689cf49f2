"""The forms of a page: what the build holds a chapter, a side page and a how-to page to.

The first-screen box of a chapter has its question, what it is good for, what it needs, how long it takes.
Each visible cell of a revised chapter says something; a how-to page has the order in which somebody with a
problem at work reads; a side page stands last in its part and is linked to.
"""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bookish.run.record import parents, record_of
from bookish.run.refusals import refuse
from bookish.write.pages import is_chapter
from bookish.write.words import BOXED, is_code, length_of, on_the_path

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
        node.replace_self(nodes.Text(f"about {minutes} minute{'s' * (minutes > 1)}, without the exercises"))


# how the titles of its last sections begin
HOWTO = ["How to see that it worked", "Where it goes wrong", "Why"]
SENTENCE = re.compile(r"(?<=[.?:])\s+(?=\S)")


def title_above(node: nodes.Node) -> str:
    """The title of the section of a page in which something stands."""
    above = [one for one in parents(node) if isinstance(one, nodes.section)]
    return title_of(above[-2]) if len(above) > 1 else ""


def note_links(app: Sphinx, doctree: nodes.document) -> None:
    found = doctree.findall(addnodes.pending_xref)
    record_of(app.env).links = [(title_above(node), node["reftarget"]) for node in found]


def check_form(app: Sphinx, doctree: nodes.document) -> None:
    form = record_of(app.env).front.get("form")
    if form == "revised":
        for node in on_the_path(doctree, is_code):
            silent = not any(part.get("nb_element") == "cell_code_output" for part in node)
            if node.get("nb_element") and silent:
                refuse("PE130", node, cell=node["cell_index"])
    elif form == "howto":
        for what in faults_of_howto(doctree):
            refuse("PE132", app.env.docname, what=what)


def faults_of_howto(doctree: nodes.document) -> Iterator[str]:
    """What a how-to page lacks, in the order in which it would be read."""
    top = next(iter(doctree.findall(nodes.section)))
    said = next((node for node in top.children[1:] if not passed_over(node)), None)
    if not isinstance(said, nodes.paragraph) or len(SENTENCE.split(said.astext())) > 1:
        yield "does not say the task in one sentence below its title"
    answer = takewhile(lambda node: not title_of(node).startswith(HOWTO[0]), top.children)
    if not any(is_visible_cell(part) for node in answer for part in node.findall(nodes.Element)):
        yield f"has no visible cell before “{HOWTO[0]}”"
    titles = [title for title in map(title_of, top.children) if title not in ("", "Sources")]
    if list(map(str.startswith, titles[-3:], HOWTO)) != [True] * 3:
        yield f"ends with other sections than {', '.join(HOWTO)}: {', '.join(titles)}"


def title_of(node: nodes.Node) -> str:
    return node[0].astext() if isinstance(node, nodes.section) else ""


def passed_over(node: nodes.Node) -> bool:
    """Whether a reader does not see a node at the head of a page."""
    return isinstance(node, (nodes.comment, nodes.target)) or not node.astext()


def is_visible_cell(node: nodes.Element) -> bool:
    return node.get("nb_element") == "cell_code" and is_code(node)


# ---------------------------------------------------------------- when all pages have been read


def check_links(app: Sphinx, env: Any) -> None:
    """A how-to page links to a chapter that says why; a chapter links to a side page, which stands last."""
    if app.pe_left_out:
        return
    home = {label: page for page in env.found_docs for label in record_of(env, page).labels}
    form = {page: record_of(env, page).front.get("form") for page in env.found_docs}
    led_to = {
        home.get(target)
        for page in env.found_docs
        for _, target in record_of(env, page).links
        if is_chapter(page) and home.get(target) != page
    }
    for page in sorted(env.found_docs):
        why = [target for title, target in record_of(env, page).links if title.startswith(HOWTO[-1])]
        if form[page] == "howto" and not any(is_chapter(home.get(target, "")) for target in why):
            refuse("PE132", page, what=f"links to no chapter in “{HOWTO[-1]}”")
        if form[page] == "side" and page not in led_to:
            refuse("PE133", page, what="is linked to from no chapter")
    for listed in env.toctree_includes.values():
        kinds = [form.get(page) for page in listed]
        if "side" in kinds and any(kind != "side" for kind in kinds[kinds.index("side") :]):
            refuse("PE133", listed[kinds.index("side")], what="stands before a chapter of its part")


def setup(app: Sphinx) -> None:
    app.add_node(reading_time)
    app.add_directive("first-screen", FirstScreen)
    app.connect("doctree-read", check_place, priority=860)
    app.connect("doctree-resolved", fill_time)
    app.connect("doctree-read", note_links, priority=860)
    app.connect("doctree-read", check_form, priority=860)
    app.connect("env-check-consistency", check_links)
