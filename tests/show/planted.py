"""Mistakes that somebody could make in a figure or table, planted where it matters: each must be refused.

Every kind takes a figure or table as a page shows it and a random generator, and returns what a reader would
be told instead, for the checks of ``test_whole``; None where its mistake cannot be made. That pictures of
other rows and other words are refused is told for every mark in ``drawing/test_figure.py``.
"""

from __future__ import annotations

import copy
import dataclasses
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.plots import Guide, Span
from pe_book.show.drawing.table import Table

OPPOSITE = {"yes": "no", "no": "yes", "✓": "✗", "✗": "✓", "up": "down", "down": "up"}
REFUSED = (ValueError, KeyError, IndexError, TypeError, ZeroDivisionError, RuntimeWarning)


def told(figure: Figure, *, svgs: Any = None, file: str | None = None, alt: str | None = None) -> Figure:
    """The figure, but with other pictures, another file or another sentence than its data give."""
    other = copy.copy(figure)
    other.__dict__["panels_svg"] = tuple(figure.panels_svg if svgs is None else svgs)
    other.__dict__["alt"] = figure.alt if alt is None else alt
    if file is not None:
        other.csv = lambda: file  # type: ignore[method-assign]
    return other


def drawn(make: Callable[[], Figure]) -> Figure | None:
    """What is made, if the mechanism, or the figure itself, does not refuse it before a check does."""
    try:
        figure = make()
        _ = figure.panels_svg
    except REFUSED:
        return None
    return figure


def changed(frame: Frame, **columns: list[Any]) -> Frame:
    return Frame({**frame.columns, **columns}, **frame.settings)


def moved(cells: list[Any]) -> list[Any]:
    """The cells that are not empty, each one place on."""
    kept = [cell for cell in cells if cell is not None]
    turned = iter([kept[-1], *kept[:-1]])
    return [None if cell is None else next(turned) for cell in cells]


def differs(left: list[Any], right: list[Any]) -> bool:
    """By more than what a reader could see."""
    numbers = [cell for cell in [*left, *right] if isinstance(cell, int | float)]
    slack = 1e-3 * max(map(abs, numbers), default=0.0)
    return any(
        abs(a - b) > slack if isinstance(a, int | float) and isinstance(b, int | float) else a != b
        for a, b in zip(left, right, strict=True)
    )


def numeric(frame: Frame) -> list[str]:
    """Columns of numbers that are not all equal."""
    return [
        name
        for name, cells in frame.columns.items()
        if differs(cells, moved(cells)) and not any(isinstance(cell, str) for cell in cells)
    ]


def one_moved(figure: Figure, dice: random.Random, names: list[str]) -> Frame | None:
    """The data in which a column is one row on."""
    if not names:
        return None
    name = dice.choice(names)
    return changed(figure.frame, **{name: moved(figure.frame.columns[name])})


# ---- the picture, the file or the sentence does not say what the data say


def panels_exchanged(figure, dice):
    """Two panels of a figure stand in each other's place."""
    if len(figure.panels_svg) < 2:
        return None
    one, other = dice.sample(range(len(figure.panels_svg)), 2)
    svgs = list(figure.panels_svg)
    svgs[one], svgs[other] = svgs[other], svgs[one]
    return None if svgs[one] == svgs[other] else told(figure, svgs=svgs)


def picture_of_other_data(figure, dice):
    """The picture is of data in which one column is one row on; sentence and file are right."""
    drawn_of = {value for panel in figure.panels for mark in panel.marks for value in _texts(mark)}
    other = one_moved(figure, dice, [name for name in numeric(figure.frame) if name in drawn_of])
    made = other and drawn(lambda: figure.redrawn(other))
    return made and (None if made.panels_svg == figure.panels_svg else told(figure, svgs=made.panels_svg))


def file_one_row_off(figure, dice):
    """A column of the file is one row on."""
    other = one_moved(figure, dice, numeric(figure.frame))
    return other and told(figure, file=other.csv())


def file_without_a_row(figure, dice):
    """A row is missing in the file."""
    lines = figure.csv().splitlines(keepends=True)
    del lines[dice.randrange(1, len(lines))]
    return told(figure, file="".join(lines)) if len(lines) > 1 else None


def sentence_of_other_rows(figure, dice):
    """The numbers of the sentence are taken from the rows in another order."""
    other = {name: cells[::-1] for name, cells in figure.frame.columns.items()}
    made = drawn(lambda: figure.redrawn(Frame(other, **figure.frame.settings)))
    return told(figure, alt=made.alt) if made and made.alt != figure.alt else None


# ---- picture, sentence and file agree, and all three are wrong


def column_of_the_row_before(figure, dice):
    """What belongs to one row is computed for the row before it."""
    other = one_moved(figure, dice, numeric(figure.frame))
    return other and drawn(lambda: figure.redrawn(other))


def headers_exchanged(figure, dice):
    """Two columns carry each other's name, in the picture, too."""
    names = numeric(figure.frame)
    if len(names) < 2:
        return None
    left, right = dice.sample(names, 2)
    one, other = figure.frame.columns[left], figure.frame.columns[right]
    if set(one) == set(other) or not differs(one, other):
        return None  # two indices of a symmetric matrix, or a prediction that is exact
    return drawn(lambda: figure.redrawn(changed(figure.frame, **{left: other, right: one})))


def names_exchanged(figure, dice):
    """Two names of a column of names are exchanged: the paper and the code, float16 and bfloat16."""
    found = {name: {c for c in cells if isinstance(c, str)} for name, cells in figure.frame.columns.items()}
    names = [name for name, texts in found.items() if len(texts) > 1]
    if not names:
        return None
    name = dice.choice(names)
    one, other = dice.sample(sorted(found[name]), 2)
    swap = {one: other, other: one}
    cells = [swap.get(cell, cell) for cell in figure.frame.columns[name]]
    return drawn(lambda: figure.redrawn(changed(figure.frame, **{name: cells})))


def wrong_unit(figure, dice):
    """A column is said to be in another unit."""
    named = [name for name in figure.frame.columns if re.search(r"\((?:tokens|rad\w*|degrees|u)\)", name)]
    if not named:
        return None
    name = dice.choice(named)
    names = {name: re.sub(r"\([^)]*\)", "(turns)", name)}
    columns = {names.get(n, n): cells for n, cells in figure.frame.columns.items()}
    relabelled = told(figure, file=Frame(columns).csv())
    relabelled.frame = Frame(columns, **figure.frame.settings)
    return relabelled


def words_about_another_column(figure, dice):
    """What stands beside a mark names a column that it does not draw: the spread of something else."""
    marks = [
        (panel, place, kind)
        for panel, place, mark in _marks(figure)
        for kind in ("label", "text")
        if getattr(mark, kind, "") and {*_texts(mark)} & figure.frame.columns.keys()
    ]
    if not marks:
        return None
    panel, place, kind = dice.choice(marks)
    mark = panel.marks[place]
    own = {word for value in vars(mark).values() for word in _words(value)}
    alien = sorted({word for name in figure.frame.columns for word in _words(name)} - own)
    says = alien and f"{getattr(mark, kind)} {dice.choice(alien)}"
    return _with_mark(figure, panel, place, **{kind: says}) if alien else None


def line_at_another_value(figure, dice):
    """A line or band that carries a name stands at the value of another setting or fact."""
    marks = [
        (panel, place, at)
        for panel, place, mark in _marks(figure)
        for at in ("x", "y", "stop")
        if isinstance(mark, Guide | Span) and mark.label and getattr(mark, at, None) in figure.values
    ]
    if not marks:
        return None
    panel, place, at = dice.choice(marks)
    numbers = {name for name, value in figure.values.items() if isinstance(value, int | float)}
    said = _words(panel.marks[place].label)
    others = sorted(name for name in numbers if not _words(name) & said)
    return _with_mark(figure, panel, place, **{at: dice.choice(others)}) if others else None


def wrong_fact(figure, dice):
    """One number of the sentence is wrong, wherever it is used."""
    facts = figure.facts
    named = [name for name, value in facts.items() if isinstance(value, int | float | np.number) and value]
    if not named:
        return None
    name = dice.choice(named)
    more = 1 if isinstance(facts[name], int) else max(1, abs(facts[name]) / 9)
    wrong = {**facts, name: facts[name] + more}
    return drawn(lambda: Figure(figure.frame, *figure.panels, alt=figure.template, facts=lambda frame: wrong))


def wrong_gift(figure, dice):
    """One thing that an explorer is given is another."""
    names = [name for name in figure.given if name not in ("models", "reads")] if figure.explorer else []
    if not names:
        return None
    other = copy.copy(figure)
    other.given = {**figure.given, dice.choice(names): "another"}
    return other


def _marks(figure: Figure) -> Iterator[tuple[Any, int, Any]]:
    return ((panel, place, mark) for panel in figure.panels for place, mark in enumerate(panel.marks))


def _texts(mark: Any) -> list[str]:
    return [value for value in vars(mark).values() if isinstance(value, str)]


def _words(value: Any) -> set[str]:
    return {word.lower().rstrip("s") for word in re.findall(r"[^\W_]{2,}", str(value))}


def _with_mark(figure: Figure, panel: Any, place: int, **changed: Any) -> Figure | None:
    marks = list(panel.marks)
    marks[place] = dataclasses.replace(marks[place], **changed)
    other = copy.copy(panel)
    object.__setattr__(other, "marks", tuple(marks))  # it is frozen
    victim = copy.copy(figure)
    victim.__dict__.pop("panels_svg", None)
    victim.panels = tuple(other if kept is panel else kept for kept in figure.panels)
    return drawn(lambda: victim)


# ---- tables


def values_under_another_header(table, dice):
    """The values of two columns stand under each other's header, written as these are."""
    if len(table.columns) < 2:
        return None
    one, other = dice.sample(range(len(table.columns)), 2)
    cells = [list(row) for row in table.cells]
    for row in cells:
        row[one], row[other] = row[other], row[one]
    return _with_cells(table, cells)


def column_one_row_off(table, dice):
    """A column is one row on."""
    place = dice.randrange(len(table.columns))
    column = [row[place] for row in table.cells]
    cells = [
        [*row[:place], cell, *row[place + 1 :]]
        for row, cell in zip(table.cells, [column[-1], *column[:-1]], strict=True)
    ]
    return _with_cells(table, cells)


def row_names_exchanged(table, dice):
    """Two rows carry each other's name."""
    if len(table.cells) < 2 or len(table.columns) < 2:
        return None
    one, other = dice.sample(range(len(table.cells)), 2)
    if table.cells[one][0] == table.cells[other][0] or table.cells[one][1:] == table.cells[other][1:]:
        return None
    cells = [list(row) for row in table.cells]
    cells[one][0], cells[other][0] = cells[other][0], cells[one][0]
    columns = [copy.copy(column) for column in table.columns]
    columns[0].values = list(columns[0].values)
    columns[0].values[one], columns[0].values[other] = columns[0].values[other], columns[0].values[one]
    made = Table(*columns)
    made.cells = tuple(map(tuple, cells))
    return made


def verdict_inverted(table, dice):
    """One verdict says the opposite."""
    return _one_cell(table, dice, lambda cell, value: OPPOSITE.get(cell.strip("*")))


def other_cells_in_bold(table, dice):
    """What one cell of a table with bold cells has, or has not, is the other way."""
    bold = {number for number, column in enumerate(table.columns) if any(column.strong or ())}
    return _one_cell(
        table, dice, lambda cell, value: cell.strip("*") if cell.startswith("**") else f"**{cell}**", bold
    )


def last_digit(table, dice):
    """The last digit of a number is another."""

    def other(cell, value):
        if re.search(r"\d\W*$", cell) and isinstance(value, float):
            return re.sub(r"\d(?=\D*$)", lambda match: str((int(match[0]) + 5) % 10), cell)
        return None

    return _one_cell(table, dice, other)


def without_its_last_row(table: Table) -> Table:
    """The last row is missing, in the data, too."""
    columns = [copy.copy(column) for column in table.columns]
    for column in columns:
        column.values = list(column.values)[:-1]
        column.strong = column.strong and column.strong[:-1]
    return Table(*columns)


def _one_cell(table: Table, dice: random.Random, other: Any, columns: Any = None) -> Table | None:
    """A table in which one cell is another."""
    found = [
        (r, c, new)
        for r, row in enumerate(table.cells)
        for c, cell in enumerate(row)
        if cell and (columns is None or c in columns) and (new := other(cell, table.columns[c].values[r]))
    ]
    if not found:
        return None
    r, c, new = dice.choice(found)
    cells = [list(row) for row in table.cells]
    cells[r][c] = new
    return _with_cells(table, cells)


def _with_cells(table: Table, cells: list[list[str]]) -> Table | None:
    made = copy.copy(table)
    made.cells = tuple(map(tuple, cells))
    return None if made.cells == table.cells else made


FIGURES = {
    kind.__name__: kind
    for kind in (
        panels_exchanged, picture_of_other_data, file_one_row_off, file_without_a_row, sentence_of_other_rows,
        column_of_the_row_before, headers_exchanged, names_exchanged, wrong_unit, words_about_another_column,
        line_at_another_value, wrong_fact, wrong_gift,
    )
}  # fmt: skip
TABLES = {
    kind.__name__: kind
    for kind in (
        values_under_another_header, column_one_row_off, row_names_exchanged, verdict_inverted,
        other_cells_in_bold, last_digit,
    )
}  # fmt: skip
