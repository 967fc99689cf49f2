"""Sphinx settings; what is the book's own stands in docs/_ext, one small file per job."""

import os
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "_ext")]
for name in [name for name in os.environ if name.startswith(("PYTHON", "IPYTHON", "JUPYTER", "MPL"))]:
    del os.environ[name]  # a page is the same whatever its author's settings are
os.environ["PYTHONHASHSEED"], os.environ["PYTHONNOUSERSITE"] = "0", "1"
os.environ["PE_BOOK_ROOT"] = str(ROOT)
os.environ.setdefault("PE_TORCH", "yes" if find_spec("torch") else "no")  # without it its pages are left out
os.environ["PYTHONPATH"] = str(ROOT)  # the kernels of the pages import this checkout
os.environ["JUPYTER_PATH"] = str(ROOT / "docs" / "_jupyter")  # our kernel, which notes what a page uses
os.environ.setdefault("SOURCE_DATE_EPOCH", "0")  # no dates in what is written
os.environ.setdefault(
    "OPENBLAS_NUM_THREADS", "1"
)  # pages run side by side; small matrices gain nothing from threads

_metadata = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
_book = _metadata["tool"]["pe_book"]
project = _book["title"]
author = _metadata["project"]["authors"][0]["name"]
release = _metadata["project"]["version"]
_licences = {
    "code": _book["code-licence"],
    "text": _book["text-licence"],
    "address": _book["text-licence-address"],
}
copyright = (
    f"{author}. Code under the {_licences['code']} licence, text and figures under {_licences['text']}"
)
language = "en"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_exercise",
    "sphinx_proof",
    "sphinxcontrib.bibtex",
    "bookish.run",
    "bookish.write",
    "bookish.lint",
    "bookish.site",
    "bookish.notebooks",
    "pe_ext",
]
exclude_patterns = ["_build", "_ext", "_jupyter", "_static", "_themes"]
nitpicky = True
nitpick_ignore_regex = [
    (
        "py:.*",
        r"(numpy|np|matplotlib|sympy|torch)(\..*)?",
    ),  # their pages are on other hosts, which no build asks
]
suppress_warnings: list[str] = []  # stays empty: a warning is mended, not hidden

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist", "substitution", "attrs_inline"]
myst_update_mathjax = False
myst_heading_anchors = 0  # an address is a label that somebody chose
nb_execution_mode = "inline"  # the only mode in which text can ask the kernel
nb_execution_raise_on_error = False  # run/engine.py says which cell failed, and other pages go on
nb_execution_timeout = 120
nb_code_prompt_show = "How this was computed"
nb_code_prompt_hide = "How this was computed"
nb_output_stderr = "show"  # run/engine.py refuses it, and says what was written
nb_eval_name_regex = r"""\{"page":"""  # what run/engine.py asks; {eval} of MyST-NB has no use here

numfig = True
math_numfig = True
numfig_secnum_depth = 2
numfig_format = {"figure": "Figure %s", "table": "Table %s", "code-block": "Listing %s"}
bibtex_bibfiles = ["docs/references.bib"]
bibtex_reference_style = "author_year"
bibtex_default_style = "alpha"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_param = False  # types are written for people, not as names to link
napoleon_use_rtype = False
napoleon_use_ivar = True

html_theme = "executable_book"
html_theme_path = ["docs/_themes"]
html_short_title = "Positional encoding"
_urls = _metadata["project"].get("urls", {})
# the workflow that hosts the site knows best where it is
html_baseurl = os.environ.get("PE_SITE_URL") or _urls.get("Homepage", "")
html_math_renderer = "katex"
pe_source = _urls.get("Source", "")
pe_licences = _licences
html_static_path = ["docs/_static"]
html_copy_source = False
html_permalinks_icon = ""  # shell.css draws it, so that nobody copies or hears it
html_domain_indices = ["prf-prf"]  # site/statements.py
