"""Every evaluated expression of a page has a computation behind it, and every held one decides."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from io import StringIO
from tokenize import COMMENT, generate_tokens
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from kernel.cells import from_notebook, tree_of
from kernel.flow import parsed
from kernel.provenance import SHOW_NODES, expressions
from kernel.record import page_being_read, record_of
from kernel.refusals import refuse
from lint.decisions import why_it_decides_nothing
from lint.given import shared_numbers
from lint.numerals import findings_in_code, numerals
from lint.origins import BY_HAND, Origins, PageBindings, name_of, names_in, note_literal
from lint.pieces import is_caption, parents


def line_of(node: Any) -> int | None:
    while node is not None and not getattr(node, "line", None):
        node = node.parent
    return node.line if node is not None else None


def typed_rows(page: PageBindings, code: ast.AST, cells_run: float, given: Iterable[int]) -> Iterator[str]:
    """The numbers that are typed into the columns or rows of a Table."""
    for call in ast.walk(code):
        if isinstance(call, ast.Call) and name_of(call.func) in ("Column", "of_rows"):
            named = [keyword.value for keyword in call.keywords if keyword.arg in ("values", "rows")]
            for node in named or call.args[1:2]:
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
                    None, [page.what_is_typed(ast.unparse(node), cells_run, given)]
                )


def typed_in_words(source: str) -> Iterator[str]:
    """The findings that are typed into the comments and texts of a cell, where nothing computes them."""
    for token in generate_tokens(StringIO(source).readline):
        if token.type == COMMENT:
            yield from (found.written for found in numerals(token.string) if found.decimal)
    for node in (node for statement in parsed(source) for node in ast.walk(statement)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from findings_in_code(node.value).split()


def expression_of_figure(node: nodes.Element) -> str | None:
    """The expression of the figure or table in whose caption something stands."""
    caption = next((part for part in parents(node) if is_caption(part)), None)
    return None if caption is None else str(caption.parent.get("expr", ""))


def check(app: Sphinx, doctree: nodes.document) -> None:
    """Every evaluated expression of a page has something behind it, and every held one decides."""
    read = page_being_read(app.env)
    if read is None:
        return
    cells = from_notebook(read.notebook)
    page = PageBindings(cells)
    given = {*(record_of(app.env).front.get("given") or {}), *shared_numbers()}
    shown = [node["expr"] for node in doctree.findall(lambda n: isinstance(n, SHOW_NODES) and "expr" in n)]
    for expression in shown:
        for name in names_in(expression):
            page.read[name] = page.read.get(name, 0) + 1  # a figure is drawn with this setting
    at = {cell.index: cell.number for cell in cells}
    cells_run = 0
    for cell in cells:
        for number in typed_in_words(cell.source):
            refuse("PE372", (app.env.docname, cell.line), number=number)
        for statement in parsed(cell.source):
            for number in typed_rows(page, statement, cell.number, given):
                refuse("PE371", (app.env.docname, cell.line), number=number)
    for node in doctree.findall(nodes.Element):
        where = (app.env.docname, line_of(node))
        if isinstance(node, nodes.comment) and "ran" in node:
            cells_run = at[node["ran"]]
        elif isinstance(node, nodes.inline) and node.get("made") == "held" and "expr" in node:
            if why := why_it_decides_nothing(node["expr"]):
                refuse("PE363", where, words=node.astext(), why=why)
            elif page.decides_nothing(node["expr"], cells_run):
                refuse("PE362", where, words=node.astext(), check=node["expr"])
        elif isinstance(node, SHOW_NODES) and "expr" in node:
            for number in typed_rows(page, tree_of(node["expr"]), cells_run, given):
                refuse("PE371", where, number=number)
        elif node.get("made") == "answer":
            if typed := page.what_is_typed(node["expr"], cells_run, given):
                refuse("PE361", where, field=node["expr"], typed=typed)
        else:
            for expression in expressions(node):
                if typed := page.what_is_typed(expression, cells_run, given):
                    refuse("PE361", where, field=expression, typed=typed)
                shown_by = expression_of_figure(node)
                if shown_by is None or not page.is_setting(expression, cells_run):
                    continue
                if not names_in(expression) & page.names_behind(shown_by, cells_run):
                    refuse("PE309", where, field=expression, expression=shown_by)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", check, priority=350)  # before provenance.py removes the marks of the cells
    return {"parallel_read_safe": True, "parallel_write_safe": True}
