"""The recorded sweep of model types: what becomes of every config class that transformers has.

The classes are built by ``make thorough`` (``tests/parity/classes``).
"""

from collections.abc import Sequence
from typing import NamedTuple

from pe_book.evidence.records.record import HERE, Record, definitions

READ = definitions("inputs", "numerics", "sinusoidal", "family", "config")
RECORD = Record(HERE / "classes.json", (*READ, "pe_book/config/*.toml"))
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
    standing: str
    """Of what it is, in words."""

    def types(self) -> int:
        """How many types there are.

        >>> Swept("5", {"right": 2, "silently wrong": 0}, 70, [], "").types()
        2
        """
        return sum(self.outcomes.values())


def recorded(record: Record = RECORD) -> Swept:
    """The record, and of what it is."""
    found, standing = record.read()
    return Swept(**found, standing=standing)


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
