"""A figure as the small picture of a card, by its label: one panel, for light pages and for dark ones.

``{small}`` puts one into a page, by its `panel` counted from 0; the map has the first one on each card. A
browser asks for the file of one scheme, when the card comes near. The colours are the roles of book.css.
"""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from bookish.run.record import record_of
from bookish.run.refusals import refuse
from bookish.write.bundle import THEME
from bookish.write.nodes import made_late

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
    made_late(
        app,
        "small",
        lambda app, page, options: small(app, page, options["label"], options.get("panel", 0)),
        {"label": directives.unchanged_required, "panel": directives.nonnegative_int},
    )
    app.connect("env-check-consistency", check_labels)
