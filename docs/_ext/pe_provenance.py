"""A number knows where it comes from: it links to the cell that last bound the names of its expression.

Worked out while a page is read, from its cells as code (``pe_cells``). Each evaluated number, held statement,
formula, figure, table and derivation gets an origin: the cells that a reader can open, the last one first,
and the objects of the package that the expression names. What only hidden cells bind has no cell to open: it
links to the source of what they call. ``provenance.js`` opens a small window at the link; without it the link
leads to the cell.
"""

from __future__ import annotations

from html import escape
from typing import Any

import pe_cells
import pe_sources
from docutils import nodes
from myst_nb.sphinx_ import SphinxNbRenderer
from pe_record import of
from pe_refusals import refuse
from sphinx.application import Sphinx

SHOWN = (nodes.figure, nodes.table, nodes.container)  # what {drawn}, {tabled} and {derived} make
ASK = "how it was computed"


def marked(render: Any) -> Any:
    """Leave a mark where each cell has run: MyST-NB leaves nothing where a hidden one was."""

    def render_marked(self: SphinxNbRenderer, token: Any) -> None:
        render(self, token)
        self.sphinx_env.temp_data.setdefault("pe_notebook", self.nb_client.notebook)
        self.current_node.append(nodes.comment("", "", ran=token.meta["index"]))

    return render_marked


# ---------------------------------------------------------------- while a page is read


def expressions(node: nodes.Node) -> list[str]:
    """What was evaluated to make a node."""
    if isinstance(node, (nodes.math, nodes.math_block)):
        return list(node.get("fields", []))
    if isinstance(node, (nodes.inline, *SHOWN)) and "expr" in node:
        return [node["expr"]]
    return []


def origin(expression: str, ran: list[pe_cells.Cell]) -> tuple[dict[int, list[str]], list[str]]:
    """The cells that a reader can open, each with the names it bound; and objects of the package."""
    found = pe_cells.last_binding(ran, expression, altered=True)
    computed = {name: cell for name, cell in sorted(found.items()) if name not in cell.imports}
    opened = {name: cell for name, cell in computed.items() if not cell.hidden}
    sources = list(pe_cells.called(expression, ran))
    if not opened:
        sources += [call for cell in computed.values() for call in cell.calls]
    if not opened and not sources:  # a library's function of given integers: where it was imported
        opened = {name: cell for name, cell in found.items() if not cell.hidden}
    cells: dict[int, list[str]] = {}
    for name, cell in opened.items():
        cells.setdefault(cell.number, []).append(name)
    return dict(sorted(cells.items(), reverse=True)), sources


def trace(app: Sphinx, doctree: nodes.document) -> None:
    """Give every evaluated node its origin and every cell its address; the marks go."""
    notebook = app.env.temp_data.get("pe_notebook")
    if notebook is None:
        return
    cells = pe_cells.from_notebook(notebook)
    at = {cell.index: cell for cell in cells}
    ran: list[pe_cells.Cell] = []
    calls: set[str] = set()
    for node in list(doctree.findall()):
        if isinstance(node, nodes.comment) and "ran" in node:
            ran = cells[: at[node["ran"]].number]
            node.parent.remove(node)
        elif isinstance(node, nodes.container) and node.get("nb_element") == "cell_code":
            cell = at[node["cell_index"]]
            for shown in node.children[:1]:
                if shown.get("nb_element") == "cell_code_source":
                    shown["ids"].append(
                        f"cell-{cell.number}"
                    )  # inside the fold, so that its address opens it
                    shown["calls"] = list(cell.calls)
                    calls |= set(cell.calls)
        elif typed := expressions(node):
            origins = [origin(expression, ran) for expression in typed]
            numbers = sorted({number for opened, _ in origins for number in opened}, reverse=True)
            node["exprs"] = typed
            node["cells"] = [
                [number, sorted({name for opened, _ in origins for name in opened.get(number, [])})]
                for number in numbers
            ]
            node["sources"] = list(dict.fromkeys(call for _, named in origins for call in named))
            calls |= set(node["sources"])
            if not node["cells"] and not node["sources"]:
                refuse("PE801", node, expression="; ".join(typed))
    of(app.env).calls = sorted(calls)


# ---------------------------------------------------------------- while a page is written


def is_link(node: nodes.Node | None) -> bool:
    """Whether a node becomes a link of its own: not within another link, nor around one."""
    return (
        isinstance(node, nodes.Element)
        and bool(node.get("cells") or node.get("sources"))
        and not any(isinstance(inner, nodes.reference) for inner in node.findall())
        and not within_link(node)
    )


def within_link(node: nodes.Node) -> bool:
    up = node.parent
    while up is not None:
        if isinstance(up, nodes.reference) or (isinstance(up, nodes.inline) and is_link(up)):
            return True
        up = up.parent
    return False


def opening(translator: Any, node: nodes.Element, *classes: str) -> str:
    """The start tag of the link of a node. What ``provenance.js`` shows besides stands in its attributes."""
    page = translator.builder.current_docname
    sources = [
        f"{call.rpartition('.')[2]} {pe_sources.address(translator.builder, page, call)}"
        for call in node["sources"]
    ]
    cells = [f"cell-{number} {', '.join(names)}" for number, names in node["cells"]]
    words = "checked: " if node.get("made") == "held" else "computed: "
    attributes = {
        "class": " ".join(["from", *classes]),
        "href": f"#cell-{node['cells'][0][0]}" if cells else sources[0].partition(" ")[2],
        "tabindex": "-1",  # until the reader switches it on: no march through all numbers by Tab
        "title": words + "\n".join(node["exprs"]),
        "data-cells": ";".join(cells) if len(cells) > 1 else "",
        "data-source": ";".join(sources),
    }
    written = {key: escape(value).replace("\n", "&#10;") for key, value in attributes.items() if value}
    return "<a " + " ".join(f'{key}="{value}"' for key, value in written.items()) + ">"


def around(translator: Any, node: nodes.Element) -> tuple[str, str]:
    """What to write before and after a formula."""
    return (opening(translator, node), "</a>") if is_link(node) else ("", "")


def visit_inline(self: Any, node: nodes.inline) -> None:
    if is_link(node):
        self.body.append(opening(self, node, *node["classes"]))
    else:
        attributes = {"title": node["expr"]} if "expr" in node else {}
        self.body.append(self.starttag(node, "span", "", **attributes))


def depart_inline(self: Any, node: nodes.inline) -> None:
    self.body.append("</a>" if is_link(node) else "</span>")


def place(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the quiet links beside figures, tables and derivations, and below the cells."""
    if app.builder.format != "html":
        return
    for node in list(doctree.findall(lambda n: isinstance(n, SHOWN) and "exprs" in n)):
        kept = {key: node[key] for key in ("exprs", "cells", "sources")}
        link = nodes.inline("", ASK, classes=["computed"], **kept)
        words = [child for child in node.children if isinstance(child, (nodes.caption, nodes.title))]
        if words:
            words[0] += [nodes.Text(" "), link]
        else:
            node += nodes.paragraph("", "", link)
    for node in doctree.findall(lambda n: isinstance(n, nodes.container) and n.get("calls")):
        links = ", ".join(
            f'<a class="from" tabindex="-1" href="{pe_sources.address(app.builder, docname, call)}">'
            f"{call.rpartition('.')[2]}</a>"
            for call in node["calls"]
        )
        node += nodes.raw("", f'<p class="cell-source">Source: {links}</p>', format="html")


def setup(app: Sphinx) -> dict[str, Any]:
    SphinxNbRenderer.render_nb_cell_code = marked(SphinxNbRenderer.render_nb_cell_code)
    app.add_node(nodes.inline, override=True, html=(visit_inline, depart_inline))
    app.add_css_file("provenance.css", priority=900)
    app.add_js_file("provenance.js", loading_method="defer")
    app.connect("doctree-read", trace, priority=400)
    app.connect("doctree-resolved", place)
    app.connect("html-collect-pages", pe_sources.pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
