"""The table of everyday names: each exists, its words are those of its docstring, its page is there."""

import re
from importlib import import_module
from pathlib import Path

import pe_book as pe
from tests.show.recomputed import COUNT, WORDS

DOCS = Path(__file__).resolve().parents[3] / "docs"


def linked(row):
    """The name and the module that a row links to."""
    return re.fullmatch(r"\{py:func\}`pe\.(\w+) <([\w.]+)\.\1>`", row["name"]).groups()


def same_object(row, p):
    name, module = linked(row)
    return row["name"] if getattr(import_module(module), name) is getattr(pe, name) else f"not pe.{name}"


def first_sentence(row, p):
    """The cell, if it has the letters of the docstring's first paragraph; markup is another."""
    paragraph = getattr(pe, linked(row)[0]).__doc__.strip().partition("\n\n")[0]
    spoken = re.sub(r":(?:math|func|class|cite):", "", paragraph.replace(":cite:t:", "{cite:t}"))
    cell = row["what it is"]
    return cell if re.findall(r"\w+", cell) == re.findall(r"\w+", spoken) else paragraph


def page_that_is_there(row, p):
    place = row["page"].removeprefix("{doc}`/").removesuffix("`")
    return row["page"] if (DOCS / f"{place}.md").exists() else f"no page {place}"


RECOMPUTED = {
    "tab:api:names": {
        COUNT: len(set(pe.__all__) - {"nn"}),
        "name": same_object,
        "what it is": first_sentence,
        "position enters at": WORDS,
        "page": page_that_is_there,
    }
}
