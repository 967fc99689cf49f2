"""numpy behind a formula: numbers, rows and columns, matrices; what has no one meaning is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pe_book.evidence.derivations.tokens import NotationError

IMAGINARY = 1j
MEANING = {
    r"\sin": np.sin, r"\cos": np.cos, r"\tan": np.tan, r"\ln": np.log, r"\log": np.log, r"\exp": np.exp,
    r"\pi": math.pi, "e": math.e, r"\min": min, r"\max": max, r"\tanh": np.tanh, r"\det": np.linalg.det,
    r"\operatorname{Re}": np.real, r"\operatorname{clip}": np.clip,
}  # fmt: skip


def plain(value: Any) -> Any:
    """A matrix of one entry, or a number of numpy, as a number of Python."""
    return value.item() if isinstance(value, (np.generic, np.ndarray)) and value.size == 1 else value


def number(text: str) -> int | float:
    """What digits say."""
    return int(text) if text.lstrip("-").isdigit() else float(text)


def root(value: Any) -> Any:
    """The square root of a number."""
    return plain(np.sqrt(scalar(value, "what stands under a root")))


def combined(sign: str, left: Any, right: Any) -> Any:
    """Two values with ``+``, ``-``, ``*``, a dot or ``/`` between them."""
    one, other = np.shape(left), np.shape(right)
    if sign in "+-":
        if one != other:
            raise NotationError(f"the shapes {one} and {other} cannot be added")
        return left + right if sign == "+" else left - right
    if sign == "/":
        return left / scalar(right, "what is divided by")
    if not one or not other:
        return left * right
    if sign == r"\cdot" and one == other and max(one) == math.prod(one):
        return plain(np.sum(left * right))
    if len(one) == len(other) == 1:
        raise NotationError("two rows stand beside each other; put a dot between them")
    if one[-1] != other[0]:
        raise NotationError(f"the shapes {one} and {other} cannot be multiplied")
    return plain(left @ right)


def raised(base: Any, exponent: Any) -> Any:
    """A power; of a matrix a whole one, and e to the power of a matrix."""
    if np.ndim(exponent) == 2 and base == math.e:
        sizes, axes = np.linalg.eig(exponent)
        found = (axes * np.exp(sizes)) @ np.linalg.inv(axes)
        return np.real_if_close(found, tol=1e6)
    exponent = scalar(exponent, "an exponent")
    if not np.ndim(base):
        return base**exponent
    if np.ndim(base) == 1 or exponent != int(exponent):
        raise NotationError("a matrix is raised to whole numbers only")
    return np.linalg.matrix_power(base, int(exponent))


def transposed(value: Any) -> Any:
    """A matrix with its rows as columns."""
    if np.ndim(value) != 2:
        raise NotationError("only a matrix, or what is declared as a row or a column of one, is transposed")
    return value.T


def scalar(value: Any, where: str) -> Any:
    """The value itself, unless it is a matrix."""
    if np.shape(value):
        raise NotationError(f"{where} is no number")
    return value


def matrix_of(rows: list[list[Any]]) -> Any:
    """A matrix of numbers, or of blocks."""
    if any(np.ndim(entry) == 1 for row in rows for entry in row):
        raise NotationError("is an entry a row or a column? Declare it as one")
    return np.block([[np.atleast_2d(entry) for entry in row] for row in rows])


def length(value: Any) -> float:
    """Of a vector; a matrix has several."""
    if math.prod(np.shape(value)) != max(np.shape(value)):
        raise NotationError("a matrix has several lengths; write which, as in \\rVert_F")
    return float(np.linalg.norm(value))


def size(value: Any) -> Any:
    """The absolute value of a number."""
    return abs(scalar(value, "what stands between bars"))


def whole(value: Any) -> int:
    """A number that has to be whole."""
    if np.ndim(value) or value != int(value):
        raise NotationError(f"{value} is no whole number")
    return int(value)


def place(index: Any) -> Any:
    """An index of an array: a whole number, or an order of all of its rows."""
    if np.ndim(index):
        return np.asarray(index, dtype=np.int64)
    if whole(index) < 0:
        raise NotationError(f"there is no entry {index}")
    return whole(index)


def floor(value: float) -> int:
    """The whole number below, where a rounding error does not decide."""
    return round(value) if abs(value - round(value)) < 1e-9 else math.floor(value)


def close(left: Any, right: Any, within: Any = 0.0) -> bool:
    """Whether two values are equal but for rounding; a list is compared with a row and with a column."""
    one, other = np.asarray(left), np.asarray(right)
    if 1 in (one.ndim, other.ndim) and one.size == other.size:
        one, other = one.ravel(), other.ravel()
    if one.shape != other.shape:
        return False
    allowed = slack(one, other) + (np.reshape(within, one.shape) if np.size(within) > 1 else within)
    return bool(np.all(np.abs(one - other) <= allowed))


def slack(left: Any, right: Any) -> float:
    """What rounding errors may make of two equal values."""
    return 1e-9 * max(float(np.max(np.abs(left))), float(np.max(np.abs(right)))) + 1e-13
