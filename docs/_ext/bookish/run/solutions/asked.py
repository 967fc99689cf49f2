"""What the check of an exercise is asked before its cell is run, each time in a namespace of its own.

A check that cannot fail teaches nothing: it has to refuse the stub that nobody filled, a solution that gives
other values, and each wrong try of the page, to which it says what came, what was due, and where to read.
"""

import ast
import re
from dataclasses import dataclass
from typing import Any

from bookish.run.refusals import refuse
from bookish.run.solutions import BEGIN, UNFILLED, marked_lines, split_solution, with_try

FEWEST_WORDS = 8  # of what a check says to a wrong try
SEE = re.compile(r'\bsee "([^"]+)"')


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


def silent(code: str) -> list[str]:
    """The assertions of the check whose message names no heading, and those without one."""
    check, found = marked_lines(code)[1], []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Assert) and node.lineno in check:
            parts = ast.walk(node.msg) if node.msg else ()
            said = (part.value for part in parts if isinstance(part, ast.Constant))
            if not SEE.search("".join(map(str, said))):
                found.append(ast.unparse(node.test))
    return found


def ask(page: Any, code: str, cell: int, where: Any) -> None:
    """Refuse an exercise that leans on other cells, or whose check lets pass what is no solution."""
    if BEGIN not in code:
        return
    try:
        stub, solution = split_solution(code)
        wrong = {
            "the stub that nobody filled": stub,
            "a stub that returns nothing": split_solution(code, "...")[0],
            "a solution of other values": Wrong(code, ast.Return).code,
        }
        if (deaf := Wrong(code, ast.Raise)).found:
            wrong["a solution that refuses nothing"] = deaf.code
        unsaid = silent(code)
    except (ValueError, SyntaxError):
        return  # refused where the stub is shown, or where the cell is run
    for asserted in unsaid:
        refuse("PE710", where, asserted=asserted)
    answer = page.evaluate_in_kernel("alone", variants={"its solution": solution, **wrong})
    if "value" not in answer:
        if "error" in answer:
            refuse("PE702", where, cell=cell, what=answer["error"])
        return
    said = answer["value"]
    if found := ", ".join(sorted(name for name in wrong if said[name] is None)):
        refuse("PE702", where, cell=cell, what=found)
    if said["its solution"]:
        refuse("PE704", where, cell=cell, what="its solution", error=": ".join(said["its solution"]))
    elif (ended := said["the stub that nobody filled"]) not in (None, ["NotImplementedError", UNFILLED]):
        refuse("PE704", where, cell=cell, what="its stub", error=": ".join(ended))


@dataclass
class Tried:
    """What became of a wrong try: what the check said, and what is wrong with that, as the words of PE706."""

    said: str
    fault: str = ""


def try_out(page: Any, code: str, tried: str) -> Tried:
    """Run a wrong try in place of the solution of a cell, alone."""
    try:
        whole = with_try(code, tried)
        ast.parse(whole)
    except ValueError as error:
        return Tried("", str(error))
    except SyntaxError as error:
        return Tried("", f"is not Python in the place of the solution ({error.msg})")
    answer = page.evaluate_in_kernel("alone", variants={"try": whole})
    if "value" not in answer:
        return Tried("", answer.get("error", ""))
    if answer["value"]["try"] is None:
        return Tried("", "passes the check")
    kind, said = answer["value"]["try"]
    if kind != "AssertionError":
        return Tried(said, f"ends in {kind}: {said}")
    return Tried(said, fault_of(said, whole))


def fault_of(said: str, code: str) -> str:
    """What a message lacks to be of help, where its words alone tell."""
    if len(said.split()) < FEWEST_WORDS:
        return f"is answered with {said!r}, which has fewer than {FEWEST_WORDS} words"
    if any(isinstance(node, ast.Constant) and node.value == said for node in ast.walk(ast.parse(code))):
        return f"is answered with {said!r}, in which nothing is computed: it does not say what came"
    return "" if SEE.search(said) else f"is answered with {said!r}, which names no heading of the page"
