"""What libraries get wrong today, each as it is now, with what is right by mpmath or by the definition.

A defect stands in a file ``wrong/<subject>.py`` and is found by its decorator. A library that mends one makes
its test fail: then the entry goes, a member may take its place, and the table is recorded anew.
"""

import importlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pe_book.evidence.records import parity
from tests.parity.libraries import version

HERE = Path(__file__).parent


class Defect(NamedTuple):
    """A call of a library, and what is asked of its result."""

    call: str
    asked: str
    library: str
    look: Callable[[], tuple[object, object, object]]
    """What it gives, what it is known to give, and what is right."""

    @property
    def name(self) -> str:
        return self.look.__name__

    def row(self) -> parity.Defect:
        """What a record says of it, as it is now."""
        return parity.Defect(self.call, self.asked, self.library, version(self.library), *judged(self))


_FOUND: list[Defect] = []


def defect(call: str, asked: str, *, library: str):
    def register(look):
        _FOUND.append(Defect(call, asked, library, look))
        return look

    return register


@cache
def defects() -> tuple[Defect, ...]:
    """All of them, those of turns first, in the order of their lines."""
    for file in sorted((HERE / "wrong").glob("*.py"), reverse=True):
        importlib.import_module(f"tests.parity.wrong.{file.stem}")
    names = [one.name for one in _FOUND]
    assert len(set(names)) == len(names), "two defects have one name"
    return tuple(_FOUND)


def as_text(value: object) -> str:
    return value if isinstance(value, str) else f"{float(value):.4g}"


def judged(one: Defect) -> tuple[str, str]:
    """What it gives and what is right, refused when that is not as it was."""
    gives, known, right = map(as_text, one.look())
    assert known != right, "this is no defect"
    mended = f"{one.library} {version(one.library)} is mended: remove {one.name} from the folder wrong"
    assert gives != right, mended
    assert gives == known, f"{one.library} is wrong in another way: {gives}, was {known}, right is {right}"
    return gives, right


def rows_or_error(call: Callable[[], Any], wanted: int) -> tuple[str, str, str]:
    """How many rows a call gives, or the name of its error, which it is known to raise."""
    try:
        given = f"{call().shape[1]} rows"
    except RuntimeError as error:
        given = type(error).__name__
    return given, "RuntimeError", f"{wanted} rows"
