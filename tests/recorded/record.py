"""The recorded file of a page: its text, and what in a change of it somebody has to look at.

Words and what decides them are looked at when one changes without the other. What is new, what is gone, what
moves and a sentence that changes around its fields need no look; syrupy would ask for one at each change.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher, ndiff
from pathlib import Path

from tests.recorded.reading import Page, Pair

HERE = Path(__file__).parent
KINDS = ("held", "evaluated", "printed", "words of tables", "figures")
INDENT = "    "
TOKEN = re.compile(r"\.?[A-Za-z_]\w*|\S")
Pairs = dict[str, list[Pair]]


# ---------------------------------------------------------------- the file


def file_of(page: str) -> Path:
    return HERE / f"{page}.txt"


def written(pairs: Pairs) -> str:
    """The text of a record: under each words what decides them, indented."""
    parts = []
    for kind in KINDS:
        entries = [
            one.words + "\n" + "".join(f"{INDENT}{line}".rstrip() + "\n" for line in one.decided)
            for one in pairs.get(kind, [])
        ]
        parts += [f"== {kind} ==\n" + "".join(entries)] if entries else []
    return "\n".join(parts)


def parsed(text: str) -> Pairs:
    """What `written` wrote."""
    pairs: Pairs = {}
    for part in re.split(r"(?m)^(?=== )", text):
        head, _, rest = part.strip("\n").partition("\n")
        kind = head.strip("= ")
        for entry in re.split(r"(?m)^(?=\S)", rest):
            words, *lines = entry.rstrip("\n").split("\n")
            if words:
                decided = tuple(line.removeprefix(INDENT) for line in lines)
                pairs.setdefault(kind, []).append(Pair(words, decided))
    return pairs


def recorded(page: str) -> Pairs:
    file = file_of(page)
    return parsed(file.read_text(encoding="utf-8")) if file.exists() else {}


def record(page: str, pairs: Pairs) -> None:
    """Write what has been seen of a page; a kind that is not given stays as it was recorded."""
    file, text = file_of(page), written(recorded(page) | pairs)
    if text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    else:
        file.unlink(missing_ok=True)


# ---------------------------------------------------------------- what has to be looked at


def same_words(one: Pair, other: Pair) -> bool:
    """Whether the words are the same but for emphasis, capitals and punctuation."""
    first, second = (
        re.sub(r"\*|[.,;:]+(?=\s|$)", "", pair.words).casefold().split() for pair in (one, other)
    )
    return first == second


def same_code(one: Pair, other: Pair) -> bool:
    """Whether the expressions are the same but for blanks and quotes."""
    first, second = (re.sub(r"\s", "", "\n".join(pair.decided)).replace("'", '"') for pair in (one, other))
    return first == second


def renamed(one: Pair, other: Pair, bound: set[str]) -> bool:
    """Whether the expressions are the same but for names that cells bind now and no longer bind."""
    first, second = (TOKEN.findall("\n".join(pair.decided)) for pair in (one, other))
    changes = {(a, b) for a, b in zip(first, second, strict=False) if a != b}
    return (
        len(first) == len(second)
        and len(changes) == len(dict(changes))
        and all(a.isidentifier() and a not in bound and b in bound for a, b in changes)
    )


def left(was: list[Pair], now: list[Pair], bound: set[str]) -> tuple[list[Pair], list[Pair]]:
    """What is recorded and no longer there, and what is there and not recorded."""
    old, new = list(was), list(now)
    for same in (same_code, lambda one, other: renamed(one, other, bound)):
        for pair in list(new):
            twin = next((one for one in old if same_words(one, pair) and same(one, pair)), None)
            if twin:
                old.remove(twin)
                new.remove(pair)
    return old, new


def alone(was: list[Pair], now: list[Pair], bound: set[str], *, free: bool) -> Iterator[tuple[Pair, Pair]]:
    """Pairs of which one half has changed and the other has not; words that are free may change."""
    old, new = left(was, now, bound)
    for pair in new:
        found = next((one for one in old if same_words(one, pair)), None)
        if not found and not free:
            found = next((one for one in old if same_code(one, pair)), None)
        if found:
            old.remove(found)
            yield found, pair


def replaced(was: list[Pair], now: list[Pair]) -> Iterator[tuple[Pair, Pair]]:
    """Prints in whose place there is another one; what has moved is none."""
    old, new = [one.decided for one in was], [one.decided for one in now]
    for kind, i, j, k, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "replace":
            gone = [one for one in was[i:j] if one.decided not in new]
            came = [one for one in now[k:end] if one.decided not in old]
            yield from zip(gone, came, strict=False)


def retyped(was: list[Pair], now: list[Pair]) -> Iterator[tuple[Pair, Pair]]:
    """Tables of words that changed in more than rows that came or rows that went."""
    for pair in now:
        for one in was:
            few, many = sorted((one.decided, pair.decided), key=len)
            rest = iter(many)
            if one.words == pair.words and not all(row in rest for row in few):
                yield one, pair


def to_look_at(was: Pairs, now: Page) -> list[str]:
    """What has changed by itself, old and new under each other."""
    found = []
    for kind, pairs in now.pairs.items():
        recorded = was.get(kind, [])
        if kind == "printed":
            changes = replaced(recorded, pairs)
        elif kind == "words of tables":
            changes = retyped(recorded, pairs)
        else:
            changes = alone(recorded, pairs, now.bound, free=kind == "evaluated")
        found += [f"{kind}:\n{side_by_side(one, other)}" for one, other in changes]
    return found


def side_by_side(was: Pair, now: Pair) -> str:
    lines = ndiff([was.words, *was.decided], [now.words, *now.decided])
    return "\n".join(f"  {line.rstrip()}" for line in lines)
