"""Every evaluated expression of a page has a computation behind it, and every held one decides."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from docutils import nodes
from pe_cells import from_notebook, tree_of
from pe_decisions import fault
from pe_flow import parsed
from pe_given import shared
from pe_origins import BY_HAND, Origins, Page, name_of, names_in, note_literal
from pe_pieces import is_caption, parents
from pe_provenance import SHOWN, expressions
from pe_record import of, page_being_read
from pe_refusals import refuse
from sphinx.application import Sphinx


def line_of(node: Any) -> int | None:
    while node is not None and not getattr(node, "line", None):
        node = node.parent
    return node.line if node is not None else None


def typed_rows(page: Page, code: ast.AST, ran: float, given: Iterable[int]) -> Iterator[str]:
    """The numbers that are typed into the rows of a Table."""
    for call in ast.walk(code):
        if isinstance(call, ast.Call) and name_of(call.func) == "Table":
            rows = [keyword.value for keyword in call.keywords if keyword.arg == "rows"] or call.args[1:2]
            for node in rows:
                found = Origins()
                parts = [node]
                while parts:
                    part = parts.pop()
                    if isinstance(part, ast.Constant):
                        note_literal(part.value, found)
                    elif isinstance(part, (ast.List, ast.Tuple, ast.Dict)):
                        parts += ast.iter_child_nodes(part)
                integers = [
                    str(number) for number in found.integers if number > BY_HAND and number not in set(given)
                ]
                yield from (found.typed + integers) or filter(
                    None, [page.what_is_typed(ast.unparse(node), ran, given)]
                )


def drawn_with(node: nodes.Element) -> str | None:
    """The expression of the figure or table in whose caption something stands."""
    caption = next((part for part in parents(node) if is_caption(part)), None)
    return None if caption is None else str(caption.parent.get("expr", ""))


def check(app: Sphinx, doctree: nodes.document) -> None:
    """Every evaluated expression of a page has something behind it, and every held one decides."""
    read = page_being_read(app.env)
    if read is None:
        return
    cells = from_notebook(read.notebook)
    page = Page(cells)
    given = {*(of(app.env).front.get("given") or {}), *shared()}
    shown = [node["expr"] for node in doctree.findall(lambda n: isinstance(n, SHOWN) and "expr" in n)]
    for expression in shown:
        for name in names_in(expression):
            page.read[name] = page.read.get(name, 0) + 1  # a figure is drawn with this setting
    at = {cell.index: cell.number for cell in cells}
    ran = 0
    for cell in cells:
        for statement in parsed(cell.source):
            for number in typed_rows(page, statement, cell.number, given):
                refuse("PE371", (app.env.docname, cell.line), number=number)
    for node in doctree.findall(nodes.Element):
        where = (app.env.docname, line_of(node))
        if isinstance(node, nodes.comment) and "ran" in node:
            ran = at[node["ran"]]
        elif isinstance(node, nodes.inline) and node.get("made") == "held" and "expr" in node:
            if why := fault(node["expr"]):
                refuse("PE363", where, words=node.astext(), why=why)
            elif page.decides_nothing(node["expr"], ran):
                refuse("PE362", where, words=node.astext(), check=node["expr"])
        elif isinstance(node, SHOWN) and "expr" in node:
            for number in typed_rows(page, tree_of(node["expr"]), ran, given):
                refuse("PE371", where, number=number)
        else:
            for expression in expressions(node):
                if typed := page.what_is_typed(expression, ran, given):
                    refuse("PE361", where, field=expression, typed=typed)
                shown_by = drawn_with(node)
                if shown_by is None or not page.is_setting(expression, ran):
                    continue
                if not names_in(expression) & page.names_behind(shown_by, ran):
                    refuse("PE309", where, field=expression, expression=shown_by)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", check, priority=350)  # before the marks of the cells go (pe_provenance)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
