"""The cells of exercises: the stub is cut out of the solution, and a wrong try is put in its place."""

import re
import textwrap
from collections.abc import Iterator
from itertools import repeat

BEGIN, END = "# begin solution", "# end solution"
UNFILLED = "nothing is filled in yet"
BLANK = f'raise NotImplementedError("{UNFILLED}")'
MARKED = re.compile(rf"^([ \t]*){BEGIN}[ \t]*\n(.*?)^[ \t]*{END}[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
ALONE = re.compile(rf"^[ \t]*(?:{BEGIN}|{END})[ \t]*$", re.MULTILINE)
LEFT = re.compile(rf"{END}[ \t]*\n\s*^[ \t]+\S", re.MULTILINE)
PART = re.compile(r"^# \.\.\.$", re.MULTILINE)  # between the parts of a wrong try
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(?:(?::[^\n]*)?\n)*(?P<code>.*?)^```", re.DOTALL | re.MULTILINE)


def filled(code: str, fillings: Iterator[str]) -> str:
    """The cell with one of these in each place between the marks, moved in as far as they are."""
    text = MARKED.sub(lambda place: textwrap.indent(next(fillings), place[1]) + "\n", code.rstrip("\n"))
    if ALONE.search(text):
        raise ValueError(f"{BEGIN!r} and {END!r} do not stand in pairs")
    if LEFT.search(code):
        raise ValueError(f"what stands below {END!r} is indented: it belongs to the solution")
    return text.rstrip("\n")


def split_solution(code: str, blank: str = BLANK) -> tuple[str, str]:
    """Stub and solution of one cell: what stands between the marks is ``blank`` in the stub."""
    inside = (textwrap.dedent(place[2]).rstrip("\n") for place in MARKED.finditer(code))
    return filled(code, repeat(blank)), filled(code, inside)


def with_try(code: str, tried: str) -> str:
    """The cell with a try in place of its solution; a line ``# ...`` divides a try for more places."""
    parts = PART.split(textwrap.dedent(tried).strip("\n"))
    if len(parts) != code.count(BEGIN):
        raise ValueError(f"has {len(parts)} parts for {code.count(BEGIN)} places between marks")
    return filled(code, iter([part.strip("\n") for part in parts]))


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
