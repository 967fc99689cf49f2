"""What the machinery is told of this book: the one extension that knows its package."""

from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

from bookish.write.listing import Interface
from pe_book.catalogue import SECTIONS, catalogue
from pe_book.evidence import project
from pe_book.evidence.derivations.trial import tried
from pe_book.evidence.records import fuzz, versions
from pe_book.show.drawing.alone import alone
from pe_book.show.reference.api import in_markdown

# what directives show: the module of its class, and the function that has to accept it
SHOWN = {
    "Figure": ("pe_book.show.drawing.figure", ""),
    "Table": ("pe_book.show.drawing.table", ""),
    "Derivation": (
        "pe_book.evidence.derivations.derivation",
        "pe_book.evidence.derivations.rules:check_rules",
    ),
    "Cards": ("pe_book.show.family.models", ""),
    "Told": ("pe_book.show.evidence.claims", ""),
}
SOFTWARE = ["numpy", "torch", "sympy", "matplotlib", "sphinx", "myst-nb", "ipykernel", "sphinx-book-theme"]
LISTED_BY_HAND = ("inputs", "nn", "show", "evidence")  # the catalogue lists what readers use of them


def interface() -> Interface:
    """The names that readers use, as the catalogue has them."""
    homes = [
        (home, record, short)
        for record in catalogue()
        for home, short in ((record.numpy, "pe."), (record.torch, "pe.nn."))
        if home
    ]
    return Interface(
        ordered=SECTIONS,
        called={f"{home}.{record.name}": short + record.name for home, record, short in homes},
        treated={home: record.page for home, record, _ in homes},
        no_parts=LISTED_BY_HAND,
        markup=in_markdown,
    )


def tell(app: Sphinx, config: Config) -> None:
    """Fill in the settings of the other extensions."""
    config.pe_api, config.pe_shown, config.pe_software = interface(), SHOWN, SOFTWARE
    config.pe_citation, config.pe_reference = project.citation(), project.reference()


def figure_as_svg(app: Sphinx, picture: str, title: str, description: str) -> str:
    return alone(picture, title=title, told=description)


def formulas(app: Sphinx, page: str, label: str, displayed: list[str]) -> list[tuple[str, str]]:
    return tried(page, label, displayed)


def records(app: Sphinx) -> list[str | tuple[list[str], list[list[str]]]]:
    """The odd calls of the fuzz by how they ended, and the versions that the package was tried with."""
    found, tried = fuzz.recorded(), versions.recorded()
    parts = {
        "numpy": [name for name in found.functions if not name.startswith("nn.")],
        "torch": [name for name in found.functions if name.startswith("nn.")],
        "together": list(found.functions),
    }
    rows = []
    for part, names in parts.items():
        sums = found.sums(names)
        rows.append([part, *(f"{n:,}" for n in (len(names), sum(sums.values()), *sums.values()))])
    called_with = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    return [
        (["", "functions", "odd calls", *fuzz.OUTCOMES], rows),
        f"The odd calls were counted with {found.standing}, {called_with}.",
        f"{tried.sentence()} That was {tried.standing}.",
    ]


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", tell)
    app.connect("figure-as-svg", figure_as_svg)
    app.connect("formulas-tried", formulas)
    app.connect("build-report", records)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
