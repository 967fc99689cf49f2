"""`make audit`: open every page of the built site, follow every link, weigh, score; say what is wrong.

PAGES='why/order-blindness ...' looks at these alone, LIGHTHOUSE=no leaves Lighthouse out, LIGHTHOUSE=1 runs
it once instead of five times, RECORD=yes writes pe_book/evidence/records/audit.json, which the site shows.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from book import ROOT, SITE, Refusal, option
from driver.audit import lighthouse, links, server, visits
from driver.look import chromium
from pe_book.evidence.records import audit as evidence

STOCK = lighthouse.FOLDER / "stock"
PREFIX = "/en/latest/"
SOURCES = "pe_book/"  # the pages of source code
SCORED = ("index", "reference/conventions", "reference/api")  # with the chapters
PARTS = ("why", "sinusoidal", "family")
GLANCED = ("index.html", "why/order-blindness.html", "search.html")  # opened under / and from the folder too


def pages_of(site: Path, named: str) -> list[str]:
    pages = links.pages_of(site)
    wanted = [name.removesuffix(".html").removesuffix(".md") + ".html" for name in named.split()]
    if lacking := set(wanted) - set(pages):
        raise Refusal("There is no page %s: PAGES='why/order-blindness ...'" % ", ".join(sorted(lacking)))
    return wanted or pages


def scored_of(pages: list[str]) -> list[str]:
    """The pages that Lighthouse opens: the chapters, and the few that people come to most."""
    chapters = [page for page in pages if page.split("/")[0] in PARTS and not page.endswith("/index.html")]
    return [page for page in [*(name + ".html" for name in SCORED), *chapters] if page in pages]


def runs_of(given: str) -> int:
    if given == "no":
        return 0
    if not given.isdigit() or int(given) % 2 == 0:
        raise Refusal("LIGHTHOUSE is %r: it can be no, or an odd number of runs." % given)
    return int(given)


def read_pages(site: Path) -> list[visits.Finding]:
    """What is wrong with the links and scripts of all pages."""
    documents = links.documents_of(site)
    found = [
        visits.Finding(page, "inline script", script)
        for page, document in documents.items()
        for script in document.inline
    ]
    for line in links.complaints(site, documents):
        page, _, what = line.partition(": ")
        found.append(visits.Finding(page, "link", what))
    print("%d pages read: links and scripts, %d complaints" % (len(documents), len(found)))
    return found


def open_pages(site: Path, pages: list[str], axe: str) -> tuple[list[visits.Visit], list[visits.Finding]]:
    jobs = visits.jobs_of(pages)
    with server.served(site, PREFIX) as home:
        seen = visits.visit_all(home, jobs, axe, os.cpu_count() or 1)
    found = [finding for one in seen for finding in one.findings]
    glanced = [page for page in GLANCED if (site / page).exists()]
    with chromium() as browser, server.served(site) as home:
        for where in (home, site.as_uri() + "/"):
            found += visits.glance(browser, where, glanced)
    return seen, found


def build_stock() -> None:
    """The same content in the stock theme; made anew each time, from what is executed already."""
    print("Building the same content in the stock theme into .audit/stock.", flush=True)
    command = [Path(__file__).parents[1], "audit.stock", STOCK, STOCK.with_name("stock.doctrees")]
    log = STOCK.with_name("stock.log")
    with log.open("w", encoding="utf-8") as file:
        code = subprocess.call([sys.executable, *map(str, command)], cwd=ROOT, stdout=file, stderr=file)
    if code:
        raise Refusal("The stock theme could not be built: %s says why." % log)


def run_lighthouse(site: Path, pages: list[str], runs: int) -> tuple[evidence.Scores, list[visits.Finding]]:
    build_stock()
    with server.served(site, PREFIX) as book, server.served(STOCK, PREFIX, policy="") as stock:
        scores = lighthouse.scores_of({"book": book, "stock": stock}, pages, runs)
    found = [
        visits.Finding(page, "Lighthouse", what)
        for page, themes in scores.items()
        for device, score in themes["book"].items()
        for what in lighthouse.too_low(device, score)
    ]
    plain = {
        name_of(page): {
            theme: {device: score.categories for device, score in devices.items()}
            for theme, devices in themes.items()
        }
        for page, themes in scores.items()
    }
    return plain, found


def name_of(page: str) -> str:
    return page.removesuffix(".html")


def weights_of(seen: list[visits.Visit]) -> dict[str, dict[str, int]]:
    return {name_of(one.page): one.weight for one in seen if one.scheme == "light"}


def browser_version() -> str:
    with chromium() as browser:
        return str(browser.version)


def main() -> int:
    began, digest, site = time.monotonic(), evidence.RECORD.digest(), SITE
    pages, runs = pages_of(site, option("PAGES")), runs_of(option("LIGHTHOUSE", "5"))
    lighthouse.install()
    found = read_pages(site)
    seen, more = open_pages(site, pages, lighthouse.axe())
    found += more
    scores: evidence.Scores = {}
    if runs:
        scores, more = run_lighthouse(site, scored_of(pages), runs)
        found += more
    print("\n".join(visits.grouped(found)))
    minutes = (time.monotonic() - began) / 60
    print("%d pages, %d visits, %d findings, %.0f minutes" % (len(pages), len(seen), len(found), minutes))
    (lighthouse.FOLDER / "findings.json").write_text(visits.as_text(found), encoding="utf-8")
    if option("RECORD") == "yes":
        versions = {
            "Chromium": browser_version(),
            **lighthouse.pinned(),
            "sphinx-book-theme": stock_version(),
        }
        kinds = [finding.kind for finding in found]
        counts = {kind: kinds.count(kind) for kind in evidence.KINDS}
        recorded = {
            "versions": versions, "visits": len(seen), "runs": runs,
            "counts": counts, "weights": weights_of(seen), "scores": scores,
        }  # fmt: skip
        evidence.RECORD.write(recorded, digest=digest)
        print("Recorded in pe_book/evidence/records/audit.json.")
    return 1 if found else 0


def stock_version() -> str:
    from importlib import metadata

    return metadata.version("sphinx-book-theme")


if __name__ == "__main__":
    sys.exit(main())
