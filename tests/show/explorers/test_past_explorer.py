"""The explorer of rows past a table's end without a browser: which row is read, beside Python's."""

import numpy as np
import pytest

from pe_book.family.learned import BEYOND, lookup
from tests.show.scripts import asked, script, with_planted

MATHS = script("past-maths.js")
SIZES = [(5, 8), (5, 5), (5, 12), (4, 9), (2, 3)]


def drifted(text=MATHS):
    """The rules by which the script reads another row than Python."""
    wrong = set()
    for rows, length in SIZES:
        table = np.arange(rows, dtype=float)[:, np.newaxis]
        for rule in BEYOND:
            found = asked("past.places(rule, rows, length)", text, rule=rule, rows=rows, length=length)
            if rule == "refuse" and length > rows:
                right = [None] * length
            else:
                right = pytest.approx(lookup(table, np.arange(length), beyond=rule).ravel().tolist())
            if found != right:
                wrong.add(rule)
    return wrong


def test_each_position_reads_the_row_that_the_package_looks_up():
    assert drifted() == set()


@pytest.mark.parametrize(
    ("rule", "stands", "planted"),
    [
        ("clamp", "rows - 1)\n", "rows)\n"),
        ("wrap", "position % rows", "position % (rows - 1)"),
        ("interpolate", "/ (length - 1)", "/ length"),
        ("refuse", "length <= rows", "length <= rows + 3"),
    ],
)
def test_another_row_is_noticed(rule, stands, planted):
    assert rule in drifted(with_planted(MATHS, stands, planted))
