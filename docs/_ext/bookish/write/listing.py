"""The pages of the programming interface list their modules by themselves: ``:::{modules} sinusoidal``.

A page names the folders or modules whose sections it has; ``package`` is what no page names, ``torch`` is the
subpackage ``nn``. The overview of a page, ``:::{entries} sinusoidal``, has each function with its first line.
Sections with label, title and order come with the setting ``pe_api``. A module of a part that is not among
them joins behind the others of its part. The listing is put into the text of the page before it is parsed, so
that its sections are sections like any other. autosummary writes a file for each name among the sources, and
gives no section a label.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ConfigError
from sphinx.util.docutils import SphinxDirective

from book import ROOT
from bookish.run import package
from bookish.run.foreign import ModuleAnalyzer
from bookish.run.package import PACKAGE

DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
PLACE = re.compile(r"^:::\{modules\} ([a-z_. ]+)\n:::$", re.MULTILINE)
TOP = re.compile(r"^\(sec:([a-z0-9-]+):top\)=$", re.MULTILINE)


@dataclass(frozen=True)
class Interface:
    """What a package offers its users, and where the book tells of it."""

    ordered: Sequence[tuple[str, str, str]] = ()  # module below the package, last word of the label, title
    called: Mapping[str, str] = field(default_factory=dict)  # full names, and how a reader calls them
    treated: Mapping[str, str] = field(default_factory=dict)  # full names of modules, and their pages
    no_parts: Sequence[str] = ()  # folders of which nothing joins by itself
    markup: Callable[[str], str] = str  # a line of a docstring as MyST
    root: Path = ROOT

    def listing(self, what: str) -> str:
        """The sections that a directive asks for, or all of a side (``numpy``, ``torch``), as MyST."""
        side = "torch" if what == "torch" else "numpy"
        rows = [row for row in self.sections(side) if what == side or self.asked_for(row[0]) == what]
        return "\n".join(self.section(*row, side) for row in rows)

    def asked_for(self, module: str) -> str:
        """What the directive that lists a module says: it names the module, or a folder around it."""
        pages = sorted(self.root.glob("docs/reference/api/*.md"))
        places = [place for page in pages for place in PLACE.findall(page.read_text(encoding="utf-8"))]
        asked = {name: place for place in places for name in place.split()}
        parts = module.split(".")
        names = [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
        return next((asked[name] for name in names if name in asked), "package")

    def sections(self, side: str) -> list[tuple[str, str, str]]:
        """Module, label and title of each section, in their order."""
        rows = [row for row in self.ordered if row[0].startswith("nn.") == (side == "torch")]
        for module in self.joining(side):
            if module not in {row[0] for row in rows}:
                place = self.asked_for(module)
                behind = [at for at, row in enumerate(rows, start=1) if self.asked_for(row[0]) == place]
                row = self.named(module, {row[1] for row in rows})
                rows.insert(behind[-1] if behind else len(rows), row)
        return rows

    def joining(self, side: str) -> list[str]:
        """The modules that have to be listed, whether there is a section for them or not."""
        if side == "torch":
            homes = {full.removeprefix(f"{PACKAGE}.").rpartition(".")[0] for full in self.called}
            return sorted(home for home in homes if home.startswith("nn."))
        names = [name.removeprefix(f"{PACKAGE}.") for name in package.modules(self.root)]
        names.sort(key=lambda name: name.rpartition(".")[::-1])
        rooms = [name for name in names if "." in name and name.partition(".")[0] not in self.no_parts]
        return [name for name in rooms if any(isinstance(node, DEFINITIONS) for node in self.body(name))]

    def file_of(self, module: str) -> Path:
        if file := package.file_of(f"{PACKAGE}.{module}", self.root):
            return file
        raise ConfigError(f"the sections of the programming interface list {module}: take out what is gone")

    def body(self, module: str) -> list[ast.stmt]:
        return package.parsed(self.file_of(module)).body

    def named(self, module: str, taken: set[str]) -> tuple[str, str, str]:
        """A section for a module that has none: label of its chapter, words of its name."""
        stem, place = module.rpartition(".")[2], self.asked_for(module).partition(" ")[0]
        part = module.partition(".")[0] if place == "package" else place
        page = self.root / "docs" / part / f"{stem.replace('_', '-')}.md"
        found = TOP.search(page.read_text(encoding="utf-8")) if page.exists() else None
        label = found[1] if found else stem.replace("_", "-")
        words = stem.replace("_", " ")
        title = words.capitalize() if part == "nn" else f"{part.capitalize()}: {words}"
        return module, f"{part}-{label}" if label in taken else label, title

    def section(self, module: str, label: str, title: str, side: str) -> str:
        page = "apitorch" if side == "torch" else "api"
        head = f"(sec:{page}:{label})=\n## {title}\n\n" if label else ""
        rest = "".join(f"   :{option}\n" for option in self.options(module, side))
        return f"{head}```{{eval-rst}}\n.. automodule:: {PACKAGE}.{module}\n{rest}```\n"

    def options(self, module: str, side: str) -> Iterator[str]:
        """What autodoc is told: of a torch module the public names alone, of a record no field twice."""
        if side == "torch":
            names = [full.rpartition(".") for full in self.called]
            public = [name for home, _, name in names if home == f"{PACKAGE}.{module}"]
            yield f"members: {', '.join(public)}" if public else "members:"
            yield "inherited-members: Module"
        else:
            yield "members:"
            if fields := ", ".join(dict.fromkeys(self.bare_fields(module))):
                yield f"exclude-members: {fields}"

    def bare_fields(self, module: str) -> Iterator[str]:
        """Fields of named tuples that nothing explains: autodoc would call them aliases for their numbers."""
        classes = [node for node in self.body(module) if isinstance(node, ast.ClassDef)]
        records = {node.name for node in classes if "NamedTuple" in map(ast.unparse, node.bases)}
        if records:
            found = ModuleAnalyzer.for_file(self.file_of(module), f"{PACKAGE}.{module}")
            explained = found.find_attr_docs()
            yield from (of[1] for of in found.annotations if of[0] in records and of not in explained)

    def entries(self, module: str) -> Iterator[tuple[str, str]]:
        """Name and first line of each function and class that autodoc documents."""
        body = self.body(module)
        said = {ast.unparse(node.targets[0]): node.value for node in body if isinstance(node, ast.Assign)}
        public = ast.literal_eval(said["__all__"]) if "__all__" in said else None
        for node in body:
            if isinstance(node, DEFINITIONS) and not node.name.startswith("_"):
                words = ast.get_docstring(node)
                if words is not None and (public is None or node.name in public):
                    yield node.name, self.markup(words.partition("\n\n")[0].replace("\n", " "))

    def rows(self, page: str) -> Iterator[str]:
        """Each entry of a page as a row in MyST: name, what it is, its section."""
        label = ""
        for module, own_label, _ in self.sections("numpy"):
            label = own_label or label
            for name, words in self.entries(module) if self.asked_for(module).split()[0] == page else ():
                entry, words = f"{{py:obj}}`{name} <{PACKAGE}.{module}.{name}>`", words.replace("|", r"\|")
                yield f"| {entry} | {words} | {{ref}}`sec:api:{label}` |"


def fill(app: Sphinx, docname: str, source: list[str]) -> None:
    source[0] = PLACE.sub(lambda place: app.config.pe_api.listing(place[1]), source[0])


class Entries(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        found = self.config.pe_api.rows(self.arguments[0])
        text = ["| name | what it is | section |", "| :--- | :--- | :--- |", *found]
        table = next(nodes.container("", *self.parse_text_to_nodes("\n".join(text))).findall(nodes.table))
        table["classes"].append("entries")
        for group in table.findall(nodes.tgroup):
            group["made"] = "found"
        return [table]


def setup(app: Sphinx) -> None:
    app.add_config_value("pe_api", Interface(), "", [Interface])
    app.add_directive("entries", Entries)
    app.connect("source-read", fill)
