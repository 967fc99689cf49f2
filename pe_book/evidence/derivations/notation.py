r"""The notation of the book's formulas: from sums down to names, whatever their values are.

What a page displays is LaTeX, and what is checked is what this module reads from it. It never guesses: a
letter that was not declared, a command without a meaning here, and an input that people read in two ways
(``\sin x/2``, ``a/bc``, ``\sin^{-1} x``) are refused. SymPy's own reader takes ``\sin x y`` for one angle and
returns several readings of ``\omega(p+k)``; it knows neither ``\bigl(`` nor a product of matrices.
"""
# ruff: noqa: D102 (a method bears the name of what it reads)

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pe_book.evidence.derivations.tokens import END, FUNCTIONS, OPENING, SPACES, NotationError, Tokens

ENDS = (*OPENING.values(), "+", "-", "=", "&", "}", "\\\\", r"\end{pmatrix}", END)  # of a bare argument
Scope = Mapping[str, Any]


class Reader(Tokens):
    """A method for each kind of part; what is done with their values says `algebra`, a module."""

    ends: tuple[str, ...] = ENDS
    algebra: Any

    def __init__(self, latex: str, scope: Scope, families: Mapping[str, Any], algebra: Any):
        super().__init__(latex)
        self.scope, self.families, self.algebra = scope, families, algebra
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
        total = -self.product() if sign == "-" else self.product()
        while sign := self.take("+", "-"):
            total = self.algebra.combined(sign, total, self.product())
        return total

    def product(self) -> Any:
        """What stands beside each other, and dots between."""
        value = self.beside()
        while self.take(r"\cdot"):
            value = self.algebra.combined(r"\cdot", value, self.beside())
        return value

    def beside(self) -> Any:
        """Factors beside each other, divided at most once, at the end and by one factor."""
        value = self.factor()
        while True:
            apart = self.skip_spaces()
            if self.take("/"):
                value = self.algebra.combined("/", value, self.factor())
                self.skip_spaces()
                if self.starts_factor() or self.peek() in ("/", r"\cdot"):
                    raise NotationError("what is divided by what? Use a fraction or brackets")
                return value
            if not self.starts_factor():
                return value
            if self.peek()[0].isdigit():
                raise NotationError(f"the number {self.peek()} follows a factor; put \\cdot between them")
            if self.called and not apart and self.peek() not in FUNCTIONS:
                raise NotationError("where does the argument of a function end? Put a space \\, after it")
            if self.peek(-1).isdigit() and self.at_fraction_of_numbers():
                raise NotationError(f"{self.peek(-1)} and a fraction look mixed; put \\cdot between them")
            value = self.algebra.combined("*", value, self.factor())

    # --- factors ------------------------------------------------------------------------------

    def starts_factor(self) -> bool:
        token = self.peek()
        words = (r"\frac", r"\tfrac", r"\dfrac", r"\sqrt", r"\mathrm{i}", r"\begin{pmatrix}")
        return (
            self.at_name() or token[:1].isdigit() or token in OPENING or token in FUNCTIONS or token in words
        )

    def at_fraction_of_numbers(self) -> bool:
        return bool(
            re.match(r"\\[td]?frac(\{\d+\}\{\d+\}|\d)", "".join(self.tokens[self.next : self.next + 7]))
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
        if self.peek() == r"\begin{pmatrix}":
            return self.matrix()
        if self.take(r"\mathrm{i}"):
            return self.algebra.IMAGINARY
        if self.take(r"\frac", r"\tfrac", r"\dfrac"):
            above = self.group()
            value = self.algebra.combined("/", above, self.group())
            if self.peek() == "^":
                raise NotationError("does the exponent belong to all of the fraction? Use brackets")
            return value
        if self.take(r"\sqrt"):
            return self.algebra.root(self.group())
        if self.peek()[:1].isdigit():
            self.next += 1
            return self.algebra.number(self.peek(-1))
        if self.at_name():
            return self.meaning()
        raise NotationError(
            f"{self.peek() or 'the end'!r} stands where a number, a name or a bracket is needed"
        )

    def power(self, base: Any) -> Any:
        if not self.take("^"):
            return base
        if self.take(r"\top") or self.take_all("{", r"\top", "}"):
            return self.algebra.transposed(base)
        return self.algebra.raised(base, self.raised_to())

    def raised_to(self) -> Any:
        exponent = self.algebra.scalar(self.script(), "an exponent")
        if self.peek() == "^":
            raise NotationError("an exponent follows an exponent; use braces")
        return exponent

    def script(self) -> Any:
        """An exponent or index: a group, or the one token that TeX takes without braces."""
        if self.peek() == "{":
            return self.group()
        if not self.at_script() or self.peek(1) == "_":
            raise NotationError(f"put the exponent or index {self.peek()!r} in braces")
        return self.atom()

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
        return self.algebra.matrix_of(rows)

    # --- functions and names ------------------------------------------------------------------

    def function(self) -> Any:
        r"""``\sin(x)``, ``\sin^2 x`` or ``\sin\omega p``; what follows a bare argument shows its end."""
        name = self.take(*FUNCTIONS)
        exponent = 1
        if self.take("^"):
            exponent = self.raised_to()
            if exponent not in range(2, 10):
                raise NotationError(f"is {name} to the power {exponent} the inverse? Use brackets")
        bare = self.peek() not in OPENING and not (self.peek() == "{" and self.peek(1) in OPENING)
        argument = self.argument(name) if bare else self.braced_bracket()
        argument = self.algebra.scalar(argument, f"what {name} takes")
        if self.peek() == "^":
            raise NotationError(f"does the exponent belong to {name} or to its argument? Write {name}^2(...)")
        ahead = 0
        while self.peek(ahead) in (*SPACES, r"\cdot"):
            ahead += 1
        if bare and self.peek(ahead) not in (*FUNCTIONS, *self.ends):
            raise NotationError(f"where does the argument of {name} end? Put it in brackets")
        return self.algebra.MEANING[name](argument) ** exponent

    def braced_bracket(self) -> Any:
        r"""``(x)``, or ``{(x)}`` as SymPy prints it; braces that nobody sees hold nothing else."""
        braced = self.take("{")
        value = self.bracket()
        if braced:
            self.expect("}")
        return value

    def argument(self, name: str) -> Any:
        """Numbers and names beside each other, and at most one bracket after them."""
        value = None
        while self.starts_argument():
            if value is not None and self.peek()[:1].isdigit():
                break
            part = self.atom()
            value = part if value is None else self.algebra.combined("*", value, part)
        if value is None:
            raise NotationError(f"{name} has no argument")
        return self.algebra.combined("*", value, self.bracket()) if self.peek() in OPENING else value

    def starts_argument(self) -> bool:
        return self.at_name() or self.peek()[:1].isdigit() or self.peek() in (r"\frac", r"\tfrac")

    def meaning(self) -> Any:
        token = self.peek()
        if token in self.families and self.peek(1) == "_":
            self.next += 2
            return self.families[token](self.script())
        name = self.name()
        if name in self.scope:
            return self.scope[name]
        if name in self.algebra.MEANING:
            return self.algebra.MEANING[name]
        raise NotationError(f"{name} is not declared")
