"""The pages of the programming interface list their modules by themselves: ``:::{modules} sinusoidal``.

A page names the folders or modules whose sections it has; ``package`` is what no page names, ``torch`` is
``pe_book.nn``. The overview of a page, ``:::{entries} sinusoidal``, has each function with its first line.
Sections with label, title and order come from the catalogue of the package. A module of a part that is not in
it joins behind the others of its part. The listing is put into the text of the page before it is parsed, so
that its sections are sections like any other.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.errors import ConfigError
from sphinx.util.docutils import SphinxDirective

from book import ROOT
from kernel import package

NO_PARTS = ("inputs", "nn", "show", "evidence")  # folders of which the catalogue lists what readers use
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
PLACE = re.compile(r"^:::\{modules\} ([a-z_. ]+)\n:::$", re.MULTILINE)
TOP = re.compile(r"^\(sec:([a-z0-9-]+):top\)=$", re.MULTILINE)


def listing(what: str, root: Path = ROOT) -> str:
    """The sections that a directive asks for, or all of a side (``numpy``, ``torch``), as MyST."""
    side = "torch" if what == "torch" else "numpy"
    rows = [row for row in sections(side, root) if what == side or asked_for(row[0], root) == what]
    return "\n".join(section(*row, side, root) for row in rows)


def asked_for(module: str, root: Path = ROOT) -> str:
    """What the directive says that lists a module: it names the module, or a folder in which that stands."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(root.glob("docs/reference/api/*.md"))]
    asked = {name: place[1] for text in texts for place in PLACE.finditer(text) for name in place[1].split()}
    parts = module.split(".")
    names = [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
    return next((asked[name] for name in names if name in asked), "package")


def sections(side: str, root: Path = ROOT) -> list[tuple[str, str, str]]:
    """Module, label and title of each section, in their order."""
    from pe_book.catalogue import SECTIONS

    rows = [row for row in SECTIONS if row[0].startswith("nn.") == (side == "torch")]
    for module in joining(side, root):
        if module not in {row[0] for row in rows}:
            place = asked_for(module, root)
            behind = [at for at, row in enumerate(rows, start=1) if asked_for(row[0], root) == place]
            rows.insert(behind[-1] if behind else len(rows), named(module, {row[1] for row in rows}, root))
    return rows


def joining(side: str, root: Path) -> list[str]:
    """The modules that have to be listed, whether the catalogue has a section for them or not."""
    from pe_book.catalogue import catalogue

    if side == "torch":
        return sorted({record.torch.removeprefix("pe_book.") for record in catalogue() if record.torch})
    names = [name.removeprefix("pe_book.") for name in package.modules(root)]
    names.sort(key=lambda name: name.rpartition(".")[::-1])
    rooms = [name for name in names if "." in name and name.partition(".")[0] not in NO_PARTS]
    return [name for name in rooms if any(isinstance(node, DEFINITIONS) for node in parsed(name, root))]


def file_of(module: str, root: Path) -> Path:
    """The file of a module that is listed."""
    if file := package.file_of(f"pe_book.{module}", root):
        return file
    raise ConfigError(f"SECTIONS of pe_book/catalogue.py lists {module}, which is gone: take the line out.")


def parsed(module: str, root: Path) -> list[ast.stmt]:
    return ast.parse(file_of(module, root).read_text(encoding="utf-8")).body


def named(module: str, taken: set[str], root: Path) -> tuple[str, str, str]:
    """A section for a module that the catalogue does not list: label of its chapter, words of its name."""
    stem, place = module.rpartition(".")[2], asked_for(module, root).partition(" ")[0]
    part = module.partition(".")[0] if place == "package" else place
    page = root / "docs" / part / f"{stem.replace('_', '-')}.md"
    found = TOP.search(page.read_text(encoding="utf-8")) if page.exists() else None
    label = found[1] if found else stem.replace("_", "-")
    words = stem.replace("_", " ")
    title = words.capitalize() if part == "nn" else f"{part.capitalize()}: {words}"
    return module, f"{part}-{label}" if label in taken else label, title


def section(module: str, label: str, title: str, side: str, root: Path) -> str:
    page = "apitorch" if side == "torch" else "api"
    head = f"(sec:{page}:{label})=\n## {title}\n\n" if label else ""
    rest = "".join(f"   :{option}\n" for option in options(module, side, root))
    return f"{head}```{{eval-rst}}\n.. automodule:: pe_book.{module}\n{rest}```\n"


def options(module: str, side: str, root: Path) -> Iterator[str]:
    """What autodoc is told: of a torch module the public names alone, of a record no field twice."""
    from pe_book.catalogue import catalogue

    public = [record.name for record in catalogue() if record.torch == f"pe_book.{module}"]
    yield f"members: {', '.join(public)}" if public else "members:"
    if side == "torch":
        yield "inherited-members: Module"
    elif fields := ", ".join(dict.fromkeys(bare_fields(module, root))):
        yield f"exclude-members: {fields}"


def bare_fields(module: str, root: Path) -> Iterator[str]:
    """The fields of named tuples that nothing explains: autodoc would call them aliases for their numbers."""
    lines = file_of(module, root).read_text(encoding="utf-8").splitlines()
    for record in parsed(module, root):
        if isinstance(record, ast.ClassDef) and "NamedTuple" in map(ast.unparse, record.bases):
            for field, below in zip(record.body, [*record.body[1:], None], strict=True):
                above, beside = lines[field.lineno - 2 : field.lineno]
                noted = "#:" in beside or above.strip().startswith("#:")
                explained = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
                if isinstance(field, ast.AnnAssign) and not noted and not explained:
                    yield ast.unparse(field.target)


def fill(app: Sphinx, docname: str, source: list[str]) -> None:
    source[0] = PLACE.sub(lambda place: listing(place[1], Path(app.confdir)), source[0])


# ---------------------------------------------------------------- the overview


def entries(module: str, root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Name and first line of each function and class that autodoc documents."""
    from pe_book.show.reference.api import in_markdown

    body = parsed(module, root)
    said = {ast.unparse(node.targets[0]): node.value for node in body if isinstance(node, ast.Assign)}
    listed = ast.literal_eval(said["__all__"]) if "__all__" in said else None
    for node in body:
        if isinstance(node, DEFINITIONS) and not node.name.startswith("_"):
            words = ast.get_docstring(node)
            if words is not None and (listed is None or node.name in listed):
                yield node.name, in_markdown(words.partition("\n\n")[0].replace("\n", " "))


def rows(page: str, root: Path = ROOT) -> Iterator[str]:
    """Each entry of a page as a row in MyST: name, what it is, its section."""
    label = ""
    for module, own_label, _ in sections("numpy", root):
        label = own_label or label
        for name, words in entries(module, root) if asked_for(module, root).split()[0] == page else ():
            words = words.replace("|", r"\|")
            yield f"| {{py:obj}}`{name} <pe_book.{module}.{name}>` | {words} | {{ref}}`sec:api:{label}` |"


class Entries(SphinxDirective):
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
    app.connect("source-read", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
