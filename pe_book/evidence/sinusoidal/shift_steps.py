"""The shift theorem step by step: the derivations of the chapter, each step checked by SymPy."""

from typing import Any

import sympy

from pe_book.evidence.derivation import Derivation, Step

P, K, OMEGA, A, B = sympy.symbols("p k omega a b", real=True)


def sine_by_angle_addition() -> Derivation:
    """The sine of the shifted pair as a combination of the pair."""
    x, y = OMEGA * P, OMEGA * K
    end = r"\cos(\omega k)\,\sin(\omega p) + \sin(\omega k)\,\cos(\omega p)"
    return Derivation(
        sympy.sin(OMEGA * (P + K)),
        [
            Step(sympy.sin(x + y), "multiply out the angle", r"\sin(\omega p + \omega k)"),
            Step(
                sympy.sin(x) * sympy.cos(y) + sympy.cos(x) * sympy.sin(y),
                "the sine of a sum",
                r"\sin(\omega p)\cos(\omega k) + \cos(\omega p)\sin(\omega k)",
            ),
            Step(
                sympy.cos(y) * sympy.sin(x) + sympy.sin(y) * sympy.cos(x),
                "put what depends on $k$ first",
                end,
            ),
        ],
        latex=r"\sin\bigl(\omega (p + k)\bigr)",
    )


def cosine_by_angle_addition() -> Derivation:
    """The cosine of the shifted pair as a combination of the pair."""
    x, y = OMEGA * P, OMEGA * K
    end = r"-\sin(\omega k)\,\sin(\omega p) + \cos(\omega k)\,\cos(\omega p)"
    return Derivation(
        sympy.cos(OMEGA * (P + K)),
        [
            Step(sympy.cos(x + y), "multiply out the angle", r"\cos(\omega p + \omega k)"),
            Step(
                sympy.cos(x) * sympy.cos(y) - sympy.sin(x) * sympy.sin(y),
                "the cosine of a sum",
                r"\cos(\omega p)\cos(\omega k) - \sin(\omega p)\sin(\omega k)",
            ),
            Step(
                -sympy.sin(y) * sympy.sin(x) + sympy.cos(y) * sympy.cos(x),
                "put what depends on $k$ first",
                end,
            ),
        ],
        latex=r"\cos\bigl(\omega (p + k)\bigr)",
    )


def pair_in_matrix_form() -> Derivation:
    """The two lines as one product of a matrix and the pair."""
    x, y = OMEGA * P, OMEGA * K
    shifted = sympy.Matrix([sympy.sin(OMEGA * (P + K)), sympy.cos(OMEGA * (P + K))])
    pair = sympy.Matrix([sympy.sin(x), sympy.cos(x)])
    lines = sympy.Matrix(
        [
            sympy.cos(y) * sympy.sin(x) + sympy.sin(y) * sympy.cos(x),
            -sympy.sin(y) * sympy.sin(x) + sympy.cos(y) * sympy.cos(x),
        ]
    )
    return Derivation(
        shifted,
        [
            Step(
                lines,
                "the two results above",
                r"\begin{pmatrix} \cos(\omega k)\sin(\omega p) + \sin(\omega k)\cos(\omega p) \\"
                r" -\sin(\omega k)\sin(\omega p) + \cos(\omega k)\cos(\omega p) \end{pmatrix}",
            ),
            Step(
                block(y) * pair,
                "a matrix times a column collects them",
                _block_latex(r"\omega k") + r"\begin{pmatrix} \sin(\omega p) \\ \cos(\omega p) \end{pmatrix}",
            ),
        ],
        latex=r"\begin{pmatrix} \sin\bigl(\omega (p+k)\bigr) \\ \cos\bigl(\omega (p+k)\bigr) \end{pmatrix}",
    )


def composition() -> Derivation:
    """A shift by b, then one by a: the product of two blocks is a block."""
    x, y = OMEGA * A, OMEGA * B
    product = block(x) * block(y)
    c, s = (
        sympy.cos(x) * sympy.cos(y) - sympy.sin(x) * sympy.sin(y),
        sympy.sin(x) * sympy.cos(y) + sympy.cos(x) * sympy.sin(y),
    )
    return Derivation(
        product,
        [
            Step(
                sympy.Matrix([[c, s], [-s, c]]),
                r"row times column, with $c$ and $s$ for the cosine and the sine of $\omega a$, $c'$, $s'$ "
                r"for those of $\omega b$",
                r"\begin{pmatrix} c\,c' - s\,s' & s\,c' + c\,s' \\"
                r" -(s\,c' + c\,s') & c\,c' - s\,s' \end{pmatrix}",
            ),
            Step(block(x + y), "the cosine and the sine of a sum", _block_latex(r"\omega (a + b)")),
        ],
        latex=_block_latex(r"\omega a") + _block_latex(r"\omega b"),
    )


def block(angle: Any) -> Any:
    """The two-by-two block of T_k, for (sin, cos) columns."""
    c, s = sympy.cos(angle), sympy.sin(angle)
    return sympy.Matrix([[c, s], [-s, c]])


def _block_latex(angle: str) -> str:
    angle = angle if "(" not in angle else rf"\bigl({angle}\bigr)"
    c, s = (rf"\{f}({angle})" if "bigl" not in angle else rf"\{f}{angle}" for f in ("cos", "sin"))
    return rf"\begin{{pmatrix}} {c} & {s} \\ -{s} & {c} \end{{pmatrix}}"
