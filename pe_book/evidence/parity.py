"""The recorded parity: how far the rotary definitions are from other libraries, and where those are wrong.

The libraries are run by ``make parity`` (``tests/parity``). As with the speeds
(:mod:`pe_book.evidence.bench`) the record carries a digest of the code that was compared, so that the page
that shows it can say whether that still stands.
"""

from pathlib import Path
from typing import NamedTuple

from pe_book.evidence import bench, recording

_HERE = Path(__file__).resolve().parent
RECORD = _HERE / "parity.json"
KINDS = ("rows", "frequencies")
COMPARED = (
    "inputs/pairs.py",
    "inputs/arrays.py",
    "inputs/checking.py",
    "inputs/wording.py",
    "sinusoidal/formula.py",
    "numerics/angles.py",
    "numerics/exact.py",
    "numerics/cache.py",
    "numerics/phases.py",
    "numerics/chunks.py",
    "family/rotary/__init__.py",
    "family/rotary/axes.py",
    "family/context_extension/interpolation.py",
    "family/context_extension/ramps.py",
    "family/context_extension/divisors.py",
    "family/context_extension/__init__.py",
    "config/keys.py",
    "config/classes.py",
    "config/keys.py",
    "config/options.py",
    "config/records.py",
    "config/scaling.py",
    "config/widths.py",
    "config/reading.py",
)


class Agreement(NamedTuple):
    """One thing of ours beside the same of a library."""

    member: str
    """What is compared."""
    library: str
    version: str
    kind: str
    """``"rows"``, turned queries; or ``"frequencies"``, and the factor on queries and keys."""
    layout: str
    """How the library lays it out, which the comparison maps to ours."""
    difference: float
    """The largest: of rows absolute, their entries being at most 1; of frequencies relative."""
    bound: float
    """What float32 explains."""


class Defect(NamedTuple):
    """A call of a library that does not give what is right."""

    call: str
    asked: str
    """What of the result."""
    library: str
    version: str
    gives: str
    right: str


class Parity(NamedTuple):
    """What the record says."""

    agreements: list[Agreement]
    defects: list[Defect]
    present: bool
    """Whether the code that was compared is the code that stands here."""

    def of(self, kind: str) -> list[Agreement]:
        """The agreements of a kind."""
        return [one for one in self.agreements if one.kind == kind]

    def libraries(self) -> dict[str, str]:
        """Each library with its version."""
        return {one.library: one.version for one in self.agreements}

    def largest(self, kind: str) -> float:
        """The largest difference of a kind."""
        return max(one.difference for one in self.of(kind))

    def all_within(self) -> bool:
        """Whether no difference is above what float32 explains."""
        return all(one.difference <= one.bound for one in self.agreements)

    def standing(self) -> str:
        """Of what the numbers are."""
        return "the code that stands here" if self.present else "an earlier state of the code"


def digest(root: Path | None = None) -> str:
    """One hash of the code that is compared, as :func:`pe_book.evidence.bench.digest` makes it.

    Examples
    --------
    >>> len(digest())
    64
    """
    return bench.digest(root, files=COMPARED)


def recorded(*, record: Path | None = None) -> Parity:
    """The record, and whether it is of the present code.

    Parameters
    ----------
    record
        The file, if not the one beside this module.

    Returns
    -------
    Parity

    Examples
    --------
    >>> recorded().all_within()
    True
    """
    found, of = recording.read(record or RECORD)
    agreements = [Agreement(**row) for row in found["agreements"]]
    defects = [Defect(**row) for row in found["defects"]]
    return Parity(agreements, defects, present=of == digest())


def write(agreements: list[Agreement], defects: list[Defect], *, record: Path | None = None) -> None:
    """Replace the record by what has been compared now.

    Parameters
    ----------
    agreements, defects
        As in :class:`Parity`.
    record
        The file, if not the one beside this module.
    """
    found = {
        "agreements": [one._asdict() for one in agreements],
        "defects": [one._asdict() for one in defects],
    }
    recording.write(record or RECORD, digest(), found)
