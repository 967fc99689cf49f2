"""A table of computed columns: each has a header, its values, and how a value is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from pe_book.show.drawing.frame import Cell, Frame
from pe_book.show.drawing.texts import in_print

__all__ = ["Column", "Table"]

RULE = {"l": ":---", "r": "---:", "c": ":---:"}


class Column:
    """One column of a table.

    Parameters
    ----------
    header : str
        MyST inline markup, such as ``"$i$"``; with its unit.
    values : sequence, number or str
        Numbers, texts or None for an empty cell; one value stands in every row.
    show : str or callable, optional
        How a value is written: a format such as ``"{:.3f}"`` or ``"{:.0f} %"``, or a function that returns
        MyST inline markup. Texts and integers need none.
    strong : sequence of bool, optional
        Which cells are set in bold.
    align : str, optional
        ``l``, ``r`` or ``c``; texts on the left and numbers on the right if not given.

    Examples
    --------
    >>> Column("last, in tokens", [6.2832], "{:.1f}").cells()
    ['6.3']
    """

    def __init__(
        self, header: str, values: Any, show: str | Callable[[Any], str] | None = None, *,
        strong: Iterable[Any] | None = None, align: str | None = None,
    ) -> None:  # fmt: skip
        """Keep what was given; the table checks it."""
        if align is not None and align not in RULE:
            raise ValueError(f"align is {align!r}; one of 'l', 'r', 'c' is needed")
        self.header, self.values, self.show, self.align = header, values, show, align
        self.strong = None if strong is None else [bool(mark) for mark in strong]

    def cells(self) -> list[str]:
        """Every value as it is written."""
        written = [self._written(value) for value in self.values]
        if self.strong is not None:
            marks = zip(written, self.strong, strict=True)
            written = [f"**{cell}**" if mark else cell for cell, mark in marks]
        return written

    def _written(self, value: Cell) -> str:
        if value is None:
            return ""
        if callable(self.show):
            cell = self.show(value)
            if not isinstance(cell, str):
                raise TypeError(f"show of the column {self.header!r} gave {cell!r}; a text is needed")
        elif self.show is not None:
            cell = self.show.format(value)
        elif isinstance(value, float):
            raise TypeError(f"the column {self.header!r} holds {value!r}; say with show= how it is written")
        else:
            cell = f"{value:,}" if isinstance(value, int) else value
        if "\n" in cell or "\r" in cell:
            raise ValueError(f"a cell of the column {self.header!r} spans lines: {cell!r}")
        return cell if isinstance(value, str) or "$" in cell else in_print(cell)


class Table:
    r"""Columns of equal length, written as a pipe table.

    Parameters
    ----------
    *columns : Column

    Raises
    ------
    ValueError
        There is no column or no row, columns differ in length, headers are equal, or a cell spans lines.
    TypeError
        A value is neither number nor text, or a float has no format.

    Examples
    --------
    >>> print(Table(Column("dimension", [0, 1]), Column("$i$", ["$0$", "$|x|$"])).markdown())
    | dimension | $i$ |
    | ---: | :--- |
    | 0 | $0$ |
    | 1 | $\vert x\vert $ |
    """

    def __init__(self, *columns: Column) -> None:
        """Check every value."""
        headers = [column.header for column in columns]
        if len(set(headers)) < len(headers):
            raise ValueError(f"every column of a table needs a header of its own, not {headers}")
        # the rules of a frame are those of a table: equal lengths, finite numbers
        self.frame = Frame({column.header: column.values for column in columns})
        self.columns = tuple(
            Column(
                c.header, self.frame.columns[c.header], c.show, strong=c.strong, align=c.align or _side(kept)
            )
            for c, kept in zip(columns, self.frame.columns.values(), strict=True)
        )
        self.cells = tuple(zip(*(column.cells() for column in self.columns), strict=True))

    @classmethod
    def of_rows(
        cls, header: Sequence[str], rows: Iterable[Sequence[Any]], show: Sequence[Any] | None = None,
        align: str | None = None,
    ) -> Table:  # fmt: skip
        """The same from rows; `show` and `align` have one entry for each column."""
        frame = Frame.of_rows(header, rows)
        shows, sides = show or [None] * len(header), align or [None] * len(header)
        return cls(
            *(Column(n, frame.columns[n], s, align=a) for n, s, a in zip(header, shows, sides, strict=True))
        )

    def markdown(self) -> str:
        """The table as MyST Markdown."""
        lines = [[_escaped(column.header) for column in self.columns]]
        lines += [[RULE[column.align or "l"] for column in self.columns]]
        lines += [[_escaped(cell) for cell in row] for row in self.cells]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _side(values: Sequence[Any]) -> str:
    numbers = [isinstance(value, int | float | np.number) for value in values if value is not None]
    return "r" if numbers and all(numbers) else "l"


def _escaped(cell: str) -> str:
    """A bar would end the cell: in maths it becomes a command, elsewhere it is escaped."""
    parts = re.split(r"(?<!\\)(\$[^$]*(?<!\\)\$)", cell.strip())
    for place, part in enumerate(parts):
        if place % 2:
            part = part.replace(r"\|", r"\Vert ")
            parts[place] = part.replace("|", r"\vert ")
        else:
            parts[place] = re.sub(r"(?<!\\)\|", r"\\|", part)
    return "".join(parts)
