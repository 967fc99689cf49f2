"""The lint on the parsed page: a number is evaluated, given with a reason, or quoted with its source."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from docutils import nodes
from pe_given import Given
from pe_numerals import GAP, Numeral, counts, in_maths, numerals, words_in_maths
from pe_record import of
from pe_refusals import refuse
from sphinx import addnodes
from sphinx.application import Sphinx

LEFT_LITERAL = re.compile(r"\{\{|\}\}|\\val\b|\{eval\}|\{holds\}|\{quoted\}|\\begin\{|\$\$")
AVOIDED = re.compile(
    r"\b(simply|just|obviously|clearly|of course|magic\w*|mind-blowing)\b|!(?!=)", re.IGNORECASE
)
AMERICAN = re.compile(
    r"\b(?:(?:normal|general|visual|optim|initial|real|recogn|organ|minim|maxim|summar|emphas|memor|token|factor|symbol"
    r"|util|penal|parametr|discret|character|standard)iz(?:e|es|ed|er|ers|ing|ation|ations)|analyz(?:e|es|ed|ing)"
    r"|behavior\w*|colors?|colored|coloring|cent(?:er|ers|ered|ering)|neighbor\w*|favor\w*|label(?:ed|ing)|model(?:ed|ing)"
    r"|gray|defense|fulfill|skillful|catalog)\b",
    re.IGNORECASE,
)
BARE_DECIMAL = re.compile(r"[-−+]?\d*\.\d+")
MADE = ("found", "quoted", "free")  # what only the machinery sets; of a held statement the words are typed
CODE = (
    "python",
    "ipython",
    "ipython3",
    "shell",
    "console",
    "bash",
    "toml",
    "yaml",
    "json",
    "latex",
    "tex",
    "bibtex",
)
NOT_TEXT = (
    nodes.doctest_block,
    nodes.comment,
    nodes.citation,
    nodes.system_message,
    nodes.label,
    nodes.footnote_reference,
    nodes.docinfo,
    nodes.target,
    addnodes.desc_signature,
    addnodes.index,
)
DIGIT = 9  # in a formula
FREE = re.compile(r"^(?P<number>.*?\d.*?)\s*<(?P<reason>[^<>]{4,})>$", re.DOTALL)


@dataclass(frozen=True)
class Said:
    """A piece of a page: its text with gaps where nothing is typed, and where it stands."""

    text: str
    line: int | None = None
    section: str = ""
    hand: bool = False
    around: str = ""  # the paragraph with its formulas and code, where reasons are looked for
    tex: str | None = None  # a formula, as typed


def checked_by(expression: str) -> set[float]:
    """The numbers in the expression of a held statement: its words may repeat them."""
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except SyntaxError:
        return set()
    values = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {
        float(value) for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)
    }


def blank(text: str, values: set[float]) -> str:
    """The text with gaps for the numbers that have one of these values."""
    for found in [*numerals(text), *counts(text)]:
        if found.value in values:
            text = text[: found.start] + GAP * (found.end - found.start) + text[found.end :]
    return text


class TextOf(HTMLParser):
    """The words of raw HTML, with those that only some readers get to hear."""

    def __init__(self, html: str):
        super().__init__()
        self.said: list[str] = []
        self.unseen = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.unseen += tag in ("script", "style")
        self.said += [
            f" {value} " for key, value in attributes if key in ("alt", "title", "aria-label") and value
        ]

    def handle_endtag(self, tag: str) -> None:
        self.unseen -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if self.unseen <= 0:
            self.said.append(data)


def typed_in(node: nodes.Node) -> str:
    """What an author typed in a node and the inline nodes in it, with gaps for the rest."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.raw):
        return "" if node.get("made") else "".join(TextOf(node.astext()).said)
    if isinstance(node, nodes.literal):
        return node.astext() if BARE_DECIMAL.fullmatch(node.astext()) else GAP
    if isinstance(node, (nodes.math, *NOT_TEXT)) or node.get("made") in MADE:
        return GAP
    if isinstance(node, addnodes.pending_xref) and not node.get("refexplicit"):
        return GAP
    text = "".join(typed_in(child) for child in node.children if is_inline(child))
    if isinstance(node, nodes.reference):
        address = node.get("refuri", "")
        return (
            GAP if text == address else blank(text, {n.value for n in numerals(re.sub(r"\D", " ", address))})
        )
    if node.get("made") == "held":
        return blank(text, checked_by(node.get("expr", "")))
    if isinstance(node, nodes.abbreviation):
        return f"{text} {node.get('explanation', '')} "
    return text


def is_inline(node: nodes.Node) -> bool:
    return isinstance(node, (nodes.Text, nodes.Inline, nodes.raw))


def around(node: nodes.Node) -> str:
    """What a reader sees beside it: the paragraph, the table, or the paragraphs before and after a formula."""
    place: Any = node
    while isinstance(place, nodes.Inline) and place.parent is not None:
        place = place.parent
    table = next((part for part in parents(place) if isinstance(part, nodes.table)), None)
    if table is not None:
        return str(table.astext())
    if isinstance(place, nodes.title) or type(place).__name__ == "exercise_subtitle":
        return str(
            place.parent.parent.astext() if isinstance(place.parent, nodes.title) else place.parent.astext()
        )
    said = [place.astext()]
    if isinstance(place, nodes.math_block):
        index = place.parent.index(place)
        said += [other.astext() for other in place.parent.children[max(0, index - 1) : index + 2]]
    return "\n".join(said)


def parents(node: Any) -> Iterator[nodes.Element]:
    while node is not None:
        yield node
        node = node.parent


def by_hand(document: nodes.document) -> set[str]:
    """The labels of exercises that are marked as done by hand."""
    exercises = document.findall(lambda node: type(node).__name__.startswith("exercise") and "label" in node)
    return {node["label"] for node in exercises if len(node) and "[by hand]" in node[0].astext()}


def pieces(node: Any, hands: set[str], at: Said = Said("")) -> Iterator[Said]:
    """Everything that an author typed in a node, piece by piece, in the order of the page."""
    if isinstance(node, NOT_TEXT) or node.get("made") in MADE or node.get("nb_element"):
        return
    if "docstring of" in (node.source or ""):
        return  # checked as doctests, and by the tests of the package
    at = replace(at, text="", tex=None, line=getattr(node, "line", None) or at.line)
    if isinstance(node, nodes.section) and isinstance(node.parent, nodes.section) and not at.section:
        at = replace(at, section=(node["names"] or node["ids"])[0])
    if hands & {node.get("label"), node.get("target_label")} or (
        type(node).__name__ == "example_node" and "by-hand" in node["classes"]
    ):
        at = replace(at, hand=True)

    def say(text: str, **more: Any) -> Said:
        return replace(at, text=text, around=around(node), **more)

    if isinstance(node, (nodes.math, nodes.math_block)):
        tex = node.get("typed", node.astext())
        yield say(words_in_maths(tex), tex=tex)
        return
    if isinstance(node, nodes.literal_block):
        if node.get("language") not in CODE:
            yield say(node.astext())
        return
    if isinstance(node, nodes.image):
        yield say(node.get("alt", ""))
    elif isinstance(node, nodes.meta):
        yield say(node.get("content", ""))
    elif isinstance(node, addnodes.toctree):
        for words in [node.get("rawcaption") or "", *(title or "" for title, _ in node["entries"])]:
            yield say(words)
    elif not isinstance(node, nodes.Inline) and any(is_inline(child) for child in node.children):
        yield say("".join(typed_in(child) for child in node.children if is_inline(child)))
    for child in node.children:
        if isinstance(child, nodes.Element):
            yield from pieces(child, hands, at)


class Page:
    """One page under the lint: what it may type, and what is wrong with it."""

    def __init__(self, given: Given | dict[int, str]):
        self.given = given if isinstance(given, Given) else Given(given)

    def allows(self, numeral: Numeral, said: Said) -> bool:
        return self.given.allows(numeral, said.around or said.text, said.section, said.line, said.hand)

    def prose(self, said: Said | str) -> Iterator[tuple[str, dict[str, Any]]]:
        """What is wrong with a text: codes of refusals and their fields."""
        said = Said(said) if isinstance(said, str) else said
        text = said.text
        for found in numerals(text):
            if not self.allows(found, said):
                kind = "decimal" if found.decimal else "integer"
                yield (
                    "PE301",
                    {"kind": kind, "number": found.written, "near": near(text, found.start, found.end)},
                )
        for found in counts(text):
            if not self.allows(found, said):
                yield (
                    "PE302",
                    {
                        "words": found.written,
                        "value": int(found.value),
                        "near": near(text, found.start, found.end),
                    },
                )
        for code, pattern in (("PE303", LEFT_LITERAL), ("PE304", AVOIDED), ("PE305", AMERICAN)):
            for word in pattern.finditer(text):
                yield code, {"word": word[0], "near": near(text, *word.span())}

    def maths(self, said: Said | str) -> Iterator[tuple[str, dict[str, Any]]]:
        """What is wrong with a formula.

        Structure is free: subscripts, exponents of symbols, and single digits within a term, such as the 4 of
        \\omega/4. Decimals, integers of two digits and more, and what stands alone beside a relation are numbers.
        """
        said = Said("", tex=said) if isinstance(said, str) else said
        tex = said.tex or ""
        for found, lone in in_maths(tex):
            number = found.decimal or found.value > DIGIT or lone
            if number and not self.allows(found, said):
                yield "PE306" if lone else "PE307", {"number": found.written, "tex": " ".join(tex.split())}


def near(text: str, start: int, end: int) -> str:
    return "… " + " ".join(text[max(0, start - 30) : end + 30].replace(GAP, "▯").split()) + " …"


def front(record: Any) -> Iterator[Said]:
    """What a page's front matter says to readers and search engines."""
    for key in ("title", "description"):
        yield Said(str(record.front.get(key, "")), around=str(record.front.get("description", "")))
    for words in ((record.front.get("myst") or {}).get("html_meta") or {}).values():
        yield Said(str(words), around=str(words))


def complaints(
    page: Page, record: Any, doctree: nodes.document
) -> Iterator[tuple[int | None, str, dict[str, Any]]]:
    """What is wrong on a page: line, code of a refusal, and its fields."""
    for said in [*front(record), *pieces(doctree, by_hand(doctree))]:
        for code, fields in page.prose(said):
            yield said.line, code, fields
        for code, fields in page.maths(said):
            yield said.line, code, fields
    for use in page.given.unrelated():
        fields = {"number": use.number, "reason": page.given.reason(use.number)}
        yield use.line, "PE352", {**fields, "near": " ".join(use.around.split())[:80]}
    for number in page.given.needless():
        yield None, "PE351", {"number": number}
    for number in page.given.unused():
        yield None, "PE105", {"number": number}


def lint(app: Sphinx, doctree: nodes.document) -> None:
    docname = app.env.docname
    record = of(app.env)
    page = Page(record.front.get("given") or {})
    for line, code, fields in complaints(page, record, doctree):
        refuse(code, (docname, line), **fields)
    record.counts = {
        "found": sum("expr" in n for n in doctree.findall(nodes.inline) if n.get("made") == "found")
        + sum(
            len(n.get("fields", []))
            for n in doctree.findall(lambda n: isinstance(n, (nodes.math, nodes.math_block)))
        ),
        "tabled": sum(bool(g.get("made")) for g in doctree.findall(nodes.tgroup)),
        "given": len(page.given.uses),
        "free": sum(n.get("made") == "free" for n in doctree.findall(nodes.inline)),
        "held": sum(n.get("made") == "held" for n in doctree.findall(nodes.inline)),
        "quoted": sum(
            n.get("made") == "quoted" and n.astext()[:1].isdigit() for n in doctree.findall(nodes.inline)
        ),
    }
    record.found = [
        [n["expr"], n.astext()]
        for n in doctree.findall(nodes.inline)
        if n.get("made") == "found" and "expr" in n
    ]
    drawn = list(doctree.findall(nodes.raw))
    record.text = "\n\n".join(
        text.astext() for text in doctree.findall(nodes.Text) if text.parent not in drawn
    )


def free(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, options: Any = None, content: Any = None
) -> Any:
    """``{free}`43rd <name of the benchmark>` ``: a number that is none of the others, with the reason."""
    parts = FREE.match(text)
    if parts is None:
        refuse("PE341", (inliner.document.settings.env.docname, lineno), text=text)
        return [nodes.inline(text, text)], []
    return [nodes.inline(rawtext, parts["number"], classes=["free"], made="free", reason=parts["reason"])], []


def leave_findings(app: Sphinx, env: Any) -> None:
    """What every page says, beside the doctrees: tests compare it across packages and CPUs."""
    findings = {
        page: {"found": of(env, page).found, "text": of(env, page).text} for page in sorted(env.found_docs)
    }
    Path(app.doctreedir, "findings.json").write_text(json.dumps(findings), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_role("free", free)
    app.connect("doctree-read", lint, priority=850)
    app.connect("env-check-consistency", leave_findings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
