"""The lock, docs/labels.lock: page and number of each label in this edition, and in those before it.

A line says where a label stands, what took its place if its name has changed, and where it stood:

    thm:shift:only sinusoidal/only 2.8.1 < 1 sinusoidal/shift 2.3.5
    fig:waves:new sinusoidal/waves 2.2.4 since 2
    fig:waves:old sinusoidal/waves 2.2.1 -> fig:waves:bank

``< 1`` is the last edition in which it stood there; ``since 2`` the edition in which it first stood anywhere,
if that was not the first; ``-`` stands for a thing without a number. A line that ends behind the page awaits
its number from a build of the whole book. In ``edition 2, in the making`` places may change, in ``edition 2``
they may not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from docutils.nodes import make_id

FILE = "labels.lock"
MAKING = ", in the making"
EDITION = re.compile(rf"edition (\d+)({MAKING})?")
WHERE = r"(\S+) (-|\d[\d.A-Z]*)"
LINE = re.compile(
    rf"(?P<label>\w+:\S+) (?P<page>[^\s<>-]\S*)(?: (?P<number>-|\d[\d.A-Z]*))?"
    rf"(?: since (?P<since>\d+))?(?: -> (?P<successor>\S+))?(?P<former>(?: < \d+ {WHERE})*)"
)
# kinds whose anchor is the label itself
AS_TYPED = ("thm", "lem", "cor", "def", "ex", "rem", "exr", "sol", "cla")


@dataclass(frozen=True)
class Place:
    """The page on which a thing stands, and its number: empty if it has none, None if no build has told."""

    page: str
    number: str | None = None

    def __str__(self) -> str:
        return self.page if self.number is None else f"{self.page} {self.number or '-'}"


@dataclass(frozen=True)
class Entry:
    """One label: where it stands, since when there is one, what took its place, and where it stood."""

    place: Place
    since: int = 1
    successor: str = ""
    former: dict[int, Place] = field(default_factory=dict)  # the last edition in which it stood there

    def line(self, label: str) -> str:
        since = f" since {self.since}" if self.since > 1 else ""
        successor = f" -> {self.successor}" if self.successor else ""
        former = "".join(f" < {edition} {place}" for edition, place in self.former.items())
        return f"{label} {self.place}{since}{successor}{former}"


@dataclass
class Lock:
    """Every label of an edition; of one in the making places may change."""

    edition: int = 1
    making: bool = False
    entries: dict[str, Entry] = field(default_factory=dict)
    head: list[str] = field(default_factory=list)  # what the file says of itself

    def now(self, label: str) -> str:
        """The label under which a thing is found now."""
        seen = {label}
        while (entry := self.entries.get(label)) and entry.successor and entry.successor not in seen:
            seen.add(label := entry.successor)
        return label

    def text(self) -> str:
        edition = f"edition {self.edition}{MAKING if self.making else ''}"
        lines = [entry.line(label) for label, entry in self.entries.items()]
        return "\n".join([*self.head, edition, *lines, ""])

    def former(self) -> Iterator[tuple[str, int, Place]]:
        """Each label with the edition until which it stood elsewhere; 0 beside a name that was given up."""
        for label, entry in self.entries.items():
            if entry.successor:
                yield label, 0, entry.place
            for edition, place in entry.former.items():
                yield label, edition, place


def read(path: Path) -> Lock:
    """The lock in a file, empty if there is none; a line that says something else is refused."""
    lock = Lock()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path.exists() else (), 1):
        if line.startswith("#"):
            lock.head.append(line)
        elif found := EDITION.fullmatch(line):
            lock.edition, lock.making = int(found[1]), bool(found[2])
        elif found := LINE.fullmatch(line):
            if found["label"] in lock.entries:
                raise ValueError(f"{path.name}, line {number}: {found['label']} is listed already")
            lock.entries[found["label"]] = entry_of(found)
        elif line:
            raise ValueError(f"{path.name}, line {number}: {line!r} is not `label page number`")
    return lock


def entry_of(line: re.Match[str]) -> Entry:
    number = line["number"]
    former = re.findall(rf" < (\d+) {WHERE}", line["former"])
    return Entry(
        Place(line["page"], number if number is None else number.lstrip("-")),
        int(line["since"] or 1),
        line["successor"] or "",
        {int(edition): Place(page, at.lstrip("-")) for edition, page, at in former},
    )


def anchor(label: str) -> str:
    """What stands behind the # in the address of a label."""
    kind = label.partition(":")[0]
    return label if kind in AS_TYPED else ("equation-" if kind == "eq" else "") + make_id(label)


def recorded(lock: Lock, label: str, place: Place) -> Entry:
    """What the lock says of a label once it has been seen at a place."""
    old = lock.entries.get(label)
    if old is None:
        return Entry(place, since=lock.edition)
    last = lock.edition - 1
    if place.number is None or old.place == place:
        return old
    if old.place.number is None and old.place.page == place.page:
        return replace(old, place=place)
    if not lock.making:
        raise ValueError(f"{label} stood at {old.place} and now stands at {place}")
    former = old.former if last in old.former or old.since > last else {last: old.place, **old.former}
    return replace(old, place=place, former={e: p for e, p in former.items() if (e, p) != (last, place)})
