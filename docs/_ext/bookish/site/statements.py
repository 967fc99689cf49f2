"""Statements: the # beside each, and their list, ``prf-prf.html``, chapter by chapter.

Sphinx gives an address to headings, figures, tables and formulas; here theorems, definitions, examples and
exercises get theirs. What is cited, and how, is said by cite.js. sphinx-proof lists labels in the order of
the alphabet; a reader looks for a number or a name.
"""

from collections.abc import Iterator
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from bookish.run.foreign import html_of, proofs
from bookish.write.nodes import number_of

PAGE = "prf-prf"
TITLE = "Theorems, definitions, examples"
DESCRIPTION = (
    "The list of every theorem, definition and example of the book, chapter by chapter, with number and name."
)
KINDS = ("proof", "exercise")


def statements(app: Sphinx) -> Iterator[tuple[str, str, list[tuple[str, str, str]]]]:
    """Pages in the order of the book: name, title, and of each statement its address, number and title."""
    places = {values["ids"][0]: values for values in proofs(app.env).values() if not values["nonumber"]}
    with_some = {values["docname"] for values in places.values()}
    for page in [page for page in app.env.collect_relations() if page in with_some]:
        found = [
            (node["ids"][0], numbered(app, places[node["ids"][0]]), written(app, node[0]))
            for node in app.env.get_doctree(page).findall(nodes.Element)
            if node.get("ids") and node["ids"][0] in places and node.get("realtype")
        ]
        yield page, app.env.titles[page].astext(), found


def numbered(app: Sphinx, values: dict[str, Any]) -> str:
    number = number_of(app.env, values["docname"], values["ids"][0], values["countertype"])
    return f"{values['realtype'].title()} {number}"


def written(app: Sphinx, title: nodes.Element) -> str:
    """The name of a statement, without the brackets in which it stands behind the number."""
    words = nodes.inline("", "", *(child.deepcopy() for child in title.children))
    html = html_of(app, words).strip()
    return html.removeprefix("<span>").removesuffix("</span>").strip().removeprefix("(").removesuffix(")")


def fill_list(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if pagename == PAGE:
        context["title"] = TITLE
        context["statements"] = list(statements(app))


def mark(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for title in doctree.findall(nodes.title):
        box = title.parent
        kind = next((kind for kind in KINDS if kind in box.get("classes", [])), None)
        if kind is None or not box["ids"] or app.builder.format != "html":
            continue
        told = box["classes"][1] if kind == "proof" and len(box["classes"]) > 1 else kind
        link = (
            f'<a class="headerlink" href="#{escape(box["ids"][0])}" title="Link to this {escape(told)}"></a>'
        )
        title.append(nodes.raw("", link, format="html"))


def setup(app: Sphinx) -> None:
    app.connect("doctree-resolved", mark, priority=950)
    app.connect("html-page-context", fill_list)
