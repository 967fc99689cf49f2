"""The recorded audit: what the built pages weigh, how they score, and what was found wrong with them.

Pages are opened by ``make audit`` (``docs/_ext/audit``).
"""

import hashlib
from pathlib import Path
from typing import NamedTuple

from pe_book.evidence.records.record import HERE, ROOT, Record

AUDITED = ("conf.py", "docs/_ext", "docs/_static", "docs/_templates")
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
    present: bool
    """Whether what was audited is what stands here."""

    def chapters(self) -> list[str]:
        """The pages that Lighthouse scored."""
        return list(self.scores)

    def least(self, theme: str, device: str, category: str) -> int:
        """The lowest score of all pages."""
        return min(themes[theme][device][category] for themes in self.scores.values())

    def heaviest(self, part: str = "together") -> int:
        """The most bytes, requests or elements that one page has."""
        return max(weight[part] for weight in self.weights.values())

    def standing(self) -> str:
        """Of what the numbers are."""
        return "the site that stands here" if self.present else "an earlier state of the site"


def digest(root: Path = ROOT) -> str:
    """One hash of what every page is shown with: extensions, stylesheets, scripts, templates, settings."""
    seen = hashlib.sha256()
    for top in AUDITED:
        for file in sorted((root / top).rglob("*")) if (root / top).is_dir() else [root / top]:
            if file.is_file() and "__pycache__" not in file.parts:
                seen.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return seen.hexdigest()


RECORD = Record(HERE / "audit.json", digest)


def recorded(record: Record = RECORD) -> Audited:
    """The record, and whether it is of what stands here."""
    found, present = record.read()
    return Audited(**found, present=present)
