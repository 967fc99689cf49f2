r"""What a page displays in its theorems, definitions, examples and numbered equations is tried.

A chapter says once what its letters stand for, in ``pe_book/evidence/<part>/letters/<chapter>.py``:
``letters(draw)`` gives, from a generator of random numbers, the value of each as it is written, such as
``{"k": 3, r"\omega": frequencies(8), "T": lambda k: shift_matrix(k, 8)}``; ``AT`` has other letters for what
bears a label. A display that gives a value begins with what stands under ``"="``. In an example a
name that is not given is bound where it is defined. ``UNREAD`` counts by label what may stay unread.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import pairwise, product
from types import ModuleType
from typing import Any

import numpy as np

from pe_book.evidence.derivations import arrays
from pe_book.evidence.derivations.displays import COMPARED, DOTS, Display, Index, lexed
from pe_book.evidence.derivations.tokens import SPACES, NotationError
from pe_book.evidence.letters import by_hand

DRAWS = 20
APPROXIMATELY = r"\approx"
SIGNS = (*COMPARED, APPROXIMATELY)
APART = (r"\quad", r"\qquad", ";", "\\\\")  # between statements
GAPS = tuple(space for space in SPACES if space not in APART)
OPENS, CLOSES = ("(", "[", "{", r"\langle", r"\lfloor"), (")", "]", "}", r"\rangle", r"\rfloor")
NAME = re.compile(r"(\\?[A-Za-z]+'*)(?: _ (?:\{ )?(\S+)(?: \})?| \( (\w) \))?")

Tokens = Sequence[str]
Statement = tuple[list[list[str]], list[str]]
Value = tuple[Any, Any]  # and by how much it may be off


class FalseError(ValueError):
    """A formula that is read, and does not hold."""


class Letters(dict[str, Any]):
    """What letters stand for, and which of them were read."""

    def __init__(self, letters: Mapping[str, Any]):
        super().__init__({re.sub(r"_(\w)$", r"_{\1}", name): value for name, value in letters.items()})
        self.noted: dict[str, None] = {}

    def __getitem__(self, name: str) -> Any:
        self.noted[name] = None
        return super().__getitem__(name)

    def told(self) -> str:
        """The numbers among those that were read."""
        read = {name: self[name] for name in [*self.noted] if name in self}
        said = [
            f"{name} = {shown(one)}" for name, one in read.items() if not callable(one) and not np.ndim(one)
        ]
        return f", with {', '.join(said)}" if said else ""


def shown(value: Any) -> str:
    """A value on one line."""
    return " ".join(np.array2string(np.asarray(value), precision=4, threshold=12, separator=", ").split())


def levels(tokens: Tokens) -> list[str]:
    """The bracket within which each token stands; nothing for one that stands in none."""
    found, within = [], [""]
    for token in tokens:
        if (token in CLOSES or token.startswith(r"\end")) and len(within) > 1:
            within.pop()
        found.append(within[-1])
        if token in OPENS or token.startswith(r"\begin"):
            within.append(token)
    return found


@lru_cache(maxsize=4096)
def statements(latex: str, names: frozenset[str]) -> list[Statement]:
    """The sides and signs of each statement: words, wide spaces, new lines and commas stand between two."""
    tokens = lexed(latex, names)
    inside = levels(tokens)
    apart = {*APART, *(token for token in tokens if token.startswith(r"\text") and token not in names)}
    found: list[Statement] = [([[]], [])]
    for n, (token, level) in enumerate(zip(tokens, inside, strict=True)):
        sides, signs = found[-1]
        rest = zip(tokens[n + 1 :], inside[n + 1 :], strict=True)
        outer = [one for one, within in rest if not within and one not in GAPS]
        stop = next((one for one in outer if one in SIGNS or one in apart or one == ","), "")
        goes_on = token == "\\\\" and (not any(sides[-1]) or {*outer[:1]} & {*SIGNS, "+", "-"})
        if level:
            sides[-1].extend([token] * (token != "\\\\" or level.startswith(r"\begin")))
        elif token in SIGNS:
            signs.append(token)
            sides.append([])
        elif (token in apart and not goes_on) or (
            token == "," and ({*outer[:1]} & apart or (signs and stop in SIGNS))
        ):
            found.append(([[]], []))
        elif token != "\\\\":
            sides[-1].extend([token] * (token not in GAPS or bool(sides[-1])))
    return found


def try_formula(latex: str, scope: Letters) -> str:
    r"""Try every statement of a formula with values for its letters, and bind the names that it defines.

    Returns ``"read"``, ``"defines"``, or nothing where the formula says nothing that could be false. What
    does not hold is a FalseError, what cannot be read or can be in two ways a NotationError.

    >>> try_formula(r"\sum_{i=0}^{n-1} 2i = n(n - 1)", Letters({"n": 5}))
    'read'
    >>> try_formula(r"2^n < n^2", Letters({"n": 5}))
    Traceback (most recent call last):
    ...
    pe_book.evidence.derivations.trial.FalseError: 2 ^ n is 32, n ^ 2 is 25, with n = 5
    """
    state, alone = "", latex.startswith(r"\displaystyle")
    for sides, signs in statements(latex, frozenset(scope)):
        if alone and any(sides[0]) and "=" in scope:
            due = [(scope.pop("="), 0)]
            compare("=", evaluated(sides[0], scope), due, ("it", "what it states"), scope)
            state = "read"
        if not signs:
            continue
        if not all(sides):
            raise NotationError("a side is empty")
        if signs[0] == "=" and define(sides[0], sides[-1], scope):
            state, sides, signs = state or "defines", sides[1:], signs[1:]
        for sign, (left, right) in zip(signs, pairwise(sides), strict=True):
            names = " ".join(left), " ".join(right)
            compare(sign, evaluated(left, scope), evaluated(right, scope), names, scope)
            state = "read"
    if alone and not state:
        raise NotationError("it has no relation sign, and nothing says what it states")
    return state


def evaluated(side: Tokens, scope: Letters) -> list[Value]:
    """The values that a side lists, and how far each may be off because evaluated fields are rounded."""
    items: list[list[str]] = [[]]
    for token, level in zip(side, levels(side), strict=True):
        if token == "," and not level:
            items.append([])
        elif token not in GAPS or items[-1]:
            items[-1].append(token)
    found: list[Value] = []
    for item in items:
        reader = Display(item, scope)
        value = DOTS if item == [DOTS] else reader.value()
        moved = [Display(item, scope, n).value() for n in range(1, reader.fields + 1)]
        found.append((value, sum(np.ravel(np.abs(np.subtract(one, value))) for one in moved)))
    return found


def define(left: Tokens, right: Tokens, scope: Letters) -> bool:
    """Bind a new name: a value, a family ``x_i`` or a function ``f(x)``; whether the left side is one."""
    found = NAME.fullmatch(" ".join(token for token in left if token not in GAPS))
    if found is None or {found[1], f"{found[1]}_{{{found[2]}}}"} & {*scope, *arrays.MEANING}:
        return False
    letter = found[3] or (found[2] if isinstance(scope.get(found[2]), Index) else "")
    if letter:
        scope[found[1]] = lambda value: Display(right, {**scope, letter: value}).value()
    else:
        ((scope[f"{found[1]}_{{{found[2]}}}" if found[2] else found[1]], _),) = evaluated(right, scope)
    return True


def compare(
    sign: str, left: Sequence[Value], right: Sequence[Value], names: tuple[str, str], scope: Letters
) -> None:
    """Refuse a relation that does not hold between each value on the left and each on the right."""
    near = scope.get(APPROXIMATELY, 0) if sign == APPROXIMATELY else 0
    if sign == APPROXIMATELY and not near and not any(np.any(within) for _, within in [*left, *right]):
        raise NotationError("how near is \\approx? Evaluate the number")
    if any(value is DOTS for value, _ in right) and sign == "=":  # i = 0, 1, \dots, n
        left, right = [(getattr(left[0][0], "all", ()), 0)], [([value for value, _ in right], 0)]
    for (value, within), (due, also) in product(left, right):
        if value is DOTS or due is DOTS:
            continue
        if isinstance(due, list):  # its beginning and its end
            at, row = due.index(DOTS), np.ravel(value)
            value, due = [*row[:at], *row[len(row) - len(due) + at + 1 :]], [*due[:at], *due[at + 1 :]]
        equal = sign in ("=", APPROXIMATELY)
        if not (arrays.close(value, due, within + also + near) if equal else COMPARED[sign](value, due)):
            raise FalseError(f"{names[0]} is {shown(value)}, {names[1]} is {shown(due)}{scope.told()}")


def tried(page: str, label: str, formulas: Sequence[str]) -> list[tuple[str, str]]:
    """What became of each formula of a place, of a theorem or an equation with a label, and why.

    It is read, defines, is wrong, unread, new (unread, and not counted as such) or says nothing to be tried.
    """
    home = letters_of(page)
    vocabulary = getattr(home, "AT", {}).get(label, getattr(home, "letters", by_hand))
    found = [("", "")] * len(formulas)
    for number in range(DRAWS):
        draw = np.random.default_rng([number, *label.encode()])
        scope = Letters(vocabulary(draw))
        for n, latex in enumerate(formulas):
            if found[n][0] in ("wrong", "unread"):
                continue
            scope.noted.clear()
            try:
                with np.errstate(divide="raise", invalid="raise"):
                    found[n] = try_formula(latex, scope), ""
                if found[n][0] == "defines" and not label.startswith("ex:"):
                    raise NotationError("what it defines is not declared")  # else a slip would define
            except FalseError as error:
                found[n] = "wrong", str(error)
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                found[n] = "unread", str(error)
    unread = [n for n, (state, _) in enumerate(found) if state == "unread"]
    for n in unread[getattr(home, "UNREAD", {}).get(label, 0) :]:
        found[n] = "new", found[n][1]
    return found


def letters_of(page: str) -> ModuleType | None:
    """The module that says what the letters of a page stand for."""
    part, _, name = page.replace("-", "_").replace("/", ".").rpartition(".")
    home = f"pe_book.evidence.{part}.letters.{name}"
    try:
        return import_module(home)
    except ModuleNotFoundError as error:
        if not f"{home}.".startswith(f"{error.name}."):
            raise
    return None
