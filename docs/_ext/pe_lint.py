"""The lint on the parsed page: a number is evaluated, given with a reason, or quoted with its source."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from pe_record import of
from pe_refusals import refuse
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging

log = logging.getLogger(__name__)

FREE = (
    nodes.literal,
    nodes.literal_block,
    nodes.doctest_block,
    nodes.math,
    nodes.math_block,
    nodes.raw,
    nodes.comment,
    nodes.reference,
    addnodes.pending_xref,
    addnodes.desc,
    addnodes.toctree,
    nodes.field_list,
    nodes.citation,
    nodes.system_message,
)
SMALL = 2  # one and two are words, not findings
NUMBER = re.compile(
    r"(?<![\w.\-/^])[-−]?(?P<number>\d{1,3}(?:[,\u202f\u00a0]\d{3})+(?!\d)|\d+(?:\.\d+)?)(?P<power>[eE][-+−]?\d+)?(?![\w]|-[A-Z]\b|\.\d)"
)
RELATION = r"(?:=|\\approx|\\simeq|\\leq?\b|\\geq?\b|\\[lg]t\b|<|>|≈)"
LONE = r"(?P<number>\d[\d,]*(?:\.\d+)?)"
BESIDE = (
    re.compile(
        rf"{RELATION}\s*[-−+]?\s*{LONE}(?=\s*(?:$|[,;.)\]\\&}}]))(?!\s*\\(?:pi|cdot|times|frac|sqrt|omega|sin|cos|left))"
    ),
    re.compile(rf"(?:^|[\s(&,;{{])[-−]?{LONE}\s*{RELATION}"),
)
SPELLED = {
    **{
        word: value
        for value, word in enumerate(["zero", "one", "two", "three", "four", "five", "six", "seven"])
    },
    **{word: value for value, word in enumerate(["eight", "nine", "ten", "eleven", "twelve", "thirteen"], 8)},
    **{word: value for value, word in enumerate(["fourteen", "fifteen", "sixteen", "seventeen"], 14)},
    **{word: value for value, word in enumerate(["eighteen", "nineteen", "twenty"], 18)},
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
    "hundred": 100,
    "thousand": 1000,
    "million": 10**6,
}
COUNTED = re.compile(
    rf"\b(?P<word>{'|'.join(SPELLED)})(?:[\s-]+(?:{'|'.join(SPELLED)}))*\s+"
    r"(?:per\s?cent|times|tokens?|positions?|dimensions?)\b",
    re.IGNORECASE,
)
NAMED = re.compile(
    r"(?:\b(?:sections?|tables?|figures?|equations?|issues?|chapters?|appendix)|§)\s*$", re.IGNORECASE
)
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
API = "reference/api"  # signatures and docstrings are checked as doctests


def value_of(number: str) -> float:
    return float(re.sub(r"[,\u202f\u00a0]", "", number))


def free(node: nodes.Node) -> bool:
    while node is not None:
        if isinstance(node, FREE) or (isinstance(node, nodes.Element) and node.get("made")):
            return True
        node = node.parent
    return False


class Page:
    """One page under the lint: its given integers, what of them was used, and what is wrong."""

    def __init__(self, given: dict[int, str]):
        self.given, self.used, self.count = given, set(), 0

    def allows(self, number: str, *, exact: bool = True) -> bool:
        value = value_of(number)
        if "." not in number and value in self.given:
            self.used.add(int(value))
            self.count += 1
            return True
        return "." not in number and value <= SMALL

    def prose(self, text: str) -> Iterator[str]:
        for found in NUMBER.finditer(text):
            if NAMED.search(text[: found.start()]):
                continue
            if found["power"] or not self.allows(found["number"]):
                kind = "decimal" if "." in found["number"] or found["power"] else "integer"
                yield f"the {kind} {found[0]} is typed in prose: evaluate or quote it ({near(text, found)})"
        for found in COUNTED.finditer(text):
            value = SPELLED[found["word"].lower()]
            if value > SMALL and not self.allows(str(value)):
                yield f"the count {found[0]!r} in words is typed: give {value} ({near(text, found)})"
        for found in LEFT_LITERAL.finditer(text):
            yield f"{found[0]} was left literal ({near(text, found)})"
        for found in AVOIDED.finditer(text):
            yield f"the word {found[0]!r} is avoided in this book ({near(text, found)})"
        for found in AMERICAN.finditer(text):
            yield f"{found[0]!r} is not British spelling ({near(text, found)})"

    def maths(self, typed: str) -> Iterator[str]:
        for pattern in BESIDE:
            for found in pattern.finditer(typed):
                if not self.allows(found["number"]):
                    yield f"{found['number']} stands typed beside a relation: use \\val ({typed.strip()})"


def near(text: str, found: re.Match[str]) -> str:
    return "… " + " ".join(text[max(0, found.start() - 30) : found.end() + 30].split()) + " …"


def line_of(node: nodes.Node | None) -> int | None:
    while node is not None:
        if getattr(node, "line", None):
            return int(node.line)
        node = node.parent
    return None


def lint(app: Sphinx, doctree: nodes.document) -> None:
    docname = app.env.docname
    record = of(app.env)
    page = Page(record.front.get("given") or {})
    if docname == API:
        return
    for text in doctree.findall(nodes.Text):
        for complaint in () if free(text) else page.prose(text.astext()):
            log.warning("%s", complaint, location=(docname, line_of(text.parent)))
    for node in doctree.findall(lambda n: isinstance(n, (nodes.math, nodes.math_block))):
        if not any(part.get("made") for part in parents(node)):
            for complaint in page.maths(node.get("typed", node.astext())):
                log.warning("%s", complaint, location=(docname, line_of(node)))
    for number in page.given.keys() - page.used:
        refuse("PE105", docname, number=number)
    record.counts = {
        "found": sum("expr" in n for n in doctree.findall(nodes.inline) if n.get("made") == "found")
        + sum(
            len(n.get("fields", []))
            for n in doctree.findall(lambda n: isinstance(n, (nodes.math, nodes.math_block)))
        ),
        "tabled": sum(bool(g.get("made")) for g in doctree.findall(nodes.tgroup)),
        "given": page.count,
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


def leave_findings(app: Sphinx, env: Any) -> None:
    """What every page says, beside the doctrees: tests compare it across packages and CPUs."""
    findings = {
        page: {"found": of(env, page).found, "text": of(env, page).text} for page in sorted(env.found_docs)
    }
    Path(app.doctreedir, "findings.json").write_text(json.dumps(findings), encoding="utf-8")


def parents(node: nodes.Element | None) -> Iterator[nodes.Element]:
    while node is not None:
        yield node
        node = node.parent


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", lint, priority=850)
    app.connect("env-check-consistency", leave_findings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
