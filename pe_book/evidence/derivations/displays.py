r"""What displays use beyond derivations, with numbers for letters.

That is sums, products and integrals, lists, brackets of other kinds, functions and families of the page,
evaluated fields. A letter stands for a number, an array or a function. A function is applied to what stands
in brackets behind it, ``PE(p)``, or as an index, ``T_{a+b}``; an array has entries and rows.
"""
# ruff: noqa: D102 (a method bears the name of what it reads)

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from inspect import signature
from typing import Any

import numpy as np

from pe_book.evidence.derivations import arrays
from pe_book.evidence.derivations.notation import ENDS, Reader
from pe_book.evidence.derivations.tokens import END, OPENING, TOKEN, WORDS, NotationError, tokens_of

UNSEEN = re.compile(
    r"\\allowbreak|\\displaystyle|\\(?:begin|end)\{aligned\}|\{\}"
    r"|\\(?:[bB]igg?[lr]?|left|right)(?![A-Za-z])"
)
LATE_PRIME = re.compile(r"(\\?[A-Za-z]+)_(\{[^{}]*\}|\w)'")
DIFFERENTIAL = re.compile(r"\\,\s*d([a-z])(?![A-Za-z])")
WORDED = r"\\(?:val|text|operatorname|mathrm(?!\{i\}))\{[^{}]*\}'*"
BEYOND = rf"{WORDED}|\\(?:begin|end)\{{cases\}}|\\d\{{[a-z]\}}|\\[A-Za-z]+'+|[<>,;:|°.]"
NAMED = (r"\val{", r"\text{", r"\operatorname{", r"\mathrm{")
AROUND: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "|": ("|", arrays.size), r"\lVert": (r"\rVert", arrays.length), r"\lfloor": (r"\rfloor", arrays.floor),
}  # fmt: skip
CLOSING = ("|", r"\rVert", r"\rfloor", r"\rangle")
BINDING = (r"\sum", r"\prod", r"\int")
STARTS = (*BINDING, *AROUND, "{", r"\langle", r"\overline", r"\bar", r"\begin{cases}")
RELATIONS = (r"\le", r"\leq", r"\ge", r"\geq", r"\ne", r"\neq", r"\approx", r"\in", r"\to")
DOTS = r"\dots"


class Index(int):
    """A number out of a range: sums without bounds go through all of it."""

    all: Sequence[int]

    def __new__(cls, value: int, all_of_it: Iterable[int]) -> Index:
        """One value of the range."""
        made = super().__new__(cls, value)
        made.all = [*all_of_it]
        return made


def lexed(latex: str, names: Iterable[str]) -> list[str]:
    """The tokens of a display; names of several letters are those of the page."""
    if r"\int" in latex:
        latex = DIFFERENTIAL.sub(r"\\d{\1}", latex)
    if r"\begin{aligned}" in latex:
        latex = latex.replace("&", " ")
    latex = LATE_PRIME.sub(r"\1'_\2", UNSEEN.sub(" ", latex)).rstrip().rstrip(".,")
    own = "".join(f"{name}(?![A-Za-z])|" for name in names if re.fullmatch("[A-Za-z]{2,}", name))
    return tokens_of(latex, re.compile(f"{own}{BEYOND}|{TOKEN.pattern}"))


class Display(Reader):
    """One side of a formula, read with values for its letters; a field may be moved by its rounding."""

    words = (*WORDS, *STARTS, *CLOSING, *RELATIONS, DOTS)
    ends = (*ENDS, *CLOSING, ",")

    def __init__(self, tokens: Sequence[str], scope: dict[str, Any], moved: int = 0):
        self.tokens, self.next, self.called = [*tokens], 0, False
        self.scope, self.families, self.algebra = scope, {}, arrays
        self.bars, self.fields, self.moved = 0, 0, moved

    def value(self) -> Any:
        found = self.sum()
        self.skip_spaces()
        if self.peek() != END:
            raise NotationError(f"{self.peek()!r} is not expected")
        return arrays.plain(found)

    # --- factors ------------------------------------------------------------------------------

    def starts_factor(self) -> bool:
        if self.peek() == "|":
            return not self.bars
        return self.peek() in STARTS or super().starts_factor()

    def at_name(self) -> bool:
        return self.peek().startswith(NAMED) or self.peek().endswith("'") or super().at_name()

    def atom(self) -> Any:
        token = self.peek()
        if token in AROUND:
            return self.around(*AROUND[token])
        if token in BINDING:
            return self.integral() if token == r"\int" else self.repeated()
        if token == r"\begin{cases}":
            return self.cases()
        if self.take(r"\langle"):
            return arrays.combined(r"\cdot", *self.listed(r"\rangle"))
        if self.take(r"\overline", r"\bar"):
            return np.conj(self.group())
        value = self.group() if token == "{" else super().atom()
        return value * math.pi / 180 if self.take("°") else value

    def group(self) -> Any:
        return super().group() if self.peek() == "{" else self.script()

    def script(self) -> Any:
        if self.peek().isdigit():  # without braces TeX takes one digit
            self.tokens[self.next : self.next + 1] = self.peek()
        return super().script()

    def raised_to(self) -> Any:
        return self.script()

    def around(self, closing: str, meaning: Callable[[Any], Any]) -> Any:
        self.next += 1
        self.bars += closing == "|"
        inner = self.sum()
        self.expect(closing)
        self.bars -= closing == "|"
        whole = closing == r"\rVert" and self.take_all("_", "F")  # of a matrix, by Frobenius
        return float(np.linalg.norm(inner)) if whole else meaning(inner)

    def bracket(self) -> Any:
        """A value, a list of numbers as an array, or a list with dots."""
        parts = self.listed(OPENING[self.take(*OPENING)])
        if len(parts) == 1 or any(part is DOTS for part in parts):
            return parts[0] if len(parts) == 1 else parts
        return np.array([arrays.scalar(part, "an entry") for part in parts])

    def listed(self, closing: str) -> list[Any]:
        parts, more = [], True
        while more:
            self.skip_spaces()
            parts.append(DOTS if self.take(DOTS) else self.sum())
            self.skip_spaces()
            more = bool(self.take(","))
        self.expect(closing)
        return parts

    def cases(self) -> Any:
        """The value of the first row whose condition holds."""
        found, self.next = [], self.next + 1
        while self.peek() != r"\end{cases}":
            value = self.sum()
            self.expect("&")
            word, self.next = self.peek(), self.next + 1
            if word.startswith(r"\text{if"):
                left, sign, right = self.sum(), self.take(*COMPARED), self.sum()
                found += [value] * COMPARED[sign](left, right)
            else:
                found += [value] * word.startswith(r"\text{otherwise")
            self.take(",")
            self.take("\\\\")
        self.expect(r"\end{cases}")
        return found[0]

    # --- what binds a letter ------------------------------------------------------------------

    def repeated(self) -> Any:
        r"""``\sum_{i=0}^{n-1}``, or ``\sum_i`` over the whole range of the index."""
        sign, braced = self.take(*BINDING), self.take_all("_", "{") or not self.take("_")
        name = self.name()
        low = self.sum() if self.take("=") else None
        if braced and not self.take("}"):
            raise NotationError(rf"{sign} needs its limits, as in {sign}_{{j=0}}^{{n-1}}")
        if low is None:
            values = getattr(self.scope.get(name), "all", [])
        else:
            self.expect("^")
            values = range(arrays.whole(low), arrays.whole(self.script()) + 1)
        if not values:
            raise NotationError(f"over what does {name} go in {sign}?")
        parts = self.with_each(name, values)
        if self.peek() in ("+", "-") and name in self.tokens[self.next :]:
            raise NotationError(f"does {sign} go on after {self.peek()}? Use brackets")
        return sum(parts[1:], parts[0]) if sign == r"\sum" else math.prod(parts)

    def with_each(self, name: str, values: Iterable[Any]) -> list[Any]:
        """The product that comes next, once for each value of a letter."""
        start, parts, outer = self.next, [], self.scope
        for value in values:
            self.next, self.scope = start, {**outer, name: value}
            parts.append(self.product())
        self.scope = outer
        return parts

    def integral(self) -> Any:
        self.next += 2
        low = self.script()
        self.expect("^")
        half = (self.script() - low) / 2
        name = next((token[3:-1] for token in self.tokens[self.next :] if token.startswith(r"\d{")), "")
        nodes, weights = np.polynomial.legendre.leggauss(40)
        found = self.with_each(name, [low + half * (1 + float(node)) for node in nodes])
        self.expect(rf"\d{{{name}}}")
        return half * float(np.dot(weights, found))

    # --- names --------------------------------------------------------------------------------

    def meaning(self) -> Any:
        start, token = self.next, self.peek()
        if token.startswith(r"\val{"):
            self.next += 1
            return self.field(token[5:-1].replace(",", ""))
        if self.peek(1) == "^" and f"{token}^{self.peek(2)}" in self.scope:  # K^r is one name
            token = f"{token}^{self.peek(2)}"
            self.tokens[start : start + 3] = [token]
        indexed = self.name()
        if indexed not in self.scope:
            self.next, indexed = start + 1, token
        known = self.scope if indexed in self.scope else arrays.MEANING
        if indexed not in known:
            raise NotationError(f"{indexed} is not declared")
        value = known[indexed]
        while callable(value) or (isinstance(value, np.ndarray) and self.peek() == "_"):
            value = self.applied(value, indexed)
        return value

    def field(self, text: str) -> float:
        """An evaluated number stands for all printed alike; a whole one within a formula is exact."""
        self.fields += 1
        digits, _, power = text.partition("e")
        half = 0.5 * 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
        exact = "." not in text and len(self.tokens) > 1
        return arrays.number(text) + (0 if exact else half * (self.fields == self.moved))

    def applied(self, value: Any, name: str) -> Any:
        """A function of what stands behind it, or an entry of an array."""
        if self.take("_"):
            given = self.indices(len(signature(value).parameters) if callable(value) else value.ndim)
        elif self.peek() in OPENING:
            given = self.listed(OPENING[self.take(*OPENING)])
        elif name == r"\det":
            given = [self.power(self.atom())]
        else:
            raise NotationError(f"of what is {name} the function?")
        return arrays.plain(value(*given) if callable(value) else value[tuple(map(arrays.place, given))])

    def indices(self, takes: int) -> list[Any]:
        """What stands in an index; two letters or digits are two indices of what has two."""
        if not self.take("{"):
            return [self.script()]
        closing = self.tokens.index("}", self.next)
        inner = self.tokens[self.next : closing]
        if takes > 1 and all(re.fullmatch(r"[A-Za-z]|\d+", token) for token in inner):
            self.tokens[self.next : closing] = ",".join("".join(inner))
        found = self.listed("}")
        return [*found[0]] if len(found) == 1 and np.ndim(found[0]) == 1 and takes > 1 else found


COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "=": arrays.close,
    r"\ne": lambda left, right: not arrays.close(left, right),
    "<": lambda left, right: bool(np.all(left < right)),
    ">": lambda left, right: bool(np.all(left > right)),
    r"\le": lambda left, right: bool(np.all(left <= right + arrays.slack(left, right))),
    r"\ge": lambda left, right: bool(np.all(left >= right - arrays.slack(left, right))),
}
COMPARED |= {r"\neq": COMPARED[r"\ne"], r"\leq": COMPARED[r"\le"], r"\geq": COMPARED[r"\ge"]}
