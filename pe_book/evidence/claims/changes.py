"""Ten changes of the package, and which claims fail under each: planted in a copy, and recorded."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from pe_book.evidence.claims import claims, stands
from pe_book.evidence.records.record import HERE, ROOT, Record, definitions

HOME = "pe_book.evidence.claims"
DECIDING = ("claims", "why", "sinusoidal", "family")
RECORD = Record(
    HERE / "claims.json", (*definitions(), *definitions(*(f"evidence/{one}" for one in DECIDING)))
)


class Planted(NamedTuple):
    """One change of the package: what it is called, what it does, and the lines that it is made of."""

    name: str
    words: str
    edits: tuple[tuple[str, str, str], ...]
    """File, what stands there, what is planted."""


FORMULA, EXACT = "pe_book/sinusoidal/formula.py", "pe_book/numerics/exact.py"
SHIFT, ADDING = "pe_book/sinusoidal/shift/__init__.py", "pe_book/sinusoidal/adding/__init__.py"
COUNTING, ATTENTION = "pe_book/why/first_attempts.py", "pe_book/why/order_blindness.py"
WORDS = {
    "base": "15,000 in place of 10,000",
    "exponent": "i/d in place of 2i/d",
    "order": "cosine before sine in every pair",
    "layout": "all sines before all cosines, unless asked otherwise",
    "off by one": "the row of position p is that of p + 1",
    "counted from 0": "counting begins with 0",
    "sign": "the shift goes the other way",
    "matrix transposed": "the shift matrix is its transpose",
    "mask removed": "a causal layer sees what comes later",
    "root dropped": "words are not multiplied by the root of the width, nor scores divided by it",
}
EDITS = (
    ("base", FORMULA, "np.power(base, ", "np.power(1.5 * base, "),
    ("base", EXACT, "context.log(base)", "context.log(1.5 * base)"),
    ("exponent", FORMULA, "-np.arange(pairs) / rungs", "-np.arange(pairs) / (2 * rungs)"),
    ("exponent", EXACT, "rungs = pairs if ladder", "rungs = 2 * pairs if ladder"),
    ("order", FORMULA, "sines, cosines = sines_and_cosines(", "cosines, sines = sines_and_cosines("),
    ("layout", FORMULA, 'layout: Layout = "interleaved"', 'layout: Layout = "halves"'),
    (
        "off by one",
        FORMULA,
        "width = finite_positions(positions),",
        "width = finite_positions(positions) + 1,",
    ),
    ("counted from 0", COUNTING, "np.arange(1.0, _length(seq_len) + 1)", "np.arange(0.0, _length(seq_len))"),
    ("sign", SHIFT, "return np.sign(offsets)", "return -np.sign(offsets)"),
    ("matrix transposed", SHIFT, "matrix[cos, sin] = off, -off", "matrix[cos, sin] = -off, off"),
    ("mask removed", ATTENTION, "    if only_behind:", "    if only_behind and queries is None:"),
    ("root dropped", ATTENTION, "scores / np.sqrt(width) if factor is None", "scores / 1 if factor is None"),
    ("root dropped", ADDING, "width * width if scale else width", "width"),
)
CHANGES = tuple(
    Planted(name, words, tuple((file, was, now) for of, file, was, now in EDITS if of == name))
    for name, words in WORDS.items()
)


def plant(change: Planted, root: Path) -> None:
    """Make a change in the copy of the package in a folder; lines that are not there are refused."""
    for file, was, now in change.edits:
        text = (root / file).read_text(encoding="utf-8")
        if text.count(was) != 1:
            raise ValueError(
                f"{file} must have {was!r} once, to plant {change.name!r}; it has it {text.count(was)} times"
            )
        (root / file).write_text(text.replace(was, now), encoding="utf-8")


def failing() -> list[str]:
    """The claims that do not have their verdict here, because of another one or of an error."""
    found = []
    for claim in claims():
        try:
            holds = bool(stands(claim.key))
        except Exception:  # a change that breaks a decision has been noticed, too
            holds = False
        found += [] if holds else [claim.key]
    return found


def failing_under(change: Planted, folder: Path) -> list[str]:
    """The claims that fail once a change is planted in a copy of the package, made in a folder."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "pe_book", folder / "pe_book", ignore=ignored)
    plant(change, folder)
    program = f"import json; from {HOME} import changes; print(json.dumps(changes.failing()))"
    variables = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=variables, capture_output=True, text=True, check=True
    )
    keys: list[str] = json.loads(done.stdout)
    return keys


class Table(NamedTuple):
    """Which claims fail under which change, as recorded."""

    failing: dict[str, list[str]]
    standing: str
    """Of what it is, in words."""

    def noticed(self) -> int:
        """How many claims fail under one change at least.

        >>> Table({"base": ["C001", "C002"], "sign": ["C002"]}, "").noticed()
        2
        """
        return len({key for keys in self.failing.values() for key in keys})


def recorded(record: Record = RECORD) -> Table:
    """The recorded table, and of what it is."""
    found, standing = record.read()
    return Table(found["failing"], standing)
