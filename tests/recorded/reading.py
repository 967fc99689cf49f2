"""What a page says and what decides it: from its text, and from what its kernel said in the last build."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bookish.run.cells import Cell, from_text
from bookish.run.values import FIELD, HOLDS
from tests.pages.sources import ROOT, text_of
from tests.show import recomputed, walk

EXECUTIONS = ROOT / "docs" / "_build" / "executions"
FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
FENCE = re.compile(r"\s*(?P<fence>`{3,}|:{3,}|~{3,})(?:\{(?P<kind>[\w:-]+)\})?[ ]*(?P<rest>.*)")
OPTION = re.compile(r":(?P<name>[\w-]+):[ ]*(?P<value>.*)")
BEGINS = re.compile(r"\s*(?:[-*+] |\d+\. |#|\||\([\w:-]+\)=|:[\w-]+:|%)")  # a block of its own
MISTAKE = re.compile(r"- `([^`]+)`: (.+)")  # of a field of an exercise
LISTINGS = {"code-cell", "code-block", "wrong-try", "raw", "toctree", None}
SHOWN = {"drawn", "explored", "tabled", "derived"}
HELD = re.compile(r"\{holds\}(`+)(.+?)(?<!`)\1(?!`)")
FILLED = re.compile(rf"\{{\{{(.*?)\}}\}}|{FIELD.pattern}")
SENTENCE_ENDS = re.compile(r"(?<=[.?!])\s+")
UNSEEN = {"remove-cell", "remove-output"}


@dataclass(frozen=True)
class Pair:
    """Words, and what decides them: expressions; or a name, and the print, rows or marks beside it."""

    words: str
    decided: tuple[str, ...]


@dataclass
class Page:
    """Pairs by their kind, in the order of the page, and the names that its cells bind."""

    pairs: dict[str, list[Pair]]
    bound: set[str]
    built: bool = True


# ---------------------------------------------------------------- the text


def blocks(text: str) -> Iterator[str]:
    """Paragraphs, items, rows and titles without code; what a directive evaluates is a field of its words."""
    lines: list[str] = []
    open_fences: list[tuple[str, str | None]] = []
    listing, head = "", False  # the fence of a listing; whether options of a directive may follow
    for line in [*FRONT.sub("", text).splitlines(), ""]:
        fence = FENCE.fullmatch(line)
        if listing:
            listing = "" if fence and line.strip() == listing else listing
            continue
        if head and (option := OPTION.fullmatch(line)):
            lines[:0] = ["{{ " + option["value"] + " }}"] if option["name"] == "is" else []
            continue
        head = False
        if fence or not line.strip() or BEGINS.match(line):
            if lines:
                yield " ".join(" ".join(lines).split())
            lines = []
        if not fence:
            within_answer = bool(open_fences) and open_fences[-1][1] == "answer"
            lines.append(MISTAKE.sub(r"{{ \1 }}: \2", line) if within_answer else line)
        elif not fence["kind"] and not fence["rest"] and (fence["fence"] in [one for one, _ in open_fences]):
            while open_fences.pop()[0] != fence["fence"]:
                pass
        elif fence["kind"] in LISTINGS:
            listing = fence["fence"]
        else:
            open_fences.append((fence["fence"], fence["kind"]))
            lines = ["{{ " + fence["rest"] + " }}" if fence["kind"] in SHOWN else fence["rest"]]
            head = True


def filled(words: str) -> tuple[str, list[str]]:
    """Words with {} for their fields, and the fields."""
    fields = [" ".join((found[1] or found[2]).split()) for found in FILLED.finditer(words)]
    return FILLED.sub("{}", words), fields


def stated(text: str) -> tuple[str, list[Pair]]:
    """A text with the words of its held statements alone, and these statements."""
    held: list[Pair] = []

    def words_of(role: re.Match[str]) -> str:
        parts = HOLDS.match(role[2])
        if parts is None:  # the build refuses it
            return role[2]
        words, fields = filled(parts["words"])
        held.append(Pair(words, (parts["check"], *fields)))
        return parts["words"]

    return HELD.sub(words_of, text), held


def said(text: str) -> dict[str, list[Pair]]:
    """The held statements of a text, and its sentences with fields."""
    found: dict[str, list[Pair]] = {"held": [], "evaluated": []}
    for block in blocks(text):
        spoken, held = stated(block)
        words, fields = filled(spoken)
        found["held"] += held
        for sentence in SENTENCE_ENDS.split(words):
            if number := sentence.count("{}"):
                found["evaluated"].append(Pair(sentence, tuple(fields[:number])))
                fields = fields[number:]
    return found


# ---------------------------------------------------------------- the last build


def execution_of(page: str, cells: list[Cell]) -> dict[str, Any] | None:
    """What the kernel of a page said in the last build; None if there was none of so many cells."""
    file = EXECUTIONS / f"{page}.json"
    if not file.exists():
        return None
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found if {str(cell.index) for cell in cells} == found["cells"].keys() else None


def asked(page: str) -> dict[str, set[str]]:
    """What the kernel of a page was asked in the last build: statements, and fields."""
    file = EXECUTIONS / f"{page}.json"
    questions = json.loads(file.read_text(encoding="utf-8"))["questions"] if file.exists() else []
    found: dict[str, set[str]] = {"holds": set(), "text": set()}
    for question, _ in questions:
        one = json.loads(question)
        if one["method"] in found:
            found[one["method"]].add(" ".join((one.get("check") or one["field"]).split()))
    return found


def printed(cells: list[Cell], execution: dict[str, Any]) -> list[Pair]:
    """What each cell prints, under its last line that prints."""
    found = []
    for cell in cells:
        outputs = execution["cells"][str(cell.index)][1]
        text = "".join(out.get("text") or out.get("data", {}).get("text/plain", "") for out in outputs)
        if text.strip() and not cell.tags & UNSEEN:
            code = [line.strip() for line in cell.source.splitlines() if line.strip()]
            line = next((line for line in reversed(code) if "print" in line), code[-1])
            found.append(Pair(line, tuple(part.rstrip() for part in text.strip("\n").splitlines())))
    return found


def typed(page: str, execution: dict[str, Any]) -> list[Pair]:
    """Of each table the columns of words, for which there is nothing to compute (``recomputed.WORDS``)."""
    asked = ((json.loads(question), answer) for question, answer in execution["questions"])
    tables = {one["expression"]: answer["value"] for one, answer in asked if one.get("kind") == "Table"}
    found = []
    for piece in walk.pieces(page) if tables else ():
        written = tables.get(" ".join(piece.text.split()))
        if written is None:
            continue
        entry = recomputed.all_entries().get(piece.label, {})
        header, _, *rows = [
            [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in written.splitlines()
        ]
        words = [number for number, name in enumerate(header) if str(entry.get(name)) == recomputed.WORDS]
        if words:
            lines = (" | ".join(row[number] for number in words) for row in (header, *rows))
            found.append(Pair(piece.label, tuple(lines)))
    return found


def page_of(name: str) -> Page:
    """A page as it stands; before it has been built nobody knows what it prints and tabulates."""
    text = text_of(name)
    cells = from_text(text)
    pairs, execution = said(text), execution_of(name, cells)
    if execution is not None:
        pairs |= {"printed": printed(cells, execution), "words of tables": typed(name, execution)}
    bound = {name for cell in cells for name in cell.binds - cell.imports.keys()}
    return Page(pairs, bound, built=execution is not None or not cells)
