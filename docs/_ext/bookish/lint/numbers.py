"""The lint on the parsed page: a number is evaluated, given with a reason, or quoted with its source.

``docs/given.yml`` has the numbers that everybody shares; the front matter has the rest with a reason:
``given: {22: position of the example}``.
"""

import json
import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from bookish.lint.numerals import GAP, SIZES, Numeral, counts, in_maths, numerals, words_for_numbers
from bookish.lint.pieces import Piece, exercises_by_hand, pieces
from bookish.run.record import record_of
from bookish.run.refusals import refuse

LEFT_LITERAL = re.compile(
    r"\{\{|\}\}|\\val\b|\\begin\{|\$\$|\{(?:eval|holds|quoted|(?:depth|solution)-(?:start|end))\}"
)
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
DIGIT = 9  # in a formula
FILE = Path(__file__).resolve().parents[3] / "given.yml"
SMALL = 2  # one and two are words, not findings
BY_HAND = 9  # in what is asked for by hand a reader recomputes every digit
FREE = re.compile(r"^(?P<number>.+?)\s*<(?P<reason>[^<>]{4,})>$", re.DOTALL)


@cache
def shared_numbers(file: Path = FILE) -> dict[int, dict[str, str]]:
    """The numbers of ``docs/given.yml``, which the field shares: what each is, and its source."""
    return (yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else None) or {}


class PageLint:
    """One page under the lint: the numbers that it may type and does, and what is wrong with it."""

    def __init__(self, given: Collection[int]):
        self.given = given
        self.uses: list[float] = []

    def allows(self, numeral: Numeral, piece: Piece) -> bool:
        value = numeral.value
        if value in piece.checked:
            return True
        if numeral.decimal:
            return False
        if value <= (BY_HAND if piece.by_hand else SMALL):
            return True
        if (piece.solves or value not in self.given) and value not in shared_numbers():
            return False
        self.uses.append(value)
        return True

    def unused(self) -> list[int]:
        """What is given and used nowhere."""
        return sorted(set(self.given) - set(self.uses))

    def prose(self, piece: Piece) -> Iterator[tuple[str, dict[str, Any]]]:
        """What is wrong with a text: codes of refusals and their fields."""
        yield from self.typed_in_caption(piece) if piece.caption else self.typed_in_text(piece)
        for code, pattern in (("PE303", LEFT_LITERAL), ("PE304", AVOIDED), ("PE305", AMERICAN)):
            for word in pattern.finditer(piece.text):
                yield code, {"word": word[0], "near": excerpt(piece.text, *word.span())}

    def typed_in_text(self, piece: Piece) -> Iterator[tuple[str, dict[str, Any]]]:
        """The typed numbers, counts and sizes in words of a text that is no caption."""
        for found in numerals(piece.text):
            if not self.allows(found, piece):
                near = excerpt(piece.text, found.start, found.end)
                kind = "decimal" if found.decimal else "integer"
                yield "PE301", {"kind": kind, "number": found.written, "near": near}
        for found in counts(piece.text):
            if not self.allows(found, piece):
                near = excerpt(piece.text, found.start, found.end)
                yield "PE302", {"words": found.written, "value": int(found.value), "near": near}
        for size in () if piece.by_hand or piece.proved else SIZES.finditer(piece.text):
            yield "PE310", {"words": size[0], "near": excerpt(piece.text, *size.span())}

    def typed_in_caption(self, piece: Piece) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every typed number of a caption, given or not; one and two are free as words, not as digits."""
        words = (count for count in words_for_numbers(piece.text) if count.value > SMALL)
        for found in [*numerals(piece.text), *words]:
            yield "PE308", {"number": found.written, "near": excerpt(piece.text, found.start, found.end)}
        for size in SIZES.finditer(piece.text):
            yield "PE308", {"number": size[0], "near": excerpt(piece.text, *size.span())}

    def maths(self, piece: Piece) -> Iterator[tuple[str, dict[str, Any]]]:
        r"""What is wrong with a formula.

        Structure is free: subscripts, exponents of symbols, and single digits within a term, such as the 4 of
        \omega/4. Numbers are decimals, integers of two digits and more, and what stands beside a relation.
        """
        tex = piece.tex or ""
        for found, lone in in_maths(tex, scripts_too=piece.caption):
            number = found.decimal or found.value > DIGIT or lone
            if number and piece.caption:
                yield "PE308", {"number": found.written, "near": " ".join(tex.split())}
            elif number and not self.allows(found, piece):
                yield "PE306" if lone else "PE307", {"number": found.written, "tex": " ".join(tex.split())}


def excerpt(text: str, start: int, end: int) -> str:
    return "… " + " ".join(text[max(0, start - 30) : end + 30].replace(GAP, "▯").split()) + " …"


def front_matter_pieces(record: Any) -> Iterator[Piece]:
    """What a page's front matter says to readers and search engines."""
    for key in ("title", "description", "question"):
        yield Piece(str(record.front.get(key, "")))
    for words in ((record.front.get("myst") or {}).get("html_meta") or {}).values():
        yield Piece(str(words))


def find_faults(
    page: PageLint, record: Any, doctree: nodes.document
) -> Iterator[tuple[int | None, str, dict[str, Any]]]:
    """What is wrong on a page: line, code of a refusal, and its fields."""
    for piece in [*front_matter_pieces(record), *pieces(doctree, exercises_by_hand(doctree))]:
        for code, fields in page.prose(piece):
            yield piece.line, code, fields
        for code, fields in page.maths(piece):
            yield piece.line, code, fields
    for number in page.unused():
        yield None, "PE105", {"number": number}


def lint(app: Sphinx, doctree: nodes.document) -> None:
    docname = app.env.docname
    record = record_of(app.env)
    given = record.front.get("given")
    own = given if isinstance(given, dict) else ()  # PE103 has refused others
    page = PageLint({number for number in own if isinstance(number, int)})
    for line, code, fields in find_faults(page, record, doctree):
        refuse(code, (docname, line), **fields)
    maths = doctree.findall(lambda n: isinstance(n, (nodes.math, nodes.math_block)))
    inline = list(doctree.findall(nodes.inline))
    found, free, held, quoted = (
        [node for node in inline if node.get("made") == kind] for kind in ("found", "free", "held", "quoted")
    )
    evaluated = [node for node in found if "expr" in node]
    record.counts = {
        "found": len(evaluated) + sum(len(node.get("fields", [])) for node in maths),
        "tabled": sum(bool(group.get("made")) for group in doctree.findall(nodes.tgroup)),
        "given": len(page.uses),
        "free": len(free),
        "held": len(held),
        "quoted": sum(node.astext()[:1].isdigit() for node in quoted),
    }
    record.found = [[node["expr"], node.astext()] for node in evaluated]
    record.held = [node["expr"] for node in held if "expr" in node]
    drawn = list(doctree.findall(nodes.raw))
    texts = [text.astext() for text in doctree.findall(nodes.Text) if text.parent not in drawn]
    record.text = "\n\n".join(texts)


class Free(SphinxRole):
    """``{free}`43rd <name of the benchmark>` ``: a number that is none of the others, with the reason."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        parts = FREE.match(self.text)
        if parts is None:
            refuse("PE341", (self.env.docname, self.lineno), text=self.text)
            return [nodes.inline(self.text, self.text)], []
        told = {"made": "free", "reason": parts["reason"]}
        return [nodes.inline(self.rawtext, parts["number"], classes=["free"], **told)], []


def leave_findings(app: Sphinx, env: Any) -> None:
    """What every page says, beside the doctrees: tests compare it across packages and CPUs."""
    findings = {
        page: {key: getattr(record_of(env, page), key) for key in ("found", "held", "text")}
        for page in sorted(env.found_docs)
    }
    Path(app.doctreedir, "findings.json").write_text(json.dumps(findings), encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.add_role("free", Free())
    app.connect("doctree-read", lint, priority=850)
    app.connect("env-check-consistency", leave_findings)
