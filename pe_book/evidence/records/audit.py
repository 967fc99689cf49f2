"""The recorded audit: what the built pages weigh, how they score, and what was found wrong with them.

Pages are opened by ``make audit`` (``docs/_ext/driver/audit``).
"""

from typing import NamedTuple

from pe_book.evidence.records.record import HERE, Record

RECORD = Record(HERE / "audit.json", ("conf.py", "docs/_ext/**/*", "docs/_static/**/*", "docs/_themes/**/*"))
KINDS = (
    "another host", "error", "link", "inline script", "policy", "axe", "layout shift", "weight", "Lighthouse",
)  # fmt: skip

Scores = dict[str, dict[str, dict[str, dict[str, int]]]]


class Audited(NamedTuple):
    """What the record says."""

    versions: dict[str, str]
    """Of the browser and of what looked at the pages in it."""
    weights: dict[str, dict[str, int]]
    """Of each page: bytes by kind as they were sent on first load, requests, elements."""
    scores: Scores
    """Page, theme (``book``, ``stock``), device (``mobile``, ``desktop``), category."""
    counts: dict[str, int]
    """How much was found wrong, by kind."""
    visits: int
    """How often a page was opened."""
    runs: int
    """How often Lighthouse looked at a page on the phone; the median counts."""
    standing: str
    """Of what it is, in words."""

    def chapters(self) -> list[str]:
        """The pages that Lighthouse scored."""
        return list(self.scores)

    def least(self, theme: str, device: str, category: str) -> int:
        """The lowest score of all pages."""
        return min(themes[theme][device][category] for themes in self.scores.values())

    def heaviest(self, part: str = "together") -> int:
        """The most bytes, requests or elements that one page has."""
        return max(weight[part] for weight in self.weights.values())


def recorded(record: Record = RECORD) -> Audited:
    """The record, and of what it is."""
    found, standing = record.read()
    return Audited(**found, standing=standing)
