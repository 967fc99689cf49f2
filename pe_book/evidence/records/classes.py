"""The recorded sweep of model types: what becomes of every config class that transformers has.

The classes are built by ``make thorough`` (``tests/parity/classes``).
"""

import hashlib
import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pe_book.evidence.records import code
from pe_book.evidence.records.record import HERE, ROOT, Record

READ = "pe_book.config.checking"
#: What can become of a type, in the order of a table.
WORDS = ("right", "refused, and it turns", "refused, nothing turns", "refused, not run", "read, not run",
         "silently wrong")  # fmt: skip


class Swept(NamedTuple):
    """What the record says."""

    transformers: str
    """The version whose types were swept."""
    outcomes: dict[str, int]
    """How many types have each outcome."""
    configs: int
    """How many configs of types that are known were compared with what their class does, in every layer."""
    refused: list[str]
    """The types that turn queries and keys and are refused."""
    present: bool
    """Whether the code and the tables that were swept are those that stand here."""

    def types(self) -> int:
        """How many types there are.

        >>> Swept("5", {"right": 2, "silently wrong": 0}, 70, [], True).types()
        2
        """
        return sum(self.outcomes.values())

    def standing(self) -> str:
        """Of what the counts are."""
        return "the code that stands here" if self.present else "an earlier state of the code"


def digest(root: Path = ROOT) -> str:
    """Of the code that reads a config, and of the tables of types beside it."""
    parts = [code.digest(code.reached([READ], root), root)]
    for file in sorted((root / "pe_book" / "config").glob("*.toml")):
        parts.append(json.dumps(tomllib.loads(file.read_text(encoding="utf-8")), sort_keys=True))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


RECORD = Record(HERE / "classes.json", digest)


def recorded(record: Record = RECORD) -> Swept:
    """The record, and whether it is of the present code."""
    found, present = record.read()
    return Swept(**found, present=present)


def written(
    transformers: str, words: Sequence[str], configs: int, refused: Sequence[str]
) -> dict[str, object]:
    """What was found now, as a record holds it.

    >>> written("5", ["right", "right"], 70, [])["outcomes"]["right"]
    2
    """
    return {
        "transformers": transformers,
        "outcomes": {word: list(words).count(word) for word in WORDS},
        "configs": configs,
        "refused": sorted(refused),
    }
