"""The printed divisor and the programs' exponential: the derivations of the chapter on the formula."""

from collections.abc import Mapping

import sympy

from pe_book.evidence.derivations.derivation import Derivation, Step
from pe_book.sinusoidal.formula import frequencies, wavelengths

BASE = sympy.Symbol("B", positive=True)
PAIR, WIDTH = sympy.symbols("i d", positive=True, integer=True)


def divisor_as_exponential() -> Derivation:
    """The exp-of-log recipe is the printed divisor, turned upside down."""
    return Derivation(
        r"\frac{1}{B^{2i/d}}",
        [
            Step(r"B^{-\frac{2 i}{d}}", "one over a power is the power of the negative exponent"),
            Step(r"e^{-\frac{2 i}{d} \ln B}", r"$B = e^{\ln B}$"),
            Step(r"\exp\left(2 i \cdot \frac{-\ln B}{d}\right)", "the product, grouped as programs group it"),
        ],
        symbols=(BASE, PAIR, WIDTH),
        lhs=r"\omega_i",
        given="The frequency is one over the divisor of the printed formula, here with $B$ for the base",
        names={r"\omega": _frequency},
    )


def last_wavelength() -> Derivation:
    """Why the longest wavelength stops short of 2 pi times the base."""
    return Derivation(
        r"2\pi\, B^{2(d/2-1)/d}",
        [
            Step(r"2\pi\, B^{1 - 2/d}", "the exponent, multiplied out"),
            Step(r"2\pi B \cdot B^{-2/d}", "the power, split"),
        ],
        symbols=(BASE, PAIR, WIDTH),
        lhs=r"\lambda_{d/2-1}",
        given=r"The last of the wavelengths $\lambda_i = 2\pi\, B^{2i/d}$",
        names={r"\lambda": _wavelength},
    )


def _frequency(pair: int, at: Mapping[str, float]) -> float:
    return float(frequencies(int(at["d"]), base=at["B"])[pair])


def _wavelength(pair: int, at: Mapping[str, float]) -> float:
    return float(wavelengths(int(at["d"]), base=at["B"])[pair])
