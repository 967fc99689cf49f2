"""Lazy layout: how high a section is before it is laid out, an estimate kept above what it turns out to be.

A section is laid out as the reader comes near. Until then its place has the height that is written on it
here. Were that too little, what stands at its end would lie below the next section for whoever asks where.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

SECTION = re.compile(r"<section\b[^>]*>|</section>")
FOLD = re.compile(r"<details\b|</details>")
TAG = re.compile(r"<[^>]*>")
# pixels on a phone, where a section is highest
PER = {
    "character": 1.0, "block": 22, "row": 45, "entry": 1.2, "line": 21, "formula": 85,
    "figure": 480, "explorer": 400, "fold": 62,
}  # fmt: skip


def without_folds(html: str) -> tuple[str, int]:
    """What is open, and how many folds are closed."""
    kept, depth, at, folds = [], 0, 0, 0
    for mark in FOLD.finditer(html):
        if depth == 0:
            kept.append(html[at : mark.start()])
        depth += 1 if mark[0] != "</details>" else -1
        folds += mark[0] != "</details>" and depth == 1
        at = mark.end()
    return "".join([*kept, html[at:]]), folds


def length(html: str) -> int:
    """How many characters a reader meets."""
    return len(" ".join(TAG.sub("", html).split()))


def counted(html: str) -> dict[str, int]:
    """What takes height in a section."""
    shown, folds = without_folds(html)
    figures = len(re.findall(r"<figure\b", shown))
    shown = re.sub(r"<(svg|annotation|math|style)\b.*?</\1>", "", shown, flags=re.DOTALL)
    formulas = shown.count("katex-display")
    rows = shown.count("<tr")
    tables = " ".join(re.findall(r"<table\b.*?</table>", shown, re.DOTALL))
    code = re.findall(r"<pre\b.*?</pre>", shown, re.DOTALL)
    shown = re.sub(r"<(pre|table)\b.*?</\1>", "", shown, flags=re.DOTALL)
    return {
        "character": length(shown),
        "block": len(re.findall(r"<(?:p|li|h\d|dt|dd)\b", shown)),
        "row": rows,
        "entry": length(tables),
        "line": sum(block.count("\n") + 2 for block in code),
        "formula": formulas,
        "figure": figures,
        "explorer": len(re.findall(r"<pe-[a-z-]+ data-given=", shown)),
        "fold": folds,
    }


def estimated(html: str) -> int:
    """The height of a section in pixels."""
    return round(200 + sum(PER[what] * n for what, n in counted(html).items()))


def with_heights(body: str) -> str:
    """The body of a page with an estimate on each section below that of the page."""
    pieces, depth, opened, at = [], 0, None, 0
    for mark in SECTION.finditer(body):
        if mark[0] != "</section>":
            depth += 1
            if depth == 2:
                opened = mark
        else:
            if depth == 2 and opened is not None:
                height = estimated(body[opened.end() : mark.start()])
                style = f' style="contain-intrinsic-block-size: auto {height}px">'
                pieces += [body[at : opened.end() - 1], style]
                at = opened.end()
            depth -= 1
    return "".join([*pieces, body[at:]])


def write_heights(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if "body" in context:
        context["body"] = with_heights(context["body"])


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", write_heights, priority=890)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
