"""What can be found on a page: chapters, statements, figures, tables, formulas, terms, functions and sources.

A page is found by its question and its description, too, and by the words under `searched` in its front
matter. A table without a number belongs to its section. Solutions are left out: whoever searches for an
exercise does not want to read them.
"""

import keyword
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node, solution_node
from sphinx_proof.nodes import NODE_TYPES

from bookish.run.record import record_of
from bookish.run.refusals import refuse
from bookish.site.plain import plain, plain_maths
from bookish.write.claims import claim_box, claim_how, claim_lines
from bookish.write.exercises import stub_says
from bookish.write.folds import fold, fold_summary
from bookish.write.nodes import number_of

FILE = Path(__file__).parents[1] / "search-aliases.toml"
ALIASES: dict[str, Any] = tomllib.loads(FILE.read_text(encoding="utf-8"))
STATEMENTS = tuple(NODE_TYPES.values())
EXERCISES = (exercise_node, exercise_enumerable_node)
OWN_ENTRY = (
    nodes.section, nodes.figure, nodes.table, nodes.citation, addnodes.desc, addnodes.glossary,
    *STATEMENTS, *EXERCISES, solution_node, fold, claim_box, claim_lines,
)  # fmt: skip
NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]{2,}")
SENTENCE = re.compile(r"(.{20,}?[.;?])\s")
LONGEST_TITLE = 110
GLOSSARY = "reference/glossary"
# what a page is called, by how its name begins
PAGES = {"coursework": "Coursework", "evidence/claims": "Claims", "howto": "How-to", "reference": "Reference"}


class Entry(NamedTuple):
    """One thing that can be found."""

    kind: str
    anchor: str
    number: str
    title: str
    also: list[str]  # other names by which it is looked for
    text: str
    code: str = ""  # names in the code of a section
    rows: str = ""  # what the rows of its tables are about
    asked: str = ""  # of a page: its question and its description


class PageEntries:
    """The entries of one page."""

    def __init__(self, env: Any, docname: str):
        self.env, self.docname = env, docname
        self.public = env.config.pe_api.called

    def of(self, doctree: nodes.document) -> Iterator[Entry]:
        top = True
        for node in doctree.findall(nodes.Element):
            if isinstance(node, STATEMENTS):
                yield self.statement(node)
            elif isinstance(node, EXERCISES):
                yield self.exercise(node)
            elif isinstance(node, claim_box):
                yield claim(node)
            elif isinstance(node, nodes.section) and type(node.parent) in (nodes.document, nodes.section):
                yield self.section(node, top)
                top = False
            elif isinstance(node, (nodes.figure, nodes.table)) and node["ids"]:
                yield self.numbered(node)
                yield from cards(node)
            elif isinstance(node, nodes.math_block) and node.get("label"):
                text = plain_maths(node.astext())
                number = self.number("displaymath", node)
                yield Entry("Equation", node["ids"][0], f"({number})", text, [], "")
            elif isinstance(node, addnodes.desc) and node[0]["ids"]:
                yield self.definition(node)
            elif isinstance(node, addnodes.glossary):
                yield from terms(node, self.docname)
            elif isinstance(node, fold) and "depth" in node["classes"] and node["ids"]:
                yield Entry("In depth", node["ids"][0], "", plain(node[0]), [], without_title(node))
            elif isinstance(node, nodes.citation):
                yield self.source(node)

    def number(self, kind: str, node: nodes.Element) -> str:
        return number_of(self.env, self.docname, node["ids"][0], kind)

    def section(self, node: nodes.section, top: bool) -> Entry:
        number = number_of(self.env, self.docname, "" if top else "#" + node["ids"][0])
        code = " ".join(
            block.astext() for block in own(node, nodes.literal_block) if block.get("language") != "none"
        )
        names = " ".join(sorted({name for name in NAME.findall(code) if not keyword.iskeyword(name)}))
        rows, cells = rows_and_cells(table for table in own(node, nodes.table) if not table["ids"])
        text = " · ".join(filter(None, [plain(node, (*OWN_ENTRY, nodes.title, nodes.literal_block)), cells]))
        if not top:
            return Entry("Section", node["ids"][0], number, plain(node[0]), [], text, names, rows)
        front = record_of(self.env, self.docname).front
        asked = " ".join(front[key] for key in ("question", "description") if front.get(key))
        kind = next((kind for start, kind in PAGES.items() if self.docname.startswith(start)), "Chapter")
        return Entry(kind, "", number, plain(node[0]), front.get("searched", []), text, names, rows, asked)

    def statement(self, node: nodes.Element) -> Entry:
        kind = node["realtype"].title()
        number = self.number(node["countertype"], node)
        title = plain(node[0]).strip("() ") if isinstance(node[0], nodes.title) else ""
        return Entry(kind, node["ids"][0], number, title or kind, [], without_title(node))

    def exercise(self, node: nodes.Element) -> Entry:
        number = self.number("exercise", node)
        marks = [
            part.astext() for part in node[0].findall(nodes.inline) if "exercise-mark" in part["classes"]
        ]
        title = plain(node[0]).removesuffix(" ".join(marks)).strip()
        return Entry("Exercise", node["ids"][0], number, title, [], without_title(node))

    def numbered(self, node: nodes.Element) -> Entry:
        kind = "Figure" if isinstance(node, nodes.figure) else "Table"
        number = self.number(kind.lower(), node)
        words = [child for child in node.children if isinstance(child, (nodes.caption, nodes.title))]
        title, rest = split(" ".join(map(plain, words)))
        rows, cells = rows_and_cells([node] if kind == "Table" and "cards" not in node["classes"] else [])
        text = " · ".join(filter(None, [rest, cells]))
        called = ["interactive explorer"] if node[0].astext().startswith("<pe-") else []
        return Entry(kind, node["ids"][0], number, title, called, text, "", rows)

    def definition(self, node: addnodes.desc) -> Entry:
        signature = node[0]
        full = signature["ids"][0]
        short = signature["fullname"]
        kind = {"function": "Function", "class": "Class", "exception": "Class"}.get(node["objtype"], "Method")
        first = next(iter(node[-1].findall(nodes.paragraph)), None)
        shown = self.public.get(full, full) + "()" * (node["objtype"] in ("function", "method"))
        return Entry(kind, full, "", shown, [short], plain(first) if first is not None else "")

    def source(self, node: nodes.citation) -> Entry:
        text = plain(node).removeprefix(node[0].astext()).strip()
        domain = self.env.get_domain("cite")
        keys = {one.citation_id: one.key for one in domain.citations}
        cited = domain.bibdata.data.entries[keys[node["ids"][0]]]
        title = plain_maths(cited.fields["title"].replace("{", "").replace("}", ""))
        authors = [" ".join(person.last_names) for person in cited.persons.get("author", ())]
        called = [keys[node["ids"][0]], *authors]
        return Entry("Source", node["ids"][0], cited.fields.get("year", ""), title, called, text)


def claim(node: nodes.Element) -> Entry:
    """A statement with its verdict; how it was decided is not looked for."""
    kind, _, number = node["cited"].partition(" ")
    title, _ = split(plain(node[0]).partition(f"{number} ")[2])
    return Entry(kind.title(), node["ids"][0], number, title, [], without_title(node))


def own(node: nodes.Element, kind: type) -> Iterator[Any]:
    """Descendants that belong to no section or statement within."""
    for child in node.children:
        if isinstance(child, kind):
            yield child
        elif isinstance(child, nodes.Element) and not isinstance(child, OWN_ENTRY):
            yield from own(child, kind)


def rows_and_cells(tables: Iterable[nodes.Element]) -> tuple[str, str]:
    """What the rows of tables are about, in their first column, and the other words in them."""
    first: dict[str, None] = {}
    others: dict[str, None] = {}
    for table in tables:
        for row in table.findall(nodes.row):
            for at, cell in enumerate(row.findall(nodes.entry)):
                if re.search(r"[A-Za-z]", text := plain(cell)):
                    (others if at or isinstance(row.parent, nodes.thead) else first)[text] = None
    return " · ".join(first), " · ".join(others)


def cards(node: nodes.Element) -> Iterator[Entry]:
    """A row that is a card of its own, by its name and its other names."""
    for row in next(node.findall(nodes.tbody)) if "cards" in node["classes"] else ():
        title = plain(next(row.findall(nodes.strong)))
        also = [words.astext() for words in row.findall(nodes.inline) if "also" in words["classes"]]
        names = [name for words in also for name in words.split(", ")]
        names += [name for name in title.partition(", ")[0].split(" and ") if name not in (title, *names)]
        text = " · ".join(map(plain, row[1:]))
        said = " ".join(word for word in text.split() if "/" not in word)  # no address
        yield Entry(node["rows"].title(), row["ids"][0], "", title, names, said)


def without_title(node: nodes.Element) -> str:
    return plain(node, (nodes.title, fold_summary, nodes.literal_block, stub_says, claim_how))


def split(text: str) -> tuple[str, str]:
    """The first sentence, and the rest."""
    found = SENTENCE.match(text + " ")
    title = found[1] if found else text
    if len(title) > LONGEST_TITLE:
        return title[:LONGEST_TITLE].rsplit(" ", 1)[0] + " …", text
    return title.rstrip(".;"), text[len(title) :].strip()


def terms(glossary: nodes.Element, docname: str) -> Iterator[Entry]:
    symbols: dict[str, list[str]] = {}
    for symbol, term in ALIASES["terms"].items():
        symbols.setdefault(term, []).append(symbol)
    for item in glossary.findall(nodes.definition_list_item):
        for term in item.findall(nodes.term):
            title = plain(term)
            yield Entry("Glossary", term["ids"][0], "", title, symbols.pop(title, []), plain(item[-1]))
    for missing in symbols if docname == GLOSSARY else ():
        refuse("PE911", glossary, term=missing)
