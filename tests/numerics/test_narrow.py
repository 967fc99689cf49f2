"""What would go wrong on 32 bits goes wrong here, too: numpy with the whole numbers that a browser has."""

import numpy as np
import pytest

from pe_book.sinusoidal.computing import table
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.readings import Reading, table_of
from pe_book.sinusoidal.waves.digits import read_dials
from tests import exactly


@pytest.fixture
def on_32_bits(monkeypatch):
    """What numpy counts and finds has 32 bits where nobody asks for more, and it repeats by no more."""
    counted, found, repeat = np.arange, np.flatnonzero, np.repeat

    def narrow(*ends, **asked):
        made = counted(*ends, **asked)
        fits = made.dtype == np.int64 and not asked and np.abs(made).max(initial=0) < 2**31
        return made.astype(np.int32) if fits else made

    def repeated(a, repeats, axis=None):
        given = np.asarray(repeats)
        return repeat(a, given.astype(np.int32, casting="safe") if given.ndim else repeats, axis)

    monkeypatch.setattr(np, "intp", np.int32)
    monkeypatch.setattr(np, "arange", narrow)
    monkeypatch.setattr(np, "flatnonzero", lambda a: found(a).astype(np.int32))
    monkeypatch.setattr(np, "repeat", repeated)


@pytest.mark.usefixtures("on_32_bits")
@pytest.mark.parametrize("start", [2**31 - 3, 2**33 + 5, 2**53 - 100])
@pytest.mark.parametrize("rows", [3, 300])  # some, and whole blocks
def test_a_table_far_out_is_that_of_64_bits(start, rows):
    """A position, or the number of a block times its rows, that 32 bits do not hold."""
    found = table(rows, 512, base=10007.0, start=start - rows)[-1]
    np.testing.assert_array_equal(found, np.float32(exactly.row(start - 1, 512, 10007.0)))


@pytest.mark.usefixtures("on_32_bits")
def test_a_reading_begins_far_out_as_on_64_bits():
    reading = Reading(2**40, False, "interleaved", "paper")
    np.testing.assert_array_equal(table_of(2, 4, reading), encode([2**40, 2**40 + 1], 4))


@pytest.mark.usefixtures("on_32_bits")
def test_dials_leave_open_what_they_leave_open_on_64_bits():
    (*_, last) = read_dials(759, 8, reading_error=1 / 20)
    np.testing.assert_allclose(last.left, [759])
