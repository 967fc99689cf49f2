"""All exercises on one page, ``{exercise-list}``, and in one file for those who set them.

Both are made of the marks of the exercises: what is counted, listed and exported was said once, in a title.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from kernel.solutions.marks import KINDS, LEVELS, Exercise
from page.exercises.marked import exercises
from shell.report import table
from shell.texts import base

FILE = "_data/exercises.csv"
COLUMNS = (
    "label",
    "address",
    "version",
    "chapter",
    "number",
    "title",
    "kind",
    "level",
    "minutes",
    "checks itself",
)


class exercise_list(nodes.General, nodes.Element):
    """Stands for the list until all pages have been read."""


class ExerciseList(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [exercise_list()]


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


def said(number: int, minutes: int) -> str:
    """``6 exercises, 1 h 20 min``."""
    hours, rest = divmod(minutes, 60)
    time = " ".join([*([f"{hours} h"] if hours else []), *([f"{rest} min"] if rest else [])])
    return f"{number} exercise{'s' * (number != 1)}, {time}"


def totals(found: list[Exercise]) -> nodes.Node:
    """How many there are of each kind and level, and what they take."""
    rows = []
    for name, of_kind in [
        *((kind, [one for one in found if one.kind == kind]) for kind in KINDS),
        ("all", found),
    ]:
        counts = [sum(one.level == level for one in of_kind) for level in LEVELS]
        minutes = sum(one.minutes for one in of_kind)
        rows.append([name, *map(str, counts), str(len(of_kind)), f"{minutes:,}"])
    made = table(["", *(f"level {level}" for level in LEVELS), "all", "minutes"], rows)
    made["classes"].append("totals")
    return made


def levels() -> nodes.Node:
    items = [
        nodes.list_item(
            "", nodes.paragraph("", "", nodes.strong("", f"Level {level}"), nodes.Text(f" {meaning}."))
        )
        for level, meaning in LEVELS.items()
    ]
    return nodes.bullet_list("", *items)


class Drawing:
    """The list as nodes, with links from one page."""

    def __init__(self, app: Sphinx, docname: str):
        self.app, self.docname = app, docname

    def link(self, page: str, words: str, label: str = "") -> nodes.Node:
        target = self.app.builder.get_relative_uri(self.docname, page) + (f"#{label}" if label else "")
        return nodes.reference("", words, refuri=target, internal=True)

    def chapter(self, page: str, found: list[Exercise]) -> Iterator[nodes.Node]:
        number = ".".join(map(str, self.app.env.toc_secnumbers.get(page, {}).get("", ())))
        words = f"{number} {self.app.env.titles[page].astext()}".strip()
        counted = nodes.inline("", said(len(found), sum(one.minutes for one in found)), classes=["map-state"])
        yield nodes.paragraph(
            "", "", self.link(page, words), nodes.Text(" "), counted, classes=["map-part", "exercises-of"]
        )
        yield nodes.bullet_list("", *map(self.item, found), classes=["map-lines"])

    def item(self, one: Exercise) -> nodes.Node:
        head = nodes.paragraph("", "", nodes.inline("", one.number, classes=["map-number"]), nodes.Text(" "))
        head += self.link(one.page, one.title, one.label)
        mark = one.mark + " · checks itself" * one.checks_itself
        return nodes.list_item("", head, nodes.paragraph("", mark, classes=["map-question"]))


def fill_list(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in list(doctree.findall(exercise_list)):
        found = exercises(app.env)
        drawing = Drawing(app, docname)
        box = nodes.container(classes=["map", "exercise-list"])
        for page, of_page in groupby(found, key=lambda one: one.page):
            box += list(drawing.chapter(page, list(of_page)))
        up = app.builder.get_relative_uri(docname, app.config.root_doc).rpartition("/")[0]
        file = nodes.reference("", Path(FILE).name, refuri=f"{up}{'/' * bool(up)}{FILE}", internal=True)
        line = nodes.paragraph("", "", nodes.Text(said(len(found), sum(one.minutes for one in found))))
        line += [nodes.Text(", as a file: "), file]
        node.replace_self([levels(), totals(found), line, box])


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_node(exercise_list)
    app.add_directive("exercise-list", ExerciseList)
    app.connect("doctree-resolved", fill_list)
    app.connect("html-collect-pages", write_csv)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
