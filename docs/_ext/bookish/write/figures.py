"""What is taken from a figure: data, files, alternative text and credit, and the small picture of a card.

The files are written with the page: ``_data/fig-….svg``, ``.png`` and ``.csv``. What draws the figures of a
book answers the event ``figure-as-svg`` with the text of a file of its own. ``{small}`` puts a `panel` into a
page, counted from 0; the map has the first one on each card. Of its files, for light pages and for dark ones,
a browser asks for one, when the card comes near. The colours are the roles of book.css.
"""

import base64
import csv
import io
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from bookish.run.record import parents, record_of
from bookish.run.refusals import refuse
from bookish.write.bundle import THEME
from bookish.write.nodes import made_late, number_of

SHOWN_CELLS = 150  # a longer table is cut on the page and whole in the file
SUMMARY = "Use this figure: data, files, credit"
UNMOVED = "as drawn here before you move the controls"
KINDS = {"svg": "SVG", "png": "PNG", "csv": "CSV"}


def taken(made: dict[str, Any], file: str, moves: bool = False) -> nodes.raw:
    """A place below a figure, one click away; it is filled in when the page is written, with its number."""
    return nodes.raw("", "", format="html", taken=dict(made), file=file, moves=moves, made="found")


def files(app: Sphinx, made: dict[str, Any], number: str, owed: str) -> dict[str, bytes]:
    """A figure by the endings of its files: colours as by day, on paper, and its data."""
    picture = app.emit_firstresult("figure-as-svg", made["html"], number, f"{made['alt']} {owed}")
    return {"svg": picture.encode(), "png": base64.b64decode(made["png"]), "csv": made["csv"].encode()}


def figures_of(app: Sphinx, doctree: nodes.document, docname: str) -> Iterator[tuple[nodes.raw, str, str]]:
    """The places of a page with the number of their figure, as the page counts it, and with its credit."""
    for node in [one for one in doctree.findall(nodes.raw) if "taken" in one]:
        figure = next(one for one in parents(node) if isinstance(one, nodes.figure))
        name = figure["ids"][0] if figure["ids"] else ""
        counted = app.config.numfig_format["figure"] % (number_of(app.env, docname, name, "figure") or "?")
        home = app.config.html_baseurl.rstrip("/")
        address = f"{home}/{app.builder.get_target_uri(docname)}#{name}" if home else ""
        licence = app.config.pe_licences["text"]  # and whose it is, as the window beside its number says
        yield node, counted, f"{app.config.pe_reference} {counted}. {licence}. {address}".strip()


def table(text: str) -> str:
    """The data as a table, cut where it is long."""
    header, *rows = list(csv.reader(io.StringIO(text)))
    kept = rows[: max(8, SHOWN_CELLS // len(header))]
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in kept)
    cut = f"<p>The first {len(kept)} of {len(rows)} rows; all are in the file.</p>"
    whole = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scrolls" tabindex="0">{whole}</div>' + cut * (len(kept) < len(rows))


def disclosure(made: dict[str, Any], links: dict[str, str], owed: str, moves: bool) -> str:
    """All that is offered, behind one line; of a figure that moves it is what is drawn first."""
    offered = " ".join(
        f'<a href="{escape(link)}" download title="{escape(link.rpartition("/")[2])}">{KINDS[ending]}</a>'
        for ending, link in links.items()
    )
    if moves:
        offered += f" {UNMOVED}"
    words = "".join(
        f'<dt>{name}</dt><dd class="{kind}">{escape(text)}</dd>'
        for name, kind, text in (("Alternative text", "alt", made["alt"]), ("Credit", "credit", owed))
    )
    return (
        f'<details class="data-twin"><summary>{SUMMARY}</summary><p class="files">{offered}</p>'
        f"<dl>{words}</dl>{table(made['csv'])}</details>"
    )


def place(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Write the files of a page's figures and say where they are."""
    if app.builder.format != "html":
        return
    folder = Path(app.outdir) / "_data"
    for node, number, owed in figures_of(app, doctree, docname):
        folder.mkdir(parents=True, exist_ok=True)
        links = {}
        for ending, data in files(app, node["taken"], number, owed).items():
            name = f"{node['file']}.{ending}"
            (folder / name).write_bytes(data)
            links[ending] = "../" * docname.count("/") + f"_data/{name}"
        node.replace_self(nodes.raw("", disclosure(node["taken"], links, owed, node["moves"]), format="html"))


BLOCKS = re.findall(
    r"/\* roles: (light|dark) \*/\n[^{]*\{(.*?)\}",
    (THEME / "static" / "book.css").read_text("utf-8"),
    re.DOTALL,
)
ROLES = {scheme: f"color-scheme: {scheme};{' '.join(colours.split())}" for scheme, colours in BLOCKS}
FONT = "--pe-font: system-ui, sans-serif;"


def panels(picture: str) -> list[str]:
    return re.findall("<svg.*?</svg>", picture, re.DOTALL)


def small(app: Sphinx, docname: str, label: str, which: int = 0) -> list[nodes.Node]:
    """The picture on a card of a page; nothing where the page of the figure is left out."""
    env, up = app.env, "../" * docname.count("/")
    found = (record_of(env, page).pictures.get(label) for page in sorted(env.found_docs))
    drawn = next(filter(None, found), None)
    if not drawn:
        return []
    panel = drawn[which]
    (width, height), images = re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', panel)[0], ""
    folder = Path(app.outdir) / "_data"
    folder.mkdir(parents=True, exist_ok=True)
    for scheme, roles in ROLES.items():
        name = f"card-{nodes.make_id(label)}{f'-{which}' if which else ''}-{scheme}.svg"
        file = panel.replace('style="', f'style="{roles}{FONT}', 1)
        (folder / name).write_text(file, encoding="utf-8")
        images += (
            f'<img alt="" class="for-{scheme}" loading="lazy" src="{up}_data/{name}" '
            f'width="{float(width):.0f}" height="{float(height):.0f}">'
        )
    return [nodes.raw("", f'<span class="small-picture">{images}</span>', format="html")]


def check_labels(app: Sphinx, env: Any) -> None:
    """What a page chooses as its picture is a figure of the book."""
    known = {label for page in env.found_docs for label in record_of(env, page).pictures}
    for page in sorted(env.found_docs) if app.config.pe_draw and not app.pe_left_out else ():
        label = record_of(env, page).front.get("picture")
        if label and label not in known:
            refuse("PE109", page, label=label)


def setup(app: Sphinx) -> None:
    app.add_config_value("pe_licences", {}, "html", dict)
    app.add_config_value("pe_citation", {}, "html", dict)  # authors, title, version, year
    app.add_config_value("pe_reference", "", "html", str)  # the same in a sentence
    app.add_event("figure-as-svg")  # (app, picture, title, description)
    app.connect("doctree-resolved", place)
    made_late(
        app,
        "small",
        lambda app, page, options: small(app, page, options["label"], options.get("panel", 0)),
        {"label": directives.unchanged_required, "panel": directives.nonnegative_int},
    )
    app.connect("env-check-consistency", check_labels)
