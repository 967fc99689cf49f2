"""What a page carries for nothing: a span around each token of code that the style sheet leaves as it is.

They were a quarter of the elements of a chapter, and a browser on a phone has to make and style each.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

# the classes of Pygments that docs/_static/code.css names, and those that scripts of a page ask for
STYLED = {
    "k", "kc", "kd", "kn", "kr", "ow", "nt", "gh", "s", "s1", "s2", "sa", "sd", "sb",
    "se", "sr", "gi", "c", "c1", "cm", "ch", "gp", "gu", "gd", "gr", "err", "hll", "go",
    "gt", "linenos",
}  # fmt: skip
BLOCK = re.compile(r"<pre>.*?</pre>", re.DOTALL)
TOKEN = re.compile(r'<span class="(\w+)">([^<]*)</span>')


def without_plain_tokens(html: str) -> str:
    """The same code, with spans around what has a style of its own."""
    return BLOCK.sub(lambda block: TOKEN.sub(lambda t: t[0] if t[1] in STYLED else t[2], block[0]), html)


def write_light(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if "body" in context:
        context["body"] = without_plain_tokens(context["body"])


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", write_light, priority=880)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
