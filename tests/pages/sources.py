"""The pages of the book as they are written."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def pages():
    """Every page."""
    return [path for path in sorted(DOCS.rglob("*.md")) if "_build" not in path.parts]


def names():
    """Every page by its name without ending."""
    return [path.relative_to(DOCS).with_suffix("").as_posix() for path in pages()]


def text_of(name):
    """The text of a page by its name without ending."""
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def typed_rows(*headers):
    """The cells of the rows of typed tables: of those whose header begins so, or of all; none is refused."""
    heads = "|".join(map(re.escape, headers)) if headers else r"\|"
    tables = re.compile(rf"^(?:{heads}).*\n\|[\s:|-]+\n((?:\|.*\n)+)", re.MULTILINE)
    rows = [row for page in names() for body in tables.findall(text_of(page)) for row in body.splitlines()]
    assert rows, f"no page has a typed table with a header like {headers}"
    return [[cell.strip() for cell in row[1:-1].split(" | ")] for row in rows]
