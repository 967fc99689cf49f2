"""Mistakes that somebody could make in a figure or table are planted in a small one: all refused."""

import copy
import random

import numpy as np
import pytest

from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Line
from pe_book.show.drawing.table import Column, Table
from tests.show import recomputed
from tests.show.test_whole import check_figure

X = np.arange(5)
COLUMNS = {
    "position (tokens)": X, "sine": np.sin(X), "cosine": np.cos(X), "place": X,
    "kind": ["even", "odd", "even", "odd", "even"],
}  # fmt: skip
FIGURE = {
    "position (tokens)": range(5),
    "sine": lambda row, p: np.sin(row["position (tokens)"]),
    "cosine": np.cos(X),
    "place": range(5),
    "kind": lambda row, p: ("even", "odd")[row["position (tokens)"] % 2],
    "facts": {"last": np.sin(4), "top": 1},
    "given": {"width": 2},
}
TABLE = {
    recomputed.COUNT: 3,
    "name": recomputed.WORDS,
    "square": lambda row, p: int(row["name"]) ** 2,
    "root": lambda row, p: int(row["name"]) ** 0.5,
    "whole": lambda row, p: "yes" if int(row["name"]) == 4 else "no",
    "bold": {"square": lambda row, p: row["square"] > 8},
}


def figure(*, label="sine", at="last", last=None, width=2, **columns):
    """Two waves, with a mistake in what is given another way."""
    return Figure(
        Frame(COLUMNS | columns),
        Panel(
            Line("position (tokens)", "sine", label=label),
            Guide(y=at, label="last", colour="red"),
            y="sine",
        ),
        Panel(Line("position (tokens)", "cosine", colour="orange")),
        facts=lambda f: {"last": last or f["sine"][-1], "top": f["cosine"].max()},
        alt="Two waves; the sine ends at {last:.3f} and the cosine begins at {top:.0f}.",
        explorer="pe-waves",
        given=lambda f: {"width": width},
    )


def told(**other):
    """The figure, but with another picture, file or sentence than its data give."""
    made = copy.copy(figure())
    made.__dict__.update(other)
    return made


def moved(name):
    return {name: np.roll(COLUMNS[name], 1)}


PICTURES, LINES = figure().panels_svg, figure().csv().splitlines(keepends=True)
FIGURES = {
    "panels exchanged": told(panels_svg=PICTURES[::-1]),
    "picture of other data": told(panels_svg=(figure(**moved("sine")).panels_svg[0], PICTURES[1])),
    "file of other data": told(csv=figure(**moved("place")).csv),
    "file without a row": told(csv=lambda: "".join(LINES[:-1])),
    "sentence of other data": told(alt=figure(last=0.5).alt),
    "a function's column moved": figure(**moved("sine")),
    "an array's column moved": figure(**moved("cosine")),
    "a list's column in another order": figure(place=X[::-1]),
    "columns exchanged": figure(sine=np.cos(X), cosine=np.sin(X)),
    "names exchanged": figure(**moved("kind")),
    "a column without another path": figure(**{"position (turns)": X}),
    "a name of another column": figure(label="sine and cosine"),
    "a line at another fact": figure(at="top"),
    "a wrong fact": figure(last=0.5),
    "a wrong gift": figure(width=3),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_mistake_in_a_figure_is_refused(name):
    check_figure(figure(), FIGURE, {}, random.Random(0))
    with pytest.raises(recomputed.Mismatch):
        check_figure(FIGURES[name], FIGURE, {}, random.Random(0))


def table(names=("2", "3", "4"), *, bold=(False, True, True), swapped=False, whole=("no", "no", "yes")):
    squares, roots = [4, 9, 16], [2**0.5, 3**0.5, 2.0]
    first, second = (roots, squares) if swapped else (squares, roots)
    columns = Column("square", first, "{:.0f}", strong=bold), Column("root", second, "{:.3f}")
    return Table(Column("name", names), *columns, Column("whole", whole))


def printed(text, other):
    """The table with one text of its cells replaced."""
    made = table()
    made.cells = tuple(tuple(cell.replace(text, other) for cell in row) for row in made.cells)
    return made


TABLES = {
    "values under another header": table(swapped=True),
    "rows that carry another name": table(("2", "4", "3")),
    "a verdict inverted": table(whole=("no", "yes", "yes")),
    "other cells in bold": table(bold=(True, True, True)),
    "another last digit": printed("1.732", "1.733"),
    "no last row": Table(*(Column(c.header, c.values[:-1], c.show) for c in table().columns)),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_mistake_in_a_table_is_refused(name):
    recomputed.check_table(table(), TABLE, {}, random.Random(0))
    with pytest.raises(recomputed.Mismatch):
        recomputed.check_table(TABLES[name], TABLE, {}, random.Random(0))
