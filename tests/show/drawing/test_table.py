"""Tables: the Markdown that leaves is the table that was meant."""

from itertools import pairwise

import pytest
from markdown_it import MarkdownIt

from pe_book.show.drawing.table import Column, Table


def read_back(table):
    """The cells as a Markdown reader finds them."""
    tokens = MarkdownIt("commonmark").enable("table").parse(table.markdown())
    cells, row = [], []
    for before, token in pairwise(tokens):
        if before.type in ("th_open", "td_open"):
            row.append(token.content)
        if token.type == "tr_close":
            cells.append(tuple(row))
            row = []
    return cells


def test_a_reader_finds_every_cell_again():
    table = Table(
        Column("a", ["1", None]), Column("$i$", ["`x`", "$\\sin(1)$"]), Column("c", [0.25, -1.5], "{:.1f}")
    )
    assert read_back(table) == [("a", "$i$", "c"), ("1", "`x`", "0.2"), ("", "$\\sin(1)$", "−1.5")]
    assert table.markdown().splitlines()[1] == "| :--- | :--- | ---: |"


def test_a_bar_does_not_end_a_cell():
    table = Table(Column("a", ["x | y"]), Column("b", ["$|x| \\le \\|y\\|$"]))
    assert read_back(table)[1] == ("x | y", "$\\vert x\\vert  \\le \\Vert y\\Vert $")


def test_columns_say_how_a_value_is_written():
    table = Table(
        Column("n", [4096, 2]), Column("share", [0.5, 0.25], "{:.0%}"),
        Column("where", [1, 2], lambda n: f"at {n}"),
        Column("value", [1.0, 2.0], "{:g}", strong=[False, True], align="l"),
    )  # fmt: skip
    assert table.cells == (("4,096", "50%", "at 1", "1"), ("2", "25%", "at 2", "**2**"))
    assert table.markdown().splitlines()[1] == "| ---: | ---: | ---: | :--- |"


def test_rows_may_be_given_instead():
    by_rows = Table.of_rows(("a", "b"), [("x", 0.5)], (None, "{:.2f}"), "rl")
    by_columns = Table(Column("a", ["x"], align="r"), Column("b", [0.5], "{:.2f}", align="l"))
    assert by_rows.markdown() == by_columns.markdown()


@pytest.mark.parametrize(
    ("columns", "error", "why"),
    [
        ([("a", ["1"]), ("a", ["2"])], ValueError, "a header of its own"),
        ([("a", [1.5])], TypeError, "how it is written"),
        ([("a", [float("nan")], "{:.1f}")], ValueError, "is nan"),
    ],
)
def test_what_would_not_be_a_table_is_refused(columns, error, why):
    with pytest.raises(error, match=why):
        Table(*(Column(*column) for column in columns))
