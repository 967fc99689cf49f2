"""The recorded parity: how far the definitions are from other libraries, and where those are wrong.

The libraries are run by ``make parity`` (``tests/parity``).
"""

from typing import NamedTuple

from pe_book.evidence.records.record import HERE, Record, definitions
from pe_book.evidence.verdict import Verdict

KINDS = ("rows", "frequencies", "biases", "attention")
COMPARED = definitions("inputs", "numerics", "why", "sinusoidal", "family", "config")
RECORD = Record(HERE / "parity.json", COMPARED)


class Agreement(NamedTuple):
    """One thing of ours beside the same of a library."""

    member: str
    """What is compared."""
    library: str
    version: str
    kind: str
    """``"rows"``, turned queries; ``"frequencies"``, and the factor on queries and keys; ``"biases"``, what
    is added to scores, or what it is looked up by; or ``"attention"``, the outputs of whole layers."""
    layout: str
    """How the library lays it out, which the comparison maps to ours."""
    difference: float
    """The largest: of rows and outputs absolute, their entries being of order 1; of the others relative."""
    bound: float
    """What the precision explains that the library computes in."""


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
    standing: str
    """Of what it is, in words."""

    def of(self, kind: str) -> list[Agreement]:
        """The agreements of a kind."""
        return [one for one in self.agreements if one.kind == kind]

    def libraries(self) -> dict[str, str]:
        """Each library with its version."""
        return {one.library: one.version for one in self.agreements}

    def largest(self, kind: str) -> float:
        """The largest difference of a kind."""
        return max(one.difference for one in self.of(kind))

    def all_within(self) -> Verdict:
        """Whether no recorded difference is above its bound; `standing` says of what."""
        above = [one for one in self.agreements if not one.difference <= one.bound]
        return Verdict(
            bool(self.agreements) and not above,
            {"compared": len(self.agreements), "above": len(above), "of": self.standing},
        )


def recorded(record: Record = RECORD) -> Parity:
    """The record, and of what it is.

    >>> bool(recorded().all_within())
    True
    """
    found, standing = record.read()
    agreements = [Agreement(**row) for row in found["agreements"]]
    return Parity(agreements, [Defect(**row) for row in found["defects"]], standing)


def written(agreements: list[Agreement], defects: list[Defect]) -> dict[str, list[dict[str, object]]]:
    """What is compared now, as a record holds it."""
    return {
        "agreements": [one._asdict() for one in agreements],
        "defects": [one._asdict() for one in defects],
    }
