"""What makes the parts of a page."""

from typing import Any

from sphinx.application import Sphinx

PARTS = (
    "pages",
    "listing",
    "shown",
    "claims",
    "figures.downloads",
    "exercises",
    "answers.field",
    "maths",
    "responsive",
    "folds",
    "words",
    "opening",
    "forms",
    "accessibility",
    "bundle",
)  # in the order in which they act


def setup(app: Sphinx) -> dict[str, Any]:
    for part in PARTS:
        app.setup_extension(f"{__name__}.{part}")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
