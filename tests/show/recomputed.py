"""Frames and tables by another path: `recomputed_<chapter>.py` has it, by the label of the page."""

import csv
import html
import importlib
import io
import json
import math
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sized
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from pe_book.show.drawing.frame import Frame
from tests.show.walk import Shown

HERE = Path(__file__).parent
WORDS = "typed words"  # a column of words that somebody typed: there is nothing to compute
COUNT = "how many rows"  # a table's key for their number: `rows` may be the header of a column
ROWS = 60  # of a longer frame so many rows are recomputed, the first and the last among them
NUMBER = re.compile(r"[-−+]?\d[\d,]*(?:\.\d+)?(?:e[-−+]?\d+)?")


class Mismatch(AssertionError):
    """What is shown is not what is so."""


def entry_of(found: Shown) -> dict[str, Any]:
    """The other path of a figure or table."""
    entries = all_entries()
    if found.label not in entries:
        raise Mismatch(f"{found.label} has no entry in tests/show/**/recomputed_*.py")
    return entries[found.label]


@cache
def all_entries() -> dict[str, dict[str, Any]]:
    """The entries of all files, by label."""
    entries: dict[str, dict[str, Any]] = {}
    for file in sorted(HERE.rglob("recomputed_*.py")):
        module = ".".join(("tests.show", *file.relative_to(HERE).with_suffix("").parts))
        found = importlib.import_module(module).RECOMPUTED
        doubled = entries.keys() & found.keys()
        assert not doubled, f"{file.name} repeats {doubled}"
        entries |= found
    return entries


def check_file(text: str, frame: Frame) -> None:
    """The file holds the frame, row for row, to six digits."""
    header, *rows = list(csv.reader(io.StringIO(text)))
    if header != list(frame.columns) or len(rows) != len(frame):
        raise Mismatch(f"the file has {len(rows)} rows of {header}, the frame {len(frame)} of others")
    for number, (written, row) in enumerate(zip(rows, frame.rows(), strict=True)):
        for cell, (name, right) in zip(written, row.items(), strict=True):
            read = float(cell) if _is_number(right) and cell else cell or None
            if not _equal(read, right, 6e-6 * abs(right) if _is_number(right) else 0):
                raise Mismatch(f"row {number} of the file has {cell!r} for {name!r}, the frame {right!r}")


def check_frame(frame: Frame, entry: Mapping[str, Any], p: Mapping[str, Any], dice: random.Random) -> None:
    """Every column of a figure's frame is what the other path computes."""
    p = {**p, **frame.settings}
    wanted = entry["rows"] if "rows" in entry else rows_told(entry)
    wanted = wanted(p) if callable(wanted) else wanted
    if len(frame) != wanted:
        raise Mismatch(f"there are {len(frame)} rows, {wanted} are right")
    missing = frame.columns.keys() - entry.keys()
    if missing:
        raise Mismatch(f"no other path for the columns {sorted(missing)}; there are {sorted(entry)}")
    rows = list(frame.rows())
    for name, cells in frame.columns.items():
        scale = max((abs(cell) for cell in cells if _is_number(cell)), default=0.0)
        _check_column(
            name, rows, entry[name], p, dice, lambda cell, right, s=scale: _equal(cell, right, 1.5e-6 * s)
        )


def rows_told(entry: Mapping[str, Any]) -> int:
    """A whole column has all rows; columns of which the values are listed are crossed with each other."""
    columns = [path for name, path in entry.items() if name not in ("facts", "given")]
    whole = [path.size for path in columns if isinstance(path, np.ndarray)]
    listed = (path for path in columns if isinstance(path, Sized) and not isinstance(path, str))
    return max(whole) if whole else math.prod(map(len, listed))


def check_given(figure: Any, entry: Mapping[str, Any]) -> None:
    """What an explorer is given is what the other path computes, and it stands beside the picture."""
    if not figure.explorer:
        return
    wanted = entry.get("given", {})
    if figure.given.keys() != wanted.keys():
        raise Mismatch(f"the explorer is given {sorted(figure.given)}, the other path has {sorted(wanted)}")
    for name, value in figure.given.items():
        if wanted[name] is ...:
            continue  # a test of the explorer holds it
        left, right = _flat(value), _flat(wanted[name])
        if len(left) != len(right) or not all(_equal(a, b, 1e-12) for a, b in zip(left, right, strict=True)):
            raise Mismatch(f"the explorer is given {value!r} for {name!r}, right is {wanted[name]!r}")
    whole = figure.explored()
    if figure.html() not in whole or json.loads(html.unescape(whole.split('"')[1])) != figure.given:
        raise Mismatch("the explorer does not hold the picture and what it is given")


def _flat(value: Any) -> list[Any]:
    """The numbers and texts of a value, keys of a mapping among them."""
    if isinstance(value, Mapping):
        value = [part for pair in sorted(value.items()) for part in pair]
    if value is None or isinstance(value, str | bool) or _is_number(value):
        return [value]
    return [x for part in value for x in _flat(part)]


def check_table(made: Any, entry: Mapping[str, Any], p: Mapping[str, Any], dice: random.Random) -> None:
    """At least one cell under each header is what the other path computes, to its printed digits."""
    headers = [column.header for column in made.columns]
    missing = set(headers) - entry.keys()
    if missing:
        raise Mismatch(f"no other path for the columns {sorted(missing)}; there are {sorted(entry)}")
    check_count(made, headers, entry, p)
    raw = list(made.frame.rows())
    for number, header in enumerate(headers):
        printed = [row[number] for row in made.cells]
        asked = [row | {"": text} for row, text in zip(raw, printed, strict=True)]
        _check_column(header, asked, entry[header], p, dice, _as_printed, printed=printed)
        if any(made.columns[number].strong or ()):
            if header not in entry.get("bold", {}):
                raise Mismatch(f"no other path says which cells of {header!r} are bold")
            for row, text in zip(raw, printed, strict=True):
                if text and text.startswith("**") != bool(entry["bold"][header](row, p)):
                    raise Mismatch(
                        f"{text!r} under {header!r} is bold, or is not, where it should be the other way"
                    )


def check_count(made: Any, headers: list[str], entry: Mapping[str, Any], p: Mapping[str, Any]) -> None:
    """No row of a table is missing: they are counted another way, or a column lists one value for each."""
    paths = [entry[header] for header in headers]
    listed = {len(list(path)) for path in paths if isinstance(path, Iterable) and not isinstance(path, str)}
    if COUNT not in entry and len(made.cells) in listed:
        return  # `_check_column` compares the values, which are all different
    if COUNT not in entry:
        rows = f"there are {len(made.cells)} rows"
        raise Mismatch(
            f"{rows}: no column lists a value for each, and the entry does not say {COUNT!r} are right"
        )
    wanted = entry[COUNT](p) if callable(entry[COUNT]) else entry[COUNT]
    if len(made.cells) != wanted:
        raise Mismatch(f"there are {len(made.cells)} rows, {wanted} are right")


def _check_column(
    name: str, rows: list[dict[str, Any]], path: Any, p: Mapping[str, Any], dice: random.Random,
    same: Callable[[Any, Any], bool], printed: list[str] | None = None,
) -> None:  # fmt: skip
    filled = [number for number, row in enumerate(rows) if row[name] is not None]
    shown = [rows[number][name] if printed is None else printed[number] for number in range(len(rows))]
    if isinstance(path, str) and path == WORDS:
        typed = [shown[number] for number in filled if _is_number(rows[number][name])]
        if typed:
            raise Mismatch(f"{name!r} holds {typed[0]!r}, which can be computed")
        for number in filled:  # the other columns are computed from the frame's words, so these are shown
            if not same(shown[number], rows[number][name]):
                words = f"{shown[number]!r} for {name!r}, the frame {rows[number][name]!r}"
                raise Mismatch(f"row {number} shows {words}")
        return
    if isinstance(path, np.ndarray):
        right = [None if value != value else value for value in path.ravel().tolist()]
        cells = shown if len(right) == len(rows) else [shown[number] for number in filled]
        if len(cells) != len(right):
            raise Mismatch(f"{name!r} has {len(cells)} cells, {len(right)} are right")
        for number, (cell, value) in enumerate(zip(cells, right, strict=True)):
            if not same(cell, value):
                raise Mismatch(f"cell {number} of {name!r} is {cell!r}, right is {value!r}")
        return
    if not callable(path):
        wanted = list(path) if isinstance(path, Iterable) and not isinstance(path, str) else [path]
        distinct = list(dict.fromkeys(shown[number] for number in filled))
        if len(distinct) != len(wanted) or not all(map(same, distinct, wanted)):
            counts = f"{len(distinct)} distinct values, {len(wanted)} are right"
            raise Mismatch(f"{name!r} has {counts}: {distinct[:8]}…, right are {wanted[:8]}…")
        return
    if len(filled) > ROWS:
        filled = sorted({filled[0], filled[-1], *dice.sample(filled, ROWS - 2)})
    for number in filled:
        right = path(rows[number], p)
        if not same(shown[number], right):
            raise Mismatch(f"row {number} has {shown[number]!r} for {name!r}, right is {right!r}")


def check_facts(figure: Any, entry: Mapping[str, Any], p: Mapping[str, Any]) -> None:
    """Every fact is what the other path computes, and the sentence is made of them."""
    facts, paths = figure.facts, entry.get("facts", {})
    missing = facts.keys() - paths.keys()
    if missing:
        raise Mismatch(f"no other path for the facts {sorted(missing)}")
    for name, value in facts.items():
        f = figure.frame
        right = paths[name](f, {**p, **f.settings}) if callable(paths[name]) else paths[name]
        counted = not isinstance(_plain(value), float)  # whole numbers and texts have no rounding
        if not _equal(_plain(value), _plain(right), 0 if counted else 2e-5 * abs(value) + 1e-9):
            raise Mismatch(
                f"the fact {name!r} is {value!r}, right is {right!r} by its entry in recomputed_*.py"
            )
    if figure.alt != (again := figure.redrawn(figure.frame).alt):
        raise Mismatch(f"the sentence says {figure.alt!r}, of these data {again!r}")


def _as_printed(cell: str, right: Any) -> bool:
    """A text as it is; a number to the digits that are printed."""
    right = _plain(right)
    if not _is_number(right):
        return str(cell).strip("*") == str(right).strip("*")
    plain = re.sub(r"\\cdot ?10\^\{?(-?\d+)\}?", r"e\1", str(cell).replace("{,}", ",").replace(" ", ""))
    found = NUMBER.search(plain.replace("\u202f", "").replace("\u00a0", ""))
    if not found:
        return False
    shift = 100 if "%" in plain and abs(_read(found[0]) - right) > abs(_read(found[0]) - 100 * right) else 1
    return bool(abs(_read(found[0]) - shift * right) <= 0.5005 * _unit(found[0]))


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or isinstance(value, str | int | float):
        return value
    return float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _equal(left: Any, right: Any, slack: float) -> bool:
    left, right = _plain(left), _plain(right)
    if _is_number(left) and _is_number(right):
        return bool(abs(left - right) <= slack + 1e-12 * abs(right))
    return bool(left == right)


def _read(number: str) -> float:
    return float(number.replace(",", "").replace("−", "-"))


def _unit(number: str) -> float:
    """One in the last printed digit."""
    mantissa, _, power = number.replace(",", "").replace("−", "-").partition("e")
    return 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))
