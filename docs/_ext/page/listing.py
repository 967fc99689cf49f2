"""The pages of the programming interface list their modules by themselves: ``:::{modules} sinusoidal``.

Each part of the package has a page; ``package`` is what no part has a page for, ``torch`` is ``pe_book.nn``.
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

ROOT = Path(__file__).resolve().parents[3]
NO_PARTS = ("nn", "show", "evidence")  # folders of the package that hold no definitions
PLACE = re.compile(r"^:::\{modules\} ([a-z_]+)\n:::$", re.MULTILINE)
TOP = re.compile(r"^\(sec:([a-z0-9-]+):top\)=$", re.MULTILINE)


def listing(page: str, root: Path = ROOT) -> str:
    """The sections of one page, or of both sides' whole interface (``numpy``, ``torch``), as MyST."""
    side = "torch" if page == "torch" else "numpy"
    rows = [row for row in sections(side, root) if page == side or page_of(row[0], root) == page]
    return "\n".join(section(*row, side, root) for row in rows)


def page_of(module: str, root: Path = ROOT) -> str:
    """The page of the interface on which a module stands, below ``docs/reference/api``."""
    part = module.partition(".")[0]
    return part if (root / "docs" / "reference" / "api" / f"{part}.md").is_file() else "package"


def sections(side: str, root: Path = ROOT) -> list[tuple[str, str, str]]:
    """Module, label and title of each section, in their order."""
    from pe_book.catalogue import SECTIONS

    rows = [row for row in SECTIONS if row[0].startswith("nn.") == (side == "torch")]
    for module in joining(side, root):
        if module not in {row[0] for row in rows}:
            part = module.partition(".")[0]
            behind = [at for at, row in enumerate(rows, start=1) if row[0].startswith(part + ".")]
            rows.insert(behind[-1] if behind else len(rows), named(module, {row[1] for row in rows}, root))
    return rows


def joining(side: str, root: Path) -> list[str]:
    """The modules that have to be listed, whether the catalogue has a section for them or not."""
    from pe_book.catalogue import catalogue

    if side == "torch":
        return sorted({record.torch.removeprefix("pe_book.") for record in catalogue() if record.torch})
    files = sorted((root / "pe_book").glob("*/[!_]*.py"))
    return [f"{file.parent.name}.{file.stem}" for file in files if file.parent.name not in NO_PARTS]


def named(module: str, taken: set[str], root: Path) -> tuple[str, str, str]:
    """A section for a module that the catalogue does not list: label of its chapter, words of its name."""
    part, _, stem = module.partition(".")
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
