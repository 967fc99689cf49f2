"""What makes one site of the pages: the shell around them, the map, the search, their texts."""

from typing import Any

from sphinx.application import Sphinx

PARTS = (
    "report",
    "map",
    "not_found",
    "numbering",
    "search",
    "terms",
    "texts",
    "minify",
    "statements",
    "coursework",
    "layout",
)  # in the order in which they act


def setup(app: Sphinx) -> dict[str, Any]:
    for part in PARTS:
        app.setup_extension(f"{__name__}.{part}")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
