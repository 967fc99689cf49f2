"""The cells of exercises: stub and solution cut apart, and what their check has to refuse.

A check that cannot fail teaches nothing: it has to refuse the stub that nobody filled and a solution that
gives other values, and it calls nothing of the package that the solution calls.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from kernel.refusals import refuse

BEGIN, END = "# begin solution", "# end solution"
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
