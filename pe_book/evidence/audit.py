"""The recorded audit: what the built pages weigh, how they score, and what was found wrong with them.

Pages are opened by ``make audit`` (``docs/_ext/driver/audit``). As with the speeds
(:mod:`pe_book.evidence.bench`) the record carries a digest of what was audited, so that the page that shows
it can say whether that still stands.
"""

import hashlib
from pathlib import Path
from typing import NamedTuple

from pe_book.evidence import recording

_HERE = Path(__file__).resolve().parent
RECORD = _HERE / "audit.json"
ROOT = _HERE.parents[1]
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


def digest(root: Path | None = None) -> str:
    """One hash of what every page is shown with: extensions, stylesheets, scripts, templates, settings.

    Parameters
    ----------
    root
        The folder of the book, if not this one.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> len(digest())
    64
    """
    root, seen = root or ROOT, hashlib.sha256()
    for top in AUDITED:
        for file in sorted((root / top).rglob("*")) if (root / top).is_dir() else [root / top]:
            if file.is_file() and "__pycache__" not in file.parts:
                seen.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return seen.hexdigest()


def recorded(*, record: Path | None = None) -> Audited:
    """The record, and whether it is of what stands here.

    Parameters
    ----------
    record
        The file, if not the one beside this module.

    Returns
    -------
    Audited
    """
    found, of = recording.read(record or RECORD)
    return Audited(**found, present=of == digest())


def write(
    versions: dict[str, str], weights: dict[str, dict[str, int]], scores: Scores, counts: dict[str, int], *,
    visits: int, runs: int, digest: str, record: Path | None = None,
) -> None:  # fmt: skip
    """Replace the record by what an audit has found now.

    Parameters
    ----------
    versions, weights, scores, counts, visits, runs
        As in :class:`Audited`.
    digest
        What :func:`digest` was when the audit began.
    record
        The file, if not the one beside this module.
    """
    found = {
        "versions": versions, "visits": visits, "runs": runs,
        "counts": counts, "weights": weights, "scores": scores,
    }  # fmt: skip
    recording.write(record or RECORD, digest, found)
