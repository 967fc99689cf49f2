"""The recorded fuzz: how many odd calls `make thorough` made, how each ended, and of which code.

The calls are made by ``tests/fuzz``. As with the speeds (:mod:`pe_book.evidence.bench`) the record carries a
digest of the code that was called, so that the build report can say whether it is the code that stands here.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pe_book.evidence import bench, recording

_HERE = Path(__file__).resolve().parent
RECORD = _HERE / "fuzz.json"
OUTCOMES = ("right result", "refused", "anything else")


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


def called(root: Path | None = None) -> tuple[str, ...]:
    """The files whose code can be reached from a fuzzed call: all but figures, pages and experiments.

    Examples
    --------
    >>> "sinusoidal/formula.py" in called(), "show/drawing/figure.py" in called()
    (True, False)
    """
    root = root or _HERE.parent
    files = sorted(file.relative_to(root).as_posix() for file in root.rglob("*.py"))
    return tuple(name for name in files if name.split("/")[0] not in ("show", "evidence"))


def digest(root: Path | None = None) -> str:
    """One hash of the code that is called, as :func:`pe_book.evidence.bench.digest` makes it.

    Examples
    --------
    >>> len(digest())
    64
    """
    return bench.digest(root, files=called(root))


def recorded(*, record: Path | None = None) -> Fuzzed:
    """The record, and whether it is of the present code.

    Parameters
    ----------
    record
        The file, if not the one beside this module.

    Returns
    -------
    Fuzzed
        Counts by function, versions, and whether they are `present`.

    Examples
    --------
    >>> recorded().sums()["anything else"]
    0
    """
    found, of = recording.read(record or RECORD)
    return Fuzzed(**found, present=of == digest())


def write(
    functions: dict[str, dict[str, int]], versions: dict[str, str], *, record: Path | None = None
) -> None:
    """Replace the record by the counts of a campaign that has ended now.

    Parameters
    ----------
    functions, versions
        As in :class:`Fuzzed`.
    record
        The file, if not the one beside this module.
    """
    found = {"versions": versions, "functions": dict(sorted(functions.items()))}
    recording.write(record or RECORD, digest(), found)
