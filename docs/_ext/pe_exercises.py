"""Exercises: the stub a student starts from is cut out of the solution that the build has run.

A check that cannot fail teaches nothing: it has to refuse the stub that nobody filled and a solution that
gives other values, and it calls nothing of the package that the solution calls.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Sequence
from pathlib import Path
from typing import Any

import pe_cells
from docutils import nodes
from pe_flow import Flow, parsed
from pe_record import page_being_read
from pe_refusals import refuse
from sphinx.application import Sphinx

BEGIN, END = "# begin solution", "# end solution"
MARKED = re.compile(r"\[(?P<mark>[^]]+)\]\s*(?P<rest>.*)", re.DOTALL)
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(?:(?::[^\n]*)?\n)*(?P<code>.*?)^```", re.DOTALL | re.MULTILINE)


def split_solution(code: str) -> tuple[str, str]:
    """Stub and solution of one cell: the stub has ``...`` for what stands between the marks."""
    stub, solution, inside = [], [], False
    for line in code.splitlines():
        mark = line.strip()
        if mark == BEGIN:
            if inside:
                raise ValueError(f"{BEGIN!r} stands twice without {END!r}")
            inside = True
            stub.append(line.replace(BEGIN, "..."))
        elif mark == END:
            if not inside:
                raise ValueError(f"{END!r} stands without {BEGIN!r}")
            inside = False
        else:
            solution.append(line)
            if not inside:
                stub.append(line)
    if inside:
        raise ValueError(f"{BEGIN!r} stands without {END!r}")
    return "\n".join(stub), "\n".join(solution)


def solution_cell(page: str, label: str) -> str:
    """The marked cell in the solution of an exercise, from the text of the page."""
    start = re.search(rf"\{{solution-start\}}\s+{re.escape(label)}\s*$", page, re.MULTILINE)
    if start is None:
        raise ValueError(f"exercise {label!r} has no solution-start on this page")
    end = page.find("{solution-end}", start.end())
    for cell in CELL.finditer(page, start.end(), end if end >= 0 else len(page)):
        if BEGIN in cell["code"]:
            return cell["code"]
    raise ValueError(f"the solution of {label!r} has no cell with {BEGIN!r}")


# ---------------------------------------------------------------- what a check has to refuse


def marked_lines(code: str) -> tuple[range, range]:
    """The lines of the solution, from the first mark to the last, and those of the check behind it."""
    lines = [line.strip() for line in code.splitlines()]
    first, last = lines.index(BEGIN) + 1, len(lines) - lines[::-1].index(END)
    return range(first, last + 1), range(last + 1, len(lines) + 1)


class Wrong(ast.NodeTransformer):
    """A solution that returns something else (the kernel knows ``_pe_other``), or that refuses nothing."""

    def __init__(self, code: str, kind: type[ast.stmt]):
        self.solution, self.kind, self.found = marked_lines(code)[0], kind, False
        self.code = ast.unparse(ast.fix_missing_locations(self.visit(ast.parse(code))))

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, self.kind) or node.lineno not in self.solution:
            return self.generic_visit(node)
        self.found = True
        if isinstance(node, ast.Return) and node.value:
            node.value = ast.Call(ast.Name("_pe_other", ast.Load()), [node.value], [])
        return ast.Pass() if isinstance(node, ast.Raise) else node


def ask(page: Any, code: str, cell: int, where: Any) -> None:
    """Refuse an exercise whose check lets something pass that is no solution; before its cell is run."""
    if BEGIN not in code:
        return
    try:
        empty, _ = split_solution(code)
        wrong = {
            "the stub that nobody filled": empty,
            "a solution of other values": Wrong(code, ast.Return).code,
        }
        if (deaf := Wrong(code, ast.Raise)).found:
            wrong["a solution that refuses nothing"] = deaf.code
    except (ValueError, SyntaxError):
        return  # refused where the stub is shown, or where the cell is run
    answer = page.evaluate_in_kernel("passing", variants=wrong)
    if found := answer.get("error") or ", ".join(sorted(answer.get("value", ()))):
        refuse("PE702", where, cell=cell, what=found)


def calls_on(code: str, lines: Container[int], imported: dict[str, str]) -> set[str]:
    """What these lines call of the package."""
    flow = Flow(imported)
    for statement in parsed(code):
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and node.lineno in lines:
                flow.visit(node.func)
    return set(flow.calls)


def shared(cells: Sequence[pe_cells.Cell]) -> dict[int, set[str]]:
    """By the place of its cell: what a check calls that its solution calls, too."""
    found = {}
    for place, cell in enumerate(cells):
        if BEGIN in cell.source and END in cell.source:
            imported = pe_cells.imported_by(cells[: place + 1])
            solution, check = (calls_on(cell.source, part, imported) for part in marked_lines(cell.source))
            if solution & check:
                found[place] = solution & check
    return found


def refuse_shared_code(app: Sphinx, doctree: nodes.document) -> None:
    """A solution that is held against itself is right whatever it computes."""
    page = page_being_read(app.env)
    cells = pe_cells.from_notebook(page.notebook) if page else []
    for place, names in shared(cells).items():
        cell = cells[place]
        refuse("PE703", (app.env.docname, cell.line), cell=cell.number, names=", ".join(sorted(names)))


# ---------------------------------------------------------------- what a reader sees


def stub(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, options: Any = None, content: Any = None
) -> Any:
    """``{stub}`exr:chapter:slug` ``: what the student starts from."""
    env = inliner.document.settings.env
    try:
        code, _ = split_solution(
            solution_cell(Path(env.doc2path(env.docname)).read_text(encoding="utf-8"), text.strip())
        )
    except ValueError as error:
        refuse("PE701", (env.docname, lineno), label=text, error=error)
        code = ""
    code = code.strip("\n")
    return [nodes.literal_block(code, code, language="python", classes=["stub"])], []


def lift_stubs(app: Sphinx, doctree: nodes.document) -> None:
    """Lift stubs out of their paragraphs, and show solutions without the marks."""
    for paragraph in list(doctree.findall(nodes.paragraph)):
        if len(paragraph) == 1 and isinstance(paragraph[0], nodes.literal_block):
            paragraph.replace_self(paragraph[0])
    for block in doctree.findall(nodes.literal_block):
        if BEGIN in block.astext():
            try:
                _, solution = split_solution(block.astext())
            except ValueError as error:
                refuse("PE701", block, label="?", error=error)
                continue
            block.children = [nodes.Text(solution)]
            block.children[0].parent = block
            block.rawsource = solution


def retitle(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """`Exercise 1.1 ([by hand] Two orders)` becomes number, name and mark; its solution needs no name."""
    for title in list(doctree.findall(nodes.title)):
        classes = title.parent.get("classes", [])
        if "exercise" in classes:
            for text in list(title.findall(nodes.Text)):
                if found := MARKED.match(text.astext()):
                    mark = nodes.inline("", found["mark"], classes=["exercise-mark"])
                    text.parent.replace(text, [nodes.Text(found["rest"]), nodes.Text(" "), mark])
                elif text.astext() in (" (", ")"):
                    text.parent.replace(text, nodes.Text(" " if text.astext() == " (" else ""))
        elif "solution" in classes:
            for reference in title.findall(nodes.reference):
                reference.children = reference.children[:1]  # the number; the name in brackets is dropped


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_role("stub", stub)
    app.connect("doctree-read", lift_stubs)
    app.connect("doctree-read", refuse_shared_code)
    app.connect("doctree-resolved", retitle, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
