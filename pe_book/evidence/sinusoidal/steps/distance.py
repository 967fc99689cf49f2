"""One pair and the same pair later: the derivations of the chapter on distance."""

import sympy

from pe_book.evidence.derivations.derivation import Derivation, Step

P, K, OMEGA, X = sympy.symbols("p k omega x", real=True)


def product_of_a_pair() -> Derivation:
    """The dot product of one pair with itself k tokens later."""
    return Derivation(
        r"\sin\omega p\,\sin\omega(p+k) \allowbreak + \cos\omega p\,\cos\omega(p+k)",
        [
            Step(r"\cos\bigl(\omega(p+k) - \omega p\bigr)", "the cosine of a difference"),
            Step(r"\cos\omega k", "the position cancels"),
        ],
        symbols=(P, K, OMEGA),
    )


def chord_of_a_pair() -> Derivation:
    """The squared distance of one pair from itself k tokens later."""
    return Derivation(
        r"\bigl(\sin\omega(p+k) - \sin\omega p\bigr)^2 \allowbreak"
        r" + \bigl(\cos\omega(p+k) - \cos\omega p\bigr)^2",
        [
            Step(
                r"2 - 2\,\bigl(\sin\omega p\,\sin\omega(p+k)"
                r" \allowbreak + \cos\omega p\,\cos\omega(p+k)\bigr)",
                r"multiply out; $\sin^2 x + \cos^2 x = 1$ twice",
            ),
            Step(r"2 - 2\cos\omega k", "the bracket is the dot product", by=(product_of_a_pair(),)),
        ],
        symbols=(P, K, OMEGA, X),
    )


def turned_product_of_a_pair() -> Derivation:
    """The dot product of one pair with itself k tokens later, after a quarter turn of the later one."""
    return Derivation(
        r"\cos\omega p\,\sin\omega(p+k) \allowbreak - \sin\omega p\,\cos\omega(p+k)",
        [
            Step(r"\sin\bigl(\omega(p+k) - \omega p\bigr)", "the sine of a difference"),
            Step(r"\sin\omega k", "the position cancels"),
        ],
        symbols=(P, K, OMEGA),
    )
