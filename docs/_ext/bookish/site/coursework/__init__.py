"""All exercises on one page, ``{exercise-list}``, or those that ``:labels:`` names, and all in one file.

Both are made of the marks of the exercises: what is counted, listed and exported was said once, in a title.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from bookish.run.solutions.marks import KINDS, LEVELS, Exercise
from bookish.site.report import table
from bookish.site.texts import base
from bookish.write.exercises import exercises
from bookish.write.nodes import made_late, title_of

FILE = "_data/exercises.csv"
COLUMNS = (
    "label", "address", "version", "chapter", "number", "title", "kind", "level", "minutes", "checks itself",
)  # fmt: skip


def as_csv(app: Sphinx, found: Iterable[Exercise]) -> str:
    """One line an exercise; addresses are whole where the site knows its own."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(COLUMNS)
    for one in found:
        address = f"{base(app)}{app.builder.get_target_uri(one.page)}#{one.label}"
        chapter = app.env.titles[one.page].astext()
        told = (one.label, address, app.config.release, chapter, one.number, one.title)
        checks = "yes" if one.checks_itself else "no"
        lines.writerow([*told, one.kind, one.level, one.minutes, checks])
    return text.getvalue()


def write_csv(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    file = Path(app.outdir, FILE)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(as_csv(app, exercises(app.env)), encoding="utf-8", newline="\n")
    return iter(())


def said(found: list[Exercise]) -> str:
    """``6 exercises, 1 h 20 min``."""
    hours, rest = divmod(sum(one.minutes for one in found), 60)
    time = " ".join([*([f"{hours} h"] if hours else []), *([f"{rest} min"] if rest else [])])
    return f"{len(found)} exercise{'s' * (len(found) != 1)}, {time}"


def totals(found: list[Exercise]) -> nodes.Node:
    rows = []
    for name in (*KINDS, "all"):
        of_kind = [one for one in found if name in (one.kind, "all")]
        counts = [sum(one.level == level for one in of_kind) for level in LEVELS]
        minutes = sum(one.minutes for one in of_kind)
        rows.append([name, *map(str, counts), str(len(of_kind)), f"{minutes:,}"])
    made = table(["", *(f"level {level}" for level in LEVELS), "all", "minutes"], rows)
    made["classes"].append("totals")
    return made


def levels() -> nodes.Node:
    listed = nodes.bullet_list()
    for level, meaning in LEVELS.items():
        words = nodes.strong("", f"Level {level}"), nodes.Text(f" {meaning}.")
        listed += nodes.list_item("", nodes.paragraph("", "", *words))
    return listed


def listed(app: Sphinx, docname: str, options: dict[str, Any]) -> list[nodes.Node]:
    """The levels, the sums, and below each chapter its exercises; of some exercises these, and their sum."""

    def link(words: str, page: str, label: str = "") -> nodes.Node:
        target = app.builder.get_relative_uri(docname, page) + f"#{label}" * bool(label)
        return nodes.reference("", words, refuri=target, internal=True)

    def item(one: Exercise) -> nodes.Node:
        head = nodes.paragraph("", "", nodes.inline("", one.number, classes=["map-number"]), nodes.Text(" "))
        head += link(one.title, one.page, one.label)
        mark = one.mark + " · checks itself" * one.checks_itself
        return nodes.list_item("", head, nodes.paragraph("", mark, classes=["map-question"]))

    found = exercises(app.env)
    box = nodes.container(classes=["map", "exercise-list"])
    if labels := options.get("labels"):
        asked = sorted((one for one in found if one.label in labels), key=lambda one: labels.index(one.label))
        box += nodes.bullet_list("", *map(item, asked), classes=["map-lines"])
        box += nodes.paragraph("", f"Together {said(asked)}.", classes=["map-total"])
        return [box]
    for page, group in groupby(found, key=lambda one: one.page):
        of_page = list(group)
        counted = nodes.inline("", said(of_page), classes=["map-state"])
        head = [link(title_of(app.env, page), page), nodes.Text(" "), counted]
        box += nodes.paragraph("", "", *head, classes=["map-part", "exercises-of"])
        box += nodes.bullet_list("", *map(item, of_page), classes=["map-lines"])
    up = app.builder.get_relative_uri(docname, app.config.root_doc).rpartition("/")[0]
    file = nodes.reference("", Path(FILE).name, refuri=f"{up}{'/' * bool(up)}{FILE}", internal=True)
    line = nodes.paragraph("", "", nodes.Text(said(found)), nodes.Text(", as a file: "), file)
    return [levels(), totals(found), line, box]


def setup(app: Sphinx) -> None:
    made_late(
        app, "exercise-list", listed, {"labels": lambda given: directives.unchanged_required(given).split()}
    )
    app.connect("html-collect-pages", write_csv)
