"""The decision of the page on recurrence and attention: which of them multiplies more."""

from collections.abc import Callable
from fractions import Fraction

from pe_book.evidence.verdict import Verdict
from pe_book.why.chain import OperationCounts, operation_counts


def multiplies_more_at_every_length(
    d_model: int, *, counts: Callable[..., OperationCounts] = operation_counts
) -> Verdict:
    """Whether attention multiplies more than the chain, with everything counted, for texts of any length.

    The difference is a polynomial of degree 2 in n: three lengths determine it, more confirm it.
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
