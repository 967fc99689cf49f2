"""Which lines change a shape, what the comments there say, and what each is of.

A comment such as ``# (..., n, d)`` is of the largest expression that ends on its line: of what is assigned
or returned, of an element of a list in the making, of the body of a lambda, of an argument of a class or of
a call whose value nobody takes. One shape is of every array there is; several, with commas between, are one
by one.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("why", "sinusoidal", "family", "numerics", "inputs", "checkpoint", "nn/functional")
CHANGING = {
    *("broadcast_to", "cat", "column_stack", "concatenate", "einsum", "expand_dims", "flatten", "hstack"),
    *("meshgrid", "moveaxis", "movedim", "outer", "permute", "reshape", "squeeze", "stack", "swapaxes"),
    *("tile", "transpose", "unflatten", "unsqueeze", "vstack"),
}
# without an axis they leave a number
REDUCING = {"all", "allclose", "any", "array_equal", "float", "int", "len", "max", "min", "norm", "sum"}
MAKING = (
    *(ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp),
    *(ast.Yield, ast.Starred, ast.Await, ast.FormattedValue),
)  # what they hold is no value of theirs
SHAPE = r"\([^()]*\)"
COMMENT = re.compile(rf"# ({SHAPE}(?:, {SHAPE})*|{SHAPE} or {SHAPE})(?:  \S.*)?")
AXIS = re.compile(r"\.\.\.|[\w+/*-]+(?: [+*/-] [\w+/*-]+)*")
Shape = tuple[str, ...]


def modules() -> dict[str, Path]:
    """The definitions: modules of the rooms by name."""
    files = [file for room in ROOMS for file in sorted((ROOT / "pe_book" / room).rglob("*.py"))]
    dotted = {file: ".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files}
    return {name.removesuffix(".__init__"): file for file, name in dotted.items()}


# ---------------------------------------------------------------- what is said


def is_shape(text: str) -> bool:
    """Whether it is one, written as in Python: ``(n,)`` has one axis."""
    parts = text[1:-1].removesuffix(",").split(", ")
    one = len(parts) == 1 and parts != ["..."]
    fits = all(map(AXIS.fullmatch, parts)) and "..." not in parts[1:]
    return text == "()" or (fits and one == text.endswith(",)"))


def axes(text: str) -> Shape:
    """The axes of a shape."""
    if not is_shape(text):
        raise ValueError(f"{text} is no shape: such are (n,), (..., n, d/2) and (2p, 1)")
    return tuple(text[1:-1].removesuffix(",").split(", ")) if text != "()" else ()


def comments(source: str) -> dict[int, tuple[list[Shape], bool]]:
    """The shapes of every line that has some, and whether it has one or the other of them.

    A comment that only looks like one is refused.
    """
    found = {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and token.string.startswith("# ("):
            match, line = COMMENT.fullmatch(token.string), token.start[0]
            if not match or not token.line[: token.start[1]].strip():
                raise ValueError(f"line {line}: {token.string!r} must be a shape at the end of its line")
            found[line] = [axes(shape) for shape in re.findall(SHAPE, match[1])], " or " in match[1]
    return found


def documented(text: str) -> list[tuple[str, Shape]]:
    """The parameters to which a docstring gives one shape."""
    plain = inspect.cleandoc(text) + "\n"
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n---|\Z)", plain, re.S | re.M)
    found = []
    for names, said in re.findall(
        r"^(\w+(?:, \w+)*)\n((?:    .*\n|\n)+)", section[1] if section else "", re.M
    ):
        both = re.findall(rf"(?<!of )[Ss]hapes? ({SHAPE})(?: and ({SHAPE}))?", said)
        shapes, listed = [shape for pair in both for shape in pair if shape], names.split(", ")
        if len(shapes) in (1, len(listed)) and ") or (" not in said and all(map(is_shape, shapes)):
            found += zip(listed, map(axes, shapes * (len(listed) // len(shapes))), strict=True)
    return found


# ---------------------------------------------------------------- where it is to be said


def changes_shape(node: ast.AST) -> bool:
    """Whether an expression is one of the ways to change a shape."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.MatMult)
    if isinstance(node, ast.Attribute):
        return node.attr in ("T", "mT")
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return any(ast.unparse(part) in ("None", "np.newaxis") for part in parts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        along = any(word.arg in ("axis", "dim") for word in node.keywords)  # else repeat makes a list
        return node.func.attr in CHANGING or (node.func.attr == "repeat" and along)
    return False


def owners(tree: ast.AST) -> tuple[dict[int, list[ast.expr]], list[tuple[int, int]]]:
    """What a comment of a line would be of, for every line; and the two lines of which one needs a comment.

    The second is the last of the statement, whose comment is of all that it assigns or returns.
    """
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    changing: dict[int, set[ast.expr]] = {}
    others: dict[int, set[ast.expr]] = {}
    needed = []
    for node in _expressions(tree):
        top, reduced = _owner(node, parents)
        statement: Any = top
        while not isinstance(statement, ast.stmt):
            statement = parents[statement]
        if changes_shape(node) and not reduced:
            needed.append((top.end_lineno, statement.end_lineno))
            changing.setdefault(top.end_lineno, set()).add(top)
        elif top is getattr(statement, "value", None):
            others.setdefault(top.end_lineno, set()).add(top)
            others.setdefault(statement.end_lineno, set()).add(top)
        elif top.lineno != statement.lineno and not isinstance(top, (ast.Constant, ast.Slice, *MAKING)):
            others.setdefault(top.end_lineno, set()).add(top)
    return {line: _outermost(nodes) for line, nodes in (others | changing).items()}, needed


def missing(source: str) -> list[int]:
    """The lines that change a shape and do not say to which."""
    said = comments(source).keys()
    return sorted({lines[0] for lines in owners(ast.parse(source))[1] if not said & set(lines)})


def _expressions(tree: ast.AST) -> set[ast.expr]:
    """What is evaluated when a function is called."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = {node for function in functions for statement in function.body for node in ast.walk(statement)}
    types = {node for kind in _types(inside) for node in ast.walk(kind)}
    return {
        node
        for node in inside - types
        if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store)
    }


def _types(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        yield from filter(None, (getattr(node, "annotation", None), getattr(node, "returns", None)))


def _outermost(nodes: set[ast.expr]) -> list[ast.expr]:
    within = {below for node in nodes for below in ast.walk(node) if below is not node}
    return sorted(nodes - within, key=lambda node: node.col_offset)


def _owner(node: ast.expr, parents: dict[ast.AST, ast.AST]) -> tuple[ast.expr, bool]:
    """The largest expression around a node that ends on its line, and whether only a number is left of it."""
    top, reduced = node, False
    while True:
        above = parents[top]
        while isinstance(above, ast.keyword):
            above = parents[above]
        called = ast.unparse(above.func).rpartition(".")[2] if isinstance(above, ast.Call) else ""
        if isinstance(above, ast.Call):
            reduced |= called in REDUCING and not any(word.arg == "axis" for word in above.keywords)
        if (
            not isinstance(above, ast.expr)
            or isinstance(above, MAKING)
            or above.end_lineno != top.end_lineno
            or isinstance(getattr(above, "ctx", None), ast.Store)
            or called[:1].isupper()
            or isinstance(parents[above], ast.Expr)
            or (isinstance(above, ast.Tuple) and any(isinstance(part, ast.Slice) for part in above.elts))
        ):
            return top, reduced
        top = above
