"""What makes notebooks of pages, and runs them: `make html` writes them, `make notebooks` executes them."""
