"""The lock file of labels, docs/labels.lock: label and page, a line each, in the order of the labels.

`make labels` writes it. At its head stands ``binding: no`` until the first release: the list is a record, and
a label that goes, or means something else on another page, is a difference that a reviewer sees. From then
on it is ``binding: yes``, and a label stays on its page.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

FILE = "labels.lock"
HEAD = """\
# Every label that can be cited, and its page, as `make labels` finds them. The list binds from the first
# release on, and says yes here: then no label goes or changes its page. Until then it is a record.
"""
BINDING = re.compile(r"binding: (yes|no)")
LINE = re.compile(r"(\w+:[\w-]+:[\w-]+) (\S+)")


@dataclass
class Lock:
    """The page of each label, and whether labels have to stay there."""

    pages: dict[str, str] = field(default_factory=dict)
    binding: bool = False

    def text(self) -> str:
        lines = [f"{label} {page}\n" for label, page in sorted(self.pages.items())]
        return "".join([HEAD, f"binding: {'yes' if self.binding else 'no'}\n", *lines])


def read(path: Path) -> Lock:
    """The list in a file, empty if there is none; a line that says something else is refused."""
    lock = Lock()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path.exists() else (), 1):
        if found := BINDING.fullmatch(line):
            lock.binding = found[1] == "yes"
        elif found := LINE.fullmatch(line):
            label, page = found.groups()
            if label in lock.pages:
                raise ValueError(f"{path.name}, line {number}: {label} is listed already")
            lock.pages[label] = page
        elif line and not line.startswith("#"):
            raise ValueError(f"{path.name}, line {number}: {line!r} is not `label page`")
    return lock
