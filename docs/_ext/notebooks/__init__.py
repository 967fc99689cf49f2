"""What makes notebooks of pages, and runs them: `make html` writes them, `make notebooks` executes them."""

from typing import Any

from sphinx.application import Sphinx

PARTS = ("write", "listing")  # in the order in which they act


def setup(app: Sphinx) -> dict[str, Any]:
    for part in PARTS:
        app.setup_extension(f"{__name__}.{part}")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
