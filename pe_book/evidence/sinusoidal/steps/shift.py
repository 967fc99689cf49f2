r"""The shift theorem step by step: the derivations of the chapter, each read from what it displays."""

import sympy

from pe_book.evidence.derivations.derivation import Derivation, Step

P, K, OMEGA, A, B = sympy.symbols("p k omega a b", real=True)


def sine_by_angle_addition() -> Derivation:
    """The sine of the shifted pair as a combination of the pair."""
    return Derivation(
        r"\sin\bigl(\omega (p + k)\bigr)",
        [
            Step(r"\sin(\omega p + \omega k)", "multiply out the angle"),
            Step(r"\sin(\omega p)\cos(\omega k) + \cos(\omega p)\sin(\omega k)", "the sine of a sum"),
            Step(
                r"\cos(\omega k)\,\sin(\omega p) + \sin(\omega k)\,\cos(\omega p)",
                "put what depends on $k$ first",
            ),
        ],
        symbols=(P, K, OMEGA),
    )


def cosine_by_angle_addition() -> Derivation:
    """The cosine of the shifted pair as a combination of the pair."""
    return Derivation(
        r"\cos\bigl(\omega (p + k)\bigr)",
        [
            Step(r"\cos(\omega p + \omega k)", "multiply out the angle"),
            Step(r"\cos(\omega p)\cos(\omega k) - \sin(\omega p)\sin(\omega k)", "the cosine of a sum"),
            Step(
                r"-\sin(\omega k)\,\sin(\omega p) \allowbreak + \cos(\omega k)\,\cos(\omega p)",
                "put what depends on $k$ first",
            ),
        ],
        symbols=(P, K, OMEGA),
    )


def pair_in_matrix_form() -> Derivation:
    """The two lines as one product of a matrix and the pair."""
    return Derivation(
        r"\begin{pmatrix} \sin\bigl(\omega (p+k)\bigr) \\ \cos\bigl(\omega (p+k)\bigr) \end{pmatrix}",
        [
            Step(
                r"\allowbreak\begin{pmatrix} \cos(\omega k)\sin(\omega p) + \sin(\omega k)\cos(\omega p) \\"
                r" -\sin(\omega k)\sin(\omega p) + \cos(\omega k)\cos(\omega p) \end{pmatrix}",
                "the two results above",
                by=(sine_by_angle_addition(), cosine_by_angle_addition()),
            ),
            Step(
                _block(r"(\omega k)") + r"\begin{pmatrix} \sin(\omega p) \\ \cos(\omega p) \end{pmatrix}",
                "a matrix times a column collects them",
            ),
        ],
        symbols=(P, K, OMEGA),
    )


def composition() -> Derivation:
    """A shift by b, then one by a: the product of two blocks is a block."""
    return Derivation(
        _block(r"(\omega a)") + r"\cdot\allowbreak" + _block(r"(\omega b)"),
        [
            Step(
                r"\begin{pmatrix} c\,c' - s\,s' & s\,c' + c\,s' \\"
                r" -(s\,c' + c\,s') & c\,c' - s\,s' \end{pmatrix}",
                r"row times column, with $c = \cos\omega a$, $s = \sin\omega a$, $c' = \cos\omega b$ "
                r"and $s' = \sin\omega b$",
            ),
            Step(_block(r"\bigl(\omega (a + b)\bigr)"), "the cosine and the sine of a sum"),
        ],
        symbols=(A, B, OMEGA),
    )


def _block(angle: str) -> str:
    """The two-by-two block of T_k, for (sin, cos) columns."""
    c, s = rf"\cos{angle}", rf"\sin{angle}"
    return rf"\begin{{pmatrix}} {c} & {s} \\ -{s} & {c} \end{{pmatrix}}"
