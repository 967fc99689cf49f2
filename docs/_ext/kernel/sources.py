"""The source of the package, as pages: one for each module that some page of the book calls.

Sphinx's own viewcode lists what the API page documents and imports it; here every function that a cell calls
has an address, and the files are read, so that modules on torch are listed where there is no torch.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from sphinx.application import Sphinx

from kernel.package import contents, file_of
from kernel.record import record_of


def page_of(module: str) -> str:
    """``pe_book/sinusoidal/formula``: the path of the file, without its suffix."""
    file = file_of(module)
    path = module.replace(".", "/")
    return f"{path}/__init__" if file is not None and file.name == "__init__.py" else path


def address(builder: Any, page: str, dotted: str) -> str:
    """The link from a page to the definition of a dotted name."""
    module, _, name = dotted.rpartition(".")
    return f"{builder.get_relative_uri(page, page_of(module))}#{name}"


def highlighted_source(app: Sphinx, module: str) -> str:
    """The file as HTML; each definition of the module level can be linked to."""
    file = file_of(module)
    assert file is not None
    source = file.read_text(encoding="utf-8")
    html = app.builder.highlighter.highlight_block(source, "python")  # type: ignore[attr-defined]
    before, start, code = html.partition("<pre>")
    lines = code.split("\n")  # Pygments closes its spans at the end of each line
    for name, line in sorted(contents(file)[0].items()):
        lines[line - 1] = f'<span class="defined" id="{escape(name)}">{lines[line - 1]}</span>'
    return before + start + "\n".join(lines)


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """A page for each module that a page calls, whether or not that page was read by this build."""
    callers: dict[str, set[str]] = {}
    for page in app.env.found_docs:
        for call in record_of(app.env, page).calls:
            callers.setdefault(call.rpartition(".")[0], set()).add(page)
    for module in sorted(callers):
        name = page_of(module)
        links = [
            (app.builder.get_relative_uri(name, page), app.env.titles[page].astext())
            for page in sorted(callers[module])
        ]
        called = ", ".join(f'<a href="{uri}">{escape(title)}</a>' for uri, title in links)
        words = f"<p>The file <code>{name}.py</code>, called on: {called}.</p>"
        body = f"<h1>{module.rpartition('.')[2]}</h1>\n{words}\n{highlighted_source(app, module)}"
        yield name, {"title": module, "body": body, "parents": []}, "page.html"
