"""Lighthouse over the compressed server.

Node comes from the environment of the book; Lighthouse is installed into .audit/, as pinned in package.json.
"""

import json
import os
import statistics
from pathlib import Path
from typing import Any, NamedTuple

from book import ROOT, Refusal
from driver.audit.npm import call_node
from driver.browser import OPTIONS, chromium_path

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
    """One report of Lighthouse."""
    flags = " ".join(option for option in OPTIONS if option != "--force-color-profile=srgb")
    arguments = [
        str(MODULES / "lighthouse" / "cli" / "index.js"), url, "--quiet", "--output=json",
        f"--only-categories={','.join(CATEGORIES)}", f"--chrome-flags={flags}", *DEVICES[device],
    ]  # fmt: skip
    environment = {**os.environ, "CHROME_PATH": chromium_path()}
    ended = call_node("node", arguments, capture_output=True, text=True, env=environment, cwd=str(FOLDER))
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
