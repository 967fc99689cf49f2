"""One pair and the same pair later: the derivations of the chapter on distance."""

import sympy

from pe_book.evidence.derivation import Derivation, Step

P, K, OMEGA = sympy.symbols("p k omega", real=True)


def product_of_a_pair() -> Derivation:
    """The dot product of one pair with itself k tokens later."""
    x, y = OMEGA * P, OMEGA * (P + K)
    return Derivation(
        sympy.sin(x) * sympy.sin(y) + sympy.cos(x) * sympy.cos(y),
        [
            Step(sympy.cos(y - x), "the cosine of a difference", r"\cos\bigl(\omega(p+k) - \omega p\bigr)"),
            Step(sympy.cos(OMEGA * K), "the position cancels", r"\cos\omega k"),
        ],
        latex=r"\sin\omega p\,\sin\omega(p+k) + \cos\omega p\,\cos\omega(p+k)",
    )


def chord_of_a_pair() -> Derivation:
    """The squared distance of one pair from itself k tokens later."""
    x, y = OMEGA * P, OMEGA * (P + K)
    return Derivation(
        (sympy.sin(y) - sympy.sin(x)) ** 2 + (sympy.cos(y) - sympy.cos(x)) ** 2,
        [
            Step(
                2 - 2 * (sympy.sin(x) * sympy.sin(y) + sympy.cos(x) * sympy.cos(y)),
                "multiply out; $\\sin^2 + \\cos^2 = 1$ twice",
                r"2 - 2\,\bigl(\sin\omega p\,\sin\omega(p+k) + \cos\omega p\,\cos\omega(p+k)\bigr)",
            ),
            Step(2 - 2 * sympy.cos(OMEGA * K), "the bracket is the dot product", r"2 - 2\cos\omega k"),
        ],
        latex=(
            r"\bigl(\sin\omega(p+k) - \sin\omega p\bigr)^2 + \bigl(\cos\omega(p+k) - \cos\omega p\bigr)^2"
        ),
    )


def turned_product_of_a_pair() -> Derivation:
    """The dot product of one pair with itself k tokens later, after a quarter turn of the later one."""
    x, y = OMEGA * P, OMEGA * (P + K)
    return Derivation(
        sympy.cos(x) * sympy.sin(y) - sympy.sin(x) * sympy.cos(y),
        [
            Step(sympy.sin(y - x), "the sine of a difference", r"\sin\bigl(\omega(p+k) - \omega p\bigr)"),
            Step(sympy.sin(OMEGA * K), "the position cancels", r"\sin\omega k"),
        ],
        latex=r"\cos\omega p\,\sin\omega(p+k) - \sin\omega p\,\cos\omega(p+k)",
    )
