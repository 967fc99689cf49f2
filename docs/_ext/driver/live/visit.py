"""Every cell of a page, run in Chromium as readers would; `python docs/_ext/driver live.visit` makes a table.

Words behind it choose pages, as in `live.visit waves shift`, of the site that `make html LIVE=yes` made.
"""

import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from book import BUILD
from driver.audit.server import LIVE_POLICY, served

LOADS = "_static/live/live.js"
ALL = """async () => {
    for (const cell of live.cells) cell.start()  // those below an error, too
    await live.all()
    return live.cells.map((cell) => ({
        number: cell.number, how: cell.how, said: cell.bar.said.textContent,
        due: cell.due, came: cell.out?.box.querySelector("pre").textContent ?? "",
    }))
}"""


class Ran(NamedTuple):
    """What became of the cells of one page, and the seconds from the press to the last of them."""

    page: str
    cells: list[dict[str, Any]]
    seconds: float

    def count(self, *kinds: str) -> int:
        return sum(cell["how"] in kinds for cell in self.cells)


def ran(tab: Any, home: str, page: str) -> Ran:
    """Run all cells of a page; one that raises stops those below it."""
    tab.goto(home + page)
    began = time.monotonic()
    cells = tab.evaluate(ALL)
    return Ran(page, cells, time.monotonic() - began)


def pages_of(site: Path) -> list[str]:
    pages = sorted(site.rglob("*.html"))
    return [page.relative_to(site).as_posix() for page in pages if LOADS in page.read_text("utf-8")]


def main() -> None:
    from driver.look import chromium

    site, chosen = BUILD / "live", sys.argv[1:]
    print("| page | cells | run | as printed | but for a width | differ | seconds |")
    print("|:--|--:|--:|--:|--:|--:|--:|")
    notes = []
    with served(site, policy=LIVE_POLICY) as home, chromium() as browser:
        for page in (page for page in pages_of(site) if not chosen or any(one in page for one in chosen)):
            tab = browser.new_page()
            one = ran(tab, home, page)
            run = one.count("same", "width", "other")
            numbers = len(one.cells), run, one.count("same"), one.count("width"), one.count("other", "wrong")
            print(f"| {page} | {' | '.join(map(str, numbers))} | {one.seconds:.0f} |", flush=True)
            notes += [(page, cell) for cell in one.cells if cell["how"] in ("other", "wrong")]
            tab.close()
    for page, cell in notes:
        print(f"\n{page}, cell {cell['number']}: {cell['said']}\n{cell['came']}\ninstead of\n{cell['due']}")


if __name__ == "__main__":
    main()
