"""`make audit`: weigh every page of the built site and score the chapters with Lighthouse.

PAGES='why/order-blindness ...' looks at these alone, LIGHTHOUSE=no leaves Lighthouse out, LIGHTHOUSE=1 runs
it once instead of five times, RECORD=yes writes pe_book/evidence/records/audit.json, which the site shows.
What else may be wrong with a page is looked for by tests/site.
"""

import sys
from pathlib import Path

from book import SITE, Refusal, option
from driver.audit import lighthouse, npm
from driver.audit.server import served
from driver.audit.weights import requests_of, too_heavy, weigh
from driver.look import DESKTOP, ask, chromium
from pe_book.evidence.records import audit as evidence

PREFIX = "/en/latest/"
SCORED = ("index", "reference/conventions", "reference/api")  # with the chapters
PARTS = ("why", "sinusoidal", "family")


def pages_of(site: Path, named: str) -> list[str]:
    """The names of the pages to look at: those that are asked for, or all."""
    found = [page.relative_to(site).with_suffix("") for page in sorted(site.rglob("*.html"))]
    pages = [page.as_posix() for page in found if "_static" not in page.parts]
    wanted = [name.removesuffix(".html").removesuffix(".md") for name in named.split()]
    if lacking := set(wanted) - set(pages):
        raise Refusal("There is no page %s: PAGES='why/order-blindness ...'" % ", ".join(sorted(lacking)))
    return wanted or pages


def scored_of(pages: list[str]) -> list[str]:
    """The pages that Lighthouse opens: the chapters, and the few that people come to most."""
    chapters = [page for page in pages if page.split("/")[0] in PARTS and not page.endswith("/index")]
    return [page for page in [*SCORED, *chapters] if page in pages]


def runs_of(given: str) -> int:
    if given == "no":
        return 0
    if not given.isdigit() or int(given) % 2 == 0:
        raise Refusal("LIGHTHOUSE is %r: it can be no, or an odd number of runs." % given)
    return int(given)


def weights_of(home: str, pages: list[str]) -> tuple[dict[str, dict[str, int]], str]:
    """What each page weighs, and the version of the browser that loaded it."""
    found = {}
    with chromium() as browser:
        page = browser.new_page(viewport=DESKTOP)
        answered = requests_of(page)
        for name in pages:
            answered.clear()
            page.goto(f"{home}{name}.html", wait_until="load")
            ask(page, "() => document.fonts.ready.then(() => true)")
            found[name] = weigh(page, answered)
        return found, str(browser.version)


def scores_of(home: str, pages: list[str], runs: int) -> dict[str, dict[str, lighthouse.Score]]:
    found: dict[str, dict[str, lighthouse.Score]] = {}
    for page in pages:
        for device in lighthouse.DEVICES:
            seen = lighthouse.score(f"{home}{page}.html", device, runs)
            found.setdefault(page, {})[device] = seen
            print(page, device, *seen.categories.values(), seen.runs, *seen.failed, flush=True)
    return found


def main() -> int:
    digest = evidence.RECORD.digest()
    pages, runs = pages_of(SITE, option("PAGES")), runs_of(option("LIGHTHOUSE", "5"))
    if runs:
        npm.install(lighthouse.PINS, lighthouse.FOLDER)
    with served(SITE, PREFIX) as home:
        weights, browser = weights_of(home, pages)
        scores = scores_of(home, scored_of(pages), runs) if runs else {}
    # the page of the search opens with the index, others load that when somebody searches
    wrong = [(page, what) for page in pages if page != "search" for what in too_heavy(weights[page])]
    for page, devices in scores.items():
        wrong += [
            (page, what) for device, seen in devices.items() for what in lighthouse.too_low(device, seen)
        ]
    print("\n".join([f"{page}: {what}" for page, what in wrong]))
    print(f"{len(pages)} pages, {len(wrong)} complaints")
    if option("RECORD") == "yes":
        plain = {
            page: {device: seen.categories for device, seen in devices.items()}
            for page, devices in scores.items()
        }
        versions = {"Chromium": browser, **npm.pinned(lighthouse.PINS)}
        found = {"versions": versions, "runs": runs, "weights": weights, "scores": plain}
        evidence.RECORD.write(found, digest=digest)
        print("Recorded in pe_book/evidence/records/audit.json.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
