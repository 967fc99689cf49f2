"""Downloads below a figure, for somebody who wants to use it: data, files, alternative text and credit.

The files are written with the page: ``_data/fig-….svg``, ``.png`` and ``.csv``. What draws the figures of a
book answers the event ``figure-as-svg`` with the text of a file of its own.
"""

import base64
import csv
import io
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from bookish.lint.pieces import parents
from bookish.write.nodes import number_of

SHOWN_CELLS = 150  # a longer table is cut on the page and whole in the file
SUMMARY = "Use this figure: data, files, credit"
UNMOVED = "as drawn here before you move the controls"
KINDS = {"svg": "SVG", "png": "PNG", "csv": "CSV"}


def taken(made: dict[str, Any], file: str, moves: bool = False) -> nodes.raw:
    """A place below a figure, one click away; it is filled in when the page is written, with its number."""
    return nodes.raw("", "", format="html", taken=dict(made), file=file, moves=moves, made="found")


def credit(config: Any, number: str, address: str = "") -> str:
    """Whose a figure is: what the window beside its number says, and the licence."""
    return f"{config.pe_reference} {number}. {config.pe_licences['text']}. {address}".strip()


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
        yield node, counted, credit(app.config, counted, address)


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


def setup(app: Sphinx) -> None:
    app.add_config_value("pe_licences", {}, "html", dict)
    app.add_config_value("pe_citation", {}, "html", dict)  # authors, title, version, year
    app.add_config_value("pe_reference", "", "html", str)  # the same in a sentence
    app.add_event("figure-as-svg")  # (app, picture, title, description)
    app.connect("doctree-resolved", place)
