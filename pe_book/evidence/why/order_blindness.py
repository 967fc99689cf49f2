"""The decisions of the chapter on order blindness: what a shuffle changes, and what it leaves as it was."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.verdict import Verdict

Rows = NDArray[np.float64]
Order = Sequence[int]

#: Rows of size about 1 go through a few dozen additions and products, each rounded by at most 2**-53.
ROUNDING = 1e-13


def same(a: ArrayLike, b: ArrayLike, *, rounding: float = ROUNDING) -> Verdict:
    """Whether two arrays hold the same numbers up to rounding."""
    gap = _gap(a, b)
    return Verdict(gap < rounding, {"largest difference": gap, "rounding": rounding})


def apart(vectors: Sequence[ArrayLike], *, at_least: float = 0.01) -> Verdict:
    """Whether any two of several vectors differ, by more than a rounding could explain."""
    closest = min(_gap(a, b) for a, b in combinations(vectors, 2))
    return Verdict(closest > at_least, {"smallest difference": closest, "at least": at_least})


def equivariant(
    layer: Callable[[Rows], Rows],
    x: ArrayLike,
    *,
    orders: Iterable[Order] | None = None,
    rounding: float = ROUNDING,
) -> Verdict:
    """Whether the output rows of a layer move with its input rows: f(X_π) = f(X)_π.

    All orders of up to 6 rows are tried if none are given.
    """
    rows = np.asarray(x, dtype=np.float64)
    outputs = np.asarray(layer(rows))
    gaps = [_gap(layer(rows[list(order)]), outputs[list(order)]) for order in orders or _orders(rows)]
    return Verdict(max(gaps) < rounding, {"orders": len(gaps), "largest difference": max(gaps)})


def invariant(read: Callable[[Rows], Rows], x: ArrayLike) -> Verdict:
    """Whether what is read off a sentence is the same for its words in any order: f(X_π) = f(X)."""
    rows = np.asarray(x, dtype=np.float64)
    before = read(rows)
    gaps = [_gap(read(rows[list(order)]), before) for order in _orders(rows)]
    return Verdict(max(gaps) < ROUNDING, {"orders": len(gaps), "largest difference": max(gaps)})


def tells_orders_apart(read: Callable[[Rows], Rows], x: ArrayLike) -> Verdict:
    """Whether what is read off a sentence is different for any two orders of its words."""
    rows = np.asarray(x, dtype=np.float64)
    readings = [read(rows[list(order)]) for order in _orders(rows)]
    found = apart(readings)
    return Verdict(found.holds, {"orders": len(readings), **found.evidence})


def every_row_moved(before: ArrayLike, after: ArrayLike) -> Verdict:
    """Whether no row of a matrix stayed as it was."""
    moved = [_gap(a, b) for a, b in zip(np.asarray(before), np.asarray(after), strict=True)]
    return Verdict(min(moved) > 1e-3, {"rows": len(moved), "smallest change": min(moved)})


def half_way(
    point: Sequence[Fraction], start: Sequence[Fraction | int], end: Sequence[Fraction | int]
) -> Verdict:
    """Whether a point lies exactly half way between two others."""
    middle = tuple(Fraction(a + b) / 2 for a, b in zip(start, end, strict=True))
    return Verdict(tuple(point) == middle, {"point": _said(point), "middle": _said(middle)})


def needs_order(first: str, second: str) -> Verdict:
    """Whether two different texts hold the same words as often, so that order alone tells them apart."""
    a, b = (text.lower().split() for text in (first, second))
    alone = " and ".join(sorted(set(a) ^ set(b)))
    return Verdict(sorted(a) == sorted(b) and a != b, {"in one alone": alone})


def one_bag_of_sums(first: Sequence[int], second: Sequence[int]) -> Verdict:
    """Whether two orders of numbered words give one bag when each word is added to its place's number."""
    bags = [sorted(word + place for place, word in enumerate(order)) for order in (first, second)]
    are_orders = sorted(first) == sorted(second) and list(first) != list(second)
    return Verdict(are_orders and bags[0] == bags[1], {"first": _said(bags[0]), "second": _said(bags[1])})


def _gap(a: ArrayLike, b: ArrayLike) -> float:
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != second.shape:
        raise ValueError(f"what is compared must have one shape, got {first.shape} and {second.shape}")
    return float(np.abs(first - second).max())


def _orders(rows: Rows) -> Iterable[Order]:
    if len(rows) > 6:
        raise ValueError(f"orders must be given for more than 6 rows, got {len(rows)} rows")
    return permutations(range(len(rows)))


def _said(point: Sequence[Fraction | int]) -> str:
    return ", ".join(map(str, point))
