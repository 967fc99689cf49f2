"""The shell around every page: what layout.html shows, and which files the site ships.

The layout replaces that of sphinx-book-theme. Files of the theme and of extensions are shipped unmodified or
not at all, by the rules of docs/_ext/shipped.toml; a file that no rule names stops the build.
"""

from __future__ import annotations

import re
import shutil
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from pe_refusals import refuse
from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent
RULES = tomllib.loads((HERE / "shipped.toml").read_text(encoding="utf-8"))
ICONS = {
    file.stem: file.read_text(encoding="utf-8").strip()
    for file in sorted((HERE.parent / "_templates" / "icons").glob("*.svg"))
}
VIEWPORT = re.compile(r'\s*<meta name="viewport"[^>]*>')
TAGS = re.compile(r"<[^>]+>")


def rule_of(file: str) -> str | None:
    """Whether a static file is 'kept' or 'left out'; None where no rule names it."""
    for verdict in ("kept", "left out"):
        if any(fnmatch(file, pattern) for pattern in RULES[verdict]):
            return verdict
    return None


def fill_shell(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    title = TAGS.sub("", context.get("title") or "")
    book = app.config.project
    root = pagename == app.config.root_doc
    context["metatags"] = VIEWPORT.sub("", context.get("metatags", ""))
    context["shell"] = {
        "title": book if root else f"{title} · {book}",
        "styles": RULES["styles"],
        "scripts": RULES["scripts"],
        "icons": ICONS,
        "contents": context["toctree"](maxdepth=2, collapse=False, includehidden=True, titles_only=True),
        "on_this_page": context.get("toc", "") if context.get("display_toc") else "",
        "licences": app.config.pe_licences,
    }


def leave_out_files(app: Sphinx, exception: Exception | None) -> None:
    """Take from _static what no page asks for."""
    if exception or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    for path in sorted(static.rglob("*")):
        if path.is_file():
            verdict = rule_of(path.relative_to(static).as_posix())
            if verdict is None:
                refuse("PE901", "shipped.toml", file=path.relative_to(static).as_posix())
            elif verdict == "left out":
                path.unlink()
    for folder in sorted((f for f in static.rglob("*") if f.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            shutil.rmtree(folder)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("pe_licences", {}, "html", dict)
    app.connect("html-page-context", fill_shell, priority=900)
    app.connect("build-finished", leave_out_files, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
