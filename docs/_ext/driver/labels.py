"""`make labels`: write into docs/labels.lock what the last builds have found, new labels and new places."""

from __future__ import annotations

import json
import re
from pathlib import Path

from environment import Refusal
from lint.lock import FILE, Lock, Place, read, recorded

COMPLETE = re.compile(r"^status: complete$", re.MULTILINE)


def changed(file: Path) -> int:
    return file.stat().st_mtime_ns


def lock_labels(docs: Path, built: Path) -> int:
    """Lock what the last build of each complete page has listed, of the book or of the page alone."""
    found = [*built.glob("doctrees/labels.json"), *built.glob("page/*.doctrees/labels.json")]
    if not found:
        raise Refusal("No build has listed the labels yet: run page or html first.")
    path = docs / FILE
    try:
        lock = read(path)
    except ValueError as error:
        raise Refusal(f"The lock of labels cannot be read: {error}.") from None
    before = dict(lock.entries)
    last: dict[str, tuple[dict[str, str | None], Path]] = {}
    for listing in sorted(found, key=changed):
        last |= {name: (own, listing) for name, own in json.loads(listing.read_text("utf-8")).items()}
    for name, (numbers, listing) in last.items():
        if (docs / f"{name}.md").exists():
            note(lock, name, numbers, listing, docs)
    path.write_text(lock.text(), encoding="utf-8")
    moved = sum(entry.former != lock.entries[label].former for label, entry in before.items())
    print(f"{len(lock.entries) - len(before)} labels added to docs/{FILE}, {moved} moved.")
    return 0


def note(lock: Lock, page: str, numbers: dict[str, str | None], listing: Path, docs: Path) -> None:
    """Take over what was listed of a page: where locked labels stand, and if it is complete its new ones."""
    file = docs / f"{page}.md"
    complete = COMPLETE.search(file.read_text(encoding="utf-8"))
    for label, number in numbers.items():
        if label not in lock.entries and not complete:
            continue
        try:
            entry = recorded(lock, label, Place(page, number))
        except ValueError as error:
            cure = f"undo that, or write `edition {lock.edition + 1}, in the making` at its head"
            raise Refusal(f"Edition {lock.edition} of docs/{FILE} is closed; {error}: {cure}.") from None
        if entry != lock.entries.get(label) and changed(file) > changed(listing):
            raise Refusal(f"{file} has changed since its labels were listed: run page P={page} first.")
        lock.entries[label] = entry
