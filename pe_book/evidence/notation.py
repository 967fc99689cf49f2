r"""The notation of the book's formulas, read into SymPy.

What a derivation displays is LaTeX, and what is checked is what this module reads from it. It never guesses:
a letter that was not declared, a command without a meaning here, and an input that people read in two ways
(``\sin x/2``, ``a/bc``, ``\sin^{-1} x``) are refused. SymPy's own reader takes ``\sin x y`` for one angle and
returns several readings of ``\omega(p+k)``; it knows neither ``\bigl(`` nor a product of matrices.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy

from pe_book.evidence.latex_tokens import END, FUNCTIONS, OPENING, SPACES, Tokens

__all__ = ["sides"]

CLOSING = tuple(OPENING.values())
MEANING = {
    r"\sin": sympy.sin, r"\cos": sympy.cos, r"\tan": sympy.tan, r"\ln": sympy.log, r"\exp": sympy.exp,
    r"\pi": sympy.pi, "e": sympy.E,
}  # fmt: skip

Scope = Mapping[str, Any]


def sides(latex: str, scope: Scope, families: Mapping[str, Any] | None = None) -> list[Any]:
    r"""What stands on each side of the equality signs of a formula; None for the empty side of ``{} = x``.

    Parameters
    ----------
    latex : str
    scope : mapping of str to expression
        What each name means, as from :func:`scope_of`.
    families : mapping of str to callable, optional
        Names that are read with an index, ``\omega`` for ``\omega_i``, and the function that takes it.

    Returns
    -------
    list of expression, matrix or None

    Raises
    ------
    NotationError
        The formula cannot be read, or in two ways.

    Examples
    --------
    >>> from pe_book.evidence.latex_tokens import scope_of
    >>> scope = scope_of(sympy.symbols("p k omega"))
    >>> sides(r"\sin\omega(p+k) = 2\,\cos\omega p\,\sin\omega k", scope)
    [sin(omega*(k + p)), 2*sin(k*omega)*cos(omega*p)]
    >>> sides(r"\sin\omega p/2", scope)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    pe_book.evidence.latex_tokens.NotationError: where does the argument of \sin end? Put it in brackets, ...
    """
    reader = _Reader(latex, scope, families or {})
    found = [reader.side()]
    while reader.take("="):
        found.append(reader.side())
    if reader.peek() != END:
        raise reader.error(f"{reader.peek()!r} is not expected")
    if found[-1] is None or any(side is None for side in found[1:]):
        raise reader.error("a side is empty")
    return found


class _Reader(Tokens):
    """A method for each kind of part, from sums down to names."""

    def __init__(self, latex: str, scope: Scope, families: Mapping[str, Any]):
        super().__init__(latex)
        self.scope, self.families = scope, families
        self.called = False  # whether the last factor was a function

    # --- sums and products --------------------------------------------------------------------

    def side(self) -> Any:
        self.skip_spaces()
        if self.peek() == "{" and self.peek(1) == "}":
            self.next += 2
            self.skip_spaces()
            return None
        return self.sum()

    def sum(self) -> Any:
        self.skip_spaces()
        sign = self.take("-", "+")
        total = self.combined("*", sympy.Integer(-1), self.product()) if sign == "-" else self.product()
        while sign := self.take("+", "-"):
            total = self.combined(sign, total, self.product())
        return total

    def product(self) -> Any:
        """Factors beside each other, divided at most once, at the end and by one factor."""
        value = self.factor()
        while True:
            apart = self.skip_spaces()
            if self.take("/"):
                value = self.combined("/", value, self.factor())
                self.skip_spaces()
                if self.starts_factor() or self.peek() in ("/", r"\cdot"):
                    raise self.error("what is divided by what? Use a fraction or brackets")
                return value
            if not self.take(r"\cdot"):
                if not self.starts_factor():
                    return value
                if self.peek()[0].isdigit():
                    raise self.error(f"the number {self.peek()} follows a factor; put \\cdot between them")
                if self.called and not apart and self.peek() not in FUNCTIONS:
                    raise self.error("where does the argument of a function end? Put a space \\, after it")
            value = self.combined("*", value, self.factor())

    def combined(self, sign: str, left: Any, right: Any) -> Any:
        one, other = (getattr(side, "shape", None) for side in (left, right))
        if sign in "+-":
            if one != other:
                raise self.error(f"the shapes {one or 'scalar'} and {other or 'scalar'} cannot be added")
            return left + right if sign == "+" else left - right
        if sign == "/":
            if other or right == 0:
                raise self.error(f"nothing is divided by {'a matrix' if other else 'zero'}")
            return left / right
        if one and other and one[1] != other[0]:
            raise self.error(f"the shapes {one} and {other} cannot be multiplied")
        return left * right

    # --- factors ------------------------------------------------------------------------------

    def starts_factor(self) -> bool:
        token = self.peek()
        words = (r"\frac", r"\tfrac", r"\dfrac", r"\sqrt", r"\mathrm{i}", r"\begin{pmatrix}", "{")
        return (
            self.at_name() or token[:1].isdigit() or token in OPENING or token in FUNCTIONS or token in words
        )

    def factor(self) -> Any:
        self.skip_spaces()
        function = self.peek() in FUNCTIONS
        value = self.function() if function else self.power(self.atom())
        self.called = function
        return value

    def atom(self) -> Any:
        """A number, a name, a bracket, a fraction, a root or a matrix."""
        if self.peek() in OPENING:
            return self.bracket()
        if self.peek() == "{":
            return self.group()
        if self.peek() == r"\begin{pmatrix}":
            return self.matrix()
        if self.take(r"\mathrm{i}"):
            return sympy.I
        if self.take(r"\frac", r"\tfrac", r"\dfrac"):
            above = self.group()
            return self.combined("/", above, self.group())
        if self.take(r"\sqrt"):
            return sympy.sqrt(self.group())
        if self.peek()[:1].isdigit():
            self.next += 1
            return sympy.Rational(self.peek(-1))
        if self.at_name():
            return self.meaning()
        raise self.error(f"{self.peek() or 'the end'!r} stands where a number, a name or a bracket is needed")

    def power(self, base: Any) -> Any:
        if not self.take("^"):
            return base
        if self.peek() == r"\top" or [self.peek(n) for n in range(3)] == ["{", r"\top", "}"]:
            self.next += 1 if self.peek() == r"\top" else 3
            if not getattr(base, "shape", None):
                raise self.error("only a matrix is transposed")
            return base.T
        exponent = self.raised_to()
        if getattr(base, "shape", None) and not (exponent.is_Integer and exponent >= 0):
            raise self.error("a matrix is raised to whole numbers only")
        if base == 0 and not exponent.is_positive:
            raise self.error("0 is raised to positive powers only")
        return base**exponent

    def raised_to(self) -> Any:
        """An exponent; TeX takes one character where there are no braces."""
        if self.peek() == "{":
            exponent = self.group()
        elif len(self.peek()) == 1 or self.at_name():
            exponent = self.atom()
        else:
            raise self.error(f"put the exponent {self.peek()!r} in braces")
        if self.peek() == "^":
            raise self.error("an exponent follows an exponent; use braces")
        if getattr(exponent, "shape", None):
            raise self.error("an exponent is no matrix")
        return exponent

    def bracket(self) -> Any:
        closing = OPENING[self.take(*OPENING)]
        value = self.sum()
        self.expect(closing)
        return value

    def group(self) -> Any:
        self.expect("{")
        value = self.sum()
        self.expect("}")
        return value

    def matrix(self) -> Any:
        self.expect(r"\begin{pmatrix}")
        rows = [[self.sum()]]
        while separator := self.take("&", "\\\\"):
            rows[-1:] = [rows[-1] + [self.sum()]] if separator == "&" else [rows[-1], [self.sum()]]
        self.expect(r"\end{pmatrix}")
        if len({len(row) for row in rows}) > 1 or any(
            getattr(cell, "shape", None) for row in rows for cell in row
        ):
            raise self.error("the rows of a matrix are numbers, equally many in each")
        return sympy.ImmutableMatrix(rows)

    # --- functions and names ------------------------------------------------------------------

    def function(self) -> Any:
        r"""``\sin(x)``, ``\sin^2 x`` or ``\sin\omega p``; what follows a bare argument shows its end."""
        name = self.take(*FUNCTIONS)
        exponent = sympy.Integer(1)
        if self.take("^"):
            exponent = self.raised_to()
            if not exponent.is_Integer or exponent < 2:
                raise self.error(
                    f"{name} to the power {exponent} can be an inverse or a quotient; use brackets"
                )
        bare = self.peek() not in OPENING and self.peek() != "{"
        argument = self.argument(name) if bare else self.group() if self.peek() == "{" else self.bracket()
        if getattr(argument, "shape", None):
            raise self.error(f"{name} takes no matrix")
        if self.peek() == "^":
            raise self.error(f"does the exponent belong to {name} or to its argument? Write {name}^2(...)")
        if bare:
            ahead = 0
            while self.peek(ahead) in SPACES or self.peek(ahead) == r"\cdot":
                ahead += 1
            if self.peek(ahead) not in {*FUNCTIONS, *CLOSING, "+", "-", "=", "&", "}", "\\\\", END}:
                raise self.error(f"where does the argument of {name} end? Put it in brackets")
        return MEANING[name](argument) ** exponent

    def argument(self, name: str) -> Any:
        """Numbers and names beside each other, and at most one bracket after them."""
        value = None
        while self.at_name() or self.peek()[:1].isdigit() or self.peek() in (r"\frac", r"\tfrac"):
            if value is not None and self.peek()[:1].isdigit():
                break
            part = self.atom()
            value = part if value is None else self.combined("*", value, part)
        if value is None:
            raise self.error(f"{name} has no argument")
        return self.combined("*", value, self.bracket()) if self.peek() in OPENING else value

    def meaning(self) -> Any:
        token = self.peek()
        if token in self.families and self.peek(1) == "_":
            self.next += 2
            return self.families[token](self.group() if self.peek() == "{" else self.atom())
        name = self.name()
        if name in self.scope:
            return self.scope[name]
        if name in MEANING:
            return MEANING[name]
        raise self.error(f"{name} is not declared")
