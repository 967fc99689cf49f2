r"""A chain of equalities in which what the reader sees is what has been checked.

An author writes each expression once, as LaTeX. It is displayed as it stands, and what `notation` reads from
it is compared with the expression before, symbolically and at random points. A step that is wrong, that SymPy
cannot decide, or that can be read in two ways is refused. So are the left-hand side, and the equations in the
words between.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from pe_book.evidence.derivations.equality import (
    Definition,
    close_at_random_points,
    close_to_definitions,
    equal,
)
from pe_book.evidence.derivations.notation import Scope
from pe_book.evidence.derivations.symbolic import scope_of, sides
from pe_book.evidence.derivations.tokens import NotationError, defined_name

__all__ = ["Derivation", "Step"]

FORMULA = re.compile(r"\$([^$]+)\$")


@dataclass(frozen=True)
class Step:
    r"""The next expression, and in words why it equals the one before.

    Parameters
    ----------
    latex : str
        The expression in the notation of the book (`pe_book.evidence.derivations.notation`), as displayed.
    rule : str
        MyST inline markup, such as ``"the addition formula for sine"``. A formula in it is read like the
        displayed ones. ``$c = \cos(\omega a)$``, with a new name on the left, says what the name means from
        here on; any other equation has to hold.
    by : sequence of Derivation
        The results that the rule refers to: each says that its start is its last expression.
    """

    latex: str
    rule: str
    by: Sequence[Derivation] = ()


@dataclass(frozen=True)
class Derivation:
    r"""An expression and the steps that turn it into another.

    Parameters
    ----------
    start : str
        The first right-hand side, as LaTeX.
    steps : sequence of Step
        Each equal to its predecessor.
    symbols : sequence of sympy symbols
        The letters that may occur, with what is assumed of them; ``sympy.Symbol("omega")`` is ``\omega``.
    lhs : str, optional
        What is being computed, as LaTeX; it is displayed before `start` and has to equal it.
    given : str, optional
        In words, where `start` comes from; its formulas are read like those of a rule.
    names : mapping of str to callable, optional
        What an indexed name stands for, such as ``{r"\omega": f}``: ``f(i, at)`` is :math:`\omega_i` as the
        package computes it, a float64; `at` holds the value of each symbol by its name. Such an equation is
        compared at random points, whole numbers where the symbol is one, those apart for which `f` raises
        IndexError or ValueError.

    Raises
    ------
    ValueError
        A formula cannot be read, or in two ways; a ValueError.
    ValueError
        A step does not equal its predecessor, or SymPy cannot show that it does. The message names the step,
        its rule and both sides.
    TypeError
        A formula is no text, or a matrix is followed by a scalar.

    Examples
    --------
    >>> a, b = sympy.symbols("a b", real=True)
    >>> print(Derivation(r"\sin 2a", [Step(r"2\sin(a)\cos(a)", "the double angle")], symbols=(a,)).markdown())
    $$
    \sin 2a
    $$
    <BLANKLINE>
    the double angle:
    <BLANKLINE>
    $$
    {} = 2\sin(a)\cos(a)
    $$
    >>> wrong = Step(r"\cos(a)\cos(b) + \sin(a)\sin(b)", "sum")
    >>> Derivation(r"\cos(a + b)", [wrong], symbols=(a, b))
    Traceback (most recent call last):
    ...
    ValueError: step 1 (sum) is wrong: \cos(a + b) is not \cos(a)\cos(b) + \sin(a)\sin(b)
    """

    start: str
    steps: Sequence[Step]
    symbols: Sequence[sympy.Symbol]
    lhs: str | None = None
    given: str | None = None
    names: Mapping[str, Definition] = field(default_factory=dict)
    checked: int = field(init=False, default=0)
    chain: Sequence[Any] = field(init=False, default=(), repr=False, compare=False)  # each expression, read

    def __post_init__(self) -> None:
        """Read every formula and check every equality."""
        if not self.steps:
            raise ValueError("a derivation needs at least one step")
        book = _Checks(self)
        book.words(self.given or "", "given")
        before, shown = book.expression(self.start, "start"), self.start
        chain = [before]
        if self.lhs is not None:
            book.compare((book.expression(self.lhs, "lhs"), self.lhs), (before, shown), "the left-hand side")
        for number, step in enumerate(self.steps, start=1):
            if not step.rule.strip():
                raise ValueError(f"step {number} has no rule; say in words why it holds")
            where = f"step {number} ({step.rule})"
            book.words(step.rule, where)
            after = book.expression(step.latex, where)
            book.compare((before, shown), (after, step.latex), where)
            before, shown = after, step.latex
            chain.append(after)
        book.finish()
        object.__setattr__(self, "steps", tuple(self.steps))
        object.__setattr__(self, "chain", tuple(chain))
        object.__setattr__(self, "checked", len(self.steps))

    def markdown(self) -> str:
        """The chain as displayed formulas, each introduced by its rule."""
        lines = [f"{self.given}:", ""] if self.given else []
        lines += ["$$", f"{self.lhs} = {self.start}" if self.lhs else self.start, "$$"]
        for step in self.steps:
            lines += ["", f"{step.rule}:", "", "$$", "{} = " + step.latex, "$$"]
        return "\n".join(lines)


class _Checks:
    """What the names of one derivation mean so far, and the comparisons."""

    def __init__(self, derivation: Derivation):
        self.symbols = tuple(derivation.symbols)
        self.scope: dict[str, Any] = scope_of(self.symbols)
        self.unused: dict[str, str] = {}  # names defined in words, until a formula reads them
        self.families = {name: sympy.Function(name) for name in derivation.names}
        self.definitions = dict(derivation.names)

    def read(self, latex: Any, where: str) -> list[Any]:
        if not isinstance(latex, str):
            raise TypeError(f"{where} is {latex!r}; LaTeX in the notation of the book is needed")
        scope = _Noting(self.scope)
        try:
            found = sides(latex, scope, self.families)
        except NotationError as error:
            raise NotationError(f"{where}: {error}") from None
        for name in scope.read:
            self.unused.pop(name, None)
        return found

    def expression(self, latex: Any, where: str) -> Any:
        found = self.read(latex, where)
        if len(found) > 1 or found[0] is None:
            raise ValueError(f"{where} is an equation, {latex!r}; give one side of it")
        return found[0]

    def words(self, text: str, where: str) -> None:
        """Read the formulas of a rule: definitions, equations that hold, and names."""
        if text.count("$") % 2 or "{math}" in text:
            raise ValueError(f"{where}: put each formula between two dollars")
        for formula in FORMULA.findall(text):
            left, sign, right = formula.partition("=")
            name = defined_name(left) if sign else None
            if name and name not in self.scope and name.split("_")[0] not in self.families:
                self.scope[name] = self.expression(right, where)
                self.unused[name] = where
                continue
            found, shown = self.read(formula, where), formula.split("=")
            for n in range(1, len(found)):
                self.compare((found[n - 1], shown[n - 1]), (found[n], shown[n]), f"the equation in {where}")

    def finish(self) -> None:
        for name, where in self.unused.items():
            raise ValueError(f"{where} says what {name} is, and no formula after it uses that")

    def compare(self, one: tuple[Any, str], other: tuple[Any, str], where: str) -> None:
        (before, shown_before), (after, shown_after) = one, other
        shape, new_shape = (getattr(side, "shape", None) for side in (before, after))
        if shape != new_shape:
            raise TypeError(f"{where} changes the shape from {shape} to {new_shape}")
        cells = zip(before, after, strict=True) if shape else [(before, after)]
        for number, (left, right) in enumerate(cells):
            if left == right:
                continue
            entry = f" in entry {divmod(number, shape[1])}" if shape else ""
            try:
                # numbers first: a wrong step should be called wrong, not undecided
                named = (left - right).has(AppliedUndef)
                right_there = (
                    close_to_definitions(left, right, self.symbols, self.definitions)
                    if named
                    else close_at_random_points(left, right)
                )
            except ValueError as error:
                raise ValueError(f"{where}{entry}: {error}") from None
            if not right_there:
                raise ValueError(
                    f"{where} is wrong{entry}: {shown_before.strip()} is not {shown_after.strip()}"
                )
            if not named and not equal(left, right):
                raise ValueError(f"{where} is undecided{entry}: SymPy cannot show that {left} is {right}")


class _Noting(dict[str, Any]):
    """A scope that notes which of its names were read."""

    def __init__(self, scope: Scope):
        super().__init__(scope)
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return super().__getitem__(name)
