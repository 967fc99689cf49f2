"""Which numbers a page may type: what everybody shares, what the front matter gives, what a hand works out.

``docs/given.yml`` has the numbers that the field shares, with their sources; the front matter has the rest
with a reason: ``given: {22: position of the example}``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import yaml

from bookish.lint.numerals import Numeral

FILE = Path(__file__).resolve().parents[3] / "given.yml"
SMALL = 2  # one and two are words, not findings
BY_HAND = 9  # in what is asked for by hand a reader recomputes every digit


@cache
def shared_numbers(file: Path = FILE) -> dict[int, dict[str, str]]:
    """The numbers of ``docs/given.yml``: what each is, and its source."""
    return (yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else None) or {}


@dataclass
class Given:
    """The numbers that one page may type, and those that it does."""

    page: Collection[int] = ()
    uses: list[float] = field(default_factory=list)

    def allows(self, numeral: Numeral, *, by_hand: bool = False, solves: bool = False) -> bool:
        value = numeral.value
        if numeral.decimal:
            return False
        if value <= (BY_HAND if by_hand else SMALL):
            return True
        if (solves or value not in self.page) and value not in shared_numbers():
            return False
        self.uses.append(value)
        return True

    def unused(self) -> list[int]:
        """What is given and used nowhere."""
        return sorted(set(self.page) - set(self.uses))
