"""The recorded fuzz: how many odd calls `make thorough` made, and how each ended.

The calls are made by ``tests/fuzz``; ``python -m tests.fuzz.campaign`` writes them down.
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from pe_book.evidence.records.record import HERE, Record, definitions

OUTCOMES = ("right result", "refused", "anything else")
RECORD = Record(HERE / "fuzz.json", definitions())


class Fuzzed(NamedTuple):
    """What the record says."""

    functions: dict[str, dict[str, int]]
    """The calls of each function, by outcome."""
    versions: dict[str, str]
    """Of Python and of the libraries that the calls went through."""
    standing: str
    """Of what it is, in words."""

    def sums(self, names: Iterable[str] | None = None) -> Counter[str]:
        """The outcomes of some functions together, or of all."""
        total: Counter[str] = Counter(dict.fromkeys(OUTCOMES, 0))
        for name in self.functions if names is None else names:
            total.update(self.functions[name])
        return total


def recorded(record: Record = RECORD) -> Fuzzed:
    """The record, and of what it is.

    >>> recorded().sums()["anything else"]
    0
    """
    found, standing = record.read()
    return Fuzzed(**found, standing=standing)
