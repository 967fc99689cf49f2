"""Tables: the Markdown that leaves is the table that was meant."""

from itertools import pairwise

import pytest
from markdown_it import MarkdownIt

from pe_book.show.table import Table


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
    table = Table(("a", "$i$", "c"), [("1", "`x`", "*y*"), ("", "$\\sin(1)$", "0.5")], align="lrc")
    assert read_back(table) == [table.header, *table.rows]
    assert table.markdown().splitlines()[1] == "| :--- | ---: | :---: |"


def test_a_bar_does_not_end_a_cell():
    table = Table(("a", "b"), [("x | y", "$|x| \\le \\|y\\|$")])
    assert read_back(table)[1] == ("x | y", "$\\vert x\\vert  \\le \\Vert y\\Vert $")


def test_an_escaped_bar_stays_one():
    assert read_back(Table(("a",), [(r"x \| y",)]))[1] == ("x | y",)


def test_alignment_defaults_to_left():
    assert Table(("a", "b"), [("1", "2")]).align == "ll"


@pytest.mark.parametrize(
    ("header", "rows", "align", "error", "why"),
    [
        (("a", "b"), [("1",)], None, ValueError, "row 0 has 1 cells; there are 2 columns"),
        (("a",), [], None, ValueError, "at least one"),
        ((), [()], None, ValueError, "at least one"),
        (("a",), [("1",)], "lr", ValueError, "align is 'lr'"),
        (("a",), [("1",)], "x", ValueError, "align is 'x'"),
        (("a",), [("1\n2",)], None, ValueError, "spans lines"),
        (("a",), [(1.5,)], None, TypeError, "format it as a text"),
        (("a", "b"), ["12"], None, TypeError, "row 0 is the text '12'"),
        ("ab", [("1", "2")], None, TypeError, "header is the text 'ab'"),
    ],
)
def test_what_would_not_be_a_table_is_refused(header, rows, align, error, why):
    with pytest.raises(error, match=why):
        Table(header, rows, align)
