"""The recorded versions: the Pythons, numpys, mpmaths and torches that the package was tried with.

The environments are made by ``make versions`` (``docs/_ext/driver/versions.py``).
"""

from typing import NamedTuple

from pe_book.evidence.records.record import HERE, Record, definitions

RECORD = Record(HERE / "versions.json", definitions())


class Trial(NamedTuple):
    """One environment in which all examples and tests of the package passed."""

    versions: dict[str, str]
    passed: int
    """How many examples and tests these were."""

    def named(self) -> str:
        """Its versions in words.

        >>> Trial({"Python": "3.11.7", "numpy": "2.0.0", "torch": "2.9.0"}, 3).named()
        'Python 3.11.7, numpy 2.0.0 and torch 2.9.0'
        """
        *first, last = map(" ".join, self.versions.items())
        return f"{', '.join(first)} and {last}"


class Versions(NamedTuple):
    """What the record says."""

    tried: list[Trial]
    """From the oldest to the newest."""
    missing: list[str]
    """The Pythons that the metadata promises and that were not to be had."""
    standing: str
    """Of what it is, in words."""

    def sentence(self) -> str:
        """What the README says of it.

        >>> Versions([Trial({"Python": "3.11.7", "numpy": "2.0.0"}, 3)], ["3.14"], "").sentence()
        'The package passed its tests on Python 3.11.7 and numpy 2.0.0. Promised, not tested: Python 3.14.'
        """
        tested = "; on ".join(trial.named() for trial in self.tried)
        rest = f" Promised, not tested: Python {', '.join(self.missing)}." if self.missing else ""
        return f"The package passed its tests on {tested}.{rest}"


def recorded(record: Record = RECORD) -> Versions:
    """The record, and of what it is."""
    found, standing = record.read()
    return Versions([Trial(**one) for one in found["tried"]], found["missing"], standing)
