"""The rules that derivations name: each is an identity, and it alone has to turn one side into the other.

Sines, cosines, exponentials, logarithms and powers are letters here, so that nothing is known of them but
what the rule says. A step that is right by another rule than the one it names is refused, and so is a rule
that the step does not need.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from pe_book.evidence.derivations.derivation import FORMULA, Derivation, Step

#: Rules of algebra: they add nothing to what sums and products do by themselves.
ALGEBRA = re.compile(
    r"multiply out|expand the square|row times column|times a column|first$|grouped|one over a power"
)
#: Rules about what a function is applied to, or an exponent.
ARGUMENTS = re.compile(r"multiply out the angle|position cancels|exponent, multiplied out")
OF_A_SUM = re.compile(r"\b(cosine|sine)s?\b|\bof a (sum|difference)\b")
ONE = r"\sin^2 x + \cos^2 x = 1"
POWER = re.compile(r"^(\w) = e\^\{\\ln \1\}$")


def check_rules(derivation: Derivation) -> None:
    r"""Refuse a step that its own rule does not justify, by a ValueError that names both.

    That is one which names no known rule, a rule that does not turn the expression before into its own, or
    one that it does not need.

    >>> a, b = sympy.symbols("a b", real=True)
    >>> step = Step(r"\sin a \cos b + \cos a \sin b", "the sine of a sum")
    >>> check_rules(Derivation(r"\sin(a + b)", [step], symbols=(a, b)))
    >>> step = Step(r"\sin a \cos b + \cos a \sin b", "the cosine of a sum")
    >>> check_rules(Derivation(r"\sin(a + b)", [step], symbols=(a, b)))
    Traceback (most recent call last):
    ...
    ValueError: step 1 (the cosine of a sum) is not justified by its rule
    """
    for number, step in enumerate(derivation.steps, 1):
        before, after = derivation.chain[number - 1], derivation.chain[number]
        check_step(step, before, after, f"step {number} ({step.rule})")


def check_step(step: Step, before: Any, after: Any, where: str) -> None:
    """The same of one step: what stood before and what it gives, as :attr:`Derivation.chain` has them."""
    rule, cells = _Rule(step), [*zip(_cells(before), _cells(after), strict=True)]
    if not rule.known:
        raise ValueError(f"{where} names no rule that is known; name one, or add it to {__name__}")
    if not all(rule.justifies(*sides, rule.says) for sides in cells):
        raise ValueError(f"{where} is not justified by its rule")
    for part in sorted(rule.says):
        if all(rule.justifies(*sides, rule.says - {part}) for sides in cells):
            raise ValueError(f"{where} does not need what its rule says of {part}")


class _Rule:
    """What the words of one step say, apart from algebra."""

    def __init__(self, step: Step):
        words = FORMULA.sub(" ", step.rule).lower().strip()
        formulas = [" ".join(formula.split()) for formula in FORMULA.findall(step.rule)]
        found = OF_A_SUM.findall(words)
        self.kinds = {kind for _, kind in found if kind}
        self.results = [(_cells(one.chain[0]), _cells(one.chain[-1])) for one in step.by]
        said = {
            "arguments": ARGUMENTS.search(words),
            "one": ONE in formulas,
            "powers": any(map(POWER.match, formulas)),
            "exponents": "power, split" in words,
            "results": self.results,
        }
        self.says = {part for part, present in said.items() if present}
        self.says |= {function for function, _ in found if function and self.kinds}
        self.known = bool(self.says or ALGEBRA.search(words))

    def justifies(self, before: Any, after: Any, says: set[str]) -> bool:
        for part, change in (("powers", _as_exponentials), ("exponents", sympy.expand_power_exp)):
            if part in says:
                before, after = change(before), change(after)
        if "arguments" in says or "sum" in self.kinds:
            before, after = _expanded(before), _expanded(after)
        return _equal(before, after, [*self.relations(before, after, says)])

    def relations(self, before: Any, after: Any, says: set[str]) -> Iterator[Any]:
        """What the rule says of the functions that occur, each expression being zero."""
        for start, end in self.results if "results" in says else ():
            yield from (a - b for a, b in zip(start, end, strict=True))
        calls = before.atoms(sympy.sin, sympy.cos) | after.atoms(sympy.sin, sympy.cos)
        for call in sorted(calls, key=str):
            if "one" in says:
                yield sympy.sin(call.args[0]) ** 2 + sympy.cos(call.args[0]) ** 2 - 1
            name = {sympy.sin: "sine", sympy.cos: "cosine"}[call.func]
            if name in says and call.args[0].is_Add:
                a, b = call.args[0].as_two_terms()
                minus = a.could_extract_minus_sign() or b.could_extract_minus_sign()
                if ("difference" if minus else "sum") in self.kinds:
                    u, v = sympy.Dummy(), sympy.Dummy()
                    yield call - sympy.expand_trig(call.func(u + v)).subs({u: a, v: b})


def _cells(side: Any) -> list[Any]:
    return list(side) if getattr(side, "shape", None) else [side]


def _opaque(part: Any) -> bool:
    power = isinstance(part, sympy.Pow) and not part.exp.is_Integer
    return power or isinstance(
        part, sympy.sin | sympy.cos | sympy.exp | sympy.log | sympy.NumberSymbol | AppliedUndef
    )


def _equal(before: Any, after: Any, relations: Sequence[Any] = ()) -> bool:
    """Whether sums and products alone, and these relations, turn one into the other."""
    letters: dict[Any, Any] = {}

    def lettered(expression: Any) -> Any:
        named = expression.replace(_opaque, lambda part: letters.setdefault(part, sympy.Dummy()))
        return sympy.expand(sympy.fraction(sympy.together(named))[0])

    difference = lettered(before - after)
    zero = [found for found in map(lettered, relations) if found != 0]
    if difference == 0 or not zero:
        return bool(difference == 0)
    names = sorted(set(chain.from_iterable(one.free_symbols for one in [difference, *zero])), key=str)
    return bool(sympy.groebner(zero, *names).contains(difference))


def _expanded(side: Any) -> Any:
    """What functions are applied to, and exponents, multiplied out."""
    return side.replace(_opaque, lambda part: part.func(*map(sympy.expand, part.args)) if part.args else part)


def _as_exponentials(side: Any) -> Any:
    return side.replace(
        lambda part: isinstance(part, sympy.Pow) and not part.exp.is_Integer,
        lambda part: sympy.exp(sympy.expand(part.exp * sympy.log(part.base))),
    )
