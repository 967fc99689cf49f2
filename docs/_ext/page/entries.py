"""The overview of the programming interface: each function with its first line and a link to its entry."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeGuard

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from page.listing import ROOT, asked_for, file_of, sections


def entries(module: str, root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Name and first line of each function and class that autodoc documents."""
    tree = ast.parse(file_of(module, root).read_text(encoding="utf-8"))
    listed = next((ast.literal_eval(node.value) for node in tree.body if is_all(node)), None)
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or not is_public(node):
            continue
        if listed is None or node.name in listed:
            yield node.name, first_line(node)


def is_all(node: ast.stmt) -> TypeGuard[ast.Assign]:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def is_public(node: ast.FunctionDef | ast.ClassDef) -> bool:
    return not node.name.startswith("_") and ast.get_docstring(node) is not None


def first_line(node: ast.FunctionDef | ast.ClassDef) -> str:
    from pe_book.show.reference.api import in_markdown

    return in_markdown((ast.get_docstring(node) or "").partition("\n\n")[0].replace("\n", " "))


def rows(page: str, root: Path = ROOT) -> Iterator[str]:
    """Each entry of a page as a row in MyST: name, what it is, its section."""
    label = ""
    for module, own_label, _ in sections("numpy", root):
        label = own_label or label
        if asked_for(module, root).split()[0] != page:
            continue
        for name, words in entries(module, root):
            words = words.replace("|", r"\|")
            yield f"| {{py:obj}}`{name} <pe_book.{module}.{name}>` | {words} | {{ref}}`sec:api:{label}` |"


class Entries(SphinxDirective):
    """``:::{entries} sinusoidal``: the overview of one page."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        found = rows(self.arguments[0], Path(self.config.pe_root))
        text = ["| name | what it is | section |", "| :--- | :--- | :--- |", *found]
        box = nodes.container()
        self.state.nested_parse(StringList(text, self.get_source_info()[0]), self.content_offset, box)
        table = next(box.findall(nodes.table))
        table["classes"].append("entries")
        for group in table.findall(nodes.tgroup):
            group["made"] = "found"
        return [table]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("pe_root", app.confdir, "env", str)
    app.add_directive("entries", Entries)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
