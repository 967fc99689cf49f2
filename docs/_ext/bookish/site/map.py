"""The map: ``{map}`` has a card for each page: picture, title, question, minutes, and what is not written.

On the first page there is a card for every part, on the page of a part one for each of its pages, and with
``:pages:`` one for each of these, in their order. Titles, questions, minutes and pictures come from the pages
themselves; ``docs/planned.yml`` has what no page stands for yet.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from bookish.run.record import record_of
from bookish.write.figures import small
from bookish.write.nodes import made_late, number_of
from bookish.write.words import length_of

PLANNED = "planned.yml"


@dataclass(frozen=True)
class Line:
    """One card of the map; what has no page yet has a title alone."""

    title: str
    page: str = ""  # its address; none where nothing is written
    number: str = ""
    question: str = ""
    state: str = ""
    picture: str = ""  # label of a figure: what the page chooses, or its first


def planned(docs: Path) -> dict[str, dict[str, Any]]:
    """What is not written yet: by part, its chapters."""
    file = docs / PLANNED
    return (yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else None) or {}


def line_of(env: Any, page: str) -> Line:
    """What a page says of itself."""
    record, number = record_of(env, page), number_of(env, page)
    said = ["draft"] * (record.front.get("status") == "draft")
    said += [f"{length_of(env, page).minutes} min"] * bool(number)  # of a chapter; other pages are looked up
    return Line(
        title=env.titles[page].astext(),
        page=page,
        number=number,
        question=record.front.get("question", ""),
        state=", ".join(said),
        picture=record.front.get("picture", next(iter(record.pictures), "")),
    )


def chapters(env: Any, part: str, plan: dict[str, dict[str, Any]]) -> Iterator[Line]:
    """The chapters of a part, those that are written before those that are not."""
    for page in env.toctree_includes.get(f"{part}/index", ()):
        yield line_of(env, page)
    for name, title in plan.get(part, {}).get("chapters", {}).items():
        if f"{part}/{name}" not in env.found_docs:
            yield Line(title)


def parts(env: Any) -> Iterator[Line]:
    """Every part, with the number of its pages."""
    for page in env.toctree_includes.get(env.config.root_doc, ()):
        yield replace(line_of(env, page), state=f"{len(env.toctree_includes.get(page, ()))} pages")


def item(app: Sphinx, docname: str, line: Line) -> nodes.Element:
    """A card: the picture, number and title, the question, minutes or state."""
    number = [nodes.inline("", line.number, classes=["map-number"]), nodes.Text(" ")] if line.number else []
    target = app.builder.get_relative_uri(docname, line.page) or "#"
    title = nodes.reference("", line.title, refuri=target, internal=True)
    found = nodes.list_item("", *small(app, docname, line.picture))
    found += nodes.paragraph("", "", *number, title, classes=["map-title"])
    for kind, said in (("question", line.question), ("state", line.state)):
        if said:
            found += nodes.paragraph("", said, classes=[f"map-{kind}"])
    return found


def drawn(app: Sphinx, docname: str, options: dict[str, Any]) -> list[nodes.Node]:
    env, box, asked = app.env, nodes.container(classes=["map"]), options.get("pages", ())
    if asked:
        lines = [line_of(env, page) for page in asked if page in env.found_docs]
    elif docname == app.config.root_doc and not app.config.pe_only:
        lines = list(parts(env))
    else:
        lines = list(chapters(env, docname.rpartition("/")[0], planned(Path(app.srcdir))))
    if not lines:
        return []
    cards = [item(app, docname, line) for line in lines if line.page]
    box += nodes.enumerated_list("", *cards) if asked else nodes.bullet_list("", *cards)
    if asked:
        minutes = sum(length_of(env, line.page).minutes for line in lines)
        said = f"Together {minutes} minutes, without the exercises."
        box += nodes.paragraph("", said, classes=["map-total"])
    if unwritten := [line.title for line in lines if not line.page]:
        said = f"Not written yet: {'; '.join(unwritten)}."
        box += nodes.paragraph("", said, classes=["map-total"])
    return [box]


def setup(app: Sphinx) -> None:
    made_late(app, "map", drawn, {"pages": lambda given: directives.unchanged_required(given).split()})
