"""What a page quotes, and the places of sources that it names, stand in ``docs/quotations.toml``.

Words are compared without case, punctuation and markup. They belong to what their sentence cites; where that
is nothing, to any source.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from bookish.lint.numerals import GAP
from bookish.lint.pieces import MADE, NOT_TEXT, is_inline
from bookish.run.record import parents
from bookish.run.refusals import refuse

FILE = Path(__file__).resolve().parents[3] / "quotations.toml"
MARKUP = ((r"\\sqrt", "√"), (r"\\pi\b", "π"), (r"\\[A-Za-z]+|[${}_^*\\]", ""))
WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d]+|√")
QUOTATION = re.compile(r'["“]([^"“”]+)["”]')
LEFT_OUT = re.compile(r"…|▢|\[[^\]]*\]")
SENTENCE = re.compile(
    r'(?:(?!(?<=[.?!]["”])\s+[A-Z⟦])(?:["“][^"“”]*["”]|[.?!](?!\)?\s+[A-Z⟦"“])|[^.?!]))+[.?!]?\)?'
)
CITED = re.compile("⟦(.+?)⟧")
BEHIND = re.compile(r"(?:[,.]? ?(?:\([^)]*\)|⟦.+?⟧))?")
OF = re.compile(r"\)?(?: (?:of|in) [^.,;(⟦]*| ?)⟦(.+?)⟧")
KIND, NUMBER = r"\b(?:section|table|equation|appendix|algorithm|figure)", r"(?:[A-Z]\.)?\d+(?:\.\d+)*"
PLACES = re.compile(rf"{KIND}s? {NUMBER}(?:,? (?:and |to )?(?:{KIND}s? )?{NUMBER})*", re.IGNORECASE)
PLACE = re.compile(rf"(?:({KIND})s? )?({NUMBER})", re.IGNORECASE)
FEWEST = 3  # words of a quotation, where its sentence cites
SAME = 0.75  # of more words than that the file has, where it cites nothing: a quotation that was changed


class Quoted(NamedTuple):
    key: str
    place: str
    part: str  # of the source: the place without what is said behind a comma, a row or a file
    words: str


def plain(text: str) -> str:
    for pattern, instead in MARKUP:
        text = re.sub(pattern, instead, text)
    return f" {' '.join(WORD.findall(text.casefold()))} "


@cache
def quotations(file: Path = FILE) -> list[Quoted]:
    """All that is quoted; a place that is only named has no words."""
    return [
        Quoted(key, place, place.split(",")[0].lower(), plain(words))
        for key, source in tomllib.loads(file.read_text(encoding="utf-8")).items()
        for place, there in source.items()
        if place != "edition"
        for words in there.get("words", [""])
    ]


def nearest(asked: list[str]) -> tuple[float, str]:
    """The share of the words that stand together in a source, and what stands there."""
    return max(
        (len({*asked} & {*there[at : at + len(asked)]}) / len({*asked}),
         f'"{" ".join(there[at : at + len(asked)])}" of {one.key}, {one.place}')
        for one in quotations()
        for there in [one.words.split()]
        for at in range(max(1, len(there) - len(asked) + 1))
    )  # fmt: skip


def named(sentence: str, before: str) -> Iterator[tuple[str, str]]:
    """The places that a sentence names, each with its source: the one behind it, or the last before it."""
    for found in PLACES.finditer(sentence):
        behind, kind = OF.match(sentence, found.end()), ""
        key = behind[1] if behind else [before, *CITED.findall(sentence[: found.start()])][-1]
        for place in PLACE.finditer(found[0]):
            kind = place[1] or kind
            yield key, f"{kind} {place[2]}".lower()


def faults(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is wrong with a paragraph in which sources stand as ⟦key⟧: codes of refusals and their fields."""
    before, known = "".join(CITED.findall(text)[:1]), {(one.key, one.part) for one in quotations()}
    for sentence in SENTENCE.findall(text):
        here = CITED.findall(sentence)
        for key, place in set(named(QUOTATION.sub("", sentence), before)) - known:
            if key and "/" not in key:
                yield "PE333", {"key": key, "place": place}
        before = [before, *here][-1]
        for found in QUOTATION.finditer(sentence):
            behind = BEHIND.findall(sentence, found.end())[0]
            keys, said = CITED.findall(behind) or here, {place for _, place in named(behind, before)}
            for asked in filter(str.strip, map(plain, LEFT_OUT.split(found[1]))):
                stand = {
                    one.part for one in quotations() if asked in one.words and one.key in (keys or [one.key])
                }
                if GAP in found[1] or (stand and (not said or said & stand)):
                    continue
                (share, near), long = nearest(asked.split()), len(asked.split())
                if stand or (long >= FEWEST if here else long > FEWEST and share >= SAME):
                    yield "PE332", {"words": found[1], "nearest": near}


def quoted_faults(text: str, key: str, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The same of a ``{quoted}``."""
    there = [one.words for one in quotations() if (one.key, one.place) == (key, place)]
    if not there:
        yield "PE333", {"key": key, "place": place}
    elif not any(plain(text) in words for words in there):
        yield "PE332", {"words": text, "nearest": f'"{";".join(there).strip()}" of {key}, {place}'}


def typed(node: nodes.Node, addresses: dict[str, str]) -> str:
    """The text of a paragraph, with sources as ⟦key⟧ and gaps for what is not typed."""
    if isinstance(node, (nodes.Text, nodes.math)):
        return node.astext()
    refers = isinstance(node, addnodes.pending_xref) and not node.get("refexplicit")
    if refers and node["refdomain"] == "cite":
        return "".join(f"⟦{key.strip()}⟧" for key in node["reftarget"].split(","))
    if refers or isinstance(node, (nodes.literal, nodes.raw, *NOT_TEXT)) or node.get("made") in MADE:
        return GAP
    text, address = "".join(typed(child, addresses) for child in node.children), node.get("refuri", "")
    return f"{text}⟦{addresses.get(address, address)}⟧" if "//" in address else text


def paragraphs(doctree: nodes.document, addresses: dict[str, str]) -> Iterator[tuple[nodes.Element, str]]:
    """The paragraphs with their texts; behind a block quotation stands the sentence that announces it."""
    announced = ""
    for node in doctree.findall(nodes.TextElement):
        if isinstance(node, (nodes.Inline, nodes.FixedTextElement)) or not any(map(is_inline, node.children)):
            continue
        text = "" if any(one.get("made") == "found" for one in parents(node)) else typed(node, addresses)
        if isinstance(node.parent, nodes.block_quote):
            text = f'"{re.sub("""["“”]""", "", text)}" ({announced})'
        else:
            announced = re.sub("[()]", "", SENTENCE.findall(text)[-1]) if text.endswith(":") else ""
        yield node, text


def check(app: Sphinx, doctree: nodes.document) -> None:
    entries = app.env.get_domain("cite").bibdata.data.entries
    addresses = {entry.fields["url"]: key for key, entry in entries.items() if "url" in entry.fields}
    found = [(node, fault) for node, text in paragraphs(doctree, addresses) for fault in faults(text)]
    roles = [node for node in doctree.findall(nodes.inline) if "quoted" in node]
    found += [(node, fault) for node in roles for fault in quoted_faults(node.astext(), *node["quoted"])]
    for node, (code, fields) in found:
        refuse(code, node, **fields)


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", check, priority=860)
