"""What runs the cells of a page and follows them as code; what the build records and refuses."""

from typing import Any

from sphinx.application import Sphinx

PARTS = ("refusals", "fresh", "engine", "values", "doctests", "provenance")  # in the order in which they act


def setup(app: Sphinx) -> dict[str, Any]:
    for part in PARTS:
        app.setup_extension(f"{__name__}.{part}")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
