"""The map: ``{map}`` lists chapters with question and minutes, and what is not written yet.

On the first page it lists every part, on the page of a part its chapters. Titles, questions, minutes and
states come from the pages themselves; ``docs/planned.yml`` has what no page stands for yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx

from bookish.run.record import record_of
from bookish.write.nodes import made_late, number_of
from bookish.write.words import length_of

PLANNED = "planned.yml"


@dataclass(frozen=True)
class Line:
    """One line of the map: a page, or what will be one."""

    title: str
    page: str = ""  # its address; none where nothing is written
    number: str = ""
    question: str = ""
    minutes: int = 0  # of a chapter; other pages are looked up
    draft: bool = False


def planned(docs: Path) -> dict[str, dict[str, Any]]:
    """What is not written yet: by part, its title and its chapters."""
    file = docs / PLANNED
    return (yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else None) or {}


def line_of(env: Any, page: str) -> Line:
    """What a page says of itself."""
    front = record_of(env, page).front
    number = number_of(env, page)
    return Line(
        title=env.titles[page].astext(),
        page=page,
        number=number,
        question=front.get("question", ""),
        minutes=length_of(env, page).minutes if number else 0,
        draft=front.get("status") == "draft",
    )


def chapters(env: Any, part: str, plan: dict[str, dict[str, Any]]) -> Iterator[Line]:
    """The chapters of a part, those that are written before those that are not."""
    for page in env.toctree_includes.get(f"{part}/index", ()):
        yield line_of(env, page)
    for name, title in plan.get(part, {}).get("chapters", {}).items():
        if f"{part}/{name}" not in env.found_docs:
            yield Line(title)


def parts(env: Any, plan: dict[str, dict[str, Any]]) -> Iterator[tuple[Line, list[Line]]]:
    """Every part with its chapters: those with a number, those that are planned, the rest."""
    pages = env.toctree_includes.get(env.config.root_doc, ())
    written = {page.rpartition("/")[0]: line_of(env, page) for page in pages}
    for part, line in written.items():
        if line.number:
            yield line, list(chapters(env, part, plan))
    for part, entry in plan.items():
        if part not in written:
            yield Line(entry.get("title", part)), list(chapters(env, part, plan))
    for part, line in written.items():
        if not line.number:
            yield line, list(chapters(env, part, plan))


class Drawing:
    """The lines of a map as nodes, with links from one page."""

    def __init__(self, app: Sphinx, docname: str):
        self.app, self.docname = app, docname

    def link(self, line: Line) -> nodes.Node:
        if not line.page:
            return nodes.inline("", line.title)
        target = self.app.builder.get_relative_uri(self.docname, line.page)
        return nodes.reference("", line.title, refuri=target or "#", internal=True)

    def heading(self, line: Line) -> nodes.Element:
        found = nodes.paragraph("", "", self.link(line), classes=["map-part"])
        if not line.page:
            found += [nodes.Text(" "), nodes.inline("", "not written", classes=["map-state"])]
        return found

    def item(self, line: Line) -> nodes.Element:
        """Number and title, minutes or state, and the question below."""
        number = [nodes.inline("", line.number, classes=["map-number"]), nodes.Text(" ")]
        state = f"{line.minutes} min" if line.minutes else ""
        state = "not written" if not line.page else f"draft, {state}" if line.draft else state
        head = nodes.paragraph("", "", *(number if line.number else ()), self.link(line))
        if state:
            head += [nodes.Text(" "), nodes.inline("", state, classes=["map-state"])]
        item = nodes.list_item("", head, classes=[] if line.page else ["not-written"])
        if line.question:
            item += nodes.paragraph("", line.question, classes=["map-question"])
        return item

    def listed(self, lines: list[Line]) -> nodes.Element:
        return nodes.bullet_list("", *map(self.item, lines), classes=["map-lines"])

    def names(self, lines: list[Line]) -> nodes.Element:
        """Pages that are looked up: their names alone."""
        items = [nodes.list_item("", nodes.paragraph("", "", self.link(line))) for line in lines]
        return nodes.bullet_list("", *items, classes=["map-names"])


def drawn(app: Sphinx, docname: str, options: dict[str, Any]) -> list[nodes.Node]:
    plan = planned(Path(app.srcdir))
    drawing = Drawing(app, docname)
    box = nodes.container(classes=["map"])
    if docname == app.config.root_doc and not app.config.pe_only:
        for part, lines in parts(app.env, plan):
            unnumbered = part.page and not part.number
            box += [drawing.heading(part), (drawing.names if unnumbered else drawing.listed)(lines)]
    elif lines := list(chapters(app.env, docname.rpartition("/")[0], plan)):
        box += drawing.listed(lines)
    return [box]


def setup(app: Sphinx) -> dict[str, Any]:
    made_late(app, "map", drawn)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
