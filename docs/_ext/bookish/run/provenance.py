"""Every evaluated number links to the cell that last bound the names of its expression.

Worked out while a page is read, from its cells as code (``run.cells``). Each evaluated number, statement,
formula, figure, table and derivation gets an origin: the cells that a reader can open, the last one first,
and the objects of the package that the expression names. A name that only the hidden import cell binds leads
to the source of the package. ``provenance.js`` opens a small window at the link; without it the link leads to
the cell.
"""

from html import escape
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from bookish.run.cells import Cell, called, from_notebook, last_binding
from bookish.run.package import address, source_pages
from bookish.run.record import page_being_read, parents, record_of
from bookish.run.refusals import refuse

SHOW_NODES = (nodes.figure, nodes.table, nodes.container)  # what {drawn}, {tabled} and {derived} make
LINKS = (nodes.reference, addnodes.pending_xref)
LINK_TEXT = "how it was computed"


# ---------------------------------------------------------------- while a page is read


def expressions(node: nodes.Node) -> list[str]:
    """What was evaluated to make a node; a held statement stands for the numbers in its words, too."""
    if isinstance(node, (nodes.math, nodes.math_block)):
        return list(node.get("fields", []))
    if isinstance(node, (nodes.inline, *SHOW_NODES)) and "expr" in node:
        descendants = node.findall(descend=True, include_self=False) if isinstance(node, nodes.inline) else ()
        return [node["expr"], *(expression for part in descendants for expression in expressions(part))]
    return []


def within_statement(node: nodes.Node) -> bool:
    return any(isinstance(one, nodes.inline) and "expr" in one for one in parents(node.parent))


def import_line(name: str, what: str) -> str:
    home, _, last = what.rpartition(".")
    line = f"from {home} import {last}" if home else f"import {what}"
    return line if name == last else f"{line} as {name}"


def set_origin(node: nodes.Element, typed: list[str], cells_before: list[Cell]) -> None:
    """Note on a node what was evaluated for it, in which cells, from which objects of the package.

    The cells are those that a reader can open, each with the names it bound; the imports that a reader cannot
    see and needs to run an expression stand above it.
    """
    cells: dict[int, set[str]] = {}
    sources: dict[str, None] = {}
    imports: dict[str, None] = {}
    for expression in typed:
        found = last_binding(cells_before, expression)
        shown = {name: cell for name, cell in found.items() if not cell.hidden}
        opened = {name: cell for name, cell in shown.items() if name not in cell.imports}
        called_here = called(expression, cells_before)
        if not opened and not called_here:  # a library's function: where it was imported
            opened = shown
        for name, cell in opened.items():
            cells.setdefault(cell.number, set()).add(name)
        for name in sorted(found.keys() - shown.keys()):
            if path := found[name].imports.get(name):
                imports[import_line(name, path)] = None
        sources |= dict.fromkeys(called_here)
    node["exprs"] = [*imports, *typed]
    node["cells"] = [[number, sorted(cells[number])] for number in sorted(cells, reverse=True)]
    node["sources"] = list(sources)
    if not isinstance(node, SHOW_NODES) and (within_link(node) or around_link(node)):
        refuse("PE801", node, expression="; ".join(typed))


def set_origins(app: Sphinx, doctree: nodes.document) -> None:
    """Give every evaluated node its origin and every cell its address.

    A mark says where each cell has run (``run.engine``): MyST-NB leaves nothing where a hidden one was.
    """
    page = page_being_read(app.env)
    if page is None:
        return
    cells = from_notebook(page.notebook)
    at = {cell.index: cell for cell in cells}
    cells_before: list[Cell] = []
    calls: set[str] = set()
    without_source = 0
    for node in list(doctree.findall()):
        if isinstance(node, nodes.comment) and "ran" in node:
            cells_before = cells[: at[node["ran"]].number]
            node.parent.remove(node)
        elif isinstance(node, nodes.container) and node.get("nb_element") == "cell_code_source":
            cell = at[node.parent["cell_index"]]
            node["ids"].append(f"cell-{cell.number}")  # inside the fold, so that its address opens it
            node["calls"] = list(cell.calls)
            calls |= set(cell.calls)
        elif (typed := expressions(node)) and not within_statement(node):
            set_origin(node, typed, cells_before)
            calls |= set(node["sources"])
            if not node["cells"] and not node["sources"]:
                without_source += 1  # a library's function: the expression is its whole origin
                node["ids"].append(f"alone-{without_source}")
    record_of(app.env).calls = sorted(calls)


# ---------------------------------------------------------------- while a page is written


def within_link(node: nodes.Node) -> bool:
    return any(isinstance(one, LINKS) for one in parents(node.parent))


def around_link(node: nodes.Element) -> bool:
    return any(isinstance(descendants, LINKS) for descendants in node.findall())


def is_link(node: nodes.Element) -> bool:
    """Whether a node is written as a link: a title repeated in a table of contents, say, is not."""
    return "exprs" in node and not within_link(node) and not around_link(node)


def start_tag(translator: Any, node: nodes.Element, *classes: str) -> str:
    """The start tag of the link of a node. What ``provenance.js`` shows besides stands in its attributes."""
    page = translator.builder.current_docname
    sources = [
        f"{call.rpartition('.')[2]} {address(translator.builder, page, call)}" for call in node["sources"]
    ]
    cells = [f"cell-{number} {', '.join(names)}" for number, names in node["cells"]]
    words = "checked: " if node.get("made") == "held" else "computed: "
    targets = [f"#cell-{number}" for number, _ in node["cells"]] + [one.partition(" ")[2] for one in sources]
    own = next((name for name in node["ids"] if name.startswith("alone-")), "")
    attributes = {
        "class": " ".join(["from", *classes]),
        "id": own,
        "href": [*targets, f"#{own}"][0],
        "tabindex": "-1",  # out of the order of Tab until the reader switches it on
        "title": words + "\n".join(node["exprs"]),
        "data-cells": ";".join(cells) if len(cells) > 1 else "",
        "data-source": ";".join(sources),
    }
    written = {key: escape(value).replace("\n", "&#10;") for key, value in attributes.items() if value}
    return "<a " + " ".join(f'{key}="{value}"' for key, value in written.items()) + ">"


def link_tags(translator: Any, node: nodes.Element) -> tuple[str, str]:
    """What to write before and after a formula."""
    return (start_tag(translator, node), "</a>") if is_link(node) else ("", "")


def visit_inline(self: Any, node: nodes.inline) -> None:
    if is_link(node):
        self.body.append(start_tag(self, node, *node["classes"]))
    else:
        shown = {} if within_statement(node) or "expr" not in node else {"title": node["expr"]}
        self.body.append(self.starttag(node, "span", "", **shown))


def depart_inline(self: Any, node: nodes.inline) -> None:
    self.body.append("</a>" if is_link(node) else "</span>")


def add_links(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the links beside figures, tables and derivations, and below the cells."""
    if app.builder.format != "html":
        return
    for node in list(doctree.findall(lambda n: isinstance(n, SHOW_NODES) and "exprs" in n)):
        kept = {key: node[key] for key in ("exprs", "cells", "sources")}
        link = nodes.inline("", LINK_TEXT, classes=["computed"], **kept)
        words = [child for child in node.children if isinstance(child, (nodes.caption, nodes.title))]
        if words:
            words[0] += [nodes.Text(" "), link]
        else:
            node += nodes.paragraph("", "", link)
    for node in doctree.findall(lambda n: isinstance(n, nodes.container) and n.get("calls")):
        links = ", ".join(
            f'<a class="from" tabindex="-1" href="{address(app.builder, docname, call)}">'
            f"{call.rpartition('.')[2]}</a>"
            for call in node["calls"]
        )
        node += nodes.raw("", f'<p class="cell-source">Source: {links}</p>', format="html")


def setup(app: Sphinx) -> None:
    app.add_node(nodes.inline, override=True, html=(visit_inline, depart_inline))
    app.add_css_file("provenance.css", priority=900)
    app.add_js_file("provenance.js", loading_method="defer")
    app.connect("doctree-read", set_origins, priority=400)
    app.connect("doctree-resolved", add_links)
    app.connect("html-collect-pages", source_pages)
