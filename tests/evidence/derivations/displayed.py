"""Every derivation of the book, found by the directives of its pages, and read back as it is displayed."""

import ast
import re
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from bookish.run.cells import from_text
from pe_book.evidence.derivations.derivation import Derivation
from tests.pages.sources import names, text_of

DIRECTIVE = re.compile(r"^:{3,}\{derived\} (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Shown:
    """One ``{derived}`` directive of a page."""

    page: str
    expression: str

    @cached_property
    def derivation(self) -> Derivation:
        """Evaluated after the imports of the page."""
        found: dict[str, Any] = {}
        for cell in from_text(text_of(self.page)):
            for statement in ast.parse(cell.source).body if "import" in cell.source else ():
                if isinstance(statement, (ast.Import, ast.ImportFrom)):
                    exec(compile(ast.Module([statement], []), self.page, "exec"), found)
        made = eval(self.expression, found)
        assert isinstance(made, Derivation), f"{self.page}: {self.expression}"
        return made


@cache
def derivations() -> tuple[Shown, ...]:
    """The directives of all pages."""
    return tuple(Shown(page, one.strip()) for page in names() for one in DIRECTIVE.findall(text_of(page)))


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
