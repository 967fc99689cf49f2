"""Directives for what a kernel makes: ``{drawn}``, ``{explored}``, ``{tabled}``, ``{derived}``, ``{carded}``.

Picture, alt text and data come from one Python object; the caption is the directive's content. Of which class
the object has to be is said by the setting ``pe_shown``.
"""

import ast
import hashlib
from html import escape
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bookish.run.record import page_being_read, record_of
from bookish.run.refusals import refuse
from bookish.write.bundle import EXPLORERS
from bookish.write.figures import panels, taken


class Shown(SphinxDirective):
    """What the directives share: an expression evaluated in the page's kernel, a name, a caption."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar = {"name": directives.unchanged_required}
    kind = ""

    @property
    def expression(self) -> str:
        return " ".join(self.arguments[0].split())

    def evaluate(self) -> Any:
        """What the page's kernel gives for the expression; None, with a refusal, if it gives nothing."""
        expression = self.expression
        said = {"directive": self.name, "expression": expression}
        page = page_being_read(self.env)
        if not self.config.pe_draw:
            return None
        if page is None:
            return refuse("PE501", self.get_location(), **said)
        try:
            ast.parse(expression, mode="eval")
            home, check = self.config.pe_shown[self.kind]
            answer = page.evaluate_in_kernel(
                "shown", expression=expression, kind=self.kind, home=home, check=check
            )
        except SyntaxError as error:
            return refuse("PE502", self.get_location(), **said, what=f"not an expression: {error.msg}")
        if "error" in answer:
            return refuse("PE510", self.get_location(), **said, error=answer["error"])
        made = answer.get("value")
        if isinstance(made, dict) and "other" in made:
            return refuse("PE502", self.get_location(), **said, what=made["other"])
        return made

    def parsed(self, text: str) -> nodes.Element:
        return nodes.container("", *self.parse_text_to_nodes(text))

    def caption(self) -> tuple[list[nodes.Node], list[nodes.Node]]:
        """The first paragraph of the content, and what follows it."""
        found = self.parse_content_to_nodes()
        if not found or not isinstance(found[0], nodes.paragraph):
            refuse("PE503", self.get_location(), directive=self.name, expression=self.arguments[0])
            return [], []
        return found[0].children, found[1:]

    def words(self) -> list[nodes.Node]:
        """The caption alone, where there is nothing to show."""
        return [nodes.paragraph("", "", *self.caption()[0])] if self.content else []

    def named(self, node: nodes.Element) -> nodes.Element:
        if "name" not in self.options:
            refuse("PE504", self.get_location(), directive=self.name, expression=self.arguments[0])
        self.set_source_info(node)
        node["expr"] = self.expression
        self.add_name(node)
        return node


class Drawn(Shown):
    """A figure: picture, alt text and data from one ``Figure``."""

    kind = "Figure"
    moves = False  # by controls

    def run(self) -> list[nodes.Node]:
        made = self.evaluate()
        if made is None:
            return self.words()
        caption, rest = self.caption()
        words = nodes.caption("", "", *caption)
        file = nodes.make_id(self.options.get("name", "figure"))
        alt = made["alt"]
        if " ".join(alt.split()).rstrip(".") == " ".join(words.astext().split()).rstrip("."):
            refuse("PE506", self.get_location(), alt=alt)
        figure = self.named(nodes.figure("", classes=["drawn"]))
        picture = nodes.raw("", self.picture(made), format="html", made="found")
        picture["png"], picture["alt"] = made["png"], alt  # what a notebook shows
        figure += [picture, words, nodes.legend("", *rest, taken(made, file, self.moves))]
        digest = hashlib.sha256(made["csv"].encode()).hexdigest()
        record_of(self.env).figures.append([alt, digest])
        record_of(self.env).pictures[" ".join(figure["names"])] = panels(made["html"])
        return [figure]

    def picture(self, made: dict[str, Any]) -> str:
        return str(made["html"])


class Explored(Drawn):
    """A figure inside the element that lets a reader change it; without script it is the figure alone."""

    moves = True

    def picture(self, made: dict[str, Any]) -> str:
        element = made.get("explorer")
        if element in EXPLORERS:
            return str(made["explored"])
        if element:
            refuse("PE509", self.get_location(), expression=self.expression, element=element)
        else:
            refuse("PE508", self.get_location(), expression=self.expression)
        return super().picture(made)


def filtered(shown: list[nodes.Node], **data: str) -> list[nodes.Node]:
    """A list or a table in the element that filters it (listed.js); without script it is whole."""
    said = "".join(f' data-{name}="{escape(words)}"' for name, words in data.items() if words)
    begin, end = (nodes.raw("", tag, format="html") for tag in (f"<pe-listed{said}>", "</pe-listed>"))
    return [begin, *shown, end]


class Tabled(Shown):
    """A numbered table whose every cell a ``Table`` has computed.

    With ``:filtered:``, the header of a column, readers filter its rows by what that column lists, by words
    and by names; ``:sorted:`` names columns that order them, ``:rows:`` what a row is, and ``:unknown:`` is
    said where none is left. Each row is a card and an entry of the search, under the strong words
    of its first cell; those of the class ``also`` are its other names.
    """

    kind = "Table"
    asked = ("filtered", "sorted", "rows", "unknown")
    option_spec: ClassVar = {**Shown.option_spec, **dict.fromkeys(asked, directives.unchanged_required)}

    def run(self) -> list[nodes.Node]:
        text = self.evaluate()
        if text is None:
            return self.words()
        caption, rest = self.caption()
        table = next(self.parsed(text).findall(nodes.table))
        for group in table.findall(nodes.tgroup):
            group["classes"].append("found")
            group["made"] = "found"
        table.insert(0, nodes.title("", "", *caption))
        table["classes"].append("tabled")
        shown = [self.named(table), *rest]
        if "filtered" not in self.options:
            return shown
        table["classes"].append("cards")
        table["rows"] = self.options.get("rows", "row")
        for row in next(table.findall(nodes.tbody)).children:
            row["ids"] = [nodes.make_id(f"row-{next(row.findall(nodes.strong)).astext()}")]
        data = {name: self.options.get(name, "") for name in self.asked}
        data |= {"kind": data.pop("filtered"), "words": "Name or words", "counted": f"{data.pop('rows')}s"}
        return filtered(shown, **data)


class Derived(Shown):
    """A derivation whose every step a ``Derivation`` has checked."""

    kind = "Derivation"

    def run(self) -> list[nodes.Node]:
        text = self.evaluate()
        if text is None:
            return self.words()
        box = self.parsed(text)
        box["classes"] += ["derivation", "found"]
        box["made"], box["expr"] = "found", self.expression
        if "name" in self.options:
            self.named(box)
        return [box]


class Carded(Shown):
    """Cards whose every fact ``Cards`` has looked up."""

    kind = "Cards"
    has_content = False
    option_spec: ClassVar = {}

    def run(self) -> list[nodes.Node]:
        box = nodes.container("", *self.parsed(self.evaluate() or "").children, classes=["methods"])
        box["made"], box["expr"] = "found", self.expression
        self.set_source_info(box)
        return [box]


def same_alt(app: Sphinx, env: Any) -> None:
    """Two figures with different data cannot have the same alt text."""
    seen: dict[str, tuple[str, str]] = {}
    for page in sorted(env.found_docs):
        for alt, digest in record_of(env, page).figures:
            other, page_of_other = seen.setdefault(alt, (digest, page))
            if other != digest:
                refuse("PE507", page, other=page_of_other, alt=alt)


def setup(app: Sphinx) -> None:
    app.add_config_value("pe_shown", {}, "env", dict)  # kind: module of its class, function that checks it
    app.add_config_value("pe_draw", True, "env", bool)  # off: a test that reads numbers wants no pictures
    app.add_directive("drawn", Drawn)
    app.add_directive("explored", Explored)
    app.add_directive("tabled", Tabled)
    app.add_directive("derived", Derived)
    app.add_directive("carded", Carded)
    app.connect("env-check-consistency", same_alt)
