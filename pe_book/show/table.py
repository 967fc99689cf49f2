"""A table of cells that are already written as MyST inline markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Table"]

_RULE = {"l": ":---", "r": "---:", "c": ":---:"}


@dataclass(frozen=True, init=False)
class Table:
    r"""A header and rows, written as a pipe table.

    Parameters
    ----------
    header : sequence of str
        One text a column; MyST inline markup, such as ``"$i$"``.
    rows : iterable of sequences of str
        As many cells a row as there are columns. Numbers are formatted by the caller, who knows how many
        digits mean something.
    align : str, optional
        One letter a column: ``l``, ``r`` or ``c``; left throughout if not given.

    Raises
    ------
    ValueError
        There is no column or no row, a row has another number of cells than the header, a cell spans lines,
        or `align` does not fit.
    TypeError
        A cell is not a text.

    Examples
    --------
    >>> print(Table(("dimension", "$i$"), [("0", "$0$"), ("1", "$|x|$")], align="rl").markdown())
    | dimension | $i$ |
    | ---: | :--- |
    | 0 | $0$ |
    | 1 | $\vert x\vert $ |
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    align: str

    def __init__(
        self, header: Sequence[str], rows: Iterable[Sequence[str]], align: str | None = None
    ) -> None:
        """Check every cell."""
        if isinstance(header, str):
            raise TypeError(f"header is the text {header!r}; one text a column is needed")
        object.__setattr__(self, "header", tuple(header))
        object.__setattr__(self, "rows", tuple(_cells(row, number) for number, row in enumerate(rows)))
        object.__setattr__(self, "align", "l" * len(self.header) if align is None else align)
        if not self.header or not self.rows:
            raise ValueError("a table needs at least one column and one row")
        for number, row in enumerate(self.rows):
            if len(row) != len(self.header):
                raise ValueError(f"row {number} has {len(row)} cells; there are {len(self.header)} columns")
        if len(self.align) != len(self.header) or not set(self.align) <= set(_RULE):
            raise ValueError(
                f"align is {self.align!r}; {len(self.header)} letters out of 'l', 'r', 'c' are needed"
            )
        for name, row in (("header", self.header), *((f"row {n}", row) for n, row in enumerate(self.rows))):
            for cell in row:
                _check(cell, name)

    def markdown(self) -> str:
        """The table as MyST Markdown."""
        rules = [_RULE[letter] for letter in self.align]
        lines = [[_escaped(cell) for cell in self.header], rules]
        lines += [[_escaped(cell) for cell in row] for row in self.rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cells(row: Sequence[str], number: int) -> tuple[str, ...]:
    if isinstance(row, str):
        raise TypeError(f"row {number} is the text {row!r}; one text a column is needed")
    return tuple(row)


def _check(cell: object, where: str) -> None:
    if not isinstance(cell, str):
        raise TypeError(f"a cell of the {where} is {cell!r}; format it as a text first")
    if "\n" in cell or "\r" in cell:
        raise ValueError(f"a cell of the {where} spans lines: {cell!r}")


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
