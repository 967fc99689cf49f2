r"""Every derivation of the book, found by the directives of its pages, and mistakes planted in them.

:func:`mistakes` draws a derivation, one of its formulas and a mistake that a tired author makes: a sign,
a sine for a cosine, another letter, another number, a factor lost, a matrix transposed. It is written in the
LaTeX that a reader would see, and has to be refused when the derivation is made.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from random import Random
from typing import Any

import sympy

from kernel.cells import from_text
from pe_book.evidence.derivations.derivation import Derivation
from pe_book.evidence.derivations.notation import sides
from pe_book.evidence.derivations.tokens import NotationError, scope_of

REPO = Path(__file__).resolve().parents[3]
DIRECTIVE = re.compile(r"^:{3,}\{derived\} (.+)$", re.MULTILINE)
TOKEN = re.compile(r"\\(?:begin|end)\{pmatrix\}|\\(?:bigl|bigr|left|right).|\\[A-Za-z]+|\\.|[A-Za-z]'*|\d+|.")
MATRIX = re.compile(r"\\begin\{pmatrix\}(.*?)\\end\{pmatrix\}")


@dataclass(frozen=True)
class Shown:
    """One ``{derived}`` directive of a page."""

    page: str
    expression: str

    @cached_property
    def derivation(self) -> Derivation:
        """Evaluated after the imports of the page."""
        names: dict[str, Any] = {}
        for cell in from_text((REPO / "docs" / f"{self.page}.md").read_text(encoding="utf-8")):
            for statement in ast.parse(cell.source).body if "import" in cell.source else ():
                if isinstance(statement, (ast.Import, ast.ImportFrom)):
                    exec(compile(ast.Module([statement], []), self.page, "exec"), names)
        made = eval(self.expression, names)
        assert isinstance(made, Derivation), f"{self.page}: {self.expression}"
        return made


@cache
def derivations() -> tuple[Shown, ...]:
    """The directives of all pages."""
    found = []
    for file in sorted((REPO / "docs").rglob("*.md")):
        page = file.relative_to(REPO / "docs").with_suffix("").as_posix()
        if not page.startswith("_"):
            found += [Shown(page, one.strip()) for one in DIRECTIVE.findall(file.read_text(encoding="utf-8"))]
    return tuple(found)


def formulas(derivation: Derivation) -> dict[str, str]:
    """What it displays that is an expression or an equation, by place."""
    places = {"start": derivation.start, "lhs": derivation.lhs, "given": derivation.given}
    for n, step in enumerate(derivation.steps):
        places |= {f"step {n + 1}": step.latex, f"rule {n + 1}": step.rule}
    return {
        place: text
        for place, text in places.items()
        if text and (place in ("start", "lhs") or place.startswith("step") or re.search(r"\$[^$]*=", text))
    }


def told(derivation: Derivation, place: str, text: str) -> Derivation:
    """The derivation made anew with another text in one place."""
    kind, _, number = place.partition(" ")
    if not number:
        return replace(derivation, **{kind: text})
    steps = list(derivation.steps)
    steps[int(number) - 1] = replace(steps[int(number) - 1], **{"latex" if kind == "step" else "rule": text})
    return replace(derivation, steps=steps)


def read_back(derivation: Derivation, displayed: list[str]) -> Derivation:
    """The derivation made anew from its displayed formulas, which checks every one of them once more."""
    first, *rest = displayed
    lhs, _, start = first.rpartition(" = ")
    if len(rest) != len(derivation.steps) or not all(formula.startswith("{} = ") for formula in rest):
        raise ValueError(f"{len(derivation.steps)} steps were to be displayed, and not {rest}")
    steps = [
        replace(step, latex=formula.removeprefix("{} = "))
        for step, formula in zip(derivation.steps, rest, strict=True)
    ]
    return replace(derivation, lhs=lhs or None, start=start, steps=steps)


def mistakes(rng: Random) -> Iterator[tuple[str, Callable[[], object]]]:
    """Without end: what the mistake is, and the call that has to raise ValueError or TypeError."""
    while True:
        shown = rng.choice(derivations())
        place, text = rng.choice(list(formulas(shown.derivation).items()))
        kind, mistake = rng.choice(list(MISTAKES.items()))
        letters = [sympy.latex(symbol) for symbol in shown.derivation.symbols]
        told_in = _in_words(text, mistake, rng, letters) if "$" in text else mistake(text, rng, letters)
        if told_in is None or told_in == text:
            continue
        if kind == "a sign" and r"\cos" in text and _as_true(shown.derivation, text, told_in):
            continue
        description = f"{shown.page}, {shown.expression}, {place}: {kind}, {text} -> {told_in}"
        yield description, _teller(shown.derivation, place, told_in)


def _as_true(derivation: Derivation, text: str, told_in: str) -> bool:
    r"""Whether the cosine, being even, makes no mistake of the sign: ``\cos(-x)`` for ``\cos(x)``."""
    try:
        one, other = (sides(latex, scope_of(derivation.symbols))[0] for latex in (text, told_in))
        at = {symbol: 0.3 + 0.7 * n for n, symbol in enumerate(derivation.symbols)}
        return bool(abs(sympy.N((one - other).subs(at))) < 1e-9)
    except (NotationError, TypeError):  # words, matrices
        return False


def _teller(derivation: Derivation, place: str, text: str) -> Callable[[], object]:
    return lambda: told(derivation, place, text)


def _in_words(text: str, mistake: Callable[..., str | None], rng: Random, letters: list[str]) -> str | None:
    """The mistake in one of the equations of a sentence."""
    parts = text.split("$")
    at = rng.choice([n for n in range(1, len(parts), 2) if "=" in parts[n]])
    changed = mistake(parts[at], rng, letters)
    return None if changed is None else "$".join([*parts[:at], changed, *parts[at + 1 :]])


def _exchange(choose: Callable[[str, Random, list[str]], str | None]) -> Callable[..., str | None]:
    """A mistake in one token: the tokens for which there is another, and one of them changed."""

    def mistake(latex: str, rng: Random, letters: list[str]) -> str | None:
        tokens = TOKEN.findall(latex)
        others = [(n, choose(token, rng, letters)) for n, token in enumerate(tokens)]
        able = [(n, other) for n, other in others if other is not None]
        if not able:
            return None
        n, other = rng.choice(able)
        return "".join([*tokens[:n], other, *tokens[n + 1 :]])

    return mistake


def _other_letter(token: str, rng: Random, letters: list[str]) -> str | None:
    others = [letter for letter in letters if letter != token]
    return f" {rng.choice(others)} " if token in letters and others else None


def _lost_factor(token: str, rng: Random, letters: list[str]) -> str | None:
    return " " if token in (*letters, r"\pi") or (token.isdigit() and token != "1") else None


def _lost_exponent(latex: str, rng: Random, letters: list[str]) -> str | None:
    found = list(re.finditer(r"\^(?:\w|\{[^{}]*\})", latex))
    if not found:
        return None
    one = rng.choice(found)
    return latex[: one.start()] + latex[one.end() :]


def _rearranged(order: Callable[[list[list[str]]], list[list[str]]]) -> Callable[..., str | None]:
    def mistake(latex: str, rng: Random, letters: list[str]) -> str | None:
        found = list(MATRIX.finditer(latex))
        if not found:
            return None
        one = rng.choice(found)
        rows = [[cell.strip() for cell in row.split("&")] for row in one[1].split("\\\\")]
        body = r" \\ ".join(" & ".join(row) for row in order(rows))
        return f"{latex[: one.start()]}\\begin{{pmatrix}} {body} \\end{{pmatrix}}{latex[one.end() :]}"

    return mistake


MISTAKES: dict[str, Callable[..., str | None]] = {
    "a sign": _exchange(lambda token, *_: {"+": "-", "-": "+"}.get(token)),
    "a sine for a cosine": _exchange(lambda token, *_: {r"\sin": r"\cos", r"\cos": r"\sin"}.get(token)),
    "another letter": _exchange(_other_letter),
    "another number": _exchange(lambda token, *_: str(int(token) + 1) if token.isdigit() else None),
    "a factor lost": _exchange(_lost_factor),
    "an exponent lost": _lost_exponent,
    "a matrix transposed": _rearranged(lambda rows: [list(column) for column in zip(*rows, strict=True)]),
    "rows exchanged": _rearranged(lambda rows: rows[::-1]),
    "all of it negative": lambda latex, *_: f"-({latex})" if "=" not in latex else None,
    "a factor too many": lambda latex, *_: f"2 \\cdot {latex}",
}
