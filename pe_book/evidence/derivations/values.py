"""SymPy behind a formula: what may be added, multiplied, divided, raised and transposed."""

from __future__ import annotations

from typing import Any

import sympy

from pe_book.evidence.derivations.tokens import NotationError

MEANING = {
    r"\sin": sympy.sin, r"\cos": sympy.cos, r"\tan": sympy.tan, r"\ln": sympy.log, r"\exp": sympy.exp,
    r"\pi": sympy.pi, "e": sympy.E,
}  # fmt: skip
IMAGINARY, number, root = sympy.I, sympy.Rational, sympy.sqrt


def combined(sign: str, left: Any, right: Any) -> Any:
    """Two values with ``+``, ``-``, ``*``, a dot or ``/`` between them; each a scalar or a matrix."""
    one, other = _shape(left), _shape(right)
    if sign in "+-":
        if one != other:
            raise NotationError(f"the shapes {one or 'scalar'} and {other or 'scalar'} cannot be added")
        return left + right if sign == "+" else left - right
    if sign == "/":
        if other or right == 0:
            raise NotationError(f"nothing is divided by {'a matrix' if other else 'zero'}")
        return left / right
    if one and other and one[1] != other[0]:
        raise NotationError(f"the shapes {one} and {other} cannot be multiplied")
    return left * right


def raised(base: Any, exponent: Any) -> Any:
    """A power; of a matrix only a whole one."""
    if _shape(base) and not (exponent.is_Integer and exponent >= 0):
        raise NotationError("a matrix is raised to whole numbers only")
    return base**exponent


def transposed(value: Any) -> Any:
    """A matrix with its rows as columns."""
    if not _shape(value):
        raise NotationError("only a matrix is transposed")
    return value.T


def scalar(value: Any, where: str) -> Any:
    """The value itself, unless it is a matrix."""
    if _shape(value):
        raise NotationError(f"{where} is no matrix")
    return value


def matrix_of(rows: list[list[Any]]) -> Any:
    """A matrix of scalars."""
    if len({len(row) for row in rows}) > 1:
        raise NotationError("the rows of a matrix have equally many entries")
    return sympy.ImmutableMatrix([[scalar(entry, "an entry") for entry in row] for row in rows])


def _shape(value: Any) -> tuple[int, int] | None:
    shape: tuple[int, int] | None = getattr(value, "shape", None)
    return shape
