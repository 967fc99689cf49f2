"""Nodes that wait until all pages have been read, nodes that are written as two tags, and their numbers."""

from collections.abc import Callable
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bookish.run.foreign import counted, section_numbers


class waiting(nodes.General, nodes.Element):
    """Stands for what is made when all pages have been read."""


def made_late(
    app: Sphinx,
    name: str,
    make: Callable[[Sphinx, str, dict[str, Any]], list[nodes.Node]],
    options: dict[str, Callable[[str], Any]] | None = None,
) -> None:
    """A directive; what `make` gives for the page and the options stands in its place in the end."""

    class Waiting(SphinxDirective):
        option_spec = options or {}

        def run(self) -> list[nodes.Node]:
            return [waiting(name=name, options=self.options)]

    def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
        for node in list(doctree.findall(waiting)):
            if node["name"] == name:
                node.replace_self(make(app, docname, node["options"]))

    app.add_directive(name, Waiting)
    app.connect("doctree-resolved", fill)


def as_tags(before: str, after: str) -> tuple[Callable[..., None], Callable[..., None]]:
    """How a node is written that is two tags with what it holds between them."""

    def visit(self: Any, node: nodes.Node) -> None:
        self.body.append(before)

    def depart(self: Any, node: nodes.Node) -> None:
        self.body.append(after)

    return visit, depart


def number_of(env: Any, page: str, anchor: str = "", kind: str = "") -> str:
    """The number of a page, of a section by its ``#address``, of a figure and the like by label and kind."""
    numbers = counted(env, page).get(kind, {}) if kind else section_numbers(env, page)
    return ".".join(map(str, numbers.get(anchor) or ()))


def title_of(env: Any, page: str) -> str:
    return f"{number_of(env, page)} {env.titles[page].astext()}".strip()


def setup(app: Sphinx) -> None:
    app.add_node(waiting)
