"""`make labels`: write into docs/labels.lock which labels the last builds have found on which pages."""

import json
import re
import sys
from pathlib import Path

from book import BUILD, ROOT, Refusal
from bookish.lint.lock import FILE, Lock, read

OF_A_MODULE = re.compile(r"sec:api(?:torch)?:(.+)")
COMPLETE = re.compile(r"^status: complete$", re.MULTILINE)


def lock_labels(docs: Path, built: Path) -> int:
    """List what the last build of each page has found; of a draft only what was listed before.

    The modules of a draft keep their labels, too: their page may have been built before they were there.
    """
    listings = [*built.glob("doctrees/labels.json"), *built.glob("page/*.doctrees/labels.json")]
    if not listings:
        raise Refusal("No build has listed the labels yet: run page or html first.")
    last: dict[str, list[str]] = {}
    for listing in sorted(listings, key=lambda file: file.stat().st_mtime_ns):
        found = json.loads(listing.read_text("utf-8"))
        last = {page: own for page, own in last.items() if page not in found} | found  # the last comes last
    try:
        lock = read(docs / FILE)
    except ValueError as error:
        raise Refusal(f"The list of labels cannot be read: {error}.") from None
    sources = [file for file in docs.rglob("*.md") if "_build" not in file.parts]
    drafts = {file.stem for file in sources if not COMPLETE.search(file.read_text("utf-8"))}
    files = {page: docs / f"{page}.md" for page in {*last, *lock.pages.values()}}
    pages = {
        label: page
        for label, page in lock.pages.items()
        if lock.binding
        or (files[page].exists() and (page not in last or drafts & {*OF_A_MODULE.findall(label)}))
    }
    for page in (page for page in last if files[page].exists()):
        complete = COMPLETE.search(files[page].read_text(encoding="utf-8"))
        for label in (label for label in last[page] if complete or lock.pages.get(label) == page):
            if lock.binding and pages.get(label, page) != page:
                stays = f"{label} has stood on {pages[label]} since the first release"
                raise Refusal(f"{stays}, and so it has to stay.")
            pages[label] = page
    (docs / FILE).write_text(Lock(pages, lock.binding).text(), encoding="utf-8")
    added, gone = len(pages.keys() - lock.pages.keys()), len(lock.pages.keys() - pages.keys())
    print(f"{added} labels added to docs/{FILE}, {gone} taken out.")
    return 0


if __name__ == "__main__":
    sys.exit(lock_labels(ROOT / "docs", BUILD))
