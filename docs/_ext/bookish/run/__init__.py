"""What runs the cells of a page and follows them as code; what the build records and refuses."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from sphinx.application import Sphinx


def of_parts(package: str, parts: tuple[str, ...]) -> Callable[[Sphinx], dict[str, Any]]:
    """The `setup` of a folder: its parts in the order in which they act."""

    def setup(app: Sphinx) -> dict[str, Any]:
        for part in parts:
            import_module(f"{package}.{part}").setup(app)
        return {"parallel_read_safe": True, "parallel_write_safe": True}

    return setup


PARTS = ("refusals", "fresh", "engine", "values", "provenance")
setup = of_parts(__name__, PARTS)
