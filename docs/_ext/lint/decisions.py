"""What the expression of a held statement may not be: nothing, a bare name, or true whatever was computed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

NOT_NEGATIVE = {"len", "abs", "norm", "size", "std", "var"}
EQUALITY_CALLS = {"allclose", "isclose", "array_equal", "equal", "array_equiv"}


def why_it_decides_nothing(expression: str) -> str:
    """Why an expression decides nothing; empty if it does."""
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
    except SyntaxError:
        return ""  # PE323 reports it
    return next(reasons(tree), "")


def reasons(node: ast.expr) -> Iterator[str]:
    node = without_not_and_bool(node)
    if isinstance(node, ast.BoolOp):
        yield from (reason for part in node.values for reason in reasons(part))
        if isinstance(node.op, ast.Or):
            written = {ast.dump(part) for part in node.values}
            for part in node.values:
                if (
                    isinstance(part, ast.UnaryOp)
                    and isinstance(part.op, ast.Not)
                    and ast.dump(part.operand) in written
                ):
                    yield f"`{ast.unparse(node)}` is true of anything"
    elif isinstance(node, ast.IfExp):
        yield from [*reasons(node.body), *reasons(node.orelse)]
    elif isinstance(node, ast.Constant):
        yield f"`{ast.unparse(node)}` is a constant"
    elif isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        yield f"`{ast.unparse(node)}` only names a decision that was made elsewhere"
    elif isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        for left, relation, right in zip(sides, node.ops, sides[1:], strict=False):
            if ast.dump(left) == ast.dump(right):
                yield f"`{ast.unparse(node)}` compares a thing with itself"
            elif is_constant(left) and is_constant(right):
                yield f"`{ast.unparse(node)}` compares constants"
            elif never_negative(left, relation, right):
                yield f"`{ast.unparse(node)}` is true of anything"
    elif isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in EQUALITY_CALLS and len(node.args) > 1 and ast.dump(node.args[0]) == ast.dump(node.args[1]):
            yield f"`{ast.unparse(node)}` compares a thing with itself"


def without_not_and_bool(node: ast.expr) -> ast.expr:
    """What stands behind `not` and `bool(…)`."""
    while True:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node = node.operand
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "bool" and len(node.args) == 1:
            node = node.args[0]
        else:
            return node


def is_constant(node: ast.expr) -> bool:
    return not any(isinstance(part, (ast.Name, ast.Call)) for part in ast.walk(node))


def never_negative(left: ast.expr, relation: ast.cmpop, right: ast.expr) -> bool:
    """len(x) >= 0, abs(x) > -1 and the like, from either side."""
    if isinstance(relation, (ast.Lt, ast.LtE)):
        reversed_relation: ast.cmpop = ast.Gt() if isinstance(relation, ast.Lt) else ast.GtE()
        return never_negative(right, reversed_relation, left)
    if not isinstance(relation, (ast.Gt, ast.GtE)) or not is_constant(right):
        return False
    try:
        bound = ast.literal_eval(right)
    except ValueError:
        return False
    if not isinstance(bound, int | float):
        return False
    called = left.func if isinstance(left, ast.Call) else left
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    squared = isinstance(left, ast.BinOp) and isinstance(left.op, ast.Pow) and ast.unparse(left.right) == "2"
    true_of_anything = bound < 0 or (bound == 0 and isinstance(relation, ast.GtE))
    return bool(
        true_of_anything
        and (squared or (name in NOT_NEGATIVE and isinstance(left, (ast.Call, ast.Attribute))))
    )
