"""The overview of the programming interface: each function with its first line, and old addresses.

Until the interface was split, all of it stood on one page. A link to an entry of that page leads to its row
in the overview, which leads on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeGuard

from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from page.listing import ROOT, asked_for, file_of, sections


def entries(module: str, root: Path = ROOT) -> Iterator[tuple[str, str, list[str]]]:
    """Name, first line and methods of each function and class that autodoc documents."""
    tree = ast.parse(file_of(module, root).read_text(encoding="utf-8"))
    listed = next((ast.literal_eval(node.value) for node in tree.body if is_all(node)), None)
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or not is_public(node):
            continue
        if listed is None or node.name in listed:
            methods = [m.name for m in node.body if isinstance(m, ast.FunctionDef) and is_public(m)]
            yield node.name, first_line(node), methods if isinstance(node, ast.ClassDef) else []


def is_all(node: ast.stmt) -> TypeGuard[ast.Assign]:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def is_public(node: ast.FunctionDef | ast.ClassDef) -> bool:
    return not node.name.startswith("_") and ast.get_docstring(node) is not None


def first_line(node: ast.FunctionDef | ast.ClassDef) -> str:
    from pe_book.show.reference.api import in_markdown

    return in_markdown((ast.get_docstring(node) or "").partition("\n\n")[0].replace("\n", " "))


def formerly(path: str) -> list[str]:
    """The dotted paths under which something of the package was linked before its module moved."""
    from pe_book._moved import MOVED, RENAMED

    home, _, name = path.rpartition(".")
    paths = [path, *(old for old, new in RENAMED.items() if old.rpartition(".")[0] == home and new == name)]
    moves = [(old, new, one) for one in paths for old, new in MOVED.items() if one.startswith(f"{new}.")]
    return [*paths[1:], *(old + one.removeprefix(new) for old, new, one in moves)]


def keep_addresses(app: Sphinx, doctree: nodes.document) -> None:
    """What the interface documents is found under its former paths too."""
    for node in doctree.findall(addnodes.desc_signature):
        node["ids"] += [old for path in tuple(node["ids"]) for old in formerly(path)]


def rows(page: str, root: Path = ROOT) -> Iterator[tuple[list[str], str]]:
    """Each entry of a page: the addresses it had, and its row in MyST: name, what it is, its section."""
    label = ""
    for module, own_label, _ in sections("numpy", root):
        label = own_label or label
        if asked_for(module, root).split()[0] != page:
            continue
        old = [f"sec-api-{own_label}"] if own_label else []
        for name, words, methods in entries(module, root):
            path = f"pe_book.{module}.{name}"
            words = words.replace("|", r"\|")
            row = f"| {{py:obj}}`{name} <{path}>` | {words} | {{ref}}`sec:api:{label}` |"
            paths = [path, *(f"{path}.{method}" for method in methods)]
            yield [*old, *paths, *(former for one in paths for former in formerly(one))], row
            old = []


class Entries(SphinxDirective):
    """``:::{entries} sinusoidal``: the overview of one page."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        found = list(rows(self.arguments[0], Path(self.config.pe_root)))
        text = ["| name | what it is | section |", "| :--- | :--- | :--- |", *(row for _, row in found)]
        box = nodes.container()
        self.state.nested_parse(StringList(text, self.get_source_info()[0]), self.content_offset, box)
        table = next(box.findall(nodes.table))
        table["classes"].append("entries")
        for group in table.findall(nodes.tgroup):
            group["made"] = "found"
        body = next(box.findall(nodes.tbody))
        for (anchors, _), row in zip(found, body.children, strict=True):
            row[0][0][:0] = [nodes.inline(ids=[anchor]) for anchor in anchors]
        return [table]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("pe_root", app.confdir, "env", str)
    app.connect("doctree-read", keep_addresses)
    app.add_directive("entries", Entries)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
