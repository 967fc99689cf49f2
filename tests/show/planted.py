"""Mistakes that somebody could make in a figure or table, planted where it matters: each must be refused.

Every kind takes a figure or table as a page shows it and a random generator, and returns what a reader would
be told instead, for the checks of ``test_whole``; None where its mistake cannot be made.
"""

from __future__ import annotations

import copy
import dataclasses
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.plots import Guide, Span
from pe_book.show.drawing.table import Table

# a mark of the data; those of the ticks are muted
TICK = r"(?!fill: var\(--pe-muted, #[0-9a-f]{6}\); stroke)"
MARK = rf'<use href="#[^"]+" x="([-\d.]+)" y="[-\d.]+" style="{TICK}'

FIGURES: dict[str, Callable[[Figure, random.Random], Any]] = {}
TABLES: dict[str, Callable[[Table, random.Random], Any]] = {}


def in_figures(kind: Callable[[Figure, random.Random], Any]) -> Callable[[Figure, random.Random], Any]:
    """A kind of mistake in figures."""
    FIGURES[kind.__name__] = kind
    return kind


def in_tables(kind: Callable[[Table, random.Random], Any]) -> Callable[[Table, random.Random], Any]:
    """A kind of mistake in tables."""
    TABLES[kind.__name__] = kind
    return kind


def told(figure: Figure, *, svgs: Any = None, file: str | None = None, alt: str | None = None) -> Figure:
    """The figure, but with other pictures, another file or another sentence than its data give."""
    other = copy.copy(figure)
    other.__dict__["panels_svg"] = tuple(figure.panels_svg if svgs is None else svgs)
    other.__dict__["alt"] = figure.alt if alt is None else alt
    if file is not None:
        other.csv = lambda: file  # type: ignore[method-assign]
    return other


def exchanged_names(frame: Frame, left: str, right: str) -> Frame:
    """The same columns, two of them under each other's name."""
    names = {left: right, right: left}
    return Frame({names.get(name, name): cells for name, cells in frame.columns.items()}, **frame.settings)


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


def texts(frame: Frame) -> list[str]:
    """Columns of at least two different texts."""
    return [
        name
        for name, cells in frame.columns.items()
        if len({cell for cell in cells if isinstance(cell, str)}) > 1
    ]


def swapped_texts(frame: Frame, dice: random.Random) -> Frame | None:
    """Two texts of a column change places wherever they stand."""
    columns = texts(frame)
    if not columns:
        return None
    name = dice.choice(columns)
    one, other = dice.sample(sorted({cell for cell in frame.columns[name] if cell}), 2)
    swap = {one: other, other: one}
    cells = [swap.get(cell, cell) for cell in frame.columns[name]]
    return Frame({**frame.columns, name: cells}, **frame.settings)


# ---- the picture does not show the data


@in_figures
def line_one_row_off(figure, dice):
    """A line is drawn one row off; sentence and file are right."""
    places = [
        (number, match)
        for number, svg in enumerate(figure.panels_svg)
        for match in re.finditer(r'data-part="\d+-data">\s*<path d="((?:[ML] [-\d.]+ [-\d.]+\s*){3,})"', svg)
    ]
    if not places:
        return None
    number, match = dice.choice(places)
    points = re.findall(r"[ML] ([-\d.]+) ([-\d.]+)", match[1])
    heights = moved([y for _, y in points])
    if not differs([float(y) for _, y in points], [float(y) for y in heights]):
        return None
    path = "\n".join(
        f"{'L' if k else 'M'} {x} {y}" for k, ((x, _), y) in enumerate(zip(points, heights, strict=True))
    )
    svgs = list(figure.panels_svg)
    svgs[number] = svgs[number][: match.start(1)] + path + "\n" + svgs[number][match.end(1) :]
    return told(figure, svgs=svgs)


@in_figures
def mark_displaced(figure, dice):
    """One point or box stands a few points aside."""
    places = [
        (number, match) for number, svg in enumerate(figure.panels_svg) for match in re.finditer(MARK, svg)
    ]
    if not places:
        return None
    number, match = dice.choice(places)
    svgs = list(figure.panels_svg)
    at = f"{float(match[1]) + 6:.2f}"
    svgs[number] = svgs[number][: match.start(1)] + at + svgs[number][match.end(1) :]
    return told(figure, svgs=svgs)


@in_figures
def texts_exchanged_in_the_picture(figure, dice):
    """Two names or numbers of a picture stand in each other's place."""
    number = dice.randrange(len(figure.panels_svg))
    svg = figure.panels_svg[number]
    found = list(re.finditer(r">([^<>\n]+)</text>", svg))
    if len({match[1] for match in found}) < 2:
        return None
    one, other = sorted(dice.sample(found, 2), key=lambda match: match.start())
    if one[1] == other[1]:
        return None
    svg = svg[: one.start(1)] + other[1] + svg[one.end(1) : other.start(1)] + one[1] + svg[other.end(1) :]
    return told(figure, svgs=[svg if k == number else kept for k, kept in enumerate(figure.panels_svg)])


@in_figures
def panels_exchanged(figure, dice):
    """Two panels of a figure stand in each other's place."""
    if len(figure.panels_svg) < 2:
        return None
    one, other = dice.sample(range(len(figure.panels_svg)), 2)
    svgs = list(figure.panels_svg)
    svgs[one], svgs[other] = svgs[other], svgs[one]
    return None if svgs[one] == svgs[other] else told(figure, svgs=svgs)


@in_figures
def picture_of_other_data(figure, dice):
    """The picture is of data in which one column is one row on; sentence and file are right."""
    drawn = {value for panel in figure.panels for mark in panel.marks for value in vars(mark).values()
             if isinstance(value, str)}  # fmt: skip
    columns = [name for name in numeric(figure.frame) if name in drawn]
    if not columns:
        return None
    name = dice.choice(columns)
    cells = moved(figure.frame.columns[name])
    other = Frame({**figure.frame.columns, name: cells}, **figure.frame.settings)
    try:
        svgs = [panel.svg(other, figure.values) for panel in figure.panels]
    except (ValueError, KeyError):
        return None  # the mechanism refuses by itself to draw this
    return None if tuple(svgs) == figure.panels_svg else told(figure, svgs=svgs)


# ---- the file or the sentence does not say what the data say


@in_figures
def file_one_row_off(figure, dice):
    """A column of the file is one row on."""
    columns = numeric(figure.frame)
    if not columns:
        return None
    name = dice.choice(columns)
    other = {**figure.frame.columns, name: moved(figure.frame.columns[name])}
    return told(figure, file=Frame(other).csv())


@in_figures
def file_without_a_row(figure, dice):
    """A row is missing in the file."""
    lines = figure.csv().splitlines(keepends=True)
    if len(lines) < 3:
        return None
    del lines[dice.randrange(1, len(lines))]
    return told(figure, file="".join(lines))


@in_figures
def sentence_of_other_rows(figure, dice):
    """The numbers of the sentence are taken from the rows in another order."""
    if not figure.compute_facts:
        return None
    other = Frame(
        {name: cells[::-1] for name, cells in figure.frame.columns.items()}, **figure.frame.settings
    )
    try:
        alt = figure.redrawn(other).alt
    except (ValueError, KeyError, IndexError, TypeError):
        return None
    return None if alt == figure.alt else told(figure, alt=alt)


# ---- picture, sentence and file agree, and all three are wrong


@in_figures
def column_of_the_row_before(figure, dice):
    """What belongs to one row is computed for the row before it."""
    columns = numeric(figure.frame)
    if not columns:
        return None
    name = dice.choice(columns)
    cells = moved(figure.frame.columns[name])
    return _redrawn(figure, Frame({**figure.frame.columns, name: cells}, **figure.frame.settings))


@in_figures
def headers_exchanged(figure, dice):
    """Two columns carry each other's name, in the picture, too."""
    columns = numeric(figure.frame)
    if len(columns) < 2:
        return None
    left, right = dice.sample(columns, 2)
    # two indices of a symmetric matrix may be exchanged
    if set(figure.frame.columns[left]) == set(figure.frame.columns[right]):
        return None
    if not differs(figure.frame.columns[left], figure.frame.columns[right]):
        return None  # a prediction that is exact
    return _redrawn(figure, exchanged_names(figure.frame, left, right))


@in_figures
def names_exchanged(figure, dice):
    """Two names of a column of names are exchanged: the paper and the code, float16 and bfloat16."""
    other = swapped_texts(figure.frame, dice)
    return None if other is None else _redrawn(figure, other)


@in_figures
def wrong_unit(figure, dice):
    """A column is said to be in another unit."""
    named = [
        name
        for name in figure.frame.columns
        if re.search(r"\((?:tokens|rad\w*|radians|degrees|px|bits|u)\)", name)
    ]
    if not named:
        return None
    name = dice.choice(named)
    other = re.sub(r"\([^)]*\)", "(turns)", name)
    frame = Frame(
        {other if n == name else n: cells for n, cells in figure.frame.columns.items()},
        **figure.frame.settings,
    )
    relabelled = told(figure, file=frame.csv())
    relabelled.frame = frame
    return relabelled


@in_figures
def words_about_another_column(figure, dice):
    """What stands beside a mark names a column that it does not draw: the spread of something else."""
    marks = [
        (panel, place, kind)
        for panel in figure.panels
        for place, mark in enumerate(panel.marks)
        for kind in ("label", "text")
        if getattr(mark, kind, "")
    ]
    if not marks:
        return None
    panel, place, kind = dice.choice(marks)
    mark = panel.marks[place]
    own = {word for value in vars(mark).values() for word in _words(value)}
    if not {value for value in vars(mark).values() if isinstance(value, str)} & figure.frame.columns.keys():
        return None  # a line that draws no column
    alien = sorted({word for name in figure.frame.columns for word in _words(name)} - own)
    if not alien:
        return None
    return _with_mark(figure, panel, place, **{kind: f"{getattr(mark, kind)} {dice.choice(alien)}"})


@in_figures
def line_at_another_value(figure, dice):
    """A line or band that carries a name stands at the value of another setting or fact."""
    marks = [
        (panel, place, at)
        for panel in figure.panels
        for place, mark in enumerate(panel.marks)
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
    return _drawable(victim)


@in_figures
def wrong_fact(figure, dice):
    """One number of the sentence is wrong, wherever it is used."""
    named = [
        name for name, value in figure.facts.items() if isinstance(value, int | float | np.number) and value
    ]
    if not named:
        return None
    name = dice.choice(named)
    changed = {
        **figure.facts,
        name: figure.facts[name]
        + (1 if isinstance(figure.facts[name], int) else max(1, abs(figure.facts[name]) / 9)),
    }
    other = Figure(figure.frame, *figure.panels, alt=figure.template, facts=lambda frame: changed)
    return _drawable(other)


def _redrawn(figure: Figure, frame: Frame) -> Figure | None:
    try:
        return _drawable(figure.redrawn(frame))
    except (ValueError, KeyError, IndexError, TypeError, ZeroDivisionError, RuntimeWarning):
        return None  # the mechanism, or the figure itself, refuses this by itself


def _drawable(figure: Figure) -> Figure | None:
    try:
        _ = figure.panels_svg
    except (ValueError, KeyError, IndexError, TypeError):
        return None
    return figure


# ---- tables


@in_tables
def table_headers_exchanged(table, dice):
    """Two headers change places."""
    if len(table.columns) < 2:
        return None
    one, other = dice.sample(range(len(table.columns)), 2)
    if not _visible(table, one, [row[other] for row in table.cells]):
        return None
    columns = list(table.columns)
    names = columns[one].header, columns[other].header
    columns = [copy.copy(column) for column in columns]
    columns[one].header, columns[other].header = names[1], names[0]
    return Table(*columns)


@in_tables
def table_values_under_another_header(table, dice):
    """The values of two columns stand under each other's header, written as these are."""
    if len(table.columns) < 2:
        return None
    one, other = dice.sample(range(len(table.columns)), 2)
    if not _visible(table, one, [row[other] for row in table.cells]):
        return None
    cells = [list(row) for row in table.cells]
    for row in cells:
        row[one], row[other] = row[other], row[one]
    return _with_cells(table, cells)


def without_its_last_row(table: Table) -> Table:
    """The last row is missing, in the data, too."""
    columns = [copy.copy(column) for column in table.columns]
    for column in columns:
        column.values = list(column.values)[:-1]
        column.strong = column.strong and column.strong[:-1]
    return Table(*columns)


@in_tables
def table_column_one_row_off(table, dice):
    """A column is one row on."""
    place = dice.randrange(len(table.columns))
    column = [row[place] for row in table.cells]
    turned = [column[-1], *column[:-1]]
    if not _visible(table, place, turned):
        return None
    cells = [list(row) for row in table.cells]
    for row, cell in zip(cells, turned, strict=True):
        row[place] = cell
    return _with_cells(table, cells)


@in_tables
def table_row_names_exchanged(table, dice):
    """Two rows carry each other's name."""
    if len(table.cells) < 2 or len(table.columns) < 2:
        return None
    one, other = dice.sample(range(len(table.cells)), 2)
    if table.cells[one][0] == table.cells[other][0] or table.cells[one][1:] == table.cells[other][1:]:
        return None
    cells = [list(row) for row in table.cells]
    cells[one][0], cells[other][0] = cells[other][0], cells[one][0]
    columns = [copy.copy(column) for column in table.columns]
    values = list(columns[0].values)
    values[one], values[other] = values[other], values[one]
    columns[0].values = values
    made = Table(*columns)
    made.cells = tuple(map(tuple, cells))
    return made


@in_tables
def verdict_inverted(table, dice):
    """One verdict says the opposite."""
    opposite = {"yes": "no", "no": "yes", "✓": "✗", "✗": "✓", "up": "down", "down": "up", "**up**": "down"}
    found = [
        (r, c)
        for r, row in enumerate(table.cells)
        for c, cell in enumerate(row)
        if cell.strip("*") in opposite
    ]
    if not found:
        return None
    r, c = dice.choice(found)
    cells = [list(row) for row in table.cells]
    cells[r][c] = opposite[cells[r][c].strip("*")]
    return _with_cells(table, cells)


@in_tables
def other_cells_in_bold(table, dice):
    """A cell is set in bold that should not be, or the reverse."""
    columns = [number for number, column in enumerate(table.columns) if any(column.strong or ())]
    if not columns:
        return None
    c, r = dice.choice(columns), dice.randrange(len(table.cells))
    cells = [list(row) for row in table.cells]
    if not cells[r][c]:
        return None
    cells[r][c] = cells[r][c].strip("*") if cells[r][c].startswith("**") else f"**{cells[r][c]}**"
    return _with_cells(table, cells)


@in_tables
def table_last_digit(table, dice):
    """The last digit of a number is another."""
    found = [
        (r, c)
        for r, row in enumerate(table.cells)
        for c, cell in enumerate(row)
        if re.search(r"\d\W*$", cell) and isinstance(table.columns[c].values[r], float)
    ]  # fmt: skip
    if not found:
        return None
    r, c = dice.choice(found)
    cells = [list(row) for row in table.cells]
    cells[r][c] = re.sub(r"\d(?=\D*$)", lambda match: str((int(match[0]) + 5) % 10), cells[r][c])
    return _with_cells(table, cells)


def _visible(table: Table, place: int, other: list[str]) -> bool:
    """The change can be seen, and there is something computed to hold it against."""
    return [row[place] for row in table.cells] != other


def _with_cells(table: Table, cells: list[list[str]]) -> Table:
    made = copy.copy(table)
    made.cells = tuple(map(tuple, cells))
    return made
