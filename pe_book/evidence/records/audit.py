"""The recorded audit: what the built pages weigh, and how they score.

Pages are opened by ``make audit`` (``docs/_ext/driver/audit``).
"""

from typing import NamedTuple

from pe_book.evidence.records.record import HERE, Record

RECORD = Record(HERE / "audit.json", ("conf.py", "docs/_ext/**/*", "docs/_static/**/*", "docs/_themes/**/*"))
Scores = dict[str, dict[str, dict[str, int]]]


class Audited(NamedTuple):
    """What the record says."""

    versions: dict[str, str]
    """Of the browser and of Lighthouse."""
    weights: dict[str, dict[str, int]]
    """Of each page: bytes by kind as they were sent on first load, requests, elements."""
    scores: Scores
    """Page, device (``mobile``, ``desktop``), category."""
    runs: int
    """How often Lighthouse looked at a page on the phone; the median counts."""
    standing: str
    """Of what it is, in words."""

    def chapters(self) -> list[str]:
        """The pages that Lighthouse scored."""
        return list(self.scores)

    def least(self, device: str, category: str) -> int:
        """The lowest score of all pages."""
        return min(devices[device][category] for devices in self.scores.values())

    def heaviest(self, part: str = "together") -> int:
        """The most bytes, requests or elements that one page has."""
        return max(weight[part] for weight in self.weights.values())


def recorded(record: Record = RECORD) -> Audited:
    """The record, and of what it is."""
    found, standing = record.read()
    return Audited(**found, standing=standing)
