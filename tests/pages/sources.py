"""The pages of the book as they are written."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def pages():
    """Every page."""
    return [path for path in sorted(DOCS.rglob("*.md")) if "_build" not in path.parts]


def text_of(name):
    """The text of a page by its name without ending."""
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")
