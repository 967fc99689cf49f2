"""The explorers of the sinusoidal chapters without a browser: values beside Python's frame and package."""

import numpy as np
import pytest

import pe_book as pe
from pe_book.show.sinusoidal.distance import BASES as CHOSEN
from pe_book.show.sinusoidal.distance import WIDTHS as CHOSEN_WIDTHS
from pe_book.show.sinusoidal.distance import near_and_far
from pe_book.sinusoidal.distance import first_rise
from pe_book.sinusoidal.shift.fitting import shift_errors
from pe_book.sinusoidal.waves import column_range
from tests.show.scripts import asked, script

MATHS = script("sinusoid-maths.js")
WIDTHS = ((2, 10000), (6, 10000), (6, 100), (8, 1000), (128, 500000))
SHIFTS = ((10, 6, 10000), (-7, 6, 100), (0, 4, 10000), (20, 8, 1000))


def assert_close(expression, right, **values):
    np.testing.assert_allclose(asked(expression, MATHS, **values), right, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("width", "base"), WIDTHS)
def test_rows_ranges_and_cosines_are_those_of_python(width, base):
    rates = asked("sinusoid.frequencies(width, base)", MATHS, width=width, base=base)
    np.testing.assert_allclose(rates, pe.frequencies(width, base=base), rtol=1e-14, atol=0)
    places, far = [0, 1, 2.25, 6, 60, 99], [0, 1, 6, 11, 60]
    rows = pe.encode(places, width, base=base)
    assert_close("places.map((p) => sinusoid.row(p, rates))", rows, places=places, rates=rates)
    alike = pe.similarity(far, width, base=base) / (width / 2)
    assert_close("far.map((k) => sinusoid.alike(k, rates))", alike, far=far, rates=rates)
    if base == 10000:
        ask = "sinusoid.ranges([...Array(n).keys()].map((p) => sinusoid.row(p, rates)))"
        assert_close(ask, column_range(20, width), n=20, rates=rates)


@pytest.mark.parametrize(("k", "width", "base"), SHIFTS)
def test_shifts_their_products_and_what_matrices_miss_are_those_of_python(k, width, base):
    rates = pe.frequencies(width, base=base).tolist()
    assert_close("sinusoid.shift(k, rates)", pe.shift_matrix(k, width, base=base), k=k, rates=rates)
    ask = "sinusoid.product(sinusoid.shift(3, rates), sinusoid.shift(k, rates))"
    assert_close(ask, pe.shift_matrix(k + 3, width, base=base), k=k, rates=rates)
    if base == 10000:
        matrix, places = np.random.default_rng(width).normal(size=(width, width)), [0, 7, 31]
        ask = "places.map((p) => sinusoid.missed(matrix, p, k, rates))"
        missed = shift_errors(matrix, places, k)
        assert_close(ask, missed, matrix=matrix.tolist(), places=places, k=k, rates=rates)


def test_a_product_of_matrices_that_do_not_commute():
    a, b = [[1, 2], [3, 4]], [[0, 1], [5, -1]]
    assert_close("sinusoid.product(a, b)", np.array(a) @ b, a=a, b=b)


def test_every_choice_of_width_and_base_rises_within_reach_and_one_base_rises_latest():
    given = near_and_far(128, 10000, 60).given
    k = range(given["reach"] + 1)
    rises = {(d, b): first_rise(pe.similarity(k, d, base=b)) for d in CHOSEN_WIDTHS for b in CHOSEN}
    assert None not in rises.values()
    there = {b: rises[given["asked"], b] for b in CHOSEN}
    assert [b for b in CHOSEN if there[b] == max(there.values())] == [given["latest"]]
