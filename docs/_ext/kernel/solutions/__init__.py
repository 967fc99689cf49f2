"""The cells of exercises: the stub is cut out of the solution, and a wrong try is put in its place."""

from __future__ import annotations

import re
import textwrap

BEGIN, END = "# begin solution", "# end solution"
UNFILLED = "nothing is filled in yet"
BLANK = f'raise NotImplementedError("{UNFILLED}")'
PART = re.compile(r"^# \.\.\.$", re.MULTILINE)  # between the parts of a wrong try
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(?:(?::[^\n]*)?\n)*(?P<code>.*?)^```", re.DOTALL | re.MULTILINE)


def split_solution(code: str, blank: str = BLANK) -> tuple[str, str]:
    """Stub and solution of one cell: what stands between the marks is ``blank`` in the stub."""
    stub, solution, inside = [], [], False
    for line in code.splitlines():
        mark = line.strip()
        if mark == BEGIN:
            if inside:
                raise ValueError(f"{BEGIN!r} stands twice without {END!r}")
            inside = True
            stub.append(textwrap.indent(blank, line.removesuffix(line.lstrip())))
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


def with_try(code: str, tried: str) -> str:
    """The cell with a try in place of its solution; a line ``# ...`` divides a try for more places."""
    parts = PART.split(textwrap.dedent(tried).strip("\n"))
    if len(parts) != code.count(BEGIN):
        raise ValueError(f"has {len(parts)} parts for {code.count(BEGIN)} places between marks")
    made, inside = [], False
    for line in code.splitlines():
        if line.strip() == BEGIN:
            made.append(textwrap.indent(parts.pop(0).strip("\n"), line.removesuffix(line.lstrip())))
        inside = line.strip() == BEGIN or (inside and line.strip() != END)
        if not inside and line.strip() != END:
            made.append(line)
    return "\n".join(made)


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
