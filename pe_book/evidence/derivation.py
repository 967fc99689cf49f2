"""A chain of equalities in which every step has been checked.

Each expression is compared with the one before it twice: symbolically, and at random points. A step that is
wrong, or that SymPy cannot decide, is refused, so that a derivation on a page is one that holds.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy
from sympy.matrices.expressions.matexpr import MatrixExpr

__all__ = ["Derivation", "Step"]

POINTS = 12  # random points at which both sides are compared
DIGITS = 50  # working precision there
CLOSE = sympy.Float("1e-30", DIGITS)  # relative; rounding at 50 digits is far below it, a mistake far above


@dataclass(frozen=True)
class Step:
    """The next expression, and in words why it equals the one before.

    Parameters
    ----------
    expr : sympy expression or matrix
    rule : str
        MyST inline markup, such as ``"the addition formula for sine"``.
    latex : str, optional
        How the expression is typeset, where SymPy's own order of terms would hide the idea. It must not say
        anything else than the expression; nothing checks that.
    """

    expr: Any
    rule: str
    latex: str | None = None


@dataclass(frozen=True)
class Derivation:
    r"""An expression and the steps that turn it into another.

    Parameters
    ----------
    start : sympy expression or matrix
        The first right-hand side.
    steps : sequence of Step
        Each equal to its predecessor.
    lhs : str, optional
        LaTeX of what is being computed; `start` itself if not given.
    given : str, optional
        In words, where `start` comes from.
    latex : str, optional
        How `start` is typeset, if not as SymPy would.

    Raises
    ------
    ValueError
        A step does not equal its predecessor, or SymPy cannot show that it does. The message names the step,
        its rule and both sides.
    TypeError
        `start` or a step is not an expression, or a matrix is followed by a scalar.

    Examples
    --------
    >>> a, b = sympy.symbols("a b", real=True)
    >>> double = Derivation(sympy.sin(2 * a), [Step(2 * sympy.sin(a) * sympy.cos(a), "the double angle")])
    >>> print(double.markdown())
    $$
    \sin{\left(2 a \right)}
    $$
    <BLANKLINE>
    the double angle:
    <BLANKLINE>
    $$
    {} = 2 \sin{\left(a \right)} \cos{\left(a \right)}
    $$
    >>> Derivation(sympy.cos(a + b), [Step(sympy.cos(a) * sympy.cos(b) + sympy.sin(a) * sympy.sin(b), "sum")])
    Traceback (most recent call last):
    ...
    ValueError: step 1 (sum) is wrong: cos(a + b) is not sin(a)*sin(b) + cos(a)*cos(b)
    """

    start: Any
    steps: Sequence[Step]
    lhs: str | None = None
    given: str | None = None
    latex: str | None = None
    checked: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        """Check every step."""
        if not self.steps:
            raise ValueError("a derivation needs at least one step")
        before = _expression(self.start, "start")
        for number, step in enumerate(self.steps, start=1):
            if not step.rule.strip():
                raise ValueError(f"step {number} has no rule; say in words why it holds")
            after = _expression(step.expr, f"step {number}")
            _check(before, after, f"step {number} ({step.rule})")
            before = after
        object.__setattr__(self, "steps", tuple(self.steps))
        object.__setattr__(self, "checked", len(self.steps))

    def markdown(self) -> str:
        """The chain as displayed formulas, each introduced by its rule."""
        first = self.latex or sympy.latex(self.start)
        lines = [f"{self.given}:", ""] if self.given else []
        lines += ["$$", f"{self.lhs} = {first}" if self.lhs else first, "$$"]
        for step in self.steps:
            lines += ["", f"{step.rule}:", "", "$$", "{} = " + (step.latex or sympy.latex(step.expr)), "$$"]
        return "\n".join(lines)


def _expression(value: Any, where: str) -> Any:
    if isinstance(value, MatrixExpr):
        raise TypeError(f"{where} is the unevaluated matrix {value}; give its entries")
    if isinstance(value, sympy.MatrixBase):
        return value.as_immutable()
    value = sympy.sympify(value) if isinstance(value, (int, float, complex)) else value
    if not isinstance(value, sympy.Expr):
        raise TypeError(f"{where} is {value!r}; a SymPy expression or matrix is needed")
    return value


def _check(before: Any, after: Any, where: str) -> None:
    shapes = [side.shape if isinstance(side, sympy.MatrixBase) else None for side in (before, after)]
    if shapes[0] != shapes[1]:
        raise TypeError(f"{where} changes the shape from {shapes[0]} to {shapes[1]}")
    pairs = zip(before, after, strict=True) if shapes[0] else [(before, after)]
    for left, right in pairs:
        if left == right:
            continue
        # numbers first: a wrong step should be called wrong, not undecided
        if not _close_at_random_points(left, right):
            raise ValueError(f"{where} is wrong: {left} is not {right}")
        if not _equal(left, right):
            raise ValueError(f"{where} is undecided: SymPy cannot show that {left} is {right}")


def _close_at_random_points(left: Any, right: Any) -> bool:
    symbols = sorted(left.free_symbols | right.free_symbols, key=str)
    generator = random.Random(2017)
    compared = 0
    for _ in range(POINTS if symbols else 1):
        point = {symbol: _value(symbol, generator) for symbol in symbols}
        a, b = (side.subs(point).doit().evalf(DIGITS, maxn=400) for side in (left, right))
        if not (a.is_number and b.is_number) or a.has(sympy.zoo, sympy.nan) or b.has(sympy.zoo, sympy.nan):
            continue
        compared += 1
        if abs(a - b) > CLOSE * (1 + abs(a) + abs(b)):
            return False
    if not compared:
        raise ValueError(f"neither {left} nor {right} could be evaluated at any of {POINTS} random points")
    return True


def _value(symbol: Any, generator: random.Random) -> Any:
    """A value that keeps what is assumed of the symbol."""
    if symbol.is_integer:
        low = 1 if symbol.is_positive else 0 if symbol.is_nonnegative else -9
        number = generator.randint(low, 9)
        if symbol.is_even:
            return sympy.Integer(2 * max(number, 1))
        if symbol.is_odd:
            return sympy.Integer(2 * number + 1)
        return sympy.Integer(number)
    # floats: an exact fraction raised to an exact fraction would be kept exact, at any cost
    number = sympy.Float(generator.randint(1, 10**6), DIGITS) * 3 / 10**6 + sympy.Rational(1, 7)
    if symbol.is_positive or symbol.is_nonnegative:
        return number
    if symbol.is_negative or symbol.is_nonpositive:
        return -number
    number *= generator.choice((-1, 1))
    if symbol.is_real:
        return number
    return number + sympy.I * sympy.Float(generator.randint(-(10**6), 10**6), DIGITS) / 10**6


def _equal(left: Any, right: Any) -> bool:
    difference = left - right
    for simplify in (
        sympy.expand,
        sympy.trigsimp,
        lambda e: sympy.expand(sympy.expand_trig(e)),
        sympy.simplify,
        lambda e: sympy.simplify(sympy.expand(e.rewrite(sympy.exp), complex=False)),
    ):
        if simplify(difference) == 0:
            return True
    return False
