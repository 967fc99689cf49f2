"""What a build refuses: one catalogue, from which messages, the contributors' page and the tests are made.

Each refusal has a code, a sentence, a cure, and where one line can show it a line that passes beside one that
does not (``refusals.toml``).
"""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

log = logging.getLogger(__name__)

FIELD = re.compile(r"\{\{|\}\}|\{([^{}]*?)(?:!r)?\}")
FILE = Path(__file__).with_name("refusals.toml")


@cache
def catalogue() -> dict[str, dict[str, Any]]:
    """Code to sentence, cure and examples."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def message(code: str, **fields: Any) -> str:
    """What a build says: code, what is wrong, and how to mend it."""
    entry = catalogue()[code]
    return f"{code} {entry['sentence'].format(**fields)}. {entry['cure'].format(**fields)}"


def refuse(code: str, where: Any, **fields: Any) -> None:
    """Fail the build with one entry of the catalogue, at a page, (page, line) or node."""
    log.warning("%s", message(code, **fields), location=where)


class Refusals(SphinxDirective):
    """The catalogue as a page."""

    def run(self) -> list[nodes.Node]:
        listed = nodes.definition_list(classes=["refusals"], made="found")
        for code, entry in catalogue().items():
            texts = (with_field_names(entry[part]) for part in ("sentence", "cure"))
            definition = nodes.definition("", *(nodes.paragraph("", text) for text in texts))
            for planted in entry.get("planted", ()):
                definition += example(planted)
            listed += nodes.definition_list_item("", nodes.term("", code, ids=[code.lower()]), definition)
        return [listed]


def with_field_names(text: str) -> str:
    """A sentence for reading: each field by its name."""
    return FIELD.sub(lambda field: f"‹{field[1]}›" if field[1] else field[0][0], text)


def example(planted: dict[str, Any]) -> nodes.Element:
    """A line that passes beside the one that does not, or what is refused as a whole."""
    lines = [f"+ {line}" for line in planted.get("passes", "").splitlines()]
    refused = planted.get("refused") or planted.get("cell") or planted.get("text") or ""
    text = "\n".join([f"- {line}" for line in refused.splitlines()] + lines)
    block = nodes.literal_block(text, text, language="diff", made="found")
    return nodes.container("", nodes.paragraph("", planted["name"].capitalize() + ":"), block)


def setup(app: Sphinx) -> None:
    app.add_directive("refusals", Refusals)
