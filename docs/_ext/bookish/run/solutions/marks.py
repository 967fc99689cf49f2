"""The mark of an exercise, ``[by hand, level 1, 5 min] Two orders``, and the record that is made of it."""

import re
from dataclasses import dataclass

KINDS = ("by hand", "in code", "to think about")
LEVELS = {
    1: "follows the page step by step",
    2: "joins two things of the page, or asks for a reason",
    3: "goes beyond the page",
}
MARK = re.compile(
    rf"\[(?P<kind>{'|'.join(KINDS)}), level (?P<level>[{min(LEVELS)}-{max(LEVELS)}]),"
    r" (?P<minutes>[1-9]\d?) min\]"
    r"\s+(?P<title>\S.*)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Exercise:
    """What lists, sheets and files say of an exercise."""

    label: str
    page: str
    number: str  # empty until all pages have been read
    title: str
    kind: str  # one of KINDS
    level: int
    minutes: int  # for somebody who has read the page
    fields: int = 0  # results to type that are judged

    @property
    def checks_itself(self) -> bool:
        """Whether a reader's answer is judged without the solution."""
        return self.kind == "in code" or self.fields > 0

    @property
    def mark(self) -> str:
        """What stands beside its title."""
        return f"{self.kind} · level {self.level} · {self.minutes} min"


def read_mark(text: str, label: str, page: str) -> Exercise | None:
    """The exercise that a typed title describes; None if its mark is missing or wrong."""
    found = MARK.fullmatch(text.strip())
    if found is None:
        return None
    return Exercise(
        label, page, "", found["title"], found["kind"], int(found["level"]), int(found["minutes"])
    )
