"""The decisions of the chapter on order blindness: what a shuffle changes, and what it leaves as it was."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.verdict import Verdict
from pe_book.why.chain import OperationCounts, operation_counts

Rows = NDArray[np.float64]
Order = Sequence[int]

#: Rows of size about 1 go through a few dozen additions and products, each rounded by at most 2**-53.
ROUNDING = 1e-13


def same(a: ArrayLike, b: ArrayLike, *, rounding: float = ROUNDING) -> Verdict:
    """Whether two arrays hold the same numbers up to rounding.

    Parameters
    ----------
    a, b
        Of one shape.
    rounding
        The largest difference that counts as rounding.

    Returns
    -------
    Verdict
        With the largest difference.

    Raises
    ------
    ValueError
        If the shapes differ.

    Examples
    --------
    >>> bool(same([0.1 + 0.2], [0.3])), bool(same([1.0, 2.0], [2.0, 1.0]))
    (True, False)
    """
    gap = _gap(a, b)
    return Verdict(gap < rounding, {"largest difference": gap, "rounding": rounding})


def apart(vectors: Sequence[ArrayLike], *, at_least: float = 0.01) -> Verdict:
    """Whether any two of several vectors differ, by more than a rounding could explain.

    Parameters
    ----------
    vectors
        Two or more, of one shape.
    at_least
        How far two of them have to be apart in their most different coordinate: far above rounding, far below
        the size of the numbers.

    Returns
    -------
    Verdict
        With the difference of the two that are closest.

    Raises
    ------
    ValueError
        If there are fewer than two, or their shapes differ.

    Examples
    --------
    >>> bool(apart([[0.0], [1.0], [2.0]])), bool(apart([[0.0], [1.0], [0.0]]))
    (True, False)
    """
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

    Parameters
    ----------
    layer
        From rows to as many rows.
    x
        One row for each word, shape (n, d).
    orders
        Permutations of 0 … n − 1; all of them if not given, for n up to 6.
    rounding
        As for :func:`same`.

    Returns
    -------
    Verdict
        With the number of orders and the largest difference.

    Raises
    ------
    ValueError
        If every order is asked for of more than 6 rows.

    Examples
    --------
    >>> bool(equivariant(np.tanh, [[1.0], [2.0]])), bool(equivariant(lambda x: x[::-1], np.eye(3)))
    (True, False)
    """
    rows = np.asarray(x, dtype=np.float64)
    outputs = np.asarray(layer(rows))
    gaps = [_gap(layer(rows[list(order)]), outputs[list(order)]) for order in _orders(rows, orders)]
    return Verdict(max(gaps) < rounding, {"orders": len(gaps), "largest difference": max(gaps)})


def invariant(
    read: Callable[[Rows], Rows],
    x: ArrayLike,
    *,
    orders: Iterable[Order] | None = None,
    rounding: float = ROUNDING,
) -> Verdict:
    """Whether what is read off a sentence is the same for its words in another order: f(X_π) = f(X).

    Parameters
    ----------
    read
        From rows to what is read off.
    x, orders, rounding
        As for :func:`equivariant`.

    Returns
    -------
    Verdict
        With the number of orders and the largest difference.

    Examples
    --------
    >>> bool(invariant(lambda x: x.mean(axis=0), np.eye(3))), bool(invariant(np.tanh, np.eye(3)))
    (True, False)
    """
    rows = np.asarray(x, dtype=np.float64)
    before = read(rows)
    gaps = [_gap(read(rows[list(order)]), before) for order in _orders(rows, orders)]
    return Verdict(max(gaps) < rounding, {"orders": len(gaps), "largest difference": max(gaps)})


def tells_orders_apart(read: Callable[[Rows], Rows], x: ArrayLike, *, at_least: float = 0.01) -> Verdict:
    """Whether what is read off a sentence is different for any two orders of its words.

    Parameters
    ----------
    read
        From rows to what is read off.
    x
        One row for each word, shape (n, d), all different, n up to 6.
    at_least
        As for :func:`apart`.

    Returns
    -------
    Verdict
        With the number of orders and the difference of the two readings that are closest.

    Examples
    --------
    >>> bool(tells_orders_apart(lambda x: x[:2], np.eye(3)))
    True
    >>> bool(tells_orders_apart(lambda x: x[0], np.eye(3)))
    False
    """
    rows = np.asarray(x, dtype=np.float64)
    readings = [read(rows[list(order)]) for order in _orders(rows, None)]
    found = apart(readings, at_least=at_least)
    return Verdict(found.holds, {"orders": len(readings), **found.evidence})


def every_row_moved(before: ArrayLike, after: ArrayLike, *, at_least: float = 1e-3) -> Verdict:
    """Whether no row of a matrix stayed as it was.

    Parameters
    ----------
    before, after
        Shape (n, d).
    at_least
        How far the most different coordinate of each row has to be: far above rounding.

    Returns
    -------
    Verdict
        With the number of rows and the smallest change of one.

    Raises
    ------
    ValueError
        If the shapes differ.

    Examples
    --------
    >>> bool(every_row_moved(np.eye(2), np.ones((2, 2)))), bool(every_row_moved(np.eye(2), np.diag([1, 2])))
    (True, False)
    """
    moved = [_gap(a, b) for a, b in zip(np.asarray(before), np.asarray(after), strict=True)]
    return Verdict(min(moved) > at_least, {"rows": len(moved), "smallest change": min(moved)})


def half_way(
    point: Sequence[Fraction], start: Sequence[Fraction | int], end: Sequence[Fraction | int]
) -> Verdict:
    """Whether a point lies exactly half way between two others.

    Parameters
    ----------
    point, start, end
        Coordinates as fractions or whole numbers, as many of each.

    Returns
    -------
    Verdict
        With the point and the middle.

    Examples
    --------
    >>> bool(half_way((Fraction(1, 2), Fraction(3, 2)), (0, 2), (1, 1)))
    True
    """
    middle = tuple(Fraction(a + b) / 2 for a, b in zip(start, end, strict=True))
    return Verdict(tuple(point) == middle, {"point": _said(point), "middle": _said(middle)})


def needs_order(first: str, second: str) -> Verdict:
    """Whether two different texts hold the same words, each as often, so that order alone tells them apart.

    Parameters
    ----------
    first, second
        Words between spaces; capitals do not count.

    Returns
    -------
    Verdict
        With the words that only one of the texts has.

    Examples
    --------
    >>> bool(needs_order("dog bites man", "man bites dog"))
    True
    >>> needs_order("read a book", "book a flight").evidence["in one alone"]
    'flight read'
    """
    a, b = (text.lower().split() for text in (first, second))
    alone = " ".join(sorted(set(a) ^ set(b)))
    return Verdict(sorted(a) == sorted(b) and a != b, {"in one alone": alone})


def one_bag_of_sums(first: Sequence[int], second: Sequence[int]) -> Verdict:
    """Whether two orders of numbered words give one bag when each word is added to the number of its place.

    Parameters
    ----------
    first, second
        The same whole numbers in two orders.

    Returns
    -------
    Verdict
        With the two bags.

    Examples
    --------
    >>> bool(one_bag_of_sums([1, 2, 0], [2, 0, 1])), bool(one_bag_of_sums([0, 1, 2], [2, 1, 0]))
    (True, False)
    """
    bags = [sorted(word + place for place, word in enumerate(order)) for order in (first, second)]
    are_orders = sorted(first) == sorted(second) and list(first) != list(second)
    return Verdict(are_orders and bags[0] == bags[1], {"first": _said(bags[0]), "second": _said(bags[1])})


def multiplies_more_at_every_length(
    d_model: int, *, counts: Callable[..., OperationCounts] = operation_counts
) -> Verdict:
    """Whether attention multiplies more than the chain, with everything counted, for texts of any length.

    The difference of the two counts is a polynomial of degree 2 in the number of tokens n. Three lengths
    determine it, more lengths confirm it, and it is positive from n = 1 on if no coefficient is negative.

    Parameters
    ----------
    d_model
        Width.
    counts
        What counts, called as :func:`~pe_book.why.chain.operation_counts` is.

    Returns
    -------
    Verdict
        With the coefficients of 1, n and n².

    Examples
    --------
    >>> dict(multiplies_more_at_every_length(512).evidence)
    {'of 1': 0, 'of n': 262144, 'of n²': 1024}
    """

    def surplus(n: int) -> int:
        counted = counts(n, d_model, everything=True)
        return counted.product - counted.chain

    one, two, three = (surplus(n) for n in (1, 2, 3))
    square = Fraction(one - 2 * two + three, 2)
    linear = two - one - 3 * square
    constant = one - linear - square
    is_that_polynomial = all(surplus(n) == constant + linear * n + square * n**2 for n in (4, d_model, 10**4))
    grows = min(constant, linear, square) >= 0 and one > 0
    return Verdict(
        is_that_polynomial and grows, {"of 1": int(constant), "of n": int(linear), "of n²": int(square)}
    )


def _gap(a: ArrayLike, b: ArrayLike) -> float:
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != second.shape:
        raise ValueError(f"what is compared must have one shape, got {first.shape} and {second.shape}")
    return float(np.abs(first - second).max())


def _orders(rows: Rows, orders: Iterable[Order] | None) -> Iterable[Order]:
    if orders is not None:
        return orders
    if len(rows) > 6:
        raise ValueError(f"orders must be given for more than 6 rows, got {len(rows)} rows")
    return permutations(range(len(rows)))


def _said(point: Sequence[Fraction | int]) -> str:
    return ", ".join(map(str, point))
