"""The pages of the programming interface list their modules by themselves: ``:::{modules} sinusoidal``.

A page names the folders or modules whose sections it has; ``package`` is what no page names, ``torch`` is
``pe_book.nn``.
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

from sphinx.application import Sphinx
from sphinx.errors import ConfigError

from environment import ROOT

NO_PARTS = ("inputs", "nn", "show", "evidence")  # folders of which the catalogue lists what readers use
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
    package = root / "pe_book"
    files = [file.relative_to(package).with_suffix("") for file in package.rglob("*.py")]
    names = {".".join(file.parts).removesuffix(".__init__") for file in files}
    modules = sorted(names, key=lambda name: name.rpartition(".")[::-1])
    rooms = [name for name in modules if "." in name and name.partition(".")[0] not in NO_PARTS]
    return [name for name in rooms if defines(name, root)]


def defines(module: str, root: Path) -> bool:
    """Whether a module has something to list: the face of a folder that defines nothing has not."""
    tree = ast.parse(file_of(module, root).read_text(encoding="utf-8"))
    return any(isinstance(node, (ast.FunctionDef, ast.ClassDef)) for node in tree.body)


def named(module: str, taken: set[str], root: Path) -> tuple[str, str, str]:
    """A section for a module that the catalogue does not list: label of its chapter, words of its name."""
    part, stem = module.partition(".")[0], module.rpartition(".")[2]
    place = asked_for(module, root).partition(" ")[0]
    part = part if place == "package" else place
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
    else:
        fields = ", ".join(bare_fields(file_of(module, root).read_text(encoding="utf-8")))
        if fields:
            yield f"exclude-members: {fields}"


def file_of(module: str, root: Path) -> Path:
    """The file of a module or a package."""
    stem = root.joinpath("pe_book", *module.split("."))
    for file in (stem.with_suffix(".py"), stem / "__init__.py"):
        if file.is_file():
            return file
    raise ConfigError(f"SECTIONS of pe_book/catalogue.py lists {module}, which is gone: take the line out.")


def bare_fields(source: str) -> list[str]:
    """The fields of named tuples that nothing explains: autodoc would call them aliases for their numbers."""
    lines = source.splitlines()
    found = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and "NamedTuple" in map(ast.unparse, node.bases):
            for at, field in enumerate(node.body):
                below = node.body[at + 1] if at + 1 < len(node.body) else None
                explained = (
                    "#:" in lines[field.lineno - 1]
                    or lines[field.lineno - 2].strip().startswith("#:")
                    or (isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant))
                )
                if isinstance(field, ast.AnnAssign) and not explained:
                    found.append(ast.unparse(field.target))
    return list(dict.fromkeys(found))


def fill(app: Sphinx, docname: str, source: list[str]) -> None:
    source[0] = PLACE.sub(lambda place: listing(place[1], Path(app.confdir)), source[0])


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
