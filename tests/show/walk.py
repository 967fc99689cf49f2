"""Everything that the pages show, made as they make it: cells run, directives are evaluated."""

import contextlib
import io
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.pages import sources

KINDS = {"drawn": "figure", "explored": "figure", "tabled": "table", "derived": "derivation"}
KIND = "code-cell|drawn|explored|tabled|derived"
PIECE = re.compile(
    rf"^(?P<fence>`{{3,}}|:{{3,}})\{{(?P<kind>{KIND})\}}(?P<rest>[^\n]*)\n(?P<body>.*?)^(?P=fence)[ ]*$",
    re.M | re.S,
)


@dataclass(frozen=True)
class Shown:
    """A figure, table or derivation of a page."""

    page: str
    label: str
    kind: str
    expression: str
    caption: str
    made: Any
    names: dict[str, Any]  # what the page had named at that place


@dataclass(frozen=True)
class Piece:
    """A directive or a cell in the text of a page."""

    kind: str
    text: str
    label: str
    caption: str


def pieces(page: str) -> list[Piece]:
    """Cells and directives in the order of the page."""
    found = []
    for match in PIECE.finditer(sources.text_of(page)):
        body = match["body"]
        options = re.match(r"(?:---\n.*?---\n|(?::[\w-]+:[^\n]*\n)*)", body, re.S)
        head = options[0] if options else ""
        if match["kind"] == "code-cell":
            found.append(Piece("code-cell", body[len(head) :], "", ""))
            continue
        name = re.search(r"^:name:\s*(\S+)", head, re.M)
        label = name[1] if name else f"{page}: {match['rest'].strip()}"
        found.append(Piece(KINDS[match["kind"]], match["rest"].strip(), label, body[len(head) :].strip()))
    return found


def pages() -> list[str]:
    """Every page that shows something."""
    return [page for page in sources.names() if any(piece.kind != "code-cell" for piece in pieces(page))]


def labels(*kinds: str) -> list[tuple[str, str]]:
    """Page and label of everything of these kinds, without running a page."""
    return [(page, piece.label) for page in pages() for piece in pieces(page) if piece.kind in kinds]


@cache
def shown(page: str) -> dict[str, Shown]:
    """What a page shows, by label."""
    names: dict[str, Any] = {"__name__": "__main__"}
    found: dict[str, Shown] = {}
    for number, piece in enumerate(pieces(page)):
        if piece.kind == "code-cell":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(piece.text, f"{page}, piece {number}", "exec"), names)
            continue
        made = eval(piece.text, names)
        found[piece.label] = Shown(
            page, piece.label, piece.kind, piece.text, piece.caption, made, dict(names)
        )
    return found
