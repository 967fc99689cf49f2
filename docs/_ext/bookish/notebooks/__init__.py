"""What makes notebooks of pages, and runs them: `make html` writes them, `make notebooks` executes them."""

from bookish.run import of_parts

PARTS = ("write", "listing")
setup = of_parts(__name__, PARTS)
