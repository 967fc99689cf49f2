"""What refuses a number, a held statement or a label that nothing stands behind."""

from typing import Any

from sphinx.application import Sphinx

PARTS = ("labels", "beside", "numbers", "computed")  # in the order in which they act


def setup(app: Sphinx) -> dict[str, Any]:
    for part in PARTS:
        app.setup_extension(f"{__name__}.{part}")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
