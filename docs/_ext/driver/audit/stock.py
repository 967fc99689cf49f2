"""The same content in the stock theme: `python docs/_ext/driver audit.stock FOLDER DOCTREES`.

sphinx-book-theme as it comes, with its own layout, styles and scripts, and with MathJax 3 from the site
itself. What `make html` has executed is not executed again.
"""

from __future__ import annotations

import runpy
import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from book import BUILD, ROOT
from driver.audit.lighthouse import MODULES

# what gives the book its own shell; the rest makes its content
SHELL = {
    "shell.layout",
    "page.bundle",
    "shell.search",
    "shell.terms",
    "shell.texts",
    "page.accessibility",
    "notebooks.write",
}
MATHJAX = ("tex-mml-chtml.js", "output/chtml/fonts")


def parts_of(name: str) -> list[str]:
    return [f"{name}.{part}" for part in getattr(import_module(name), "PARTS", ())] or [name]


def settings() -> dict[str, Any]:
    book = runpy.run_path(str(ROOT / "conf.py"))
    parts = [part for name in book["extensions"] for part in parts_of(name)]
    return {
        "extensions": [part for part in parts if part not in SHELL],
        "html_theme": "sphinx_book_theme",
        "html_favicon": "docs/_themes/executable_book/static/favicon.svg",
        "html_context": {"default_mode": "auto"},  # else the theme reports an error on the console
        "html_math_renderer": "mathjax",
        "mathjax_path": "mathjax/tex-mml-chtml.js",
        "pe_executions": str(BUILD / "executions"),
    }


def main(out: Path, doctrees: Path) -> int:
    shutil.rmtree(out, ignore_errors=True)
    with patch_docutils(str(ROOT)), docutils_namespace():
        app = Sphinx(ROOT / "docs", ROOT, out, doctrees, "html", settings(), freshenv=True, parallel=2)
        app.build()
    for name in MATHJAX:
        made, shipped = out / "_static" / "mathjax" / name, MODULES / "mathjax" / "es5" / name
        made.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if shipped.is_dir() else shutil.copy)(shipped, made)
    return app.statuscode


if __name__ == "__main__":
    sys.exit(main(*(Path(argument).resolve() for argument in sys.argv[1:3])))
