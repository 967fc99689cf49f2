"""The pages of the book as they are written."""

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
