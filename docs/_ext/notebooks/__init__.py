"""What makes notebooks of pages, and runs them: `make html` writes them, `make notebooks` executes them."""

from kernel import of_parts

PARTS = ("write", "listing")
setup = of_parts(__name__, PARTS)
