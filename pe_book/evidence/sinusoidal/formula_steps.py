"""The printed divisor and the programs' exponential: the derivations of the chapter on the formula."""

import sympy

from pe_book.evidence.derivation import Derivation, Step


def divisor_as_exponential() -> Derivation:
    """The exp-of-log recipe is the printed divisor, turned upside down."""
    base, pair, d = sympy.symbols("B i d", positive=True)
    log = sympy.log(base)
    return Derivation(
        1 / base ** (2 * pair / d),
        [
            Step(base ** (-2 * pair / d), "one over a power is the power of the negative exponent"),
            Step(sympy.exp(-2 * pair / d * log), "$B = e^{\\ln B}$", latex=r"e^{-\frac{2 i}{d} \ln B}"),
            Step(sympy.exp(2 * pair * (-log / d)), "the product, grouped as programs group it",
                 latex=r"\exp\left(2 i \cdot \frac{-\ln B}{d}\right)"),
        ],
        lhs=r"\omega_i",
        given="The frequency is one over the divisor of the printed formula, here with $B$ for the base",
        latex=r"\frac{1}{B^{2i/d}}",
    )  # fmt: skip


def last_wavelength() -> Derivation:
    """Why the longest wavelength stops short of 2 pi times the base."""
    base, d = sympy.symbols("B d", positive=True)
    return Derivation(
        2 * sympy.pi * base ** (2 * (d / 2 - 1) / d),
        [
            Step(2 * sympy.pi * base ** (1 - 2 / d), "the exponent, multiplied out",
                 latex=r"2\pi\, B^{1 - 2/d}"),
            Step(2 * sympy.pi * base * base ** (-2 / d), "the power, split", latex=r"2\pi B \cdot B^{-2/d}"),
        ],
        lhs=r"\lambda_{d/2-1}",
        given="The last pair has $i = d/2 - 1$",
        latex=r"2\pi\, B^{2(d/2-1)/d}",
    )  # fmt: skip
