"""Measure built pages on a small phone: `python docs/_ext/phone.py docs/_build/html [page ...]`.

At 360 px, with every fold open: no figure, box or page is cut or scrolls sideways; text in a figure is at
least 11 px high as it is displayed; no two texts of a panel overlap; no text leaves its panel. Formulas,
tables and code may scroll in their boxes. With `--shots FOLDER` a picture of every figure is written there.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from look import FIND_OVERFLOWING, chromium, open_settled
from playwright.sync_api import Browser, Error, Page

SMALL_PHONE = {"width": 360, "height": 780}
SMALLEST_TEXT = 11  # px, as displayed
SMALLEST_SCRIPT = 7.5  # px: subscripts and exponents are 0.7 of their line
OVERLAP = 1  # px by which the ink of two texts may meet, and a text may leave its panel

MEASURE = Path(__file__).with_name("phone.js").read_text(encoding="utf-8")


def pages_of(site: Path, names: list[str]) -> list[str]:
    """The pages to look at, as paths below the site: those named, or all."""
    if names:
        return [
            name.removeprefix("docs/").removesuffix(".md").removesuffix(".html") + ".html" for name in names
        ]
    found = [page.relative_to(site) for page in sorted(site.rglob("*.html"))]
    return [page.as_posix() for page in found if "_static" not in page.parts]


def measure(page: Page) -> dict[str, Any]:
    """What is wrong on the page that is open, and how much was looked at."""
    limits = {"text": SMALLEST_TEXT, "script": SMALLEST_SCRIPT, "overlap": OVERLAP}
    result: dict[str, Any] = page.evaluate(MEASURE, limits)
    result["found"] += [
        {"where": "page", "kind": "page scrolls", "text": line} for line in page.evaluate(FIND_OVERFLOWING)
    ]
    return result


def photograph(page: Page, name: str, folder: Path) -> None:
    """One picture of every figure of the page."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, figure in enumerate(page.locator("article.bd-article figure").all(), 1):
        if figure.is_visible():
            own = figure.get_attribute("id") or f"figure-{number}"
            stem = f"{name.removesuffix('.html').replace('/', '-')}--{own}"
            figure.screenshot(path=str(folder / f"{stem}.png"))


def look_at(browser: Browser, site: Path, names: list[str], shots: Path | None = None) -> dict[str, Any]:
    """For each page what `measure` finds."""
    context = browser.new_context(viewport=SMALL_PHONE, color_scheme="light", device_scale_factor=2)
    page, results = context.new_page(), {}
    for name in names:
        open_settled(page, (site / name).resolve().as_uri())
        results[name] = measure(page)
        if shots is not None:
            photograph(page, name, shots)
    context.close()
    return results


def report(results: dict[str, Any]) -> list[str]:
    """One line for each thing that is wrong: page, figure, what."""
    return [
        f"{name}  {wrong['where']}  {wrong['kind']}: {wrong['text']}"
        for name, result in results.items()
        for wrong in result["found"]
    ]


def summary(results: dict[str, Any]) -> str:
    kinds = [wrong["kind"] for result in results.values() for wrong in result["found"]]
    counted = {key: sum(result[key] for result in results.values()) for key in ("figures", "panels", "texts")}
    wrong = ", ".join(f"{kind} {kinds.count(kind)}" for kind in sorted(set(kinds)))
    looked = ", ".join(f"{count} {what}" for what, count in {"pages": len(results), **counted}.items())
    return f"at {SMALL_PHONE['width']} px, {looked}: {wrong or 'nothing wrong'}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--shots", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    names = pages_of(given.site, given.pages)
    absent = [name for name in names if not (given.site / name).is_file()]
    if absent or not names:
        return sys.exit(f"{given.site} has no page {', '.join(absent) or 'at all'}")
    try:
        with chromium() as browser:
            results = look_at(browser, given.site, names, given.shots)
    except (LookupError, Error) as error:
        return sys.exit(str(error))
    if given.json:
        given.json.write_text(json.dumps(results, indent=1), encoding="utf-8")
    print("\n".join([*report(results), summary(results)]))
    return int(any(result["found"] for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
