"""The build report: what was executed and checked, as a page; what it cost, in a file beside the site."""

from __future__ import annotations

import json
import platform
import re
from importlib import metadata
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from kernel.record import record_of
from page.words import HELD, LIMIT, length_of
from pe_book.evidence.records import fuzz, versions

log = logging.getLogger(__name__)

PACKAGES = ("numpy", "torch", "sympy", "matplotlib", "sphinx", "myst-nb", "ipykernel", "sphinx-book-theme")
NUMBER = re.compile(r"[\d,]+")
COUNTS = {
    "found": "evaluated numbers",
    "tabled": "computed tables",
    "given": "given integers",
    "free": "numbers left free with a reason",
    "held": "held statements",
    "quoted": "quoted numbers",
}


class report(nodes.General, nodes.Element):
    """Stands for the report until all pages have been read."""


class Report(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [report()]


def table(header: list[str], rows: list[list[str]]) -> nodes.table:
    """Numbers at the right of their column, below the header."""
    right = [all(NUMBER.fullmatch(cell) for cell in column) for column in zip(*rows, strict=True)]
    group = nodes.tgroup("", *[nodes.colspec(colwidth=1) for _ in header], cols=len(header))
    for part, lines in ((nodes.thead(), [header]), (nodes.tbody(), rows)):
        for line in lines:
            part += nodes.row(
                "",
                *[
                    nodes.entry("", nodes.paragraph("", cell), classes=["text-right"] if end else [])
                    for cell, end in zip(line, right, strict=True)
                ],
            )
        group += part
    return nodes.table("", group, classes=["found"], made="found")


def fuzz_tables() -> list[nodes.Node]:
    """The odd calls of the fuzz by how they ended, and what was called."""
    found = fuzz.recorded()
    parts = {
        "numpy": [name for name in found.functions if not name.startswith("nn.")],
        "torch": [name for name in found.functions if name.startswith("nn.")],
        "together": list(found.functions),
    }
    rows = []
    for part, names in parts.items():
        sums = found.sums(names)
        rows.append([part, *(f"{n:,}" for n in (len(names), sum(sums.values()), *sums.values()))])
    called_with = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    return [
        table(["", "functions", "odd calls", *fuzz.OUTCOMES], rows),
        nodes.paragraph("", f"The odd calls were counted with {found.standing}, {called_with}."),
    ]


def lengths(env: Any) -> list[nodes.Node]:
    """Words and minutes of every page, and how many pages keep the limit of the new form."""
    rows = []
    within = 0
    forms = {page: record_of(env, page).front.get("form", "") for page in env.found_docs}
    chapters = [page for page in sorted(forms) if forms[page] in ("old", *HELD)]
    for page in [*chapters, *sorted(set(env.found_docs) - set(chapters))]:
        length = length_of(env, page)
        within += page in chapters and length.main <= LIMIT
        name = page.replace("/", "/\u200b")  # may break there on a phone
        rows.append([name, forms[page], f"{length.main:,}", f"{length.whole:,}", str(length.minutes)])
    said = (
        f"{within} of {len(chapters)} chapters have at most {LIMIT:,} words on their main path. "
        "The new and the revised form are held to it."
    )
    header = ["page", "form", "words of the main path", "words in all", "minutes"]
    return [table(header, rows), nodes.paragraph("", said)]


def version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "left out"


def fill_report(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in list(doctree.findall(report)):
        pages = {
            page: record_of(app.env, page).counts
            for page in sorted(app.env.found_docs)
            if record_of(app.env, page).counts
        }
        rows = [
            [page, *(str(counts[key]) for key in COUNTS)]
            for page, counts in pages.items()
            if any(counts.values())
        ]
        rows.append(["all pages", *(str(sum(counts[key] for counts in pages.values())) for key in COUNTS)])
        software = [
            ["Python", platform.python_version()],
            *([package, version(package)] for package in PACKAGES),
        ]
        tried = versions.recorded()
        figures = sum(len(record_of(app.env, page).figures) for page in pages)
        sums = [
            ["pages", str(len(app.env.found_docs))],
            ["pages executed", str(len(executions(app.env)))],
            ["figures", str(figures)],
            ["labels", str(sum(len(record_of(app.env, p).labels) for p in app.env.found_docs))],
        ]
        node.replace_self(
            [
                table(["what", "number"], sums),
                table(["page", *COUNTS.values()], rows),
                *lengths(app.env),
                *fuzz_tables(),
                table(["software", "version"], software),
                nodes.paragraph("", f"{tried.sentence()} That was {tried.standing}."),
            ]
        )


def executions(env: Any) -> dict[str, dict[str, Any]]:
    return {
        page: cost
        for page in sorted(env.found_docs)
        if (cost := record_of(env, page).execution) and cost["kernel"]
    }


def write_costs(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    cost = executions(app.env)
    Path(app.outdir).with_name("build-costs.json").write_text(json.dumps(cost, indent=1), encoding="utf-8")
    for page, cost_of_page in cost.items():
        if not cost_of_page["replayed"]:
            log.info("%s: %.1f s, %s MB", page, cost_of_page["seconds"], cost_of_page["memory"])


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_node(report)
    app.add_directive("build-report", Report)
    app.connect("doctree-resolved", fill_report)
    app.connect("build-finished", write_costs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
