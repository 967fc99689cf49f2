"""The explorer of rows past a table's end without a browser: which row is read, beside Python's."""

import numpy as np
import pytest

from pe_book.family.learned import BEYOND, lookup
from tests.show.scripts import asked, script

MATHS = script("past-maths.js")


@pytest.mark.parametrize(("rows", "length"), [(5, 8), (5, 5), (5, 12), (4, 9), (2, 3)])
@pytest.mark.parametrize("rule", BEYOND)
def test_each_position_reads_the_row_that_the_package_looks_up(rule, rows, length):
    table = np.arange(rows, dtype=float)[:, np.newaxis]
    found = asked("past.places(rule, rows, length)", MATHS, rule=rule, rows=rows, length=length)
    if rule == "refuse" and length > rows:
        assert found == [None] * length
    else:
        assert found == pytest.approx(lookup(table, np.arange(length), beyond=rule).ravel().tolist())
