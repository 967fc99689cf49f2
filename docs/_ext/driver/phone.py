"""Measure built pages on a phone: `python docs/_ext/driver phone docs/_build/html [page ...]`.

At 360 and 390 px, with folds closed and open: no page, box, heading, figure or formula is cut or scrolls
sideways, and no number of a formula lies over it. Text in a figure is at least 11 px high as it is displayed;
no two texts of a panel overlap; none leaves its panel. A table may scroll if its first column stays, the
second is seen at once, it shows that it scrolls and a keyboard can do it. No word of code or of a table is
broken, no punctuation starts a line. Controls have 44 px; other targets outside running text have 24, or as
much room around them. Code may scroll in its box. With `--shots FOLDER` a picture of every figure is written.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Page

from driver.look import FIND_OVERFLOWING, chromium, open_settled

WIDTHS = (360, 390)  # px
HEIGHT = 780
LIMITS = {
    "text": 11,  # px, as displayed
    "script": 7.5,  # px: subscripts and exponents are 0.7 of their line
    "overlap": 1,  # px by which the ink of two texts may meet, and a text may leave its panel
    "control": 44,  # px
    "target": 24,  # px
}
COUNTED = ("figures", "panels", "texts", "formulas", "tables", "scrolling", "targets")
PARTS = ("common", "figures", "widths", "tables", "words", "targets", "page")
MEASURE = "async (limits) => {\n%s\nreturn measurePage(limits)}" % "\n".join(
    Path(__file__).with_suffix("").joinpath(f"{part}.js").read_text(encoding="utf-8") for part in PARTS
)
# what is skipped while it is off the screen has no width yet
ALL_LAID_OUT = "* {content-visibility: visible !important}"


def pages_of(site: Path, names: list[str]) -> list[str]:
    """The pages to look at, as paths below the site: those named, or all."""
    if names:
        return [
            name.removeprefix("docs/").removesuffix(".md").removesuffix(".html") + ".html" for name in names
        ]
    found = [page.relative_to(site) for page in sorted(site.rglob("*.html"))]
    return [page.as_posix() for page in found if "_static" not in page.parts]


def measure(page: Page, *, folds_open: bool, ink: bool) -> dict[str, Any]:
    """What is wrong on the page that is open, and how much was looked at."""
    result: dict[str, Any] = page.evaluate(MEASURE, {**LIMITS, "open": folds_open, "ink": ink})
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
    """For each page and width what `measure` finds, each thing once."""
    context = browser.new_context(
        viewport={"width": WIDTHS[0], "height": HEIGHT}, color_scheme="light", device_scale_factor=2
    )
    page, results = context.new_page(), {}
    for name in names:
        open_settled(page, (site / name).resolve().as_uri())
        page.add_style_tag(content=ALL_LAID_OUT)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": HEIGHT})
            closed = measure(page, folds_open=False, ink=False)
            result = measure(page, folds_open=True, ink=width == WIDTHS[0])
            known = [(wrong["where"], wrong["kind"], wrong["text"]) for wrong in result["found"]]
            result["found"] += [
                wrong
                for wrong in closed["found"]
                if (wrong["where"], wrong["kind"], wrong["text"]) not in known
            ]
            results[name, width] = result
            if shots is not None and width == WIDTHS[0]:
                photograph(page, name, shots)
    context.close()
    return results


def report(results: dict[str, Any]) -> list[str]:
    """One line for each thing that is wrong: page, place, what, and at which widths."""
    widths: dict[str, list[str]] = {}
    for (name, width), result in results.items():
        for wrong in result["found"]:
            line = f"{name}  {wrong['where']}  {wrong['kind']}: {wrong['text']}"
            if str(width) not in (seen := widths.setdefault(line, [])):
                seen.append(str(width))
    return [f"{line}  [{', '.join(seen)} px]" for line, seen in widths.items()]


def summary(results: dict[str, Any]) -> str:
    """How much was looked at and how much is wrong, one line for each width."""
    lines = []
    for width in WIDTHS:
        looked = [result for (_, seen), result in results.items() if seen == width]
        kinds = [wrong["kind"] for result in looked for wrong in result["found"]]
        counted = {key: sum(result[key] for result in looked) for key in COUNTED}
        wrong = ", ".join(f"{kind} {kinds.count(kind)}" for kind in sorted(set(kinds)))
        much = ", ".join(f"{count} {what}" for what, count in {"pages": len(looked), **counted}.items())
        lines.append(f"at {width} px, {much}: {wrong or 'nothing wrong'}")
    return "\n".join(lines)


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
        written = {f"{name} at {width} px": result for (name, width), result in results.items()}
        given.json.write_text(json.dumps(written, indent=1), encoding="utf-8")
    print("\n".join([*report(results), summary(results)]))
    return int(any(result["found"] for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
