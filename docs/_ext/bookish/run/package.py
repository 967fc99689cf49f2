"""The package as written: its modules, where a name is defined, and its source as pages of the site.

Its files are read, never imported, so that modules on torch are listed where there is no torch. Names that it
loads when they are first used (PEP 562) are found in the stub beside the file. A page is made of each module
that some page of the book calls; Sphinx's own viewcode lists what the programming interface documents.
"""

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from sphinx.application import Sphinx

from book import ROOT
from bookish.run.record import record_of

PACKAGE: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"]


def file_of(module: str, root: Path = ROOT) -> Path | None:
    """The file of a module of the package."""
    base = root.joinpath(*module.split("."))
    return next((file for file in (base.with_suffix(".py"), base / "__init__.py") if file.is_file()), None)


def modules(root: Path = ROOT) -> dict[str, Path]:
    """Every module of the package with its file, in the order of the files."""
    files = sorted((root / PACKAGE).rglob("*.py"))
    return {
        ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): file
        for file in files
    }


def imports(node: ast.AST) -> dict[str, str]:
    """The names that an import binds, with what they stand for: ``np`` for numpy; of other code none."""
    if isinstance(node, ast.ImportFrom):
        return {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    found: dict[str, str] = {}
    for alias in node.names if isinstance(node, ast.Import) else ():
        first = alias.name.partition(".")[0]
        found[alias.asname or first] = alias.name if alias.asname else first
    return found


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def contents(file: Path) -> tuple[dict[str, int], dict[str, str]]:
    """What a module defines, with lines; and what it takes from elsewhere, with its home."""
    defined: dict[str, int] = {}
    imported: dict[str, str] = {}
    tree, stub = parsed(file), file.with_suffix(".pyi")
    for node in [*ast.walk(tree), *(parsed(stub).body if stub.is_file() else ())]:
        imported |= imports(node)
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            defined[node.name] = min([node.lineno, *(part.lineno for part in node.decorator_list)])
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in [part for target in targets for part in ast.walk(target)]:
                if isinstance(name, ast.Name):
                    defined.setdefault(name.id, node.lineno)
    return defined, imported


def resolve(dotted: str) -> str | None:
    """The home of what a dotted name means: ``pe_book.encode`` is ``pe_book.sinusoidal.formula.encode``.

    None for a module, and for what is not of the package.
    """
    seen = set()
    while dotted not in seen and dotted.partition(".")[0] == PACKAGE:
        seen.add(dotted)
        parts = dotted.split(".")
        # a module, too, is a name in its package, which may hand on something else under it
        for length in range(len(parts) - 1, 0, -1):
            if file := file_of(module := ".".join(parts[:length])):
                break
        else:
            return None
        defined, imported = contents(file)
        name, *rest = parts[length:]
        if name in defined:
            return f"{module}.{name}"
        if name not in imported:
            return None
        dotted = ".".join([imported[name], *rest])
    return None


# ---------------------------------------------------------------- its source as pages


def page_of(module: str) -> str:
    """``pe_book/sinusoidal/formula``: the path of the file, without its suffix."""
    file = file_of(module)
    path = module.replace(".", "/")
    return f"{path}/__init__" if file is not None and file.name == "__init__.py" else path


def address(builder: Any, page: str, dotted: str) -> str:
    """The link from a page to the definition of a dotted name."""
    module, _, name = dotted.rpartition(".")
    return f"{builder.get_relative_uri(page, page_of(module))}#{name}"


def highlighted_source(module: str) -> str:
    """The file as HTML; each definition of the module level can be linked to."""
    file = file_of(module)
    source = file.read_text(encoding="utf-8")
    html = highlight(source, PythonLexer(stripnl=False), HtmlFormatter())
    before, start, code = html.partition("<pre>")
    lines = code.split("\n")  # Pygments closes its spans at the end of each line
    for name, line in sorted(contents(file)[0].items()):
        lines[line - 1] = f'<span class="defined" id="{escape(name)}">{lines[line - 1]}</span>'
    return before + start + "\n".join(lines)


def source_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
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
        body = f"<h1>{module.rpartition('.')[2]}</h1>\n{words}\n{highlighted_source(module)}"
        yield name, {"title": module, "body": body, "parents": []}, "page.html"
