"""Whether two expressions are equal: shown by SymPy, at random points, and by the package's own numbers."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

POINTS = 12  # random points at which both sides are compared
DIGITS = 50  # working precision there
CLOSE = sympy.Float("1e-30", DIGITS)  # relative; rounding at 50 digits is far below it, a mistake far above
CLOSE_TO_FLOAT64 = 1e-12  # relative, where one side is a definition of the package

Definition = Callable[[int, Mapping[str, float]], float]


def close_to_definitions(
    left: Any, right: Any, symbols: Sequence[Any], definitions: Mapping[str, Definition]
) -> bool:
    """Compare at random points, an indexed name being what the package computes for it.

    A letter that is no whole number is given others, far apart: what holds at a few of them is no law.
    """
    generator = random.Random(2017)
    indices = (left - right).atoms(AppliedUndef)
    whole = {symbol for symbol in symbols if symbol.is_integer}.union(
        *(index.free_symbols for index in indices)
    )
    compared = 0
    for _ in range(40 * POINTS):
        point = {symbol: _place(symbol, symbol in whole, generator) for symbol in symbols}
        at = {symbol.name: (int if value.is_Integer else float)(value) for symbol, value in point.items()}
        try:
            a, b = (_float64(side.subs(point), at, definitions) for side in (left, right))
        except (IndexError, ValueError):
            continue
        compared += 1
        if abs(a - b) > CLOSE_TO_FLOAT64 * max(abs(a), abs(b)):
            return False
    if compared < POINTS:
        raise ValueError(f"{left} and {right} could be evaluated at {compared} points, fewer than {POINTS}")
    return True


def _place(symbol: Any, whole: bool, generator: random.Random) -> Any:
    """A whole number from 0 to 24, or to 2,000; between them and negative where the symbol may be."""
    if whole:
        return sympy.Integer(generator.randint(0, generator.choice((24, 24, 2000))))
    size = sympy.Float(10 ** generator.uniform(-1, generator.choice((1, 6))))
    return size if symbol.is_nonnegative else size * generator.choice((-1, 1))


def _float64(side: Any, at: Mapping[str, float], definitions: Mapping[str, Definition]) -> float:
    for call in side.atoms(AppliedUndef):
        index = call.args[0]
        if not (index.is_Integer and index >= 0):
            raise IndexError(f"{index} is no index")
        side = side.subs(call, sympy.Float(definitions[call.func.__name__](int(index), at)))
    value = side.evalf()
    if not value.is_finite or not value.is_real:
        raise ValueError(f"{side} is no real number")
    return float(value)


def close_at_random_points(left: Any, right: Any) -> bool:
    """Compare with fifty digits, each symbol being a number that keeps what is assumed of it."""
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


def equal(left: Any, right: Any) -> bool:
    """Whether SymPy can show that two scalars are the same."""
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
