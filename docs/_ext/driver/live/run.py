"""`make html LIVE=yes`: the site whose cells run in the reader's browser, beside the one that was built."""

import sys
from pathlib import Path

from book import BUILD, ROOT, SITE, Refusal, option
from bookish import live
from driver.audit import npm

FOLDER = ROOT / ".live"


def made(target: Path, where: str) -> tuple[list[str], int]:
    """The copy of the site; what it needs of npm is installed first, what tests need alone only for them."""
    npm.install(live.runtime.HERE / "package.json", FOLDER, tests=where == "stand-in")
    return live.write(SITE, ROOT / "docs", target, FOLDER / "node_modules", where)


def main() -> int:
    where = option("LIVE_FROM")
    if not where:
        asked = live.runtime.SHIPPED["numpy"]["file"]
        raise Refusal(f"LIVE=yes needs LIVE_FROM: the folder or the address that has {asked}.")
    pages, fetched = made(BUILD / "live", where)
    print(f"{len(pages)} pages run in the browser; the first press fetches {fetched / 1e6:.1f} MB.")
    if where == "stand-in":
        print("Their numpy stands in for the one that is published: this copy is to be tried, not published.")
    print("`make serve LIVE=yes` serves them.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
