"""The build report: what was executed and checked, as a page.

What else a book has to report answers the event ``build-report``: sentences, and tables as header and rows.
"""

import platform
import re
from dataclasses import astuple
from importlib import metadata
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from bookish.run.record import record_of
from bookish.write.nodes import made_late
from bookish.write.words import BOXED, length_of

NUMBER = re.compile(r"[\d,]+")
TRIED = {"read": "tried", "defines": "define a name", "unread": "not read"}
COUNTS = {
    "found": "evaluated numbers",
    "tabled": "computed tables",
    "given": "given integers",
    "free": "numbers left free with a reason",
    "held": "held statements",
    "quoted": "quoted numbers",
}


def table(header: list[str], rows: list[list[str]]) -> nodes.table:
    """Numbers at the right of their column, below the header."""
    right = [all(NUMBER.fullmatch(cell) for cell in column) for column in zip(*rows, strict=True)]
    group = nodes.tgroup("", *[nodes.colspec(colwidth=1) for _ in header], cols=len(header))
    for part, lines in ((nodes.thead(), [header]), (nodes.tbody(), rows)):
        for line in lines:
            part += (row := nodes.row())
            for cell, end in zip(line, right, strict=True):
                row += nodes.entry("", nodes.paragraph("", cell), classes=["text-right"] * end)
        group += part
    return nodes.table("", group, classes=["found"], made="found")


def lengths(env: Any) -> nodes.table:
    """How long every page is."""
    rows = []
    forms = {page: record_of(env, page).front.get("form", "") for page in env.found_docs}
    chapters = [page for page in sorted(forms) if forms[page] in ("old", *BOXED)]
    for page in [*chapters, *sorted(set(env.found_docs) - set(chapters))]:
        name = page.replace("/", "/\u200b")  # may break there on a phone
        rows.append([name, forms[page], *(f"{number:,}" for number in astuple(length_of(env, page)))])
    header = ["page", "form", "words of the main path", "words in all", "minutes", "sections", "columns"]
    return table(header, rows)


def formulas(env: Any) -> list[nodes.Node]:
    """How many formulas of each page were tried, and those that could not be read."""
    found = {page: one for page in sorted(env.found_docs) if (one := record_of(env, page).formulas)}
    counts = {page: [[row[2] for row in one].count(state) for state in TRIED] for page, one in found.items()}
    counts["all pages"] = [sum(column) for column in zip(*counts.values(), strict=True)]
    unread = [(page, *row) for page, one in found.items() for row in one if row[2] == "unread"]
    rows = [[page.replace("/", "/\u200b"), *map(str, row)] for page, row in counts.items()]
    if not unread:
        return []
    reasons = [[*row[:3], row[4]] for row in unread]
    header = ["page", "label", "formula that is not read", "reason"]
    return [table(["formulas of the page", *TRIED.values()], rows), table(header, reasons)]


def version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "left out"


def whole(app: Sphinx, docname: str, options: dict[str, Any]) -> list[nodes.Node]:
    records = {page: record_of(app.env, page) for page in sorted(app.env.found_docs)}
    counts = {page: record.counts for page, record in records.items() if record.counts}
    rows = [[page, *(str(one[key]) for key in COUNTS)] for page, one in counts.items() if any(one.values())]
    rows.append(["all pages", *(str(sum(one[key] for one in counts.values())) for key in COUNTS)])
    sums = {
        "pages": len(records),
        "pages executed": sum(record.execution is not None for record in records.values()),
        "figures": sum(len(records[page].figures) for page in counts),
        "labels": sum(len(record.labels) for record in records.values()),
    }
    software = [
        ["Python", platform.python_version()],
        *([name, version(name)] for name in app.config.pe_software),
    ]
    told = [part for parts in app.emit("build-report") for part in parts]
    return [
        table(["what", "number"], [[what, str(number)] for what, number in sums.items()]),
        table(["page", *COUNTS.values()], rows),
        lengths(app.env),
        *formulas(app.env),
        table(["software", "version"], software),
        *(nodes.paragraph("", part) if isinstance(part, str) else table(*part) for part in told),
    ]


def setup(app: Sphinx) -> None:
    app.add_config_value("pe_software", [], "html", list)  # distributions whose versions are listed
    app.add_event("build-report")
    made_late(app, "build-report", whole)
