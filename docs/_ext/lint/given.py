"""Which numbers a page may type: what everybody shares, what the front matter gives, what a hand works out.

``docs/given.yml`` has the numbers that the field shares, with their sources; the front matter has the rest
with a reason: ``given: {22: position of the example}``. A reason covers what it says: a number in use in
more than ``SECTIONS`` sections needs, at each use, a word of its reason in the same paragraph. What one
section alone uses may stand below its heading instead, and goes along when the section moves:

    ```{given}
    22: position of the example
    ```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from lint.numerals import Numeral

FILE = Path(__file__).resolve().parents[2] / "given.yml"
SMALL = 2  # one and two are words, not findings
BY_HAND = 9  # in what is done by hand a reader recomputes every digit
SECTIONS = 2  # in so many sections a reason need not be repeated
STEM = 4  # letters by which words are compared: width and widths, position and positions
MEANINGLESS = {"the", "and", "that", "with", "for", "from", "this", "than", "its", "which", "one", "any"}
MEANINGLESS |= {"after", "first", "number", "example"}
# one thing with several names: a reason that says "words" covers "50 tokens"
SYNONYMS = [
    "width dimensions columns entries d_model",
    "words tokens positions places rows length steps offset",
]


@cache
def shared_numbers(file: Path = FILE) -> dict[int, dict[str, str]]:
    """The numbers of ``docs/given.yml``: what each is, its source, and the words that it stands beside."""
    return (yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else None) or {}


def word_stems(text: str) -> set[str]:
    """The words of a text by their first letters, without those that say nothing."""
    words = re.findall(r"[^\W\d_]+\d*", text.lower())
    return {word.rstrip("s")[:STEM] for word in words if word not in MEANINGLESS and len(word) > 2}


def with_synonyms(reason: str) -> set[str]:
    """The words of a reason, and those that mean the same."""
    known = word_stems(reason)
    for group in SYNONYMS:
        known |= word_stems(group) if known & word_stems(group) else set()
    return known


@dataclass(frozen=True)
class Use:
    """One typed number that is given: where it stands, and what stands around it."""

    number: int
    section: str
    context: str
    line: int | None
    beside: bool = False  # the section gives it


@dataclass
class Given:
    """The numbers that one page may type, and where it does."""

    page: dict[int, str]
    beside: dict[str, dict[int, str]] = field(default_factory=dict)  # section to what it gives
    uses: list[Use] = field(default_factory=list)

    def allows(
        self,
        numeral: Numeral,
        context: str = "",
        section: str = "",
        line: int | None = None,
        by_hand: bool = False,
    ) -> bool:
        value = numeral.value
        if numeral.decimal:
            return False
        if value <= (BY_HAND if by_hand else SMALL):
            return True
        beside = value in self.beside.get(section, {})
        if not beside and value not in self.page and value not in shared_numbers():
            return False
        self.uses.append(Use(int(value), section, context, line, beside))
        return True

    def reason(self, number: int) -> str:
        return self.page.get(number) or shared_numbers()[number]["what"]

    def lists(self) -> Iterator[tuple[str, dict[int, str], list[Use]]]:
        """Every list with its section, empty for the front matter, and the uses that lean on it."""
        yield "", self.page, [use for use in self.uses if not use.beside]
        for section, listed in self.beside.items():
            yield section, listed, [use for use in self.uses if use.beside and use.section == section]

    def unused(self) -> list[tuple[str, int]]:
        """Sections and numbers that nothing there uses."""
        return [
            (section, number)
            for section, listed, uses in self.lists()
            for number in sorted(listed.keys() - {use.number for use in uses})
        ]

    def listed_needlessly(self) -> list[int]:
        """Numbers that are listed although ``docs/given.yml`` covers every use."""
        return [
            number
            for _, listed, uses in self.lists()
            for number in sorted(listed.keys() & shared_numbers().keys())
            if all(is_shared(use) for use in uses if use.number == number)
        ]

    def unrelated_uses(self) -> Iterator[Use]:
        """Uses of a number for something that its reason does not say, once for each paragraph."""
        own = [use for use in self.uses if not use.beside and not is_shared(use)]
        for use in dict.fromkeys(own):
            sections = {other.section for other in own if other.number == use.number}
            if use.number in self.page and len(sections) <= SECTIONS:
                continue
            if use.number not in self.page or not with_synonyms(self.page[use.number]) & word_stems(
                use.context
            ):
                yield use


def is_shared(use: Use) -> bool:
    entry = shared_numbers().get(use.number)
    if entry is None or "beside" not in entry:
        return entry is not None
    is_power_of_two = re.search(rf"\b2(?:\^\{{|\*\*)-?{use.number}\b", use.context)
    return bool(is_power_of_two or word_stems(entry["beside"]) & word_stems(use.context))


def entry_errors(entries: dict[Any, Any]) -> Iterator[str]:
    """What is wrong with ``docs/given.yml``."""
    for number, entry in entries.items():
        if not isinstance(number, int) or number <= BY_HAND:
            yield f"{number} is not an integer above {BY_HAND}"
        elif not isinstance(entry, dict) or not {"what", "source"} <= set(entry) <= {
            "what",
            "source",
            "beside",
        }:
            yield f"{number} needs what it is and its source"
