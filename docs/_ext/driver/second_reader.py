"""The changed sentences of a page that say how much, when or which way, or quote; none is refused.

A page is compared with where its branch left `main`, or with the last commit if it was not there yet.
"""

import difflib
import re
import subprocess
from collections.abc import Iterator

from book import ROOT

WORDS = r"""
all always each either every exactly few fewer half halves least less many more most neither never no none not
only some twice after before until when while except if unless where without because even odd positive
negative same other above below up down left right first last forwards? backwards? back ahead behind larger
smaller longer shorter higher lower faster slower earlier later nearer farther highest lowest largest smallest
nearest farthest (?:anti)?clockwise quer(?:y|ies) keys? rows? columns? (?:co)?sines? double\w* halve\w*
increas\w+ decreas\w+ grow\w* falls? rises? \w+er.than as.\w+.as
"""
TELLING = re.compile(rf"\b(?:{'|'.join(WORDS.split())})\b", re.IGNORECASE)
FENCED = re.compile(r"^(`{3,})\{(?:hint|points|answer)\}(.*?)^\1$", re.M | re.S)  # prose as well
DISPLAYED = re.compile(r"^\$\$(.*?)\$\$.*?$", re.M | re.S)
UNREAD = re.compile(  # front matter, cells and listings; labels and comments
    r"\A---\n.*?\n---\n|^(`{3,}).*?^\1|^(?:\(.*?\)=|%.*?|:(?:label|name|class):.*?)$", re.M | re.S
)
PARTS = re.compile(r"^(?::{3,}(?:\{.*?\})?|:[\w-]+:|#+|\s*[-*]|\s*\d+\.|(?=\|))(.*)$", re.MULTILINE)
QUOTED = re.compile(r"\$[^$]+\$|“[^”]*”|\"[^\"]*\"|\w*\d\w*")  # formulas, numbers and sources, too
ROLE = re.compile(r"\{[\w:-]+\}`(?:~[\w.]*\.)?([^`<]*?)(?:\s*<[^`]*>)?`|\[([^\]]*)\]\([^)]*\)|\*+")
ENDS = re.compile(r"\n\s*\n|(?:(?<=[.?!])|(?<=[.?!][”\")]))\s+(?=\S)")


def sentences(text: str) -> list[str]:
    """What a page says, without its markup; a displayed formula in one piece."""
    text = DISPLAYED.sub(lambda one: f"\n\n${''.join(one[1].split())}$\n\n", FENCED.sub(r"\2", text))
    plain = ROLE.sub(r"\1\2", PARTS.sub(r"\n\n\1\n\n", UNREAD.sub("\n\n", text)))
    return [said for part in ENDS.split(plain) if (said := " ".join(part.split()))]


def changed(old: str, new: str) -> Iterator[tuple[str, str]]:
    """The sentences to be read again, each with what stood there before; what is new or gone has no other."""
    before, after = sentences(old), sentences(new)
    gone = [one for one in before if one not in after]
    for now in (one for one in after if one not in before):
        was = next(iter(difflib.get_close_matches(now, gone, 1)), "")
        gone = [one for one in gone if one != was]
        if TELLING.search(f"{was} {now}") or QUOTED.findall(was) != QUOTED.findall(now):
            yield was, now
    yield from ((was, "") for was in gone if TELLING.search(was))


def git(command: str) -> str:
    """What git says; nothing where it fails, or is not there."""
    code, said = subprocess.getstatusoutput(f'git -C "{ROOT}" {command}', encoding="utf-8")
    return "" if code else said


def tell(file: str) -> None:
    """Print what a second reader should see of a page; nothing of one that is new to git."""
    commits = filter(None, [git("merge-base main HEAD"), "HEAD"])
    old = next(filter(None, (git(f"show {commit}:./{file}") for commit in commits)), "")
    pairs = list(changed(old, (ROOT / file).read_text(encoding="utf-8"))) if old else []
    if pairs:
        told = (f"- {was or '…'}\n+ {now or '…'}" for was, now in pairs)
        print("\nFor a second reader: they say how much, when or which way, or quote:", *told, sep="\n\n")
