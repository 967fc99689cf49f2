"""The recorded fuzz: how many odd calls `make thorough` made, how each ended, and of which code.

The calls are made by ``tests/fuzz``.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pe_book.evidence.records import code
from pe_book.evidence.records.record import HERE, ROOT, Record

OUTCOMES = ("right result", "refused", "anything else")
NOT_CALLED = ("show", "evidence")


class Fuzzed(NamedTuple):
    """What the record says."""

    functions: dict[str, dict[str, int]]
    """The calls of each function, by outcome."""
    versions: dict[str, str]
    """Of Python and of the libraries that the calls went through."""
    present: bool
    """Whether the code that was called is the code that stands here."""

    def sums(self, names: Iterable[str] | None = None) -> Counter[str]:
        """The outcomes of some functions together, or of all."""
        total: Counter[str] = Counter(dict.fromkeys(OUTCOMES, 0))
        for name in self.functions if names is None else names:
            total.update(self.functions[name])
        return total


def called(root: Path = ROOT) -> list[str]:
    """The modules whose code can be reached from a fuzzed call: all but figures, pages and experiments.

    >>> "pe_book.sinusoidal.formula" in called(), "pe_book.show.drawing.figure" in called()
    (True, False)
    """
    files = (file.relative_to(root).with_suffix("") for file in (root / code.PACKAGE).rglob("*.py"))
    called = (file.parts for file in files if file.parts[1] not in NOT_CALLED)
    return [".".join(parts).removesuffix(".__init__") for parts in called]


RECORD = Record(HERE / "fuzz.json", lambda root=ROOT: code.digest(called(root), root))


def recorded(record: Record = RECORD) -> Fuzzed:
    """The record, and whether it is of the present code.

    >>> recorded().sums()["anything else"]
    0
    """
    found, present = record.read()
    return Fuzzed(**found, present=present)
