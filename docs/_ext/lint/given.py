"""Which numbers a page may type: what everybody shares, what the front matter gives, what a hand works out.

``docs/given.yml`` has the numbers that the field shares, with their sources; the front matter has the rest
with a reason: ``given: {22: position of the example}``. What one section alone uses may stand below its
heading instead, and goes along when the section moves:

    ```{given}
    22: position of the example
    ```
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from lint.numerals import Numeral

FILE = Path(__file__).resolve().parents[2] / "given.yml"
SMALL = 2  # one and two are words, not findings
BY_HAND = 9  # in what is done by hand a reader recomputes every digit


@cache
def shared_numbers(file: Path = FILE) -> dict[int, dict[str, str]]:
    """The numbers of ``docs/given.yml``: what each is, and its source."""
    return (yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else None) or {}


@dataclass
class Given:
    """The numbers that one page may type, and those that it does."""

    page: Collection[int] = ()
    beside: Mapping[str, Collection[int]] = field(default_factory=dict)  # section to what it gives
    uses: list[tuple[str, float]] = field(default_factory=list)  # the section that gives a number, or ""

    def allows(self, numeral: Numeral, section: str = "", *, by_hand: bool = False) -> bool:
        value = numeral.value
        if numeral.decimal:
            return False
        if value <= (BY_HAND if by_hand else SMALL):
            return True
        beside = value in self.beside.get(section, ())
        if not beside and value not in self.page and value not in shared_numbers():
            return False
        self.uses.append((section if beside else "", value))
        return True

    def unused(self) -> Iterator[tuple[str, int]]:
        """Sections, the page itself without a name, and numbers that nothing there uses."""
        for section, listed in {"": self.page, **self.beside}.items():
            yield from ((section, number) for number in sorted(listed) if (section, number) not in self.uses)


def entry_errors(entries: dict[Any, Any]) -> Iterator[str]:
    """What is wrong with ``docs/given.yml``."""
    for number, entry in entries.items():
        if not isinstance(number, int) or number <= BY_HAND:
            yield f"{number} is not an integer above {BY_HAND}"
        elif not isinstance(entry, dict) or set(entry) != {"what", "source"}:
            yield f"{number} needs what it is and its source"
