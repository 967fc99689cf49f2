"""The data of a figure: named columns, from which picture, alternative text, table and CSV are made."""

from __future__ import annotations

import csv
import io
import math
import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Cell", "Frame"]

Cell = int | float | str | None
Where = Mapping[str, Any] | str | None


class Frame:
    """Columns of equal length, and the settings with which they were computed.

    Parameters
    ----------
    columns : mapping of str to sequence
        A name with its unit, such as ``"offset (tokens)"``, and the entries: numbers, texts, or None for an
        empty cell. One number or text stands in every row.
    **settings
        What the caller chose, such as ``d_model=128``; texts of the figure may name it.

    Raises
    ------
    ValueError
        There is no column or no row, columns differ in length, or a number is not finite.
    TypeError
        A cell is neither a number nor a text nor None.

    Examples
    --------
    >>> frame = Frame({"position": [0, 1, 2], "sine": np.sin([0, 1, 2]), "word": ["River", None, "Bank"]})
    >>> frame["sine"].round(3)
    array([0.   , 0.841, 0.909])
    >>> len(frame.where("word")), len(frame.where({"position": 2}))
    (2, 1)
    >>> print(frame.csv(), end="")
    position,sine,word
    0,0,River
    1,0.841471,
    2,0.909297,Bank
    """

    def __init__(self, columns: Mapping[str, Any], **settings: Any) -> None:
        """Check every cell."""
        listed = {name: _listed(values) for name, values in columns.items()}
        lengths = {name: len(values) for name, values in listed.items() if values is not None}
        if not lengths or min(lengths.values()) == 0:
            raise ValueError(f"a frame needs columns with at least one row, not {lengths}")
        if len(set(lengths.values())) > 1:
            raise ValueError(f"the columns of a frame must be equally long, not {lengths}")
        length = next(iter(lengths.values()))
        self.columns: dict[str, list[Cell]] = {
            name: [_cell(columns[name], name)] * length
            if values is None
            else [_cell(v, name) for v in values]
            for name, values in listed.items()
        }
        self.settings = settings

    @classmethod
    def of_rows(cls, names: Sequence[str], rows: Iterable[Sequence[Any]], /, **settings: Any) -> Frame:
        """The same from rows; each has one cell for each name."""
        kept = [tuple(row) for row in rows]
        for number, row in enumerate(kept):
            if len(row) != len(names):
                raise ValueError(f"row {number} has {len(row)} cells; there are {len(names)} columns")
        return cls({name: [row[place] for row in kept] for place, name in enumerate(names)}, **settings)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column: float64 with NaN for an empty cell, or texts as objects."""
        if name not in self.columns:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(map(repr, self.columns))}")
        values = self.columns[name]
        if any(isinstance(value, str) for value in values):
            return np.array(values, dtype=object)
        return np.array([math.nan if value is None else value for value in values], dtype=np.float64)

    def rows(self) -> Iterator[dict[str, Cell]]:
        """Each row as a mapping from column to cell."""
        for cells in zip(*self.columns.values(), strict=True):
            yield dict(zip(self.columns, cells, strict=True))

    def where(self, chosen: Where) -> Frame:
        """The rows in which a column is not empty, or columns have given values; all rows for None."""
        if chosen is None:
            return self
        asked = {chosen: ...} if isinstance(chosen, str) else dict(chosen)
        for name in asked:
            self[name]
        kept = [
            row
            for row in self.rows()
            if all(
                row[name] is not None if value is ... else row[name] == value for name, value in asked.items()
            )
        ]
        if not kept:
            raise ValueError(f"no row of the frame has {asked}")
        return Frame.of_rows(list(self.columns), [list(row.values()) for row in kept], **self.settings)

    def csv(self) -> str:
        """The data as comma-separated text: a header, floats to six significant digits."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([shown(cell) for cell in row.values()] for row in self.rows())
        return out.getvalue()


def shown(value: Cell) -> str:
    """A cell as it stands in the file: text as it is, nothing for None, six significant digits of a float."""
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.6g}"
    return "0" if text == "-0" else text


def _listed(values: Any) -> list[Any] | None:
    """The entries of a column; None for one value that stands in every row."""
    if values is None or isinstance(values, str | numbers.Number):
        return None
    return list(values)


def _cell(value: Any, column: str) -> Cell:
    if value is None or isinstance(value, str):
        return None if value is None else str(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, numbers.Integral):
        return int(value)
    if not isinstance(value, numbers.Real):
        raise TypeError(f"a cell of {column!r} is {value!r}; numbers, texts and None can be shown")
    if not math.isfinite(value):
        raise ValueError(f"a cell of {column!r} is {value}; give None where there is no value")
    return float(value)
