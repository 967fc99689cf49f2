"""`make labels`: write into docs/labels.lock which labels the last builds have found on which pages."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from book import BUILD, ROOT, Refusal
from lint.lock import FILE, Lock, read

COMPLETE = re.compile(r"^status: complete$", re.MULTILINE)


def changed(file: Path) -> int:
    return file.stat().st_mtime_ns


def lock_labels(docs: Path, built: Path) -> int:
    """List what the last build of each complete page has found, of the book or of the page alone."""
    listings = [*built.glob("doctrees/labels.json"), *built.glob("page/*.doctrees/labels.json")]
    if not listings:
        raise Refusal("No build has listed the labels yet: run page or html first.")
    path = docs / FILE
    try:
        lock = read(path)
    except ValueError as error:
        raise Refusal(f"The list of labels cannot be read: {error}.") from None
    last: dict[str, tuple[list[str], Path]] = {}
    for listing in sorted(listings, key=changed):
        found = {page: (own, listing) for page, own in json.loads(listing.read_text("utf-8")).items()}
        last = {page: one for page, one in last.items() if page not in found} | found
    pages = dict(lock.pages)
    if not lock.binding:
        pages = {
            label: page
            for label, page in pages.items()
            if page not in last and (docs / f"{page}.md").exists()
        }
    for page, (own, listing) in last.items():  # what was built last comes last
        for label in listed(lock, page, own, listing, docs):
            if lock.binding and pages.get(label, page) != page:
                raise Refusal(
                    f"{label} has stood on {pages[label]} since the first release, and so it has to stay."
                )
            pages[label] = page
    path.write_text(Lock(pages, lock.binding).text(), encoding="utf-8")
    added, gone = len(pages.keys() - lock.pages.keys()), len(lock.pages.keys() - pages.keys())
    print(f"{added} labels added to docs/{FILE}, {gone} taken out.")
    return 0


def listed(lock: Lock, page: str, own: list[str], listing: Path, docs: Path) -> list[str]:
    """Which labels of a page are listed: if it is complete all of them, else those that were before."""
    file = docs / f"{page}.md"
    if not file.exists():
        return []
    before = [label for label, home in lock.pages.items() if home == page]
    if not COMPLETE.search(file.read_text(encoding="utf-8")):
        own = [label for label in own if label in before]
    if set(own) != set(before) and changed(file) > changed(listing):
        raise Refusal(f"{file} has changed since its labels were listed: run page P={page} first.")
    return own


if __name__ == "__main__":
    sys.exit(lock_labels(ROOT / "docs", BUILD))
