"""What is typed where a page computes: into the rows of a table, the words of a cell, captions."""

import ast
from collections.abc import Container, Iterable, Iterator, Sequence
from io import StringIO
from tokenize import COMMENT, generate_tokens

from docutils import nodes
from sphinx.application import Sphinx

from bookish.lint.numbers import BY_HAND, shared_numbers
from bookish.lint.numerals import findings_in_code, numerals
from bookish.lint.pieces import is_caption
from bookish.run.cells import Cell, from_notebook, names_read, tree_of
from bookish.run.flow import Flow, parsed
from bookish.run.provenance import SHOW_NODES, expressions
from bookish.run.record import page_being_read, parents, record_of
from bookish.run.refusals import refuse


def typed_rows(code: ast.AST, given: Container[float] = ()) -> Iterator[str]:
    """The numbers that are typed into the columns or rows of a Table."""
    for call in ast.walk(code):
        name = getattr(call.func, "attr", getattr(call.func, "id", "")) if isinstance(call, ast.Call) else ""
        if name in ("Column", "of_rows"):
            named = [keyword.value for keyword in call.keywords if keyword.arg in ("values", "rows")]
            parts: list[ast.AST] = [*(named or call.args[1:2])]
            while parts:
                part = parts.pop()
                if isinstance(part, ast.Constant):
                    for found in numerals(str(part.value).removesuffix(".0")):
                        if found.decimal or (found.value > BY_HAND and found.value not in given):
                            yield found.written
                elif isinstance(part, (ast.List, ast.Tuple, ast.Dict)):
                    parts += ast.iter_child_nodes(part)


def typed_in_words(source: str) -> Iterator[str]:
    """The findings that are typed into the comments and texts of a cell, where nothing computes them."""
    for token in generate_tokens(StringIO(source).readline):
        if token.type == COMMENT:
            yield from (found.written for found in numerals(token.string) if found.decimal)
    for node in (node for statement in parsed(source) for node in ast.walk(statement)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from findings_in_code(node.value).split()


def settings(cells: Iterable[Cell]) -> set[str]:
    """The names that cells bind to a typed number, as in `d_model, heads = 512, 8`."""
    found = set()
    for node in (node for cell in cells for node in parsed(cell.source) if isinstance(node, ast.Assign)):
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=False))
            found |= {ast.unparse(name) for name, value in pairs if isinstance(value, ast.Constant)}
    return found


def names_behind(expression: str, cells: Sequence[Cell]) -> set[str]:
    """The names in an expression, and those of the statements that bind or alter them."""
    flows = []
    for statement in (statement for cell in cells for statement in parsed(cell.source)):
        flows.append(Flow({}))
        flows[-1].run([statement])
    found = set(names_read(expression))
    while more := {name for one in flows if (one.bound | one.altered) & found for name in one.needed} - found:
        found |= more
    return found


def expression_of_figure(node: nodes.Element) -> str | None:
    """The expression of the figure or table in whose caption something stands."""
    caption = next((part for part in parents(node) if is_caption(part)), None)
    return None if caption is None else str(caption.parent.get("expr", ""))


def check(app: Sphinx, doctree: nodes.document) -> None:
    """No row is typed, no comment says what was found, and a caption prints settings of its own figure."""
    read = page_being_read(app.env)
    if read is None:
        return
    cells = from_notebook(read.notebook)
    set_in_cells = settings(cells)
    given = {*(record_of(app.env).front.get("given") or {}), *shared_numbers()}
    for cell in cells:
        where: tuple[str, int | None] = (app.env.docname, cell.line)
        for number in typed_in_words(cell.source):
            refuse("PE372", where, number=number)
        for number in (n for statement in parsed(cell.source) for n in typed_rows(statement, given)):
            refuse("PE371", where, number=number)
    for node in doctree.findall(nodes.Element):
        where = (app.env.docname, next((one.line for one in parents(node) if one.line), None))
        if isinstance(node, SHOW_NODES) and "expr" in node:
            for number in typed_rows(tree_of(node["expr"]), given):
                refuse("PE371", where, number=number)
        elif shown_by := expression_of_figure(node):
            for field in expressions(node):
                name = field.partition(":")[0].strip()
                if name in set_in_cells and name not in names_behind(shown_by, cells):
                    refuse("PE309", where, field=field, expression=shown_by)


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", check)
